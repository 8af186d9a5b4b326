"""`devchain.rpc.subscriptions`, without a socket"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.config import Config
from devchain.errors import FilterNotFound, LimitExceeded
from devchain.node import Node
from devchain.rpc.subscriptions import Subscriptions
from devchain.types import LogQuery, MineRequest
from tests.accounts import BOB
from tests.actions import deploy, run, send
from tests.bytecode import EMIT, word
from tests.conftest import GENESIS_TIME


@pytest.fixture
def subscriptions(node: Node) -> Subscriptions:
    """The subscriptions of one connection."""
    return Subscriptions(node)


def results(subscriptions: Subscriptions) -> list[Any]:
    """The results of the new notifications."""
    return [each["params"]["result"] for each in subscriptions.notifications()]


def emit(node: Node, emitter: bytes, number: int) -> None:
    """Mine a block with one log, whose first topic is that number."""
    run(node, emitter, word(number) + word(0))  # type: ignore[arg-type]  # any 20 bytes


def topics(subscriptions: Subscriptions) -> list[int]:
    """The first topics of the new logs, negative if the log is removed."""
    signed = [(int(each["topics"][0], 16), each["removed"]) for each in results(subscriptions)]
    return [-number if removed else number for number, removed in signed]


class TestHeads:
    def test_new_blocks(self, node: Node, subscriptions: Subscriptions) -> None:
        """Every block is notified once, in order, with the subscription's id."""
        subscription_id = subscriptions.subscribe("newHeads")
        node.mine(MineRequest(blocks=3))

        notifications = list(subscriptions.notifications())

        assert [each["params"]["result"]["number"] for each in notifications] == [
            "0x1",
            "0x2",
            "0x3",
        ]
        assert {each["params"]["subscription"] for each in notifications} == {subscription_id}
        assert {(each["jsonrpc"], each["method"]) for each in notifications} == {
            ("2.0", "eth_subscription")
        }
        assert results(subscriptions) == []

    def test_shape(self, node: Node, subscriptions: Subscriptions) -> None:
        """A head has the header's members without those of the body and of merged mining."""
        subscriptions.subscribe("newHeads")
        node.mine(MineRequest())

        [head] = results(subscriptions)

        assert list(head) == [
            "number",
            "hash",
            "parentHash",
            "mixHash",
            "nonce",
            "sha3Uncles",
            "logsBloom",
            "transactionsRoot",
            "stateRoot",
            "receiptsRoot",
            "miner",
            "difficulty",
            "extraData",
            "gasLimit",
            "gasUsed",
            "timestamp",
            "minimumGasPrice",
        ]
        assert head["hash"] == "0x" + node.chain.head.hash.hex()

    def test_ethereum(self) -> None:
        """Under Ethereum's rules a head has the base fee."""
        config = Config(network="test", hardfork="prague", fixed_clock=GENESIS_TIME)
        with Node(config) as node:
            subscriptions = Subscriptions(node)
            subscriptions.subscribe("newHeads")
            node.mine(MineRequest())

            [head] = results(subscriptions)

        assert {"baseFeePerGas", "withdrawalsRoot"} <= set(head)
        assert not {"withdrawals", "uncles", "size"} & set(head)

    def test_revert(self, node: Node, subscriptions: Subscriptions) -> None:
        """After a revert the blocks that replace notified ones are notified."""
        subscriptions.subscribe("newHeads")
        taken = node.snapshots.take()
        node.mine(MineRequest(blocks=2))
        results(subscriptions)
        node.revert(taken)
        node.mine(MineRequest(timestamp=GENESIS_TIME + 1000))

        [head] = results(subscriptions)

        assert (head["number"], head["timestamp"]) == ("0x1", hex(GENESIS_TIME + 1000))

    def test_removed_while_notifying(self, node: Node, subscriptions: Subscriptions) -> None:
        """A block that a revert removes during the notifications is left out."""
        subscriptions.subscribe("newHeads")
        taken = node.snapshots.take()
        node.mine(MineRequest(blocks=2))
        notifications = subscriptions.notifications()
        next(notifications)
        node.revert(taken)

        assert list(notifications) == []


class TestLogs:
    @pytest.fixture
    def emitter(self, node: Node) -> bytes:
        """A contract that emits a log with the word it gets as topic."""
        return deploy(node, EMIT)

    def test_matching(self, node: Node, subscriptions: Subscriptions, emitter: bytes) -> None:
        """Only new logs that match address and topics are notified."""
        emit(node, emitter, 7)
        subscriptions.subscribe("logs", LogQuery(topics=(frozenset([word(7)]),)))  # type: ignore[arg-type]
        for number in (7, 8, 7):
            emit(node, emitter, number)

        assert topics(subscriptions) == [7, 7]

    def test_range_is_ignored(
        self, node: Node, subscriptions: Subscriptions, emitter: bytes
    ) -> None:
        """A block range is ignored, as on other nodes."""
        emit(node, emitter, 1)
        subscriptions.subscribe("logs", LogQuery(from_block=0, to_block=1))
        emit(node, emitter, 2)

        assert topics(subscriptions) == [2]

    def test_removed(self, node: Node, subscriptions: Subscriptions, emitter: bytes) -> None:
        """Notified logs that a revert removes are notified again as removed, newest first."""
        subscriptions.subscribe("logs")
        taken = node.snapshots.take()
        for number in (1, 2):
            emit(node, emitter, number)
        before = topics(subscriptions)
        node.revert(taken)
        emit(node, emitter, 3)

        assert (before, topics(subscriptions)) == ([1, 2], [-2, -1, 3])


