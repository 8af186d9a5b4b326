"""Decodes revert payloads: `Error(string)`, `Panic(uint256)`, custom errors with or without ABI."""

from __future__ import annotations

from typing import Any, Protocol

from devchain.errors import ExecutionReverted, VmError

REVERTED = "execution reverted"
NO_REASON = "no reason given"  # what people are shown; messages of JSON-RPC have `REVERTED`
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
"""Solidity's panic codes."""


class ErrorNames(Protocol):
    """What knows custom errors: the artifacts of a node."""

    def decode_error(self, payload: bytes) -> Any:
        """A custom error with its values, whose text has both; None if it is not known."""


def revert_message(payload: bytes, artifacts: ErrorNames | None = None) -> str:
    """The message of a revert: `execution reverted: ` and the reason, if the payload has one.

    A custom error that an artifact has is written with its name and values, any other with its
    selector.
    """
    reason = decode_error_or_panic(payload)
    if not reason and not payload.startswith(ERROR_SELECTOR):
        reason = format_custom_error(payload, artifacts)
    return f"{REVERTED}: {reason}" if reason else REVERTED


def reason_of_message(message: str) -> str:
    """The reason in such a message; `NO_REASON` if it has none."""
    return message.removeprefix(REVERTED).lstrip(": ") or NO_REASON


def decode_error_or_panic(payload: bytes) -> str:
    """The string of `Error(string)` or the meaning of `Panic(uint256)`, else empty."""
    if payload.startswith(ERROR_SELECTOR):
        return _decode_string(payload[len(ERROR_SELECTOR) :])
    code = panic_code(payload)
    if code is None:
        return ""
    return f"panic: {PANICS.get(code, 'unknown panic')} (0x{code:02x})"


def panic_code(payload: bytes) -> int | None:
    """The code of a `Panic(uint256)`; None for other payloads."""
    selector, body = payload[:4], payload[4:]
    return int.from_bytes(body, "big") if selector == PANIC_SELECTOR and len(body) == WORD else None


def format_custom_error(payload: bytes, artifacts: ErrorNames | None = None) -> str:
    """`custom error Name(values)`, with the selector if no artifact has it; empty if too short."""
    known = artifacts.decode_error(payload) if artifacts else None
    if known:
        return f"custom error {known}"
    if len(payload) < len(ERROR_SELECTOR):
        return ""
    if len(payload) % WORD == 0:  # as assembly reverts with words: `revert(0, 32)`
        return f"data 0x{payload[:WORD].hex()}{'...' if len(payload) > WORD else ''}"
    return f"custom error 0x{payload[:4].hex()}"


def add_revert_details(error: VmError, artifacts: ErrorNames) -> VmError:
    """Set reason, panic code, custom error and message of a failure from its payload; return it."""
    payload = error.payload
    error.panic_code = panic_code(payload)
    error.custom_error = artifacts.decode_error(payload)
    error.has_reason = payload.startswith(ERROR_SELECTOR)
    error.reason = decode_error_or_panic(payload) if error.has_reason else ""
    if isinstance(error, ExecutionReverted):
        error.args = (revert_message(payload, artifacts), *error.args[1:])
    return error


def _decode_string(body: bytes) -> str:
    offset = int.from_bytes(body[:WORD], "big")
    start = offset + WORD
    if len(body) < start or len(body) < WORD:
        return ""
    length = int.from_bytes(body[offset:start], "big")
    text = body[start : start + length]
    return text.decode("utf-8", errors="replace") if len(text) == length else ""
