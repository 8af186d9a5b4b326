"""`devchain.rpc.subscriptions`: what comes by itself, without a socket"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.config import Config
from devchain.errors import FilterNotFound, LimitExceeded
from devchain.node import Node
from devchain.rpc import subscriptions as module
from devchain.rpc.subscriptions import Subscriptions
from devchain.types import LogQuery, MineRequest
from tests.accounts import BOB
from tests.actions import deploy, run, send
from tests.bytecode import EMIT, word
from tests.conftest import GENESIS_TIME


@pytest.fixture
def owner(node: Node) -> Subscriptions:
    """A connection's subscriptions."""
    return Subscriptions(node)


def results(owner: Subscriptions) -> list[Any]:
    """What is new."""
    return [each["params"]["result"] for each in owner.news()]


def emit(node: Node, emitter: bytes, number: int) -> None:
    """A block with one log, its first topic that number."""
    run(node, emitter, word(number) + word(0))  # type: ignore[arg-type]  # any 20 bytes


def told(owner: Subscriptions) -> list[int]:
    """The first topic of each new log, negative when it was removed."""
    signed = [(int(each["topics"][0], 16), each["removed"]) for each in results(owner)]
    return [-number if removed else number for number, removed in signed]


class TestHeads:
    def test_new_blocks(self, node: Node, owner: Subscriptions) -> None:
        """Every block is told once, in order, with the id."""
        name = owner.to_heads()
        node.mine(MineRequest(blocks=3))

        news = list(owner.news())

        assert [each["params"]["result"]["number"] for each in news] == ["0x1", "0x2", "0x3"]
        assert {each["params"]["subscription"] for each in news} == {name}
        assert {(each["jsonrpc"], each["method"]) for each in news} == {("2.0", "eth_subscription")}
        assert results(owner) == []

    def test_shape(self, node: Node, owner: Subscriptions) -> None:
        """A head is a header: nothing of the body, nothing of merged mining."""
        owner.to_heads()
        node.mine(MineRequest())

        [head] = results(owner)

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
        """Under Ethereum rules a head has the base fee."""
        config = Config(network="test", hardfork="prague", fixed_clock=GENESIS_TIME)
        with Node(config) as node:
            owner = Subscriptions(node)
            owner.to_heads()
            node.mine(MineRequest())

            [head] = results(owner)

        assert {"baseFeePerGas", "withdrawalsRoot"} <= set(head)
        assert not {"withdrawals", "uncles", "size"} & set(head)

    def test_revert(self, node: Node, owner: Subscriptions) -> None:
        """After a revert the blocks that take the place of told ones are told."""
        owner.to_heads()
        taken = node.snapshots.take()
        node.mine(MineRequest(blocks=2))
        results(owner)
        node.revert(taken)
        node.mine(MineRequest(timestamp=GENESIS_TIME + 1000))

        [head] = results(owner)

        assert (head["number"], head["timestamp"]) == ("0x1", hex(GENESIS_TIME + 1000))

    def test_gone_before_it_was_told(self, node: Node, owner: Subscriptions) -> None:
        """A block that a revert takes back while news are being told is left out."""
        owner.to_heads()
        taken = node.snapshots.take()
        node.mine(MineRequest(blocks=2))
        news = owner.news()
        next(news)
        node.revert(taken)

        assert list(news) == []


class TestLogs:
    @pytest.fixture
    def emitter(self, node: Node) -> bytes:
        """A contract that emits the word it is sent as a topic."""
        return deploy(node, EMIT)

    def test_matching(self, node: Node, owner: Subscriptions, emitter: bytes) -> None:
        """Only logs of the address and topics asked for, from now on."""
        emit(node, emitter, 7)
        owner.to_logs(LogQuery(topics=(frozenset([word(7)]),)))  # type: ignore[arg-type]
        for number in (7, 8, 7):
            emit(node, emitter, number)

        assert told(owner) == [7, 7]

    def test_range_is_ignored(self, node: Node, owner: Subscriptions, emitter: bytes) -> None:
        """A range, which other nodes ignore too, changes nothing."""
        emit(node, emitter, 1)
        owner.to_logs(LogQuery(from_block=0, to_block=1))
        emit(node, emitter, 2)

        assert told(owner) == [2]

    def test_removed(self, node: Node, owner: Subscriptions, emitter: bytes) -> None:
        """Logs that were told and that a revert takes back come again, newest first."""
        owner.to_logs(LogQuery())
        taken = node.snapshots.take()
        for number in (1, 2):
            emit(node, emitter, number)
        before = told(owner)
        node.revert(taken)
        emit(node, emitter, 3)

        assert (before, told(owner)) == ([1, 2], [-2, -1, 3])

    def test_reset(self, node: Node, owner: Subscriptions, emitter: bytes) -> None:
        """A reset takes every log back, and the subscription goes on."""
        owner.to_logs(LogQuery())
        emit(node, emitter, 1)
        told(owner)
        node.reset()
        emit(node, deploy(node, EMIT), 2)

        assert told(owner) == [-1, 2]

    def test_never_told(self, node: Node, owner: Subscriptions, emitter: bytes) -> None:
        """A log that came and went between two readings is not spoken of."""
        owner.to_logs(LogQuery())
        taken = node.snapshots.take()
        emit(node, emitter, 1)
        node.revert(taken)

        assert told(owner) == []


