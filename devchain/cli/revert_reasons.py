"""Why a call failed, read from a node's error: revert payloads decoded without an ABI."""

from __future__ import annotations

from devchain.contracts.revert_reasons import custom_error, explain
from devchain.errors import RpcFailure

OPENING = "VM Exception while processing transaction: "
REVERTED = "execution reverted"


def reason(failure: RpcFailure) -> str:
    """Why the call failed in words: what the contract said, else what the node says."""
    payload = _payload(failure.data)
    said = explain(payload)
    if said:
        return said
    _, reverted, told = failure.message.partition(REVERTED)
    told = told.lstrip(": ")
    if told:
        return told
    named = custom_error(payload)
    return named or ("no reason given" if reverted else failure.message.removeprefix(OPENING))


def _payload(data: object) -> bytes:
    """The bytes in an error's `data`, which some nodes wrap in an object or in words."""
    if isinstance(data, dict):
        return _payload(data.get("data") or data.get("result"))
    if not isinstance(data, str):
        return b""
    _, _, digits = data.partition("0x")
    try:
        return bytes.fromhex(digits[: len(digits) // 2 * 2])
    except ValueError:
        return b""
