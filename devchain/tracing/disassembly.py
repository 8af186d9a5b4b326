"""Code as opcodes: offset, name and the operand of a PUSH."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from eth.vm import opcode_values as op

from devchain.tracing.error_texts import invalid_name
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
    offset = 0
    while offset < len(code):
        value = code[offset]
        size = value - op.PUSH1 + 1 if op.PUSH1 <= value <= op.PUSH32 else 0
        function = functions.get(value)
        name = mnemonic(value, function) if function is not None else invalid_name(value)
        yield Instruction(offset, name, code[offset + 1 : offset + 1 + size])
        offset += 1 + size