class TestPending:
    def test_hashes(self, node: Node, owner: Subscriptions) -> None:
        """A transaction is told by its hash even when it is mined at once."""
        owner.to_pending(full=False)
        sent = send(node, BOB, value=1)

        assert results(owner) == ["0x" + sent.hex()]

    def test_full(self, node: Node, owner: Subscriptions) -> None:
        """A whole transaction is shown as it was while it waited."""
        owner.to_pending(full=True)
        sent = send(node, BOB, value=1)

        [shown] = results(owner)

        assert (shown["hash"], shown["to"]) == ("0x" + sent.hex(), "0x" + BOB.hex())
        assert (shown["blockHash"], shown["blockNumber"], shown["transactionIndex"]) == (None,) * 3

    def test_waiting(self, node: Node, owner: Subscriptions) -> None:
        """One that waits is shown the same way."""
        node.miner.running = False
        owner.to_pending(full=True)
        sent = send(node, BOB, value=1)

        assert [each["hash"] for each in results(owner)] == ["0x" + sent.hex()]

    def test_gone(self, node: Node, owner: Subscriptions) -> None:
        """One that a revert has made disappear is left out."""
        owner.to_pending(full=True)
        taken = node.snapshots.take()
        send(node, BOB, value=1)
        news = owner.news()
        node.revert(taken)

        assert list(news) == []

    def test_reset(self, node: Node, owner: Subscriptions) -> None:
        """After a reset what comes is told."""
        owner.to_pending(full=False)
        send(node, BOB, value=1)
        results(owner)
        node.reset()
        sent = send(node, BOB, value=2)

        assert results(owner) == ["0x" + sent.hex()]


class TestSyncing:
    def test_silent(self, node: Node, owner: Subscriptions) -> None:
        """The chain never syncs, so there is nothing to tell."""
        owner.to_syncing()
        node.mine(MineRequest())

        assert results(owner) == []


class TestSubscriptions:
    def test_ids(self, owner: Subscriptions) -> None:
        """Ids are 16 bytes and differ."""
        names = {owner.to_heads() for _ in range(20)}

        assert len(names) == 20
        assert {(name[:2], len(name)) for name in names} == {("0x", 34)}

    def test_remove(self, node: Node, owner: Subscriptions) -> None:
        """An ended subscription says nothing more, and cannot be ended again."""
        name = owner.to_heads()
        node.mine(MineRequest())

        assert (owner.remove(name), owner.remove(name)) == (True, False)
        assert results(owner) == []

    def test_remove_while_told(self, node: Node, owner: Subscriptions) -> None:
        """A subscription that ends while the others are told is skipped."""
        owner.to_heads()
        ending = owner.to_heads()
        node.mine(MineRequest())
        news = owner.news()
        next(news)
        owner.remove(ending)

        assert list(news) == []

    def test_close(self, node: Node, owner: Subscriptions) -> None:
        """The end of a connection leaves nothing installed."""
        owner.to_heads()
        owner.to_syncing()
        owner.close()

        assert len(owner) == 0
        with pytest.raises(FilterNotFound):
            node.filters.find(1)

    def test_limit(self, node: Node, owner: Subscriptions, monkeypatch: pytest.MonkeyPatch) -> None:
        """A connection has so many subscriptions and no more."""
        monkeypatch.setattr(module, "MOST", 2)
        owner.to_heads()
        owner.to_heads()

        with pytest.raises(LimitExceeded, match="2 subscriptions: end some"):
            owner.to_heads()

        assert node.filters.watch_blocks() == 3  # the refused one left nothing behind

    def test_behind(self, node: Node, owner: Subscriptions) -> None:
        """What has not been told is counted without being read."""
        owner.to_heads()
        owner.to_logs(LogQuery())
        owner.to_pending(full=False)
        owner.to_syncing()
        send(node, BOB, value=1)

        assert (owner.behind(), owner.behind()) == (3, 3)

    def test_snapshots(self, node: Node, owner: Subscriptions) -> None:
        """A snapshot does not bring back a subscription that has ended since, nor end a new one."""
        old = owner.to_heads()
        taken = node.snapshots.take()
        owner.remove(old)
        owner.to_heads()
        node.revert(taken)
        node.mine(MineRequest())

        assert len(results(owner)) == 1
        with pytest.raises(FilterNotFound):
            node.filters.find(1)
