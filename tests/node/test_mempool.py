"""`devchain.node.mempool`"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from eth_keys.datatypes import PrivateKey

from devchain import errors
from devchain.chain.transaction import Transaction
from devchain.config import Config
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.evm.rootstock.precompiles.powpeg import federator_keys
from devchain.node import Node
from devchain.node.mempool import Mempool
from devchain.types import Address, MineRequest, Tag, TransactionRequest
from tests.accounts import ALICE, ALICE_KEY, BOB, FUNDS, UNFUNDED
from tests.conftest import GENESIS_TIME

UNFUNDED_KEY = bytes.fromhex("11" * 32)
LIMIT = 6_800_000


@pytest.fixture
def config() -> Config:
    """A node that mines only on request."""
    return Config(network="test", fixed_clock=GENESIS_TIME, mining=False)


@pytest.fixture
def mempool(node: Node) -> Mempool:
    """The pool of `node`."""
    return node.mempool


def signed(node: Node, key: bytes = ALICE_KEY, **given: Any) -> Transaction:
    """A transaction of ALICE to BOB, nonce 0 and 21000 gas unless said otherwise."""
    request = {"sender": ALICE, "to": BOB, "nonce": 0, "gas": 21_000, **given}
    return node.sign(TransactionRequest(**request), key)


def add(node: Node, *nonces: int, **given: Any) -> list[Transaction]:
    """Add transactions with those nonces to the mempool."""
    made = [signed(node, nonce=nonce, **given) for nonce in nonces]
    for tx in made:
        node.mempool.add(tx)
    return made


def shown(mempool: Mempool) -> tuple[Any, ...]:
    """The contents of the mempool, for comparison."""
    return (mempool.pending(), mempool.queued(), list(mempool.arrivals), len(mempool))


Given = dict[str, Any]

REFUSED: dict[str, tuple[Given, type[errors.TransactionRejected], str]] = {
    "unfunded sender": (
        {"sender": UNFUNDED, "key": UNFUNDED_KEY, "value": 1},
        errors.InsufficientFunds,
        "the sender account doesn't exist (insufficient funds",
    ),
    "unfunded sender of a free transaction": (
        {"sender": UNFUNDED, "key": UNFUNDED_KEY},
        errors.InsufficientFunds,
        "the sender account doesn't exist (insufficient funds",
    ),
    "init-code": (
        {"to": None, "data": bytes(49_153), "gas": 2_000_000},
        errors.InitCodeTooLarge,
        "transaction's init code size is invalid: 49153 bytes, at most 49152",
    ),
    "size": (
        {"data": bytes(131_072), "gas": 2_000_000},
        errors.InitCodeTooLarge,
        "transaction's size is higher than defined maximum: 131175 > 131072",
    ),
    "gas-limit": (
        {"gas": LIMIT + 1},
        errors.GasLimitExceeded,
        (
            f"transaction's gas limit of {LIMIT + 1} is higher than "
            f"the block's gas limit of {LIMIT}; give it less, "
            "or raise --gas-limit or Config.gas_limit"
        ),
    ),
    "nonce-high": (
        {"nonce": 16},
        errors.NonceTooHigh,
        "transaction nonce too high: next nonce 0, tx nonce 16, at most 16 may wait",
    ),
    "gas-funds": (
        {"gas_price": FUNDS // 21_000 + 1},
        errors.InsufficientFunds,
        "insufficient funds for gas: balance 10000000000000000000000 wei, gas",
    ),
    "basic-cost": (
        {"gas": 20_999},
        errors.IntrinsicGasTooLow,
        "transaction's basic cost is above the gas limit: needs 21000 gas, has 20999",
    ),
    "basic-cost-data": (
        {"data": b"\x00\x01", "gas": 21_019},
        errors.IntrinsicGasTooLow,
        "needs 21020 gas, has 21019",
    ),
    "basic-cost-creation": (
        {"to": None, "data": bytes(32), "gas": 53_129},
        errors.IntrinsicGasTooLow,
        "needs 53130 gas, has 53129",
    ),
    "total": (
        {"value": FUNDS, "gas_price": 1},
        errors.InsufficientFunds,
        "insufficient funds to pay for pending and new transactions: balance",
    ),
}


class TestRefusals:
    @pytest.mark.parametrize("name", REFUSED)
    def test_texts(self, node: Node, mempool: Mempool, name: str) -> None:
        """Each error begins as the real node's, has its own class, and changes nothing."""
        given, kind, text = REFUSED[name]
        tx = signed(node, **given)

        with pytest.raises(kind) as refusal:
            mempool.add(tx)
        assert type(refusal.value) is kind
        assert text in str(refusal.value)
        assert shown(mempool) == ([], [], [], 0)

    @pytest.mark.parametrize(
        "given",
        [
            {"to": None, "data": bytes(49_152), "gas": 2_000_000},
            {"gas": LIMIT},
            {"nonce": 15},
            {"gas_price": FUNDS // 21_000},
            {"to": None, "data": bytes(32), "gas": 53_130},
            {"value": FUNDS},
            {"value": FUNDS - 21_000, "gas_price": 1},
        ],
        ids="-".join,
    )
    def test_at_the_edge(self, node: Node, mempool: Mempool, given: Given) -> None:
        """The largest allowed transaction is accepted."""
        mempool.add(signed(node, **given))

        assert len(mempool) == 1

    def test_nonce_low(self, node: Node, mempool: Mempool) -> None:
        """A used nonce is refused with the next one."""
        (tx,) = add(node, 0)
        node.mine(MineRequest())

        for again in (tx, signed(node, value=5)):
            with pytest.raises(errors.NonceTooLow, match="too low: next nonce 1, tx nonce 0"):
                mempool.add(again)

    def test_gas_price(self) -> None:
        """A gas price below the block's minimum is refused, the minimum is accepted."""
        node = Node(Config(network="test", mining=False, min_gas_price=7))

        with pytest.raises(errors.GasPriceTooLow, match="lower than block's minimum: 6 < 7 wei"):
            node.mempool.add(signed(node, gas_price=6))
        node.mempool.add(signed(node, gas_price=7))
        assert len(node.mempool) == 1

    def test_impersonated_sender_of_a_free_transaction(self, node: Node) -> None:
        """An impersonated account may send a transaction that costs nothing before it exists."""
        node.accounts.impersonate(UNFUNDED)
        node.send(TransactionRequest(sender=UNFUNDED, to=BOB))

        assert len(node.mempool.pending()) == 1

    def test_free_sender(self) -> None:
        """Regtest's federators and voters need no account for transactions to the Bridge.

        `TxValidatorAccountStateValidator` of the real node skips the check for them.
        """
        node = Node(Config(network="local", mining=False))
        (key, *_) = federator_keys()
        sender = Address(PrivateKey(key).public_key.to_canonical_address())
        node.mempool.add(signed(node, key, sender=sender, to=BRIDGE, gas_price=0))

        assert len(node.mempool.pending()) == 1

    def test_unknown_sender_under_ethereum_rules(self) -> None:
        """Ethereum's nodes accept a free transaction of an account that does not exist."""
        node = Node(Config(network="local", hardfork="berlin", mining=False))
        node.mempool.add(signed(node, UNFUNDED_KEY, gas_price=0))

        assert len(node.mempool.pending()) == 1

    @pytest.mark.parametrize(("nonce", "where"), [(0, "pending"), (1, "queued")])
    def test_known(self, node: Node, mempool: Mempool, nonce: int, where: str) -> None:
        """The same transaction twice is refused, as pending or as queued."""
        (tx,) = add(node, nonce)

        with pytest.raises(
            errors.AlreadyKnown, match=f"^{where} transaction with same hash already exists$"
        ):
            mempool.add(tx)


class TestOrderOfChecks:
    """A transaction with several faults is refused for the one the real node checks first."""

    FAULTS: tuple[tuple[str, Given], ...] = (
        ("init code size", {"to": None, "data": bytes(132_000)}),
        ("transaction's size is higher", {"data": bytes(132_000)}),
        ("gas limit of", {"gas": LIMIT + 1}),
        ("nonce too high", {"nonce": 99}),
        ("insufficient funds for gas", {"gas_price": FUNDS}),
    )

    @pytest.mark.parametrize("first", range(len(FAULTS)))
    def test_first_fault(self, node: Node, mempool: Mempool, first: int) -> None:
        """Each check comes before all the later ones."""
        given: Given = {}
        for _, fault in reversed(self.FAULTS[first:]):
            given |= fault

        with pytest.raises(errors.TransactionRejected, match=self.FAULTS[first][0]):
            mempool.add(signed(node, **given))

    def test_after_the_fee(self) -> None:
        """Then minimum price, intrinsic gas, replacement and the sum of all costs."""
        node = Node(Config(network="test", mining=False, min_gas_price=10))
        node.mempool.add(signed(node, gas_price=100))
        faults: Given = {"gas": 20_000, "gas_price": 9, "value": FUNDS}

        for text, mended in (
            ("lower than block's minimum", {"gas_price": 10}),
            ("basic cost is above", {"gas": 21_000}),
            ("not enough to bump", {"gas_price": 140}),
            ("pending and new transactions", {"value": 1}),
        ):
            with pytest.raises(errors.TransactionRejected, match=text):
                node.mempool.add(signed(node, **faults))
            faults |= mended
        node.mempool.add(signed(node, **faults))


class TestReplacement:
    @pytest.mark.parametrize(
        ("old", "new", "is_enough"),
        [
            (100, 140, True),
            (100, 139, False),
            (100, 100, False),
            (101, 142, True),
            (101, 141, False),
            (0, 1, True),
            (0, 0, False),
            (1, 2, True),
            (10**16, 14 * 10**15, True),
            (10**16, 14 * 10**15 - 1, False),
        ],
    )
    @pytest.mark.parametrize("nonce", [0, 3], ids=["pending", "queued"])
    def test_takes_40_percent(
        self, node: Node, mempool: Mempool, nonce: int, old: int, new: int, is_enough: bool
    ) -> None:
        """A replacement needs more than, and at least 140 % of, the old price."""
        (first,) = add(node, nonce, gas_price=old)
        second = signed(node, nonce=nonce, value=1, gas_price=new)

        if is_enough:
            mempool.add(second)
        else:
            with pytest.raises(
                errors.ReplacementUnderpriced,
                match=rf"not enough to bump .*offers {new} wei, replacing",
            ):
                mempool.add(second)

        assert mempool.find(first.hash) == (None if is_enough else first)
        assert mempool.find(second.hash) == (second if is_enough else None)
        assert len(mempool) == 1

    def test_the_old_cost_is_forgotten(self, node: Node, mempool: Mempool) -> None:
        """The cost of a replaced transaction does not count."""
        add(node, 0, value=FUNDS - 21_000, gas_price=1)

        mempool.add(signed(node, value=FUNDS - 42_000, gas_price=2))

        assert mempool.pending()[0].gas_price == 2

    def test_is_announced(self, node: Node, mempool: Mempool) -> None:
        """Both the old and the new transaction are among the arrivals."""
        (old,) = add(node, 0, gas_price=100)
        new = signed(node, value=1, gas_price=200)
        mempool.add(new)

        assert mempool.arrivals == [old.hash, new.hash]


class TestQueue:
    def test_waits_for_the_gap(self, node: Node, mempool: Mempool) -> None:
        """A nonce ahead is queued; it becomes pending when the gap is filled."""
        two, three = add(node, 2, 3)
        assert (mempool.pending(), mempool.queued()) == ([], [two, three])

        (zero,) = add(node, 0)
        assert (mempool.pending(), mempool.queued()) == ([zero], [two, three])

        (one,) = add(node, 1)
        assert (mempool.pending(), mempool.queued()) == ([zero, one, two, three], [])
        assert mempool.arrivals == [tx.hash for tx in (zero, one, two, three)]

    def test_mining_leaves_it(self, node: Node, mempool: Mempool) -> None:
        """A block has the pending transactions; the nonce gap stays."""
        zero, two = add(node, 0, 2)
        node.mine(MineRequest())

        assert node.chain.head.transactions == (zero,)
        assert (mempool.pending(), mempool.queued()) == ([], [two])

    def test_nonce(self, node: Node, mempool: Mempool) -> None:
        """The next nonce counts what is pending, not what is queued."""
        add(node, 0, 1, 4)

        assert mempool.pending_nonce(ALICE) == 2
        assert node.nonce(ALICE, Tag.PENDING) == 2
        assert node.nonce(ALICE, Tag.LATEST) == 0
        assert mempool.pending_nonce(BOB) == 0

    @pytest.mark.parametrize("slots", [1, 16, 20])
    def test_quota(self, slots: int) -> None:
        """An account may have that many transactions; mining frees their slots."""
        node = Node(Config(network="test", mining=False, account_slots=slots))
        add(node, *range(slots))
        with pytest.raises(errors.NonceTooHigh):
            add(node, slots)

        node.mine(MineRequest())
        add(node, slots)

        assert len(node.mempool) == 1

    def test_sum_of_costs(self, node: Node, mempool: Mempool) -> None:
        """Queued transactions count towards what an account has to pay."""
        add(node, 5, value=FUNDS - 10)

        with pytest.raises(errors.InsufficientFunds, match="pending and new transactions"):
            add(node, 0, value=11)
        add(node, 0, value=10)


class TestCheckpoint:
    def test_restores(self, node: Node, mempool: Mempool) -> None:
        """Pending, queued and announced transactions are as they were."""
        add(node, 0, 2)
        before, state = shown(mempool), mempool.checkpoint()
        add(node, 1)
        mempool.add(signed(node, gas_price=9))
        node.mempool.drop(mempool.queued()[0] if mempool.queued() else mempool.pending()[0])

        mempool.restore(state)

        assert shown(mempool) == before

    def test_clear(self, node: Node, mempool: Mempool) -> None:
        """A cleared mempool accepts the same transactions again."""
        add(node, 0, 2)

        mempool.clear()

        assert shown(mempool) == ([], [], [], 0)
        add(node, 0, 2)


class TestVersion:
    @pytest.mark.parametrize(
        "change",
        [
            lambda node: add(node, 1),
            lambda node: node.mempool.drop(node.mempool.pending()[0]),
            lambda node: node.mempool.sync_to_head(),
            lambda node: node.mempool.clear(),
            lambda node: node.mempool.restore(node.mempool.checkpoint()),
        ],
        ids=["add", "drop", "sync_to_head", "clear", "restore"],
    )
    def test_every_change_counts(self, node: Node, change: Callable[[Node], Any]) -> None:
        """Every change changes the version, so that the pending block is built anew."""
        add(node, 0)
        before = node.mempool.version

        change(node)

        assert node.mempool.version > before

    def test_a_new_head_does_not(self, node: Node) -> None:
        """To an empty mempool a new head is no change: snapshots share its checkpoint."""
        before = node.mempool.checkpoint()

        node.mine()

        assert node.mempool.checkpoint() is before


class TestRoom:
    """`--pool-slots` and `--pool-bytes` bound what waits in all."""

    @pytest.fixture
    def node(self, limits: dict[str, int]) -> Node:
        """A node whose pool is small, where every account sends without a key."""
        options = {"network": "test", "fixed_clock": GENESIS_TIME, "mining": False, **limits}
        node = Node(Config(**options))  # type: ignore[arg-type]
        node.accounts.impersonates_all = True
        return node

    @staticmethod
    def fill(node: Node, nonce: int, data: bytes = b"", first: int = 0) -> int:
        """Send from one account after the other until the pool refuses; how many it took."""
        what = "bytes .--pool-bytes" if data else "20 transactions .--pool-slots"
        before = len(node.mempool)
        senders = (Address(number.to_bytes(20, "big")) for number in range(first, first + 1_000))
        wanted = TransactionRequest(to=BOB, gas=3_000_000, data=data, nonce=nonce)
        with pytest.raises(errors.PoolFull, match=what):
            all(node.send(wanted._replace(sender=each)) for each in senders)
        return len(node.mempool) - before

    @pytest.mark.parametrize("limits", [{"pool_slots": 20}])
    def test_count(self, node: Node) -> None:
        """Transactions that wait for others cannot take the last tenth."""
        assert self.fill(node, nonce=1) == 18
        assert len(node.mempool) == 18

        assert self.fill(node, nonce=0) == 2
        assert len(node.mempool) == len(node.mempool.transactions()) == 20

    @pytest.mark.parametrize("limits", [{"pool_bytes": 131_072}])
    def test_bytes(self, node: Node) -> None:
        """Large transactions are counted by their size."""
        assert self.fill(node, nonce=0, data=bytes(40_000)) == 3

    @pytest.mark.parametrize("limits", [{"pool_slots": 1}])
    def test_replacement(self, node: Node) -> None:
        """A transaction that replaces another one takes its place in a full pool."""
        request = TransactionRequest(ALICE, BOB, gas=21_000, gas_price=10, nonce=0)
        node.send(request)
        replacing = node.send(request._replace(gas_price=20))

        assert [tx.hash for tx in node.mempool.transactions()] == [replacing]

    @pytest.mark.parametrize("limits", [{"pool_slots": 20}])
    def test_count_after_changes(self, node: Node) -> None:
        """Blocks, drops, reverts and resets free slots."""
        empty = node.snapshots.take()
        self.fill(node, nonce=0)
        full = node.snapshots.take()
        node.mine(1)
        assert len(node.mempool) == 0
        for snapshot, count in ((full, 20), (empty, 0), (empty, 0)):
            node.revert(snapshot)
            assert len(node.mempool) == len(node.mempool.transactions()) == count

        self.fill(node, nonce=0)
        node.mempool.drop(node.mempool.transactions()[0])
        assert self.fill(node, nonce=0, first=100) == 1
        node.reset()
        node.accounts.impersonates_all = True
        assert self.fill(node, nonce=0) == 20
