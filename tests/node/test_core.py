"""`devchain.node.core`, and random sequences of operations against a simple model"""

from __future__ import annotations

import gc
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.chain.block import Block
from devchain.chain.slices import finish
from devchain.config import Config
from devchain.errors import (
    AccountLocked,
    AccountUnknown,
    BlockNotFound,
    DevchainError,
    ExecutionFailed,
    ExecutionReverted,
    FilterNotFound,
    InvalidInput,
    MalformedTransaction,
    NonceTooHigh,
    NonceTooLow,
    UnsupportedTransactionType,
    WrongChainId,
    WrongPassphrase,
)
from devchain.node import Node
from devchain.node.core import DEFAULT_SEND_GAS
from devchain.types import (
    BlockHash,
    Hash32,
    LogQuery,
    MineRequest,
    StateOverride,
    Tag,
    TransactionRequest,
)
from tests.accounts import ADDRESSES, ALICE, ALICE_KEY, BOB, FUNDS, UNFUNDED
from tests.actions import deploy, fingerprint, install_filter, receipt_of, run, send
from tests.bytecode import INVALID, LOOP, REVERT, STORE, error_payload, word
from tests.conftest import GENESIS_TIME


def scenario(node: Node) -> None:
    """Deploy, send, mine, snapshot and revert."""
    store = deploy(node, STORE)
    run(node, store, word(7), gas_price=3)
    node.mine(MineRequest(blocks=3))
    node.clock.advance(1_000)
    node.miner.running = False
    for sender in ADDRESSES[:4]:
        send(node, BOB, value=5, sender=sender, gas_price=2)
    node.mine(MineRequest(1, GENESIS_TIME + 5_000))
    snapshot = node.snapshots.take()
    node.mine(MineRequest())
    node.revert(snapshot)
    node.start_mining()
    run(node, None, b"\xfe", value=1)


class TestRepeatable:
    def test_same_blocks(self, config: Config) -> None:
        """The same calls under a fixed clock make the same chain."""
        first, second = Node(config), Node(config)
        for node in (first, second):
            scenario(node)

        assert fingerprint(first) == fingerprint(second)

    @pytest.mark.parametrize(
        "other",
        [{"network": "main"}, {"accounts": 3}, {"fixed_clock": 5}, {"gas_limit": 5_000_000},
         {"min_gas_price": 1}, {"balance": 1}],
        ids=str,
    )  # fmt: skip
    def test_other_genesis(self, config: Config, other: dict[str, Any]) -> None:
        """Another configuration makes another genesis block, but for the chain id."""
        same = Node(config).chain.head.hash == Node(replace(config, **other)).chain.head.hash

        assert same == ("network" in other)


UNKNOWN_BLOCK = BlockHash(Hash32(bytes(32)))

Refused = tuple[Callable[[Node], Any], type[DevchainError]]

