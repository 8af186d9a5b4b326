"""Calls of the Quart application through ASGI, for HTTP requests that are no plain JSON-RPC.

ASGI (https://asgi.readthedocs.io) is the interface between servers and applications in Python.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from devchain.server import limits
from devchain.server.http_messages import (
    HttpRequest,
    ResponseConnection,
    date_line,
    status_line,
)
from devchain.server.scheduler import KEEP

if TYPE_CHECKING:
    from quart import Quart

    from devchain.server.router import Router


class LazyApp:
    """The Quart application, loaded by the first request that needs it.

    Importing Quart takes half a second, and a node that answers plain JSON-RPC never needs it.
    """

    def __init__(self, router: Router) -> None:
        self._router = router
        self._loading: asyncio.Future[Quart] | None = None
        self._calls: set[asyncio.Task[None]] = set()
        self._waiting: deque[AsgiCall] = deque()
        self._rounds = 0

    def start(self, call: AsgiCall) -> None:
        """Begin to answer a request, soon: one of them in each round of the event loop."""
        self._waiting.append(call)
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self._start_some)

    def _start_some(self) -> None:
        if not self._waiting:  # the server stops
            return
        loop = asyncio.get_running_loop()
        self._rounds += 1
        if self._rounds % limits.ACCEPTS_PER_START == 0 or not self._router.scheduler.is_accepting:
            task = loop.create_task(self._run(self._waiting.popleft()))
            self._calls.add(task)
            task.add_done_callback(self._calls.discard)
        if self._waiting:
            loop.call_soon(self._start_some)

    async def _run(self, call: AsgiCall) -> None:
        if self._loading is None:
            self._loading = asyncio.ensure_future(self._load())
        try:
            app = await asyncio.shield(self._loading)
            await app(call.scope(), call.receive, call.send)  # type: ignore[arg-type]  # hypercorn's TypedDicts
        except Exception as error:  # noqa: BLE001  # a bug: status 500
            call.fail(error)
        else:
            call.end()

    async def _load(self) -> Quart:
        from devchain.server.app import quart_app

        app = quart_app(self._router)
        await app.startup()
        return app

    async def close(self) -> None:
        """End the calls under way and shut the application down.

        Their connections are closed, so that they end by themselves, and with them the tasks that
        Quart has begun. These would go on if a call was cancelled at once.
        """
        self._waiting.clear()
        if self._calls:
            await asyncio.wait(self._calls, timeout=limits.CALL_END_SECONDS)
        for call in self._calls:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
        if self._loading is not None:
            with suppress(Exception):  # calls have reported why it could not be loaded
                await (await self._loading).shutdown()


class AsgiCall:
    """One request to the application: its scope, and what it receives and sends."""

    def __init__(self, connection: ResponseConnection, request: HttpRequest) -> None:
        self._connection = connection
        self._request = request
        self._arrived = asyncio.Event()  # more of the body, or the end of the connection
        self._is_body_received = self._is_disconnected = self._is_piece_full = False
        self._is_started = self._is_ended = False
        self._has_body = True
        self._awaits_continue = request.headers().get(b"expect", b"").lower() == b"100-continue"
        self._status = 0
        self._headers: list[tuple[bytes, bytes]] = []
        self._is_chunked = False
        self._keep_alive = request.keep_alive

    def scope(self) -> dict[str, Any]:
        """The connection scope that ASGI defines for HTTP."""
        request, transport = self._request, self._connection.transport
        target, _, query = request.target.partition(b"?")
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": request.version,
            "method": request.method.decode(),
            "scheme": "http",
            "path": request.path,
            "raw_path": target,
            "query_string": query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.fields],
            "client": _host_and_port(transport.get_extra_info("peername")),
            "server": _host_and_port(transport.get_extra_info("sockname")),
            "extensions": {},
            KEEP: self._connection.keep,
        }

    def wake(self) -> None:
        """Let `receive` return the part of the body that has arrived."""
        self._is_piece_full = True
        self._arrived.set()

    def disconnect(self) -> None:
        """Let `receive` report that the client has disconnected."""
        self._is_disconnected = True
        self._arrived.set()

    async def receive(self) -> dict[str, Any]:
        """The body, in pieces if it is too large, or the end of the connection."""
        request = self._request
        if self._awaits_continue:
            self._connection.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            self._awaits_continue = False
        while not self._is_disconnected:
            has_part = request.is_complete or (self._is_piece_full and request.chunks)
            if not self._is_body_received and has_part:
                self._is_body_received = request.is_complete
                self._is_piece_full = False
                body = self._connection.take_body(request)
                return {"type": "http.request", "body": body, "more_body": not request.is_complete}
            self._arrived.clear()
            await self._arrived.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Mapping[str, Any]) -> None:
        """Write the start of the response, or a part of its body."""
        if self._is_ended or self._is_disconnected:
            return
        if message["type"] == "http.response.start":
            self._status, self._headers = message["status"], list(message["headers"])
            return
        head = b"" if self._is_started else self._response_head()
        self._send_body(head, message.get("body", b""), is_last=not message.get("more_body", False))
        await self._connection.flow.wait_until_writable()

    def _response_head(self) -> bytes:
        self._is_started = True
        names = {name for name, _ in self._headers}
        self._has_body = self._request.method != b"HEAD" and self._status not in {204, 304}
        if self._has_body and b"content-length" not in names:
            self._is_chunked = self._request.version == "1.1"
            self._keep_alive &= self._is_chunked
            if self._is_chunked:
                self._headers.append((b"transfer-encoding", b"chunked"))
        self._keep_alive &= (b"connection", b"close") not in self._headers
        if not self._keep_alive and b"connection" not in names:
            self._headers.append((b"connection", b"close"))
        lines = b"".join(b"%s: %s\r\n" % each for each in self._headers)
        second = int(asyncio.get_running_loop().time())
        return status_line(self._status) + date_line(second) + lines + b"\r\n"

    def _send_body(self, head: bytes, data: bytes, *, is_last: bool) -> None:
        if not self._has_body:
            data = b""
        elif self._is_chunked:
            data = b"%x\r\n%s\r\n" % (len(data), data) if data else b""
            data += b"0\r\n\r\n" if is_last else b""
        self._connection.write(head + data)
        if is_last:
            self._is_ended = True
            self.disconnect()
            self._connection.finish(keep_alive=self._keep_alive)

    def fail(self, error: Exception) -> None:
        """The application raised an error: respond with 500, unless the response has begun."""
        if not self._is_ended:
            self._is_ended = True
            self._connection.fail(error, is_started=self._is_started)

    def end(self) -> None:
        """The application returned; if its response is incomplete, the client has disconnected."""
        if not self._is_ended:
            self._is_ended = True
            self._connection.finish(keep_alive=not self._is_started)


def _host_and_port(address: object) -> tuple[str, int] | None:
    return (address[0], address[1]) if isinstance(address, tuple) else None
