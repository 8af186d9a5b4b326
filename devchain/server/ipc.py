"""IPC: JSON-RPC over a unix socket, one JSON value after the other."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

from devchain.errors import AddressInUse, ConfigError
from devchain.server.house import House
from devchain.server.sessions import Session

BACKLOG = 128
LONGEST_PATH = 103
"""How many bytes the shortest-spoken systems take for the path of a socket."""

_OUTSIDE = re.compile(rb'["{}\[\]\n]')
_INSIDE = re.compile(rb'["\\]')

Admit = Callable[[asyncio.Transport, Callable[[bytes], None], Callable[[str], None]], Session]


class TooLong(ValueError):
    """A message goes on beyond what may be sent at once."""


class Splitter:
    """Cuts a stream of bytes into JSON values, with or without white space between them.

    What is neither an object nor an array ends with its line.
    """

    def __init__(self, largest: int) -> None:
        """Take values of at most `largest` bytes."""
        self._largest = largest
        self._buffer = bytearray()
        self._seen = self._depth = 0
        self._in_string = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The values that are complete with these bytes; raises `TooLong`."""
        self._buffer += data
        while (end := self._end()) is not None:
            value = bytes(self._buffer[:end]).strip()
            del self._buffer[:end]
            self._seen = 0
            if value:
                yield value
        if len(self._buffer) > self._largest:
            raise TooLong

    def _end(self) -> int | None:
        """Where the first value ends, if it has arrived; every byte is looked at once."""
        while True:
            pattern = _INSIDE if self._in_string else _OUTSIDE
            found = pattern.search(self._buffer, self._seen)
            if found is None:
                self._seen = max(self._seen, len(self._buffer))
                return None
            self._seen = found.end()
            if self._is_end(found[0]):
                return self._seen

    def _is_end(self, mark: bytes) -> bool:
        if mark == b"\\":
            self._seen += 1  # whatever it escapes
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


class Pipe(asyncio.Protocol):
    """One IPC connection."""

    _transport: asyncio.Transport

    def __init__(self, admit: Admit, largest: int, house: House) -> None:
        """Answer with the session `admit` makes; messages may have `largest` bytes."""
        self._admit = admit
        self._splitter = Splitter(largest)
        self._house = house

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody has connected."""
        self._transport = cast(asyncio.Transport, transport)
        self._session = self._admit(self._transport, self._send, lambda _: self._transport.abort())
        self._house.enter(self)

    def data_received(self, data: bytes) -> None:
        """Answer the messages that are complete."""
        try:
            for message in self._splitter.feed(data):
                self._session.receive(message)
        except TooLong:
            self._transport.abort()

    def eof_received(self) -> bool:
        """The other side sends no more; it may still wait for answers."""
        return self._session.end()

    def connection_lost(self, _: Exception | None) -> None:
        """The connection is over."""
        self._session.close()
        self._house.leave(self)

    def pause_writing(self) -> None:
        """The other side does not read: neither do we."""
        self._session.hold()

    def resume_writing(self) -> None:
        """The other side reads again."""
        self._session.resume()

    def go_away(self) -> None:
        """The server stops."""
        self._transport.close()

    def cut_off(self) -> None:
        """End at once."""
        self._transport.abort()

    def _send(self, message: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(message + b"\n")


@contextmanager
def bound(path: str) -> Iterator[socket.socket]:
    """A unix socket at that path that listens, for its owner alone; gone at the end.

    What a node that was killed has left there is replaced. Raises `AddressInUse` when somebody
    listens there, `ConfigError` when no socket can be made there.
    """
    place = Path(path).expanduser()
    sock = _bind(place)
    made = place.stat().st_ino
    try:
        with sock:
            yield sock
    finally:
        with suppress(OSError):
            if place.stat().st_ino == made:
                place.unlink()


def _bind(place: Path) -> socket.socket:
    if not hasattr(socket, "AF_UNIX"):
        msg = "this system has no unix sockets: leave --ipc out"
        raise ConfigError(msg)
    if len(os.fsencode(place)) > LONGEST_PATH:
        msg = f"--ipc {place} is too long for a socket: at most {LONGEST_PATH} bytes"
        raise ConfigError(msg)
    _clear(place)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)  # so that it is never open to others, not even at first
    try:
        sock.bind(os.fspath(place))
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        msg = f"cannot make the socket {place}: {error.strerror}; choose another --ipc"
        raise ConfigError(msg) from error
    finally:
        os.umask(before)
    sock.settimeout(0)  # as asyncio wants it
    return sock


def _clear(place: Path) -> None:
    """Remove a socket that nobody listens on; anything else stays."""
    with suppress(FileNotFoundError):
        if not stat.S_ISSOCK(place.lstat().st_mode):
            msg = f"{place} exists and is no socket: choose another --ipc"
            raise ConfigError(msg)
        if _answers(place):
            msg = f"another process listens on {place}: choose another --ipc"
            raise AddressInUse(msg)
        place.unlink()


def _answers(place: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.settimeout(1)
        try:
            caller.connect(os.fspath(place))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            return True  # a full queue, say: somebody is there
    return True
