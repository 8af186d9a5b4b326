"""Calls of the Quart application through ASGI, for HTTP requests that are no plain JSON-RPC."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from devchain.server import limits
from devchain.server.connection import Connection
from devchain.server.http_messages import RequestHead, response_head

if TYPE_CHECKING:
    from quart import Quart

    from devchain.server.router import Router


class LazyApp:
    """The Quart application, loaded by the first request that needs it: it takes half a second."""

    def __init__(self, router: Router) -> None:
        self._router = router
        self._app: Quart | None = None
        self._calls: set[asyncio.Task[None]] = set()
        self._starting = asyncio.Lock()

    def start(self, call: AsgiCall) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(self._run(call))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        return task

    async def _run(self, call: AsgiCall) -> None:
        try:
            async with self._starting:  # one of them in each round of the event loop
                await asyncio.sleep(0)
                app = self._app or await self._load()
            await app(call.scope(), call.receive, call.send)  # type: ignore[arg-type]  # hypercorn's TypedDicts
        except Exception as error:  # noqa: BLE001  # a bug: status 500
            call.fail(error)

    async def _load(self) -> Quart:
        from devchain.server.app import quart_app

        app = quart_app(self._router)
        await app.startup()
        self._app = app
        return app

    async def close(self) -> None:
        """End the calls under way, whose connections are closed, and shut the application down."""
        if self._calls:  # if they were cancelled at once, tasks that Quart has begun would go on
            await asyncio.wait(self._calls, timeout=limits.CALL_END_SECONDS)
        for call in self._calls:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
        if self._app is not None:
            await self._app.shutdown()


class AsgiCall:
    """One request to the application: its scope, and what it receives and sends."""

    def __init__(self, connection: Connection, head: RequestHead, body: bytes) -> None:
        self._connection = connection
        self._head = head
        self._body: bytes | None = body  # until it is received
        self._disconnected = asyncio.Event()
        self._response_head = b""  # until it is sent
        self._has_body = head.method != "HEAD"
        self._has_length = self._is_started = self._is_complete = False
        self.error: Exception | None = None

    def scope(self) -> dict[str, Any]:
        head, transport = self._head, self._connection.transport
        target, _, query = head.target.partition(b"?")
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": head.version,
            "method": head.method,
            "scheme": "http",
            "path": head.path,
            "raw_path": target,
            "query_string": query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in head.fields],
            "client": transport.get_extra_info("peername"),
            "server": transport.get_extra_info("sockname"),
            "extensions": {},
        }

    @property
    def keep_alive(self) -> bool:
        """Whether another request may follow: not behind a body that ends with the connection."""
        return self._head.keep_alive and self._is_complete and self._has_length

    def disconnect(self) -> None:
        self._disconnected.set()

    def fail(self, error: Exception) -> None:
        self.error = error
        if self._is_started:
            self._connection.transport.abort()

    async def receive(self) -> dict[str, Any]:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._disconnected.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Mapping[str, Any]) -> None:
        if self._disconnected.is_set():
            return
        if message["type"] == "http.response.start":
            status = message["status"]
            fields = [(a.decode("latin-1"), b.decode("latin-1")) for a, b in message["headers"]]
            self._has_body &= status not in {204, 304}
            self._has_length = not self._has_body or b"content-length" in dict(message["headers"])
            if not (self._head.keep_alive and self._has_length):
                fields.append(("connection", "close"))
            self._response_head = response_head(status, fields)
            return
        self._is_started = True
        self._connection.write(
            self._response_head + (message.get("body", b"") if self._has_body else b"")
        )
        self._response_head = b""
        if not message.get("more_body", False):
            self._is_complete = True
            self.disconnect()
        await self._connection.writable.wait()