class TestPending:
    def test_hashes(self, node: Node, subscriptions: Subscriptions) -> None:
        """A transaction is notified by its hash even if it is mined at once."""
        subscriptions.subscribe("newPendingTransactions")
        sent = send(node, BOB, value=1)

        assert results(subscriptions) == ["0x" + sent.hex()]

    def test_full(self, node: Node, subscriptions: Subscriptions) -> None:
        """A transaction object has no position in a block, even if it is mined."""
        subscriptions.subscribe("newPendingTransactions", options=True)
        sent = send(node, BOB, value=1)

        [shown] = results(subscriptions)

        assert (shown["hash"], shown["to"]) == ("0x" + sent.hex(), "0x" + BOB.hex())
        assert (shown["blockHash"], shown["blockNumber"], shown["transactionIndex"]) == (None,) * 3

    def test_pending(self, node: Node, subscriptions: Subscriptions) -> None:
        """A transaction that stays in the mempool is notified too."""
        node.miner.running = False
        subscriptions.subscribe("newPendingTransactions", options=True)
        sent = send(node, BOB, value=1)

        assert [each["hash"] for each in results(subscriptions)] == ["0x" + sent.hex()]

    def test_reverted(self, node: Node, subscriptions: Subscriptions) -> None:
        """A transaction that a revert has removed is left out."""
        subscriptions.subscribe("newPendingTransactions", options=True)
        taken = node.snapshots.take()
        send(node, BOB, value=1)
        notifications = subscriptions.notifications()
        node.revert(taken)

        assert list(notifications) == []


class TestSyncing:
    def test_silent(self, node: Node, subscriptions: Subscriptions) -> None:
        """The node never synchronizes, so there are no notifications."""
        subscriptions.subscribe("syncing")
        node.mine(MineRequest())

        assert results(subscriptions) == []


class TestSubscriptions:
    def test_ids(self, subscriptions: Subscriptions) -> None:
        """Ids are 16 bytes and differ."""
        names = {subscriptions.subscribe("newHeads") for _ in range(20)}

        assert len(names) == 20
        assert {(name[:2], len(name)) for name in names} == {("0x", 34)}

    def test_unsubscribe(self, node: Node, subscriptions: Subscriptions) -> None:
        """An ended subscription has no notifications and cannot be ended again."""
        subscription_id = subscriptions.subscribe("newHeads")
        node.mine(MineRequest())

        assert (
            subscriptions.unsubscribe(subscription_id),
            subscriptions.unsubscribe(subscription_id),
        ) == (True, False)
        assert results(subscriptions) == []

    def test_unsubscribe_while_notifying(self, node: Node, subscriptions: Subscriptions) -> None:
        """A subscription that ends during the notifications of others is skipped."""
        subscriptions.subscribe("newHeads")
        ending = subscriptions.subscribe("newHeads")
        node.mine(MineRequest())
        notifications = subscriptions.notifications()
        next(notifications)
        subscriptions.unsubscribe(ending)

        assert list(notifications) == []

    def test_close(self, node: Node, subscriptions: Subscriptions) -> None:
        """Closing uninstalls all filters."""
        subscriptions.subscribe("newHeads")
        subscriptions.subscribe("syncing")
        subscriptions.close()

        assert len(subscriptions) == 0
        with pytest.raises(FilterNotFound):
            node.filters.find(1)

    def test_limit(
        self, node: Node, subscriptions: Subscriptions, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A connection has a limited number of subscriptions."""
        monkeypatch.setattr("devchain.rpc.subscriptions.MAX_SUBSCRIPTIONS", 2)
        subscriptions.subscribe("newHeads")
        subscriptions.subscribe("newHeads")

        with pytest.raises(LimitExceeded, match="2 subscriptions: end some"):
            subscriptions.subscribe("newHeads")

        assert node.filters.watch_blocks() == 3  # the refused one installed no filter

    def test_unread_count(self, node: Node, subscriptions: Subscriptions) -> None:
        """Unread blocks and transactions are counted without being read."""
        subscriptions.subscribe("newHeads")
        subscriptions.subscribe("logs")
        subscriptions.subscribe("newPendingTransactions")
        subscriptions.subscribe("syncing")
        send(node, BOB, value=1)

        assert (subscriptions.unread_count(), subscriptions.unread_count()) == (3, 3)

    def test_snapshots(self, node: Node, subscriptions: Subscriptions) -> None:
        """A revert neither restores ended subscriptions nor ends new ones."""
        old = subscriptions.subscribe("newHeads")
        taken = node.snapshots.take()
        subscriptions.unsubscribe(old)
        subscriptions.subscribe("newHeads")
        node.revert(taken)
        node.mine(MineRequest())

        assert len(results(subscriptions)) == 1
        with pytest.raises(FilterNotFound):
            node.filters.find(1)
