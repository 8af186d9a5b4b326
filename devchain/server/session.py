"""JSON-RPC sessions of WebSocket and IPC connections: messages in order, and notifications."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections import deque
from functools import partial

import orjson

from devchain.chain.slices import QUICK
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.subscriptions import Subscriptions
from devchain.server import limits
from devchain.server.connection import Connection, ConnectionRegistry
from devchain.server.network_service import NetworkService
from devchain.server.scheduler import Scheduler, Share, Task, Work

log = logging.getLogger(__name__)


class Session(ABC):
    """The requests and subscriptions of a connection that carries messages both ways.

    Messages are answered one after the other. While the client does not read, no message is
    answered and no notification created: the subscriptions keep their cursors and return the
    changes later.
    """

    peer: str | None
    share: Share
    scheduler: Scheduler
    transport_name: str  # in the activity log
    kept: int  # bytes, by the request under way

    def begin(self, service: NetworkService) -> None:
        """Begin, once the client's address and share are known."""
        node = service.node
        observe = partial(service.reporter.report_call, via=self.transport_name)
        self._subscriptions = Subscriptions(node)
        self._dispatcher = Dispatcher(node, observe, self._subscriptions)
        self._peers = node.peers
        self._subscribers = service.subscribers
        self._messages: deque[bytes] = deque()
        self.waiting_bytes = 0
        self._is_answering = self._has_ended = False
        self._sent_version = self._counted_version = self._subscriptions.version
        self._answers = Task(self._answer(), self.share, self._fail)
        self._notifications = Task(self._notify(), self.share, self._fail)
        service.subscribers.add(self)

    @property
    @abstractmethod
    def is_write_paused(self) -> bool:
        """Whether the client does not read: nothing is to be sent."""

    @abstractmethod
    def send_message(self, message: bytes) -> None: ...

    @abstractmethod
    def read_on(self) -> None:
        """Read more, since messages that waited were answered."""

    @abstractmethod
    def keep(self, size: int) -> None:
        """Count bytes that the request under way keeps until it is answered."""

    @abstractmethod
    def drop(self, reason: str) -> None:
        """Close because of the client's behavior, or of a bug."""

    @property
    def is_full(self) -> bool:
        """Whether too much waits to be answered for more to be read."""
        return self.waiting_bytes > limits.MAX_WAITING_BYTES

    @property
    def is_idle(self) -> bool:
        return not self._messages and not self._is_answering

    def receive(self, message: bytes) -> None:
        """Take a message, which is answered when those before it are."""
        if self._has_ended:
            return
        if self._peers.refuses(self.peer):
            self.drop("the address is banned")
            return
        self._messages.append(message)
        self.waiting_bytes += len(message) + limits.WAITING_OVERHEAD_BYTES
        self.go_on()

    def go_on(self) -> None:
        """Answer what waits, and send notifications, if the client reads."""
        self.scheduler.run(self._answers)
        self.look_for_notifications()

    def look_for_notifications(self) -> None:
        """Send new notifications soon; drop a client that never reads them."""
        version = self._subscriptions.version
        if self._has_ended or not self._subscriptions or version == self._sent_version:
            return
        if not self.is_write_paused:
            self.scheduler.run(self._notifications)
        elif version != self._counted_version:
            self._counted_version = version
            if self._subscriptions.unread_count() > limits.MAX_UNSENT_NOTIFICATIONS:
                self.drop("the connection does not read its notifications")

    def end(self) -> None:
        """End the subscriptions, and the answer under way; drop the messages that wait."""
        if self._has_ended:
            return
        self._has_ended = True
        self._messages.clear()
        self.waiting_bytes = 0
        self._subscribers.remove(self)
        self._subscriptions.close()
        for task in (self._answers, self._notifications):
            self.scheduler.end(task)

    def _answer(self) -> Work:
        while not self._has_ended:
            if not self._messages or self.is_write_paused:
                yield None
                continue
            message = self._messages.popleft()
            self.waiting_bytes -= len(message) + limits.WAITING_OVERHEAD_BYTES
            self._is_answering = True
            answer = yield from self._dispatcher.serve(message, self.peer, self.keep)
            self._is_answering = False
            self.kept = 0
            if answer is not None:
                self.send_message(answer)
            self._subscribers.notify()
            if not self._messages:
                self.read_on()
            yield QUICK

    def _notify(self) -> Work:
        subscriptions = self._subscriptions
        while not self._has_ended:
            if subscriptions.version == self._sent_version:
                yield None
                continue
            self._sent_version = subscriptions.version
            for notification in subscriptions.notifications():
                while self.is_write_paused:
                    yield None
                self.send_message(orjson.dumps(notification))
                yield QUICK

    def _fail(self, error: Exception) -> None:
        log.error("a connection failed", exc_info=error)
        self.drop("a bug in devchain: see its log")


class MessageConnection(Connection, Session):
    """A connection that carries messages both ways, each a JSON-RPC request, batch or answer."""

    def __init__(self, service: NetworkService, registry: ConnectionRegistry) -> None:
        super().__init__(registry)
        self._service = service
        self.max_message = limits.max_message(service.node.config)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.begin(self._service)

    def connection_lost(self, error: Exception | None) -> None:
        self.end()
        super().connection_lost(error)

    def resume_writing(self) -> None:
        super().resume_writing()
        self.go_on()

    @property
    def may_read(self) -> bool:
        return self.has_input and not self.is_full and not self.is_write_paused

    def read_on(self) -> None:
        self.scheduler.run(self.task)

    def held_bytes(self) -> int:
        return super().held_bytes() + self.waiting_bytes
