"""`devchain.chain.remasc`"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import rlp
from eth.db.atomic import AtomicDB
from eth.vm.chain_context import ChainContext
from eth_hash.auto import keccak
from eth_keys.datatypes import PrivateKey, PublicKey
from hypothesis import given
from hypothesis import strategies as st

from devchain.chain.block import Block, Log
from devchain.chain.remasc import (
    FEDERATION_SLOT,
    REWARD_SLOT,
    RemascRules,
    closing_transaction,
    pay,
    remasc_rules,
)
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import BlockBuildFailed
from devchain.evm.hardforks import rules_for
from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rootstock.precompiles.bridge.federation import account_of, federators_at
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.evm.rootstock.precompiles.bridge.storage import slot_of
from devchain.evm.rootstock.precompiles.chain_contracts import REMASC_ADDRESS
from devchain.evm.rootstock.precompiles.powpeg import federator_keys, powpeg_of
from devchain.networks import ROOTSTOCK
from devchain.node import Node
from devchain.types import ZERO_ADDRESS, Address, LogQuery, MineRequest, Tag
from tests.accounts import ALICE_HEX, BOB, BOB_HEX, UNFUNDED
from tests.actions import deploy, run, send
from tests.bytecode import DESTROY, EMIT, INVALID, init_code, word
from tests.conftest import GENESIS_TIME
from tests.evm.rootstock.precompiles.bridge.calls import account, arguments
from tests.evm.rootstock.precompiles.calling import selector
from tests.state.test_trie import items

MINER = Address(b"\x11" * 20)
OTHER = Address(b"\x22" * 20)
LOCAL = remasc_rules("local")
FEDERATORS = tuple(
    Address(PublicKey.from_compressed_bytes(key).to_canonical_address())
    for key in powpeg_of(33).keys
)
FEE_TOPIC = bytes.fromhex("000000000000000000000000000000006d696e696e675f6665655f746f706963")
"""The slot named `rewardBalance`, as the node writes the name."""


@dataclass
class MemoryState:
    """Balances and storage slots in dictionaries, as REMASC uses a state."""

    balances: dict[Address, int] = field(default_factory=lambda: defaultdict(int))
    words: dict[tuple[Address, int], int] = field(default_factory=lambda: defaultdict(int))

    def get_balance(self, address: Address) -> int:
        """The balance of an account in wei."""
        return self.balances[address]

    def set_balance(self, address: Address, balance: int) -> None:
        """Set a balance, which must not be negative."""
        assert balance >= 0
        self.balances[address] = balance

    def get_storage(self, address: Address, slot: int) -> int:
        """A storage slot."""
        return self.words[address, slot]

    def set_storage(self, address: Address, slot: int, value: int) -> None:
        """Write a storage slot."""
        self.words[address, slot] = value


class RemascChain:
    """A chain of headers with fees, to each of which `pay` has been applied."""

    def __init__(self, rules: RemascRules = LOCAL, gas_price: int = 0) -> None:
        self.rules = rules
        self.gas_price = gas_price
        self.state = MemoryState()
        self.headers: list[Any] = [RootstockHeader(block_number=0)]
        self.logs: list[Log] = []

    def block(self, fees: int = 0, miner: Address = MINER) -> RemascChain:
        """Add a block with those fees."""
        header = RootstockHeader(
            block_number=len(self.headers),
            paid_fees=fees,
            coinbase=miner,
            minimum_gas_price=self.gas_price,
        )
        self.headers.append(header)
        self.state.balances[REMASC_ADDRESS] += fees
        self.logs = pay(
            self.rules,
            self.headers.__getitem__,
            lambda _state, _number: FEDERATORS,
            self.state,
            header,
        )
        return self

    def blocks(self, count: int, fees: int = 0) -> RemascChain:
        """Add `count` blocks, each with those fees."""
        for _ in range(count):
            self.block(fees)
        return self

    def balance(self, address: Address) -> int:
        """The balance of an account in wei."""
        return self.state.balances[address]

    def word(self, slot: int) -> int:
        """A slot of REMASC's storage."""
        return self.state.words[REMASC_ADDRESS, slot]


def payments(logs: list[Log]) -> list[tuple[bytes, int]]:
    """Receiver and amount of each payment."""
    amounts = (rlp.decode(log.data)[1] for log in logs)
    receivers = (log.topics[1][12:] for log in logs)
    return [
        (receiver, int.from_bytes(amount, "big"))
        for receiver, amount in zip(receivers, amounts, strict=True)
    ]


