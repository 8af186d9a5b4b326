"""From bytecode to a Python function: all the ways from one place that have been walked before.

A region begins at one place and follows the code from there: through jumps whose destination is
known, into both arms of a branch, around the loop if it comes back to where it began. Code that
two ways share is written out for each of them. A way leaves the region where it has never been
walked, where another loop begins, or where the region would grow too large; whoever called it
goes on from there.
"""

from __future__ import annotations

from typing import Any, Protocol

from eth.vm.opcode_values import JUMPDEST

from devchain.evm.compiler.emitters import ENDINGS, INLINE
from devchain.evm.compiler.instructions import Instruction, instruction_at
from devchain.evm.compiler.opcodes import ARITY, Operation
from devchain.evm.compiler.path import Path
from devchain.evm.compiler.source import Source
from devchain.evm.compiler.values import PURE, TWICE, Value, constant, name
from devchain.evm.nesting import opcode_behind

LARGEST = 1_500
"""Instructions a region may have, written out."""
DEEPEST = 30
"""Branches inside branches."""
RARE = 16
"""An arm walked that many times less often than the other is put inside the `if`."""


class Walked(Protocol):
    """What the compiler has to know of a program."""

    code: bytes
    opcodes: dict[int, Any]
    operations: dict[int, Operation | None]
    counts: dict[int, int]
    loops: set[int]

    @property
    def destinations(self) -> frozenset[int]:
        """Where jumps may go."""


class Region:
    """One region, written when it is made; `text` is its Python."""

    def __init__(self, program: Walked, start: int) -> None:
        """Compile what begins at `start`."""
        self.source = Source()
        self.is_loop = False
        self.size = 0
        self._program = program
        self._start = start
        path = Path(self.source, been=frozenset({start}))
        self._walk(self._block(start, path), path)

    def text(self) -> str:
        """Its Python function."""
        return self.source.render(start=self._start, is_loop=self.is_loop)

    def _walk(self, pc: int | None, path: Path) -> None:
        """Follow the code from a place until the way ends."""
        while pc is not None:
            if pc == self._start and path.height == 0:
                self._repeat(path)
                return
            if self._should_leave(pc, path):
                _leave(pc, path)
                return
            path.been |= {pc}
            pc = self._block(pc, path)

    def _should_leave(self, pc: int, path: Path) -> bool:
        is_walked = self._program.counts.get(pc, 0) > 0
        is_loop = pc in path.been or pc in self._program.loops
        return is_loop or not is_walked or self.size > LARGEST or path.indent > DEEPEST

    def _repeat(self, path: Path) -> None:
        """Go back to where the region began, with other words in the variables."""
        self.is_loop = True
        places = range(path.depth, 0, -1)
        changed = [
            (f"a{place}", word.code)
            for place, word in zip(places, path.words, strict=True)
            if word.code != f"a{place}"
        ]
        if changed:
            names, codes = zip(*changed, strict=True)
            path.line(f"{', '.join(names)} = {', '.join(codes)}")
        path.line("continue")

    def _block(self, pc: int, path: Path) -> int | None:
        """Write the opcodes up to a branch or a JUMPDEST; where it goes on, if it does."""
        code = self._program.code
        while True:
            self.size += 1
            at = instruction_at(code, pc)
            operation = self._program.operations.get(at.opcode)
            if operation is None:
                if not self._run_as_is(at, path):
                    return None
            elif operation.name == "jump":
                path.spend(operation.gas)
                return self._jump(path.pop_simple(), path)
            elif operation.name == "jumpi":
                path.spend(operation.gas)
                return self._branch(at, path)
            elif operation.name in ENDINGS:
                ENDINGS[operation.name](path, operation)
                return None
            else:
                self._inline(at, operation, path)
            pc = at.next_pc
            if code[pc : pc + 1] == _JUMPDEST:
                return pc
            if self.size > LARGEST:
                _leave(pc, path)
                return None

    # Single opcodes

    def _inline(self, at: Instruction, operation: Operation, path: Path) -> None:
        if operation.name in INLINE:
            INLINE[operation.name](path, operation)
            return
        path.spend(operation.gas)
        if operation.name in PURE:
            _compute(operation.name, path)
        elif operation.name == "push":
            path.push(constant(at.argument))
        elif operation.name == "dup":
            path.duplicate(operation.parameter)
        elif operation.name == "swap":
            path.swap(operation.parameter)
        elif operation.name == "pop":
            path.pop()
        elif operation.name == "program_counter":
            path.push(constant(at.pc))

    def _run_as_is(self, at: Instruction, path: Path) -> bool:
        """Have py-evm's function run; False if the region ends with it."""
        function = self._program.opcodes.get(at.opcode)
        arity = getattr(opcode_behind(function), "arity", None) or ARITY.get(at.opcode)
        path.settle()
        if function is None or arity is None:
            path.write_back()
            path.line(f"return {-2 - at.pc}")
            return False
        takes, gives = arity
        path.need(takes)
        path.words = [path.named(each) for each in path.words]
        path.write_back()
        path.line(f"c.code.program_counter = {at.pc + 1}")
        path.line(f"{self.source.bind(function)}(computation=c)")
        path.line("gas = meter.gas_remaining; size = len(mem)")
        path.forget_memory()
        del path.words[len(path.words) - takes :]
        if gives:
            fresh = self.source.fresh()
            path.line(f"{fresh} = stack[-1]")
            path.push(name(fresh))
        return True

    # Jumps

    def _jump(self, to: Value, path: Path) -> int | None:
        if to.constant is not None and to.constant in self._program.destinations:
            return to.constant
        path.settle()
        if to.constant is None:
            path.line(f"if {to.code} in destinations:")
            inside = path.branch()
            inside.write_back()
            inside.line(f"return {to.code}")
        path.line(f"raise bad_jump(code, {to.code})")
        return None

    def _branch(self, at: Instruction, path: Path) -> int | None:
        to, when = path.pop_simple(), path.pop()
        if when.constant is not None:
            return self._jump(to, path) if when.constant else at.next_pc
        path.settle()
        if self._is_rare(at.next_pc, to):
            path.line(f"if not {when.truth}:")
            self._walk(at.next_pc, path.branch())
            return self._jump(to, path)
        path.line(f"if {when.truth}:")
        inside = path.branch()
        self._walk(self._jump(to, inside), inside)
        return at.next_pc

    def _is_rare(self, pc: int, other: Value) -> bool:
        """Whether the code after a branch runs far less often than what the branch jumps to."""
        counts = self._program.counts
        taken = counts.get(other.constant, 0) if other.constant is not None else 0
        return counts.get(pc, 0) * RARE < taken


_JUMPDEST = bytes([JUMPDEST])


def _leave(pc: int, path: Path) -> None:
    path.write_back()
    path.line(f"return {pc}")


def _compute(operation: str, path: Path) -> None:
    """An operation without effects."""
    count, expression, function = PURE[operation]
    twice = TWICE.get(operation, ())
    operands = [path.pop_simple() if place in twice else path.pop() for place in range(count)]
    constants = [each.constant for each in operands]
    if None in constants:
        path.push(expression(*operands))
    else:
        path.push(constant(function(*constants)))
