"""`devchain.server.session`, without sockets"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from devchain.config import Config
from devchain.node import Node
from devchain.server import limits
from devchain.server.connection import ConnectionRegistry
from devchain.server.router import NetworkService, Router
from devchain.server.scheduler import Scheduler, Work
from devchain.server.session import MessageConnection
from devchain.types import MineRequest
from tests.server.live import CONFIG, EMIT_LOGS, GET_LOGS, LOGS


class FakeTransport:
    """A transport that records whether reading is paused."""

    def __init__(self) -> None:
        self.is_reading = True
        self.is_aborted = False

    def abort(self) -> None:
        """End at once."""
        self.is_aborted = True

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
    """A connection whose input is a message in each read, and which records the messages sent.

    No time passes while it runs, so that a slow machine ends no slice.
    """

    transport_name = "test"
    now: Callable[[], float] = staticmethod(lambda: 0.0)

    def __init__(self, service: NetworkService) -> None:
        super().__init__(service, ConnectionRegistry(Scheduler(self.now)))
        self.sent: list[Any] = []
        self.pause_after = 0  # how many messages the client does not read on
        self.reader: Any = FakeTransport()
        self.connection_made(self.reader)

    def arrive(self, *messages: bytes) -> None:
        """Messages of the client, one read each."""
        for message in messages:
            self.data_received(message + b"\n")

    def work(self) -> Work:
        while True:
            for message in (yield from self.next_input()).splitlines():
                yield from self.answer(message)

    def send_message(self, message: bytes, *, is_last: bool = True) -> None:
        self.sent.append(message)
        if len(self.sent) == self.pause_after:
            self.pause_writing()

    def drop(self, reason: str) -> None:
        self.sent.append(reason)

    def shut_down(self) -> None:
        """Nothing to close."""


def service_of(node: Node) -> NetworkService:
    """The node as it is served."""
    return Router.of({"test": node}, node.config, None).default


SUBSCRIBE = b'{"id":1,"method":"eth_subscribe","params":["newHeads"]}'
GET_CHAIN_ID = b'{"id":2,"method":"eth_chainId"}'


@pytest.fixture
def one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of one step."""
    monkeypatch.setattr(FakeConnection, "now", staticmethod(time.monotonic))
    monkeypatch.setattr(limits, "SLICE_SECONDS", 0)


