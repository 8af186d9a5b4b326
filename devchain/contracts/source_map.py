"""Source maps: which part of which source each instruction of some code was made from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from devchain.contracts.artifacts import Code
from devchain.contracts.syntax_tree import Span

PUSH1, PUSH32 = 0x60, 0x7F
LONGEST_NUMBER = 12
NOWHERE = -1
"""Stands for a source where there is none."""

FIXED = frozenset(
    {
        *(0x00, 0x37, 0x39, 0x3C, 0x3E),  # STOP, copies to memory
        *range(0x52, 0x54),  # MSTORE, MSTORE8
        *range(0x55, 0x58),  # SSTORE, JUMP, JUMPI
        *(0x5B, 0x5D, 0x5E),  # JUMPDEST, TSTORE, MCOPY
        *range(0xA0, 0xA5),  # LOG
        *range(0xF0, 0x100),  # calls, creations, all that halts
    }
)
"""Opcodes that no optimizer runs earlier or without need: they do more than leave a value."""


class Instruction(NamedTuple):
    """One instruction: its place in the code, its opcode, and the source it was made from.

    The source is -1 for what the compiler made on its own.
    """

    place: int
    opcode: int
    source: int
    span: Span


def instructions(code: Code) -> Iterator[Instruction]:
    """The instructions of some code that its source map has entries for.

    The map ends where the code does: metadata and other data behind it have no part in it.
    """
    template = code.template
    places = range(len(template)) if code.maps_bytes else _places(template)
    for place, entry in zip(places, _entries(code.source_map), strict=False):
        start, size, source = entry
        if start >= 0 and size >= 0 and source >= 0:
            yield Instruction(place, template[place], source, (start, start + size))
        else:
            yield Instruction(place, template[place], NOWHERE, (0, 0))


def _places(template: bytes) -> Iterator[int]:
    """Where instructions begin, the data of pushes left out."""
    place = 0
    while place < len(template):
        yield place
        opcode = template[place]
        place += opcode - PUSH1 + 2 if PUSH1 <= opcode <= PUSH32 else 1


def _entries(source_map: str) -> Iterator[tuple[int, int, int]]:
    """Start, size and source of each entry; what an entry leaves out is as in the one before."""
    last = [-1, -1, -1]
    for entry in source_map.split(";"):
        for field, text in enumerate(entry.split(":")[:3]):
            if text:
                last[field] = _number(text)
        yield last[0], last[1], last[2]


def _number(text: str) -> int:
    """A whole number; -1 for anything else, which means nowhere."""
    usable = text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER
    return int(text) if usable else -1
