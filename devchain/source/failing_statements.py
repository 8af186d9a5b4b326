"""Statements that a failure or a call may come from, by its reason or its name.

Where source maps end, as in code that was compiled via IR, the function that ran is often known and
the reason is in its text: `require(paid, "pay first")` is the one statement with that text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from devchain.contracts.names import Names
from devchain.contracts.syntax_tree import Function
from devchain.evm.revert_reasons import ERROR_SELECTOR, decode_reason, panic_code
from devchain.source.map import ONLY_FAILS, WORD, CodeMap, Position

REASON_SELECTORS = (ERROR_SELECTOR, bytes.fromhex("461bcd"))
"""The selector of reasons, also as the optimizer writes it: shifted to the right by 5 bits."""

Candidate = tuple[Position, bool]
"""A position, and whether it must be that one."""

ASSERTION, ENUM = 0x01, 0x21
PANICS = {
    ASSERTION: re.compile(r"\bassert\b"),
    0x11: re.compile(r"[-+*/]"),
    0x12: re.compile(r"[/%]|\b(add|mul)mod\b"),
    ENUM: re.compile(r"\w\s*\("),
    0x31: re.compile(r"\.\s*pop\b"),
    0x32: re.compile(r"\[(?!\s*\])"),
    0x41: re.compile(r"\bnew\b|\.\s*\w+\s*(\{[^}]*\}\s*)?\("),
    0x51: re.compile(r"\w\s*\("),
}
"""What a statement contains that can fail with each of Solidity's panics.

`/` overflows with the lowest int256 and -1. Memory is allocated for what calls return and for what
`abi.decode` reads, too. Enums are known by their names (`_enums`).
"""

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

MAY_BE_BARE = re.compile(
    r"\brevert\s*(\(\s*\)|;|$)|\bthrow\b|\brequire\s*\([^\"']*\)\s*$"
    r"|\.\s*\w+\s*(\{[^}]*\}\s*)?\(|\bnew\b|\["
)
"""Statements of Solidity that may revert without a reason: also calls, reads of calldata."""

COPIED = re.compile(r"\b(revert|invalid)\s*\((?!\s*[\"'])[^\"']*,|\binvalid\s*\(")
"""Assembly that fails with anything."""

TEXT = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")

CHECK = re.compile(r"\s*(require|revert|assert)\b\s*(\()?")
"""The beginning of a statement that only fails, up to its arguments."""

ENUMS = re.compile(r"\benum\s+([A-Za-z_$][\w$]*)")

INVALID = re.compile(r"\binvalid\s*\(|\bassert\b|\bUNREACHABLE\b")
"""Statements that end with an invalid opcode."""

MAY_BE_INVALID = re.compile(rf"{INVALID.pattern}|[\[/%]|\.\s*(pop|length)\b|\b[A-Z_]\w*\s*\(")
"""Statements that may end with an invalid opcode, before Solidity 0.8 also as others panic."""

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
    pattern = INVALID if payload is None else _pattern(payload, names, code_map)
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
        found = [value for value in code_map.initial_values() if pattern.search(value.text)]
    if after is None or not found:
        return (found[0], is_own) if len(found) == 1 else None
    if any(each.file is after.file and each.statement == after.statement for each in found):
        return after, len(found) == 1
    later = [each for each in found if each.span[0] >= after.span[0]]
    return (later[0], is_own and len(found) == 1) if later else None


def _pattern(payload: bytes, names: Names, code_map: CodeMap | None = None) -> re.Pattern[str]:
    if payload.startswith(ERROR_SELECTOR):
        return re.compile(rf"[\"']{re.escape(decode_reason(payload))}[\"']")
    code = panic_code(payload)
    if code == ENUM and code_map and (enums := _enums(code_map)):
        return re.compile(rf"\b({'|'.join(map(re.escape, enums))})\s*\(")
    if code is not None:
        return PANICS.get(code, BARE)
    if payload:
        name = names.error(payload).partition("(")[0]
        return re.compile(rf"\b{re.escape(name)}\s*\(")
    return BARE


def _enums(code_map: CodeMap) -> set[str]:
    texts = [file.text for file in code_map.files.values()]
    found = {name for text in texts for name in ENUMS.findall(text)}
    if not found:
        return found
    other = re.compile(rf"\b(?:{'|'.join(map(re.escape, found))})\s+as\s+([\w$]+)")
    return found | {name for text in texts for name in other.findall(text)}


def may_fail(code_map: CodeMap, position: Position, failure: Failure, names: Names) -> bool:
    """Whether a statement, or a condition, may fail like this itself: not what it calls.

    It errs on the side of True: a computed reason may be any.
    """
    payload, text = failure.payload, position.own_code
    if position.file.is_vyper:
        return True
    code = TEXT.sub(lambda found: found[0][0] * 2, text)
    if COPIED.search(code):
        return True
    if payload is None:
        return bool(MAY_BE_INVALID.search(code))
    panic = panic_code(payload)
    if panic is not None:
        return panic not in PANICS or bool(_pattern(payload, names, code_map).search(code))
    if payload:
        own = _own_reason(text)
        is_known = payload.startswith(ERROR_SELECTOR) or names.registry.decode_error(payload)
        is_open = not is_known or not OWN_REASON.search(text)
        return bool(own and is_open) or bool(_pattern(payload, names).search(text))
    is_stripped = not any(selector in code_map.code.template for selector in REASON_SELECTORS)
    return bool(MAY_BE_BARE.search(code)) or (is_stripped and bool(ONLY_FAILS.match(code)))


def _own_reason(code: str) -> str:
    if not (match := CHECK.match(code)):
        return ""
    if not match[2]:
        return code[match.end() :]
    depth, last = 0, match.end()
    plain = TEXT.sub(lambda each: each[0][0] * len(each[0]), code)
    for index in range(match.end(), len(code)):
        depth += (plain[index] in "([{") - (plain[index] in ")]}")
        if depth < 0:
            is_given = match[1] == "revert" or last > match.end()
            return code[last:index].strip() if is_given else ""
        if depth == 0 and plain[index] == ",":
            last = index + 1
    return ""


def may_call_failing(code_map: CodeMap, position: Position, failure: Failure, names: Names) -> bool:
    """Whether a statement names a function that may fail like this, or may call one that does."""
    words = set(WORD.findall(position.own_code))
    return any(
        may_fail(code_map, each, failure, names)
        for file in code_map.files.values()
        for called in file.functions.values()
        if called.own_name in words
        for function in code_map.reachable(called)
        for each in code_map.expressions(function)
    )


def find_calling(code_map: CodeMap, function: Function, name: str) -> Position | None:
    """The only statement of a function that calls a function of that name; None without one."""
    pattern = re.compile(rf"\b{re.escape(name)}\s*(\{{[^}}]*\}}\s*)?\(")
    found = list(_matching(code_map, function, pattern))
    return found[0] if len(found) == 1 else None


def _matching(
    code_map: CodeMap, function: Function, pattern: re.Pattern[str]
) -> Iterator[Position]:
    for expression in code_map.expressions(function):
        if match := pattern.search(expression.code):
            yield expression if expression.may_only_fail else expression.starting_at(match.start())
