"""`devchain.node.snapshots`, and `Node.revert` and `Node.reset`"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from devchain.config import Config
from devchain.errors import InvalidInput, LimitExceeded
from devchain.node import Node
from devchain.types import BlockHash, LogQuery, MineRequest
from tests.accounts import BOB, CAROL
from tests.actions import deploy, fingerprint, install_filter, run, send
from tests.bytecode import COUNTER, EMIT, STORE, word
from tests.conftest import GENESIS_TIME

OTHER_KEY = bytes.fromhex("11" * 32)


def test_revert_takes_numbers() -> None:
    """What `node.snapshot()` returns is for `with`: to revert to it is an error that says so."""
    with Node() as node:
        for wrong in (node.snapshot(), None, "0x1"):
            with pytest.raises(InvalidInput, match=r"`with node.snapshot\(\):` takes back"):
                node.revert(wrong)
        with pytest.raises(AttributeError, match=r"did you mean with node.snapshot\(\):\?"):
            node.restore  # noqa: B018  # that is the case


class TestSnapshotStore:
    def test_ids_are_never_used_again(self, node: Node) -> None:
        """Ids are not reused, neither after a revert nor after clearing."""
        first, _ = node.snapshots.take(), node.snapshots.take()
        node.revert(first)
        third = node.snapshots.take()
        node.snapshots.clear()

        assert (third, node.snapshots.take()) == (3, 4)

    def test_room(self) -> None:
        """Beyond `--max-snapshots` none is taken, until a revert has dropped some."""
        node = Node(Config(max_snapshots=3))
        ids = [node.snapshots.take() for _ in range(3)]
        with pytest.raises(LimitExceeded, match=r"at most 3 snapshots .*--max-snapshots"):
            node.snapshots.take()

        node.revert(ids[0])

        assert [node.snapshots.take() for _ in range(2)] == [4, 5]

    def test_room_of_filters(self) -> None:
        """A snapshot counts for the filters in it."""
        node = Node(Config(max_snapshots=5))
        for _ in range(10):
            node.filters.watch_blocks()
        assert [node.snapshots.take() for _ in range(2)] == [1, 2]

        with pytest.raises(LimitExceeded):
            node.snapshots.take()

    def test_room_of_waiting_transactions(self) -> None:
        """A snapshot counts for what waits in it, once for as long as nothing else arrives."""
        node = Node(Config(max_snapshots=6, mining=False))
        for nonce in range(10):
            send(node, BOB, nonce=nonce)
        assert [node.snapshots.take() for _ in range(4)] == [1, 2, 3, 4]
        send(node, BOB, nonce=10)

        with pytest.raises(LimitExceeded):
            node.snapshots.take()
        node.snapshots.drop(1)
        assert node.snapshots.take() == 5


def _change_mining(node: Node) -> None:
    node.miner.running = not node.miner.running
    node.miner.block_time = 3.5


def _transfer(node: Node) -> None:
    node.start_mining()
    run(node, BOB, value=1, gas_price=2)


def _deploy(node: Node) -> None:
    node.start_mining()
    deploy(node, COUNTER)


def _drop(node: Node) -> None:
    for tx in (*node.mempool.pending(), *node.mempool.queued()):
        node.mempool.drop(tx)


def _unmined(node: Node) -> None:
    node.miner.running = False
    send(node, BOB, value=1)
    send(node, BOB, value=1, nonce=9)


CHANGES: dict[str, Callable[[Node], Any]] = {
    "transfer": _transfer,
    "deploy": _deploy,
    "blocks": lambda node: node.mine(MineRequest(blocks=20)),
    "timestamp": lambda node: node.mine(MineRequest(1, GENESIS_TIME + 10**6)),
    "time": lambda node: node.clock.advance(3_600),
    "unmined": _unmined,
    "pool-dropped": _drop,
    "pool-mined": lambda node: node.mine(MineRequest()),
    "mining": _change_mining,
    "lock": lambda node: node.accounts.lock(BOB),
    "new-account": lambda node: node.accounts.new("secret"),
    "import": lambda node: node.accounts.add(OTHER_KEY, "secret"),
    "read-filters": lambda node: [node.filters.changes(each) for each in (1, 2, 3)],
}


@pytest.fixture
def busy(node: Node) -> Node:
    """A node with something in every component."""
    emitter, store = deploy(node, EMIT), deploy(node, STORE)
    install_filter(node, LogQuery(from_block=0))
    node.filters.watch_blocks()
    node.filters.watch_pending()
    run(node, store, word(5))
    run(node, emitter, word(1) + word(2), gas_price=3)
    node.clock.advance(50)
    node.accounts.lock(CAROL)
    node.miner.running = False
    send(node, BOB, value=1)
    send(node, BOB, value=1, nonce=8)
    return node


class TestRevert:
    @pytest.mark.parametrize("name", CHANGES)
    def test_each_change(self, busy: Node, name: str) -> None:
        """A revert undoes each kind of change."""
        before, snapshot = fingerprint(busy), busy.snapshots.take()
        CHANGES[name](busy)

        assert busy.revert(snapshot)

        assert fingerprint(busy) == before

    def test_all_changes(self, busy: Node) -> None:
        """A revert undoes all of them together, and they can be repeated."""
        before, snapshot = fingerprint(busy), busy.snapshots.take()
        for _ in range(3):
            for change in CHANGES.values():
                change(busy)
            assert fingerprint(busy) != before

            assert busy.revert(snapshot)
            assert fingerprint(busy) == before

    def test_nested(self, busy: Node) -> None:
        """Nested snapshots each restore their own moment."""
        moments = []
        for name in ("transfer", "unmined", "time", "lock"):
            moments.append((busy.snapshots.take(), fingerprint(busy)))
            busy.miner.running = True
            CHANGES[name](busy)

        for snapshot, before in reversed(moments):
            assert busy.revert(snapshot)
            assert fingerprint(busy) == before
        assert [busy.revert(snapshot) for snapshot, _ in moments] == [True, False, False, False]

    def test_unmined_transactions_can_be_mined(self, busy: Node) -> None:
        """Transactions that were pending at the snapshot are pending again, and mined."""
        snapshot, waiting = busy.snapshots.take(), busy.mempool.pending()
        for _ in range(2):
            busy.mine(MineRequest())
            assert busy.chain.head.transactions == tuple(waiting)
            busy.revert(snapshot)

        assert busy.chain.receipt(waiting[0].hash) is None

    def test_a_mined_transaction_can_be_sent_again(self, node: Node) -> None:
        """A transaction of a removed block is unknown, and can be sent again."""
        snapshot = node.snapshots.take()
        mined = run(node, BOB, value=1).transaction
        head = node.chain.head
        node.revert(snapshot)
        assert node.chain.receipt(mined.hash) is None
        assert node.chain.find_block(BlockHash(head.hash)) is None

        assert node.send_raw(mined.raw) == mined.hash
        assert node.chain.head.hash == head.hash


class TestReset:
    def test_is_a_fresh_node(self, busy: Node, config: Config) -> None:
        """After a reset a node equals one that has just been started."""
        busy.snapshots.take()
        CHANGES["mining"](busy)

        busy.reset()

        assert fingerprint(busy) == fingerprint(Node(config))

    def test_snapshots_are_removed(self, busy: Node) -> None:
        """A reset removes all snapshots; the next one has a new id."""
        taken = busy.snapshots.take()
        busy.reset()

        assert (busy.revert(taken), busy.snapshots.take()) == (False, taken + 1)
