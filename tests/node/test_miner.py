"""`devchain.node.miner`"""

from __future__ import annotations

import pytest

from devchain.chain.block import Block
from devchain.chain.slices import finish
from devchain.chain.transaction import Transaction
from devchain.clock import MAX_TIMESTAMP, Clock
from devchain.config import Config
from devchain.errors import InvalidInput, StoreFailed, TransactionRejected
from devchain.evm import deadline
from devchain.node import Node
from devchain.node.core import BLOCKS_PER_SLICE
from devchain.node.mempool import MempoolCheckpoint
from devchain.types import Address, MineRequest, Tag, TransactionRequest
from tests.accounts import ALICE, BOB, CAROL, FUNDS
from tests.actions import deploy, fingerprint, run, send
from tests.bytecode import COUNTER, INVALID, LOOP, word
from tests.clocks import Stopwatch, Ticks
from tests.conftest import GENESIS_TIME

LIMIT = 6_800_000


@pytest.fixture
def manual() -> Node:
    """A node that mines only on request."""
    return Node(Config(network="test", fixed_clock=GENESIS_TIME, mining=False))


@pytest.fixture
def watch() -> Stopwatch:
    """The clock of `interval`."""
    return Stopwatch()


@pytest.fixture
def interval(watch: Stopwatch) -> Node:
    """A node that mines every ten seconds of `watch`."""
    config = Config(network="test", block_time=10)
    return Node(config, Clock(fixed=GENESIS_TIME, monotonic=watch))


def transfer(node: Node, sender: Address, gas_price: int = 0, gas: int = 21_000) -> Transaction:
    """Send a little to CAROL; the transaction in the mempool."""
    request = TransactionRequest(sender, CAROL, gas=gas, gas_price=gas_price, value=1)
    found = node.mempool.find(node.send(request))
    assert found is not None, "not in the pool"
    return found


def forge(node: Node, tx: Transaction) -> None:
    """Put a transaction into the mempool without validation, as if the state had changed since."""
    waiting = {tx.sender: {tx.nonce: tx}}
    node.mempool.restore(MempoolCheckpoint(waiting, 0, frozenset()))


class TestAutomatic:
    def test_mined_on_return(self, node: Node) -> None:
        """When the hash is returned the receipt can be read."""
        for sender in (ALICE, BOB, ALICE):
            mined = node.chain.receipt(node.send(TransactionRequest(sender, CAROL)))
            assert mined is not None
            assert mined[0] is node.chain.head

        assert (node.chain.height, len(node.mempool)) == (3, 0)

    def test_a_gap_waits(self, node: Node) -> None:
        """A transaction that cannot be mined yet is accepted, and no block is mined."""
        later = node.send(TransactionRequest(ALICE, CAROL, nonce=1))
        assert (node.chain.height, node.chain.receipt(later)) == (0, None)

        node.send(TransactionRequest(ALICE, CAROL, nonce=0))

        assert (node.chain.height, len(node.chain.head.transactions)) == (1, 2)
        assert node.chain.receipt(later) is not None

    def test_more_than_a_block(self, node: Node) -> None:
        """Transactions that fill several blocks are mined in several blocks."""
        hungry = deploy(node, INVALID)
        for nonce in (3, 2, 1):
            node.send(TransactionRequest(ALICE, hungry, nonce=nonce, gas=4_000_000))

        mined = [len(block.transactions) for block in node.chain.blocks_after(1)]

        assert (mined, len(node.mempool)) == ([1, 1, 1], 0)


class TestManual:
    def test_waits(self, manual: Node) -> None:
        """Nothing is mined until requested; then everything is, in one block."""
        sent = [transfer(manual, sender) for sender in (ALICE, BOB, ALICE)]
        assert (manual.chain.height, len(manual.mempool)) == (0, 3)

        manual.mine(MineRequest())

        assert set(manual.chain.head.transactions) == set(sent)
        assert len(manual.mempool) == 0

    def test_start_and_stop(self, manual: Node) -> None:
        """A started miner mines what is pending and what arrives; a stopped one does not."""
        transfer(manual, ALICE)
        manual.start_mining()
        assert (manual.chain.height, len(manual.mempool)) == (1, 0)

        manual.send(TransactionRequest(ALICE, CAROL))
        assert manual.chain.height == 2

        manual.miner.running = False
        transfer(manual, ALICE)
        assert (manual.chain.height, len(manual.mempool)) == (2, 1)

    @pytest.mark.parametrize("blocks", [0, 1, 5])
    def test_several(self, manual: Node, blocks: int) -> None:
        """That many blocks are mined, the first with what is pending."""
        transfer(manual, ALICE)

        manual.mine(MineRequest(blocks=blocks))

        assert manual.chain.height == blocks
        assert len(manual.mempool) == (0 if blocks else 1)


