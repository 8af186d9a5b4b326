"""Why frames and opcodes fail, as geth and Parity call it: tools compare with these texts."""

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

from devchain.evm.rootstock.exceptions import CodeTooLarge, InitCodeTooLarge
from devchain.evm.rootstock.gas import CODE_LIMIT

DESIGNATED_INVALID = 0xFE


@dataclass(frozen=True, slots=True)
class FrameFailure:
    """Why a frame failed, in geth's words and in Parity's, where it has its own."""

    geth: str
    own_parity: str = ""

    @property
    def parity(self) -> str:
        """What Parity calls it."""
        return self.own_parity or self.geth


REVERTED = FrameFailure("execution reverted", "Reverted")
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
"""The names of py-evm's errors; any other error has its own text."""

RAISED_BEFORE_RUNNING = (OutOfGas, InsufficientStack, FullStack)
"""What keeps an opcode from running at all; other errors are raised while it runs."""


def failure_of(error: VMError) -> FrameFailure:
    """What an error of py-evm is called."""
    named = (failure for kind, failure in FAILURES.items() if isinstance(error, kind))
    return next(named, None) or FrameFailure(str(error).rstrip(".") or "execution failed")


def failure_of_computation(computation: Any) -> FrameFailure:
    """What the failure of a computation is called; for two kinds the error does not say enough."""
    error = computation.error
    if isinstance(error, InvalidInstruction):
        name = invalid_name(computation.code[computation.code.program_counter - 1])
        return FrameFailure(f"invalid opcode: {name}", "Bad instruction")
    if isinstance(error, OutOfGas) and computation.msg.is_create:
        stored = computation._output  # noqa: SLF001  # `output` hides what a failure returned
        if stored:
            return CODE_TOO_LARGE if len(stored) > CODE_LIMIT else CODE_UNAFFORDABLE
    return failure_of(error)


def invalid_name(opcode: int) -> str:
    """What an opcode is called that no rules have."""
    return "INVALID" if opcode == DESIGNATED_INVALID else f"opcode {opcode:#x} not defined"
