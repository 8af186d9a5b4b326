"""Mutated contracts: an execution runs other instructions in place of some of a contract's code.

Opcodes that no hardfork has stand for what a mutant does at an offset, so that code keeps its size:

    PUSH2 0x0040 JUMPI          jumps if the condition holds
    PUSH2 0x0040 JUMP_UNLESS    jumps if it does not
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from eth.exceptions import Revert
from eth.vm.code_stream import CodeStream
from eth.vm.opcode import as_opcode

from devchain.evm.compiler.program import ProgramCache
from devchain.evm.opcodes import Op
from devchain.evm.rules import Rules
from devchain.types import MAX_UINT256

OVERFLOW = bytes.fromhex("4e487b71") + (0x11).to_bytes(32)  # Solidity's Panic(0x11)
DIVISION_BY_ZERO = OVERFLOW[:-1] + b"\x12"
SIGN = 1 << 255

JUMP_UNLESS, JUMP_ALWAYS, JUMP_NEVER = 0xC0, 0xC1, 0xC2
LE, GE, SLE, SGE, NE, PUSH_ONE, DROP_STORE = range(0xC3, 0xCA)
DROP_LOG = 0xCA  # and those of LOG1 to LOG4
CALL_ADD, CALL_SUB, CALL_MUL, CALL_DIV = range(0xD0, 0xD4)
"""A jump into Solidity's function of a checked operation: another operation instead."""
SIGNED = 4  # added to the number of an operation on int256
DROP_CALL, DROP_JUMP = 0xD8, 0xD9  # into a function; then into those with one to 15 results


def _signed(word: int) -> int:
    return word - 2 * SIGN if word >= SIGN else word


COMPARISONS: dict[int, Callable[[int, int], bool]] = {
    LE: lambda left, right: left <= right,
    GE: lambda left, right: left >= right,
    SLE: lambda left, right: _signed(left) <= _signed(right),
    SGE: lambda left, right: _signed(left) >= _signed(right),
    NE: lambda left, right: left != right,
}
OPERATIONS: dict[int, Callable[[int, int], int]] = {
    CALL_ADD: lambda left, right: left + right,
    CALL_SUB: lambda left, right: left - right,
    CALL_MUL: lambda left, right: left * right,
    CALL_DIV: lambda left, right: abs(left) // abs(right) * (1 if left * right >= 0 else -1),
}


class Mutation:
    """What the nodes with the rules of `mutating_rules` run: the code as it is, or a mutant.

    `find_edits` gives for deployed code the bytes to write by offset, or None for code that is run
    as always. `reached` has the blocks that ran in code that it gave edits for.
    """

    def __init__(self, opcodes: dict[int, Any], rules: Any) -> None:
        self._opcodes, self._rules = opcodes | _own_opcodes(opcodes), rules
        self.start(lambda _code: None)

    def start(self, find_edits: Callable[[bytes], dict[int, bytes] | None]) -> None:
        """Run other mutants from now on; forgets what ran before."""
        self.find_edits = find_edits
        self._programs = ProgramCache(self._opcodes, self._rules, shares_regions=False)
        self._codes: dict[bytes, bytes | None] = {}

    def code(self, original: bytes) -> bytes | None:
        if original not in self._codes:
            edits = self.find_edits(original)
            self._codes[original] = None if edits is None else edited(original, edits)
        return self._codes[original]

    def run(self, computation: Any, code: bytes) -> None:
        computation.code = CodeStream(code)
        program = self._programs.program(code)
        program.run(computation, computation._stack.values, computation._gas_meter, 0)  # noqa: SLF001  # py-evm's

    def reached(self) -> dict[bytes, frozenset[int]]:
        """The offsets of the blocks that ran, by original code."""
        return {
            original: self._programs.reached_in(code)
            for original, code in self._codes.items()
            if code is not None
        }


def edited(code: bytes, edits: dict[int, bytes]) -> bytes:
    changed = bytearray(code)
    for offset, content in edits.items():
        changed[offset : offset + len(content)] = content
    return bytes(changed)