class TestTimestamp:
    def test_is_the_first_block_s(self, manual: Node) -> None:
        """The first block has the given timestamp, the next ones follow."""
        manual.mine(MineRequest(2, GENESIS_TIME + 100))
        manual.mine(MineRequest())

        times = [block.timestamp for block in manual.chain.blocks_after(0)]

        assert times == [GENESIS_TIME + seconds for seconds in (100, 101, 102)]

    @pytest.mark.parametrize("timestamp", [0, GENESIS_TIME, MAX_TIMESTAMP + 1, 2**300])
    def test_refused(self, manual: Node, timestamp: int) -> None:
        """A timestamp not after the head's, or beyond 63 bits, is refused and changes nothing."""
        transfer(manual, ALICE)

        with pytest.raises(InvalidInput, match="timestamp"):
            manual.mine(MineRequest(1, timestamp))
        assert (manual.chain.height, len(manual.mempool)) == (0, 1)
        assert (manual.clock.now(), manual.clock.offset) == (GENESIS_TIME, 0)


class TestOrder:
    def test_price_decides_anew(self, manual: Node) -> None:
        """After each transaction the senders' next ones are compared again."""
        alice = [transfer(manual, ALICE, price) for price in (9, 1)]
        bob = [transfer(manual, BOB, price) for price in (5, 8)]
        manual.mine(MineRequest())

        assert manual.chain.head.transactions == (alice[0], *bob, alice[1])

    def test_ties_by_arrival(self, manual: Node) -> None:
        """At equal prices the first arrival goes first."""
        sent = tuple(transfer(manual, sender, 3) for sender in (CAROL, ALICE, BOB))
        manual.mine(MineRequest())

        assert manual.chain.head.transactions == sent


class TestFull:
    def test_gas_asked_for_must_fit(self, manual: Node) -> None:
        """A transaction is included only if its gas limit is left in the block."""
        counter = manual_deploy(manual)
        hungry = [
            manual.send(TransactionRequest(sender, counter, gas=LIMIT)) for sender in (ALICE, BOB)
        ]
        small = transfer(manual, CAROL)
        manual.mine(MineRequest())

        block = manual.chain.head
        assert [tx.hash for tx in block.transactions] == [hungry[0], small.hash]
        assert block.gas_used <= LIMIT

        manual.mine(MineRequest())
        assert [tx.hash for tx in manual.chain.head.transactions] == [hungry[1]]

    def test_nothing_is_lost_or_mined_twice(self, manual: Node) -> None:
        """Many transactions of many senders are each mined exactly once, in nonce order."""
        sent = [
            transfer(manual, sender, (7 * nonce + place) % 5, 900_000).hash
            for nonce in range(16)
            for place, sender in enumerate(manual.accounts.addresses())
        ]
        while manual.mempool.pending():
            manual.mine(MineRequest())

        mined = [tx for block in manual.chain.blocks_after(0) for tx in block.transactions]

        assert sorted(tx.hash for tx in mined) == sorted(sent)
        for sender in manual.accounts.addresses():
            assert [tx.nonce for tx in mined if tx.sender == sender] == list(range(16))
        assert len(manual.mempool) == 0


def manual_deploy(node: Node) -> Address:
    """Deploy a counter on a node that does not mine by itself."""
    node.miner.running = True
    counter = deploy(node, COUNTER)
    node.miner.running = False
    return counter


