"""`devchain.chain.remasc`"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import rlp
from eth.db.atomic import AtomicDB
from eth.vm.chain_context import ChainContext
from eth_keys.datatypes import PublicKey
from hypothesis import given
from hypothesis import strategies as st

from devchain.chain.block import Log
from devchain.chain.remasc import (
    FEDERATION_SLOT,
    REMASC_ADDRESS,
    REMASC_RULES,
    REWARD_SLOT,
    RemascRules,
    closing_transaction,
    pay,
    remasc_rules,
)
from devchain.evm.hardforks import rules_for
from devchain.evm.rootstock.header import RootstockHeader
from devchain.types import ZERO_ADDRESS, Address

MINER = Address(b"\x11" * 20)
OTHER = Address(b"\x22" * 20)
LOCAL = REMASC_RULES["local"]
FEE_TOPIC = bytes.fromhex("000000000000000000000000000000006d696e696e675f6665655f746f706963")
REWARDS = int("726577617264" + "42616c616e6365", 16)
"""The slot named `rewardBalance`, as the node writes the name."""


@dataclass
class Ledger:
    """A state of balances and words."""

    balances: dict[Address, int] = field(default_factory=lambda: defaultdict(int))
    words: dict[tuple[Address, int], int] = field(default_factory=lambda: defaultdict(int))

    def get_balance(self, address: Address) -> int:
        """In wei."""
        return self.balances[address]

    def set_balance(self, address: Address, balance: int) -> None:
        """No account owes anything."""
        assert balance >= 0
        self.balances[address] = balance

    def get_storage(self, address: Address, slot: int) -> int:
        """A word."""
        return self.words[address, slot]

    def set_storage(self, address: Address, slot: int, value: int) -> None:
        """Write a word."""
        self.words[address, slot] = value


class Story:
    """A chain of blocks whose transactions paid fees, each closed by REMASC."""

    def __init__(self, rules: RemascRules = LOCAL, gas_price: int = 0) -> None:
        self.rules = rules
        self.gas_price = gas_price
        self.state = Ledger()
        self.headers: list[Any] = [RootstockHeader(block_number=0)]
        self.logs: list[Log] = []

    def block(self, fees: int = 0, miner: Address = MINER) -> Story:
        """One more block, with those fees."""
        header = RootstockHeader(
            block_number=len(self.headers),
            paid_fees=fees,
            coinbase=miner,
            minimum_gas_price=self.gas_price,
        )
        self.headers.append(header)
        self.state.balances[REMASC_ADDRESS] += fees
        self.logs = pay(self.rules, self.state, header, self.headers.__getitem__)
        return self

    def blocks(self, count: int, fees: int = 0) -> Story:
        """So many more blocks, each with those fees."""
        for _ in range(count):
            self.block(fees)
        return self

    def balance(self, address: Address) -> int:
        """In wei."""
        return self.state.balances[address]

    def word(self, slot: int) -> int:
        """A word of REMASC's storage."""
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
        """Its hash depends on the block's number alone: those of two real blocks."""
        assert closing_transaction(number).hash.hex() == transaction_hash

    def test_bytes(self) -> None:
        """Gas price and gas are a zero byte each, the other zeros are empty."""
        found = closing_transaction(1).raw

        assert found.hex() == "dd80" + "0000" + "94" + REMASC_ADDRESS.hex() + "8080" + "808080"

    def test_fields(self) -> None:
        """No sender, no signature, no gas; the nonce is the parent's number."""
        tx = closing_transaction(8)

        assert (tx.sender, tx.to, tx.nonce) == (ZERO_ADDRESS, REMASC_ADDRESS, 7)
        assert (tx.gas, tx.gas_price, tx.value, tx.data) == (0, 0, 0, b"")
        assert (tx.v, tx.r, tx.s, tx.type) == (0, 0, 0, 0)

    def test_for_py_evm(self) -> None:
        """The object for py-evm encodes to the same bytes, and reads back."""
        tx = closing_transaction(300)

        assert tx.signed.encode() == tx.raw
        assert rlp.decode(tx.raw, type(tx.signed)) == tx.signed
        assert tx.signed.hash == tx.hash


