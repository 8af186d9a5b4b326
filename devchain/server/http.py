"""HTTP/1.1 connections that carry JSON-RPC.

`HttpConnection` reads requests and answers them in order. A plain JSON-RPC `POST` goes straight to
the dispatcher of its network, in a tenth of the time that a web framework takes. A WebSocket
handshake makes the connection a `WebSocketConnection`. Everything else (CORS preflight, /health,
the explorer, refused methods) is a call of the Quart application through ASGI (`asgi`).

Why not hypercorn behind this connection, with the bytes of other requests relayed to it? It was
tried: hypercorn keeps the socket of a client that has gone for the rest of the keep-alive time, so
clients that connect anew for every request use up the file descriptors; half-closed connections
and errors below HTTP would have to be understood on both sides of the relay; and the client's
address would have to be carried past it. Calling the application is shorter than relaying to it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Generator
from typing import Any

from devchain.chain.slices import QUICK
from devchain.rpc.dispatch import RefusalBytes
from devchain.server import limits
from devchain.server.access_control import (
    JSON,
    Malformed,
    Refused,
    check_content_type,
    check_host,
    check_peer,
    cors_headers,
    incident_body,
    too_large,
    too_slow,
)
from devchain.server.asgi import AsgiCall, LazyApp
from devchain.server.connection import Connection, ConnectionRegistry
from devchain.server.events import refused_event
from devchain.server.http_messages import (
    RequestHead,
    date_line,
    header_lines,
    response_head,
    status_line,
)
from devchain.server.router import Router
from devchain.server.scheduler import Work

HEAD_END = b"\r\n\r\n"
LINE_END = b"\r\n"
_CONTENT_TYPE = b"content-type: %s\r\n" % JSON.encode()
_OK = b"HTTP/1.1 200 OK\r\n" + _CONTENT_TYPE
_METHOD = re.compile(rb"[A-Za-z]{1,32}(?: |\Z)")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})(?:[ \t]*;[^\x00\r\n]*)?")

Reading = Generator[Any, None, bytes]


class ConnectionEnded(Exception):
    """The client sends no more."""


class HttpConnection(Connection):
    """One HTTP connection.

    `heads` are those of plain requests that were accepted on any connection, by their bytes:
    clients send the same one with every call of the same length.
    """

    def __init__(
        self,
        router: Router,
        app: LazyApp,
        registry: ConnectionRegistry,
        heads: dict[bytes, RequestHead],
    ) -> None:
        super().__init__(registry, router.scheduler)
        self._router = router
        self._app = app
        self._heads = heads
        self._data = b""  # input that was taken
        self._start = 0  # of what was not read of it
        self._is_answering = self._is_stopping = False
        self._used_at = 0.0  # when the newest request began to arrive
        self._is_between = False  # two requests
        self._head: RequestHead | None = None  # of the request that is read
        self._body_until: float | None = None  # when a body has to have arrived

    # Callbacks of the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.scheduler.accept()
        self._used_at = self.scheduler.now()
        self._look_at_clock()

    def data_received(self, data: bytes) -> None:
        self._input.append(data)
        self._unread += len(data)
        if self._is_between and data in self._heads:
            # Many clients send the body apart: what would be done until then costs as much.
            self._is_between = False
            return
        self.scheduler.run(self.task)
        if self._unread:
            self.note_unread(len(data))

    def held_bytes(self) -> int:
        return super().held_bytes() + len(self._data)

    def shut_down(self) -> None:
        """Close after the answer that is under way, because the server stops."""
        self._is_stopping = True
        if not self._is_answering:
            self.transport.close()

    def _look_at_clock(self) -> None:
        # One timer for all requests: one for each would cost as much as its head.
        now = self.scheduler.now()
        is_idle = not self._is_answering and self._body_until is None
        if is_idle and now - self._used_at > limits.IDLE_SECONDS:
            self.transport.close()
        self.set_timer(limits.BODY_SECONDS / 4, self._look_at_clock)
        self.scheduler.run(self.task)

    # Requests

    def work(self) -> Work:
        keep_alive = True
        while keep_alive and not self._is_stopping:
            if self._start < len(self._data) or self._input:
                yield QUICK
            while not self.writable.is_set():
                yield None
            try:
                head, body = yield from self._read_request()
            except ConnectionEnded:
                break
            except Refused as refusal:
                is_answered = self._refuse(refusal) and (yield from self._skip_body())
                if not is_answered:
                    yield from self._linger()
                    break
                continue
            if head.is_websocket:
                self._become_websocket(head)
                return
            self._is_answering = True
            if head.service is None:
                keep_alive = yield from self._call_app(head, body)
            else:
                answer = yield from head.service.dispatcher.serve(body, self.peer, self.keep)
                self._answer(head, answer)
                keep_alive = head.keep_alive
                head.service.subscribers.notify()
            self._is_answering = False
            self.kept = 0
        self.transport.close()

    def _call_app(self, head: RequestHead, body: bytes) -> Generator[Any, None, bool]:
        call = AsgiCall(self, head, body)
        try:
            yield self._app.start(call)
        finally:
            call.disconnect()
        if call.error is not None:
            self._is_answering = not call.is_started
            raise call.error
        return call.keep_alive

    def _accept(self, head: RequestHead) -> None:
        # Decide how a request is answered, unless its head is known; raises `Refused`.
        config = self._router.config
        head.is_plain = not head.is_chunked and head.length <= config.max_body
        if head.authority:
            check_host(head.authority, config)
        is_upgrade = head.header(b"upgrade").lower() == "websocket"
        is_websocket = is_upgrade and head.method == "GET"
        if not is_websocket and head.method != "POST":
            return
        origin = head.header(b"origin") if b"origin" in head.headers else None
        try:
            self._router.check_headers(head.header(b"host"), [] if origin is None else [origin])
            service = self._router.route(head.path, self.peer, head.headers.get(b"user-agent"))
            if not is_websocket:
                check_content_type(head.header(b"content-type"))
        except Refused:
            if self._router.has_explorer_at(head.path):
                return  # a form of the explorer, or a path below it
            raise
        head.service, head.is_websocket = service, is_websocket
        extra = cors_headers(origin, config)
        if not head.keep_alive:
            extra["Connection"] = "close"
        head.extra_headers = header_lines(extra.items())
        is_repeatable = head.keep_alive and head.length and not head.expects_continue
        if is_repeatable and not is_websocket and len(head.data) <= limits.MAX_KNOWN_HEAD_BYTES:
            if len(self._heads) >= limits.MAX_KNOWN_HEADS:
                self._heads.clear()
            self._heads[head.data] = head

    # Reading

    def _read_request(self) -> Generator[Any, None, tuple[RequestHead, bytes]]:
        self._head = None
        if self._start == len(self._data):
            self._data, self._start = b"", 0
        while not (self._data or self._input or self.is_eof):
            self._is_between = True
            yield None
        self._is_between = False
        data = yield from self._read_until(HEAD_END, limits.MAX_HEAD_BYTES, is_head=True)
        self._used_at = self.scheduler.time
        self._head = head = self._heads.get(data)
        if head is None:
            self._head = head = RequestHead(data)
            self._accept(head)
        elif head.service is not None:
            check_peer(head.service.node.peers, self.peer)
        end = self._start + head.length
        if end <= len(self._data) and head.is_plain:
            body = self._data[self._start : end]
            self._start = end
            return head, body
        return head, (yield from self._read_body(head))

    def _read_until(self, end: bytes, limit: int, *, is_head: bool = False) -> Reading:
        # The next bytes up to an end, with it.
        while (place := self._data.find(end, self._start)) < 0:
            is_begun = is_head and self._start < len(self._data)
            if is_begun and not _METHOD.match(self._data, self._start):
                raise Malformed  # such as the first bytes of TLS
            if len(self._data) - self._start > limit:
                raise Malformed(431)
            if not self._input:
                yield from self._wait_for_input()
            self._take_more()
        start, self._start = self._start, place + len(end)
        if self._start - start > limit:
            raise Malformed(431)
        return self._data[start : self._start]

    def _wait_for_input(self) -> Generator[Any, None, None]:
        while not self._input:
            if self._body_until is not None and self.scheduler.time >= self._body_until:
                raise too_slow(limits.BODY_SECONDS)
            if self.is_eof:
                raise ConnectionEnded
            yield None

    def _take_more(self) -> None:
        data = self.take_input()
        if self._start < len(self._data):
            self.registry.note(len(data))
            data = self._data[self._start :] + data
        self._data = data
        self._start = 0

    def _read_body(self, head: RequestHead) -> Reading:
        if head.expects_continue and self._start == len(self._data):
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._body_until = self.scheduler.time + limits.BODY_SECONDS
        reading = self._read_chunks() if head.is_chunked else self._read_exactly(head.length)
        body = yield from reading
        self._body_until = None
        return body

    def _read_exactly(self, size: int) -> Reading:
        # In pieces until it is complete: many buffers that grow at the same time fragment the heap.
        self._check_size(size)
        pieces = []
        while True:
            piece = self._data[self._start : self._start + size]
            self._start += len(piece)
            pieces.append(piece)
            size -= len(piece)
            if not size:
                return b"".join(pieces)
            self.keep(len(piece))
            yield from self._wait_for_input()
            self._take_more()

    def _read_chunks(self) -> Reading:
        pieces, size, framing = [], 0, 0
        while True:
            line = yield from self._read_until(LINE_END, limits.MAX_HEAD_BYTES)
            match = _CHUNK_SIZE.fullmatch(line, 0, len(line) - len(LINE_END))
            if match is None:
                raise Malformed
            length = int(match[1], 16)
            size, framing = size + length, framing + len(line)
            self._check_size(max(size, framing - limits.MAX_HEAD_BYTES))
            if not length:
                break
            pieces.append((yield from self._read_exactly(length)))
            self.keep(length)
            if (yield from self._read_exactly(len(LINE_END))) != LINE_END:
                raise Malformed
            yield QUICK
        trailers = 0
        while (line := (yield from self._read_until(LINE_END, limits.MAX_HEAD_BYTES))) != LINE_END:
            trailers += len(line)
            if trailers > limits.MAX_HEAD_BYTES:
                raise Malformed(431)
            if b"\n" in line[: -len(LINE_END)]:  # which others may take for the end
                raise Malformed
        return b"".join(pieces)

    def _check_size(self, size: int) -> None:
        if size > self._router.config.max_body:
            raise too_large(self._router.config.max_body)

    def _skip_body(self) -> Generator[Any, None, bool]:
        # The rest of a request that was refused is never read as another one.
        assert self._head is not None  # noqa: S101  # without one the connection closes
        try:
            yield from self._read_body(self._head)
        except Refused:
            return False
        self.kept = 0
        return True

    # Answering

    def _answer(self, head: RequestHead, answer: bytes | None) -> None:
        if answer is None:
            self.write(b"HTTP/1.1 204 No Content\r\n" + head.extra_headers + b"\r\n")
            return
        length = b"content-length: %d\r\n\r\n" % len(answer)
        start = _OK
        if type(answer) is RefusalBytes:
            start = status_line(answer.status) + _CONTENT_TYPE
        date = date_line(int(self.scheduler.time))
        self.write(b"".join((start, head.extra_headers, date, length, answer)))

    def _refuse(self, refusal: Refused) -> bool:
        # Whether the connection may stay open.
        head = self._head
        if self._router.observe and not isinstance(refusal, Malformed):
            self._router.observe(refused_event(refusal.status, refusal.message))
        # A client that sent `Expect: 100-continue` may or may not send its body now.
        keep_alive = head is not None and head.keep_alive and not head.expects_continue
        headers = {"Content-Type": JSON, "Content-Length": str(len(refusal.body))}
        headers |= cors_headers(head.header(b"origin") if head else None, self._router.config)
        if not keep_alive:
            headers["Connection"] = "close"
        headers |= refusal.headers
        self.write(response_head(refusal.status, headers.items()) + refusal.body)
        return "Connection" not in headers

    def _linger(self) -> Work:
        # The kernel answers unread bytes by a reset, which would reach the client before the
        # answer.
        if not self.transport.is_closing():
            self.transport.write_eof()
        self.set_timer(limits.LINGER_SECONDS, self.transport.close)
        self._data = b""
        while not self.is_eof:
            self.take_input()
            yield None

    def fail(self, error: Exception) -> None:
        if not self._is_answering:
            super().fail(error)
            return
        body = incident_body(error)
        headers = {"Content-Type": JSON, "Connection": "close", "Content-Length": str(len(body))}
        self.write(response_head(500, headers.items()) + body)
        self.transport.close()

    def _become_websocket(self, head: RequestHead) -> None:
        from devchain.server.websocket import WebSocketConnection

        service = head.service
        assert service is not None  # noqa: S101  # it was routed
        self.registry.remove(self)
        self.set_timer(None)
        rest = self._data[self._start :] + self.take_input()
        max_message = self._router.config.max_body
        websocket = WebSocketConnection(
            service.new_session, max_message, self.registry, self.scheduler
        )
        self.transport.set_protocol(websocket)
        websocket.connection_made(self.transport)
        websocket.open(head.data, rest)
