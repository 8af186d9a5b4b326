"""`devchain.evm.compiler.program`, `cache`, `instructions` and `operations`"""

from __future__ import annotations

from collections import OrderedDict
from itertools import count
from typing import Any

import pytest
from eth.vm import opcode_values as op

from devchain.errors import ExecutionTimedOut
from devchain.evm import deadline
from devchain.evm.compiler import program
from devchain.evm.compiler import program as cache
from devchain.evm.compiler.instructions import instruction_at, jump_destinations
from devchain.evm.compiler.opcodes import recognise
from devchain.evm.compiler.program import Program, Programs
from devchain.evm.hardforks import rules
from devchain.networks import HARDFORKS
from tests.evm.compiler.engines import GAS, Engine, address
from tests.evm.compiler.programs import SELF
from tests.evm.rootstock.machine import assemble

FOREVER = assemble("JUMPDEST 1 POP 0 JUMP")


def opcodes(fork: str) -> dict[int, Any]:
    """The opcodes of a hardfork."""
    found: dict[int, Any] = rules(fork).vm_class.get_state_class().computation_class.opcodes
    return found


class TestInstructions:
    def test_push(self) -> None:
        """A PUSH has its number; one that the code ends in is filled up with zeros."""
        code = bytes([op.PUSH1 + 1, 1, 2, op.PUSH1 + 1, 3])

        assert (instruction_at(code, 0).argument, instruction_at(code, 0).next_pc) == (0x102, 3)
        assert instruction_at(code, 3).argument == 0x300

    def test_past_the_end(self) -> None:
        """Past the end of the code there is a STOP."""
        assert instruction_at(b"\x01", 1).opcode == op.STOP

    def test_destinations(self) -> None:
        """A JUMPDEST that a PUSH pushes is none, not even when the code ends before the PUSH."""
        assert jump_destinations(bytes.fromhex("5b605b5b7f5b5b")) == {0, 3}
        assert jump_destinations(b"") == frozenset()


class TestOperations:
    @pytest.mark.parametrize("fork", HARDFORKS)
    def test_known(self, fork: str) -> None:
        """Of every hardfork the compiler knows what loops are made of, at the hardfork's price."""
        table = opcodes(fork)
        for opcode in (op.ADD, op.MLOAD, op.SLOAD, op.SSTORE, op.JUMPI, op.JUMPDEST, op.LOG1):
            known = recognise(table[opcode])
            assert known is not None
            assert known.gas == table[opcode].gas_cost

    def test_unknown(self) -> None:
        """What the compiler does not know runs as it is."""
        assert recognise(opcodes("vetiver")[op.CALL]) is None
        assert recognise(opcodes("orchid")[0xA8]) is None


class TestRegions:
    def test_hot(self) -> None:
        """What ran once is not compiled, what ran often is, in one function."""
        code = assemble("0 CALLDATALOAD POP CALLVALUE 9 JUMPI 1 POP JUMPDEST STOP")
        engine = Engine("cancun", code, "fast", 3)
        assert engine.programs is not None
        engine.call(b"")
        assert not engine.programs.of(code).regions
        for _ in range(3):
            engine.call(b"")
        assert list(engine.programs.of(code).regions) == [0]

    def test_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A program is not compiled without end."""
        monkeypatch.setattr(program, "MOST_PER_PROGRAM", 1)
        code = b"\x5b" * 40
        engine = Engine("cancun", code, "fast", 1)
        assert engine.programs is not None
        engine.call(b"")
        assert len(engine.programs.of(code).regions) == 1

    def test_aliases(self) -> None:
        """A word in memory is read again after something else may have been written to it."""
        code = assemble(
            "JUMPDEST 7 64 MSTORE 9 0 CALLDATALOAD MSTORE 64 MLOAD 0 CALLDATALOAD MLOAD"
            " 5 64 MSTORE 0 CALLDATALOAD MLOAD ADD ADD 0 MSTORE 32 0 RETURN"
        )
        reference = Engine("cancun", code, "reference")
        fast = Engine("cancun", code, "fast", 1)
        for offset in (200, 0, 33, 63, 64, 65, 95, 96, 97):
            data = offset.to_bytes(32)
            assert fast.call(data) == reference.call(data), offset


class TestCache:
    def test_same(self) -> None:
        """Equal code is one program."""
        programs = Programs(opcodes("cancun"))

        assert programs.of(b"\x01" * 3) is programs.of(bytes(bytearray(b"\x01" * 3)))

    def test_bound(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The least recently used goes when there are too many."""
        monkeypatch.setattr(cache, "MOST", 2)
        programs = Programs(opcodes("cancun"))
        first, second = programs.of(b"1"), programs.of(b"2")
        assert programs.of(b"1") is first
        programs.of(b"3")

        assert programs.of(b"1") is first
        assert programs.of(b"2") is not second

    def test_dropped_by_another_thread(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A program that another thread drops while it is looked up is found all the same."""

        class Emptied(OrderedDict[bytes, Program]):
            def get(self, key: bytes, default: Any = None) -> Any:
                return self.pop(key, default)

        programs = Programs(opcodes("cancun"))
        monkeypatch.setattr(programs, "_kept", Emptied())
        first = programs.of(b"1")

        assert programs.of(b"1") is first


class TestDeadline:
    def test_compiled_loop(self) -> None:
        """A loop that is compiled looks at the time, too."""
        engine = Engine("cancun", FOREVER, "fast", 2)
        ticks = count()
        with deadline.within(20, lambda: next(ticks)), pytest.raises(ExecutionTimedOut):
            engine.call(b"", 10**12)

    def test_without(self) -> None:
        """Without a deadline it runs until its gas is spent."""
        engine = Engine("cancun", FOREVER, "fast", 2)

        assert engine.call(b"", GAS)["error"] == ("out of gas",)
        assert engine.state.get_code(address(SELF)) == FOREVER
