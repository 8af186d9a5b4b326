"""`devchain.server.session`, without sockets"""

from __future__ import annotations

import asyncio
import json
import platform
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

from devchain.config import Config
from devchain.node import Node
from devchain.server import connection as connection_module
from devchain.server import limits
from devchain.server.connection import ConnectionRegistry
from devchain.server.scheduler import Scheduler
from devchain.server.session import MessageConnection, Session, Subscribers
from devchain.types import MineRequest
from tests.server.fairness import resident_bytes


class FakeTransport:
    """A transport that records whether reading is paused."""

    def __init__(self) -> None:
        self.is_reading = True

    def pause_reading(self) -> None:
        self.is_reading = False

    def resume_reading(self) -> None:
        self.is_reading = True

    def is_closing(self) -> bool:
        """Never."""
        return False

    def get_extra_info(self, _: str) -> None:
        """Nothing is known of the client."""


class FakeConnection(MessageConnection):
    """A connection whose input is messages, and which records the messages sent.

    No time passes while it runs, so that a slow machine ends no turn.
    """

    transport_name = "test"
    now: Callable[[], float] = staticmethod(lambda: 0.0)

    def __init__(self, node: Node, subscribers: Subscribers | None = None) -> None:
        def new_session(connection: MessageConnection) -> Session:
            return Session(node, subscribers or Subscribers(), connection)

        super().__init__(new_session, 100_000, ConnectionRegistry(), Scheduler(self.now))
        self.input: deque[bytes] = deque()
        self.sent: list[Any] = []
        self.reader: Any = FakeTransport()
        self.connection_made(self.reader)

    def receive(self, *messages: bytes) -> None:
        """Messages of the client, in one read."""
        self.input += messages
        self.has_input = True
        self.run()

    def parse_next(self) -> bool:
        self.session.receive(self.input.popleft())
        return bool(self.input)

    def send_message(self, message: bytes) -> None:
        self.sent.append(message)

    def drop(self, reason: str) -> None:
        self.sent.append(reason)

    def shut_down(self) -> None:
        """Nothing to close."""


SUBSCRIBE = b'{"id":1,"method":"eth_subscribe","params":["newHeads"]}'
GET_CHAIN_ID = b'{"id":2,"method":"eth_chainId"}'


@pytest.fixture
def one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of one step, without a pause between them."""
    monkeypatch.setattr(FakeConnection, "now", staticmethod(time.monotonic))
    monkeypatch.setattr(limits, "TURN_SECONDS", 0)
    monkeypatch.setattr(limits, "YIELD_SECONDS", 0)


class TestSlowReader:
    def test_notifications_wait(self) -> None:
        """While the client does not read nothing is sent; afterwards all of it is, in order."""

        async def run(node: Node) -> list[Any]:
            subscribers = Subscribers()
            connection = FakeConnection(node, subscribers)
            connection.receive(SUBSCRIBE)
            connection.pause_writing()
            connection.receive(GET_CHAIN_ID)
            node.mine(MineRequest(blocks=3))
            subscribers.notify()
            sent_while_paused = len(connection.sent)
            connection.resume_writing()
            return [sent_while_paused, *map(json.loads, connection.sent)]

        with Node(Config(network="test")) as node:
            sent_while_paused, subscribed, chain_id, *heads = asyncio.run(run(node))

        assert (sent_while_paused, subscribed["id"], chain_id["id"]) == (1, 1, 2)
        assert [each["params"]["result"]["number"] for each in heads] == ["0x1", "0x2", "0x3"]

    def test_counted_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What waits for it is counted when there is more of it, not after every call."""
        counted: list[int] = []
        with Node(Config(network="test")) as node:
            unread = node.filters.unread
            monkeypatch.setattr(
                node.filters, "unread", lambda each: (counted.append(each), unread(each))[1]
            )

            async def run() -> None:
                subscribers = Subscribers()
                connection = FakeConnection(node, subscribers)
                connection.receive(SUBSCRIBE)
                connection.pause_writing()
                node.mine(MineRequest())
                for _ in range(3):
                    subscribers.notify()

            asyncio.run(run())

        assert len(counted) == 1