REFUSALS: dict[str, Refused] = {
    "nonce-low": (lambda node: send(node, BOB, nonce=0), NonceTooLow),
    "nonce-high": (lambda node: send(node, BOB, nonce=99), NonceTooHigh),
    "no-sender": (lambda node: send(node, BOB, sender=None), InvalidInput),
    "unknown-sender": (lambda node: send(node, BOB, sender=UNFUNDED), AccountUnknown),
    "locked-sender": (lambda node: send(node, BOB, sender=ADDRESSES[9]), AccountLocked),
    "passphrase": (
        lambda node: node.send(TransactionRequest(ALICE, BOB), node.accounts.open(ALICE, "wrong")),
        WrongPassphrase,
    ),
    "chain-id": (lambda node: send(node, BOB, chain_id=30), InvalidInput),
    "type": (lambda node: send(node, BOB, type=2), UnsupportedTransactionType),
    "value": (lambda node: send(node, BOB, value=2**256), MalformedTransaction),
    "raw": (lambda node: node.send_raw(b"\xc0"), MalformedTransaction),
    "raw-other-chain": (lambda node: node.send_raw(main_network_transaction()), WrongChainId),
    "raw-typed": (lambda node: node.send_raw(b"\x02\xc0"), UnsupportedTransactionType),
    "call-block": (lambda node: node.call(TransactionRequest(to=BOB), 10**6), BlockNotFound),
    "call-invalid": (lambda node: node.call(TransactionRequest(data=INVALID)), ExecutionFailed),
    "call-overflow": (
        lambda node: node.call(TransactionRequest(ALICE, BOB, value=2**256 - 1)),
        ExecutionFailed,
    ),
    "call-override": (
        lambda node: node.call(
            TransactionRequest(to=BOB),
            overrides={
                ALICE: StateOverride(balance=1, code=REVERT),
                BOB: StateOverride(code=REVERT),
            },
        ),
        ExecutionReverted,
    ),
    "estimate": (lambda node: node.estimate(TransactionRequest(data=INVALID)), ExecutionFailed),
    "logs": (lambda node: node.logs(LogQuery(UNKNOWN_BLOCK)), BlockNotFound),
    "watch-logs": (
        lambda node: install_filter(node, LogQuery(UNKNOWN_BLOCK)),
        BlockNotFound,
    ),
    "filter": (lambda node: node.filters.changes(77), FilterNotFound),
    "filter-logs": (lambda node: finish(node.search.filter_logs_in_slices(1)), InvalidInput),
    "mine-in-the-past": (lambda node: node.mine(MineRequest(3, GENESIS_TIME)), InvalidInput),
    "mine-far-ahead": (lambda node: node.mine(MineRequest(3, 2**63)), InvalidInput),
    "mine-too-much": (lambda node: node.mine(MineRequest(10**9)), InvalidInput),
    "time": (lambda node: node.clock.advance(2**63), InvalidInput),
    "time-back": (lambda node: node.clock.advance(-1), InvalidInput),
    "unlock": (lambda node: node.accounts.unlock(ADDRESSES[9], "guess", 0), WrongPassphrase),
    "import": (lambda node: node.accounts.add(bytes(32), "secret"), InvalidInput),
}


def main_network_transaction() -> bytes:
    """A transaction signed for the main network."""
    main = Node(Config(network="main"))
    return main.sign(TransactionRequest(ALICE, BOB), ALICE_KEY).raw


class TestRefusals:
    @pytest.mark.parametrize("name", REFUSALS)
    def test_change_nothing(self, node: Node, name: str) -> None:
        """After a refusal every readable thing is as it was."""
        run(node, BOB, value=1)
        node.filters.watch_blocks()
        node.accounts.lock(ADDRESSES[9])
        send(node, BOB, nonce=5)
        before = fingerprint(node)
        request, refusal = REFUSALS[name]

        with pytest.raises(refusal):
            request(node)

        assert fingerprint(node) == before
        assert (node.snapshots.take(), node.filters.watch_blocks()) == (1, 2)


class TestSend:
    def test_defaults(self) -> None:
        """Gas, gas price and nonce have the defaults of the specification."""
        node = Node(Config(network="test", fixed_clock=GENESIS_TIME, min_gas_price=3))

        tx = receipt_of(node, node.send(TransactionRequest(ALICE, BOB))).transaction

        assert (tx.gas, tx.gas_price, tx.value, tx.nonce) == (DEFAULT_SEND_GAS, 3, 0, 0)
        assert tx.v in (31 * 2 + 35, 31 * 2 + 36)

    def test_next_nonce_counts_what_waits(self, node: Node) -> None:
        """Transactions sent without a nonce get consecutive ones."""
        node.miner.running = False
        for _ in range(3):
            send(node, BOB)

        assert [tx.nonce for tx in node.mempool.pending()] == [0, 1, 2]

    def test_raw(self, node: Node) -> None:
        """A raw transaction has the same effect as the request, also with the account locked."""
        node.accounts.lock(ALICE)
        signed = node.sign(TransactionRequest(ALICE, BOB, value=4), ALICE_KEY)

        assert node.send_raw(signed.raw) == signed.hash
        assert node.chain.state_at(Tag.LATEST).balance(BOB) == FUNDS + 4

    def test_passphrase(self, node: Node) -> None:
        """A passphrase unlocks an account for one transaction only."""
        node.accounts.lock(ALICE)

        node.send(TransactionRequest(ALICE, BOB), node.accounts.open(ALICE, ""))

        with pytest.raises(AccountLocked):
            send(node, BOB)

    def test_chain_id_option(self) -> None:
        """`--chain-id` is what transactions are signed for and CHAINID returns."""
        node = Node(Config(network="test", chain_id=1_337))

        tx = receipt_of(node, send(node, BOB)).transaction

        assert tx.v in (1_337 * 2 + 35, 1_337 * 2 + 36)