class TestTooLong:
    """A transaction that takes longer than `execution_timeout` is not mined."""

    @pytest.fixture
    def node(self) -> Node:
        """A node for which CPU time passes with every reading, and other time as it likes."""
        config = Config(network="test", gas_limit=10**9, execution_timeout=50)
        clock = Clock(fixed=GENESIS_TIME, monotonic=Ticks(step=1_000), cpu_time=Ticks())
        return Node(config, clock)

    def test_refused(self, node: Node) -> None:
        """The sender gets the reason, and the transaction is dropped."""
        loop = deploy(node, LOOP)
        before = fingerprint(node)

        with pytest.raises(TransactionRejected, match=r"dropped: it takes more than 50 seconds"):
            send(node, loop, word(10**9), gas=10**9)

        after = fingerprint(node)
        assert node.chain.head.transactions == ()
        assert after["accounts"] == before["accounts"]
        assert (node.mempool.pending(), node.mempool.queued()) == ([], [])

    def test_others_are_mined(self, node: Node) -> None:
        """The transactions before it are in the block, those after it in the next one."""
        loop = deploy(node, LOOP)
        node.miner.running = False
        first = transfer(node, ALICE, 9, gas=30_000)
        endless = node.send(TransactionRequest(BOB, loop, gas=10**8, gas_price=5, data=word(10**9)))
        last = transfer(node, CAROL, 1, gas=30_000)

        node.mine(MineRequest(2))

        assert [node.chain.block(number).transactions for number in (2, 3)] == [(first,), (last,)]
        assert node.mempool.find(endless) is None

    def test_backlog(self, node: Node) -> None:
        """With automatic mining the rest is mined block by block, with others served between."""
        loop = deploy(node, LOOP)
        node.miner.running = False
        for sender in (ALICE, BOB, CAROL):
            node.send(TransactionRequest(sender, loop, gas=10**8, gas_price=0, data=word(10**9)))

        with deadline.within(1, Ticks(step=10)):
            node.start_mining()
        waiting = [len(node.mempool.pending())]
        while node.miner.seconds_until_due() == 0:
            node.tick()
            waiting.append(len(node.mempool.pending()))

        assert waiting == [2, 1, 0]

    def test_off(self) -> None:
        """With a timeout of 0 only the gas limits execution."""
        config = Config(network="test", execution_timeout=0)
        node = Node(config, Clock(fixed=GENESIS_TIME, cpu_time=Ticks(step=1_000)))
        loop = deploy(node, LOOP)

        receipt = run(node, loop, word(10**9), gas=50_000)

        assert (receipt.succeeded, str(receipt.failure)) == (False, "out of gas")

    def test_request_does_not_count(self, node: Node) -> None:
        """The deadline of a request does not affect what is mined."""
        loop = deploy(node, LOOP)

        with deadline.within(1, Ticks(step=10)):
            assert run(node, loop, word(30)).succeeded


