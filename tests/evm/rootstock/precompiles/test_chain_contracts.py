"""`devchain.evm.rootstock.precompiles.chain_contracts`"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from devchain.chain.merged_mining import MergedMining
from devchain.evm.rootstock.header import RootstockHeader
from tests.bytecode import word
from tests.evm.rootstock.precompiles.calling import (
    BLOCK_HEADER,
    ENVIRONMENT,
    REMASC,
    Machine,
    Outcome,
    selector,
    unpack,
)

BITCOIN_HEADER = b"\xbb" * 80
TAGS = b"ALTBLOCK:and the rest"
COINBASE = b"\xcc" * 40 + b"RSKBLOCK:" + b"\xdd" * 32 + TAGS
LENGTH = 4_100


@dataclass(frozen=True)
class Ancestor:
    """The attributes of a block that the contract reads."""

    header: Any
    total_difficulty: int
    merged_mining: MergedMining | None
    difficulty_with_uncles: int = 139

    def uncle(self, index: int) -> Ancestor | None:
        """Itself as the uncle at index 1."""
        return self if index == 1 else None


@pytest.fixture(scope="module")
def blocks() -> list[Ancestor]:
    """Blocks, newest first; block 3 is not merged-mined."""
    chain: list[Ancestor] = []
    for number in range(LENGTH):
        header = RootstockHeader(
            parent_hash=chain[-1].header.hash if chain else bytes(32),
            block_number=number,
            coinbase=number.to_bytes(20, "big"),
            difficulty=130,
            gas_limit=10_000_000,
            gas_used=number * 1000,
            minimum_gas_price=60_000_000,
        )
        proof = MergedMining(BITCOIN_HEADER, COINBASE, b"") if number != 3 else None
        chain.append(Ancestor(header, 130 * (number + 1), proof))
    return chain[::-1]


@pytest.fixture(scope="module")
def machine(blocks: list[Ancestor]) -> Machine:
    """The newest upgrade on that chain."""
    return Machine(blocks=blocks)


def call(machine: Machine, name: str, depth: int) -> Outcome:
    """Call a method with a depth."""
    return machine.call(BLOCK_HEADER, selector(f"{name}(int256)") + word(depth % 2**256))


class TestGetters:
    @pytest.mark.parametrize(
        ("name", "answer"),
        [
            ("getCoinbaseAddress", (LENGTH - 11).to_bytes(20, "big")),
            ("getMinGasPrice", (60_000_000).to_bytes(4, "big")),
            ("getGasLimit", (10_000_000).to_bytes(4, "big")),
            ("getGasUsed", (1000 * (LENGTH - 11)).to_bytes(3, "big")),
            ("getDifficulty", b"\0\x82"),
            ("getDifficultyWithUncles", b"\0\x8b"),
            ("getCumulativeWork", (130 * (LENGTH - 10)).to_bytes(3, "big")),
            ("getBitcoinHeader", BITCOIN_HEADER),
            ("getMergedMiningTags", TAGS),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_of_a_block(self, machine: Machine, name: str, answer: bytes) -> None:
        """Numbers have minimal length, with a sign bit."""
        outcome = call(machine, name, 10)

        assert unpack(outcome.output) == answer
        assert outcome.gas == 4000 + 2 * 36

    def test_parent(self, machine: Machine, blocks: list[Ancestor]) -> None:
        """Depth 0 is the parent; the depth may exceed the 256 blocks of BLOCKHASH."""
        for depth in (0, 1, 255, 256, 3999):
            found = unpack(call(machine, "getBlockHash", depth).output)

            assert found == blocks[depth].header.hash

    @pytest.mark.parametrize("depth", [4000, 32_767, 32_768, -32_769, 2**255 - 1])
    def test_out_of_reach(self, machine: Machine, depth: int) -> None:
        """Blocks deeper than 3999 give an empty output, not a failure."""
        outcome = call(machine, "getBlockHash", depth)

        assert outcome.error is None
        assert outcome.output == word(32) + word(0) + word(0)

    def test_before_genesis(self, blocks: list[Ancestor]) -> None:
        """Depths beyond genesis give an empty output."""
        young = Machine(blocks=blocks[-3:])

        assert unpack(call(young, "getBlockHash", 2).output) == blocks[-1].header.hash
        assert unpack(call(young, "getBlockHash", 3).output) == b""
        assert unpack(call(Machine(), "getBlockHash", 0).output) == b""

    def test_negative(self, machine: Machine) -> None:
        """A negative depth fails."""
        outcome = call(machine, "getBlockHash", -1)

        assert str(outcome.error) == "a block depth is not negative: -1"
        assert outcome.gas == 4072

    def test_without_proof(self, machine: Machine, blocks: list[Ancestor]) -> None:
        """A block that has not been merged-mined has no bitcoin header and no tags."""
        depth = LENGTH - 1 - 3
        young = Machine(blocks=blocks[depth:])

        assert unpack(call(young, "getBitcoinHeader", 0).output) == b""
        assert unpack(call(young, "getMergedMiningTags", 0).output) == b""

    def test_zero(self, blocks: list[Ancestor]) -> None:
        """Zero is encoded as one byte."""
        assert unpack(call(Machine(blocks=blocks[-1:]), "getGasUsed", 0).output) == b"\0"

    @pytest.mark.parametrize("name", ["getCumulativeWork", "getDifficultyWithUncles"])
    def test_not_before_rskip536(self, blocks: list[Ancestor], name: str) -> None:
        """Two methods exist since RSKIP536; before it a call of them is free and fails.

        Vetiver brought it to the main network, Reed 8.1.0 to the others.
        """
        main = Machine("reed810", 30, blocks)
        assert "BlockHeader has no method" in str(call(main, name, 0).error)
        assert call(Machine("vetiver", 30, blocks), name, 0).error is None
        outcome = call(Machine("reed", blocks=blocks), name, 0)

        assert "BlockHeader has no method" in str(outcome.error)
        assert outcome.gas == 0
        assert call(Machine("reed810", blocks=blocks), name, 0).error is None


class TestUncles:
    def call(self, machine: Machine, depth: int, index: int) -> Outcome:
        """Call `getUncleCoinbaseAddress`."""
        arguments = word(depth % 2**256) + word(index % 2**256)
        signature = "getUncleCoinbaseAddress(int256,int256)"
        return machine.call(BLOCK_HEADER, selector(signature) + arguments)

    def test_coinbase(self, machine: Machine, blocks: list[Ancestor]) -> None:
        """The miner of the uncle at an index."""
        outcome = self.call(machine, 0, 1)

        assert unpack(outcome.output) == blocks[0].header.coinbase

    def test_none(self, machine: Machine) -> None:
        """There is no such uncle."""
        for index in (0, 2, 2**15, 2**200):
            outcome = self.call(machine, 0, index)

            assert unpack(outcome.output) == b""
            assert outcome.gas == 4000 + 2 * 68

    def test_negative(self, machine: Machine) -> None:
        """A negative index fails if the block exists."""
        assert str(self.call(machine, 0, -1).error) == "an uncle index is not negative: -1"
        assert str(self.call(machine, -1, 0).error) == "a block depth is not negative: -1"
        assert self.call(machine, 4000, -1).error is None


class TestCallStackDepth:
    @pytest.mark.parametrize(("depth", "answer"), [(0, 1), (1, 1), (2, 2), (400, 400)])
    def test_depth(self, depth: int, answer: int) -> None:
        """The depth is 1 for a transaction and for the contract it calls; the call is free."""
        outcome = Machine().call(ENVIRONMENT, selector("getCallStackDepth()"), depth=depth)

        assert (outcome.output, outcome.gas) == (word(answer), 0)

    def test_without_input(self) -> None:
        """Empty input calls no method."""
        outcome = Machine().call(ENVIRONMENT)

        assert str(outcome.error) == "Environment has no method without input under vetiver"
        assert (outcome.output, outcome.gas) == (b"", 0)


class TestRemasc:
    @pytest.mark.parametrize("payload", [b"", selector("processMinersFees()")], ids=["", "named"])
    def test_fees(self, payload: bytes) -> None:
        """Only the last transaction of a block, which the node adds, distributes fees."""
        outcome = Machine().call(REMASC, payload)

        assert str(outcome.error) == "REMASC works in the last transaction of a block only"
        assert outcome.gas == 0

    def test_arguments(self) -> None:
        """Input is empty or a selector."""
        outcome = Machine().call(REMASC, selector("processMinersFees()") + b"\1")

        assert str(outcome.error) == "REMASC.processMinersFees takes no arguments"

    def test_unknown(self) -> None:
        """Any other selector is unknown."""
        outcome = Machine().call(REMASC, b"\1\2\3\4")

        assert str(outcome.error) == "REMASC has no method 0x01020304 under vetiver"

    def test_state(self) -> None:
        """Without fees the state is two zeros, an empty list and false."""
        outcome = Machine().call(REMASC, selector("getStateForDebugging()"))

        assert unpack(outcome.output).hex() == "c48080c000"
        assert outcome.gas == 0
