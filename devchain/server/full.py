"""The full HTTP server for what is no plain request: hypercorn, with the Quart application."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from hypercorn.asyncio.tcp_server import TCPServer
from hypercorn.asyncio.worker_context import WorkerContext
from hypercorn.config import Config as HypercornConfig
from hypercorn.events import Event, Updated
from hypercorn.typing import LifespanState
from hypercorn.utils import wrap_app

from devchain.server.malformed import explain_malformed

if TYPE_CHECKING:
    from quart import Quart

KEEP_ALIVE_SECONDS = 60.0


class Connection(TCPServer):
    """One connection; unlike its parent it is let go of as soon as its client has closed it.

    The parent keeps the socket until the keep-alive time is over, so that clients that connect
    anew for every call would use up the file descriptors.
    """

    async def _read_data(self) -> None:
        try:
            await super()._read_data()
        finally:
            await self.idle_task.stop()

    async def protocol_send(self, event: Event) -> None:
        """Send, or note that all is answered: whoever sends no more is not waited for."""
        if isinstance(event, Updated) and self.reader.at_eof():
            await self.idle_task.stop()
        else:
            await super().protocol_send(event)


class FullServer:
    """Hypercorn for the connections it is given."""

    def __init__(self, app: Quart) -> None:
        """Answer with that application, which has begun to serve."""
        explain_malformed()
        self._settings = _settings()
        self._app = wrap_app(app, self._settings.wsgi_max_body_size, "asgi")
        self._context = WorkerContext(None)
        self._tasks: set[asyncio.Task[None]] = set()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it ends."""
        loop = asyncio.get_running_loop()
        if (task := asyncio.current_task()) is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        state = LifespanState()
        with suppress(asyncio.CancelledError):  # at the stop, when time is over
            await Connection(self._app, loop, self._settings, self._context, state, reader, writer)

    async def close(self, grace: float) -> None:
        """End idle connections, and the others after that many seconds."""
        await self._context.terminated.set()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace)
        for task in list(self._tasks):
            task.cancel()


def _settings() -> HypercornConfig:
    """Hypercorn's settings: long keep-alive, and no log of its own."""
    settings = HypercornConfig()
    settings.accesslog = None
    settings.errorlog = logging.getLogger("devchain.server")
    settings.include_server_header = False
    settings.keep_alive_timeout = KEEP_ALIVE_SECONDS
    settings.keep_alive_max_requests = 2**31
    return settings
