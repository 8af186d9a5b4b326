"""Programs: a contract's code with how often its blocks have run and the regions compiled of it.

Code is interpreted at first, block by block, and each block's runs are counted under the place
where it begins. At the 8th run the region that begins there is compiled (see `region`), and from
then on the function is called instead. So code that runs once, as constructors do, is not compiled.

    JUMPDEST 1 SWAP1 SUB DUP1 0 JUMPI STOP    a loop, run with 100 on the stack

    rounds 1 to 7     interpreted; counts[0] becomes 7
    round 8           counts[0] becomes 8: the region at 0 is compiled, a loop
    rounds 8 to 100   one call of regions[0]; STOP has never run, so it returns 9, the place of STOP
    STOP              interpreted; counts[9] becomes 1
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from typing import Any

from eth.exceptions import Halt, Revert
from eth.vm.logic.invalid import InvalidOpcode
from eth.vm.opcode_values import JUMP, JUMPDEST, JUMPI, STOP
from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.evm.compiler import runtime
from devchain.evm.compiler.instructions import Operation, jump_destinations, operation_of
from devchain.evm.compiler.region import Region

HOT = 8
"""The run of a block at which it is compiled: earlier, compiling costs more than it saves."""
MAX_INSTRUCTIONS = 30_000
"""Instructions compiled of one program, in all its regions."""
MAX_PROGRAMS = 512

HALTED = -1

_GLOBALS: dict[str, Any] = {
    **{name: value for name, value in vars(runtime).items() if not name.startswith("_")},
    "HALTED": HALTED,
    "Revert": Revert,
    "ZERO": b"\0",
    "from_bytes": int.from_bytes,
    "keccak_256": keccak_256,
}
"""The global names of compiled functions."""


class Program:
    """One contract's code under one opcode table."""

    def __init__(
        self,
        code: bytes,
        opcodes: dict[int, Any],
        operations: dict[int, Operation | None],
        hot: int = HOT,
    ) -> None:
        """Begin without counts; blocks are compiled at their `hot`th run."""
        self._hot = hot
        self.code = code
        self.opcodes = opcodes
        self.operations = operations
        self.counts: dict[int, int] = {}
        self.loops: set[int] = set()
        self.regions: dict[int, Callable[..., int]] = {}
        self._compiled = 0

    @cached_property
    def destinations(self) -> frozenset[int]:
        """The places that jumps may go to."""
        return jump_destinations(self.code)

    def run(self, computation: Any, stack: list[Any], meter: Any, pc: int) -> None:
        """Run the code from `pc` until it halts; raises the `VMError` that stops it."""
        regions = self.regions
        while pc != HALTED:
            region = regions.get(pc) or self._count_run(pc)
            if region is not None:
                pc = region(computation, stack, meter)
                if pc >= HALTED:
                    continue
                pc = -2 - pc  # a place at which the region cannot go on
            pc = self._interpret_block(computation, pc)

    def _interpret_block(self, computation: Any, pc: int) -> int:
        """Run py-evm's opcodes up to the next branch or JUMPDEST; where to go on."""
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

    def _count_run(self, pc: int) -> Callable[..., int] | None:
        """Count a run of the block at a place; its region if that has just become hot."""
        count = self.counts[pc] = self.counts.get(pc, 0) + 1
        if count == self._hot and self._compiled < MAX_INSTRUCTIONS:
            self._compile(pc)
        return self.regions.get(pc)

    def _compile(self, pc: int) -> None:
        region = Region(self, pc)
        self._compiled += region.size
        if region.is_loop:
            self.loops.add(pc)
        scope = {
            **_GLOBALS,
            **region.text.constants,
            "code": self.code,
            "destinations": self.destinations,
        }
        exec(compile(region.python(), f"<region {pc}>", "exec"), scope)  # noqa: S102  # our own text
        self.regions[pc] = scope["region"]


_BRANCHES = frozenset({JUMP, JUMPI})
_JUMPDEST = bytes([JUMPDEST])


class ProgramCache:
    """The 512 programs used last, by their code, under one opcode table."""

    def __init__(self, opcodes: dict[int, Any], hot: int = HOT) -> None:
        """Begin empty, with what each opcode of the table does."""
        self._hot = hot
        self._opcodes = opcodes
        self._operations = {opcode: operation_of(entry) for opcode, entry in opcodes.items()}
        self._programs: OrderedDict[bytes, Program] = OrderedDict()

    def program(self, code: bytes) -> Program:
        """The program of that code."""
        program = self._programs.get(code)
        if program is None:
            program = Program(code, self._opcodes, self._operations, self._hot)
            self._programs[code] = program
            if len(self._programs) > MAX_PROGRAMS:
                self._programs.popitem(last=False)
        else:
            try:  # noqa: SIM105  # every message would pay for what `suppress` costs
                self._programs.move_to_end(code)
            except KeyError:
                pass  # a node in another thread has just removed it
        return program