class TestRules:
    @pytest.mark.parametrize(
        ("network", "maturity", "span", "labs", "federators"),
        [
            ("main", 4000, 10, "dcb12179ba4697350f66224c959bdd9c282818df", 15),
            ("test", 50, 10, "dabadabadabadabadabadabadabadabadaba0003", 4),
            ("dev", 20, 10, "dabadabadabadabadabadabadabadabadaba0002", 3),
            ("local", 10, 5, "dabadabadabadabadabadabadabadabadaba0001", 3),
        ],
    )
    def test_networks(
        self, network: str, maturity: int, span: int, labs: str, federators: int
    ) -> None:
        """The figures of each network."""
        rules = remasc_rules(network)

        assert (rules.maturity, rules.span, rules.labs.hex()) == (maturity, span, labs)
        assert len(set(rules.federators)) == federators

    def test_federators(self) -> None:
        """A federator is paid at the address of the public key it holds in the peg."""
        keys = [
            "0362634ab57dae9cb373a5d536e66a8c4f67468bbcfb063809bab643072d78a124",
            "03c5946b3fbae03a654237da863c9ed534e0878657175b132b8ca630f245df04db",
            "02cd53fc53a07f211641a677d250f6de99caf620e8e77071e811a28b3bcddf0be1",
        ]

        found = [PublicKey.from_compressed_bytes(bytes.fromhex(key)) for key in keys]

        assert tuple(key.to_canonical_address() for key in found) == LOCAL.federators

    def test_first_labs_address(self) -> None:
        """RSKIP218 changed the labs' address, on the main network only."""
        before = remasc_rules("main", rskip218=False)

        assert before.labs.hex() == "14d3065c8eb89895f4df12450ec6b130049f8034"
        assert replace(before, labs=remasc_rules("main").labs) == remasc_rules("main")
        assert remasc_rules("test", rskip218=False) == remasc_rules("test")


class TestMaturity:
    def test_before(self) -> None:
        """For as many blocks as fees take to mature nothing happens."""
        story = Story().blocks(10, 21000)

        assert story.logs == []
        assert story.state.words == {}
        assert story.balance(REMASC_ADDRESS) == 210_000

    def test_then_the_pool_fills(self) -> None:
        """Then each block adds the fees of the block that has matured to the pool."""
        story = Story().block(100).block(20).blocks(8).block()
        assert story.word(REWARD_SLOT) == 100

        story.block()

        assert story.word(REWARD_SLOT) == 120
        assert story.logs == []

    def test_first_payment(self) -> None:
        """The first payment is in block 15, where block 5 has matured."""
        story = Story().blocks(4).block(21000).blocks(9)
        assert story.logs == []

        story.block()

        assert len(story.logs) == 5

    def test_storage(self) -> None:
        """The pool is where a user would look for it on the real node."""
        story = Story().block(100).blocks(10)

        assert story.state.words[REMASC_ADDRESS, REWARDS] == 100


