"""IPC connections: JSON-RPC over a unix socket, one JSON value after the other."""

from __future__ import annotations

import asyncio
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from devchain.chain.slices import QUICK
from devchain.errors import AddressInUse, ConfigError
from devchain.server import limits
from devchain.server.scheduler import Work
from devchain.server.session import MessageConnection

BACKLOG = 128
MAX_PATH_BYTES = 103  # the longest path of a socket that Linux and macOS both take
_SPACE = re.compile(rb"[ \t\r\n]*")
_OUTSIDE_STRING = re.compile(rb'["{}\[\]\n]')
_INSIDE_STRING = re.compile(rb'["\\]')


class MessageTooLong(ValueError):
    """A message is longer than `--max-body`."""


class JsonSplitter:
    r"""Cuts a stream of bytes into JSON values, with or without white space between them.

    It follows strings and brackets only: `{"a":"}"}[1]12\n` is three values. A value that is
    neither an object nor an array ends with its line.
    """

    def __init__(self, max_value: int) -> None:
        self._max_value = max_value
        self.buffer = bytearray()
        self._scanned = self._depth = 0
        self._in_string = False
        self.has_input = False
        """Whether some of what has arrived was not scanned yet."""

    def feed(self, data: bytes) -> None:
        self.buffer += data
        self.has_input = True

    def next_value(self) -> bytes | None:
        """The next value, if it ends within the part that is scanned now; else None.

        Every byte is scanned once, a bounded number of brackets and quotes at a time. Raises
        `MessageTooLong`.
        """
        if self._scanned == 0:
            del self.buffer[: _SPACE.match(self.buffer).end()]  # type: ignore[union-attr]  # matches
        is_complete = False
        for _ in range(limits.MAX_SCANNED_MARKS):
            pattern = _INSIDE_STRING if self._in_string else _OUTSIDE_STRING
            match = pattern.search(self.buffer, self._scanned)
            if match is None:
                self._scanned = max(self._scanned, len(self.buffer))
                self.has_input = False
                break
            self._scanned, mark = match.end(), match[0]
            if mark == b"\\":
                self._scanned += 1  # the escaped character
            elif mark == b'"':
                self._in_string = not self._in_string
            elif mark in b"{[":
                self._depth += 1
            else:
                self._depth = max(self._depth - (mark in b"}]"), 0)
                is_complete = self._depth == 0
                if is_complete:
                    break
        if self._scanned > self._max_value:
            raise MessageTooLong
        if not is_complete:
            return None
        value = bytes(self.buffer[: self._scanned])
        del self.buffer[: self._scanned]
        self._scanned = 0
        return value


class IpcConnection(MessageConnection):
    """One IPC connection."""

    transport_name = "ipc"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._splitter = JsonSplitter(self.max_message)
        super().connection_made(transport)
        self.scheduler.accept()

    def work(self) -> Work:
        splitter = self._splitter
        while True:
            data = yield from self.next_input()
            splitter.feed(data)
            self.registry.note(len(data))
            while splitter.has_input:
                try:
                    message = splitter.next_value()
                except MessageTooLong:
                    self.transport.abort()
                    return
                if message is not None:
                    yield from self.answer(message.strip())
                yield QUICK
                while self.is_write_paused:
                    yield None

    def held_bytes(self) -> int:
        return super().held_bytes() + len(self._splitter.buffer)

    def shut_down(self) -> None:
        self.transport.close()

    def drop(self, reason: str) -> None:  # noqa: ARG002  # IPC has no way to give one
        self.transport.abort()

    def send_message(self, message: bytes, *, is_last: bool = True) -> None:
        self.write(message + b"\n" if is_last else message)


@contextmanager
def unix_listener(path: str) -> Iterator[socket.socket]:
    """A listening unix socket at that path, for its owner alone; removed at the end.

    A socket that a killed node left there is replaced. Raises `AddressInUse` when another process
    listens there, `ConfigError` when no socket can be made there.
    """
    file = Path(path).expanduser()
    sock = _bind(file)
    inode = file.stat().st_ino
    try:
        with sock:
            yield sock
    finally:
        with suppress(OSError):
            if file.stat().st_ino == inode:
                file.unlink()


def _bind(path: Path) -> socket.socket:
    if not hasattr(socket, "AF_UNIX"):
        raise ConfigError("this system has no unix sockets: leave --ipc out")
    if len(os.fsencode(path)) > MAX_PATH_BYTES:
        raise ConfigError(f"--ipc {path} is too long for a socket: at most {MAX_PATH_BYTES} bytes")
    if path.is_symlink() or path.exists():
        if not path.is_socket() or path.is_symlink():
            raise ConfigError(f"{path} exists and is no socket: choose another --ipc")
        if _is_listened_on(path):
            raise AddressInUse(f"another process listens on {path}: choose another --ipc")
        path.unlink()
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    umask = os.umask(0o177)  # so that it is never open to others, not even at first
    try:
        sock.bind(os.fspath(path))
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise ConfigError(
            f"cannot make the socket {path}: {error.strerror}; choose another --ipc"
        ) from error
    finally:
        os.umask(umask)
    sock.settimeout(0)  # asyncio requires it
    return sock


def _is_listened_on(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(1)
        try:
            client.connect(os.fspath(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            return True  # for example because its queue is full
    return True