class TestRevertOnSend:
    @pytest.fixture
    def config(self) -> Config:
        """A node with `revert_on_send`, as Hardhat behaves."""
        return Config(network="test", fixed_clock=GENESIS_TIME, revert_on_send=True)

    def test_reverted(self, node: Node) -> None:
        """A transaction that reverts is mined and raises its reason."""
        contract = deploy(node, REVERT)

        with pytest.raises(ExecutionReverted, match="execution reverted: no") as refusal:
            run(node, contract, error_payload("no"))

        mined = node.chain.head.receipts[0]
        assert mined.failure is not None
        assert (mined.succeeded, mined.failure.payload) == (False, refusal.value.payload)
        assert len(node.mempool) == 0

    def test_failed(self, node: Node) -> None:
        """Another failure raises without a payload."""
        loop = deploy(node, LOOP)

        with pytest.raises(ExecutionFailed, match=r"^out of gas$") as refusal:
            run(node, loop, word(10**6), gas=50_000)
        assert refusal.value.payload == b""


class TestNode:
    def test_defaults(self) -> None:
        """Without a configuration it is the local network, on the wall clock."""
        node = Node()

        assert (node.config.effective_chain_id, node.chain.head.gas_limit) == (33, 10_000_000)
        assert node.chain.head.timestamp <= node.clock.now()


# Random sequences of operations

Step = tuple[str, Any]

ACCOUNTS = 3
STEPS = st.one_of(
    st.tuples(st.just("send"), st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))),
    st.tuples(st.just("mine"), st.integers(0, 3)),
    st.tuples(st.just("snapshot"), st.none()),
    st.tuples(st.just("revert"), st.integers(0, 6)),
    st.tuples(st.just("advance"), st.integers(0, 1_000)),
    st.tuples(st.just("automatic"), st.booleans()),
)


@dataclass
class ModelState:
    """The state of the model: three accounts that send each other wei."""

    now: int = GENESIS_TIME
    running: bool = True
    times: list[int] = field(default_factory=lambda: [GENESIS_TIME])
    balances: list[int] = field(default_factory=lambda: [FUNDS] * ACCOUNTS)
    nonces: list[int] = field(default_factory=lambda: [0] * ACCOUNTS)
    waiting: list[dict[int, tuple[int, int]]] = field(
        default_factory=lambda: [{} for _ in range(ACCOUNTS)]
    )

    def copy(self) -> ModelState:
        """An independent copy."""
        return deepcopy(self)


class Model:
    """A minimal model of a node: balances, mempool, snapshots."""

    def __init__(self) -> None:
        self.state = ModelState()
        self.snapshots: dict[int, ModelState] = {}
        self.last_id = 0

    def send(self, sender: int, to: int, ahead: int) -> bool:
        """Whether the mempool accepts the transaction, with a nonce that far ahead."""
        state = self.state
        nonce = state.nonces[sender]
        while nonce in state.waiting[sender]:
            nonce += 1
        nonce += ahead
        if nonce in state.waiting[sender] or nonce >= state.nonces[sender] + 16:
            return False
        state.waiting[sender][nonce] = (to, 1)
        if state.running:
            while any(state.nonces[each] in state.waiting[each] for each in range(ACCOUNTS)):
                self.mine(1)
        return True

    def mine(self, blocks: int) -> None:
        """Mine what is pending, then empty blocks."""
        state = self.state
        for _ in range(blocks):
            state.now = max(state.now, state.times[-1] + 1)
            state.times.append(state.now)
            for each in range(ACCOUNTS):
                while state.nonces[each] in state.waiting[each]:
                    to, value = state.waiting[each].pop(state.nonces[each])
                    state.nonces[each] += 1
                    state.balances[each] -= value
                    state.balances[to] += value

    def snapshot(self) -> int:
        """Take a snapshot."""
        self.last_id += 1
        self.snapshots[self.last_id] = self.state.copy()
        return self.last_id

    def revert(self, taken: int) -> bool:
        """Revert to a snapshot."""
        if taken not in self.snapshots:
            return False
        self.state = self.snapshots[taken].copy()
        self.snapshots = {key: each for key, each in self.snapshots.items() if key <= taken}
        return True


