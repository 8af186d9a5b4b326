"""Base class, registry and flow control of HTTP, WebSocket and IPC connections; turns."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import cast

from devchain.server import limits
from devchain.server.access_control import peer_of

Steps = Generator[None, None, bytes | None]
"""A running `Dispatcher.serve`: yields between the calls of a batch, returns the response."""


class FlowControl:
    """Pauses reading while the client does not read, and while too many of its requests wait."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._waiting = 0
        self.is_paused = False
        self._writable: asyncio.Event | None = None
        self.is_write_paused = False

    def add(self, size: int) -> None:
        """Count received bytes that wait to be answered."""
        self._waiting += size
        if self._waiting > limits.MAX_WAITING_BYTES:
            self._update()

    def remove(self, size: int) -> None:
        """Count bytes that no longer wait."""
        self._waiting -= size
        if self.is_paused:
            self._update()

    def pause_writing(self) -> None:
        """The client does not read: stop reading what it sends."""
        self.is_write_paused = True
        self._update()

    def resume_writing(self) -> None:
        """The client reads again."""
        self.is_write_paused = False
        self._update()
        if self._writable is not None:
            self._writable.set()

    async def wait_until_writable(self) -> None:
        """Wait while the client does not read."""
        while self.is_write_paused and not self._transport.is_closing():
            self._writable = asyncio.Event()
            await self._writable.wait()

    def _update(self) -> None:
        should_pause = self.is_write_paused or self._waiting > limits.MAX_WAITING_BYTES
        if should_pause is not self.is_paused and not self._transport.is_closing():
            self.is_paused = should_pause
            (self._transport.pause_reading if should_pause else self._transport.resume_reading)()


class Connection(asyncio.Protocol):
    """The base class of connections: `peer` is the client's address, None over IPC."""

    transport: asyncio.Transport
    flow: FlowControl
    peer: str | None

    def __init__(self, registry: ConnectionRegistry) -> None:
        self._registry = registry

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the connection."""
        self.transport = cast(asyncio.Transport, transport)
        self.flow = FlowControl(self.transport)
        self.peer = peer_of(transport.get_extra_info("peername"))
        self._registry.add(self)

    def connection_lost(self, _: Exception | None) -> None:
        """Unregister the connection."""
        self._registry.remove(self)

    def pause_writing(self) -> None:
        """The client does not read."""
        self.flow.pause_writing()

    def resume_writing(self) -> None:
        """The client reads again."""
        self.flow.resume_writing()

    def write(self, data: bytes) -> None:
        """Send bytes, unless the connection is closing."""
        if not self.transport.is_closing():
            self.transport.write(data)

    @abstractmethod
    def shut_down(self) -> None:
        """Close in an orderly way because the server stops."""


class ConnectionRegistry:
    """The open connections of a server."""

    def __init__(self) -> None:
        self._open: set[Connection] = set()
        self._empty = asyncio.Event()
        self._is_closing = False

    def add(self, connection: Connection) -> None:
        """Register an open connection."""
        self._open.add(connection)
        if self._is_closing:
            connection.shut_down()

    def remove(self, connection: Connection) -> None:
        """Unregister a connection that has ended or changed its protocol."""
        self._open.discard(connection)
        if not self._open:
            self._empty.set()

    async def close(self, grace: float) -> None:
        """Shut every connection down; abort those that are still open after `grace` seconds."""
        self._is_closing = True
        self._empty.clear()
        for connection in list(self._open):
            connection.shut_down()
        if self._open:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._empty.wait(), grace)
        for connection in list(self._open):
            connection.transport.abort()


def run_in_turns(
    steps: Steps,
    deliver: Callable[[bytes | None], None],
    fail: Callable[[Exception], None],
) -> None:
    """Run the steps of an answer and deliver it, at once unless it takes long.

    A batch that runs for `TURN_SECONDS` pauses, so that other connections are served.
    """
    since = time.monotonic()
    while True:
        try:
            next(steps)
        except StopIteration as end:
            deliver(end.value)
            return
        except Exception as error:  # noqa: BLE001  # a bug, which the caller reports
            fail(error)
            return
        if time.monotonic() - since > limits.TURN_SECONDS:
            loop = asyncio.get_running_loop()
            loop.call_later(limits.YIELD_SECONDS, run_in_turns, steps, deliver, fail)
            return


async def answer_in_turns(steps: Steps) -> bytes | None:
    """The answer of those steps, with pauses as in `run_in_turns`."""
    done: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()

    def deliver(answer: bytes | None) -> None:
        if not done.done():  # the waiting request may have been cancelled
            done.set_result(answer)

    def fail(error: Exception) -> None:
        if not done.done():
            done.set_exception(error)

    run_in_turns(steps, deliver, fail)
    return await done
