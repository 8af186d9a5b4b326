"""Nodes that run here: a locked PID file for each, and a log in the background; a private folder.

A PID file is JSON. A node holds an exclusive lock (flock) on its file as long as it runs. The
system releases the lock when the process ends, even by a crash, and a later process with the same
process id does not have it: so an old file is never mistaken for a running node.
"""

from __future__ import annotations

import io
import json
import os
import re
import stat
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from devchain.errors import ConfigError

NAME = re.compile(r"(?!\d+\Z)[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
"""Names of nodes are used as file names; digits alone would be a port."""

PRIVATE_FILE, PRIVATE_FOLDER, GROUP_AND_OTHERS = 0o600, 0o700, 0o077
MAX_FILE_BYTES = 65_536
INIT_PID = 1
MAX_OLD_LOGS = 20
"""How many logs of stopped nodes are kept."""

MAX_LOG_BYTES = 5 * 1024 * 1024
"""Size at which a log is rotated; one rotated log (`NAME.log.1`) is kept."""

POLL_SECONDS = 0.2
STDOUT, STDERR = 1, 2

LOCK_TIMEOUT = 0.3
LOCK_RETRY_DELAY = 0.01


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """Content of a PID file; `started` is a Unix time, `bitcoin` the URL of bitcoind's JSON-RPC."""

    name: str
    pid: int
    url: str
    port: int
    networks: tuple[str, ...]
    started: int
    detached: bool = True
    bitcoin: str = ""


def state_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of PID files and logs, private to the user; raises `ConfigError`."""
    root = Path(environ.get("XDG_STATE_HOME", ""))
    try:
        if not root.is_absolute():  # the XDG specification has relative paths ignored
            root = Path("~/.local/state").expanduser()
        folder = root / "devchain"
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            raise OSError("it is not a folder that you own")
        if status.st_mode & GROUP_AND_OTHERS:
            folder.chmod(PRIVATE_FOLDER)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(
            f"cannot use {root / 'devchain'} ({reason}); set XDG_STATE_HOME to a folder "
            "that you own"
        ) from None
    return folder


def log_path(folder: Path, name: str) -> Path:
    return folder / f"{name}.log"


def open_private(path: Path, flags: int) -> int:
    """Open or create a file that only its owner can read; never follows a symbolic link."""
    descriptor = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW, PRIVATE_FILE)
    os.fchmod(descriptor, PRIVATE_FILE)
    return descriptor


class PidFile:
    """The PID file of this process, locked until `release` or the end of the process."""

    def __init__(self, folder: Path, record: NodeRecord) -> None:
        """Create and lock the file; raises `ConfigError` if a running node has that name."""
        self.record = record
        name = record.name
        if not NAME.fullmatch(name):
            raise ConfigError(
                f"invalid node name {name!r}: use letters, digits, dots, dashes, not digits alone"
            )
        self._path = folder / f"{name}.json"
        deadline = time.monotonic() + LOCK_TIMEOUT
        # A command that checks whether the node runs also holds the lock for a moment: retry.
        while time.monotonic() < deadline:
            self._descriptor = open_private(self._path, os.O_RDWR)
            if _try_lock(self._descriptor) and _is_same_file(self._descriptor, self._path):
                return
            os.close(self._descriptor)
            time.sleep(LOCK_RETRY_DELAY)
        raise ConfigError(f"a node named {name} is running: stop it, or choose another --name")

    def write(self, url: str, bitcoin: str = "") -> None:
        """Write the record with the URLs of the node: commands find it from now on."""
        self.record = replace(self.record, url=url, bitcoin=bitcoin)
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, json.dumps(asdict(self.record)).encode(), 0)

    def release(self) -> None:
        with suppress(OSError):
            self._path.unlink()
        os.close(self._descriptor)


def running_nodes(folder: Path) -> list[NodeRecord]:
    """The nodes that run, by port; files of stopped nodes and their oldest logs are removed."""
    records = (_read_record(path) for path in folder.glob("*.json"))
    running = sorted((record for record in records if record), key=lambda record: record.port)
    with suppress(OSError):
        for name in stopped_nodes(folder)[MAX_OLD_LOGS:]:
            path = log_path(folder, name)
            path.unlink()
            rotated_path(path).unlink(missing_ok=True)
    return running


def stopped_nodes(folder: Path) -> list[str]:
    """The names of stopped nodes that have left a log; the one that wrote to it last comes first.

    Call `running_nodes` before, which removes the files of nodes that do not run.
    """
    running = {path.stem for path in folder.glob("*.json")}
    with suppress(OSError):
        logs = [path for path in folder.glob("*.log") if path.stem not in running]
        logs.sort(key=lambda path: path.lstat().st_mtime, reverse=True)
        return [path.stem for path in logs]
    return []


def is_running(folder: Path, name: str) -> bool:
    return _read_record(folder / f"{name}.json") is not None


def _read_record(path: Path) -> NodeRecord | None:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        if not _try_lock(descriptor):
            return parse_record(os.read(descriptor, MAX_FILE_BYTES))
        if _is_same_file(descriptor, path):
            path.unlink()
    except OSError:
        pass
    finally:
        os.close(descriptor)
    return None


def parse_record(content: bytes) -> NodeRecord | None:
    """The record in a PID file; None while the node has not written it."""
    try:
        members: dict[str, Any] = json.loads(content)
        record = NodeRecord(**{**members, "networks": tuple(members["networks"])})
    except (ValueError, TypeError, KeyError):
        return None
    # A signal to process id 0 or below goes to a whole process group.
    return record if record.pid > INIT_PID else None


def _try_lock(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:
        raise ConfigError(
            "nodes in the background need Linux or macOS: leave --detach and --name out"
        ) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_same_file(descriptor: int, path: Path) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    return False


# Logs


class LogFile(io.TextIOBase):
    """A text stream into a log file that is rotated when it exceeds a size."""

    def __init__(self, path: Path, max_bytes: int = MAX_LOG_BYTES) -> None:
        """Start a new log; an existing one is rotated."""
        self._path = path
        self._max_bytes = max_bytes
        self._redirected: tuple[int, ...] = ()
        self._rotate()

    def write(self, text: str, /) -> int:
        """Write the text in one piece, then rotate the log if it has grown too large."""
        os.write(self._descriptor, text.encode(errors="backslashreplace"))
        if os.fstat(self._descriptor).st_size > self._max_bytes:
            os.close(self._descriptor)
            self._rotate()
        return len(text)

    def redirect_standard_streams(self) -> None:
        """Send stdout and stderr of the process to the log, so that a crash is logged too."""
        self._redirected = (STDOUT, STDERR)
        self._redirect()

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
        super().close()

    def _rotate(self) -> None:
        with suppress(FileNotFoundError):
            self._path.replace(rotated_path(self._path))
        self._descriptor = open_private(self._path, os.O_WRONLY | os.O_APPEND)
        self._redirect()

    def _redirect(self) -> None:
        for stream in self._redirected:
            os.dup2(self._descriptor, stream)


def rotated_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")


def read_log(
    path: Path, keep_following: Callable[[], bool], count: int | None = None
) -> Iterator[str]:
    """The last `count` lines of a log (None: all), then new lines while `keep_following()`."""
    stream = path.open(encoding="utf-8", errors="replace")
    try:
        yield from stream if count is None else deque(stream, maxlen=count)
        while True:
            # Both are read before the rest of the file, so that no line written meanwhile is lost.
            following, rotated = keep_following(), _is_rotated(stream, path)
            yield from stream
            if rotated:
                stream.close()
                stream = path.open(encoding="utf-8", errors="replace")
            elif following:
                time.sleep(POLL_SECONDS)
            else:
                return
    finally:
        stream.close()


def _is_rotated(stream: io.TextIOWrapper, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return not os.path.samestat(os.fstat(stream.fileno()), path.stat())
    return False  # the new file is not created yet
