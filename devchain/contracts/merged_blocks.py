"""Merged code: of blocks that are alike solc's optimizer keeps one, with the place of one in it.

What runs there may have run for another statement. Such a block is known by where it is entered
from: from two functions, or, in the midst of a statement, from another statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from devchain.contracts.artifacts import Code
from devchain.contracts.coverage_source import Measured
from devchain.contracts.source_map import NOWHERE, PUSH1, PUSH32, Instruction
from devchain.contracts.syntax_tree import Function, Span

JUMP, JUMPDEST = 0x56, 0x5B
JUMPS = frozenset({JUMP, 0x57})
PUSHES = range(PUSH1, PUSH32 + 1)
FREE_MEMORY = 0x40
"""Where solc keeps the place of free memory: a number that is pushed often."""

NO_WAY_ON = frozenset({0x00, JUMP, 0xF3, 0xFD, 0xFE, 0xFF})
"""Opcodes after which what follows in the code does not run."""

LEAST_TWIN = 3
"""Bytes of code that are told apart from what any statement may end with."""

Sources = Mapping[int, Measured | None]


@dataclass(frozen=True, slots=True)
class Locus:
    """Where an instruction is from: a source, and in it a function and a statement, if any."""

    instruction: Instruction
    function: Function | None
    owner: int | None
    is_measured: bool

    @property
    def origin(self) -> tuple[int, Span | int]:
        """What one block can be entered from without being shared.

        In a contract, but in none of its functions, calls are told apart: each goes to another.
        """
        place, _, source, _ = self.instruction
        if self.function:
            return source, self.function.span
        return source, place if self.is_measured else NOWHERE

    @property
    def is_entry(self) -> bool:
        """Whether it is not of a statement, but of the function as such."""
        return self.function is not None and self.function.span == self.instruction.span


@dataclass(slots=True)
class _Blocks:
    """The blocks of some code that are jumped to, and where they are entered from."""

    sources: Sources
    entries: Mapping[int, Sequence[Instruction]]

    def locus(self, instruction: Instruction) -> Locus:
        """Where an instruction is from."""
        source = self.sources.get(instruction.source)
        if source is None:
            return Locus(instruction, None, None, is_measured=False)
        function, owner = source.function(instruction.span), source.owner(instruction.span)
        return Locus(instruction, function, owner, is_measured=True)

    def is_shared(self, first: Instruction) -> bool:
        """Whether the block beginning there is entered from places that have no other in common."""
        found = self.entries.get(first.place, ())
        if len(found) < 2:
            return False
        block = self.locus(first)
        entries = [self.locus(each) for each in found if each.source != NOWHERE]
        origins = {
            each.origin
            for each in entries
            if each.instruction.opcode in PUSHES or each.function or not each.is_measured
            if not _is_meant(each, block)
        }
        return len(origins) > 1 or self._is_inside(block, entries)

    def _is_inside(self, block: Locus, entries: Sequence[Locus]) -> bool:
        """Whether the block is in the midst of a statement, and another statement goes there."""
        source = self.sources.get(block.instruction.source)
        if source is None or block.owner is None or not source.is_simple(block.owner):
            return False
        return any(each.owner not in {None, block.owner} for each in entries)


def _is_meant(entry: Locus, block: Locus) -> bool:
    """Whether the way into a block is one that the source has: a call, a modifier, a fallback."""
    here, there = entry.function, block.function
    if "modifier" in (here and here.kind, there and there.kind):
        return True
    if there is None or not block.is_entry:
        return False
    return entry.owner is not None or (here is None and there.kind in {"fallback", "receive"})


def merged(code: Code, listed: Sequence[Instruction], sources: Sources) -> frozenset[int]:
    """The places of instructions in blocks that several statements may share.

    What can only be reached from such blocks is shared as well.
    """
    blocks = _Blocks(sources, _entries(code, listed))
    found = _places(listed, blocks.is_shared)
    size = -1
    while len(found) > size:
        size = len(found)
        reached = {
            place
            for place, entries in blocks.entries.items()
            if all(each.place in found for each in entries)
        }
        found |= _places(listed, lambda each: each.place in reached)  # noqa: B023  # called at once
    return frozenset(found)


def twins(
    code: Code, listed: Sequence[Instruction], shared: frozenset[int]
) -> dict[int, frozenset[int]]:
    """For instructions that are once more what a shared block is, where such blocks begin.

    The optimizer leads jumps to such code to the shared block, and keeps it for those who fall
    into it: that it did not run does not tell that its statement did not.
    """
    template, places = code.template, {each.place for each in listed}
    found: dict[int, set[int]] = {}
    for start, content in _shared_blocks(template, listed, shared):
        place = template.find(content)
        while place >= 0:
            if place in places and place not in shared:
                for each in range(place, place + len(content)):
                    found.setdefault(each, set()).add(start)
            place = template.find(content, place + 1)
    return {place: frozenset(starts) for place, starts in found.items()}


def _shared_blocks(
    template: bytes, listed: Sequence[Instruction], shared: frozenset[int]
) -> Iterator[tuple[int, bytes]]:
    """Where each shared block begins, and its code, if that is more than a single jump."""
    start: int | None = None
    for each in listed:
        if each.opcode == JUMPDEST and each.place in shared and start is None:
            start = each.place
        elif start is not None and each.opcode in NO_WAY_ON:
            content = template[start + 1 : each.place + 1]
            if len(content) >= LEAST_TWIN:
                yield start, content
            start = None


def _entries(code: Code, listed: Sequence[Instruction]) -> dict[int, list[Instruction]]:
    """For each JUMPDEST what leads there: the pushes of its place, and the code before it."""
    template = code.template
    found: dict[int, list[Instruction]] = {
        each.place: [] for each in listed if each.opcode == JUMPDEST
    }
    width = (len(template).bit_length() + 7) // 8  # solc pushes all places as wide
    before: Instruction | None = None
    for each, after in zip_longest(listed, listed[1:]):
        if each.opcode == PUSH1 + width - 1:
            target = int.from_bytes(template[each.place + 1 : each.place + 1 + width], "big")
            is_jump = after is not None and after.opcode in JUMPS
            if target in found and (is_jump or target != FREE_MEMORY):
                found[target].append(each)
        if each.opcode == JUMPDEST and before and before.opcode not in NO_WAY_ON:
            found[each.place].append(before)
        before = each
    return {place: entries for place, entries in found.items() if entries}


def _places(listed: Sequence[Instruction], begins: Callable[[Instruction], bool]) -> set[int]:
    """The places of blocks that begin so, as far as they go on."""
    found, inside = set(), False
    for each in listed:
        if each.opcode == JUMPDEST and not inside:
            inside = begins(each)
        if inside:
            found.add(each.place)
            inside = each.opcode not in NO_WAY_ON
    return found
