"""Connections that last: they answer messages in order and tell what was subscribed to."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.subscriptions import Subscriptions
from devchain.server.turns import take_turns

if TYPE_CHECKING:
    from devchain.node import Node
    from devchain.rpc.dispatch import Observer

MOST_BEHIND = 20_000
"""How much news may wait for a connection that does not read, before it is dropped."""

MOST_WAITING = 1_048_576
"""How many bytes of messages may wait for their turn before no more is read."""

log = logging.getLogger(__name__)


class Feed:
    """The connections that have subscribed to one node's news."""

    def __init__(self) -> None:
        """Nobody has, at first."""
        self._sessions: list[Session] = []

    def join(self, session: Session) -> None:
        """Tell a connection from now on."""
        self._sessions.append(session)

    def leave(self, session: Session) -> None:
        """Tell it no longer."""
        if session in self._sessions:
            self._sessions.remove(session)

    def drain(self) -> None:
        """Tell every connection what it has not been told; called whenever a call has ended."""
        for session in tuple(self._sessions):
            session.tell()


@dataclass(frozen=True, slots=True)
class Line:
    """What a connection can do: send, be dropped for a reason, listen; and where it comes from."""

    send: Callable[[bytes], None]
    drop: Callable[[str], None]
    peer: str | None = None
    transport: asyncio.Transport | None = None

    def listen(self, *, on: bool) -> None:
        """Read what the other side sends, or leave it there."""
        if self.transport is not None and not self.transport.is_closing():
            (self.transport.resume_reading if on else self.transport.pause_reading)()


class Session:
    """One connection that lasts, whatever it speaks.

    Messages are answered one after the other, with turns of other connections between them. While
    the other side does not read (`hold`), nothing is answered and nothing told: what is new stays
    behind the subscriptions' cursors. What it sends is not read when too much of it waits.
    """

    def __init__(self, node: Node, feed: Feed, line: Line, observe: Observer | None = None) -> None:
        """Answer for that node on that line."""
        self._subscriptions = Subscriptions(node)
        self._dispatcher = Dispatcher(node, observe, self._subscriptions)
        self._peers = node.peers
        self._feed = feed
        self._line = line
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._moment = self._subscriptions.moment
        self._news: Iterator[dict[str, Any]] = iter(())
        self._is_busy = self._is_held = self._is_closed = self._is_full = False
        self._is_ending = False
        feed.join(self)

    @property
    def is_idle(self) -> bool:
        """Whether every message has been answered."""
        return not self._is_busy and not self._waiting

    def receive(self, message: bytes) -> None:
        """Answer a message, now or when those before it are answered."""
        if self._peers.refuses(self._line.peer):
            self._line.drop("the address is banned")
            return
        self._waiting.append(message)
        self._size += len(message)
        self._continue()
        if self._size > MOST_WAITING and not self._is_full:
            self._is_full = True
            self._line.listen(on=False)

    def hold(self) -> None:
        """The other side does not read: neither do we."""
        self._is_held = True
        self._line.listen(on=False)

    def resume(self) -> None:
        """The other side reads again."""
        self._is_held = False
        if not self._is_full:
            self._line.listen(on=True)
        self._continue()
        self.tell()

    def end(self) -> bool:
        """The other side sends no more; whether it still waits for answers."""
        self._is_ending = True
        return not self.is_idle

    def close(self) -> None:
        """The connection has ended."""
        self._is_closed = True
        self._waiting.clear()
        self._size = 0
        self._feed.leave(self)
        self._subscriptions.close()

    def _continue(self) -> None:
        if self._waiting and not (self._is_busy or self._is_held or self._is_closed):
            self._is_busy = True
            message = self._waiting.popleft()
            self._size -= len(message)
            take_turns(self._dispatcher.serve(message, self._line.peer), self._answer, self._fail)

    def _answer(self, answer: bytes | None) -> None:
        if answer is not None and not self._is_closed:
            self._line.send(answer)
        self._feed.drain()
        asyncio.get_running_loop().call_soon(self._end_turn)

    def _end_turn(self) -> None:
        """Go on with what waits: others have had their turn."""
        self._is_busy = False
        if self._is_full and self._size <= MOST_WAITING:
            self._is_full = False
            self._line.listen(on=not self._is_held)
        self._continue()
        if self._is_ending and self.is_idle and self._line.transport is not None:
            self._line.transport.close()

    def _fail(self, error: Exception) -> None:
        self._is_busy = False
        log.error("a connection failed", exc_info=error)
        self._line.drop("a bug in devchain: see its log")

    def tell(self) -> None:
        """Tell what is new, as much as the other side takes."""
        moment = self._subscriptions.moment
        if self._is_closed or not self._subscriptions or moment == self._moment:
            return
        if self._is_held:
            if self._subscriptions.behind() > MOST_BEHIND:
                self._line.drop("the connection does not read its notifications")
            return
        try:
            self._tell_on()
        except Exception as error:  # noqa: BLE001  # one connection's trouble is not another's
            self._fail(error)
        if not self._is_held:
            self._moment = moment

    def _tell_on(self) -> None:
        """Go on with what is being told, then with what is new meanwhile."""
        for news in (self._news, self._subscriptions.news()):
            self._news = news
            for each in news:
                self._line.send(orjson.dumps(each))
                if self._is_held or self._is_closed:
                    return
