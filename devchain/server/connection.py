"""Base class, registry and flow control of HTTP, WebSocket and IPC connections."""

from __future__ import annotations

import asyncio
import logging
from abc import abstractmethod
from contextlib import suppress
from typing import cast

from devchain.server import limits
from devchain.server.access_control import peer_of
from devchain.server.scheduler import Scheduler, Share

log = logging.getLogger(__name__)


class FlowControl:
    """Pauses reading while the client does not read, or its input or requests wait."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._waiting = 0
        self._is_held = False
        self.is_paused = False
        self._writable: asyncio.Event | None = None
        self.is_write_paused = False

    @property
    def waiting(self) -> int:
        """How many parsed bytes wait to be answered."""
        return self._waiting

    @property
    def is_full(self) -> bool:
        """Whether too much waits to be answered for more to be parsed."""
        return self._waiting > limits.MAX_WAITING_BYTES

    def add(self, size: int) -> None:
        """Count parsed bytes that wait to be answered."""
        self._waiting += size
        if self._waiting > limits.MAX_WAITING_BYTES:
            self._update()

    def remove(self, size: int) -> None:
        """Count bytes that no longer wait."""
        self._waiting -= size
        if self.is_paused:
            self._update()

    def hold(self, *, is_held: bool) -> None:
        """Note whether input waits to be parsed."""
        self._is_held = is_held
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
        should_pause = self.is_write_paused or self._is_held or self.is_full
        if should_pause is not self.is_paused and not self._transport.is_closing():
            self.is_paused = should_pause
            (self._transport.pause_reading if should_pause else self._transport.resume_reading)()


class Connection(asyncio.Protocol):
    """The base class of connections: `peer` is the client's address, None over IPC.

    A connection is a `Worker`: what arrives is kept until `step` parses it, in the connection's
    turn. `has_input` says that some of it has not been parsed.
    """

    transport: asyncio.Transport
    flow: FlowControl
    peer: str | None
    share: Share

    def __init__(self, registry: ConnectionRegistry, turns: Scheduler) -> None:
        self._registry = registry
        self._turns = turns
        self._kept = 0  # bytes, by the request under way
        self.is_queued = self.is_slow = self.has_input = self.is_held = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the connection."""
        self.transport = cast(asyncio.Transport, transport)
        self.flow = FlowControl(self.transport)
        self.peer = peer_of(transport.get_extra_info("peername"))
        self.share = self._turns.share_of(self.peer)
        self._registry.add(self)

    def connection_lost(self, _: Exception | None) -> None:
        """Unregister the connection."""
        self._registry.remove(self)
        self._turns.leave()

    def pause_writing(self) -> None:
        """The client does not read."""
        self.flow.pause_writing()

    def resume_writing(self) -> None:
        """The client reads again: go on."""
        self.flow.resume_writing()
        self._turns.run(self)

    @abstractmethod
    def step(self) -> bool:
        """Do a small piece of the work that waits; return whether there may be more."""

    def hold(self) -> None:
        """Read no more while input waits for a turn."""
        self.is_held = self.has_input
        self.flow.hold(is_held=self.is_held)

    def fail(self, error: Exception) -> None:
        """Abort the connection because of a bug."""
        log.error("a connection failed", exc_info=error)
        self.transport.abort()

    def write(self, data: bytes) -> None:
        """Send bytes, unless the connection is closing."""
        if not self.transport.is_closing():
            self.transport.write(data)
            if len(data) >= limits.LARGE_WRITE_BYTES:
                self.note_write(len(data))

    def note_write(self, size: int) -> None:
        """Count a large answer, which may have to wait for the client to read it."""
        self._registry.note(size)

    def take_input(self, size: int) -> None:
        """Count bytes that have arrived; they are parsed and answered in the connection's turns."""
        self.has_input = True
        self._registry.note(size)
        self._turns.run(self, at_once=size < limits.LARGE_READ_BYTES)

    def keep(self, size: int) -> None:
        """Count bytes that the request under way keeps until it is answered."""
        self._kept += size
        self._registry.note(size)

    def release(self) -> None:
        """Note that the request under way was answered and keeps nothing more."""
        self._kept = 0

    def held_bytes(self) -> int:
        """How much memory the connection holds: input, and answers, unfinished or not sent."""
        return self.flow.waiting + self._kept + self.transport.get_write_buffer_size()

    @abstractmethod
    def shut_down(self) -> None:
        """Close in an orderly way because the server stops."""


class ConnectionRegistry:
    """The open connections of a server."""

    def __init__(self) -> None:
        self._open: set[Connection] = set()
        self._noted = 0  # bytes, since all connections were looked at
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

    def note(self, size: int) -> None:
        """Count bytes that a connection may have begun to hold; at times look at all of them."""
        self._noted += size
        if self._noted > limits.MAX_HELD_BYTES // 8:
            self._noted = 0
            self._drop_largest()

    def _drop_largest(self) -> None:
        sizes = [(each.held_bytes(), each) for each in self._open]
        total = sum(size for size, _ in sizes)
        dropped = []
        for size, each in sorted(sizes, key=lambda pair: pair[0], reverse=True):
            if total <= limits.MAX_HELD_BYTES:
                break
            each.transport.abort()
            total -= size
            dropped.append((size, each.peer or "a local client"))
        if dropped:
            asyncio.get_running_loop().call_later(limits.TRIM_SECONDS, trim_heap)
            log.warning(
                "connections held more than %d bytes: dropped %d of them, the first of %s with %d",
                limits.MAX_HELD_BYTES,
                len(dropped),
                *dropped[0][::-1],
            )

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


def trim_heap() -> None:
    """Give free memory back to the system, of which glibc itself returns the end of a heap alone.

    Large bodies of many connections leave more than 100 MB free between small objects.
    """
    from ctypes import CDLL

    with suppress(AttributeError, OSError, TypeError):  # other systems have no such function
        CDLL(None).malloc_trim(0)
