"""Basic blocks that solc's optimizer merged: their counts may be those of other statements.

The optimizer keeps one of several equal blocks, with the source ranges of one of them, and lets the
others jump there. If `a()` and `b()` both end with `revert NotOwner()`, one block reverts for both:

    a: ... PUSH2 0x40 JUMPI        source range of a
    b: ... PUSH2 0x40 JUMPI        source range of b
    0x40: JUMPDEST ... REVERT      source range of the statement in a

so an execution of 0x40 does not prove that the statement in `a` ran. A merged block is recognised
by its entries, the instructions that push its offset or fall through to it: they are in two
functions, or, for a block inside a statement, in another statement. Where that is one around it,
only the end of the inner statement counts as merged. A block that only fails is merged, too, if two
statements of a function jump there: `if (a) revert No(); if (b) revert No();`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from devchain.contracts.artifacts import Code
from devchain.contracts.source_map import JUMPS, NOWHERE, PUSH1, PUSHES, Instruction
from devchain.contracts.syntax_tree import Function, Span
from devchain.source.outline import SourceFile

JUMP, JUMPDEST = 0x56, 0x5B
FREE_MEMORY = 0x40
"""Memory address of solc's free memory pointer, a number that code pushes often."""

TERMINATORS = frozenset({0x00, JUMP, 0xF3, 0xFD, 0xFE, 0xFF})
"""Opcodes that end a basic block without falling through to the next."""

MIN_DUPLICATE_SIZE = 3
"""Smaller blocks are equal to the ends of many statements."""

FAILURES = frozenset({0xFD, 0xFE})
"""REVERT and INVALID."""

