"""Base class and registry of HTTP, WebSocket and IPC connections."""

from __future__ import annotations

import asyncio
import logging
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from typing import Any, cast

from devchain.chain.slices import QUICK
from devchain.server import limits
from devchain.server.access_control import peer_of
from devchain.server.scheduler import Scheduler, Share, Task, Work

Reading = Generator[Any, None, bytes]  # a part of the work of a connection: bytes that it reads

log = logging.getLogger(__name__)


class Connection(asyncio.Protocol):
    """The base class of connections: `peer` is the client's address, None over IPC.

    What arrives is kept until the connection's task takes it. The connection is not read while too
    much of it waits, or while the client does not read.
    """

    transport: asyncio.Transport
    peer: str | None
    share: Share
    task: Task

    def __init__(self, registry: ConnectionRegistry) -> None:
        self.registry = registry
        self.scheduler = registry.scheduler
        self.is_eof = False
        self.writable = asyncio.Event()
        self.writable.set()
        self.kept = 0  # bytes, by the request under way
        self._input: list[bytes] = []
        self._unread = 0  # bytes of it
        self._is_read_paused = False
        self._timer: asyncio.TimerHandle | None = None

    @abstractmethod
    def work(self) -> Work:
        """Parse and answer what arrives."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.peer = peer_of(transport.get_extra_info("peername"))
        self.share = self.scheduler.share_of(self.peer)
        self.task = Task(self.work(), self.share, self.fail)
        self.registry.add(self)

    def connection_lost(self, _: Exception | None) -> None:
        self.set_timer(None)
        self.writable.set()
        self.scheduler.end(self.task)
        self.registry.remove(self)

    # Reading

    def data_received(self, data: bytes) -> None:
        self._input.append(data)
        self._unread += len(data)
        self.scheduler.run(self.task)
        if self._unread:
            self.registry.note(len(data))
            self._update_reading()

    def eof_received(self) -> bool:
        """The client sends no more; the connection stays until it has its answers."""
        self.is_eof = True
        self.scheduler.run(self.task)
        return True

    @property
    def has_input(self) -> bool:
        return bool(self._input)

    def take_input(self) -> bytes:
        pieces = self._input
        data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        pieces.clear()
        self._unread = 0
        if self._is_read_paused:
            self._update_reading()
        return data

    def _update_reading(self) -> None:
        should_pause = self.is_write_paused or self._unread > limits.MAX_UNREAD_BYTES
        if should_pause is not self._is_read_paused and not self.transport.is_closing():
            self._is_read_paused = should_pause
            (self.transport.pause_reading if should_pause else self.transport.resume_reading)()

    # Writing

    @property
    def is_write_paused(self) -> bool:
        return not self.writable.is_set()

    def write(self, data: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(data)
            if len(data) >= limits.LARGE_WRITE_BYTES:
                self.registry.note(len(data))

    def write_pieces(self, pieces: Iterable[bytes], write: Callable[[bytes], object]) -> Work:
        """Write an answer whose pieces are made as the client reads them, with that function."""
        for piece in pieces:
            write(piece)
            yield QUICK
            while self.is_write_paused:
                yield None

    def pause_writing(self) -> None:
        self.writable.clear()
        self._update_reading()

    def resume_writing(self) -> None:
        self.writable.set()
        self._update_reading()
        self.scheduler.run(self.task)

    # Memory, time and the end

    def keep(self, size: int) -> None:
        self.kept += size
        self.registry.note(size)

    def held_bytes(self) -> int:
        """How much memory the connection holds: input, and answers, unfinished or not sent."""
        return self._unread + self.kept + self.transport.get_write_buffer_size()

    def set_timer(self, seconds: float | None, action: Callable[[], object] | None = None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds is not None and action is not None:
            self._timer = asyncio.get_running_loop().call_later(seconds, action)

    def fail(self, error: Exception) -> None:
        log.error("a connection failed", exc_info=error)
        self.transport.abort()

    @abstractmethod
    def shut_down(self) -> None:
        """Close in an orderly way because the server stops."""


class ConnectionRegistry:
    """The open connections of a server, whose tasks share a scheduler."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self._open: set[Connection] = set()
        self._noted = 0  # bytes, since all connections were looked at
        self._empty = asyncio.Event()
        self._is_closing = False

    def add(self, connection: Connection) -> None:
        self._open.add(connection)
        if self._is_closing:
            connection.shut_down()

    def remove(self, connection: Connection) -> None:
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
        limit = limits.MAX_HELD_BYTES
        sizes = [(connection.held_bytes(), connection) for connection in self._open]
        total = sum(size for size, _ in sizes)
        for size, connection in sorted(sizes, key=lambda pair: pair[0], reverse=True):
            if total <= limit:
                break
            connection.transport.abort()
            total -= size
            client = connection.peer or "a local client"
            text = "connections held more than %d bytes: dropped one of %s with %d"
            log.warning(text, limit, client, size)

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
