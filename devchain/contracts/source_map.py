"""Source maps: the source range from which the compiler generated each instruction."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from devchain.contracts.artifacts import Code
from devchain.contracts.outline import Span
from devchain.evm import opcodes
from devchain.evm.opcodes import ENDS, JUMPS, PUSHES, Op, walk

MAX_DIGITS = 12
NOWHERE = -1  # source id of instructions that the compiler generated without a source

INTO, OUT_OF = "i", "o"  # jumps: calls of internal functions, and returns from them


class Instruction(NamedTuple):
    """An instruction: its offset in the code, its opcode, source id, source range, kind of jump.

    The source id is -1 (`NOWHERE`) for code without a source.
    """

    offset: int
    opcode: int
    source: int
    span: Span
    jump: str = ""


def instructions(code: Code) -> Iterator[Instruction]:
    """The instructions of some code that its source map has entries for.

    The map has no entries for metadata and other data at the end of the code.
    """
    template = code.template
    offsets = range(len(template)) if code.maps_bytes else [offset for offset, *_ in walk(template)]
    for offset, entry in zip(offsets, map_entries(code.source_map), strict=False):
        start, size, source, jump = entry
        if start >= 0 and size >= 0 and source >= 0:
            yield Instruction(offset, template[offset], source, (start, start + size), jump)
        else:
            yield Instruction(offset, template[offset], NOWHERE, (0, 0), jump)


class Flow:
    """Where the jumps of some code lead, as far as that is seen without its stack.

    `calls` are jumps into functions, which return. Without them no jump is followed.
    """

    def __init__(self, code: bytes, calls: Collection[int] | None = None) -> None:
        self.code = list(walk(code))
        self._index = {instruction.offset: at for at, instruction in enumerate(self.code)}
        self._calls, self._follows = calls or (), calls is not None

    def behind(self, start: int) -> list[opcodes.Instruction]:
        """The instructions from an offset on; empty if none begins there."""
        return self.code[self._index.get(start, len(self.code)) :]

    @cached_property
    def pushed_jumps(self) -> dict[int, int]:
        """Offsets of jumps whose destination is pushed just before, with those of the pushes."""
        return {
            jump.offset: push.offset
            for push, jump in pairwise(self.code)
            if jump.opcode in JUMPS and push.opcode in PUSHES
        }

    def target(self, jump: int) -> int:
        """Where a jump goes whose destination is pushed just before, else -1."""
        push = self.pushed_jumps.get(jump)
        return -1 if push is None else int.from_bytes(self.behind(push)[0].operand)

    def failing_way(self, jump: int) -> bool | None:
        """True if the code fails when it jumps, False if it does when it does not; else None."""
        if self._fails(self.target(jump)):
            return True
        return False if self._fails(jump + 1) else None

    def _fails(self, start: int) -> bool:
        seen: set[int] = set()
        while start not in seen:
            seen.add(start)
            for offset, opcode, _ in self.behind(start):
                if opcode in {Op.REVERT, Op.INVALID}:
                    return True
                if opcode == Op.JUMP and self._follows and offset not in self._calls:
                    start = self.target(offset)
                    break
                if opcode == Op.JUMPI or (opcode in ENDS and offset not in self._calls):
                    return False
        return False


def source_ids(source_map: str) -> set[int]:
    return {source for _, _, source, _ in map_entries(source_map)} - {NOWHERE}


def map_entries(source_map: str) -> Iterator[tuple[int, int, int, str]]:
    """Start, size, source id and kind of jump of each entry; an empty field repeats the one before.

    `1:2:0:-;:5;;9::i` is (1, 2, 0, "-"), (1, 5, 0, "-"), (1, 5, 0, "-"), (9, 5, 0, "i").
    """
    last = [-1, -1, -1]
    jump = ""
    for entry in source_map.split(";"):
        fields = entry.split(":")
        for field, text in enumerate(fields[:3]):
            if text:
                last[field] = _number(text)
        if len(fields) > 3 and fields[3]:
            jump = fields[3]
        yield last[0], last[1], last[2], jump


def _number(text: str) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS
    return int(text) if is_number else -1