class TestPay:
    def test_one_block_with_fees(self) -> None:
        """21000 wei of block 5: a fifth is paid, of which 840, 33 and 3327 wei are the parts."""
        story = Story().blocks(4).block(21000, miner=OTHER).blocks(10)

        first, second, third = LOCAL.federators
        assert payments(story.logs) == [
            (LOCAL.labs, 840),
            (first, 11),
            (second, 11),
            (third, 11),
            (OTHER, 3327),
        ]
        assert story.balance(OTHER) == 3327
        assert story.balance(REMASC_ADDRESS) == 16800
        assert story.word(REWARD_SLOT) == 16800

    def test_log(self) -> None:
        """A log names the receiver in its topics, the block rewarded and the amount in its data."""
        story = Story().blocks(4).block(21000).blocks(10)

        log = story.logs[0]
        assert log.address == REMASC_ADDRESS
        assert log.topics == (FEE_TOPIC, bytes(12) + LOCAL.labs)
        assert log.data == rlp.encode([story.headers[5].hash, 840])

    def test_rest_to_the_last_federator(self) -> None:
        """What does not divide among the federators is the last one's."""
        story = Story().blocks(4).block(25000).blocks(10)

        assert [amount for _, amount in payments(story.logs)] == [1000, 13, 13, 14, 3960]

    def test_no_fees(self) -> None:
        """At a minimum gas price of zero, payments of nothing are logged, and touch no account."""
        story = Story().blocks(15)

        assert [amount for _, amount in payments(story.logs)] == [0] * 5
        assert story.state.balances == {REMASC_ADDRESS: 0}

    def test_steady_chain(self) -> None:
        """When every block pays the same, each block pays that out."""
        story = Story().blocks(30, 210_000)

        assert sum(amount for _, amount in payments(story.logs)) == 210_000

    def test_worth_the_gas(self) -> None:
        """The node's own example: blocks whose share is not worth the gas wait for the next."""
        rules = replace(LOCAL, least_gas=21_000, least_federator_gas=10)
        story = Story(rules, gas_price=10).blocks(15, 210_000)
        story.block(21_000).block(210_000).block(21_000)

        story.blocks(5)
        balances = [story.block().balance(MINER) for _ in range(24, 29)]

        assert balances == [1_663_200, 1_829_520, 1_829_520, 1_999_167, 1_999_167]

    @pytest.mark.parametrize(("least", "paid"), [(21_000, True), (21_001, False)])
    def test_least_gas(self, least: int, *, paid: bool) -> None:
        """A share equal to the least is paid."""
        rules = replace(LOCAL, least_gas=least)

        story = Story(rules, gas_price=10).blocks(15, 210_000)

        assert bool(story.logs) == paid
        assert story.word(REWARD_SLOT) == (840_000 if paid else 1_050_000)

    def test_federation_waits(self) -> None:
        """The federation's part adds up until each federator's is worth the gas."""
        rules = replace(LOCAL, least_gas=0, least_federator_gas=1_000)
        story = Story(rules, gas_price=1).blocks(15, 210_000)
        assert [receiver for receiver, _ in payments(story.logs)] == [LOCAL.labs, MINER]
        assert story.word(FEDERATION_SLOT) == 1680

        story.block(210_000)

        assert [amount for _, amount in payments(story.logs)][1:4] == [1120, 1120, 1120]
        assert story.word(FEDERATION_SLOT) == 0

    def test_real_minimums(self) -> None:
        """200,000 gas for a block's share, 50,000 for a federator's."""
        assert (LOCAL.least_gas, LOCAL.least_federator_gas) == (200_000, 50_000)
        assert (LOCAL.labs_divisor, LOCAL.federation_divisor) == (5, 100)

    def test_balance_set_by_hand(self) -> None:
        """An account of REMASC that cannot pay waits until it can."""
        story = Story().blocks(14, 1000)
        story.state.set_balance(REMASC_ADDRESS, 0)

        assert story.block().logs == []
        assert story.word(REWARD_SLOT) == 5000

    @given(
        st.lists(st.integers(0, 10**18), min_size=20, max_size=60),
        st.integers(0, 10**10),
        st.sampled_from([LOCAL, replace(REMASC_RULES["main"], maturity=12)]),
    )
    def test_nothing_is_lost(self, fees: list[int], gas_price: int, rules: RemascRules) -> None:
        """What was paid in fees is with REMASC or paid out, and REMASC can account for its own."""
        story = Story(rules, gas_price)
        logged = 0
        for amount in fees:
            logged += sum(paid for _, paid in payments(story.block(amount).logs))

        maturing = sum(fees[len(fees) - rules.maturity :])
        assert sum(story.state.balances.values()) == sum(fees)
        assert story.balance(REMASC_ADDRESS) == sum(fees) - logged
        assert (
            story.balance(REMASC_ADDRESS)
            == story.word(REWARD_SLOT) + story.word(FEDERATION_SLOT) + maturing
        )


class TestOnPyEvm:
    def test_state(self) -> None:
        """A py-evm state is a state as it is."""
        header = RootstockHeader(block_number=15)
        state: Any = rules_for("vetiver").vm_class.build_state(
            AtomicDB(), header, ChainContext(33), ()
        )
        state.set_balance(REMASC_ADDRESS, 5000)
        find: Callable[[int], Any] = lambda number: RootstockHeader(  # noqa: E731  # a table of one
            block_number=number, coinbase=MINER, paid_fees=5000
        )

        logs = pay(LOCAL, state, header, find)

        assert payments(logs)[-1] == (MINER, 792)
        assert state.get_balance(MINER) == 792
        assert state.get_balance(REMASC_ADDRESS) == 4000
        assert state.get_storage(REMASC_ADDRESS, REWARD_SLOT) == 4000
