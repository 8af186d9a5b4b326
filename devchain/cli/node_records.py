"""Which nodes run in the background: one private file each, locked by its node while it lives.

A lock ends with its process, however that ends, and no other process takes it over: so a number
that the system has given to another process is never taken for a node.
"""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from devchain.errors import ConfigError, DevchainError, NotFound

NAME = re.compile(r"(?!\d+\Z)[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
"""A name is a file's name, and not a port."""

PRIVATE_FILE, PRIVATE_FOLDER, OTHERS = 0o600, 0o700, 0o077
LARGEST_RECORD = 65_536
INIT = 1
KEPT_LOGS = 20
"""How many nodes that have ended keep their logs."""

LOCK_SECONDS = 0.3
LOCK_PAUSE = 0.01


@dataclass(frozen=True, slots=True)
class Record:
    """A node in the background: its process, where it listens and since when (Unix time)."""

    name: str
    pid: int
    url: str
    port: int
    networks: tuple[str, ...]
    started: int


def state_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """Where records and logs are, made private to the user; raises `ConfigError`."""
    root = Path(environ.get("XDG_STATE_HOME", ""))
    try:
        if not root.is_absolute():  # as the XDG specification has it
            root = Path("~/.local/state").expanduser()
        folder = root / "devchain"
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        _make_private(folder)
    except (OSError, RuntimeError) as error:
        msg = f"cannot use {root / 'devchain'} ({error}); set XDG_STATE_HOME to a folder of yours"
        raise ConfigError(msg) from None
    return folder


def _make_private(folder: Path) -> None:
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        msg = "it is not a folder of yours"
        raise OSError(msg)
    if found.st_mode & OTHERS:
        folder.chmod(PRIVATE_FOLDER)


def checked_name(name: str) -> str:
    """The name, if a node can have it; raises `ConfigError`."""
    if not NAME.fullmatch(name):
        msg = f"{name!r} is no name: use letters, digits, dots and dashes, not digits alone"
        raise ConfigError(msg)
    return name


def log_path(folder: Path, name: str) -> Path:
    """Where the log of the node of that name is."""
    return folder / f"{name}.log"


def open_private(path: Path, flags: int) -> int:
    """A descriptor of a file only its owner can read, made if need be; never through a link."""
    descriptor = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW, PRIVATE_FILE)
    os.fchmod(descriptor, PRIVATE_FILE)
    return descriptor


class Claim:
    """A name taken by this process until `release` or its end."""

    def __init__(self, folder: Path, name: str) -> None:
        """Take the name; raises `ConfigError` when a running node has it."""
        self._path = folder / f"{checked_name(name)}.json"
        deadline = time.monotonic() + LOCK_SECONDS
        # Whoever looks whether the node lives holds the lock for a moment.
        while (taken := self._taken()) is None:
            if time.monotonic() > deadline:
                msg = f"a node named {name} is running: stop it, or choose another --name"
                raise ConfigError(msg)
            time.sleep(LOCK_PAUSE)
        self._descriptor = taken

    def _taken(self) -> int | None:
        descriptor = open_private(self._path, os.O_RDWR)
        if _locked(descriptor) and _is_at(descriptor, self._path):
            return descriptor
        os.close(descriptor)
        return None

    def write(self, record: Record) -> None:
        """Say what runs under the name."""
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, json.dumps(asdict(record)).encode(), 0)

    def release(self) -> None:
        """Give the name back."""
        with suppress(OSError):
            self._path.unlink()
        os.close(self._descriptor)


def running(folder: Path) -> list[Record]:
    """The nodes that run, by port; what ended nodes left behind is removed."""
    records = (_living(path) for path in folder.glob("*.json"))
    found = sorted((each for each in records if each), key=lambda each: each.port)
    _prune_logs(folder, {each.name for each in found})
    return found


def lives(folder: Path, name: str) -> bool:
    """Whether the node of that name runs."""
    return _living(folder / f"{name}.json") is not None


def parsed(content: bytes, name: str) -> Record | None:
    """A record as it was written; None for anything else, which may be in the file by mistake."""
    try:
        found: dict[str, Any] = json.loads(content)
        record = Record(**{**found, "networks": tuple(found["networks"])})
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    kinds = {"pid": int, "url": str, "port": int, "started": int}
    if any(type(getattr(record, field)) is not kind for field, kind in kinds.items()):
        return None
    if record.pid <= INIT or not all(isinstance(each, str) for each in record.networks):
        return None  # 0 and below would be whole groups of processes
    return record if record.name == name else None


def _living(path: Path) -> Record | None:
    """The node a record tells of, if it lives; else the record is removed."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        if not _locked(descriptor):
            return parsed(os.read(descriptor, LARGEST_RECORD), path.stem)
        if _is_at(descriptor, path):
            path.unlink()
    except OSError:
        pass
    finally:
        os.close(descriptor)
    return None


def _locked(descriptor: int) -> bool:
    """Lock a file until it is closed; whether nobody else had it."""
    try:
        import fcntl
    except ImportError:
        msg = "nodes in the background need Linux or macOS; run devchain start without --detach"
        raise ConfigError(msg) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether the file is still the one at that path."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    return False


def _prune_logs(folder: Path, alive: set[str]) -> None:
    """Remove the logs of ended nodes but the newest."""
    with suppress(OSError):
        ended = [each for each in folder.glob("*.log") if each.stem not in alive]
        ended.sort(key=lambda each: each.lstat().st_mtime, reverse=True)
        for each in ended[KEPT_LOGS:]:
            each.unlink()
            each.with_name(f"{each.name}.1").unlink(missing_ok=True)


def _complete_name(incomplete: str) -> list[str]:
    from devchain.cli.node_records import running, state_directory

    with suppress(DevchainError):
        names = [each.name for each in running(state_directory())]
        return [each for each in names if each.startswith(incomplete)]
    return []


NameOrPort = Annotated[
    str | None,
    typer.Argument(
        help="Name or port of the node, as devchain ps lists them.",
        metavar="NAME|PORT",
        autocompletion=_complete_name,
    ),
]


class NodeNotFound(NotFound):
    """No node of that name or port runs in the background."""


def chosen(records: Sequence[Record], wanted: str | None) -> Record:
    """The node named, or the only one there is; raises `NodeNotFound`."""
    found = [each for each in records if wanted is None or wanted in {each.name, str(each.port)}]
    if len(found) == 1:
        return found[0]
    names = ", ".join(each.name for each in records)
    if not records:
        msg = "no node runs in the background"
    elif wanted is None:
        msg = f"several nodes run: name one of {names}"
    else:
        msg = f"no node {wanted!r} runs in the background; there are {names}"
    raise NodeNotFound(msg)
