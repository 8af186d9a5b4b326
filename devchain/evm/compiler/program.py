"""A contract's code as the fast engine keeps it: what was walked how often, what is compiled."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from typing import Any

from eth.exceptions import Halt, Revert
from eth.vm.logic.invalid import InvalidOpcode
from eth.vm.opcode_values import JUMP, JUMPDEST, JUMPI, STOP
from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.evm.compiler import runtime, words
from devchain.evm.compiler.instructions import jump_destinations
from devchain.evm.compiler.opcodes import Operation, recognise
from devchain.evm.compiler.region import Region

HOT = 8
"""How often code has run when it is compiled: less often, compiling costs more than it saves."""
MOST_PER_PROGRAM = 30_000
"""Instructions, written out, that are compiled of one program."""

HALTED = -1

_GLOBALS: dict[str, Any] = {
    **{key: value for key, value in vars(runtime).items() if not key.startswith("_")},
    **{key: value for key, value in vars(words).items() if not key.startswith("_")},
    "HALTED": HALTED,
    "Revert": Revert,
    "ZERO": b"\0",
    "from_bytes": int.from_bytes,
    "keccak_256": keccak_256,
}
"""The names that compiled code uses."""


class Program:
    """One code under one opcode table."""

    def __init__(
        self,
        code: bytes,
        opcodes: dict[int, Any],
        operations: dict[int, Operation | None],
        hot: int = HOT,
    ) -> None:
        """Know nothing of it yet; `hot` is how often a place is passed before it is compiled."""
        self._hot = hot
        self.code = code
        self.opcodes = opcodes
        self.operations = operations
        self.counts: dict[int, int] = {}
        self.loops: set[int] = set()
        self.regions: dict[int, Callable[..., int]] = {}
        self._room = MOST_PER_PROGRAM

    @cached_property
    def destinations(self) -> frozenset[int]:
        """Where jumps may go."""
        return jump_destinations(self.code)

    def run(self, computation: Any, stack: list[Any], meter: Any, pc: int) -> None:
        """Run the code for a computation until it halts; raises what stops it."""
        regions = self.regions
        while pc != HALTED:
            region = regions.get(pc) or self._pass(pc)
            if region is not None:
                pc = region(computation, stack, meter)
                if pc >= HALTED:
                    continue
                pc = -2 - pc  # the region leaves this place to the interpreter
            pc = self._interpret(computation, pc)

    def _interpret(self, computation: Any, pc: int) -> int:
        """Run opcodes one by one up to the next branch or JUMPDEST; where to go on."""
        code, opcodes, stream = self.code, self.opcodes, computation.code
        try:
            while True:
                opcode = code[pc] if pc < len(code) else STOP
                stream.program_counter = pc + 1
                (opcodes.get(opcode) or InvalidOpcode(opcode))(computation=computation)
                pc = stream.program_counter
                if opcode in _BRANCHES or code[pc : pc + 1] == _JUMPDEST:
                    return pc
        except Halt:
            return HALTED

    def _pass(self, pc: int) -> Callable[..., int] | None:
        """Count that the code goes on here; the function for it, once it is worth one."""
        count = self.counts[pc] = self.counts.get(pc, 0) + 1
        if count == self._hot and self._room > 0:
            self._compile(pc)
        return self.regions.get(pc)

    def _compile(self, pc: int) -> None:
        region = Region(self, pc)
        self._room -= region.size
        if region.is_loop:
            self.loops.add(pc)
        scope = {
            **_GLOBALS,
            **region.source.bound,
            "code": self.code,
            "destinations": self.destinations,
        }
        exec(compile(region.text(), f"<region {pc}>", "exec"), scope)  # noqa: S102  # text of our own
        self.regions[pc] = scope["region"]


_BRANCHES = frozenset({JUMP, JUMPI})
_JUMPDEST = bytes([JUMPDEST])


MOST = 512
"""How many programs are kept."""


class Programs:
    """Programs by their code, under one opcode table; the least recently used goes first."""

    def __init__(self, opcodes: dict[int, Any], hot: int = HOT) -> None:
        """Know what each opcode of the table does."""
        self._hot = hot
        self._opcodes = opcodes
        self._operations = {opcode: recognise(each) for opcode, each in opcodes.items()}
        self._kept: OrderedDict[bytes, Program] = OrderedDict()

    def of(self, code: bytes) -> Program:
        """The program of that code."""
        program = self._kept.get(code)
        if program is None:
            program = self._kept[code] = Program(code, self._opcodes, self._operations, self._hot)
            if len(self._kept) > MOST:
                self._kept.popitem(last=False)
        else:
            try:  # noqa: SIM105  # what `suppress` costs, every message would pay
                self._kept.move_to_end(code)
            except KeyError:
                pass  # a node in another thread has just dropped it
        return program
