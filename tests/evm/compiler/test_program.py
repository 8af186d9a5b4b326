"""`devchain.evm.compiler.program`"""

from __future__ import annotations

from collections import OrderedDict
from itertools import count
from typing import Any

import pytest

from devchain.errors import ExecutionTimedOut
from devchain.evm import deadline
from devchain.evm.compiler import program, with_own_programs
from devchain.evm.compiler.program import Program, ProgramCache
from devchain.evm.hardforks import rules_for
from tests.bytecode import assemble
from tests.evm.compiler.engines import GAS, Engine, address
from tests.evm.compiler.programs import SELF

ENDLESS_LOOP = assemble("JUMPDEST 1 POP 0 JUMP")


def programs_of(fork: str) -> ProgramCache:
    """An empty cache of programs under the rules of a hardfork."""
    kind = rules_for(fork).vm_class.get_state_class().computation_class
    return ProgramCache(kind.opcodes, kind.opcode_rules)


class TestRegions:
    def test_hot(self) -> None:
        """Code that ran once is not compiled; code that ran often is, as one function."""
        code = assemble("0 CALLDATALOAD POP CALLVALUE 9 JUMPI 1 POP JUMPDEST STOP")
        engine = Engine("cancun", code, "fast", 3)
        assert engine.programs is not None
        engine.call(b"")
        assert not engine.programs.program(code).regions
        for _ in range(3):
            engine.call(b"")
        assert list(engine.programs.program(code).regions) == [0]

    def test_loop(self) -> None:
        """Seven of 100 rounds are interpreted; one call of the region runs the rest."""
        code = assemble("100 JUMPDEST 1 SWAP1 SUB DUP1 2 JUMPI STOP")
        engine = Engine("vetiver", code, "fast", 8)
        assert engine.programs is not None
        engine.call(b"")
        loop = engine.programs.program(code)
        assert loop.counts == {0: 1, 2: 8, 11: 1}
        assert (list(loop.regions), loop.loops) == ([2], {2})

    @pytest.mark.parametrize("calls", [1, 2, 6])
    def test_function_in_a_loop(self, calls: int) -> None:
        """A loop that calls a function several times is one region, without other entries."""
        body = " ".join(f"@back{number} @double JUMP back{number}:" for number in range(calls))
        code = assemble(
            f"100 loop: 1 {body} POP 1 SWAP1 SUB DUP1 @loop JUMPI STOP"
            " double: SWAP1 DUP1 ADD SWAP1 JUMP"
        )
        engine = Engine("vetiver", code, "fast", 8)
        assert engine.programs is not None

        engine.call(b"")

        loop = engine.programs.program(code)
        assert loop.loops == {code.index(0x5B)}
        assert max(loop.counts.values()) <= 8 * calls

    def test_branch_that_becomes_usual(self) -> None:
        """A loop is compiled again with a branch that it did not take when it was compiled."""
        code = assemble(
            "100 loop: DUP1 50 LT @skip JUMPI 7 POP skip: 1 SWAP1 SUB DUP1 @loop JUMPI STOP"
        )
        engine = Engine("vetiver", code, "fast", 8)
        assert engine.programs is not None

        engine.call(b"")

        loop = engine.programs.program(code)
        branch = code.index(0x57) + 1
        assert loop.counts[branch] == 8
        assert branch not in loop.regions
        assert loop.loops == {code.index(0x5B)}

    @pytest.mark.parametrize("pointer", [128, 0, 33, 95, 2**64, 2**256 - 32, 2**256 - 70])
    def test_free_memory_pointer(self, pointer: int) -> None:
        """Words behind the free memory pointer, wherever it points to, may overwrite it."""
        code = assemble(
            "0 CALLDATALOAD 64 MSTORE 20 loop: 64 MLOAD DUP1 32 ADD 7 DUP2 MSTORE 9 DUP3 MSTORE"
            " 64 MLOAD MSIZE ADD 0 MSTORE 64 ADD 64 MSTORE 64 64 MLOAD SHA3 32 MSTORE"
            " 1 SWAP1 SUB DUP1 @loop JUMPI GAS 0 MSTORE 128 0 RETURN"
        )
        reference, fast = Engine("cancun", code, "reference"), Engine("cancun", code, "fast", 2)
        for _ in range(2):
            for start in (128, pointer):
                data = start.to_bytes(32)
                assert fast.call(data, 10**6) == reference.call(data, 10**6)

    @pytest.mark.parametrize(
        "body",
        [
            "1 0 MSTORE 2 32 MSTORE 3 64 MSTORE 4 96 MSTORE 5 128 MSTORE 6 160 MSTORE",
            "1 96 MSTORE 2 64 MSTORE 3 32 MSTORE 4 0 MSTORE 5 128 MSTORE",
            "1 0 MSTORE 2 32 MSTORE 3 16 MSTORE 4 0 MSTORE 5 48 MSTORE",
            "1 0 MSTORE 0 MLOAD 2 32 MSTORE 7 ADD 64 MSTORE",
            "DUP1 0 MSTORE 16 MLOAD 32 MSTORE 3 64 MSTORE",
            "1 0 MSTORE 9 3 MSTORE8 2 32 MSTORE",
            "1 0 MSTORE 64 16 SHA3 32 MSTORE 2 64 MSTORE",
            "1 0 MSTORE MSIZE 32 MSTORE MSIZE 64 MSTORE",
            "1 DUP2 MSTORE 2 DUP2 32 ADD MSTORE 3 DUP2 64 ADD MSTORE",
            "1 DUP2 64 ADD MSTORE 2 DUP2 32 ADD MSTORE 3 DUP2 MSTORE",
            "1 DUP2 64 ADD MSTORE 2 0 MSTORE 3 DUP2 32 ADD MSTORE 4 32 MSTORE",
            "1 0 MSTORE DUP1 @skip JUMPI 7 0 MSTORE skip: 2 32 MSTORE",
        ],
    )
    def test_stores(self, body: str) -> None:
        """Words that are stored next to each other, in any order, with what reads them between."""
        code = assemble(
            f"0 CALLDATALOAD 3 loop: SWAP1 {body} SWAP1 1 SWAP1 SUB DUP1 @loop JUMPI 320 0 RETURN"
        )
        reference, fast = Engine("cancun", code, "reference"), Engine("cancun", code, "fast", 2)
        for offset in (0, 7, 32, 100, 0, 2**64, 2**256 - 32, 2**256 - 64):
            data = offset.to_bytes(32)
            assert fast.call(data, 10**6) == reference.call(data, 10**6)

    @pytest.mark.parametrize(
        "body",
        [
            "64 MLOAD 96 ADD 64 MSTORE",
            "64 MLOAD 7 ADD DUP1 64 MSTORE 128 MSTORE",
            "64 MLOAD 128 MSTORE",
            "64 MLOAD POP",
            "32 MLOAD 64 MLOAD 32 MSTORE 64 MSTORE",
            "64 MLOAD DUP2 64 MSTORE 160 MSTORE",
            "64 MLOAD DUP1 192 MSTORE 32 CALLDATALOAD MSTORE",
            "64 MLOAD 1 ADD 65 MSTORE8 64 MLOAD 128 MSTORE",
            "64 MLOAD 160 MSTORE 9 80 MSTORE",
            "DUP1 3 AND @skip JUMPI 64 MLOAD 1 ADD 64 MSTORE skip:",
            "DUP1 3 AND @skip JUMPI 64 MLOAD 1 ADD 64 MSTORE skip: 5 77 MSTORE8",
            "DUP1 3 AND @skip JUMPI 32 64 32 CALLDATACOPY skip: 64 MLOAD 1 ADD 128 MSTORE",
            "96 MLOAD 64 MLOAD 1 ADD 64 MSTORE 2 ADD 96 MSTORE",
            "MSIZE 160 MSTORE 64 MLOAD 1 ADD 64 MSTORE",
        ],
    )
    def test_words_of_a_loop(self, body: str) -> None:
        """A word that each turn of a loop reads and changes, also in memory that is still small."""
        code = assemble(
            "0 CALLDATALOAD @enter JUMPI 20 @loop JUMP enter: 40 64 MSTORE 3 96 MSTORE 20"
            f" loop: {body} 1 SWAP1 SUB DUP1 @loop JUMPI"
            " GAS 224 MSTORE MSIZE 256 MSTORE 288 0 RETURN"
        )
        reference, fast = Engine("cancun", code, "reference"), Engine("cancun", code, "fast", 2)
        for first in (0, 1, 1, 0):
            for offset in (128, 64, 40, 97, 2**64):
                data = first.to_bytes(32) + offset.to_bytes(32)
                for gas in (10**6, 700, 900):
                    assert fast.call(data, gas) == reference.call(data, gas)

    def test_guard_that_fails(self) -> None:
        """A region leaves before a store that may overwrite what it knows, however often."""
        code = assemble(
            "0 CALLDATALOAD DUP1 loop: 1 SWAP1 SUB 64 MLOAD POP 5 2 MSTORE"
            " 5 32 CALLDATALOAD MSTORE 64 MLOAD POP DUP1 @loop JUMPI STOP"
        )
        reference, fast = Engine("cancun", code, "reference"), Engine("cancun", code, "fast", 2)

        for offset in (200, 40, 40):
            data = (30).to_bytes(32) + offset.to_bytes(32)
            assert fast.call(data, 10**6) == reference.call(data, 10**6)

    @pytest.mark.parametrize(
        ("entries", "compiled"),
        [((8, 8), [0, 1]), ((8, 3, 3, 3), [0, 4])],
        ids=["often", "rarely"],
    )
    def test_shared_block(self, entries: tuple[int, ...], compiled: list[int]) -> None:
        """A block that a region contains waits for another entry, which it is compiled with.

        With entries that run rarely it is compiled at twice the usual count.
        """
        places = " ".join(f"entry{number}: {number} POP @shared JUMP" for number in range(4))
        code = assemble(f"0 CALLDATALOAD JUMP {places} shared: 7 POP STOP")
        starts = [offset for offset, byte in enumerate(code) if byte == 0x5B]
        engine = Engine("cancun", code, "fast", 8)
        assert engine.programs is not None

        for start, calls in zip(starts, entries, strict=False):
            for _ in range(calls):
                engine.call(start.to_bytes(32))

        assert set(engine.programs.program(code).regions) == {
            0,
            *(starts[each] for each in compiled),
        }

    def test_template(self) -> None:
        """Code that differs in the words it pushes runs what was compiled for other such code."""

        def code(word: int, mask: int = 2**256 - 1) -> bytes:
            pushes = f"7f{word:064x} 7f{mask:064x} 16".replace(" ", "")  # PUSH32 PUSH32 AND
            return bytes.fromhex(pushes) + assemble("0 MSTORE 32 0 RETURN")

        engine = Engine("cancun", code(0), "fast", 3)
        assert engine.programs is not None
        shown = []
        for word in (1, 1, 1, 2, 2, 2, 3):
            engine.replace(code(word))
            shown.append(int.from_bytes(engine.call(b"")["output"]))
        assert shown == [1, 1, 1, 2, 2, 2, 3]
        programs = [engine.programs.program(code(word)) for word in (1, 2, 3)]
        assert [each.counts for each in programs] == [{0: 3}, {0: 3}, {}]
        assert [set(each.varying) for each in programs] == [{0}] * 3

        engine.replace(code(3, mask=1))  # neither can it be masked by 2**256 - 1
        assert engine.call(b"")["output"] == (1).to_bytes(32)
        assert set(engine.programs.program(code(3)).varying) == {0, 33}

    def test_own_templates(self) -> None:
        """Programs whose blocks are counted for a campaign run none of another's regions."""
        rules, programs = with_own_programs(rules_for("cancun"), hot=1)
        kind = rules.vm_class.get_state_class().computation_class
        assert kind.programs is programs
        first, second = (b"\x7f" + bytes([number]) * 32 + b"\x50\x00" for number in (1, 2))
        programs.program(first)._compile(0)
        assert not programs.program(second).regions

    def test_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """No more regions are compiled once `MAX_INSTRUCTIONS` is reached."""
        monkeypatch.setattr(program, "MAX_INSTRUCTIONS", 1)
        code = b"\x5b" * 40
        engine = Engine("cancun", code, "fast", 1)
        assert engine.programs is not None
        engine.call(b"")
        assert len(engine.programs.program(code).regions) == 1

    def test_aliases(self) -> None:
        """A word of memory is read again after a write that may overlap it."""
        code = assemble(
            "JUMPDEST 7 64 MSTORE 9 0 CALLDATALOAD MSTORE 64 MLOAD 0 CALLDATALOAD MLOAD"
            " 5 64 MSTORE 0 CALLDATALOAD MLOAD ADD ADD 0 MSTORE 32 0 RETURN"
        )
        reference = Engine("cancun", code, "reference")
        fast = Engine("cancun", code, "fast", 1)
        for offset in (200, 0, 33, 63, 64, 65, 95, 96, 97):
            data = offset.to_bytes(32)
            assert fast.call(data) == reference.call(data), offset


