"""A WebSocket connection: messages in and out, pings, and an orderly end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Ping,
    Request,
    TextMessage,
)
from wsproto.frame_protocol import CloseReason
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from devchain.server.house import House
from devchain.server.sessions import Session

PING_SECONDS = 30.0
"""How long a connection may be silent before it is asked whether it is there."""

SILENT_PINGS = 10
"""How many pings in a row may stay without any sign before the connection is dropped."""

FAREWELL_SECONDS = 1.0
"""How long the other side may take to read the last frame and close."""

Admit = Callable[[asyncio.Transport, Callable[[bytes], None], Callable[[str], None]], Session]


class WebSocket(asyncio.Protocol):
    """One WebSocket, from its handshake on."""

    def __init__(self, admit: Admit, largest: int, house: House) -> None:
        """Answer with the session `admit` makes; messages may have `largest` bytes."""
        self._admit = admit
        self._largest = largest
        self._house = house
        self._wire = WSConnection(ConnectionType.SERVER)
        self._message: list[bytes] = []
        self._size = 0
        self._silent = 0
        self._is_closing = False
        self._timer: asyncio.TimerHandle | None = None

    # What the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is this protocol's now."""
        self._transport = cast(asyncio.Transport, transport)
        self._session = self._admit(self._transport, self._send, self._drop)
        self._house.enter(self)
        self._later(PING_SECONDS, self._ping)

    def data_received(self, data: bytes) -> None:
        """Take in what has arrived."""
        self._silent = 0
        try:
            self._wire.receive_data(data)
            for event in self._wire.events():
                self._take(event)
        except RemoteProtocolError as error:
            self._refuse(error)

    def eof_received(self) -> None:
        """The other side has gone."""

    def connection_lost(self, _: Exception | None) -> None:
        """The connection is over, however it ended."""
        if self._timer:
            self._timer.cancel()
        self._session.close()
        self._house.leave(self)

    def pause_writing(self) -> None:
        """The other side does not read: neither do we."""
        self._session.hold()

    def resume_writing(self) -> None:
        """The other side reads again."""
        self._session.resume()

    # Ending

    def go_away(self) -> None:
        """The server stops."""
        self.close(CloseReason.GOING_AWAY, "devchain stops")

    def cut_off(self) -> None:
        """End at once."""
        self._transport.abort()

    def close(self, code: CloseReason, reason: str = "") -> None:
        """Say goodbye; whoever does not answer in time is cut off."""
        if self._is_closing:
            return
        self._is_closing = True
        self._session.close()
        self._write(CloseConnection(code=code, reason=reason))
        self._later(FAREWELL_SECONDS, self._transport.abort)

    def _drop(self, reason: str) -> None:
        self.close(CloseReason.POLICY_VIOLATION, reason)

    def _refuse(self, error: RemoteProtocolError) -> None:
        """Answer what is no WebSocket with what the protocol has for it, and end."""
        self._is_closing = True
        self._session.close()
        if error.event_hint is not None:
            self._write(error.event_hint)
        self._transport.close()

    # Frames

    def _take(self, event: Event) -> None:
        if isinstance(event, Request):
            self._write(AcceptConnection())
        elif isinstance(event, TextMessage | BytesMessage):
            self._collect(event)
        elif isinstance(event, Ping):
            self._write(event.response())
        elif isinstance(event, CloseConnection):
            if not self._is_closing:
                self._write(event.response())
            self._is_closing = True
            self._transport.close()

    def _collect(self, part: TextMessage | BytesMessage) -> None:
        """Put messages together from their frames; one that is too large ends the connection."""
        if self._is_closing:
            return
        piece = part.data.encode() if isinstance(part, TextMessage) else bytes(part.data)
        self._size += len(piece)
        if self._size > self._largest:
            self._message.clear()
            self.close(CloseReason.MESSAGE_TOO_BIG, f"at most {self._largest} bytes (--max-body)")
            return
        if piece:  # there may be any number of empty ones
            self._message.append(piece)
        if part.message_finished:
            whole = b"".join(self._message)
            self._message.clear()
            self._size = 0
            self._session.receive(whole)

    def _send(self, message: bytes) -> None:
        self._write(TextMessage(data=message.decode()))

    def _write(self, event: Event) -> None:
        if self._transport.is_closing():
            return
        try:
            self._transport.write(self._wire.send(event))
        except LocalProtocolError:  # the connection has ended meanwhile
            self._transport.close()

    def _ping(self) -> None:
        self._silent += 1
        if self._silent > SILENT_PINGS:
            self._transport.abort()
            return
        self._write(Ping())
        self._later(PING_SECONDS, self._ping)

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, action)
