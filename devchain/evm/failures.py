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

from devchain.errors import ExecutionFailed, ExecutionReverted, VmError

ERROR_SELECTOR = bytes.fromhex("08c379a0")
PANIC_SELECTOR = bytes.fromhex("4e487b71")
WORD = 32

PANICS = {
    0x00: "generic compiler panic",
    0x01: "assertion failed",
    0x11: "arithmetic overflow or underflow",
    0x12: "division or modulo by zero",
    0x21: "invalid enum value",
    0x22: "corrupt storage byte array",
    0x31: "pop on an empty array",
    0x32: "array index out of bounds",
    0x41: "out of memory",
    0x51: "call to an uninitialised function",
}

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
    """What a revert payload says, empty if it says nothing."""
    selector, body = payload[:4], payload[4:]
    if selector == ERROR_SELECTOR:
        return _decode_string(body) or ""
    if selector == PANIC_SELECTOR and len(body) == WORD:
        code = int.from_bytes(body, "big")
        return f"panic: {PANICS.get(code, 'unknown panic')} (0x{code:02x})"
    if len(selector) == len(ERROR_SELECTOR):
        return f"custom error 0x{selector.hex()}"
    return ""


def _decode_string(body: bytes) -> str | None:
    """The string in the ABI encoding of one string; None if it is malformed."""
    offset = int.from_bytes(body[:WORD], "big")
    start = offset + WORD
    if len(body) < start or len(body) < WORD:
        return None
    length = int.from_bytes(body[offset:start], "big")
    text = body[start : start + length]
    return text.decode("utf-8", errors="replace") if len(text) == length else None
