"""JSON-RPC sessions of WebSocket and IPC connections: messages in order, and notifications."""

from __future__ import annotations

import asyncio
import logging
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from devchain.chain.slices import QUICK, SLOW
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.subscriptions import Subscriptions
from devchain.server import limits
from devchain.server.connection import Connection, ConnectionRegistry
from devchain.server.scheduler import Scheduler, Steps

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
        """Notify a session from now on."""
        self._sessions.append(session)

    def remove(self, session: Subscriber) -> None:
        """Stop notifying a session."""
        if session in self._sessions:
            self._sessions.remove(session)

    def notify(self) -> None:
        """Let every session send its new notifications; called whenever a call has ended."""
        for session in tuple(self._sessions):
            session.look_for_notifications()


class MessageConnection(Connection):
    """A connection that carries messages both ways, each a JSON-RPC request, batch or answer."""

    session: Session

    def __init__(
        self,
        new_session: Callable[[MessageConnection], Session],
        max_message: int,
        registry: ConnectionRegistry,
        turns: Scheduler,
    ) -> None:
        super().__init__(registry, turns)
        self._new_session = new_session
        self._max_message = max_message
        self._is_eof = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the session."""
        super().connection_made(transport)
        self.session = self._new_session(self)

    def connection_lost(self, error: Exception | None) -> None:
        """End the session."""
        self.session.close()
        super().connection_lost(error)

    def resume_writing(self) -> None:
        """The client reads again: go on."""
        super().resume_writing()
        self.session.look_for_notifications()

    def step(self) -> bool:
        """Parse a piece of the input and do a step of the session.

        Both in turn, so that a ping is answered while a batch runs.
        """
        is_blocked = self.flow.is_write_paused or self.flow.is_full or self.transport.is_closing()
        is_readable = self.has_input and not is_blocked
        if is_readable:
            self.has_input = self.parse_next()
        has_worked = self.session.step()
        self.is_slow = self.session.is_slow
        if has_worked or is_readable:
            # Most messages are answered in the step that has parsed them.
            return self.has_input or self._is_eof or self.session.has_work
        if self._is_eof and not self.has_input and self.session.is_idle:
            self.transport.close()
        return False

    def run(self) -> None:
        """Go on with the session when the connection's turn comes."""
        self._turns.run(self)

    def wait_for(self, future: Future[Any]) -> None:
        """Go on with the session when that future is done."""
        self._turns.wait(self, future)

    @abstractmethod
    def parse_next(self) -> bool:
        """Parse a piece of the input, at most one message; return whether there may be more."""

    @property
    @abstractmethod
    def transport_name(self) -> str:
        """What the activity log calls the transport."""

    @abstractmethod
    def send_message(self, message: bytes) -> None:
        """Send one message."""

    @abstractmethod
    def drop(self, reason: str) -> None:
        """Close the connection because of the client's behavior, or of a bug."""


class Session:
    """The requests and subscriptions of one connection.

    Messages are answered one after the other, in the connection's turns. While the client does not
    read, no message is answered and no notification created: the subscriptions keep their cursors
    and return the changes later.
    """

    def __init__(
        self,
        node: Node,
        subscribers: Subscribers,
        connection: MessageConnection,
        observe: Observer | None = None,
    ) -> None:
        self._subscriptions = Subscriptions(node)
        self._dispatcher = Dispatcher(node, observe, self._subscriptions)
        self._peers = node.peers
        self._subscribers = subscribers
        self._connection = connection
        self._flow = connection.flow
        self._messages: deque[bytes] = deque()
        self._steps: Steps | None = None  # of the message that is being answered
        self._notifications: Iterator[dict[str, Any]] | None = None  # that are being sent
        self._sent_version = self._counted_version = self._subscriptions.version
        self._is_closed = False
        self.is_slow = False
        """Whether the next step may take longer than a turn."""
        subscribers.add(self)

    @property
    def has_work(self) -> bool:
        """Whether a message is to be answered or a notification to be sent."""
        return bool(self._messages) or self._steps is not None or self._notifications is not None

    @property
    def is_idle(self) -> bool:
        """Whether every message has been answered."""
        return self._steps is None and not self._messages

    def receive(self, message: bytes) -> None:
        """Take a message, which is answered when those before it are."""
        if self._is_closed:
            return
        if self._peers.refuses(self._connection.peer):
            self._connection.drop("the address is banned")
            return
        self._messages.append(message)
        self._flow.add(len(message) + limits.WAITING_OVERHEAD_BYTES)

    def step(self) -> bool:
        """Do one step of an answer, or send one notification; return whether there was one."""
        if self._is_closed:
            return False
        is_writable = not self._flow.is_write_paused
        if self._notifications is not None and is_writable:
            self._send_notification(self._notifications)
            return True
        if self._steps is not None:
            return self._continue_answer(self._steps)
        if self._messages and is_writable:
            message = self._messages.popleft()
            self._flow.remove(len(message) + limits.WAITING_OVERHEAD_BYTES)
            connection = self._connection
            steps = self._dispatcher.serve(message, connection.peer, connection.keep)
            return self._continue_answer(steps)
        return False

    def close(self) -> None:
        """End the subscriptions and drop the messages that wait."""
        self._is_closed = True
        self._steps = self._notifications = None
        self.is_slow = False
        while self._messages:  # so that a close frame behind them is read
            self._flow.remove(len(self._messages.popleft()) + limits.WAITING_OVERHEAD_BYTES)
        self._subscribers.remove(self)
        self._subscriptions.close()

    def _continue_answer(self, steps: Steps) -> bool:
        self._steps = steps
        try:
            turn = next(steps)
        except StopIteration as end:
            self._steps = None
            self.is_slow = False
            self._connection.release()
            if end.value is not None:
                self._connection.send_message(end.value)
            self._subscribers.notify()
        except Exception as error:  # noqa: BLE001  # a bug: the other connections must go on
            self._fail(error)
        else:
            self.is_slow = turn is SLOW
            if turn is not QUICK and turn is not SLOW:
                self._connection.wait_for(turn)
                return False
        return True

    def look_for_notifications(self) -> None:
        """Send new notifications in the connection's turns; drop a client that never reads them."""
        version = self._subscriptions.version
        if self._is_closed or not self._subscriptions or version == self._sent_version:
            return
        if not self._flow.is_write_paused:
            if self._notifications is None:
                self._sent_version = version
                self._notifications = self._subscriptions.notifications()
            self._connection.run()
        elif version != self._counted_version:
            self._counted_version = version
            if self._subscriptions.unread_count() > limits.MAX_UNSENT_NOTIFICATIONS:
                self._connection.drop("the connection does not read its notifications")

    def _send_notification(self, notifications: Iterator[dict[str, Any]]) -> None:
        try:
            each = next(notifications, None)
        except Exception as error:  # noqa: BLE001  # a bug: the other connections must go on
            self._fail(error)
            return
        if each is not None:
            self._connection.send_message(orjson.dumps(each))
        else:
            self._notifications = None
            self.look_for_notifications()

    def _fail(self, error: Exception) -> None:
        self._steps = None
        self.is_slow = False
        log.error("a connection failed", exc_info=error)
        self._connection.drop("a bug in devchain: see its log")
