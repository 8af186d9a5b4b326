"""Code as opcodes: offset, name and the operand of a PUSH."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from devchain.evm.opcodes import name_of, walk
from devchain.tracing.opcode_step import mnemonic


@dataclass(frozen=True, slots=True)
class Instruction:
    """An opcode of a contract's code; `operand` is that of a PUSH, as far as the code has it."""

    offset: int
    name: str
    operand: bytes = b""


def disassemble(code: bytes, vm_class: Any) -> Iterator[Instruction]:
    """The opcodes of code in order, by their names under the rules of that VM.

    Data behind the code (metadata, immutables of Vyper) is read as if it were opcodes too.
    """
    functions = vm_class.get_state_class().computation_class.opcodes
    for offset, opcode, operand in walk(code):
        function = functions.get(opcode)
        name = name_of(opcode) if function is None else mnemonic(opcode, function)
        yield Instruction(offset, name, operand)
