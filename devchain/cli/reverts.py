"""Why a call failed, read from a node's error: revert payloads decoded without an ABI."""

from __future__ import annotations

from devchain.errors import RpcFailure

ERROR = "08c379a0"
PANIC = "4e487b71"
SELECTOR_DIGITS = 8
WORD_DIGITS = 64
REVERTED = "execution reverted"

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


def reason(failure: RpcFailure) -> str:
    """Why the call failed in words: what the contract said, else what the node says."""
    payload = _payload(failure.data)
    said = decoded(payload)
    if said:
        return said
    _, reverted, told = failure.message.partition(REVERTED)
    told = told.lstrip(": ")
    if told:
        return told
    if len(payload) >= SELECTOR_DIGITS:
        return f"custom error 0x{payload[:SELECTOR_DIGITS]}"
    return "no reason given" if reverted else failure.message


def decoded(payload: str) -> str:
    """What a revert payload (hex without 0x) says if it is `Error(string)` or `Panic(uint256)`."""
    selector, body = payload[:SELECTOR_DIGITS], payload[SELECTOR_DIGITS:]
    if selector == ERROR:
        return _string(body)
    if selector == PANIC and len(body) == WORD_DIGITS:
        code = int(body, 16)
        return f"panic: {PANICS.get(code, 'unknown panic')} (0x{code:02x})"
    return ""


def _payload(data: object) -> str:
    """The hex digits in an error's `data`, which some nodes wrap in an object or in words."""
    if isinstance(data, dict):
        return _payload(data.get("data") or data.get("result"))
    if not isinstance(data, str):
        return ""
    digits = data[data.find("0x") + 2 :].lower() if "0x" in data else ""
    return digits if all(each in "0123456789abcdef" for each in digits) else ""


def _string(body: str) -> str:
    """The string in the ABI encoding of one string, empty if it is malformed."""
    try:
        raw = bytes.fromhex(body)
    except ValueError:
        return ""
    start = int.from_bytes(raw[:32], "big") + 32
    length = int.from_bytes(raw[start - 32 : start], "big")
    text = raw[start : start + length]
    return text.decode("utf-8", errors="replace") if len(text) == length else ""
