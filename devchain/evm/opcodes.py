"""The opcodes of the EVM: one table of number, name, stack effect and kind.

Which of them exist under some rules, and at what price, is decided by the table of a VM class.
Opcodes that Rootstock alone had once are in `rootstock.opcodes`.

    >>> Op.MSTORE, Op.MSTORE.name, Op.MSTORE.pops, Op.MSTORE.pushes, Op.MSTORE.kind
    (82, 'MSTORE', 2, 0, <Kind.MEMORY: 'memory'>)
    >>> [f"{name_of(each.opcode)} {each.operand.hex()}" for each in walk(bytes.fromhex("61020300"))]
    ['PUSH2 0203', 'STOP ']
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple, Self


class Kind(Enum):
    """What an opcode works on."""

    HALT = "halt"
    ARITHMETIC = "arithmetic"
    COMPARISON = "comparison"
    BITWISE = "bitwise"
    HASH = "hash"
    ENVIRONMENT = "environment"
    BLOCK = "block"
    STACK = "stack"
    MEMORY = "memory"
    STORAGE = "storage"
    JUMP = "jump"
    LABEL = "label"
    PUSH = "push"
    DUP = "dup"
    SWAP = "swap"
    LOG = "log"
    CREATE = "create"
    CALL = "call"


class Opcode(int):
    """An opcode: its number, name, how many words it pops and pushes, and its kind."""

    name: str
    pops: int
    pushes: int
    kind: Kind

    def __new__(cls, number: int, pops: int, pushes: int, kind: Kind, name: str = "") -> Self:
        """An opcode of that number; its name is that of the attribute it becomes, if any."""
        opcode = super().__new__(cls, number)
        opcode.pops, opcode.pushes, opcode.kind, opcode.name = pops, pushes, kind, name
        return opcode

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


class Op:
    """The opcodes by name."""

    STOP = Opcode(0x00, 0, 0, Kind.HALT)
    ADD = Opcode(0x01, 2, 1, Kind.ARITHMETIC)
    MUL = Opcode(0x02, 2, 1, Kind.ARITHMETIC)
    SUB = Opcode(0x03, 2, 1, Kind.ARITHMETIC)
    DIV = Opcode(0x04, 2, 1, Kind.ARITHMETIC)
    SDIV = Opcode(0x05, 2, 1, Kind.ARITHMETIC)
    MOD = Opcode(0x06, 2, 1, Kind.ARITHMETIC)
    SMOD = Opcode(0x07, 2, 1, Kind.ARITHMETIC)
    ADDMOD = Opcode(0x08, 3, 1, Kind.ARITHMETIC)
    MULMOD = Opcode(0x09, 3, 1, Kind.ARITHMETIC)
    EXP = Opcode(0x0A, 2, 1, Kind.ARITHMETIC)
    SIGNEXTEND = Opcode(0x0B, 2, 1, Kind.ARITHMETIC)

    LT = Opcode(0x10, 2, 1, Kind.COMPARISON)
    GT = Opcode(0x11, 2, 1, Kind.COMPARISON)
    SLT = Opcode(0x12, 2, 1, Kind.COMPARISON)
    SGT = Opcode(0x13, 2, 1, Kind.COMPARISON)
    EQ = Opcode(0x14, 2, 1, Kind.COMPARISON)
    ISZERO = Opcode(0x15, 1, 1, Kind.COMPARISON)
    AND = Opcode(0x16, 2, 1, Kind.BITWISE)
    OR = Opcode(0x17, 2, 1, Kind.BITWISE)
    XOR = Opcode(0x18, 2, 1, Kind.BITWISE)
    NOT = Opcode(0x19, 1, 1, Kind.BITWISE)
    BYTE = Opcode(0x1A, 2, 1, Kind.BITWISE)
    SHL = Opcode(0x1B, 2, 1, Kind.BITWISE)
    SHR = Opcode(0x1C, 2, 1, Kind.BITWISE)
    SAR = Opcode(0x1D, 2, 1, Kind.BITWISE)
    CLZ = Opcode(0x1E, 1, 1, Kind.BITWISE)
    KECCAK256 = Opcode(0x20, 2, 1, Kind.HASH)

    ADDRESS = Opcode(0x30, 0, 1, Kind.ENVIRONMENT)
    BALANCE = Opcode(0x31, 1, 1, Kind.ENVIRONMENT)
    ORIGIN = Opcode(0x32, 0, 1, Kind.ENVIRONMENT)
    CALLER = Opcode(0x33, 0, 1, Kind.ENVIRONMENT)
    CALLVALUE = Opcode(0x34, 0, 1, Kind.ENVIRONMENT)
    CALLDATALOAD = Opcode(0x35, 1, 1, Kind.ENVIRONMENT)
    CALLDATASIZE = Opcode(0x36, 0, 1, Kind.ENVIRONMENT)
    CALLDATACOPY = Opcode(0x37, 3, 0, Kind.ENVIRONMENT)
    CODESIZE = Opcode(0x38, 0, 1, Kind.ENVIRONMENT)
    CODECOPY = Opcode(0x39, 3, 0, Kind.ENVIRONMENT)
    GASPRICE = Opcode(0x3A, 0, 1, Kind.ENVIRONMENT)
    EXTCODESIZE = Opcode(0x3B, 1, 1, Kind.ENVIRONMENT)
    EXTCODECOPY = Opcode(0x3C, 4, 0, Kind.ENVIRONMENT)
    RETURNDATASIZE = Opcode(0x3D, 0, 1, Kind.ENVIRONMENT)
    RETURNDATACOPY = Opcode(0x3E, 3, 0, Kind.ENVIRONMENT)
    EXTCODEHASH = Opcode(0x3F, 1, 1, Kind.ENVIRONMENT)

    BLOCKHASH = Opcode(0x40, 1, 1, Kind.BLOCK)
    COINBASE = Opcode(0x41, 0, 1, Kind.BLOCK)
    TIMESTAMP = Opcode(0x42, 0, 1, Kind.BLOCK)
    NUMBER = Opcode(0x43, 0, 1, Kind.BLOCK)
    DIFFICULTY = Opcode(0x44, 0, 1, Kind.BLOCK)
    GASLIMIT = Opcode(0x45, 0, 1, Kind.BLOCK)
    CHAINID = Opcode(0x46, 0, 1, Kind.BLOCK)
    SELFBALANCE = Opcode(0x47, 0, 1, Kind.ENVIRONMENT)
    BASEFEE = Opcode(0x48, 0, 1, Kind.BLOCK)
    BLOBHASH = Opcode(0x49, 1, 1, Kind.BLOCK)
    BLOBBASEFEE = Opcode(0x4A, 0, 1, Kind.BLOCK)

    POP = Opcode(0x50, 1, 0, Kind.STACK)
    MLOAD = Opcode(0x51, 1, 1, Kind.MEMORY)
    MSTORE = Opcode(0x52, 2, 0, Kind.MEMORY)
    MSTORE8 = Opcode(0x53, 2, 0, Kind.MEMORY)
    SLOAD = Opcode(0x54, 1, 1, Kind.STORAGE)
    SSTORE = Opcode(0x55, 2, 0, Kind.STORAGE)
    JUMP = Opcode(0x56, 1, 0, Kind.JUMP)
    JUMPI = Opcode(0x57, 2, 0, Kind.JUMP)
    PC = Opcode(0x58, 0, 1, Kind.ENVIRONMENT)
    MSIZE = Opcode(0x59, 0, 1, Kind.MEMORY)
    GAS = Opcode(0x5A, 0, 1, Kind.ENVIRONMENT)
    JUMPDEST = Opcode(0x5B, 0, 0, Kind.LABEL)
    TLOAD = Opcode(0x5C, 1, 1, Kind.STORAGE)
    TSTORE = Opcode(0x5D, 2, 0, Kind.STORAGE)
    MCOPY = Opcode(0x5E, 3, 0, Kind.MEMORY)

    PUSH0 = Opcode(0x5F, 0, 1, Kind.PUSH)
    PUSH1 = Opcode(0x60, 0, 1, Kind.PUSH)
    PUSH32 = Opcode(0x7F, 0, 1, Kind.PUSH)
    DUP1 = Opcode(0x80, 1, 2, Kind.DUP)
    SWAP1 = Opcode(0x90, 2, 2, Kind.SWAP)
    LOG0 = Opcode(0xA0, 2, 0, Kind.LOG)

    CREATE = Opcode(0xF0, 3, 1, Kind.CREATE)
    CALL = Opcode(0xF1, 7, 1, Kind.CALL)
    CALLCODE = Opcode(0xF2, 7, 1, Kind.CALL)
    RETURN = Opcode(0xF3, 2, 0, Kind.HALT)
    DELEGATECALL = Opcode(0xF4, 6, 1, Kind.CALL)
    CREATE2 = Opcode(0xF5, 4, 1, Kind.CREATE)
    STATICCALL = Opcode(0xFA, 6, 1, Kind.CALL)
    REVERT = Opcode(0xFD, 2, 0, Kind.HALT)
    INVALID = Opcode(0xFE, 0, 0, Kind.HALT)
    SELFDESTRUCT = Opcode(0xFF, 1, 0, Kind.HALT)


_NUMBERED = (
    *(Opcode(Op.PUSH0 + n, 0, 1, Kind.PUSH, f"PUSH{n}") for n in range(2, 32)),
    *(Opcode(Op.DUP1 + n - 1, n, n + 1, Kind.DUP, f"DUP{n}") for n in range(2, 17)),
    *(Opcode(Op.SWAP1 + n - 1, n + 1, n + 1, Kind.SWAP, f"SWAP{n}") for n in range(2, 17)),
    *(Opcode(Op.LOG0 + n, n + 2, 0, Kind.LOG, f"LOG{n}") for n in range(1, 5)),
)
"""Opcodes that differ from one in `Op` by a number."""

OPCODES: dict[int, Opcode] = {
    opcode: opcode
    for opcode in sorted(
        [*_NUMBERED, *(each for each in vars(Op).values() if isinstance(each, Opcode))]
    )
}
"""The opcodes by number."""


def of_kind(*kinds: Kind) -> frozenset[int]:
    return frozenset(opcode for opcode in OPCODES.values() if opcode.kind in kinds)


PUSHES = range(Op.PUSH1, Op.PUSH32 + 1)  # have an operand in the code
JUMPS = of_kind(Kind.JUMP)
CALLS = of_kind(Kind.CALL)
CREATES = of_kind(Kind.CREATE)
ENDS = of_kind(Kind.HALT) | {Op.JUMP}  # no instruction follows these


def name_of(opcode: int) -> str:
    """The name of an opcode; of a number that none has, as geth writes it."""
    known = OPCODES.get(opcode)
    return f"opcode {opcode:#x} not defined" if known is None else known.name


class Instruction(NamedTuple):
    """An opcode in some code; `operand` is that of a PUSH, as far as the code has it."""

    offset: int
    opcode: int
    operand: bytes = b""


def walk(code: bytes) -> Iterator[Instruction]:
    """The instructions of some code in order; data behind the code is read as if it were some."""
    offset = 0
    while offset < len(code):
        opcode = code[offset]
        following = offset + 1 + (opcode - Op.PUSH0 if opcode in PUSHES else 0)
        yield Instruction(offset, opcode, code[offset + 1 : following])
        offset = following


# What hardforks change


class SstoreGas(NamedTuple):
    """The gas of SSTORE by the value that a slot has, without net metering (EIP-1283)."""

    set: int  # zero becomes another value
    reset: int  # any other write
    clear_refund: int  # the refund when a value becomes zero


@dataclass(frozen=True, slots=True)
class OpcodeRules:
    """How the compiler has to treat opcodes whose work or price depends on the hardfork.

    `sstore` names the function of `compiler.runtime` that stores, `sstore_gas` is what it is given:
    `SstoreGas`, or py-evm's schedule of net metering.
    """

    sstore: str
    sstore_gas: Any
    exp_byte_gas: int  # the gas of EXP for each byte of the exponent
    has_static_calls: bool = True  # whether SSTORE and LOG fail in a static call
    has_warm_slots: bool = False  # whether SLOAD of a used slot costs less (EIP-2929)
    has_prev_randao: bool = False  # whether 0x44 is PREVRANDAO instead of DIFFICULTY


# Code that can see its gas


OBSERVERS = bytes(sorted({Op.GAS, Op.BALANCE, Op.SELFBALANCE} | CALLS | CREATES))
"""GAS; all that begins a message, which gets a part of the gas; BALANCE and SELFBALANCE, since a
sender has paid for its gas limit."""
DELEGATION = bytes.fromhex("ef0100")

_PUSHES = b"|".join(b"\\x%02x.{0,%d}" % (Op.PUSH1 + size, size + 1) for size in range(32))


@lru_cache(maxsize=64)
def _instructions(marks: bytes) -> re.Pattern[bytes]:
    wanted = b"".join(b"\\x%02x" % mark for mark in marks)
    return re.compile(_PUSHES + b"|[" + wanted + b"]", re.DOTALL)


def reached(code: bytes, wanted: bytes, ends: frozenset[int] = ENDS) -> Iterator[int]:
    """Offsets of those opcodes in code where they can be reached; PUSH1 to PUSH32 cannot be wanted.

    No instruction follows one of `ends`. The data behind a contract is not taken for instructions
    unless it has a JUMPDEST.
    """
    is_reached = True
    for match in _instructions(bytes({*wanted, *ends, Op.JUMPDEST})).finditer(code):
        opcode = code[match.start()]
        if opcode == Op.JUMPDEST:
            is_reached = True
        if is_reached and opcode in wanted:
            yield match.start()
        if opcode in ends:
            is_reached = False


def block_starts(code: bytes) -> list[int]:
    """The offsets at which blocks of code begin: behind a JUMPI, and at JUMPDESTs."""
    found = reached(code, bytes((Op.JUMPDEST, Op.JUMPI)))
    return sorted({0, *(at + (code[at] == Op.JUMPI) for at in found)})


@lru_cache(maxsize=1_024)
def observes_gas(code: bytes) -> bool:
    """Whether code has an instruction that sees the remaining gas, where it can be reached.

    SSTORE does not count: with little gas left (EIP-2200) it does nothing else than fail.
    """
    return any(True for _ in reached(code, OBSERVERS)) or code.startswith(DELEGATION)
