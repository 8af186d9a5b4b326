"""Which connections are open, so that a server can say goodbye to them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Protocol


class Connection(Protocol):
    """What can be said to a connection, whatever it speaks."""

    def go_away(self) -> None:
        """The server stops: end in an orderly way."""

    def cut_off(self) -> None:
        """End at once."""


class House:
    """The open connections of a server."""

    def __init__(self) -> None:
        """Nobody is in."""
        self._open: set[Connection] = set()
        self._empty = asyncio.Event()
        self._is_closing = False

    def enter(self, connection: Connection) -> None:
        """A connection has begun."""
        self._open.add(connection)
        if self._is_closing:
            connection.go_away()

    def leave(self, connection: Connection) -> None:
        """A connection has ended, or is no longer one of ours."""
        self._open.discard(connection)
        if not self._open:
            self._empty.set()

    async def close(self, grace: float) -> None:
        """Say goodbye to everybody; whoever is in the middle of something has some seconds."""
        self._is_closing = True
        self._empty.clear()
        for connection in list(self._open):
            connection.go_away()
        if self._open:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._empty.wait(), grace)
        for connection in list(self._open):
            connection.cut_off()
