"""HTTP/1.1 connections that carry JSON-RPC, over httptools, the parser that uvicorn uses.

`HttpConnection` reads requests and answers them in order. A plain JSON-RPC `POST` goes straight to
the dispatcher of its network, in a tenth of the time that a web framework takes. A WebSocket
handshake makes the connection a `WebSocketConnection`. Everything else (CORS preflight, /health,
other methods, long or slow bodies) is a call of the Quart application through ASGI (`asgi`).

Why not hypercorn behind this connection, with the bytes of other requests relayed to it? It was
tried: hypercorn keeps the socket of a client that has gone for the rest of the keep-alive time, so
clients that connect anew for every request use up the file descriptors; half-closed connections
and errors below HTTP would have to be understood on both sides of the relay; and the client's
address would have to be carried past it. Calling the application is shorter than relaying to it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import replace

from httptools import (
    HttpParserError,
    HttpParserInvalidMethodError,
    HttpParserUpgrade,
    HttpRequestParser,
)

from devchain.chain.slices import QUICK, SLOW
from devchain.rpc.dispatch import RefusalBytes
from devchain.server import limits
from devchain.server.access_control import (
    JSON,
    Malformed,
    Refused,
    check_content_type,
    check_host,
    cors_headers,
    incident_body,
    wrong_method,
)
from devchain.server.asgi import AsgiCall, LazyApp
from devchain.server.connection import Connection, ConnectionRegistry
from devchain.server.events import refused_event
from devchain.server.http_messages import (
    BodyReader,
    HttpRequest,
    KnownHead,
    KnownHeads,
    date_line,
    header_lines,
    response_head,
    status_line,
)
from devchain.server.router import NetworkService, Router
from devchain.server.scheduler import Steps

_CONTENT_TYPE = b"content-type: %s\r\n" % JSON.encode()
_OK = b"HTTP/1.1 200 OK\r\n" + _CONTENT_TYPE
_MAX_LENGTH_DIGITS = 12
_HEAD_END = b"\r\n\r\n"
MANY_HEADS = 4
"""Input with more heads than this is parsed in smaller pieces."""


class HttpConnection(Connection):
    """One HTTP connection: it parses what arrives and answers one request after the other."""

    def __init__(
        self, router: Router, app: LazyApp, registry: ConnectionRegistry, heads: KnownHeads
    ) -> None:
        super().__init__(registry, router.scheduler)
        self._router = router
        self._app = app
        self._heads = heads
        self._parser = HttpRequestParser(self)
        # What is being parsed
        self._target = b""
        self._fields: list[tuple[bytes, bytes]] = []
        self._head_size = 0
        self._in_head = False
        self._parsed_count = 0
        self._incoming: HttpRequest | None = None  # its body has not arrived in full
        self._is_parsing = True  # False after what is not HTTP, and after an upgrade
        self._input: deque[bytes] = deque()  # not parsed yet
        self._early_head: KnownHead | None = None  # its body is to follow
        # What is being answered
        self._requests: deque[HttpRequest] = deque()
        self._current: HttpRequest | None = None
        self._steps: Steps | None = None  # of the current request, if it is plain
        self._max_direct_body = min(limits.MAX_DIRECT_BODY_BYTES, router.config.max_body)
        self._is_idle = self._is_eof = self._is_stopping = False
        self._body_timer: asyncio.TimerHandle | None = None
        self._early_timer: asyncio.TimerHandle | None = None
        self._linger_timer: asyncio.TimerHandle | None = None

    # Callbacks of the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the idle timer."""
        super().connection_made(transport)
        self._turns.accept()
        loop = asyncio.get_running_loop()
        self._idle_timer = loop.call_later(limits.IDLE_SECONDS, self._close_if_idle)

    def data_received(self, data: bytes) -> None:
        """Take input; it is parsed and answered in the connection's turns."""
        self._is_idle = False
        known = self._early_head
        if known is None:
            if self._take_repeated(data):
                return
        else:
            self._early_head = None
            if len(data) == known.size and self._begin(known, data):
                return
            self._input.append(known.head)  # its body comes in pieces, or with another request
        self._input.append(data)
        self.take_input(len(data))

    def note_write(self, size: int) -> None:
        """Count a large answer, for which nothing else is kept then."""
        self.release()
        super().note_write(size)

    def held_bytes(self) -> int:
        """How much memory the connection holds: input, a body that is read, unsent answers."""
        held = super().held_bytes() + sum(map(len, self._input))
        if self._current is not None:
            held += self._current.size + min(self._current.taken, self._router.config.max_body)
        return held

    def eof_received(self) -> bool:
        """The client sends no more; the connection stays until it has its answers."""
        self._is_eof = True
        if self._incoming is not None and self._incoming.call is not None:
            self._incoming.call.disconnect()  # its body will never be complete
        return self._has_work()

    def connection_lost(self, error: Exception | None) -> None:
        """Stop the timers and the answer under way, and disconnect the call of the application."""
        super().connection_lost(error)
        self._steps = None
        self.is_slow = False
        self._stop_timers()
        if self._current is not None and self._current.call is not None:
            self._current.call.disconnect()

    def shut_down(self) -> None:
        """Close after the answer that is under way, because the server stops."""
        self._is_stopping = True
        if self._current is None:
            self.transport.close()

    def _close_if_idle(self) -> None:
        if self._is_idle and self._current is None:
            self.transport.close()
            return
        self._is_idle = True
        loop = asyncio.get_running_loop()
        self._idle_timer = loop.call_later(limits.IDLE_SECONDS, self._close_if_idle)

    def _stop_timers(self) -> None:
        self._idle_timer.cancel()
        if self._linger_timer is not None:
            self._linger_timer.cancel()
        if self._early_timer is not None:
            self._early_timer.cancel()
        self._stop_body_timer()

    # Slices

    def step(self) -> bool:
        """Parse a piece of the input, and do a step of the current request or begin the next."""
        if self._steps is None:
            if self.flow.is_write_paused or self.transport.is_closing():
                return False
            is_parsed = self.has_input and self._parse_next()
            is_started = self._start_next()
            if self._steps is None:
                if self._is_eof and not self._has_work():
                    self.transport.close()
                return is_parsed or is_started
        try:
            turn = next(self._steps)
        except StopIteration as end:
            self._steps = None
            self.is_slow = False
            self._answer(end.value)
        except Exception as error:  # noqa: BLE001  # a bug: the client gets its number
            self._steps = None
            self.is_slow = False
            self.fail(error)
        else:
            self.is_slow = turn is SLOW
            if turn is not QUICK and turn is not SLOW:
                self._turns.wait(self, turn)
                return False
            return True
        return self.has_input or bool(self._requests)

    # Parsing

    def _take_repeated(self, data: bytes) -> bool:
        # A client sends the same head with every call of the same length, so that most requests
        # need neither be parsed nor checked again. Many clients send head and body one after the
        # other, as Python's `http.client` does: the head then is only noted until the body is
        # there.
        if (
            self._current is not None
            or self._requests
            or self._in_head
            or self._incoming is not None
            or self.has_input
            or self.flow.is_write_paused
            or not self._is_parsing
        ):
            return False
        body_start = data.find(_HEAD_END) + len(_HEAD_END)
        known = self._heads.get(data[:body_start])
        if known is None:
            return False
        size = len(data) - body_start
        if size == known.size:
            return self._begin(known, data[body_start:])
        return not size and self._await_body(known)

    def _begin(self, known: KnownHead, body: bytes) -> bool:
        # Begin a request with a known head, unless the client was banned meanwhile.
        service = known.service
        if service.node.peers.refuses(self.peer):
            return False
        self._current = known.request
        self._steps = service.dispatcher.serve(body, self.peer, self.keep)
        self._turns.run(self)
        return True

    def _await_body(self, known: KnownHead) -> bool:
        # A timer for each would cost more than the head: one that runs is left for the heads after
        # it. It may end early for one of them, which is then parsed and waits as any other.
        self._early_head = known
        if self._early_timer is None:
            loop = asyncio.get_running_loop()
            self._early_timer = loop.call_later(limits.DIRECT_BODY_SECONDS, self._parse_early_head)
        return True

    def _parse_early_head(self) -> None:
        self._early_timer = None
        if self._early_head is not None:
            head = self._early_head.head
            self._early_head = None
            self._input.append(head)
            self.take_input(len(head))

    def _parse_next(self) -> bool:
        # Parse a piece of the input, unless enough requests wait; whether there was one.
        if not self._is_parsing and not self._is_upgrading:
            self._input.clear()  # what follows bytes that are not HTTP
        may_parse = len(self._requests) < limits.MAX_PARSED_REQUESTS and not self.flow.is_full
        if not self._input or not self._is_parsing or not may_parse:
            self.has_input = bool(self._input)
            return False
        data = self._input.popleft()
        if len(data) > limits.CAREFUL_PARSE_BYTES:
            data = self._first_piece(data)
        self.has_input = bool(self._input)
        self._parse(data)
        return True

    def _first_piece(self, data: bytes) -> bytes:
        size = limits.PARSE_BYTES
        if self._incoming is not None:
            size = max(size, self._incoming.missing)
        if len(data) > size:
            self._input.appendleft(data[size:])
            data = data[:size]
        if size == limits.PARSE_BYTES and data.count(_HEAD_END) > MANY_HEADS:
            self._input.extendleft(_pieces(data, limits.CAREFUL_PARSE_BYTES))
            data = self._input.popleft()
        return data

    def _parse(self, data: bytes) -> None:
        is_start = not self._in_head and self._incoming is None
        if is_start and data[0] in b"\r\n":
            self._reject_malformed(Malformed())  # httptools would skip empty lines
            return
        count = self._parsed_count
        self._head_size += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade as upgrade:
            self._process_upgrade(data[upgrade.args[0] :])
        except HttpParserInvalidMethodError:
            method = data.partition(b" ")[0]
            is_first = is_start and self._parsed_count <= count + 1
            is_method = is_first and method.isalpha() and method.isascii()
            self._reject_malformed(wrong_method(method.decode(), "/") if is_method else Malformed())
        except HttpParserError:
            self._reject_malformed(Malformed())
        if is_start and self._parsed_count == count + 1 and self._requests:
            self._remember(self._requests[-1], data)
        if self._in_head:
            if self._head_size > limits.MAX_HEAD_BYTES + limits.PARSE_BYTES:
                self._reject_malformed(Malformed(431))
        elif self._incoming is not None:
            self._incoming.framing += len(data)
            if self._incoming.framing > limits.MAX_HEAD_BYTES + self._router.config.max_body:
                self._reject_malformed(Malformed(431))

    def _remember(self, request: HttpRequest, data: bytes) -> None:
        # The body has come with it in full, or its first byte is still to come. One in chunks,
        # which has no length before, is more than `size` and less than `missing`.
        body_start = data.find(_HEAD_END) + len(_HEAD_END)
        is_whole = request.is_complete and body_start + request.size == len(data)
        is_alone = body_start == len(data) and request.missing > 0
        service = request.service
        if request.kind == "direct" and service and request.keep_alive and (is_whole or is_alone):
            size = request.size or request.missing
            again = replace(request, chunks=[], missing=0, taken=size, size=0, is_complete=True)
            self._heads.add(KnownHead(data[:body_start], again, service, size))

    def on_message_begin(self) -> None:
        """httptools: the first byte of a request."""
        self._parsed_count += 1
        self._target = b""
        self._fields = []
        self._in_head = True

    def on_url(self, target: bytes) -> None:
        """httptools: all or a part of the request's target."""
        self._target += target

    def on_header(self, name: bytes, value: bytes) -> None:
        """httptools: one header, or a trailer behind a chunked body."""
        if self._in_head:
            self._fields.append((name, value))

    def on_headers_complete(self) -> None:
        """httptools: the head is complete. Decide how the request is answered."""
        parser = self._parser
        version = parser.get_http_version()
        keep_alive = parser.should_keep_alive() and version == "1.1"
        request = HttpRequest(parser.get_method(), self._target, self._fields, version, keep_alive)
        self._in_head = False
        self._incoming = request
        self._requests.append(request)
        self.flow.add(limits.WAITING_OVERHEAD_BYTES)
        self._classify(request)

    def on_body(self, chunk: bytes) -> None:
        """httptools: a part of the body."""
        request = self._incoming
        if request is None:
            return
        request.framing -= len(chunk)
        request.missing -= len(chunk)
        if request.is_answered:
            return
        request.chunks.append(chunk)
        request.size += len(chunk)
        if request.call is not None:
            self._wake_if_needed(request, request.call)
            return
        self.flow.add(len(chunk))
        if request.kind == "direct" and request.size > self._max_direct_body:
            request.kind = "app"  # chunked: its length was not known before

    def _wake_if_needed(self, request: HttpRequest, call: BodyReader) -> None:
        is_too_large = request.taken + request.size > self._router.config.max_body
        if is_too_large and request.size >= min(
            limits.BODY_PIECE_BYTES, self._router.config.max_body
        ):
            call.wake()

    def on_message_complete(self) -> None:
        """httptools: the request is complete."""
        request = self._incoming
        self._incoming = None
        self._head_size = 0
        self._stop_body_timer()
        if request is not None:
            request.is_complete = True
            if request.call is not None:
                request.call.wake()

    def _classify(self, request: HttpRequest) -> None:
        headers = request.headers()
        try:
            if self._head_size > limits.MAX_HEAD_BYTES:
                request.check_size()
            request.check_head(headers)
            if request.authority:
                check_host(request.authority, self._router.config)
            is_websocket = (
                request.method == b"GET" and headers.get(b"upgrade", b"").lower() == b"websocket"
            )
            path = request.path
            if not is_websocket and request.method != b"POST":
                return
            origin = headers[b"origin"].decode("latin-1") if b"origin" in headers else None
            host = headers.get(b"host", b"").decode("latin-1")
            self._router.check_headers(host, [] if origin is None else [origin])
            agent = headers.get(b"user-agent", b"")
            request.service = self._router.route(path, self.peer, agent)
            if is_websocket:
                request.kind = "websocket"
                return
            check_content_type(headers.get(b"content-type", b"").decode("latin-1"))
        except Refused as refusal:
            self._refuse_or_pass(request, refusal)
            return
        length = headers.get(b"content-length", b"0")
        if len(length) > _MAX_LENGTH_DIGITS:
            return
        request.missing = int(length)
        if b"expect" in headers:
            return
        if int(length) <= self._max_direct_body:
            request.kind = "direct"
            extra = cors_headers(origin, self._router.config)
            if not request.keep_alive:
                extra["Connection"] = "close"
            request.extra_headers = header_lines(extra.items())

    def _refuse_or_pass(self, request: HttpRequest, refusal: Refused) -> None:
        # Refuse a request, unless it is a form of the explorer, which the application takes.
        if isinstance(refusal, Malformed) or not self._router.has_explorer_at(request.path):
            request.kind, request.refusal = "refused", refusal

    def _process_upgrade(self, rest: bytes) -> None:
        request = self._requests[-1]
        if request.kind == "websocket":
            self._is_parsing = False
            self._input.appendleft(rest)
        elif request.method == b"CONNECT":
            self._requests.pop()
            self._reject_malformed(wrong_method("CONNECT", "/"))
        elif request.kind == "refused":
            self._is_parsing = request.keep_alive = False
        else:
            self._requests.pop()
            self.flow.remove(limits.WAITING_OVERHEAD_BYTES)
            self._parser = HttpRequestParser(self)
            head = request.head_bytes(without=(b"upgrade", b"http2-settings"))
            self._input.appendleft(head + rest)
            self.has_input = True

    def _reject_malformed(self, refusal: Refused) -> None:
        self._is_parsing = self._in_head = False
        if self._incoming is not None:
            if self._incoming.call is not None:
                self._incoming.call.disconnect()
            elif self._requests and self._requests[-1] is self._incoming:
                self._requests.pop()
            self._incoming = None
        broken = HttpRequest(b"", b"", [], "1.1", keep_alive=False, kind="refused", refusal=refusal)
        broken.is_complete = True
        self._requests.append(broken)
        self.flow.add(limits.WAITING_OVERHEAD_BYTES)

    # Answering

    @property
    def _is_upgrading(self) -> bool:
        return bool(self._requests) and self._requests[-1].kind == "websocket"

    def _has_work(self) -> bool:
        is_waiting = self._current is not None or self.has_input
        return is_waiting or any(each.is_complete for each in self._requests)

    def _start_next(self) -> bool:
        if self._current is not None or not self._requests:
            return False
        request = self._requests[0]
        if request.kind == "direct" and not request.is_complete:
            if self._body_timer is None:
                loop = asyncio.get_running_loop()
                self._body_timer = loop.call_later(
                    limits.DIRECT_BODY_SECONDS, self._pass_to_app, request
                )
            return False
        self._requests.popleft()
        self._current = request
        self.flow.remove(limits.WAITING_OVERHEAD_BYTES)
        if request.kind == "direct" and request.service is not None:
            body = self.take_body(request)
            self._steps = request.service.dispatcher.serve(body, self.peer, self.keep)
        elif request.kind == "websocket" and request.service is not None:
            self._become_websocket(request, request.service)
            return False
        elif request.refusal is not None:
            self._refuse(request, request.refusal)
        else:
            self.flow.remove(request.size)  # it is read up to its own limit
            request.call = AsgiCall(self, request)
            self._app.start(request.call)
        return True

    def _pass_to_app(self, request: HttpRequest) -> None:
        self._body_timer = None
        request.kind = "app"
        self._turns.run(self)

    def _stop_body_timer(self) -> None:
        if self._body_timer is not None:
            self._body_timer.cancel()
            self._body_timer = None

    def _answer(self, answer: bytes | None) -> None:
        request = self._current
        assert request is not None  # noqa: S101  # it is being answered
        if answer is None:
            self.write(b"HTTP/1.1 204 No Content\r\n" + request.extra_headers + b"\r\n")
        else:
            length = b"content-length: %d\r\n\r\n" % len(answer)
            start = _OK
            if type(answer) is RefusalBytes:
                start = status_line(answer.status) + _CONTENT_TYPE
            date = date_line(int(self._turns.time))
            self.write(b"".join((start, request.extra_headers, date, length, answer)))
        if request.service is not None:
            request.service.subscribers.notify()
        self.finish(keep_alive=request.keep_alive)

    def fail(self, error: Exception, *, is_started: bool = False) -> None:
        """Respond with 500 to a request that hit a bug, unless the response has begun; close."""
        if self._current is None:
            super().fail(error)
            return
        body = incident_body(error)
        if not is_started:
            headers = {"Content-Type": JSON, "Connection": "close"}
            self.write(response_head(500, headers, len(body)) + body)
        self.finish(keep_alive=False)

    def _refuse(self, request: HttpRequest, refusal: Refused) -> None:
        if self._router.observe and not isinstance(refusal, Malformed):
            self._router.observe(refused_event(refusal.status, refusal.message))
        headers = request.headers()
        # A client that sent `Expect: 100-continue` may or may not send its body now.
        is_body_uncertain = b"expect" in headers and not request.is_complete
        keep_alive = (
            request.keep_alive and "Connection" not in refusal.headers and not is_body_uncertain
        )
        origin = headers.get(b"origin", b"").decode("latin-1")
        answered = {
            "Content-Type": JSON,
            **cors_headers(origin, self._router.config),
            **({} if keep_alive else {"Connection": "close"}),
            **refusal.headers,
        }
        self.write(response_head(refusal.status, answered, len(refusal.body)) + refusal.body)
        self.finish(keep_alive=keep_alive)

    def take_body(self, request: HttpRequest) -> bytes:
        """The part of a request's body that has arrived and was not taken yet."""
        if request.call is None:
            self.flow.remove(request.size)
        request.taken += request.size
        request.size = 0
        body = b"".join(request.chunks)
        request.chunks.clear()
        if self.has_input:  # it fits in the limits now
            self._turns.run(self)
        return body

    def finish(self, *, keep_alive: bool) -> None:
        """Finish the current request; continue with the next, or close."""
        request = self._current
        self._current = None
        self._kept = 0  # as `release`
        if request is not None and not request.is_complete:
            request.is_answered = True  # what is still to come of the body is discarded
            self.take_body(request)
        if not (keep_alive or self._is_parsing or self._is_eof or self._is_stopping):
            self._close_when_read()
        elif self._is_stopping or not keep_alive or (self._is_eof and not self._has_work()):
            self.transport.close()
        elif self._requests or self.has_input:
            self._turns.run(self)

    def _close_when_read(self) -> None:
        # The kernel answers unread bytes by a reset, which would reach the client before the
        # answer.
        self.transport.write_eof()
        loop = asyncio.get_running_loop()
        self._linger_timer = loop.call_later(limits.LINGER_SECONDS, self.transport.close)

    def _become_websocket(self, request: HttpRequest, service: NetworkService) -> None:
        from devchain.server.websocket import WebSocketConnection

        self._registry.remove(self)
        self._stop_timers()
        if self.flow.is_paused:
            self.transport.resume_reading()
        max_message = self._router.config.max_body
        protocol = WebSocketConnection(
            service.new_session, max_message, self._registry, self._turns
        )
        self.transport.set_protocol(protocol)
        protocol.connection_made(self.transport)
        protocol.open(request.head_bytes(), b"".join(self._input))
        self._input.clear()
        self.has_input = False


def _pieces(data: bytes, size: int) -> list[bytes]:
    return [data[place : place + size] for place in range(0, len(data), size)][::-1]
