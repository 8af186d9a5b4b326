"""JSON-RPC sessions of WebSocket and IPC connections: messages in order, and notifications."""

from __future__ import annotations

import asyncio
import logging
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import orjson

from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.subscriptions import Subscriptions
from devchain.server import limits
from devchain.server.connection import Connection, ConnectionRegistry, run_in_turns

if TYPE_CHECKING:
    from devchain.node import Node
    from devchain.rpc.dispatch import Observer

log = logging.getLogger(__name__)


class Subscribers:
    """The sessions that may have subscriptions to one node's events."""

    def __init__(self) -> None:
        self._sessions: list[Session] = []

    def add(self, session: Session) -> None:
        """Notify a session from now on."""
        self._sessions.append(session)

    def remove(self, session: Session) -> None:
        """Stop notifying a session."""
        if session in self._sessions:
            self._sessions.remove(session)

    def notify(self) -> None:
        """Send every session its new notifications; called whenever a call has ended."""
        for session in tuple(self._sessions):
            session.send_notifications()


class MessageConnection(Connection):
    """A connection that carries messages both ways, each a JSON-RPC request, batch or answer."""

    session: Session

    def __init__(
        self,
        new_session: Callable[[MessageConnection], Session],
        max_message: int,
        registry: ConnectionRegistry,
    ) -> None:
        super().__init__(registry)
        self._new_session = new_session
        self._max_message = max_message

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the session."""
        super().connection_made(transport)
        self.session = self._new_session(self)

    def connection_lost(self, error: Exception | None) -> None:
        """End the session."""
        self.session.close()
        super().connection_lost(error)

    def resume_writing(self) -> None:
        """The client reads again: continue answering."""
        super().resume_writing()
        self.session.resume()

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

    Messages are answered one after the other; between two of them other connections are served.
    While the client does not read, no message is answered and no notification created: the
    subscriptions keep their cursors and return the changes later.
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
        self._sent_version = self._subscriptions.version
        self._unsent: Iterator[dict[str, Any]] = iter(())
        self._is_busy = self._is_closed = self._is_eof = False
        subscribers.add(self)

    @property
    def is_idle(self) -> bool:
        """Whether every message has been answered."""
        return not self._is_busy and not self._messages

    def receive(self, message: bytes) -> None:
        """Answer a message, now or when those before it are answered."""
        if self._peers.refuses(self._connection.peer):
            self._connection.drop("the address is banned")
            return
        self._messages.append(message)
        self._flow.add(len(message) + limits.WAITING_OVERHEAD_BYTES)
        self._answer_next()

    def resume(self) -> None:
        """Go on after the client has not read for a while."""
        self._answer_next()
        self.send_notifications()

    def end(self) -> bool:
        """Take no more messages; return whether some still have to be answered."""
        self._is_eof = True
        return not self.is_idle

    def close(self) -> None:
        """End the subscriptions and drop the messages that wait."""
        self._is_closed = True
        while self._messages:  # so that a close frame behind them is read
            self._flow.remove(len(self._messages.popleft()) + limits.WAITING_OVERHEAD_BYTES)
        self._subscribers.remove(self)
        self._subscriptions.close()

    def _answer_next(self) -> None:
        if self._messages and not (self._is_busy or self._flow.is_write_paused or self._is_closed):
            self._is_busy = True
            message = self._messages.popleft()
            self._flow.remove(len(message) + limits.WAITING_OVERHEAD_BYTES)
            steps = self._dispatcher.serve(message, self._connection.peer)
            run_in_turns(steps, self._answer, self._fail)

    def _answer(self, answer: bytes | None) -> None:
        if answer is not None and not self._is_closed:
            self._connection.send_message(answer)
        self._subscribers.notify()
        asyncio.get_running_loop().call_soon(self._end_turn)

    def _end_turn(self) -> None:
        """Go on with the next message: other connections have been served meanwhile."""
        self._is_busy = False
        self._answer_next()
        if self._is_eof and self.is_idle:
            self._connection.transport.close()

    def _fail(self, error: Exception) -> None:
        self._is_busy = False
        log.error("a connection failed", exc_info=error)
        self._connection.drop("a bug in devchain: see its log")

    def send_notifications(self) -> None:
        """Send the new notifications, until the client no longer reads."""
        version = self._subscriptions.version
        if self._is_closed or not self._subscriptions or version == self._sent_version:
            return
        if self._flow.is_write_paused:
            if self._subscriptions.unread_count() > limits.MAX_UNSENT_NOTIFICATIONS:
                self._connection.drop("the connection does not read its notifications")
            return
        try:
            self._send_until_paused()
        except Exception as error:  # noqa: BLE001  # the other connections must go on
            self._fail(error)
        if not self._flow.is_write_paused:
            self._sent_version = version

    def _send_until_paused(self) -> None:
        """Send the rest of the last notifications, then those that are new since."""
        for notifications in (self._unsent, self._subscriptions.notifications()):
            self._unsent = notifications
            for each in notifications:
                self._connection.send_message(orjson.dumps(each))
                if self._flow.is_write_paused or self._is_closed:
                    return