class TestSlowReader:
    def test_notifications_wait(self) -> None:
        """While the client does not read nothing is sent; afterwards all of it is, in order."""

        async def run(node: Node) -> list[Any]:
            service = service_of(node)
            connection = FakeConnection(service)
            connection.arrive(SUBSCRIBE)
            connection.pause_writing()
            connection.arrive(GET_CHAIN_ID)
            node.mine(MineRequest(blocks=3))
            service.notify()
            sent_while_paused = len(connection.sent)
            connection.resume_writing()
            return [sent_while_paused, *map(json.loads, connection.sent)]

        with Node(Config(network="test")) as node:
            sent_while_paused, subscribed, chain_id, *heads = asyncio.run(run(node))

        assert (sent_while_paused, subscribed["id"], chain_id["id"]) == (1, 1, 2)
        assert [each["params"]["result"]["number"] for each in heads] == ["0x1", "0x2", "0x3"]

    def test_revert_waits(self, one_step: None) -> None:
        """A request that takes back what a notification tells is answered after that."""
        pending = SUBSCRIBE.replace(b"newHeads", b"newPendingTransactions")
        sent = b'{"id":3,"method":"eth_sendTransaction","params":[{"from":"%s","to":"%s"}]}'
        snapshot = b'{"id":0,"method":"evm_snapshot","params":[]}'
        revert = b'{"id":4,"method":"evm_revert","params":["0x1"]}'

        async def run(node: Node) -> list[Any]:
            account = str(node.funded_accounts[0]).encode()
            connection = FakeConnection(service_of(node))
            messages = [snapshot, SUBSCRIBE, pending, sent % (account, account), revert]
            connection.data_received(b"\n".join(messages))
            for _ in range(100):  # rounds of the event loop
                await asyncio.sleep(0)
            return [json.loads(message) for message in connection.sent]

        with Node(Config(network="test")) as node:
            answers = asyncio.run(run(node))

        assert [each.get("id") for each in answers] == [0, 1, 1, 3, None, None, 4]
        assert answers[5]["params"]["result"] == answers[3]["result"]

    def test_paused_between_two(self) -> None:
        """Notifications that one was sent before go on when the client reads again."""

        async def run(node: Node) -> list[Any]:
            service = service_of(node)
            connection = FakeConnection(service)
            connection.arrive(SUBSCRIBE)
            node.mine(MineRequest(blocks=3))
            connection.pause_after = 2
            service.notify()
            sent_while_paused = len(connection.sent)
            connection.resume_writing()
            return [sent_while_paused, len(connection.sent)]

        with Node(Config(network="test")) as node:
            assert asyncio.run(run(node)) == [2, 4]

    def test_counted_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What waits for it is counted when there is more of it, not after every call."""
        counted: list[int] = []
        with Node(Config(network="test")) as node:
            unread = node.filters.unread
            monkeypatch.setattr(
                node.filters, "unread", lambda each: (counted.append(each), unread(each))[1]
            )

            async def run() -> None:
                service = service_of(node)
                connection = FakeConnection(service)
                connection.arrive(SUBSCRIBE)
                connection.pause_writing()
                node.mine(MineRequest())
                for _ in range(3):
                    service.notify()

            asyncio.run(run())

        assert len(counted) == 1

    def test_long_answer(self) -> None:
        """Notifications wait until all pieces of an answer are sent."""

        async def run(node: Node) -> list[Any]:
            service = service_of(node)
            service.dispatcher.serve_now(EMIT_LOGS)
            connection = FakeConnection(service)
            connection.pause_after = 3
            connection.arrive(SUBSCRIBE)
            connection.arrive(GET_LOGS)
            node.mine()
            service.notify()
            assert len(connection.sent) == 3
            connection.resume_writing()
            return connection.sent

        with Node(CONFIG) as node:
            _, *pieces, notification = asyncio.run(run(node))

        assert len(pieces) > 10
        assert len(json.loads(b"".join(pieces))["result"]) == LOGS
        assert json.loads(notification)["method"] == "eth_subscription"


class TestSlices:
    def test_no_more_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """While the client does not read what it was sent, no more of it is read; none is lost."""
        monkeypatch.setattr(limits, "MAX_UNREAD_BYTES", 50)

        async def run(node: Node) -> list[Any]:
            connection = FakeConnection(service_of(node))
            connection.pause_writing()
            connection.arrive(*[GET_CHAIN_ID] * 6)
            blocked = len(connection.sent), connection.reader.is_reading
            connection.resume_writing()
            for _ in range(100):
                await asyncio.sleep(0)
            return [blocked, connection.sent, connection.reader.is_reading]

        with Node(Config(network="test")) as node:
            blocked, sent, is_reading = asyncio.run(run(node))

        assert blocked == (0, False)
        assert len(sent) == 6
        assert is_reading

    def test_nothing_new(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Subscriptions are read only when something has changed, not after every call."""
        looked: list[int] = []
        with Node(Config(network="test")) as node:
            changes = node.filters.changes
            monkeypatch.setattr(
                node.filters, "changes", lambda each: (looked.append(each), changes(each))[1]
            )

            async def run() -> list[Any]:
                service = service_of(node)
                connection = FakeConnection(service)
                connection.arrive(SUBSCRIBE)
                for _ in range(3):
                    service.notify()
                node.mine(MineRequest())
                service.notify()
                service.notify()
                return connection.sent

            sent = asyncio.run(run())

        assert len(sent) == 2
        assert len(looked) == 1

    def test_notified_while_a_batch_runs(self, one_step: None) -> None:
        """Notifications of what others do come between the calls of a batch."""

        async def run(node: Node) -> list[Any]:
            service = service_of(node)
            connection = FakeConnection(service)
            connection.arrive(SUBSCRIBE)
            for _ in range(100):
                await asyncio.sleep(0)
            connection.arrive(b"[" + b",".join([GET_CHAIN_ID] * 1_000) + b"]")
            at_first = len(connection.sent)
            node.mine(MineRequest())
            service.notify()
            for _ in range(1_000):
                await asyncio.sleep(0)
            return [at_first, *map(json.loads, connection.sent)]

        with Node(Config(network="test")) as node:
            at_first, _, notification, answers = asyncio.run(run(node))

        assert at_first == 1
        assert notification["method"] == "eth_subscription"
        assert len(answers) == 1_000


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
    def test_dropped_connections(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Those that hold most are dropped when all together hold too much."""
        monkeypatch.setattr(limits, "MAX_HELD_BYTES", 1_000)
        done: list[object] = []
        registry: Any = ConnectionRegistry(Scheduler())
        for size in (400, 700, 600):
            registry.add(Holding(size, done))

        registry.note(1_000)

        assert done == [700]
