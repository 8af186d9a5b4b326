"""The rotating log file of a node in the background: writing it, and reading or following it."""

from __future__ import annotations

import io
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from devchain.cli.pid_files import open_private

MAX_BYTES = 5 * 1024 * 1024
"""Size at which a log is rotated; one rotated log (`NAME.log.1`) is kept."""

POLL_SECONDS = 0.2
STDOUT, STDERR = 1, 2


class LogFile(io.TextIOBase):
    """A text stream into a log file that is rotated when it exceeds a size."""

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
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
        """Close the log file."""
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
    """Where the previous log is kept."""
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
