"""`devchain.node.external_mining`"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devchain.chain.block import Block
from devchain.chain.merged_mining import from_bitcoin_block, verify
from devchain.clock import Clock
from devchain.config import Config
from devchain.errors import RootstockOnly, WorkRefused
from devchain.node import Node
from devchain.node.external_mining import (
    MAX_BLOCKS,
    MAX_CLIENTS,
    MAX_HASHRATE,
    ImportResult,
    work_hash,
)
from devchain.types import Hash32, MineRequest
from tests.accounts import BOB, UNFUNDED
from tests.actions import fingerprint, send
from tests.bitcoin_miner import BitcoinBlock, unlucky
from tests.clocks import Stopwatch
from tests.conftest import GENESIS_TIME

MINUTE = 60


@pytest.fixture
def wall() -> Stopwatch:
    """The wall clock of `ticking`."""
    return Stopwatch(GENESIS_TIME)


@pytest.fixture
def ticking(wall: Stopwatch) -> Node:
    """A node that mines on request, on the wall clock."""
    return Node(Config(mining=False), Clock(source=wall))


@pytest.fixture
def manual() -> Node:
    """A node that mines on request, on a fixed clock."""
    return Node(Config(network="test", fixed_clock=GENESIS_TIME, mining=False))


def submit(node: Node, block: Block, size: int = 5, salt: int = 0) -> tuple[Block, ImportResult]:
    """Mine a bitcoin block that commits to that block, and submit it."""
    mined = BitcoinBlock.mine(work_hash(block), size, salt=salt)
    return node.work.submit_block(from_bitcoin_block(bytes.fromhex(mined.whole()[0])))


class TestHandOut:
    def test_pending(self, manual: Node) -> None:
        """Work is the pending block with its transactions, not sealed."""
        sent = send(manual, BOB, value=1)

        block, is_new = manual.work.get_work()

        assert (block, is_new, block.sealed) == (manual.chain.pending(), True, False)
        assert [tx.hash for tx in block.transactions] == [sent]

    def test_same_work(self, ticking: Node, wall: Stopwatch) -> None:
        """For a minute the same block is returned, then a later one; neither counts as new work."""
        first, _ = ticking.work.get_work()
        wall.seconds += MINUTE - 1
        second = ticking.work.get_work()
        wall.seconds += 2
        third, is_new = ticking.work.get_work()

        assert second == (first, False)
        assert (third.timestamp - first.timestamp, is_new) == (MINUTE, False)

    @pytest.mark.parametrize(
        "change",
        [
            lambda node: send(node, BOB, value=1),
            lambda node: node.mine(MineRequest()),
            lambda node: node.clock.advance(5),
            lambda node: setattr(node.miner, "coinbase", BOB) or node.clock.advance(1),
        ],
        ids=["transaction", "block", "clock", "coinbase"],
    )
    def test_new_work(self, manual: Node, change: Callable[[Node], object]) -> None:
        """A change of the block makes new work, once."""
        first, _ = manual.work.get_work()
        change(manual)

        second, third = manual.work.get_work(), manual.work.get_work()

        assert second[0] != first
        assert (second[1], third) == (True, (second[0], False))

    @pytest.mark.parametrize("hardfork", ["frontier", "london", "prague"])
    def test_ethereum(self, hardfork: str) -> None:
        """Under Ethereum's rules the hash of work is the header's hash."""
        node = Node(Config(hardfork=hardfork))
        block, _ = node.work.get_work()

        assert node.work.submit_work(work_hash(block))
        assert node.chain.head.hash == work_hash(block) == block.hash


class TestSubmit:
    @pytest.mark.parametrize("size", [1, 2, 3, 8])
    def test_becomes_the_head(self, manual: Node, size: int) -> None:
        """A bitcoin block of any size makes the block the head, with its own proof in it."""
        sent = send(manual, UNFUNDED, value=7)
        work, _ = manual.work.get_work()

        block, result = submit(manual, work, size)

        assert result is ImportResult.BEST
        assert manual.chain.head is block
        assert manual.chain.receipt(Hash32(sent)) is not None
        assert (manual.chain.state_at(1).balance(UNFUNDED), len(manual.mempool)) == (7, 0)
        assert block.sealed
        assert block.merged_mining is not None
        verify(work_hash(block), 1, block.merged_mining)

    @pytest.mark.parametrize("first", [0, 1])
    def test_two_works(self, manual: Node, first: int) -> None:
        """Of two works on one parent the first that is sealed is imported, the other is not."""
        works = [manual.work.get_work()[0]]
        send(manual, BOB, value=1)
        works.append(manual.work.get_work()[0])

        _, won = submit(manual, works[first])
        late, lost = submit(manual, works[1 - first])

        assert (won, lost) == (ImportResult.BEST, ImportResult.NOT_BEST)
        assert (manual.chain.height, len(manual.chain.head.transactions)) == (1, first)
        assert late.hash != manual.chain.head.hash

    def test_twice(self, manual: Node) -> None:
        """The same bitcoin block again is EXIST; another one for the same work is not imported."""
        work, _ = manual.work.get_work()

        results = [submit(manual, work, salt=salt)[1] for salt in (0, 0, 1)]

        assert results == [ImportResult.BEST, ImportResult.EXIST, ImportResult.NOT_BEST]
        assert manual.chain.height == 1

    @pytest.mark.parametrize("blocks", [1, 3])
    def test_mined_in_between(self, manual: Node, blocks: int) -> None:
        """Work whose parent is no longer the head, after a block of the node, is not imported."""
        work, _ = manual.work.get_work()
        manual.mine(MineRequest(blocks))
        before = fingerprint(manual)

        _, result = submit(manual, work)

        assert result is ImportResult.NOT_BEST
        assert fingerprint(manual) == before

    def test_old_work(self, manual: Node) -> None:
        """The last 20 works can be submitted, older ones are refused."""
        works = []
        for _ in range(MAX_BLOCKS + 1):
            works.append(manual.work.get_work()[0])
            manual.clock.advance(2)

        with pytest.raises(WorkRefused, match="could not find hash"):
            submit(manual, works[0])
        assert submit(manual, works[1])[1] is ImportResult.BEST

    def test_too_little_work(self, manual: Node) -> None:
        """A bitcoin header above the target is refused; the work can still be submitted."""
        work, _ = manual.work.get_work()
        before = fingerprint(manual)
        (raw,) = unlucky(BitcoinBlock.mine(work_hash(work))).whole()

        with pytest.raises(
            WorkRefused, match=r"Invalid block supplied by miner: .* above the target"
        ):
            manual.work.submit_block(from_bitcoin_block(bytes.fromhex(raw)))

        assert fingerprint(manual) == before
        assert submit(manual, work)[1] is ImportResult.BEST

    def test_ethereum(self) -> None:
        """There is no merged mining under Ethereum's rules."""
        node = Node(Config(hardfork="cancun"))
        work, _ = node.work.get_work()

        with pytest.raises(RootstockOnly, match="--hardfork cancun"):
            submit(node, work)