class TestProgramCache:
    def test_same(self) -> None:
        """Equal code has the same program."""
        programs = programs_of("cancun")

        assert programs.program(b"\x01" * 3) is programs.program(bytes(bytearray(b"\x01" * 3)))

    def test_bound(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The least recently used program is removed when there are too many."""
        monkeypatch.setattr(program, "MAX_PROGRAMS", 2)
        programs = programs_of("cancun")
        first, second = programs.program(b"1"), programs.program(b"2")
        assert programs.program(b"1") is first
        programs.program(b"3")

        assert programs.program(b"1") is first
        assert programs.program(b"2") is not second

    def test_dropped_by_another_thread(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A program that another thread removes during the lookup is returned."""

        class Emptied(OrderedDict[bytes, Program]):
            def get(self, key: bytes, default: Any = None) -> Any:
                return self.pop(key, default)

        programs = programs_of("cancun")
        monkeypatch.setattr(programs, "_programs", Emptied())
        first = programs.program(b"1")

        assert programs.program(b"1") is first


class TestDeadline:
    def test_compiled_loop(self) -> None:
        """Compiled loops check the deadline."""
        engine = Engine("cancun", ENDLESS_LOOP, "fast", 2)
        ticks = count()
        with deadline.within(20, lambda: next(ticks)), pytest.raises(ExecutionTimedOut):
            engine.call(b"", 10**12)

    def test_without(self) -> None:
        """Without a deadline a compiled loop runs until it is out of gas."""
        engine = Engine("cancun", ENDLESS_LOOP, "fast", 2)

        assert engine.call(b"", GAS)["error"] == "out of gas"
        assert engine.state.get_code(address(SELF)) == ENDLESS_LOOP