class TestClosingTransaction:
    @pytest.mark.parametrize(
        ("number", "transaction_hash"),
        [
            (3, "694c5110568eeddab989eb9601cca00ab94dfccf3597f72e1627ca987d05691b"),
            (64746, "d63e3b6e1dd408800df812d2ab758316ac21cde155c401ae63ff9d2fff7e7710"),
        ],
    )
    def test_real_hashes(self, number: int, transaction_hash: str) -> None:
        """The hash depends on the block number alone; it equals that of two real blocks."""
        assert closing_transaction(number).hash.hex() == transaction_hash


class TestRules:
    @pytest.mark.parametrize(
        ("network", "maturity", "span", "labs"),
        [
            ("main", 4000, 10, "dcb12179ba4697350f66224c959bdd9c282818df"),
            ("test", 50, 10, "dabadabadabadabadabadabadabadabadaba0003"),
            ("dev", 20, 10, "dabadabadabadabadabadabadabadabadaba0002"),
            ("local", 10, 5, "dabadabadabadabadabadabadabadabadaba0001"),
        ],
    )
    def test_networks(self, network: str, maturity: int, span: int, labs: str) -> None:
        """Each network has its maturity, span and labs address."""
        rules = remasc_rules(network)

        assert (rules.maturity, rules.span, rules.labs.hex()) == (maturity, span, labs)


class TestMaturity:
    def test_before(self) -> None:
        """Nothing is stored or paid until fees mature."""
        chain = RemascChain().blocks(10, 21000)

        assert chain.logs == []
        assert chain.state.words == {}
        assert chain.balance(REMASC_ADDRESS) == 210_000

    def test_then_the_pool_fills(self) -> None:
        """From then on each block adds the fees of the matured block to the pool."""
        chain = RemascChain().block(100).block(20).blocks(8).block()
        assert chain.word(REWARD_SLOT) == 100

        chain.block()

        assert chain.word(REWARD_SLOT) == 120
        assert chain.logs == []

    def test_first_payment(self) -> None:
        """The first payment is in block 15, where block 5 has matured."""
        chain = RemascChain().blocks(4).block(21000).blocks(9)
        assert chain.logs == []

        chain.block()

        assert len(chain.logs) == 5