class TestSeal:
    def test_as_the_node_mines(self, manual: Node) -> None:
        """The block equals the one that the node would have mined itself."""
        other = Node(manual.config)
        for each in (manual, other):
            send(each, BOB, value=1)

        sealed = manual.work.submit_work(work_hash(manual.work.get_work()[0]))

        assert sealed
        assert manual.chain.head.hash == other.miner.mine().hash

    def test_late(self, manual: Node) -> None:
        """An unknown work hash, and one whose parent is no longer the head, seal nothing."""
        work = work_hash(manual.work.get_work()[0])
        manual.miner.mine()

        assert not manual.work.submit_work(work)
        assert not manual.work.submit_work(Hash32(bytes(32)))
        assert manual.chain.height == 1


class TestSnapshots:
    @pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
    def test_revert(self, manual: Node, before: bool) -> None:
        """A revert discards work, whether it was returned before the snapshot or after."""
        early = manual.work.get_work()[0]
        taken = manual.snapshots.take()
        send(manual, BOB, value=1)
        late = manual.work.get_work()[0]
        manual.revert(taken)

        with pytest.raises(WorkRefused, match="could not find hash"):
            submit(manual, early if before else late)
        assert manual.work.get_work() == (early, True)

    def test_revert_an_outside_block(self, manual: Node) -> None:
        """A block of an external miner is reverted like any other, and can be mined again."""
        send(manual, BOB, value=1)
        taken, before = manual.snapshots.take(), fingerprint(manual)
        block, _ = submit(manual, manual.work.get_work()[0])

        manual.revert(taken)

        assert fingerprint(manual) == before
        assert submit(manual, manual.work.get_work()[0]) == (block, ImportResult.BEST)


class TestRates:
    def test_sum(self, node: Node) -> None:
        """Each client counts with its last rate."""
        one, two = (Hash32(bytes([each]) * 32) for each in (1, 2))
        for client, rate in ((one, 5), (two, 30), (one, 7)):
            node.work.submit_hashrate(client, rate)

        assert node.work.hashrate() == 37

    def test_limits(self, node: Node) -> None:
        """A rate has 64 bits, and only the last hundred clients count."""
        clients = [Hash32(each.to_bytes(32, "big")) for each in range(MAX_CLIENTS + 1)]
        for client in clients:
            node.work.submit_hashrate(client, 1)

        assert not node.work.submit_hashrate(clients[0], MAX_HASHRATE + 1)
        assert node.work.hashrate() == MAX_CLIENTS
        assert node.work.submit_hashrate(clients[0], MAX_HASHRATE)

    @pytest.mark.parametrize(
        ("hardfork", "later", "expected"),
        [("vetiver", 0, 0), ("berlin", 0, 109), ("berlin", 3_599, 72), ("berlin", 3_601, 0)],
    )
    def test_network(self, hardfork: str, later: int, expected: int) -> None:
        """The network's rate is the difficulty of the last hour's blocks, a second's share."""
        node = Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME))
        node.mine(MineRequest(3))
        node.clock.advance(later)

        assert node.work.network_hashrate() == expected
