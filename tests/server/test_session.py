"""`devchain.server.session`, without sockets"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from devchain.config import Config
from devchain.node import Node
from devchain.server import limits
from devchain.server.connection import FlowControl
from devchain.server.session import Session, Subscribers
from devchain.types import MineRequest


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


class FakeConnection:
    """A connection that records the messages sent."""

    peer = None

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.transport: Any = FakeTransport()
        self.flow = FlowControl(self.transport)

    def send_message(self, message: bytes) -> None:
        self.sent.append(message)

    def drop(self, reason: str) -> None:
        self.sent.append(reason)


def new_session(node: Node, subscribers: Subscribers | None = None) -> tuple[Session, Any]:
    """A session and its connection."""
    connection: Any = FakeConnection()
    return Session(node, subscribers or Subscribers(), connection), connection


class TestSlowReader:
    def test_notifications_wait(self) -> None:
        """While the client does not read nothing is sent; afterwards all of it is, in order."""

        async def run(node: Node) -> list[Any]:
            subscribers = Subscribers()
            session, connection = new_session(node, subscribers)
            session.receive(b'{"id":1,"method":"eth_subscribe","params":["newHeads"]}')
            await asyncio.sleep(0)
            connection.flow.pause_writing()
            session.receive(b'{"id":2,"method":"eth_chainId"}')
            node.mine(MineRequest(blocks=3))
            subscribers.notify()
            sent_while_paused = len(connection.sent)
            connection.flow.resume_writing()
            session.resume()
            await asyncio.sleep(0)
            return [sent_while_paused, *map(json.loads, connection.sent)]

        with Node(Config(network="test")) as node:
            sent_while_paused, subscribed, chain_id, *heads = asyncio.run(run(node))

        assert (sent_while_paused, subscribed["id"], chain_id["id"]) == (1, 1, 2)
        assert [each["params"]["result"]["number"] for each in heads] == ["0x1", "0x2", "0x3"]


class TestTurns:
    def test_messages_wait(self) -> None:
        """Of many messages one is answered at once, each other one after other connections."""

        async def run(node: Node) -> list[int]:
            session, connection = new_session(node)
            for _ in range(3):
                session.receive(b'{"id":2,"method":"eth_chainId"}')
            counts = [len(connection.sent)]
            for _ in range(4):
                await asyncio.sleep(0)
                counts.append(len(connection.sent))
            return counts

        with Node(Config(network="test")) as node:
            assert asyncio.run(run(node)) == [1, 2, 3, 3, 3]

    def test_no_more_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """While too many messages wait nothing more is read."""
        monkeypatch.setattr(limits, "MAX_WAITING_BYTES", 100)
        monkeypatch.setattr(limits, "WAITING_OVERHEAD_BYTES", 0)

        async def run(node: Node) -> list[bool]:
            session, connection = new_session(node)
            reads = []
            for _ in range(6):
                session.receive(b'{"id":2,"method":"eth_chainId"}')
                reads.append(connection.transport.is_reading)
            while len(connection.sent) < 6:
                await asyncio.sleep(0)
                reads.append(connection.transport.is_reading)
            return reads

        with Node(Config(network="test")) as node:
            reads = asyncio.run(run(node))

        assert reads[:6] == [True, True, True, True, False, False]
        assert reads[-1]

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
                session, connection = new_session(node, subscribers)
                session.receive(b'{"id":1,"method":"eth_subscribe","params":["newHeads"]}')
                await asyncio.sleep(0)
                for _ in range(3):
                    subscribers.notify()
                node.mine(MineRequest())
                subscribers.notify()
                subscribers.notify()
                sent: list[Any] = connection.sent
                return sent

            sent = asyncio.run(run())

        assert len(sent) == 2
        assert len(looked) == 1
