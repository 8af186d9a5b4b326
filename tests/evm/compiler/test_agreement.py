"""The fast and the reference engine give the same results for random programs."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devchain.evm.compiler.instructions import Layout
from devchain.evm.hardforks import rules_for
from devchain.evm.opcodes import Op
from devchain.networks import HARDFORKS
from tests.bytecode import assemble
from tests.evm.compiler.engines import GAS, Engine
from tests.evm.compiler.programs import HELPERS, random_program
from tests.evm.compiler.transactions import Scenario, transact

pytestmark = pytest.mark.filterwarnings("ignore:SELFDESTRUCT opcode")  # a warning of py-evm

seldom = settings(
    max_examples=25,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def opcodes(fork: str) -> dict[int, object]:
    """The opcodes of a hardfork."""
    found: dict[int, object] = rules_for(fork).vm_class.get_state_class().computation_class.opcodes
    return found


def engines(fork: str, code: bytes, hot: int = 2) -> tuple[Engine, Engine]:
    """The reference, and the fast engine that compiles a block at its `hot`th run."""
    return Engine(fork, code, "reference"), Engine(fork, code, "fast", hot)


def assert_agree(fork: str, code: bytes, gas: int = GAS, data: bytes = b"") -> None:
    """Call the code three times on both engines; the fast one compiles at the second call."""
    reference, fast = engines(fork, code)
    for limit in (gas, gas, gas):
        assert fast.call(data, limit) == reference.call(data, limit)


def with_other_literals(rng: Random, code: bytes) -> bytes:
    """The code with other words for some of those of PUSH20 and PUSH32."""
    changed = bytearray(code)
    for start in Layout.of(code).literals:
        if rng.random() < 0.5:
            end = min(len(code), start + 2 + code[start] - Op.PUSH1)
            word = rng.choice((0, 1, start, rng.getrandbits(256), 2**256 - 1))
            changed[start + 1 : end] = word.to_bytes(32)[32 - (end - start - 1) :]
    return bytes(changed)


class TestPrograms:
    @seldom
    @given(rng=st.randoms(use_true_random=False), fork=st.sampled_from(HARDFORKS))
    def test_random(self, rng: Random, fork: str) -> None:
        """Random programs, with ample gas and with less, on every hardfork."""
        code = random_program(rng, opcodes(fork))
        reference, fast = engines(fork, code, rng.choice((1, 2, 3)))
        for _ in range(4):
            gas = rng.choice((GAS, GAS, rng.randint(0, GAS // 4)))
            data = bytes(rng.randint(0, 255) for _ in range(rng.choice((0, 4, 68))))
            assert fast.call(data, gas) == reference.call(data, gas), code.hex()

    @seldom
    @given(
        rng=st.randoms(use_true_random=False), fork=st.sampled_from(("vetiver", "next", "prague"))
    )
    def test_siblings(self, rng: Random, fork: str) -> None:
        """Random programs that differ in the words of PUSH20 and PUSH32, in turn."""
        code = random_program(rng, opcodes(fork))
        reference, fast = engines(fork, code, rng.choice((1, 2, 3)))
        siblings = [code, *(with_other_literals(rng, code) for _ in range(2))]
        for each in siblings * 3:
            gas = rng.choice((GAS, rng.randint(0, GAS // 4)))
            for engine in (reference, fast):
                engine.replace(each)
            assert fast.call(b"", gas) == reference.call(b"", gas), each.hex()

    @seldom
    @given(
        rng=st.randoms(use_true_random=False), fork=st.sampled_from(("vetiver", "next", "prague"))
    )
    def test_init_code(self, rng: Random, fork: str) -> None:
        """Random programs as init code."""
        code = random_program(rng, opcodes(fork))
        reference, fast = engines(fork, b"", 1)
        assert fast.create(code) == reference.create(code), code.hex()


MOVES = {
    "push": "7 300",
    "truncated push": b"\x61\x07",
    "full stack": "1 loop: DUP1 " + "DUP1 " * 1_022 + "9",
    "full stack at a dup": "1 " + "DUP1 " * 1_024,
    "dup": "1 2 3 DUP3",
    "dup of too few": "1 2 DUP3",
    "swap": "1 2 3 SWAP2 SWAP1",
    "swap of too few": "1 2 SWAP2",
    "pop": "1 2 POP",
    "pop of none": "1 POP POP",
    "before a jump destination": "1 2 SWAP1 next: DUP2 next2: POP",
    "data like a jump destination": "91 DUP1 POP",
}
"""Code of opcodes that move words, which the fast engine's interpreter executes itself."""