Sources = Mapping[int, SourceFile | None]


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of an instruction: its function and statement (`owner`), if any."""

    instruction: Instruction
    function: Function | None
    owner: int | None
    is_measured: bool

    @property
    def entry_key(self) -> tuple[int, Span | int]:
        """The function of the instruction: entries in one function do not make a block shared.

        Outside of functions (the dispatcher) every instruction is on its own, since each of its
        jumps goes to another function.
        """
        offset, _, source, _, _ = self.instruction
        if self.function:
            return source, self.function.span
        return source, offset if self.is_measured else NOWHERE

    @property
    def is_entry(self) -> bool:
        """Whether the source range is the whole function: the code at its start."""
        return self.function is not None and self.function.span == self.instruction.span


@dataclass(slots=True)
class _Blocks:
    """The jump destinations of some code and their entries."""

    sources: Sources
    entries: Mapping[int, Sequence[Instruction]]
    failing: frozenset[int]
    """Those at which a block starts that ends with a failure."""

    def origin_of(self, instruction: Instruction) -> Origin:
        source = self.sources.get(instruction.source)
        if source is None:
            return Origin(instruction, None, None, is_measured=False)
        function, owner = source.function(instruction.span), source.owner(instruction.span)
        return Origin(instruction, function, owner, is_measured=True)

    def is_shared(self, first: Instruction) -> bool:
        found = self.entries.get(first.offset, ())
        if len(found) < 2:
            return False
        block = self.origin_of(first)
        entries = [self.origin_of(each) for each in found if each.source != NOWHERE]
        keys = {
            entry.entry_key
            for entry in entries
            if entry.instruction.opcode in PUSHES or entry.function or not entry.is_measured
            if not self._is_in_source(entry, block)
        }
        if len(keys) > 1 or self._is_inside(block, entries):
            return True
        owners = {entry.owner for entry in entries if entry.instruction.opcode in PUSHES} - {None}
        return first.offset in self.failing and len(owners) > 1

    def _is_inside(self, block: Origin, entries: Sequence[Origin]) -> bool:
        if not self._is_in_simple(block):
            return False
        return any(
            entry.owner not in {None, block.owner} and not self._is_around(entry, block)
            for entry in entries
        )

    def is_end(self, first: Instruction) -> bool:
        # A condition jumps behind its body: `if (a) f();` leads to where the call of `f` returns.
        block = self.origin_of(first)
        entries = map(self.origin_of, self.entries.get(first.offset, ()))
        return self._is_in_simple(block) and any(self._is_around(entry, block) for entry in entries)

    def _is_in_simple(self, block: Origin) -> bool:
        source = self.sources.get(block.instruction.source)
        return source is not None and block.owner is not None and source.is_simple(block.owner)

    def _is_around(self, entry: Origin, block: Origin) -> bool:
        source, number = self.sources.get(block.instruction.source), entry.instruction.source
        outline = source.outline if source else None
        if outline is None or number != block.instruction.source:
            return False
        if entry.owner is None or block.owner is None or entry.owner == block.owner:
            return False
        start, end = outline.statements[entry.owner].whole
        inner = outline.statements[block.owner].whole
        return start <= inner[0] and inner[1] <= end

    def _is_in_source(self, entry: Origin, block: Origin) -> bool:
        here, there = entry.function, block.function
        if "modifier" in (here and here.kind, there and there.kind):
            return True
        if there is None or not block.is_entry:
            return False
        if entry.owner is None:
            return here is None and there.kind in {"fallback", "receive"}
        return there.kind != "function" or self._may_call(entry, there)

    def _may_call(self, entry: Origin, function: Function) -> bool:
        # A statement that does not may jump there, too: with a call that ends it like the function.
        source, name = self.sources.get(entry.instruction.source), re.escape(function.own_name)
        outline = source.outline if source else None
        if source is None or outline is None or entry.owner is None:
            return True
        text = source.text_at(outline.statements[entry.owner].whole)
        alias = re.compile(rf"(?<![\w$]){name}\s+as\b")  # of an import, or an operator
        texts = (source.text for source in self.sources.values() if source)
        is_named = re.search(rf"(?<![\w$]){name}(?![\w$])", text)
        return bool(is_named) or any(alias.search(text) for text in texts)


def merged_offsets(code: Code, decoded: Sequence[Instruction], sources: Sources) -> frozenset[int]:
    """Offsets of the instructions in merged blocks, and in blocks reached only from those."""
    blocks = _Blocks(sources, _entries(code, decoded), _failing_blocks(decoded))
    found = _block_offsets(decoded, blocks.is_shared) | set(_ends(decoded, blocks))
    size = -1
    while len(found) > size:
        size = len(found)
        reached = {
            offset
            for offset, entries in blocks.entries.items()
            if all(entry.offset in found for entry in entries)
        }
        found |= _block_offsets(decoded, lambda each: each.offset in reached)  # noqa: B023  # called at once
    return frozenset(found)


def duplicate_offsets(
    code: Code, decoded: Sequence[Instruction], shared: frozenset[int]
) -> dict[int, frozenset[int]]:
    """For instructions equal to those of a merged block: the offsets at which such blocks start.

    The optimizer redirects jumps from such a copy to the merged block and keeps the copy for code
    that falls through to it. So a copy that did not run may have run as the merged block.
    """
    template, offsets = code.template, {each.offset for each in decoded}
    found: dict[int, set[int]] = {}
    for start, content in _shared_blocks(template, decoded, shared):
        copied = template.find(content)
        while copied >= 0:
            if copied in offsets and copied not in shared:
                for index in range(copied, copied + len(content)):
                    found.setdefault(index, set()).add(start)
            copied = template.find(content, copied + 1)
    return {offset: frozenset(starts) for offset, starts in found.items()}


def _shared_blocks(
    template: bytes, decoded: Sequence[Instruction], shared: frozenset[int]
) -> Iterator[tuple[int, bytes]]:
    start: int | None = None
    for each in decoded:
        if each.opcode == JUMPDEST and each.offset in shared and start is None:
            start = each.offset
        elif start is not None and each.opcode in TERMINATORS:
            content = template[start + 1 : each.offset + 1]
            if len(content) >= MIN_DUPLICATE_SIZE:
                yield start, content
            start = None


def _entries(code: Code, decoded: Sequence[Instruction]) -> dict[int, list[Instruction]]:
    template = code.template
    found: dict[int, list[Instruction]] = {
        each.offset: [] for each in decoded if each.opcode == JUMPDEST
    }
    width = (len(template).bit_length() + 7) // 8  # solc pushes all offsets with one width
    before: Instruction | None = None
    for each, after in zip_longest(decoded, decoded[1:]):
        if each.opcode == PUSH1 + width - 1:
            target = int.from_bytes(template[each.offset + 1 : each.offset + 1 + width], "big")
            is_jump = after is not None and after.opcode in JUMPS
            if target in found and (is_jump or target != FREE_MEMORY):
                found[target].append(each)
        if each.opcode == JUMPDEST and before and before.opcode not in TERMINATORS:
            found[each.offset].append(before)
        before = each
    return {offset: entries for offset, entries in found.items() if entries}


def _failing_blocks(decoded: Sequence[Instruction]) -> frozenset[int]:
    found, start = set(), None
    for each in decoded:
        if each.opcode == JUMPDEST:
            start = each.offset
        elif each.opcode in JUMPS or each.opcode in TERMINATORS:
            if start is not None and each.opcode in FAILURES:
                found.add(start)
            start = None
    return frozenset(found)


def _ends(decoded: Sequence[Instruction], blocks: _Blocks) -> Iterator[int]:
    owner: int | None = None
    for each in decoded:
        if each.opcode == JUMPDEST:
            owner = blocks.origin_of(each).owner if blocks.is_end(each) else None
        if owner is not None:
            if blocks.origin_of(each).owner in {None, owner}:
                yield each.offset
            else:
                owner = None
        if each.opcode in TERMINATORS:
            owner = None


def _block_offsets(
    decoded: Sequence[Instruction], begins: Callable[[Instruction], bool]
) -> set[int]:
    found, inside = set(), False
    for each in decoded:
        if each.opcode == JUMPDEST and not inside:
            inside = begins(each)
        if inside:
            found.add(each.offset)
            inside = each.opcode not in TERMINATORS
    return found