def apply_step(node: Node, model: Model, step: Step) -> None:
    """Do the same to the node and to the model; both return the same."""
    name, what = step
    if name == "send":
        sender, to, ahead = what
        nonce = node.nonce(ADDRESSES[sender], Tag.PENDING) + ahead
        try:
            send(node, ADDRESSES[to], sender=ADDRESSES[sender], value=1, nonce=nonce, gas=21_000)
            taken = True
        except DevchainError:
            taken = False
        assert taken == model.send(sender, to, ahead), step
    elif name == "mine":
        node.mine(MineRequest(blocks=what))
        model.mine(what)
    elif name == "snapshot":
        assert node.snapshots.take() == model.snapshot(), step
    elif name == "revert":
        assert node.revert(what) == model.revert(what), step
    elif name == "advance":
        node.clock.advance(what)
        model.state.now += what
    else:
        node.miner.running = what
        model.state.running = what


def check(node: Node, model: Model) -> None:
    """The node's state is that of the model."""
    state = model.state
    view = node.chain.state_at(Tag.LATEST)
    accounts = ADDRESSES[:ACCOUNTS]
    waiting = {tx.hash for tx in (*node.mempool.pending(), *node.mempool.queued())}
    mined = [tx.hash for block in node.chain.blocks_after(0) for tx in block.transactions]

    assert [block.timestamp for block in node.chain.blocks_after(-1)] == state.times
    assert [view.balance(each) for each in accounts] == state.balances
    assert [view.nonce(each) for each in accounts] == state.nonces
    assert len(waiting) == len(node.mempool) == sum(map(len, state.waiting))
    assert len(set(mined)) == len(mined) == sum(state.nonces)
    assert waiting.isdisjoint(mined)
    assert all(node.chain.receipt(each) for each in mined)
    assert node.clock.now() == state.now
    assert node.miner.running == state.running


class TestRandomSequences:
    @settings(max_examples=40)
    @given(st.lists(STEPS, max_size=25))
    def test_any(self, steps: list[Step]) -> None:
        """After any sequence of operations the node is in the state of a simple model."""
        config = Config(network="test", accounts=ACCOUNTS, fixed_clock=GENESIS_TIME)
        node, model = Node(config), Model()
        for step in steps:
            apply_step(node, model, step)
            check(node, model)


class TestManyBlocks:
    def test_garbage_is_collected_later(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Python's garbage collection goes on after the blocks, also when mining fails."""
        with Node(Config(fixed_clock=1)) as node:
            mine, collecting = node.miner.mine, []

            def noted(timestamp: int | None) -> Block:
                collecting.append(gc.isenabled())
                if len(collecting) > 3:
                    raise BlockNotFound("no more")
                return mine(timestamp)

            monkeypatch.setattr(node.miner, "mine", noted)
            node.mine(3)
            with pytest.raises(BlockNotFound):
                node.mine()

        assert collecting == [False] * 4
        assert gc.isenabled()

    def test_too_many_at_once(self, node: Node) -> None:
        """A request for too many blocks is refused, and mines nothing."""
        with pytest.raises(InvalidInput, match="at most 100000 blocks at once"):
            node.mine(MineRequest(blocks=100_001))

        assert node.chain.height == 0