class TestPay:
    def test_one_block_with_fees(self) -> None:
        """21000 wei of block 5: a fifth is paid, of which 840, 33 and 3327 wei are the parts."""
        chain = RemascChain().blocks(4).block(21000, miner=OTHER).blocks(10)

        first, second, third = FEDERATORS
        assert payments(chain.logs) == [
            (LOCAL.labs, 840),
            (first, 11),
            (second, 11),
            (third, 11),
            (OTHER, 3327),
        ]
        assert chain.balance(OTHER) == 3327
        assert chain.balance(REMASC_ADDRESS) == 16800
        assert chain.word(REWARD_SLOT) == 16800

    def test_log(self) -> None:
        """A log names the receiver in its topics, the block rewarded and the amount in its data."""
        chain = RemascChain().blocks(4).block(21000).blocks(10)

        log = chain.logs[0]
        assert log.address == REMASC_ADDRESS
        assert log.topics == (FEE_TOPIC, bytes(12) + LOCAL.labs)
        assert log.data == rlp.encode([chain.headers[5].hash, 840])

    def test_no_fees(self) -> None:
        """At a minimum gas price of 0, payments of 0 are logged, and no account is touched."""
        chain = RemascChain().blocks(15)

        assert [amount for _, amount in payments(chain.logs)] == [0] * 5
        assert chain.state.balances == {REMASC_ADDRESS: 0}

    def test_worth_the_gas(self) -> None:
        """The real node's example: shares below the minimum wait for a later block."""
        rules = replace(LOCAL, least_gas=21_000, least_federator_gas=10)
        chain = RemascChain(rules, gas_price=10).blocks(15, 210_000)
        chain.block(21_000).block(210_000).block(21_000)

        chain.blocks(5)
        balances = [chain.block().balance(MINER) for _ in range(24, 29)]

        assert balances == [1_663_200, 1_829_520, 1_829_520, 1_999_167, 1_999_167]

    def test_federation_waits(self) -> None:
        """The federation's part accumulates until each federator's share reaches the minimum."""
        rules = replace(LOCAL, least_gas=0, least_federator_gas=1_000)
        chain = RemascChain(rules, gas_price=1).blocks(15, 210_000)
        assert [receiver for receiver, _ in payments(chain.logs)] == [LOCAL.labs, MINER]
        assert chain.word(FEDERATION_SLOT) == 1680

        chain.block(210_000)

        assert [amount for _, amount in payments(chain.logs)][1:4] == [1120, 1120, 1120]
        assert chain.word(FEDERATION_SLOT) == 0

    def test_balance_set_by_hand(self) -> None:
        """REMASC pays nothing while its account cannot cover the share."""
        chain = RemascChain().blocks(14, 1000)
        chain.state.set_balance(REMASC_ADDRESS, 0)

        assert chain.block().logs == []
        assert chain.word(REWARD_SLOT) == 5000

    @given(
        st.lists(st.integers(0, 10**18), min_size=20, max_size=60),
        st.integers(0, 10**10),
        st.sampled_from([LOCAL, replace(remasc_rules("main"), maturity=12)]),
    )
    def test_nothing_is_lost(self, fees: list[int], gas_price: int, rules: RemascRules) -> None:
        """REMASC's account has all unpaid fees: pooled, the federation's and maturing."""
        chain = RemascChain(rules, gas_price)
        logged = 0
        for amount in fees:
            logged += sum(paid for _, paid in payments(chain.block(amount).logs))

        maturing = sum(fees[len(fees) - rules.maturity :])
        assert sum(chain.state.balances.values()) == sum(fees)
        assert chain.balance(REMASC_ADDRESS) == sum(fees) - logged
        assert (
            chain.balance(REMASC_ADDRESS)
            == chain.word(REWARD_SLOT) + chain.word(FEDERATION_SLOT) + maturing
        )


class TestOnPyEvm:
    def test_state(self) -> None:
        """`pay` works on a py-evm state."""
        header = RootstockHeader(block_number=15)
        state: Any = rules_for("vetiver").vm_class.build_state(
            AtomicDB(), header, ChainContext(33), ()
        )
        state.set_balance(REMASC_ADDRESS, 5000)
        find: Callable[[int], Any] = lambda number: RootstockHeader(  # noqa: E731  # a one-line stub
            block_number=number, coinbase=MINER, paid_fees=5000
        )

        logs = pay(LOCAL, find, lambda *at: federators_at(at[0], "vetiver", at[1]), state, header)

        assert payments(logs)[-1] == (MINER, 792)
        assert state.get_balance(MINER) == 792
        assert state.get_balance(REMASC_ADDRESS) == 4000
        assert state.get_storage(REMASC_ADDRESS, REWARD_SLOT) == 4000


PRICE = 10**9
GAS = 21_000
MATURITY, SPAN = 10, 5
FIRST_PAID = MATURITY + SPAN
ADD = "addFederatorPublicKeyMultikey(bytes,bytes,bytes)"
MINING_FEE = b"mining_fee_topic".rjust(32, b"\0")


@pytest.fixture
def config() -> Config:
    """A local node on which REMASC ends every block."""
    return Config(remasc=True, network="local", fixed_clock=GENESIS_TIME)


@pytest.fixture
def fee_node(node: Node) -> Node:
    """The node after 40 blocks, most of them with a fee; every seventh has none."""
    for number in range(1, 41):
        if number % 7:
            run(node, BOB, value=1, gas=GAS, gas_price=PRICE + number)
        else:
            node.mine(MineRequest())
    return node


def fee_of(number: int) -> int:
    """The fee of the transaction in block `number` on the chain of `fee_node`."""
    return GAS * (PRICE + number) if number % 7 else 0


def expected_payments(height: int) -> Iterator[tuple[int, list[tuple[Address, int]]]]:
    """Expected receivers and amounts in blocks 1 to `height` on the chain of `fee_node`."""
    pool = 0
    for number in range(1, height + 1):
        pool += fee_of(number - MATURITY) if number > MATURITY else 0
        if number < FIRST_PAID:
            yield number, []
            continue
        share = pool // SPAN
        pool -= share
        labs = share // 5
        federation = (share - labs) // 100
        each, rest = divmod(federation, 3)
        parts = [each, each, each + rest]
        paid = [*zip(FEDERATORS, parts, strict=True)]
        yield number, [(LOCAL.labs, labs), *paid, (COINBASE, share - labs - federation)]


