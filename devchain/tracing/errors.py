"""Why a frame or a step failed, in geth's words, which tools compare with."""

from __future__ import annotations

from typing import Any

from eth.exceptions import (
    ContractCreationCollision,
    FullStack,
    InsufficientFunds,
    InsufficientStack,
    InvalidInstruction,
    OutOfGas,
    ReservedBytesInCode,
    Revert,
    StackDepthLimit,
    VMError,
    WriteProtection,
)

from devchain.evm.failures import REASONS
from devchain.evm.rootstock.exceptions import CodeTooLarge, InitCodeTooLarge
from devchain.evm.rootstock.gas import CODE_LIMIT
from devchain.tracing.frames import REVERTED

CODE_TOO_LARGE = "max code size exceeded"
CODE_UNAFFORDABLE = "contract creation code storage out of gas"
OUT_OF_GAS = REASONS[OutOfGas]
TOO_DEEP = "max call depth exceeded"
TOO_POOR = REASONS[InsufficientFunds]
ADDRESS_TAKEN = REASONS[ContractCreationCollision]
INVALID = REASONS[InvalidInstruction]
DESIGNATED_INVALID = 0xFE
NONCE_SPENT = "nonce uint64 overflow"

WORDS: dict[type[VMError], str] = {
    **REASONS,
    Revert: REVERTED,
    FullStack: "stack limit reached 1024 (1023)",
    StackDepthLimit: TOO_DEEP,
    WriteProtection: "write protection",
    ReservedBytesInCode: "invalid code: must not begin with 0xef",
    CodeTooLarge: CODE_TOO_LARGE,
    InitCodeTooLarge: "max initcode size exceeded",
}
"""The words of every other refusal, but for those that geth has its own for."""

BEFORE_THE_STEP = (OutOfGas, InsufficientStack, FullStack)
"""What keeps an opcode from running at all; anything else goes wrong while it runs."""

PARITY: dict[str, str] = {
    REVERTED: "Reverted",
    OUT_OF_GAS: "Out of gas",
    CODE_UNAFFORDABLE: "Out of gas",
    CODE_TOO_LARGE: "Out of gas",
    "invalid jump destination": "Bad jump destination",
    "stack underflow": "Stack underflow",
    "stack limit reached 1024 (1023)": "Out of stack",
    "return data out of bounds": "Out of bounds",
    "write protection": "Mutable Call In Static Context",
}
"""Parity's words for them, where it has its own."""


def in_words(error: VMError) -> str:
    """What an error of the machine is called."""
    named = (text for kind, text in WORDS.items() if isinstance(error, kind))
    return next(named, str(error).rstrip(".") or "execution failed")


def of_computation(computation: Any) -> str:
    """What the failure of a computation is called; for two kinds the error does not say enough."""
    error = computation.error
    if isinstance(error, InvalidInstruction):
        return f"{INVALID}: {invalid_name(computation.code[computation.code.program_counter - 1])}"
    if isinstance(error, OutOfGas) and computation.msg.is_create:
        stored = computation._output  # noqa: SLF001  # `output` hides what a failure returned
        if stored:
            return CODE_TOO_LARGE if len(stored) > CODE_LIMIT else CODE_UNAFFORDABLE
    return in_words(error)


def invalid_name(opcode: int) -> str:
    """What an opcode is called that no rules have."""
    return "INVALID" if opcode == DESIGNATED_INVALID else f"opcode {opcode:#x} not defined"


def in_paritys_words(error: str) -> str:
    """What Parity calls it."""
    if error.startswith(INVALID):
        return "Bad instruction"
    return PARITY.get(error, error)
