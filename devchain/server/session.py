"""JSON-RPC sessions of WebSocket and IPC connections: messages in order, and notifications."""

from __future__ import annotations

import asyncio
import logging
from abc import abstractmethod
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import orjson

from devchain.chain.slices import QUICK
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.subscriptions import Subscriptions
from devchain.server import limits
from devchain.server.connection import Connection, ConnectionRegistry
from devchain.server.scheduler import Scheduler, Share, Task, Work

if TYPE_CHECKING:
    from devchain.node import Node
    from devchain.rpc.dispatch import Observer

log = logging.getLogger(__name__)


class Subscriber(Protocol):
    """A session, or another client that gets notifications."""

    def look_for_notifications(self) -> None:
        """Send what is new since the last time."""


class Subscribers:
    """The sessions and live pages that may want to know of one node's events."""

    def __init__(self) -> None:
        self._sessions: list[Subscriber] = []

    def add(self, session: Subscriber) -> None:
        self._sessions.append(session)

    def remove(self, session: Subscriber) -> None:
        self._sessions.remove(session)

    def notify(self) -> None:
        """Let every session send its new notifications; called whenever a call has ended."""
        for session in tuple(self._sessions):
            session.look_for_notifications()


class MessageChannel(Protocol):
    """What carries the messages of a session: a connection, or a WebSocket of the application."""

    peer: str | None
    share: Share
    scheduler: Scheduler
    transport_name: str  # in the activity log
    kept: int  # bytes, by the request under way

    @property
    def is_write_paused(self) -> bool:
        """Whether the client does not read: nothing is to be sent."""

    def send_message(self, message: bytes) -> None: ...

    def go_on(self) -> None:
        """Read on: messages that waited were answered."""

    def keep(self, size: int) -> None:
        """Count bytes that the request under way keeps until it is answered."""

    def drop(self, reason: str) -> None:
        """Close because of the client's behavior, or of a bug."""


class Session:
    """The requests and subscriptions of one connection.

    Messages are answered one after the other. While the client does not read, no message is
    answered and no notification created: the subscriptions keep their cursors and return the
    changes later.
    """

    def __init__(
        self,
        node: Node,
        subscribers: Subscribers,
        channel: MessageChannel,
        observe: Observer | None = None,
    ) -> None:
        self._subscriptions = Subscriptions(node)
        self._dispatcher = Dispatcher(node, observe, self._subscriptions)
        self._peers = node.peers
        self._subscribers = subscribers
        self._channel = channel
        self._messages: deque[bytes] = deque()
        self.waiting_bytes = 0
        self._is_answering = False
        self._is_closed = False
        self._sent_version = self._counted_version = self._subscriptions.version
        self._answers = Task(self._answer(), channel.share, self._fail)
        self._notifications = Task(self._notify(), channel.share, self._fail)
        subscribers.add(self)

    @property
    def is_full(self) -> bool:
        """Whether too much waits to be answered for more to be read."""
        return self.waiting_bytes > limits.MAX_WAITING_BYTES

    @property
    def is_idle(self) -> bool:
        return not self._messages and not self._is_answering

    def receive(self, message: bytes) -> None:
        """Take a message, which is answered when those before it are."""
        if self._is_closed:
            return
        if self._peers.refuses(self._channel.peer):
            self._channel.drop("the address is banned")
            return
        self._messages.append(message)
        self.waiting_bytes += len(message) + limits.WAITING_OVERHEAD_BYTES
        self.go_on()

    def go_on(self) -> None:
        """Answer what waits, and send notifications, if the client reads."""
        self._channel.scheduler.run(self._answers)
        self.look_for_notifications()

    def look_for_notifications(self) -> None:
        """Send new notifications soon; drop a client that never reads them."""
        version = self._subscriptions.version
        if self._is_closed or not self._subscriptions or version == self._sent_version:
            return
        if not self._channel.is_write_paused:
            self._channel.scheduler.run(self._notifications)
        elif version != self._counted_version:
            self._counted_version = version
            if self._subscriptions.unread_count() > limits.MAX_UNSENT_NOTIFICATIONS:
                self._channel.drop("the connection does not read its notifications")

    def close(self) -> None:
        """End the subscriptions, and the answer under way; drop the messages that wait."""
        if self._is_closed:
            return
        self._is_closed = True
        self._messages.clear()
        self.waiting_bytes = 0
        self._subscribers.remove(self)
        self._subscriptions.close()
        for task in (self._answers, self._notifications):
            self._channel.scheduler.end(task)

    def _answer(self) -> Work:
        channel = self._channel
        while not self._is_closed:
            if not self._messages or channel.is_write_paused:
                yield None
                continue
            message = self._messages.popleft()
            self.waiting_bytes -= len(message) + limits.WAITING_OVERHEAD_BYTES
            self._is_answering = True
            answer = yield from self._dispatcher.serve(message, channel.peer, channel.keep)
            self._is_answering = False
            channel.kept = 0
            if answer is not None:
                channel.send_message(answer)
            self._subscribers.notify()
            if not self._messages:
                channel.go_on()
            yield QUICK

    def _notify(self) -> Work:
        subscriptions, channel = self._subscriptions, self._channel
        while not self._is_closed:
            if subscriptions.version == self._sent_version:
                yield None
                continue
            self._sent_version = subscriptions.version
            for notification in subscriptions.notifications():
                while channel.is_write_paused:
                    yield None
                channel.send_message(orjson.dumps(notification))
                yield QUICK

    def _fail(self, error: Exception) -> None:
        log.error("a connection failed", exc_info=error)
        self._channel.drop("a bug in devchain: see its log")


NewSession = Callable[[MessageChannel], Session]


class MessageConnection(Connection):
    """A connection that carries messages both ways, each a JSON-RPC request, batch or answer."""

    session: Session
    transport_name: str

    def __init__(
        self,
        new_session: NewSession,
        max_message: int,
        registry: ConnectionRegistry,
        scheduler: Scheduler,
    ) -> None:
        super().__init__(registry, scheduler)
        self._new_session = new_session
        self.max_message = max_message

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.session = self._new_session(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.session.close()
        super().connection_lost(error)

    def resume_writing(self) -> None:
        super().resume_writing()
        self.session.go_on()

    @property
    def may_read(self) -> bool:
        return self.has_input and not self.session.is_full and not self.is_write_paused

    def go_on(self) -> None:
        self.scheduler.run(self.task)

    def held_bytes(self) -> int:
        return super().held_bytes() + self.session.waiting_bytes

    @abstractmethod
    def send_message(self, message: bytes) -> None: ...

    @abstractmethod
    def drop(self, reason: str) -> None: ...
