"""The full server, made when something first asks for it: its libraries take long to load."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from devchain.server.front import Front

if TYPE_CHECKING:
    from quart import Quart

    from devchain.server.full import FullServer


class Later:
    """Stands for a `FullServer` with its application until a connection needs them.

    Plain JSON-RPC never does: a node answers it without having loaded Quart and hypercorn.
    """

    def __init__(self, front: Front) -> None:
        """Serve what is behind that front."""
        self._front = front
        self._app: Quart | None = None
        self._server: asyncio.Future[FullServer] | None = None

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it ends."""
        if self._server is None:
            self._server = asyncio.ensure_future(self._open())
        server = await asyncio.shield(self._server)
        await server.handle(reader, writer)

    async def _open(self) -> FullServer:
        from devchain.server.app import app_of
        from devchain.server.full import FullServer

        self._app = app_of(self._front)
        await self._app.startup()
        return FullServer(self._app)

    async def close(self, grace: float) -> None:
        """End idle connections, and the others after that many seconds."""
        if self._server is None:
            return
        server = await self._server
        await server.close(grace)
        assert self._app  # noqa: S101  # opened with the server
        await self._app.shutdown()