class TestMoves:
    @pytest.mark.parametrize("fork", ["homestead", "vetiver"])
    @pytest.mark.parametrize("code", MOVES.values(), ids=MOVES)
    def test_ends(self, code: str | bytes, fork: str) -> None:
        """Words are moved, and where they cannot be it fails, as in py-evm; with any gas."""
        program = assemble(code) if isinstance(code, str) else code
        reference, fast = engines(fork, program, hot=100)
        for gas in (GAS, *range(0, 16, 2)):
            assert fast.call(b"", gas) == reference.call(b"", gas)

    def test_jumps_into_data(self) -> None:
        """A jump into the data of a PUSH fails each time, though what is valid is remembered."""
        jump = assemble("0 CALLDATALOAD JUMP")
        code = jump + bytes.fromhex("605b005b00")  # PUSH1 0x5b STOP JUMPDEST STOP
        reference, fast = engines("vetiver", code, hot=100)
        for place in (1, 3, 1, 3, 0):
            data = (len(jump) + place).to_bytes(32)
            assert fast.call(data) == reference.call(data)


class TestTransactions:
    @settings(seldom, max_examples=15)
    @given(seed=st.integers(0, 2**32), fork=st.sampled_from(HARDFORKS))
    def test_random(self, seed: int, fork: str) -> None:
        """Transactions on contracts that call, create and destroy one another."""
        rng = Random(seed)  # noqa: S311  # hypothesis would draw longer than the engines run
        scenario = Scenario(rng, fork, opcodes(fork))
        reference, fast = scenario.engine("reference"), scenario.engine("fast")
        for tx in scenario.transactions():
            assert transact(fast, tx) == transact(reference, tx)
            if rng.random() < 0.5:
                assert fast.root() == reference.root()
        assert fast.root() == reference.root()


LOOP = """
    5 JUMPDEST DUP1 DUP1 MUL DUP2 MSTORE DUP1 32 MLOAD ADD DUP2 32 MUL MSTORE
    DUP1 1 SSTORE 64 0 SHA3 DUP2 32 0 LOG2 1 SWAP1 SUB DUP1 2 JUMPI GAS 0 MSTORE 32 0 RETURN
"""
"""A loop of five rounds with memory, storage, hashes and logs."""


CHECKED = {
    "add": "DUP2 DUP2 ADD DUP1 DUP4 GT",
    "add, less": "DUP2 DUP2 ADD DUP3 DUP2 LT",
    "sub": "DUP1 DUP3 SUB DUP3 DUP2 GT",
    "mul": "DUP2 DUP2 MUL DUP3 ISZERO DUP4 DUP3 DIV DUP4 EQ OR ISZERO",
    "mul by a constant": "POP 10 SWAP1 DUP2 DUP2 MUL 10 DUP2 DIV DUP3 EQ ISZERO",
    "sum of sums": "DUP2 DUP2 ADD DUP1 DUP1 ADD SWAP1 POP DUP3 DUP3 DUP3 SUB GT",
    "two checks": "DUP2 DUP2 MUL DUP3 ISZERO DUP4 DUP3 DIV DUP4 EQ OR ISZERO @panic JUMPI"
    " DUP1 DUP4 ADD DUP1 DUP3 GT SWAP2 POP",
    "below a maximum": "DUP2 DUP2 LT ISZERO @panic JUMPI DUP1 1 ADD DUP3 DUP2 GT",
}
"""Arithmetic on two words of the stack with a check for overflow: result, and whether it fails."""
BOUNDARIES = (0, 1, 2, 10, 2**128 - 1, 2**128, 2**255, 2**256 - 2, 2**256 - 1)


