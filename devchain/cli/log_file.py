"""The log of a node in the background: a file that does not grow without limit, and reading it."""

from __future__ import annotations

import io
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from devchain.cli.node_records import open_private

LIMIT = 5 * 1024 * 1024
"""How large a log grows before it is put aside as the former one; one former log is kept."""

PAUSE = 0.2
STANDARD_OUTPUT, STANDARD_ERROR = 1, 2


class LogFile(io.TextIOBase):
    """A text stream into a log; at the limit it goes on in a new file."""

    def __init__(self, path: Path, limit: int = LIMIT) -> None:
        """Begin a new log; what was there becomes the former one."""
        self._path = path
        self._limit = limit
        self._standard: tuple[int, ...] = ()
        self._begin()

    def write(self, text: str, /) -> int:
        """Write whole at once, then look at the size."""
        os.write(self._descriptor, text.encode(errors="backslashreplace"))
        if os.fstat(self._descriptor).st_size > self._limit:
            os.close(self._descriptor)
            self._begin()
        return len(text)

    def take_standard_streams(self) -> None:
        """Let what the process itself says, a crash say, go into the log too."""
        self._standard = (STANDARD_OUTPUT, STANDARD_ERROR)
        self._lend()

    def close(self) -> None:
        """End the log."""
        if not self.closed:
            os.close(self._descriptor)
        super().close()

    def _begin(self) -> None:
        with suppress(FileNotFoundError):
            self._path.replace(former(self._path))
        self._descriptor = open_private(self._path, os.O_WRONLY | os.O_APPEND)
        self._lend()

    def _lend(self) -> None:
        for number in self._standard:
            os.dup2(self._descriptor, number)


def former(path: Path) -> Path:
    """Where the log before this one is."""
    return path.with_name(f"{path.name}.1")


def read(path: Path, lives: Callable[[], bool], count: int | None = None) -> Iterator[str]:
    """The last so many lines of a log, or all, then those that come while its node lives."""
    stream = path.open(encoding="utf-8", errors="replace")
    try:
        yield from stream if count is None else deque(stream, maxlen=count)
        while True:
            alive, replaced = lives(), _is_replaced(stream, path)
            yield from stream
            if replaced:
                stream.close()
                stream = path.open(encoding="utf-8", errors="replace")
            elif alive:
                time.sleep(PAUSE)
            else:
                return
    finally:
        stream.close()


def _is_replaced(stream: io.TextIOWrapper, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return not os.path.samestat(os.fstat(stream.fileno()), path.stat())
    return False  # between two files
