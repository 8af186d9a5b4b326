"""Error texts of frames and opcodes as geth and Parity have them: tools compare with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eth.exceptions import (
    ContractCreationCollision,
    FullStack,
    InsufficientFunds,
    InsufficientStack,
    InvalidInstruction,
    InvalidJumpDestination,
    OutOfBoundsRead,
    OutOfGas,
    ReservedBytesInCode,
    Revert,
    StackDepthLimit,
    VMError,
    WriteProtection,
)

from devchain.evm import revert_reasons
from devchain.evm.opcodes import name_of
from devchain.evm.rootstock.exceptions import CodeTooLarge, InitCodeTooLarge
from devchain.evm.rootstock.gas import CODE_LIMIT


@dataclass(frozen=True, slots=True)
class FrameFailure:
    """Why a frame failed: geth's text, and Parity's if it differs."""

    geth: str
    own_parity: str = ""

    @property
    def parity(self) -> str:
        """Parity's text."""
        return self.own_parity or self.geth


REVERTED = FrameFailure(revert_reasons.REVERTED, "Reverted")
OUT_OF_GAS = FrameFailure("out of gas", "Out of gas")
CODE_TOO_LARGE = FrameFailure("max code size exceeded", "Out of gas")
CODE_UNAFFORDABLE = FrameFailure("contract creation code storage out of gas", "Out of gas")
DEPTH_EXCEEDED = FrameFailure("max call depth exceeded")
INSUFFICIENT_BALANCE = FrameFailure("insufficient balance for transfer")
ADDRESS_COLLISION = FrameFailure("contract address collision")
NONCE_OVERFLOW = FrameFailure("nonce uint64 overflow")

FAILURES: dict[type[VMError], FrameFailure] = {
    Revert: REVERTED,
    OutOfGas: OUT_OF_GAS,
    InsufficientStack: FrameFailure("stack underflow", "Stack underflow"),
    FullStack: FrameFailure("stack limit reached 1024 (1023)", "Out of stack"),
    InvalidJumpDestination: FrameFailure("invalid jump destination", "Bad jump destination"),
    InvalidInstruction: FrameFailure("invalid opcode", "Bad instruction"),
    InsufficientFunds: INSUFFICIENT_BALANCE,
    StackDepthLimit: DEPTH_EXCEEDED,
    ContractCreationCollision: ADDRESS_COLLISION,
    WriteProtection: FrameFailure("write protection", "Mutable Call In Static Context"),
    OutOfBoundsRead: FrameFailure("return data out of bounds", "Out of bounds"),
    ReservedBytesInCode: FrameFailure("invalid code: must not begin with 0xef"),
    CodeTooLarge: CODE_TOO_LARGE,
    InitCodeTooLarge: FrameFailure("max initcode size exceeded"),
}
"""The texts of py-evm's errors; any other error has its own."""

RAISED_BEFORE_RUNNING = (OutOfGas, InsufficientStack, FullStack)
"""Errors that keep an opcode from running at all; others are raised while it runs."""


def failure_of(error: VMError) -> FrameFailure:
    """The texts of a py-evm error."""
    named = (failure for kind, failure in FAILURES.items() if isinstance(error, kind))
    return next(named, None) or FrameFailure(str(error).rstrip(".") or "execution failed")


def failure_of_computation(computation: Any) -> FrameFailure:
    """The texts of a computation's failure; two kinds need more than the error to tell apart."""
    error = computation.error
    if isinstance(error, InvalidInstruction):
        name = name_of(computation.code[computation.code.program_counter - 1])
        return FrameFailure(f"invalid opcode: {name}", "Bad instruction")
    if isinstance(error, OutOfGas) and computation.msg.is_create:
        stored = computation._output  # noqa: SLF001  # `output` hides what a failure returned
        if stored:
            return CODE_TOO_LARGE if len(stored) > CODE_LIMIT else CODE_UNAFFORDABLE
    return failure_of(error)