COINBASE = Address(bytes.fromhex("ec4ddeb4380ad69b3e509baad9f158cdf4e4681d"))


def supply(node: Node, number: int) -> int:
    """Wei in existence after block `number`: the sum over every account of the state."""
    view = node.chain.state_at(number)
    leaves = items(view.database.trie(view.root))
    return sum(view.database.account(leaf).balance for _, leaf in leaves)


def last_transaction_of(block: Block) -> tuple[object, ...]:
    """The fields of the last transaction of a block."""
    tx = block.transactions[-1]
    return (tx.sender, tx.to, tx.nonce, tx.gas, tx.gas_price, tx.value, tx.data, tx.v, tx.r, tx.s)


class TestTransaction:
    def test_ends_every_block(self, fee_node: Node) -> None:
        """Every block except genesis ends with it; its nonce is the block's number minus one."""
        genesis, *mined = fee_node.chain.blocks_after(-1)

        assert genesis.transactions == ()
        for block in mined:
            nonce = block.number - 1
            assert last_transaction_of(block) == (
                *(ZERO_ADDRESS, REMASC_ADDRESS, nonce, 0, 0, 0, b""),
                *(0, 0, 0),
            )
            assert len(block.transactions) == (2 if block.number % 7 else 1)

    @pytest.mark.parametrize("name", ROOTSTOCK)
    def test_every_upgrade(self, name: str) -> None:
        """REMASC's transaction ends blocks under every network upgrade."""
        config = Config(remasc=True, hardfork=name, network="local", fixed_clock=GENESIS_TIME)
        with Node(config) as node:
            run(node, BOB, gas=GAS, gas_price=PRICE)
            node.mine(MineRequest(blocks=FIRST_PAID))

            assert len(node.chain.head.transactions[-1].raw) == len(rlp.encode([b""] * 8)) + 21
            assert node.chain.block(MATURITY + 1).receipts[-1].logs == ()
            assert len(node.chain.head.receipts[-1].logs) == 5

    def test_under_ethereum(self) -> None:
        """Under Ethereum's rules the option `remasc` has no effect."""
        with Node(Config(remasc=True, hardfork="prague", fixed_clock=GENESIS_TIME)) as node:
            run(node, BOB, value=1)

            assert len(node.chain.head.transactions) == 1

    def test_in_the_pending_block(self, node: Node, client: LocalClient) -> None:
        """The pending block ends with it too; it is not in the mempool."""
        node.miner.running = False
        send(node, BOB, value=1, gas=GAS)

        shown = client.call("eth_getBlockByNumber", "pending", True)["transactions"]

        assert [each["to"] for each in shown] == [BOB_HEX, "0x" + REMASC_ADDRESS.hex()]
        assert [each["blockHash"] for each in shown] == [None, None]
        assert client.call("txpool_status") == {"pending": 1, "queued": 0}


class TestPayments:
    def test_amounts(self, fee_node: Node) -> None:
        """Labs, federators and miner are paid the expected amounts, to the wei."""
        for number, paid in expected_payments(40):
            logs = fee_node.chain.block(number).receipts[-1].logs
            rewarded = fee_node.chain.block(max(0, number - MATURITY)).hash

            found = [(log.topics[1][12:], log.data) for log in logs]

            assert found == [(to, rlp.encode([rewarded, amount])) for to, amount in paid]
            assert {log.topics[0] for log in logs} <= {MINING_FEE}
            assert {log.address for log in logs} <= {REMASC_ADDRESS}

    def test_without_fees(self, node: Node) -> None:
        """Without a gas price the logged payments are 0, as on the real node."""
        for _ in range(20):
            run(node, BOB, value=1, gas=GAS)

        state = node.chain.state_at(Tag.LATEST)
        amounts = [rlp.decode(log.log.data)[1] for log in node.logs(LogQuery(from_block=0))]

        assert {state.balance(each) for each in (LOCAL.labs, COINBASE, REMASC_ADDRESS)} == {0}
        assert set(amounts) == {b""}


