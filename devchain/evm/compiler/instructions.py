"""Bytecode read: one instruction after another, and where jumps may go."""

from __future__ import annotations

import re
from dataclasses import dataclass

from eth.vm.opcode_values import JUMPDEST, PUSH1, PUSH32, STOP

_DESTINATIONS = re.compile(
    b"|".join([rb"\x5b", *(b"[\\x%02x].{0,%d}" % (PUSH1 + n, n + 1) for n in range(32))]), re.DOTALL
)
"""A JUMPDEST, or a PUSH together with its data, in which a JUMPDEST is none."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: where it is, and the number it pushes if it is a PUSH."""

    pc: int
    opcode: int
    argument: int
    next_pc: int


def instruction_at(code: bytes, pc: int) -> Instruction:
    """The instruction at a place; past the end of the code there is a STOP."""
    if pc >= len(code):
        return Instruction(pc, STOP, 0, pc)
    opcode = code[pc]
    if not PUSH1 <= opcode <= PUSH32:
        return Instruction(pc, opcode, 0, pc + 1)
    end = pc + 2 + opcode - PUSH1
    data = code[pc + 1 : end].ljust(end - pc - 1, b"\0")
    return Instruction(pc, opcode, int.from_bytes(data), end)


def jump_destinations(code: bytes) -> frozenset[int]:
    """Every place a jump may go to: the JUMPDESTs that are not data of a PUSH."""
    found = _DESTINATIONS.finditer(code)
    return frozenset(each.start() for each in found if code[each.start()] == JUMPDEST)
