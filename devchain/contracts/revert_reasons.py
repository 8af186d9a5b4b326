"""What a revert payload says, read without an ABI."""

from __future__ import annotations

from devchain.contracts.registry import Registry
from devchain.errors import VmError

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


def explain(payload: bytes) -> str:
    """The text of `Error(string)` or the meaning of `Panic(uint256)`, else empty."""
    selector, body = payload[:4], payload[4:]
    if selector == ERROR_SELECTOR:
        return _string(body)
    code = panic_code(payload)
    if code is not None:
        return f"panic: {PANICS.get(code, 'unknown panic')} (0x{code:02x})"
    return ""


def panic_code(payload: bytes) -> int | None:
    """The code of a `Panic(uint256)`; None if the payload is none."""
    selector, body = payload[:4], payload[4:]
    return int.from_bytes(body, "big") if selector == PANIC_SELECTOR and len(body) == WORD else None


def custom_error(payload: bytes) -> str:
    """A custom error by its selector; empty if the payload is too short for one."""
    return f"custom error 0x{payload[:4].hex()}" if len(payload) >= len(ERROR_SELECTOR) else ""


def _string(body: bytes) -> str:
    """The string in the ABI encoding of one string; empty if it is malformed."""
    offset = int.from_bytes(body[:WORD], "big")
    start = offset + WORD
    if len(body) < start or len(body) < WORD:
        return ""
    length = int.from_bytes(body[offset:start], "big")
    text = body[start : start + length]
    return text.decode("utf-8", errors="replace") if len(text) == length else ""


def explained(error: VmError, registry: Registry) -> VmError:
    """The same failure, its payload read; a custom error goes by name where an ABI knows it."""
    payload = error.payload
    error.panic_code = panic_code(payload)
    error.custom_error = registry.decode_error(payload)
    error.reason = "" if error.panic_code is not None else explain(payload)
    error.args = (named(str(error), payload, registry), *error.args[1:])
    return error


def named(text: str, payload: bytes, registry: Registry) -> str:
    """What is said of a failure, a custom error by its name and values where an ABI knows it."""
    known = registry.decode_error(payload)
    return text.replace(custom_error(payload), f"custom error {known}") if known else text