class TestTurns:
    def test_messages_share_a_turn(self) -> None:
        """Messages that are answered quickly are answered in one turn."""

        async def run(node: Node) -> int:
            connection = FakeConnection(node)
            connection.receive(*[GET_CHAIN_ID] * 3)
            return len(connection.sent)

        with Node(Config(network="test")) as node:
            assert asyncio.run(run(node)) == 3

    def test_turn_ends(self, one_step: None) -> None:
        """After a turn other connections are served; input that waits is not read meanwhile."""

        async def run(node: Node) -> tuple[int, bool, int, bool]:
            connection = FakeConnection(node)
            connection.receive(*[GET_CHAIN_ID] * 3)
            at_first = len(connection.sent), connection.reader.is_reading
            for _ in range(1_000):
                await asyncio.sleep(0)
            return *at_first, len(connection.sent), connection.reader.is_reading

        with Node(Config(network="test")) as node:
            assert asyncio.run(run(node)) == (1, False, 3, True)

    def test_no_more_is_parsed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """While too many messages wait nothing more is parsed, and so not read."""
        monkeypatch.setattr(limits, "MAX_WAITING_BYTES", 100)
        monkeypatch.setattr(limits, "WAITING_OVERHEAD_BYTES", 0)

        async def run(node: Node) -> list[tuple[int, bool]]:
            connection = FakeConnection(node)
            connection.session.step = lambda: False  # type: ignore[method-assign]
            connection.receive(*[GET_CHAIN_ID] * 6)
            blocked = len(connection.input), connection.reader.is_reading
            del connection.session.step  # type: ignore[method-assign]
            connection.run()
            return [blocked, (len(connection.sent), connection.reader.is_reading)]

        with Node(Config(network="test")) as node:
            assert asyncio.run(run(node)) == [(2, False), (6, True)]

    def test_nothing_new(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Subscriptions are read only when something has changed, not after every call."""
        looked: list[int] = []
        with Node(Config(network="test")) as node:
            changes = node.filters.changes
            monkeypatch.setattr(
                node.filters, "changes", lambda each: (looked.append(each), changes(each))[1]
            )

            async def run() -> list[Any]:
                subscribers = Subscribers()
                connection = FakeConnection(node, subscribers)
                connection.receive(SUBSCRIBE)
                for _ in range(3):
                    subscribers.notify()
                node.mine(MineRequest())
                subscribers.notify()
                subscribers.notify()
                return connection.sent

            sent = asyncio.run(run())

        assert len(sent) == 2
        assert len(looked) == 1

    def test_notified_while_a_batch_runs(self, one_step: None) -> None:
        """Notifications of what others do come between the calls of a batch."""

        async def run(node: Node) -> list[Any]:
            subscribers = Subscribers()
            connection = FakeConnection(node, subscribers)
            connection.receive(SUBSCRIBE)
            connection.receive(b"[" + b",".join([GET_CHAIN_ID] * 50) + b"]")
            at_first = len(connection.sent)
            node.mine(MineRequest())
            subscribers.notify()
            for _ in range(1_000):
                await asyncio.sleep(0)
            return [at_first, *map(json.loads, connection.sent)]

        with Node(Config(network="test")) as node:
            at_first, _, notification, answers = asyncio.run(run(node))

        assert at_first <= 1
        assert notification["method"] == "eth_subscription"
        assert len(answers) == 50


class Holding:
    """A connection, and its transport, that holds some bytes; `done` notes when it is dropped."""

    peer = None

    def __init__(self, size: int, done: list[object]) -> None:
        self.size, self.done = size, done
        self.transport = self

    def held_bytes(self) -> int:
        return self.size

    def abort(self) -> None:
        self.done.append(self.size)


class TestConnectionRegistry:
    def test_memory_of_dropped_connections(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Those that hold most are dropped, and then what they held goes back to the system."""
        monkeypatch.setattr(limits, "MAX_HELD_BYTES", 1_000)
        done: list[object] = []
        registry: Any = ConnectionRegistry()
        for size in (400, 700, 600):
            registry.add(Holding(size, done))

        async def main() -> None:
            trimmed = asyncio.Event()
            monkeypatch.setattr(connection_module, "trim_heap", trimmed.set)
            registry.note(1_000)
            await trimmed.wait()

        asyncio.run(main())

        assert done == [700]

    @pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other heaps do so themselves")
    def test_trim_heap(self) -> None:
        """Memory that is free between objects is given back."""
        objects = [bytes(100_000) for _ in range(600)]
        kept = objects[::60]
        del objects
        before = resident_bytes()

        connection_module.trim_heap()

        assert before - resident_bytes() > 30_000_000
        assert len(kept) == 10
