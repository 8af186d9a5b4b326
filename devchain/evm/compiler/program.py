"""Programs: the code of a contract, execution counts of its blocks, and its compiled regions.

Code is interpreted at first, block by block, and the runs of each block are counted by its
offset. At the 16th run the region that starts there is compiled (see `region`), and from
then on the function is called instead. So code that runs once, as constructors do, is not compiled.
A block that a region contains already is compiled at its 32nd run: those that enter it by another
way, such as another external function, will mostly have a region that contains it, too, by then.

Contracts made from one source have code that differs in addresses and words, where a constructor
set its immutable variables or a clone names its implementation. They share their regions
(`Template`).

    JUMPDEST 1 SWAP1 SUB DUP1 0 JUMPI STOP    a loop, run with 100 on the stack

    rounds 1 to 15    interpreted; counts[0] becomes 15
    round 16          counts[0] becomes 16: the region at 0 is compiled, a loop
    rounds 16 to 100  one call of regions[0]; it returns 9, the offset of STOP, which has never run
    STOP              interpreted; counts[9] becomes 1
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from itertools import repeat
from struct import Struct
from types import CodeType
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from eth.exceptions import Halt, Revert
from eth.vm.logic.invalid import InvalidOpcode
from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.evm import deadline
from devchain.evm.bounded import OPCODES_PER_CHECK
from devchain.evm.compiler import runtime
from devchain.evm.compiler.instructions import (
    STACK_LIMIT,
    Layout,
    Operation,
    operations_of,
)
from devchain.evm.opcodes import JUMPS, Op, OpcodeRules

HOT = 16
"""The number of the run at which a block is compiled, with those that it leads to and that ran half
as often. Compiling takes as long as interpreting some ten times; of what the tests of a project
run, most runs a few times only."""
MAX_INSTRUCTIONS = 30_000  # instructions compiled of one program, in all its regions
BLOCKS_PER_CHECK = 32  # blocks and regions run between two checks of the deadline
MAX_PROGRAMS = 512
MAX_PROGRAM_BYTES = 16 * 1024 * 1024  # of a cache: init code can be far longer than contracts
HALTED = -1

_GLOBALS: dict[str, Any] = {
    **{name: value for name, value in vars(runtime).items() if not name.startswith("_")},
    "HALTED": HALTED,
    "Revert": Revert,
    "ZERO": b"\0",
    "from_bytes": int.from_bytes,
    # A third of the time of slices of a bytearray, which are copied twice.
    "load": Struct("32s").unpack_from,
    "store": Struct("32s").pack_into,
    "keccak_256": keccak_256,
}
"""The global names of compiled functions."""


class CompiledRegion(NamedTuple):
    """A region for every program of a template that has its literals.

    `module` defines the function, `constants` are its global names. `literals` are the words that
    it contains, `varying` the offsets of those that each program has for itself. `blocks`, `exits`
    and `is_loop` are those of the `Region`.
    """

    module: CodeType
    constants: Mapping[str, object]
    literals: Mapping[int, int]
    varying: Collection[int]
    blocks: Collection[int]
    exits: Collection[int]
    is_loop: bool


class Template:
    """What programs have in common whose code differs in literals alone: its regions.

    A literal is the word that a PUSH20 or PUSH32 pushes, `literals` are those of one of the
    programs by their offsets. A region is compiled for the literals that all programs so far have;
    the others, at the offsets `varying`, are global names of its function.

        token A    ... PUSH32 18 ... PUSH20 0xaaaa...    varying is empty
        token B    ... PUSH32 18 ... PUSH20 0xbbbb...    the PUSH20's offset is varying
    """

    def __init__(self, literals: Mapping[int, int]) -> None:
        self.literals = literals
        self.varying: set[int] = set()
        self.regions: dict[int, CompiledRegion] = {}


class Templates:
    """The templates of the programs of a cache; if they are not `shared`, each has its own."""

    def __init__(self, *, shared: bool) -> None:
        self._are_shared = shared
        self._by_code: WeakValueDictionary[bytes, Template] = WeakValueDictionary()
        self._lengths: set[int] = set()

    def may_have(self, code: bytes) -> bool:
        """Whether it is worth the time to look for a template: code has to be read for that."""
        return len(code) in self._lengths

    def of(self, layout: Layout) -> Template:
        """The template of code with that layout, made if there is none yet."""
        template = self._by_code.get(layout.template)
        if template is None:
            template = Template(layout.literals)
            if self._are_shared:
                self._by_code[layout.template] = template
                self._lengths.add(len(layout.template))
        else:
            known = template.literals
            template.varying |= {at for at, word in layout.literals.items() if known[at] != word}
        return template


class Program:
    """One contract's code under the opcode table of a cache."""

    def __init__(self, code: bytes, cache: ProgramCache) -> None:
        self._moves = cache.moves
        self._hot = cache.hot
        self.usual = max(1, cache.hot // 2)
        self.code = code
        self.opcodes = cache.opcodes
        self.operations = cache.operations
        self.counts: dict[int, int] = {}
        self.loops: set[int] = set()
        self._exits: dict[int, set[int]] = {}
        self.regions: dict[int, Callable[..., int]] = {}
        self._compiled = 0
        self._covered: set[int] = set()  # blocks that regions contain
        # py-evm's caches of what it has found out about jumps, which it has for each message anew.
        self._valid_positions: set[int] = set()
        self._invalid_positions: set[int] = set()
        self._templates = templates = cache.templates
        self._layout: Layout | None = None
        self._template: Template | None = None
        if templates.may_have(code):
            self._find_template()

    @property
    def destinations(self) -> frozenset[int]:
        return self.layout.destinations

    @property
    def layout(self) -> Layout:
        if self._layout is None:
            self._layout = Layout.of(self.code)
        return self._layout

    @property
    def varying(self) -> Collection[int]:
        """Offsets of PUSHes whose words other programs of the template have otherwise."""
        return self._template.varying if self._template else ()

    def _find_template(self) -> Template:
        template = self._template = self._templates.of(self.layout)
        for start, region in template.regions.items():
            self._use(start, region)
        return template

    def _use(self, start: int, region: CompiledRegion) -> bool:
        literals = self.layout.literals
        if region.literals.items() - literals.items():
            return False
        scope = {
            **_GLOBALS,
            **region.constants,
            **{f"i{at}": literals[at] for at in region.varying},
            "code": self.code,
            "destinations": self.destinations,
        }
        exec(region.module, scope)  # noqa: S102  # generated by the compiler
        self.regions[start] = scope["region"]
        self._covered.update(region.blocks)
        for offset in region.blocks:  # where it was compiled they have run often
            self.counts.setdefault(offset, self.usual)
        if region.is_loop:
            self.loops.add(start)
            for offset in region.exits:
                self._exits.setdefault(offset, set()).add(start)
        return True

    def run(self, computation: Any, stack: list[Any], meter: Any, pc: int) -> None:
        """Run the code from `pc` until it halts; raises the `VMError` that stops it."""
        regions = self.regions
        while True:
            for _ in repeat(None, BLOCKS_PER_CHECK):
                if pc == HALTED:
                    return
                region = regions.get(pc) or self._count_run(pc)
                if region is not None:
                    pc = region(computation, stack, meter)
                    if pc >= HALTED:
                        continue
                    pc = -2 - pc  # an offset at which the region cannot go on
                pc = self._interpret_block(computation, pc)
            deadline.check()

    def _interpret_block(self, computation: Any, pc: int) -> int:
        code, opcodes, stream = self.code, self.opcodes, computation.code
        stack, meter = computation._stack.values, computation._gas_meter  # noqa: SLF001  # py-evm's
        stream.valid_positions = self._valid_positions
        stream.invalid_positions = self._invalid_positions
        left = OPCODES_PER_CHECK
        try:
            while True:
                start, pc = pc, self._move_words(pc, stack, meter)
                opcode = code[pc] if pc < len(code) else Op.STOP
                if opcode == Op.JUMPDEST and pc > start:
                    return pc
                left -= 1 + pc - start
                if left <= 0:
                    left = OPCODES_PER_CHECK
                    deadline.check()
                stream.program_counter = pc + 1
                (opcodes.get(opcode) or InvalidOpcode(opcode))(computation=computation)
                pc = stream.program_counter
                if opcode in JUMPS or code[pc : pc + 1] == _JUMPDEST:
                    return pc
        except Halt:
            return HALTED

    def _move_words(self, pc: int, stack: list[Any], meter: Any) -> int:
        # Stops before one that fails, too: py-evm's function says how. And in time for a check of
        # the deadline.
        code, moves = self.code, self._moves
        end = min(len(code), pc + OPCODES_PER_CHECK)
        while pc < end and (move := moves.get(code[pc])):
            kind, number, gas, least, most = move
            if not least <= len(stack) <= most or meter.gas_remaining < gas:
                return pc
            meter.gas_remaining -= gas
            pc += 1
            if kind == "push":
                stack.append(int.from_bytes(code[pc : pc + number].ljust(number, b"\0")))
                pc += number
            elif kind == "dup":
                stack.append(stack[-number])
            elif kind == "swap":
                stack[-1], stack[-1 - number] = stack[-1 - number], stack[-1]
            else:
                del stack[-1]
        return pc

    def _count_run(self, pc: int) -> Callable[..., int] | None:
        count = self.counts[pc] = self.counts.get(pc, 0) + 1
        if self._compiled < MAX_INSTRUCTIONS:
            loops = self._exits.pop(pc, None) if count == self._hot else None
            if loops:
                # It is a part of loops that were compiled when it had rarely run.
                for start in loops:
                    self._compile(start)
            elif count == 2 * self._hot or (count == self._hot and pc not in self._covered):
                self._compile(pc)
        return self.regions.get(pc)

    def _compile(self, pc: int) -> None:
        from devchain.evm.compiler.region import Region  # most programs are never compiled

        template = self._template or self._find_template()
        known = template.regions.get(pc)
        if pc not in self.regions and known is not None and self._use(pc, known):
            return
        region = Region(self, pc)
        self._compiled += region.size
        text = region.text
        compiled = CompiledRegion(
            module=compile(region.python(), f"<region {pc}>", "exec"),
            constants=text.constants,
            literals=text.literals,
            varying=text.named,
            blocks=region.blocks,
            exits=region.exits,
            is_loop=region.is_loop,
        )
        template.regions[pc] = compiled
        self._use(pc, compiled)


class _Move(NamedTuple):
    """An opcode that only moves words: push, dup, swap or pop, and the number in its name.

    It takes that gas, and a stack with at least and at most so many words.
    """

    kind: str
    number: int
    gas: int
    least: int
    most: int


def _moves(operations: dict[int, Operation | None]) -> dict[int, _Move]:
    least = {"push": 0, "dup": 0, "swap": 1, "pop": 1}
    growing = ("push", "dup")
    moves = {}
    for opcode, each in operations.items():
        if each is not None and each.name in least:
            number = each.parameter or 0
            needed = least[each.name] + (number if each.name != "push" else 0)
            most = STACK_LIMIT - 1 if each.name in growing else STACK_LIMIT
            moves[opcode] = _Move(each.name, number, each.gas, needed, most)
    return moves


_JUMPDEST = bytes([Op.JUMPDEST])


class ProgramCache:
    """The programs used last by their code, under one opcode table.

    If regions are not shared, the counts of a program have all blocks that have run.
    """

    def __init__(
        self,
        opcodes: dict[int, Any],
        rules: OpcodeRules,
        hot: int = HOT,
        *,
        shares_regions: bool = True,
    ) -> None:
        self.hot = hot
        self.opcodes = opcodes
        self.operations = operations_of(opcodes, rules)
        self.moves = _moves(self.operations)
        self.templates = Templates(shared=shares_regions)
        self._programs: OrderedDict[bytes, Program] = OrderedDict()
        self._size = 0

    def reached(self) -> int:
        """How many blocks have run, in all programs: each has been counted at its first run."""
        return sum([len(value.counts) for value in self._programs.values()])

    def reached_in(self, code: bytes) -> frozenset[int]:
        """The offsets of the blocks of that code that have run."""
        program = self._programs.get(code)
        return frozenset(program.counts) if program else frozenset()

    def program(self, code: bytes) -> Program:
        program = self._programs.get(code)
        if program is None:
            program = Program(code, self)
            self._programs[code] = program
            self._size += len(code)
            while len(self._programs) > MAX_PROGRAMS or self._size > MAX_PROGRAM_BYTES:
                self._size -= len(self._programs.popitem(last=False)[0])
        else:
            try:  # noqa: SIM105  # `suppress` would cost time in every message
                self._programs.move_to_end(code)
            except KeyError:
                pass  # a node in another thread has just removed it
        return program