class TestArrears:
    """More work than a request has time for."""

    @pytest.fixture
    def full(self, manual: Node) -> Node:
        """A node with three blocks' worth of transactions waiting."""
        for sender in (ALICE, BOB, CAROL):
            transfer(manual, sender, gas=LIMIT)
        return manual

    def test_later(self, full: Node) -> None:
        """Automatic mining stops at the deadline and continues with the next tick."""
        with deadline.within(1, Ticks()):
            full.start_mining()

        assert (full.chain.height, full.miner.seconds_until_due()) == (1, 0.0)
        full.tick()
        full.tick()
        assert (full.chain.height, full.miner.seconds_until_due()) == (3, None)
        full.tick()
        assert full.chain.height == 3

    def test_slices(self, full: Node) -> None:
        """`evm_mine` of many full blocks makes one in each slice, whatever time the request has."""
        slices = full.mine_in_slices(MineRequest(blocks=3))

        with deadline.within(1, Ticks(step=10)):
            heights = [full.chain.height for _ in slices]

        assert (heights, full.chain.height) == ([1, 2], 3)

    def test_failed_slice(self, full: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """A slice that fails changes nothing; the blocks of those before stay, and are counted."""
        slices = full.mine_in_slices(MineRequest(blocks=3))
        next(slices)
        before = fingerprint(full)

        def fail(_block: Block) -> None:
            raise StoreFailed("the disk is full")

        monkeypatch.setattr(full.chain, "append_block", fail)
        with pytest.raises(StoreFailed, match=r"the disk is full \(1 of 3 blocks were mined\)"):
            next(slices)

        assert fingerprint(full) == before

    def test_failure_undoes_all(self, manual: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """Clock and mempool return to what they were."""
        unsigned = TransactionRequest(ALICE, BOB, gas=21_000, value=2 * FUNDS, nonce=0)
        forge(manual, manual.sign(unsigned, dict(manual.accounts.dev_keys)[ALICE]))
        filter_id = manual.filters.watch_pending()
        before = fingerprint(manual)

        def fail(_block: Block) -> None:
            raise StoreFailed("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(manual.chain, "append_block", fail)
            with pytest.raises(StoreFailed):
                manual.mine(MineRequest(timestamp=manual.clock.now() + 1_000))

        assert fingerprint(manual) == before
        assert manual.filters.changes(filter_id) == []

    def test_others_mine(self, full: Node) -> None:
        """Blocks that others mine between two slices are no part of it."""
        mined: list[Block] = []
        slices = full.mine_in_slices(MineRequest(blocks=2), mined)
        next(slices)
        full.mine()

        finish(slices)

        assert [block.number for block in mined] == [1, 3]

    def test_last_timestamp(self, full: Node) -> None:
        """An interval that leads beyond the latest time is refused before the first block."""
        before = fingerprint(full)

        with pytest.raises(InvalidInput, match="the last block's timestamp would be"):
            full.mine(MineRequest(blocks=3, interval=2**62))

        assert fingerprint(full) == before

    def test_empty_blocks(self) -> None:
        """Some hundred empty blocks are a slice: others wait for no more."""
        manual = Node(Config(engine="fast", mining=False, fixed_clock=GENESIS_TIME))

        pauses = sum(1 for _ in manual.mine_in_slices(MineRequest(blocks=5 * BLOCKS_PER_SLICE)))

        assert manual.chain.height == 5 * BLOCKS_PER_SLICE
        assert pauses >= 4

    def test_slow_blocks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where empty blocks take longer a slice has fewer of them."""
        manual = Node(Config(engine="fast", mining=False, fixed_clock=GENESIS_TIME))
        monkeypatch.setattr(manual.clock, "monotonic", Ticks(step=0.004))

        pauses = sum(1 for _ in manual.mine_in_slices(MineRequest(blocks=30)))

        assert manual.chain.height == 30
        assert pauses >= 9


class TestUnpayable:
    """A transaction in the mempool that can no longer be paid for."""

    def test_is_dropped(self, manual: Node) -> None:
        """It is dropped when a block is mined; the block has the others."""
        unsigned = TransactionRequest(ALICE, BOB, gas=21_000, value=2 * FUNDS, nonce=0)
        forge(manual, manual.sign(unsigned, dict(manual.accounts.dev_keys)[ALICE]))
        other = transfer(manual, BOB)

        manual.mine(MineRequest())

        assert manual.chain.head.transactions == (other,)
        assert len(manual.mempool) == 0

    def test_the_pending_block_leaves_it_out(self, manual: Node) -> None:
        """The pending block leaves it out; reading the pending block drops nothing."""
        unsigned = TransactionRequest(ALICE, BOB, gas=21_000, value=2 * FUNDS, nonce=0)
        forge(manual, manual.sign(unsigned, dict(manual.accounts.dev_keys)[ALICE]))

        assert manual.chain.pending().transactions == ()
        assert len(manual.mempool) == 1

    def test_what_follows_it_waits(self, manual: Node) -> None:
        """The sender's later transactions are queued again."""
        key = dict(manual.accounts.dev_keys)[ALICE]
        unsigned = TransactionRequest(ALICE, BOB, gas=21_000, nonce=0)
        bad = manual.sign(unsigned._replace(value=2 * FUNDS), key)
        good = manual.sign(unsigned._replace(nonce=1), key)
        manual.mempool.restore(MempoolCheckpoint({ALICE: {0: bad, 1: good}}, 0, frozenset()))

        manual.mine(MineRequest())

        assert (manual.mempool.pending(), manual.mempool.queued()) == ([], [good])

    def test_sending_says_so(self, node: Node) -> None:
        """With automatic mining the sender of a dropped transaction gets an error."""
        unsigned = TransactionRequest(ALICE, BOB, gas=21_000, value=2 * FUNDS, nonce=0)
        bad = node.sign(unsigned, dict(node.accounts.dev_keys)[ALICE])
        forge(node, bad)

        with pytest.raises(TransactionRejected):
            node.send_raw(bad.raw)
        assert node.chain.receipt(bad.hash) is None


class TestPending:
    def test_shows_what_would_be_mined(self, manual: Node) -> None:
        """The pending block equals the one then mined, but for its seal."""
        transfer(manual, ALICE, 3)
        transfer(manual, BOB, 9)
        preview = manual.chain.pending()

        manual.mine(MineRequest())
        mined = manual.chain.head

        assert (preview.sealed, mined.sealed) == (False, True)
        assert preview.transactions == mined.transactions
        assert preview.receipts == mined.receipts
        assert preview.header.hash_for_merged_mining == mined.header.hash_for_merged_mining

    def test_state(self, manual: Node) -> None:
        """Balances and nonces at `pending` are those after the pending transactions."""
        transfer(manual, ALICE, 3)

        state = manual.chain.state_at(Tag.PENDING)

        assert (state.balance(CAROL), state.nonce(ALICE)) == (FUNDS + 1, 1)
        assert manual.chain.state_at(Tag.LATEST).balance(CAROL) == FUNDS

    def test_is_kept(self, manual: Node) -> None:
        """It is built once, and anew when pool, head or time have changed."""
        seen = [manual.chain.pending()]
        assert manual.chain.pending() is seen[0]

        for change in (
            lambda: transfer(manual, ALICE),
            lambda: manual.mine(MineRequest()),
            lambda: manual.clock.advance(5),
        ):
            change()
            seen.append(manual.chain.pending())

        assert len({block.hash for block in seen}) == 4


class TestInterval:
    def test_when_due(self, interval: Node, watch: Stopwatch) -> None:
        """A block is mined every ten seconds, empty or not, and not earlier."""
        transfer(interval, ALICE)
        heights = []
        for watch.seconds in (0, 9.9, 10, 15, 19.9, 20.5, 30, 31):
            interval.tick()
            heights.append(interval.chain.height)

        assert heights == [0, 0, 1, 1, 1, 2, 2, 3]
        assert len(interval.chain.block(1).transactions) == 1

    def test_seconds_until_due(self, interval: Node, watch: Stopwatch) -> None:
        """The wait counts down from the newest block, and starts again with it."""
        seen = []
        for watch.seconds in (0, 4, 25):
            seen.append(interval.miner.seconds_until_due())
        interval.mine(MineRequest())

        assert seen == [10, 6, 0]
        assert interval.miner.seconds_until_due() == 10

    def test_stopped(self, interval: Node, watch: Stopwatch) -> None:
        """A stopped miner is never due; started, it goes on by interval."""
        interval.miner.running = False
        watch.seconds = 50
        interval.tick()
        assert (interval.chain.height, interval.miner.seconds_until_due()) == (0, None)

        transfer(interval, ALICE)
        interval.start_mining()
        assert interval.chain.height == 0
        interval.tick()
        assert (interval.chain.height, len(interval.mempool)) == (1, 0)

    def test_other_modes(self, node: Node, manual: Node) -> None:
        """Automatic and manual mining are never due."""
        for which in (node, manual):
            which.tick()

            assert (which.miner.seconds_until_due(), which.chain.height) == (None, 0)


class TestModes:
    def test_both(self, node: Node) -> None:
        """An interval leaves automatic mining on."""
        node.miner.set_interval(2.5)
        transfer_hash = send(node, BOB)

        assert node.chain.receipt(transfer_hash)
        assert node.miner.seconds_until_due() is not None

    def test_automatic_beside_an_interval(self, interval: Node) -> None:
        """Automatic mining can be turned on beside an interval, and off again."""
        interval.miner.set_automine(on=True)
        assert (interval.miner.automatic, interval.miner.block_time) == (True, 10)

        interval.miner.set_automine(on=False)
        assert (interval.miner.automatic, interval.miner.block_time) == (False, 10)

    def test_only_what_is_turned_on(self, interval: Node) -> None:
        """Turning on one mode of a stopped miner does not start the other."""
        interval.miner.running = False
        interval.miner.set_automine(on=True)
        assert (interval.miner.automatic, interval.miner.block_time) == (True, None)

        interval.miner.running = False
        interval.miner.set_interval(3)
        assert (interval.miner.automatic, interval.miner.block_time) == (False, 3)
