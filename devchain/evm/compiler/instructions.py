"""Instructions of EVM bytecode: decoding, jump destinations, and the operation of each opcode.

An opcode of the VM's table that the compiler knows by its number is an `Operation`, with the gas
price of the table; any other is called as it is. What differs between hardforks beside the table is
in `OpcodeRules`. So one compiler serves every hardfork, and an unknown opcode is slow, never wrong.

    >>> code = bytes.fromhex("6102035b00")  # PUSH2 0x0203 JUMPDEST STOP
    >>> instruction_at(code, 0)
    Instruction(pc=0, opcode=97, push_value=515, next_pc=3)
    >>> Layout.of(code).destinations
    frozenset({3})
    >>> operations("berlin")[Op.SLOAD]  # it costs by whether the slot is warm
    Operation(name='sload_warm', gas=0, parameter=None, forbids_static=False)
    >>> operations("vetiver")[Op.LOG0 + 2]
    Operation(name='log', gas=375, parameter=2, forbids_static=True)
    >>> operations("vetiver")[Op.CALL] is None  # CALL is py-evm's
    True
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from devchain.evm.opcodes import OPCODES, PUSHES, Kind, Op, Opcode, OpcodeRules

STACK_LIMIT = 1_024  # words the EVM's stack may have

# Decoding

_PUSHES = re.compile(
    b"|".join([rb"\x5b", *(b"[\\x%02x].{0,%d}" % (Op.PUSH1 + n, n + 1) for n in range(32))]),
    re.DOTALL,
)
"""A JUMPDEST, or a PUSH together with its data, in which a 0x5b is no JUMPDEST."""
LITERALS = (Op.PUSH1 + 19, Op.PUSH32)  # compilers use these for addresses and immutable variables


class Instruction(NamedTuple):
    """One instruction: its offset (`pc`), and the number it pushes if it is a PUSH."""

    pc: int
    opcode: int
    push_value: int
    next_pc: int


def instruction_at(code: bytes, pc: int) -> Instruction:
    """The instruction at an offset; past the end of the code there is a STOP."""
    if pc >= len(code):
        return Instruction(pc, Op.STOP, 0, pc)
    opcode = code[pc]
    if opcode not in PUSHES:
        return Instruction(pc, opcode, 0, pc + 1)
    end = pc + 2 + opcode - Op.PUSH1
    data = code[pc + 1 : end].ljust(end - pc - 1, b"\0")
    return Instruction(pc, opcode, int.from_bytes(data), end)


class Layout(NamedTuple):
    """Where code can be jumped to, and which words it pushes with PUSH20 and PUSH32.

    `template` is the code with zeros for these words. Code that ends within one has it as zeros.
    """

    destinations: frozenset[int]
    literals: dict[int, int]
    template: bytes

    @classmethod
    def of(cls, code: bytes) -> Layout:
        """Read code once, from its start to its end."""
        destinations: list[int] = []
        literals: dict[int, int] = {}
        template = bytearray(code)
        for match in _PUSHES.finditer(code):
            start, opcode = match.start(), code[match.start()]
            if opcode == Op.JUMPDEST:
                destinations.append(start)
            elif opcode in LITERALS:
                literals[start] = instruction_at(code, start).push_value
                template[start + 1 : match.end()] = bytes(match.end() - start - 1)
        return cls(frozenset(destinations), literals, bytes(template))


# Operations


@dataclass(frozen=True, slots=True)
class Operation:
    """What an opcode does, by the name of its emitter, and its constant gas price.

    `parameter` distinguishes variants: the number of a DUP, the topics of a LOG, the gas of an
    SSTORE.
    """

    name: str
    gas: int
    parameter: Any = None
    forbids_static: bool = False


_COMPILED_KINDS = frozenset(Kind) - {Kind.CALL, Kind.CREATE}
_CALLED = frozenset(
    {
        *(Op.BALANCE, Op.EXTCODESIZE, Op.EXTCODECOPY, Op.EXTCODEHASH, Op.BLOCKHASH),
        *(Op.BLOBHASH, Op.BLOBBASEFEE, Op.TLOAD, Op.TSTORE, Op.INVALID, Op.SELFDESTRUCT),
    }
)
"""Opcodes of these kinds that the compiler does not know."""
_FIRST = {Kind.PUSH: Op.PUSH0, Kind.DUP: Op.DUP1 - 1, Kind.SWAP: Op.SWAP1 - 1, Kind.LOG: Op.LOG0}
"""Kinds whose opcodes differ in a number, and what it is counted from."""


def operations_of(table: Mapping[int, Any], rules: OpcodeRules) -> dict[int, Operation | None]:
    """What each opcode of a VM's table does; None for one that the compiler does not know."""
    return {
        number: _operation(OPCODES[number], entry, rules) if number in OPCODES else None
        for number, entry in table.items()
    }


def _operation(opcode: Opcode, entry: Any, rules: OpcodeRules) -> Operation | None:
    kind = opcode.kind
    if opcode in _CALLED or kind not in _COMPILED_KINDS:
        return None
    gas = entry.gas_cost
    if kind in _FIRST:
        forbids_static = kind is Kind.LOG and rules.has_static_calls
        return Operation(kind.value, gas, opcode - _FIRST[kind], forbids_static)
    if opcode == Op.SSTORE:
        return Operation("sstore", gas, (rules.sstore, rules.sstore_gas), rules.has_static_calls)
    if opcode == Op.SLOAD and rules.has_warm_slots:
        return Operation("sload_warm", gas)
    if opcode == Op.DIFFICULTY and rules.has_prev_randao:
        return Operation("prevrandao", gas)
    return Operation(opcode.name.lower(), gas, rules.exp_byte_gas if opcode == Op.EXP else None)
