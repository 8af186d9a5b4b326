"""IPC connections: JSON-RPC over a unix socket, one JSON value after the other."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from devchain.chain.slices import QUICK
from devchain.errors import AddressInUse, ConfigError
from devchain.server import limits
from devchain.server.connection import ConnectionRegistry
from devchain.server.scheduler import Scheduler, Work
from devchain.server.session import MessageConnection, NewSession

BACKLOG = 128
MAX_PATH_BYTES = 103
"""The longest path of a socket that Linux and macOS both take."""

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
        self._buffer = bytearray()
        self._scanned = self._depth = 0
        self._in_string = False
        self.has_input = False
        """Whether some of what has arrived was not scanned yet."""

    def __len__(self) -> int:
        """How many bytes are kept."""
        return len(self._buffer)

    def feed(self, data: bytes) -> None:
        """Take more of the stream."""
        self._buffer += data
        self.has_input = True

    def next_value(self) -> bytes | None:
        """The next value, if it ends within the part that is scanned now; else None.

        Every byte is scanned once, a bounded number of brackets and quotes at a time. Raises
        `MessageTooLong`.
        """
        end = self._scan()
        if self._scanned > self._max_value:
            raise MessageTooLong
        if end is None:
            return None
        value = bytes(self._buffer[:end])
        del self._buffer[:end]
        self._scanned = 0
        return value

    def _scan(self) -> int | None:
        if self._scanned == 0:
            del self._buffer[: _SPACE.match(self._buffer).end()]  # type: ignore[union-attr]  # matches
        for _ in range(limits.MAX_SCANNED_MARKS):
            pattern = _INSIDE_STRING if self._in_string else _OUTSIDE_STRING
            match = pattern.search(self._buffer, self._scanned)
            if match is None:
                self._scanned = max(self._scanned, len(self._buffer))
                self.has_input = False
                return None
            self._scanned = match.end()
            if self._is_end(match[0]):
                return self._scanned
        return None

    def _is_end(self, mark: bytes) -> bool:
        if mark == b"\\":
            self._scanned += 1  # the escaped character
        elif mark == b'"':
            self._in_string = not self._in_string
        elif mark in b"{[":
            self._depth += 1
        elif mark in b"}]":
            self._depth = max(self._depth - 1, 0)
            return self._depth == 0
        else:
            return self._depth == 0
        return False


class IpcConnection(MessageConnection):
    """One IPC connection."""

    transport_name = "ipc"

    def __init__(
        self,
        new_session: NewSession,
        max_message: int,
        registry: ConnectionRegistry,
        scheduler: Scheduler,
    ) -> None:
        super().__init__(new_session, registry, scheduler)
        self._splitter = JsonSplitter(max_message)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the session."""
        super().connection_made(transport)
        self.scheduler.accept()

    def work(self) -> Work:
        """Pass one message after the other to the session."""
        splitter = self._splitter
        while True:
            if self.may_read:
                data = self.take_input()
                splitter.feed(data)
                self.registry.note(len(data))
            elif self.is_eof and not self.has_input and self.session.is_idle:
                self.transport.close()
            while splitter.has_input:
                try:
                    message = splitter.next_value()
                except MessageTooLong:
                    self.transport.abort()
                    return
                if message is not None:
                    self.session.receive(message.strip())
                yield QUICK
                while self.session.is_full:
                    yield None
            if not self.may_read:
                yield None

    def held_bytes(self) -> int:
        """How much memory the connection holds, with the message that is incomplete."""
        return super().held_bytes() + len(self._splitter)

    def shut_down(self) -> None:
        """Close because the server stops."""
        self.transport.close()

    def drop(self, reason: str) -> None:
        """Abort: IPC has no way to give a reason."""
        del reason
        self.transport.abort()

    def send_message(self, message: bytes) -> None:
        """Send one message and a line end."""
        self.write(message + b"\n")


@contextmanager
def unix_listener(path: str) -> Iterator[socket.socket]:
    """A listening unix socket at that path, for its owner alone; removed at the end.

    A socket that a killed node left there is replaced. Raises `AddressInUse` when another process
    listens there, `ConfigError` when no socket can be made there.
    """
    place = Path(path).expanduser()
    sock = _bind(place)
    inode = place.stat().st_ino
    try:
        with sock:
            yield sock
    finally:
        with suppress(OSError):
            if place.stat().st_ino == inode:
                place.unlink()


def _bind(place: Path) -> socket.socket:
    if not hasattr(socket, "AF_UNIX"):
        raise ConfigError("this system has no unix sockets: leave --ipc out")
    if len(os.fsencode(place)) > MAX_PATH_BYTES:
        raise ConfigError(f"--ipc {place} is too long for a socket: at most {MAX_PATH_BYTES} bytes")
    _remove_unused(place)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    umask = os.umask(0o177)  # so that it is never open to others, not even at first
    try:
        sock.bind(os.fspath(place))
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise ConfigError(
            f"cannot make the socket {place}: {error.strerror}; choose another --ipc"
        ) from error
    finally:
        os.umask(umask)
    sock.settimeout(0)  # asyncio requires it
    return sock


def _remove_unused(place: Path) -> None:
    with suppress(FileNotFoundError):
        if not stat.S_ISSOCK(place.lstat().st_mode):
            raise ConfigError(f"{place} exists and is no socket: choose another --ipc")
        if _is_listened_on(place):
            raise AddressInUse(f"another process listens on {place}: choose another --ipc")
        place.unlink()


def _is_listened_on(place: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(1)
        try:
            client.connect(os.fspath(place))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            return True  # for example because its queue is full
    return True
