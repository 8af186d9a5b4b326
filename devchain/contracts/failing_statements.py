"""Statements that a failure or a call may come from, by its reason or its name.

Where source maps end, as in code that was compiled via IR, the function that ran is often known and
the reason is in its text: `require(paid, "pay first")` is the one statement with that text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from devchain.contracts.code_map import CodeMap, Position
from devchain.contracts.names import Names
from devchain.contracts.revert_reasons import ERROR_SELECTOR, decode_reason, panic_code
from devchain.contracts.syntax_tree import Function

Candidate = tuple[Position, bool]
"""A position, and whether it must be that one."""

PANICS = {
    0x01: r"\bassert\b",
    0x11: r"[-+*]",
    0x12: r"[/%]",
    0x21: r"\w\s*\(",
    0x31: r"\.pop\s*\(",
    0x32: r"\[",
    0x41: r"\bnew\b|\[",
    0x51: r"\w\s*\(",
}
"""What a statement contains that can fail with each of Solidity's panics."""

BARE = re.compile(
    r"\brevert\s*\(\s*(0\s*,.*)?\)|\brequire\s*\([^\"']*\)\s*$|\braise\s*$|\bthrow\b"
    r"|\bassert\b[^\"']*$"
)
"""Statements that revert without a reason."""

OWN_REASON = re.compile(
    r"\brevert\s+[\w.]+\s*\(|\brevert\s*\(\s*(\"[^\"\\]*\"|'[^'\\]*')\s*\)"
    r"|\brequire\s*\(.*,\s*(\"[^\"\\]*\"|'[^'\\]*')\s*\)\s*$",
    re.DOTALL,
)
"""Statements that revert with a custom error, or a text, of their own."""

INVALID = re.compile(r"\binvalid\s*\(|\bassert\b|\bUNREACHABLE\b")
"""Statements that end with an invalid opcode."""

CALL = re.compile(r"\.\w+\s*(\{[^}]*\}\s*)?\(")
"""Statements that call another contract."""


@dataclass(frozen=True, slots=True)
class Failure:
    """How a message failed: its payload, None for an invalid opcode, and whether it made calls.

    A call that it was about to make counts, too.
    """

    payload: bytes | None
    has_calls: bool


def find_failing(
    code_map: CodeMap, function: Function, failure: Failure, names: Names, after: Position | None
) -> Candidate | None:
    """The statement that failed, in a function or in those it may call; None if several may have.

    With `after`, the last position that is known to have run, it is that if it may have failed,
    else the nearest statement from there on.
    """
    payload = failure.payload
    pattern = INVALID if payload is None else _pattern(payload, names)
    found = list(_matching(code_map, function, pattern))
    if not found and payload == b"" and failure.has_calls:
        found = list(_matching(code_map, function, CALL))
    is_own = bool(payload) and panic_code(payload or b"") is None
    if not found and is_own:
        found = [
            each
            for callee in code_map.reachable(function)
            for each in _matching(code_map, callee, pattern)
        ]
    if not found and function.kind == "constructor":
        found = [each for each in code_map.initial_values() if pattern.search(each.text)]
    if after is None or not found:
        return (found[0], is_own) if len(found) == 1 else None
    if any(each.file is after.file and each.statement == after.statement for each in found):
        return after, len(found) == 1
    later = [each for each in found if each.span[0] >= after.span[0]]
    return (later[0], is_own and len(found) == 1) if later else None


def _pattern(payload: bytes, names: Names) -> re.Pattern[str]:
    """What a statement contains that reverts with a payload."""
    if payload.startswith(ERROR_SELECTOR):
        return re.compile(rf"[\"']{re.escape(decode_reason(payload))}[\"']")
    code = panic_code(payload)
    if code is not None:
        return re.compile(PANICS[code]) if code in PANICS else BARE
    if payload:
        name = names.error(payload).partition("(")[0]
        return re.compile(rf"\b{re.escape(name)}\s*\(")
    return BARE


def may_fail_with(position: Position, payload: bytes, names: Names) -> bool:
    """Whether a statement that only fails may have this payload: its own, if it names one."""
    if not payload or panic_code(payload) is not None:
        return True
    is_text = payload.startswith(ERROR_SELECTOR)
    if not is_text and names.registry.decode_error(payload) is None:
        return True
    text = position.of_statement.code
    return bool(_pattern(payload, names).search(text)) or not OWN_REASON.search(text)


def find_calling(code_map: CodeMap, function: Function, name: str) -> Position | None:
    """The only statement of a function that calls a function of that name; None without one."""
    pattern = re.compile(rf"\b{re.escape(name)}\s*(\{{[^}}]*\}}\s*)?\(")
    found = list(_matching(code_map, function, pattern))
    return found[0] if len(found) == 1 else None


def _matching(
    code_map: CodeMap, function: Function, pattern: re.Pattern[str]
) -> Iterator[Position]:
    """The statements of a function that match, each from where it does."""
    for each in code_map.statements(function):
        if match := pattern.search(each.code):
            yield each if each.may_only_fail else each.starting_at(match.start())