class TestCalls:
    @pytest.mark.parametrize("fork", ["byzantium", "orchid", "orchid060", "vetiver", "prague"])
    @pytest.mark.parametrize("opcode", ["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"])
    def test_operands(self, opcode: str, fork: str) -> None:
        """Calls pop as many words as in the opcode table: on Orchid STATICCALL takes a value."""
        code = assemble(
            f"1 2 3 4 5 6 7 8 GAS POP 0 0 0 0 0 4 5000 {opcode} 32 MSTORE 64 MSTORE 96 0 RETURN"
        )
        assert_agree(fork, code)

    @pytest.mark.parametrize("fork", ["vetiver", "next", "istanbul", "prague"])
    @pytest.mark.parametrize("opcode", ["CALL", "DELEGATECALL", "STATICCALL"])
    @pytest.mark.parametrize("callee", HELPERS)
    def test_every_limit(self, callee: int, opcode: str, fork: str) -> None:
        """With each limit around what the call, and the callee after it, take."""
        value = "0" if opcode == "CALL" else ""
        call = f"32 64 4 0 {value} {callee} 30000 {opcode}"
        code = assemble(f"7 0 MSTORE 0 96 MSTORE {call} RETURNDATASIZE GAS {call} 128 0 RETURN")
        reference, fast = engines(fork, code, hot=1)
        for gas in (
            *range(20, 60, 3),
            *range(700, 800, 7),
            *range(2_500, 2_800, 9),
            26_000,
            60_000,
        ):
            assert fast.call(b"", gas) == reference.call(b"", gas), gas


class TestCheckedArithmetic:
    @pytest.mark.parametrize("check", CHECKED)
    def test_boundaries(self, check: str) -> None:
        """Arithmetic with a check for overflow is exact where the check passes, and fails alike."""
        code = assemble(
            f"32 CALLDATALOAD 0 CALLDATALOAD {CHECKED[check]} @panic JUMPI"
            " 0 MSTORE 0 32 MSTORE 32 0 RETURN panic: 32 MSTORE 64 MSTORE 96 0 REVERT"
        )
        reference, fast = engines("vetiver", code, hot=1)
        for one in BOUNDARIES:
            for other in BOUNDARIES:
                data = one.to_bytes(32) + other.to_bytes(32)
                assert fast.call(data) == reference.call(data), (one, other)


