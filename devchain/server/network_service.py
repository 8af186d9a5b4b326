"""One network's node with what answers its requests, and who is told of its events."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from devchain.errors import ForkCacheMiss
from devchain.rpc.dispatch import Dispatcher
from devchain.server.events import ActivityReporter
from devchain.text import WATCH

if TYPE_CHECKING:
    from devchain.node import Node


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


@dataclass(frozen=True, slots=True)
class NetworkService:
    """One network's node with what answers its requests: dispatcher, subscribers, activity log."""

    node: Node
    reporter: ActivityReporter
    dispatcher: Dispatcher
    subscribers: Subscribers

    def for_polls(self) -> NetworkService:
        """The same service for `devchain watch`, whose polls the log marks."""
        observe = partial(self.reporter.report_call, via=WATCH)
        return replace(self, dispatcher=Dispatcher(self.node, observe))

    async def tick(self) -> None:
        """Mine the block that has become due, report it and notify subscribers."""
        while True:
            fork = self.node.fork
            try:
                with fork.deferring() if fork else nullcontext():
                    self.node.tick()
                break
            except ForkCacheMiss as missing:
                assert fork  # noqa: S101  # nothing else raises it
                await asyncio.wrap_future(fork.cache.fetch_in_background(missing))
        self.reporter.report_blocks()
        self.subscribers.notify()
