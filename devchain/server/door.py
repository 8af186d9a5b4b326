"""A connection until it is known what it speaks.

Plain JSON-RPC requests over HTTP/1.1 are answered here, in a tenth of the time a full HTTP server
takes. Whatever is not plain, refusals included, goes to hypercorn and Quart with all that has
arrived; a WebSocket goes to `WebSocket`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate
from functools import lru_cache, partial
from typing import TYPE_CHECKING, cast

from devchain.server import head
from devchain.server.checks import JSON, Refused, check_content_type, incident_body, peer_of
from devchain.server.front import Front, Service
from devchain.server.house import House
from devchain.server.ipc import Pipe
from devchain.server.turns import take_turns
from devchain.server.websocket import WebSocket

if TYPE_CHECKING:
    from collections.abc import Awaitable

LARGEST_BODY = 1_048_576
"""The longest body that is waited for here."""

MOST_WAITING = 2 * LARGEST_BODY
"""How much may wait for its turn before no more is read; more than any one request here has."""

ARRIVAL_SECONDS = 0.5
"""How long the rest of a request is waited for here."""

IDLE_SECONDS = 60.0
"""How long a connection may stay silent between requests."""

_OPENING = f"HTTP/1.1 200 OK\r\ncontent-type: {JSON}\r\n".encode()

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], "Awaitable[None]"]


@dataclass(frozen=True, slots=True)
class Doors:
    """Where connections come in, and what they need there."""

    front: Front
    handler: Handler
    house: House

    def door(self) -> Door:
        """A new connection."""
        return Door(self)

    def pipe(self) -> Pipe:
        """A new IPC connection; it reaches the first network."""
        admit = partial(self.front.default.session, "ipc", None)
        return Pipe(admit, self.front.config.max_body, self.house)

    def socket(self, service: Service, peer: str | None) -> WebSocket:
        """A connection that becomes a WebSocket."""
        admit = partial(service.session, "ws", peer)
        return WebSocket(admit, self.front.config.max_body, self.house)


class Door(asyncio.Protocol):
    """One connection."""

    _transport: asyncio.Transport
    _service: Service  # known once a head is

    def __init__(self, doors: Doors) -> None:
        """Nothing is known of it yet."""
        self._doors = doors
        self._buffer = bytearray()
        self._lines: bytes | None = None  # of the last head
        self._length = 0
        self._shared = b""
        self._is_busy = self._is_held = self._is_over = self._is_leaving = False
        self._arrival: asyncio.TimerHandle | None = None

    # What the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody has connected."""
        self._transport = cast(asyncio.Transport, transport)
        self._peer = peer_of({"client": transport.get_extra_info("peername")})
        self._is_silent = False
        self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._close_if_silent)
        self._doors.house.enter(self)

    def data_received(self, data: bytes) -> None:
        """Take in what has arrived."""
        self._is_silent = False
        self._buffer += data
        is_occupied = self._is_busy or self._is_held
        if is_occupied or len(self._buffer) > MOST_WAITING:
            self._transport.pause_reading()
        if not is_occupied:
            self._advance()

    def eof_received(self) -> bool:
        """The other side sends no more; it may still wait for its answer."""
        self._is_over = True
        return self._is_busy or bool(self._buffer)

    def connection_lost(self, _: Exception | None) -> None:
        """The connection is over."""
        self._leave()

    def pause_writing(self) -> None:
        """The other side does not read: answer no more."""
        self._is_held = True

    def resume_writing(self) -> None:
        """The other side reads again."""
        self._is_held = False
        self._go_on()

    def go_away(self) -> None:
        """The server stops: end after the answer that is under way."""
        self._is_leaving = True
        if not self._is_busy:
            self._transport.close()

    def cut_off(self) -> None:
        """End at once."""
        self._transport.abort()

    def _close_if_silent(self) -> None:
        if self._is_silent and not self._is_busy:
            self._transport.close()
            return
        self._is_silent = True
        self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._close_if_silent)

    # Requests

    def _advance(self) -> None:
        """Answer the first request that has arrived, if it is plain and all there."""
        end = self._buffer.find(head.END)
        if end < 0:
            self._expect_rest(is_plain=len(self._buffer) <= head.LARGEST)
            return
        lines = bytes(self._buffer[:end])
        if not self._is_known(lines) and not self._recognize(lines):
            return
        start = end + len(head.END)
        stop = start + self._length
        if len(self._buffer) < stop:
            self._expect_rest(is_plain=True)
            return
        self._no_longer_expect()
        body = bytes(self._buffer[start:stop])
        del self._buffer[:stop]
        self._is_busy = True
        steps = self._service.dispatcher.serve(body, self._peer)
        take_turns(steps, self._answer, self._fail)

    def _is_known(self, lines: bytes) -> bool:
        """Whether a head is the one before, and its sender still welcome."""
        return lines == self._lines and not self._service.node.peers.refuses(self._peer)

    def _recognize(self, lines: bytes) -> bool:
        """Learn from a head who is asked for what; one that is not plain goes elsewhere."""
        found = head.read(lines)
        if found is None:
            self._hand_over()
            return False
        origins = [found.header(b"origin")] if b"origin" in found.headers else []
        try:
            self._doors.front.check_page(found.header(b"host"), origins)
            service = self._doors.front.admitted(found.path, self._peer)
            if found.is_upgrade:
                self._become_socket(service)
                return False
            check_content_type(found.header(b"content-type"))
        except Refused:
            self._hand_over()
            return False
        if not self._takes(found):
            self._hand_over()
            return False
        self._lines, self._service, self._length = lines, service, found.body_length or 0
        self._shared = _shared(found.header(b"origin"))
        return True

    def _takes(self, found: head.Head) -> bool:
        length = found.body_length
        most = min(LARGEST_BODY, self._doors.front.config.max_body)
        is_plain = found.verb == b"POST" and b"host" in found.headers
        return is_plain and length is not None and length <= most

    def _answer(self, answer: bytes | None) -> None:
        if answer is None:
            self._write(b"HTTP/1.1 204 No Content\r\n" + self._shared + b"\r\n")
        else:
            length = b"%d\r\n\r\n" % len(answer)
            self._write(b"".join((_OPENING, self._shared, _date(), length, answer)))
        self._is_busy = False
        self._service.feed.drain()
        if self._is_leaving or (self._is_over and not self._buffer):
            self._transport.close()
        else:
            self._go_on()

    def _fail(self, error: Exception) -> None:
        body = incident_body(error)
        status = b"HTTP/1.1 500 Internal Server Error\r\ncontent-type: application/json\r\n"
        self._write(status + b"connection: close\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        self._transport.close()

    def _write(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)

    def _go_on(self) -> None:
        """Turn to the next request once the others have had theirs."""
        if not (self._is_busy or self._is_held):
            if len(self._buffer) <= MOST_WAITING:
                self._transport.resume_reading()
            if self._buffer:
                asyncio.get_running_loop().call_soon(self._take_next)

    def _take_next(self) -> None:
        if self._buffer and not (self._is_busy or self._is_held or self._transport.is_closing()):
            self._advance()

    # What is not for this door

    def _expect_rest(self, *, is_plain: bool) -> None:
        """Wait a little for the rest of a request."""
        if not is_plain or self._is_over:
            self._hand_over()
        elif self._arrival is None:
            loop = asyncio.get_running_loop()
            self._arrival = loop.call_later(ARRIVAL_SECONDS, self._hand_over)

    def _no_longer_expect(self) -> None:
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None

    def _hand_over(self) -> None:
        """Give the connection to hypercorn, with all that has arrived."""
        reader = asyncio.StreamReader()
        self._give_to(asyncio.StreamReaderProtocol(reader, self._doors.handler))

    def _become_socket(self, service: Service) -> None:
        self._give_to(self._doors.socket(service, self._peer))

    def _give_to(self, protocol: asyncio.Protocol) -> None:
        self._leave()
        arrived = bytes(self._buffer)
        self._buffer.clear()
        self._transport.set_protocol(protocol)
        self._transport.resume_reading()
        protocol.connection_made(self._transport)
        if arrived:
            protocol.data_received(arrived)
        if self._is_over:
            protocol.eof_received()

    def _leave(self) -> None:
        self._doors.house.leave(self)
        self._idle.cancel()
        self._no_longer_expect()


def _shared(origin: str) -> bytes:
    """The lines that let pages of an origin that has been accepted read the answer."""
    allowed = f"access-control-allow-origin: {origin}\r\n" if origin else ""
    return f"vary: Origin\r\n{allowed}".encode("latin-1")


@lru_cache(maxsize=1)
def _date_at(second: int) -> bytes:
    """The last lines of a head, but for the length's number; made once a second."""
    del second
    return f"date: {formatdate(usegmt=True)}\r\ncontent-length: ".encode()


def _date() -> bytes:
    return _date_at(int(asyncio.get_running_loop().time()))