def receivers(node: Node) -> list[Address]:
    """Whom the head's REMASC transaction has paid, but the labs and the miner."""
    logs = node.chain.head.receipts[-1].logs
    return [Address(log.topics[1][12:]) for log in logs[1:-1]]


class TestFederations:
    def test_of_the_configuration(self) -> None:
        """`--federators` says how many the genesis federation has; they are sorted by key."""
        keys = sorted(PrivateKey(key).public_key.to_compressed_bytes() for key in federator_keys(5))
        with Node(Config(remasc=True, federators=5, fixed_clock=GENESIS_TIME)) as node:
            node.mine(MineRequest(blocks=FIRST_PAID))

            assert receivers(node) == [account_of(key) for key in keys]

    def test_edited(self, node: Node) -> None:
        """No block can be built if the federation was overwritten with something else."""
        node.mine(MineRequest(blocks=FIRST_PAID))
        node.set_storage(BRIDGE, slot_of("newFederation"), 0x8102 << 224 | 4)

        with pytest.raises(BlockBuildFailed, match="REMASC cannot pay the federation: "):
            node.mine()

    def test_elected(self) -> None:
        """An elected federation is paid for the blocks from its activation on."""
        voters, keys = [account(f"auth-{letter}") for letter in "abc"], federator_keys(5)[3:]
        public = [PrivateKey(key).public_key.to_compressed_bytes() for key in keys]
        pending_hash = keccak(rlp.encode(sorted(public)))
        calls = [
            selector("createFederation()"),
            *(selector(ADD) + arguments(key, key, key) for key in public),
            selector("commitFederation(bytes)") + arguments(pending_hash),
        ]
        config = Config(remasc=True, hardfork="papyrus", fixed_clock=GENESIS_TIME)
        with Node(config) as node:
            for voter in voters:
                node.accounts.impersonate(voter)
                node.set_balance(voter, 10**18)
            for data in calls:
                for voter in voters:
                    assert run(node, BRIDGE, data, sender=voter).succeeded
            committed = node.chain.height
            node.mine(MineRequest(blocks=19))
            before = receivers(node)
            node.mine()

            assert before == list(FEDERATORS)
            assert node.chain.height - MATURITY == committed + 10
            assert receivers(node) == [account_of(key) for key in sorted(public)]


class TestSupply:
    def test_conserved(self, fee_node: Node) -> None:
        """No block creates or destroys a wei."""
        assert {supply(fee_node, number) for number in range(41)} == {supply(fee_node, 0)}

    def test_of_every_kind_of_transaction(self, node: Node) -> None:
        """Failures, creations, self-destructs and precompiled contracts keep the supply."""
        run(node, None, init_code(EMIT), gas_price=3, value=4)
        run(node, deploy(node, INVALID), gas_price=5)
        run(node, deploy(node, DESTROY, value=9), UNFUNDED.rjust(32, b"\0"), gas_price=7)
        for number in (1, 5, 8, 0x01000006, 0x01000008, 0x01000010):
            run(node, Address(number.to_bytes(20, "big")), b"\1\2\3\4", gas_price=11, value=1)
        node.mine(MineRequest(blocks=30))

        height = node.chain.height
        assert {supply(node, number) for number in range(height + 1)} == {supply(node, 0)}


class TestGenuineCalls:
    def test_by_an_account(self, node: Node, client: LocalClient) -> None:
        """A call of the contract by an account has no effect, and its fee goes to REMASC."""
        sent = client.call(
            "eth_sendTransaction",
            {"from": ALICE_HEX, "to": "0x" + REMASC_ADDRESS.hex(), "gasPrice": "0x7"},
        )

        receipt = client.call("eth_getTransactionReceipt", sent)

        assert receipt["status"] == "0x1"
        assert node.chain.head.header.paid_fees > 0
        assert node.chain.state_at(Tag.LATEST).balance(REMASC_ADDRESS) == (
            node.chain.head.header.paid_fees
        )

    def test_log_of_a_contract_comes_first(self, node: Node) -> None:
        """The log indices of the closing transaction follow those of the other transactions."""
        emitter = deploy(node, EMIT)
        node.mine(MineRequest(blocks=FIRST_PAID))

        run(node, emitter, word(1) + word(2))

        logs = node.logs(LogQuery(from_block=node.chain.height))
        assert [each.index for each in logs] == list(range(6))
        assert [each.transaction_index for each in logs] == [0, *[1] * 5]