def mutating_rules(rules: Rules) -> tuple[Rules, Mutation]:
    """The same rules with executions that a mutation changes."""
    kind = rules.vm_class.get_state_class().computation_class
    mutation = Mutation(kind.opcodes, kind.opcode_rules)
    members = {"mutation": mutation, "__module__": __name__}
    table = {"opcodes": kind.reference.opcodes | _own_opcodes(kind.reference.opcodes)}
    slow = type(kind.__name__, (_MutatedReference, kind.reference), members | table)
    return rules.with_state(
        computation_class=type(kind.__name__, (_Mutated, kind), members | {"reference": slow})
    ), mutation


class _Mutated:
    mutation: ClassVar[Mutation]
    code: Any

    def run_code(self) -> None:
        original = self.code._raw_code_bytes  # noqa: SLF001  # CodeStream has no public name for it
        code = self.mutation.code(original) if original else None
        if code is None:
            super().run_code()  # type: ignore[misc]  # of the computation class behind it
        else:
            self.mutation.run(self, code)


class _MutatedReference:  # for replays
    mutation: ClassVar[Mutation]
    code: Any

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        original = self.code._raw_code_bytes  # noqa: SLF001  # CodeStream has no public name for it
        self.code = type(self.code)(self.mutation.code(original) or original)


def _own_opcodes(opcodes: dict[int, Any]) -> dict[int, Any]:
    jump, jumpi = opcodes[Op.JUMP], opcodes[Op.JUMPI]

    def jump_if(decide: Callable[[int], bool]) -> Callable[[Any], None]:
        def run(computation: Any) -> None:
            target, condition = computation.stack_pop_ints(2)
            computation.stack_push_int(int(decide(condition)))
            computation.stack_push_int(target)
            jumpi(computation)

        return run

    def compare(decide: Callable[[int, int], bool]) -> Callable[[Any], None]:
        def run(computation: Any) -> None:
            computation.stack_push_int(int(decide(*computation.stack_pop_ints(2))))

        return run

    def drop(words: int) -> Callable[[Any], None]:
        return lambda computation: computation.stack_pop_ints(words)

    def call(operate: Callable[[int, int], int], *, is_signed: bool) -> Callable[[Any], None]:
        lowest, highest = (-SIGN, SIGN - 1) if is_signed else (0, MAX_UINT256)

        def run(computation: Any) -> None:
            _target, left, right, back = computation.stack_pop_ints(4)
            if is_signed:
                left, right = _signed(left), _signed(right)
            is_by_zero = operate is OPERATIONS[CALL_DIV] and not right
            result = 0 if is_by_zero else operate(left, right)
            if is_by_zero or not lowest <= result <= highest:
                computation.output = DIVISION_BY_ZERO if is_by_zero else OVERFLOW
                raise Revert(computation.output)
            computation.stack_push_int(result & MAX_UINT256)
            computation.stack_push_int(back)
            jump(computation)

        return run

    runs: dict[int, Callable[[Any], Any]] = {
        JUMP_UNLESS: jump_if(lambda condition: not condition),
        JUMP_ALWAYS: jump_if(lambda _condition: True),
        JUMP_NEVER: jump_if(lambda _condition: False),
        PUSH_ONE: lambda computation: computation.stack_push_int(1),
        DROP_STORE: drop(2),
        DROP_CALL: _without_call,
        **{DROP_JUMP + results: _without_jump(jump, results) for results in range(16)},
        **{DROP_LOG + topics: drop(topics + 2) for topics in range(5)},
        **{number: compare(decide) for number, decide in COMPARISONS.items()},
        **{
            number + SIGNED * signed: call(operate, is_signed=signed)
            for number, operate in OPERATIONS.items()
            for signed in (False, True)
        },
    }
    return {number: as_opcode(run, "MUTANT", 3) for number, run in runs.items()}


def _without_jump(jump: Callable[[Any], None], results: int) -> Callable[[Any], None]:
    def run(computation: Any) -> None:
        back = computation.code.program_counter
        while computation.stack_pop1_int() != back:  # the function's address and arguments
            pass
        for word in (*[0] * results, back):
            computation.stack_push_int(word)
        jump(computation)

    return run


def _without_call(computation: Any) -> None:
    *_, start, size = computation.stack_pop_ints(7)
    computation.extend_memory(start, size)
    computation.memory_write(start, size, bytes(size))
    computation.return_data = bytes(max(size, 64))  # zeros, or an empty text
    computation.stack_push_int(1)
