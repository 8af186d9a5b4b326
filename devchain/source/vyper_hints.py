"""Hints of Vyper's checks, which revert without a reason: the compiler's names of them, in words.

A name says too little (`clamp gt 0` is the check of a divisor, and of the length before a `pop`),
and the statement may have several operations: what the check compared and guarded decides.

    27 DUP1, ISZERO, PUSH2, JUMPI    clamp gt 0: it fails here
    38 DUP1, DUP3, DIV               the divisor: division by zero
"""

from __future__ import annotations

import re

from devchain.evm.opcodes import Op
from devchain.source.map import Position
from devchain.source.operands import (
    IntegerType,
    has_operator,
    last_checks,
    last_comparison,
    out_of_bounds,
    overflow,
)
from devchain.tracing.path_recorder import Path

MEANINGS = (
    (r"safeadd", "overflow: the sum does not fit the type"),
    (r"safesub", "underflow: the difference does not fit the type"),
    (r"safemul", "overflow: the product does not fit the type"),
    (r"safepow", "overflow: the power does not fit the type, or its exponent is negative"),
    (r"safediv", "division by zero, or of a signed number an overflow"),
    (r"safemod", "modulo by zero"),
    (r"clamp sgt", "overflow: the result does not fit the type"),
    (r"range\(\) bounds check|clamp le end", "a loop has more rounds than its bound"),
    (r"(u?int|decimal)\d* bounds check", "out of bounds: the value does not fit the type"),
    (r"bounds check", "index out of bounds"),
    (r"clamp|validate", "out of bounds: the value does not fit the type"),
    (r"extcodesize is zero", "there is no contract at the address: it has no code"),
    (r"returndatasize too small", "the call returned less than its return type needs"),
    (r"nonpayable check", "the function is not payable"),
    (r"unreachable", "code that was declared unreachable was reached"),
)
"""What names of checks mean, by the first pattern that matches."""

SIZED = re.compile(r"((?:String|Bytes|DynArray)\[.*?(\d+)\]) bounds check")
"""The name of a check of the size of a value, or of an index."""

WORD = re.compile(r"(u?)int(\d+) bounds check")
"""The name of a check of a result, or of a value that is converted."""

ABOVE_ZERO = "clamp gt 0"

GUARDED = {
    Op.DIV: "division by zero",
    Op.SDIV: "division by zero",
    Op.MOD: "modulo by zero",
    Op.SMOD: "modulo by zero",
    Op.SUB: "pop on an empty array",
}
"""What a value above zero is needed for, by the first such opcode behind the check."""

DIVISIONS = frozenset({Op.DIV, Op.SDIV})
WORD_PRODUCT = re.compile(r"(× .* )u?int256$")
DECIMAL_BITS = 168
UNSHOWN = "overflow: the result does not fit the type"
"""What is said of decimals, which are numbers of this type times 10^10."""


def vyper_hint(path: Path, position: Position | None) -> str:
    """What the check that failed means; empty if that is not known."""
    checks = path.code_map.code.checks
    offsets = [path.end, *(offset for offset, _ in reversed(path.jumps))][:2]
    at = next((each for each in offsets if each in checks), None)
    name = "" if at is None else checks[at]
    meaning = next((text for pattern, text in MEANINGS if re.search(pattern, name)), "")
    function = position.function if position else None
    # Of Venom's code any may have no place but the function.
    is_entry = position and function and position.span == function.span
    if is_entry and path.code_map.is_in_order:
        if sized := SIZED.fullmatch(name):
            return f"an argument is longer than its type, {sized[1]}, allows"
        if not meaning and not path.code_map.creating:
            return "the function is locked: it was entered again (reentrancy)"
    found = _by_numbers(path, name, at, position) if at is not None else ""
    # Vyper gives the name of the check of an index to those of the arithmetic in it, too.
    is_open = name.endswith("] bounds check") and position and has_operator(position)
    return found or ("" if is_open else meaning)


def _by_numbers(path: Path, name: str, at: int, position: Position | None) -> str:
    if name == ABOVE_ZERO:
        behind = path.code_map.opcodes_behind(at)
        return next((GUARDED[each] for each in behind if each in GUARDED), "")
    word = WORD.fullmatch(name)
    if word and int(word[2]) == DECIMAL_BITS:
        return UNSHOWN
    if word or name.startswith("safe") or name == "clamp sgt":
        kind = IntegerType(int(word[2]), is_signed=not word[1]) if word else None
        return _overflow(path, position, kind) or _division(path, name)
    return _item(path, SIZED.fullmatch(name), position) if name.endswith("] bounds check") else ""


def _overflow(path: Path, position: Position | None, kind: IntegerType | None = None) -> str:
    # A product that does not fit 256 bits may be one of a smaller type.
    text = overflow(path, position, kind) if position else ""
    return WORD_PRODUCT.sub(r"\1the type", text)


def _division(path: Path, name: str) -> str:
    divisions = [each for each in last_checks(path) if each.opcode in DIVISIONS]
    is_zero = bool(divisions) and divisions[-1].operands[1] == 0
    return "division by zero" if name == "safediv" and is_zero else ""


def _item(path: Path, sized: re.Match[str] | None, position: Position | None) -> str:
    compared = last_comparison(path)
    if sized and compared:
        limit, (one, two) = int(sized[2]), compared.operands
        is_full = one >= limit == two + (compared.opcode == Op.GT)
        if is_full and position and ".append(" in position.whole_statement.code:
            return "append to a full array"
        is_long = compared.opcode == Op.GT and one > two == limit
        if is_long or not sized[1].startswith("DynArray"):
            return f"a value is longer than its type, {sized[1]}, allows"
    if text := _overflow(path, position):
        return text
    text = out_of_bounds(path)
    return f"out of bounds: {text}" if text else ""