class TestGas:
    @pytest.mark.parametrize("fork", ["frontier", "istanbul", "vetiver"])
    def test_every_limit(self, fork: str) -> None:
        """The engines run out of gas at the same opcode, whatever the limit."""
        reference, fast = engines(fork, assemble(LOOP))
        used = GAS - reference.call(b"")["gas"]
        assert fast.call(b"")["error"] is None
        for limit in {*range(0, 2_000, 61), *range(2_000, used, 3_999), *range(used - 9, used + 3)}:
            assert fast.call(b"", limit) == reference.call(b"", limit), limit

    @pytest.mark.parametrize("pointer", [128, 131, 64_900])
    @pytest.mark.parametrize("size", [64, 101, 70_000])
    def test_allocations(self, pointer: int, size: int) -> None:
        """A loop that hashes words behind the free memory pointer, which it moves."""
        source = f"""
            {pointer} 64 MSTORE 0 40 again: 64 MLOAD DUP3 DUP2 MSTORE DUP2 DUP2 32 ADD MSTORE
            DUP1 {size} ADD 64 MSTORE 64 SWAP1 SHA3 SWAP2 POP
            1 SWAP1 SUB DUP1 @again JUMPI POP 0 MSTORE MSIZE 32 MSTORE 64 0 RETURN
        """
        reference, fast = engines("vetiver", assemble(source))
        used = GAS - reference.call(b"")["gas"]
        assert fast.call(b"") == reference.call(b"")
        for limit in {*range(0, used, max(7, used // 30)), *range(used - 20, used + 2)}:
            assert fast.call(b"", limit) == reference.call(b"", limit), limit

    def test_more_than_64_bits(self) -> None:
        """GAS is exact for a message with 2**64 gas or more."""
        assert_agree("cancun", assemble(f"GAS {2**64 - 1} AND 0 MSTORE 32 0 RETURN"), gas=2**70)


class TestLimits:
    @pytest.mark.parametrize("height", [1_022, 1_023, 1_024, 1_025])
    def test_full_stack(self, height: int) -> None:
        """The stack limit is 1,024 words, also in a compiled loop."""
        loop = f"{height - 2} JUMPDEST CALLER SWAP1 1 SWAP1 SUB DUP1 3 JUMPI CALLER STOP"
        assert_agree("vetiver", assemble(loop))

    @pytest.mark.parametrize("words", range(5))
    def test_empty_stack(self, words: int) -> None:
        """A word too few is an underflow."""
        assert_agree("vetiver", assemble("JUMPDEST " + "7 " * words + "ADD MUL SWAP2 DUP1 STOP"))

    @pytest.mark.parametrize("to", [0, 4, 5, 6, 9, 10, 200, 2**256 - 1])
    @pytest.mark.parametrize("dynamic", ["", "CALLVALUE ADD"])
    def test_jumps(self, to: int, dynamic: str) -> None:
        """A jump goes to a JUMPDEST, not to data that looks like one, nor past the end."""
        code = assemble("0x5b5b POP JUMPDEST JUMPDEST 4 POP GAS POP")
        assert_agree("cancun", code + assemble(f"{to} {dynamic} JUMP STOP"), gas=3_000)

    @pytest.mark.parametrize("offset", [2**31, 2**64, 2**256 - 1])
    @pytest.mark.parametrize(
        "source",
        [
            *("{0} MLOAD", "1 {0} MSTORE", "1 {0} MSTORE8", "32 {0} SHA3", "{0} 0 SHA3"),
            *("32 0 {0} CALLDATACOPY", "{0} 0 0 CODECOPY", "32 {0} 0 CALLDATACOPY"),
            *("0 {0} 0 RETURNDATACOPY", "32 {0} RETURN", "0 {0} RETURN", "{0} 0 LOG0"),
            *("{0} CALLDATALOAD 0 MSTORE 32 0 RETURN", "{0} 0 0 MCOPY", "0 {0} 0 MCOPY"),
            *("{0} 2 EXP 0 MSTORE 32 0 REVERT", "0 {0} SHA3 0 MSTORE 32 0 RETURN"),
        ],
    )
    def test_huge_operands(self, source: str, offset: int) -> None:
        """Offsets and sizes beyond every memory."""
        assert_agree("vetiver", assemble(source.format(offset)), data=bytes(range(40)))
        at_run_time = assemble(source.format(f"CALLVALUE {offset} ADD"))
        assert_agree("vetiver", at_run_time, data=bytes(range(40)))

    def test_static(self) -> None:
        """Writing in a static call fails on both engines, with the same gas left."""
        for write in ("1 1 SSTORE", "0 0 LOG0", "1 1 TSTORE", "0 0 0 CREATE", "1 SELFDESTRUCT"):
            reference, fast = engines("cancun", assemble(f"JUMPDEST {write} STOP"), hot=1)
            for gas in (1, 5, 8, 400, GAS):
                found = fast.call(b"", gas, is_static=True)
                assert found == reference.call(b"", gas, is_static=True)
