"""HTTP/1.1 connections that carry JSON-RPC.

`HttpConnection` answers requests in order: a plain JSON-RPC `POST` by the dispatcher of its
network, all else (CORS preflight, /health, the explorer, refused methods) by a call of the Quart
application (`asgi`). A WebSocket handshake makes it a `WebSocketConnection`.

The heads of plain requests are remembered by their bytes: clients send the same one with every call
of the same length, and parsing it takes 28 µs of CPU where the rest of a small request takes 19.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Generator
from typing import Any

from devchain.chain.slices import QUICK
from devchain.rpc.dispatch import RefusalBytes
from devchain.rpc.json_codec import StreamedJson
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
from devchain.server.connection import Connection, ConnectionRegistry, Reading
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


class ConnectionEnded(Exception):
    """The client sends no more."""


class HttpConnection(Connection):
    """One HTTP connection; `heads` are those of plain requests accepted on any connection."""

    def __init__(
        self,
        router: Router,
        app: LazyApp,
        registry: ConnectionRegistry,
        heads: dict[bytes, RequestHead],
    ) -> None:
        super().__init__(registry)
        self._router = router
        self._app = app
        self._heads = heads
        self._data = b""  # input that was taken
        self._start = 0  # of what was not read of it
        self._is_answering = self._is_stopping = False
        self._used_at = 0.0  # when the newest request began to arrive, or the client has read
        self._unsent = 0  # bytes, when that was looked at
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
        if self._is_between and data in self._heads:
            # Many clients send the body apart: what would be done until then costs as much.
            self._input.append(data)
            self._unread += len(data)
            self._is_between = False
            return
        super().data_received(data)

    def held_bytes(self) -> int:
        return super().held_bytes() + len(self._data)

    def shut_down(self) -> None:
        """Close after the answer that is under way, because the server stops."""
        self._is_stopping = True
        if not self._is_answering:
            self.transport.close()

    def _look_at_clock(self) -> None:
        # One timer for all requests: one for each would cost as much as its head.
        now, unsent = self.scheduler.now(), self.transport.get_write_buffer_size()
        if unsent != self._unsent:  # the client reads
            self._unsent, self._used_at = unsent, now
        is_idle = self._body_until is None and (self.is_write_paused or not self._is_answering)
        if is_idle and now - self._used_at > limits.IDLE_SECONDS:
            (self.transport.abort if unsent else self.transport.close)()
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
                yield from self._refuse(refusal)
                break
            if head.is_websocket:
                self._become_websocket(head)
                return
            self._is_answering = True
            if head.service is None:
                call = AsgiCall(self, head, body)
                try:
                    yield self._app.start(call)
                finally:
                    call.disconnect()
                if call.error is not None:
                    raise call.error
                keep_alive = call.keep_alive
            else:
                answer = yield from head.service.dispatcher.serve(body, self.peer, self.keep)
                if isinstance(answer, StreamedJson):
                    yield from self._answer_in_pieces(head, answer)
                else:
                    self._answer(head, answer)
                keep_alive = head.keep_alive
                head.service.notify()
            self._is_answering = False
            self.kept = 0
        self.transport.close()

    def _accept(self, head: RequestHead) -> None:
        # Decide how a request is answered, unless its head is known; raises `Refused`.
        config = self._router.config
        head.is_plain = not head.is_chunked and head.length <= config.max_body
        if head.authority:
            check_host(head.authority, config)
        is_websocket = head.header(b"upgrade").lower() == "websocket" and head.method == "GET"
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
        if is_repeatable and not is_websocket:
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
        data = yield from self._read_until(HEAD_END, is_head=True)
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
        if head.expects_continue and self._start == len(self._data):
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._body_until = self.scheduler.time + limits.BODY_SECONDS
        reading = self._read_chunks() if head.is_chunked else self._read_exactly(head.length)
        body = yield from reading
        self._body_until = None
        return head, body

    def _read_until(self, end: bytes, *, is_head: bool = False) -> Reading:
        # The next bytes up to an end, with it.
        while (place := self._data.find(end, self._start)) < 0:
            is_begun = is_head and self._start < len(self._data)
            if is_begun and not _METHOD.match(self._data, self._start):
                raise Malformed  # such as the first bytes of TLS
            if len(self._data) - self._start > limits.MAX_HEAD_BYTES:
                raise Malformed(431)
            yield from self._read_more()
        start, self._start = self._start, place + len(end)
        if self._start - start > limits.MAX_HEAD_BYTES:
            raise Malformed(431)
        return self._data[start : self._start]

    def _read_more(self) -> Generator[Any, None, None]:
        while not self._input:
            if self._body_until is not None and self.scheduler.time >= self._body_until:
                raise too_slow(limits.BODY_SECONDS)
            if self.is_eof:
                raise ConnectionEnded
            yield None
        data = self.take_input()
        if self._start < len(self._data):
            self.registry.note(len(data))
            data = self._data[self._start :] + data
        self._data, self._start = data, 0

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
            yield from self._read_more()

    def _read_chunks(self) -> Reading:
        pieces, size, framing = [], 0, 0
        while True:
            line = yield from self._read_until(LINE_END)
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
        while (line := (yield from self._read_until(LINE_END))) != LINE_END:
            trailers += len(line)
            if trailers > limits.MAX_HEAD_BYTES:
                raise Malformed(431)
            if b"\n" in line[: -len(LINE_END)]:  # which others may take for the end
                raise Malformed
        return b"".join(pieces)

    def _check_size(self, size: int) -> None:
        if size > self._router.config.max_body:
            raise too_large(self._router.config.max_body)

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

    def _answer_in_pieces(self, head: RequestHead, answer: StreamedJson) -> Work:
        # In chunks; HTTP/1.0 has none, and the end of the connection is that of the answer.
        is_chunked = head.version == "1.1"
        coding = b"transfer-encoding: chunked\r\n\r\n" if is_chunked else LINE_END
        date = date_line(int(self.scheduler.time))
        self.write(b"".join((_OK, head.extra_headers, date, coding)))

        def write_chunk(piece: bytes) -> None:
            self.write(b"%x\r\n%b\r\n" % (len(piece), piece) if is_chunked else piece)

        yield from self.write_pieces(answer.pieces, write_chunk)
        if is_chunked:
            self.write(b"0\r\n\r\n")

    def _refuse(self, refusal: Refused) -> Work:
        # The rest of the request is read for a while: the kernel answers unread bytes by a reset,
        # which would reach the client before the answer.
        if self._router.observe and not isinstance(refusal, Malformed):
            self._router.observe(refused_event(refusal.status, refusal.message))
        origin = self._head.header(b"origin") if self._head else None
        headers = {**cors_headers(origin, self._router.config), **refusal.headers}
        self._write_last(refusal.status, headers, refusal.body)
        if not self.transport.is_closing():
            self.transport.write_eof()
        self.set_timer(limits.LINGER_SECONDS, self.transport.close)
        self._data = b""
        while not self.is_eof:
            self.take_input()
            yield None

    def _write_last(self, status: int, headers: dict[str, str], body: bytes) -> None:
        length = {"Content-Type": JSON, "Content-Length": str(len(body)), "Connection": "close"}
        self.write(response_head(status, {**length, **headers}.items()) + body)

    def fail(self, error: Exception) -> None:
        self._write_last(500, {}, incident_body(error))
        self.transport.close()

    def _become_websocket(self, head: RequestHead) -> None:
        from devchain.server.websocket import WebSocketConnection

        assert head.service is not None  # noqa: S101  # it was routed
        self.registry.remove(self)
        self.set_timer(None)
        rest = self._data[self._start :] + self.take_input()
        websocket = WebSocketConnection(head.service, self.registry)
        self.transport.set_protocol(websocket)
        websocket.connection_made(self.transport)
        websocket.open(head.data, rest)
