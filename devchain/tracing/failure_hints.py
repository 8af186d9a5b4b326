"""Hints: what is known about a failure that has no reason of its own."""

from __future__ import annotations

from devchain.contracts.names import Names
from devchain.tracing.frames import Frame
from devchain.types import SELECTOR_SIZE


def hint_of(frame: Frame, names: Names) -> str:
    """What to know about the failure of a frame; empty if it says so itself."""
    if not frame.reverted or frame.output or frame.is_creation:
        return ""
    return _call_hint(frame, names)


def is_entry_check(frame: Frame, names: Names) -> bool:
    """Whether a frame was refused before any statement of its function ran."""
    return bool(_call_hint(frame, names)) if frame.reverted and not frame.output else False


def _call_hint(frame: Frame, names: Names) -> str:
    """Why a contract may have refused a call before any of its statements ran."""
    abi = names.abi(frame.to)
    if abi is None:
        return ""
    selector = frame.input[:SELECTOR_SIZE]
    if selector in abi.functions or abi.has("fallback") or len(selector) < SELECTOR_SIZE:
        return ""
    return f"{names.contract(frame.to)} has no function with the selector 0x{selector.hex()}"
