"""Why an execution failed, in words: revert payloads decoded, py-evm's errors named."""

from __future__ import annotations

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

from devchain.contracts.revert_reasons import ERROR_SELECTOR, custom_error, explain
from devchain.errors import ExecutionFailed, ExecutionReverted, VmError

REASONS: dict[type[VMError], str] = {
    OutOfGas: "out of gas",
    InsufficientStack: "stack underflow",
    FullStack: "stack overflow",
    InvalidJumpDestination: "invalid jump destination",
    InvalidInstruction: "invalid opcode",
    InsufficientFunds: "insufficient balance for transfer",
    StackDepthLimit: "call depth exceeded",
    ContractCreationCollision: "contract address collision",
    WriteProtection: "write in a static call",
    OutOfBoundsRead: "return data out of bounds",
    ReservedBytesInCode: "invalid contract code: starts with 0xef",
}


def failure(error: VMError, output: bytes) -> VmError:
    """The refusal that tells a caller of this failure; `output` is the revert payload."""
    if isinstance(error, Revert):
        reason = revert_reason(output)
        text = f"execution reverted: {reason}" if reason else "execution reverted"
        return ExecutionReverted(text, output)
    named = (text for kind, text in REASONS.items() if isinstance(error, kind))
    return ExecutionFailed(next(named, str(error).rstrip(".") or "execution failed"))


def revert_reason(payload: bytes) -> str:
    """What a revert payload says, empty if it says nothing; a malformed text says nothing."""
    said = explain(payload)
    if said or payload.startswith(ERROR_SELECTOR):
        return said
    return custom_error(payload)
