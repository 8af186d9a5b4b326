"""JSON-RPC sessions of WebSocket and IPC connections: messages in order, and notifications."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import partial
from typing import Any

import orjson

from devchain.chain.slices import QUICK, Slices
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.json_codec import StreamedJson
from devchain.rpc.subscriptions import Subscriptions
from devchain.server import limits
from devchain.server.connection import Connection, ConnectionRegistry, Reading
from devchain.server.router import NetworkService
from devchain.server.scheduler import Scheduler, Share, Task, Work

log = logging.getLogger(__name__)


class Session(ABC):
    """The requests and subscriptions of a connection that carries messages both ways.

    Messages are answered one after the other, each after the notifications of what was before it.
    While the client does not read, no message is answered and no notification created: the
    subscriptions keep their cursors and return the changes later.
    """

    peer: str | None
    share: Share
    scheduler: Scheduler
    transport_name: str  # in the activity log
    kept: int  # bytes, by the request under way
    streams = True  # answers in pieces

    def begin(self, service: NetworkService) -> None:
        node = service.node
        observe = partial(service.reporter.report_call, via=self.transport_name)
        self._subscriptions = Subscriptions(node)
        self._dispatcher = Dispatcher(node, observe, self._subscriptions, streams=self.streams)
        self._peers = node.peers
        self._service = service
        self._has_ended = False
        self._sent_version = self._counted_version = self._subscriptions.version
        self._new_notifications: Iterator[dict[str, Any]] = iter(())
        self._is_notifying = self._is_sending_pieces = False
        self._notifications = Task(self._notify(), self.share, self._fail)
        service.subscribers.append(self.look_for_notifications)

    @property
    @abstractmethod
    def is_write_paused(self) -> bool:
        """Whether the client does not read: nothing is to be sent."""

    @abstractmethod
    def send_message(self, message: bytes) -> None: ...

    def send_in_pieces(self, pieces: Iterator[bytes]) -> Work:
        """Send one message whose pieces are made as the client reads them.

        Connections without `streams` have no such answers, and no such method.
        """
        raise NotImplementedError

    @abstractmethod
    def drop(self, reason: str) -> None:
        """Close because of the client's behavior, or of a bug."""

    @abstractmethod
    def keep(self, size: int) -> None:
        """Count bytes that the request under way keeps until it is answered."""

    def answer(self, message: bytes) -> Work:
        if self._peers.refuses(self.peer):
            self.drop("the address is banned")
            return
        if self._is_notifying:  # what the client is to hear of may be gone after this request
            yield from self._send_notifications()
        answer = yield from self._dispatcher.serve(message, self.peer, self.keep)
        if isinstance(answer, StreamedJson):
            self._is_sending_pieces = True  # no notification may come between them
            yield from self.send_in_pieces(answer.pieces)
            self._is_sending_pieces = False
            self.go_on()
        elif answer is not None and not self._has_ended:
            self.send_message(answer)
        self.kept = 0
        self._service.notify()

    def look_for_notifications(self) -> None:
        version = self._subscriptions.version
        if self._has_ended or not self._subscriptions or version == self._sent_version:
            return
        if not self.is_write_paused:
            self.go_on()
        elif version != self._counted_version:
            self._counted_version = version
            if self._subscriptions.unread_count() > limits.MAX_UNSENT_NOTIFICATIONS:
                self.drop("the connection does not read its notifications")

    def go_on(self) -> None:
        self._is_notifying = True
        self.scheduler.run(self._notifications)

    def end(self) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        self._service.subscribers.remove(self.look_for_notifications)
        self._subscriptions.close()
        self.scheduler.end(self._notifications)

    def _notify(self) -> Work:
        while not self._has_ended:
            yield from self._send_notifications()
            yield None

    def _send_notifications(self) -> Slices[None]:
        subscriptions = self._subscriptions
        while not (self._has_ended or self.is_write_paused or self._is_sending_pieces):
            if notification := next(self._new_notifications, None):
                self.send_message(orjson.dumps(notification))
                yield QUICK
            elif subscriptions.version == self._sent_version:
                self._is_notifying = False
                return
            else:
                self._sent_version = subscriptions.version
                self._new_notifications = subscriptions.notifications()

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

    @abstractmethod
    def send_message(self, message: bytes, *, is_last: bool = True) -> None:
        """Send a message or a piece of one."""

    def send_in_pieces(self, pieces: Iterator[bytes]) -> Work:
        yield from self.write_pieces(pieces, partial(self.send_message, is_last=False))
        self.send_message(b"")

    def next_input(self) -> Reading:
        while self.is_write_paused or not self.has_input:
            if self.is_eof and not self.has_input:
                self.transport.close()
            yield None
        return self.take_input()
