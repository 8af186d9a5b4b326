"""WebSocket connections: messages in and out, pings, and the closing handshake.

Over wsproto rather than in Quart, so that a WebSocket has the flow control and the session of IPC,
and so that the server answers its first subscription without loading Quart.
"""

from __future__ import annotations

import asyncio

from wsproto import ConnectionType, WSConnection, events
from wsproto.frame_protocol import CloseReason
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from devchain.chain.slices import QUICK
from devchain.server import limits
from devchain.server.router import NetworkService
from devchain.server.scheduler import Scheduler, Work, answer_in_slices
from devchain.server.session import MessageConnection, Session


class WebSocketConnection(MessageConnection):
    """One WebSocket, from its handshake on."""

    transport_name = "ws"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._protocol = WSConnection(ConnectionType.SERVER)
        self._message = bytearray()  # that has arrived in part
        self._is_closing = False

    def open(self, head: bytes, frames: bytes) -> None:
        """Answer the handshake; `frames` is what the client has sent behind it.

        Apart, because wsproto discards what follows the handshake in the same bytes.
        """
        self.set_timer(limits.PING_SECONDS, self._ping)
        try:
            self._protocol.receive_data(head)
            for event in self._protocol.events():
                self._process(event)
        except RemoteProtocolError as error:
            self._reject(error)
            return
        if frames:
            self.data_received(frames)

    def held_bytes(self) -> int:
        return super().held_bytes() + len(self._message)

    def work(self) -> Work:
        """Process one frame after the other, or the part of it that has arrived."""
        while True:
            data = yield from self.next_input()
            try:
                self._protocol.receive_data(data)
                for event in self._protocol.events():  # parses as it is iterated over
                    if (message := self._process(event)) is not None:
                        yield from self.answer(message)
                    yield QUICK
                    while self.is_write_paused:
                        yield None
            except RemoteProtocolError as error:
                self._reject(error)

    # Closing

    def shut_down(self) -> None:
        self.close(CloseReason.GOING_AWAY, "devchain stops")

    def drop(self, reason: str) -> None:
        self.close(CloseReason.POLICY_VIOLATION, reason)

    def close(self, code: CloseReason, reason: str = "") -> None:
        """Send a close frame; abort if the client does not answer it in time."""
        if self._is_closing:
            return
        self._is_closing = True
        self.end()
        self._send(events.CloseConnection(code=code, reason=reason))
        self.set_timer(limits.CLOSE_SECONDS, self.transport.abort)

    def _reject(self, error: RemoteProtocolError) -> None:
        self._is_closing = True
        self.end()
        if error.event_hint is not None:
            self._send(error.event_hint)
        self.transport.close()

    # Frames

    def _process(self, event: events.Event) -> bytes | None:
        # Returns a message that is complete.
        if isinstance(event, events.Request):
            self._send(events.AcceptConnection())
        elif isinstance(event, events.TextMessage | events.BytesMessage):
            return self._add_fragment(event)
        elif isinstance(event, events.Ping):
            self._send(event.response())
        elif isinstance(event, events.CloseConnection):
            if not self._is_closing:
                self._send(event.response())
            self._is_closing = True
            self.transport.close()
        return None

    def _add_fragment(self, fragment: events.TextMessage | events.BytesMessage) -> bytes | None:
        if self._is_closing:
            return None
        data = fragment.data.encode() if isinstance(fragment, events.TextMessage) else fragment.data
        self._message += data
        self.registry.note(len(data))
        if len(self._message) > self.max_message:
            text = f"at most {self.max_message} bytes (--max-body)"
            self.close(CloseReason.MESSAGE_TOO_BIG, text)
            return None
        if not fragment.message_finished:
            return None
        message, self._message = bytes(self._message), bytearray()
        return message

    def send_message(self, message: bytes, *, is_last: bool = True) -> None:
        self._send(events.TextMessage(data=message.decode(), message_finished=is_last))

    def _send(self, event: events.Event) -> None:
        try:
            self.write(self._protocol.send(event))
        except LocalProtocolError:  # the connection has ended meanwhile
            self.transport.close()

    def _ping(self) -> None:
        self._send(events.Ping())
        self.set_timer(limits.PING_SECONDS, self._ping)


class AppWebSocket(Session):
    """A WebSocket that another server than ours has accepted, by way of the Quart application."""

    transport_name = "ws"
    streams = False  # ASGI has no messages in pieces

    def __init__(self, service: NetworkService, scheduler: Scheduler, peer: str | None) -> None:
        self.peer = peer
        self.kept = 0
        self.scheduler = scheduler
        self.share = scheduler.share_of(peer)
        self._outgoing = asyncio.Queue[bytes | tuple[CloseReason, str]]()
        self._unsent = 0  # bytes of it
        self._has_room = asyncio.Event()
        self.begin(service)

    async def serve(self) -> None:
        tasks = [asyncio.create_task(self._receive()), asyncio.create_task(self._send())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.end()
            for task in tasks:
                task.cancel()

    async def _receive(self) -> None:
        from quart import websocket

        while True:
            message = await websocket.receive()
            text = message.encode() if isinstance(message, str) else message
            await answer_in_slices(self.scheduler, self.answer(text), self.peer)
            while self.is_write_paused:
                self._has_room.clear()
                await self._has_room.wait()

    async def _send(self) -> None:
        from quart import websocket

        while isinstance(message := await self._outgoing.get(), bytes):
            await websocket.send(message.decode())
            self._unsent -= len(message)
            if not self.is_write_paused:
                self._has_room.set()
                self.go_on()
        await websocket.close(*message)

    @property
    def is_write_paused(self) -> bool:
        return self._unsent > limits.LARGE_WRITE_BYTES

    def send_message(self, message: bytes) -> None:
        self._unsent += len(message)
        self._outgoing.put_nowait(message)

    def keep(self, size: int) -> None:
        self.kept += size

    def drop(self, reason: str) -> None:
        self.close(CloseReason.POLICY_VIOLATION, reason)

    def shut_down(self) -> None:
        self.close(CloseReason.GOING_AWAY, "devchain stops")

    def close(self, code: CloseReason, reason: str) -> None:
        self.end()
        self._outgoing.put_nowait((code, reason))
