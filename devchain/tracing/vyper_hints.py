"""Hints of Vyper's checks, which revert without a reason: the compiler's names of them, in words.

A name says too little (`clamp gt 0` is the check of a divisor, and of the length before a `pop`),
and the statement may have several operations: what the check compared and guarded decides.

    27 DUP1, ISZERO, PUSH2, JUMPI    clamp gt 0: it fails here
    38 DUP1, DUP3, DIV               the divisor: division by zero
"""

from __future__ import annotations

import re

from eth.vm import opcode_values as op

from devchain.contracts.code_map import Position
from devchain.tracing.opcode_step import as_int
from devchain.tracing.path_recorder import Check, Path

WORD_LIMIT = 1 << 256

MEANINGS = (
    (r"safeadd", "overflow: the sum does not fit the type"),
    (r"safesub", "underflow: the difference does not fit the type"),
    (r"safemul", "overflow: the product does not fit the type"),
    (r"safepow", "overflow: the power does not fit the type"),
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
    op.DIV: "division by zero",
    op.SDIV: "division by zero",
    op.MOD: "modulo by zero",
    op.SMOD: "modulo by zero",
    op.SUB: "pop on an empty array",
}
"""What a value above zero is needed for, by the first such opcode behind the check."""

SIGNS = {op.ADD: "+", op.SUB: "-", op.MUL: "×"}
DIVISIONS = frozenset({op.DIV, op.SDIV})
DECIMAL_BITS = 168
SAME_CHECK = 8
"""Bytes of code between two comparisons of one check."""


def vyper_hint(path: Path, position: Position | None) -> str:
    """What the check that failed means; empty if that is not known."""
    checks = path.code_map.code.checks
    offsets = [path.end, *(offset for offset, _ in reversed(path.jumps))][:2]
    at = next((each for each in offsets if each in checks), None)
    name = "" if at is None else checks[at]
    meaning = next((text for pattern, text in MEANINGS if re.search(pattern, name)), "")
    function = position.function if position else None
    if position and function and position.span == function.span:
        if sized := SIZED.fullmatch(name):
            return f"an argument is longer than its type, {sized[1]}, allows"
        if not meaning and not path.code_map.creating:
            return "the function is locked: it was entered again (reentrancy)"
    return (_by_numbers(path, name, at, position) or meaning) if at is not None else ""


def _by_numbers(path: Path, name: str, at: int, position: Position | None) -> str:
    """What a check found, by its operands or by what it guards; empty if they do not say."""
    if name == ABOVE_ZERO:
        behind = path.code_map.opcodes_behind(at)
        return next((GUARDED[each] for each in behind if each in GUARDED), "")
    if name == "safediv":
        return _quotient(path)
    if name.startswith("safe"):
        return next(filter(None, map(overflow, reversed(path.checks))), "")
    if word := WORD.fullmatch(name):
        return _result(path, is_signed=not word[1], bits=int(word[2]))
    return _item(path, SIZED.fullmatch(name), position) if name.endswith("] bounds check") else ""


def _last(path: Path, opcodes: frozenset[int]) -> Check | None:
    return next((each for each in reversed(path.checks) if each.opcode in opcodes), None)


def _quotient(path: Path) -> str:
    """What is wrong with the last division; empty if its divisor is neither 0 nor -1."""
    last = _last(path, DIVISIONS)
    if last and last.operands[1] == 0:
        return "division by zero"
    if last and last.operands[1] == WORD_LIMIT - 1:
        return f"overflow: {_signed(last.operands[0]):,} divided by -1 does not fit the type"
    return ""


def _result(path: Path, *, is_signed: bool, bits: int) -> str:
    """An operation whose result is still on the stack and does not fit; empty if there is none."""
    last = _last(path, DIVISIONS.union(SIGNS))
    if last is None:
        return ""
    one, two = map(_signed, last.operands) if is_signed else last.operands
    results = {op.ADD: one + two, op.SUB: one - two, op.MUL: one * two}
    quotient = abs(one) // abs(two) * (-1 if (one < 0) != (two < 0) else 1) if two else 0
    result = results.get(last.opcode, quotient)
    lowest, above = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if is_signed else (0, 2**bits)
    if result % WORD_LIMIT not in map(as_int, path.stack) or lowest <= result < above:
        return ""
    if bits == DECIMAL_BITS or last.opcode in DIVISIONS:
        return "overflow: the result does not fit the type"
    kind = f"{'' if is_signed else 'u'}int{bits}"
    return f"overflow: {one:,} {SIGNS[last.opcode]} {two:,} does not fit {kind}"


def _item(path: Path, sized: re.Match[str] | None, position: Position | None) -> str:
    """What is wrong with an index of an array, or with a size; empty if the numbers do not say."""
    last = _comparison(path)
    if last is None:
        return ""
    one, two = last.operands
    if sized:
        limit = int(sized[2])
        is_full = one >= limit == two + (last.opcode == op.GT)
        if is_full and position and ".append(" in position.whole_statement.code:
            return "append to a full array"
        is_long = last.opcode == op.GT and one > two == limit
        if is_long or not sized[1].startswith("DynArray"):
            return f"a value is longer than its type, {sized[1]}, allows"
    found = out_of_bounds(last) if max(one, two) < WORD_LIMIT // 2 else ""
    return f"out of bounds: {found}" if found else ""


def _comparison(path: Path) -> Check | None:
    """The last comparison; not that of an index with zero behind that with the length."""
    found = [each for each in path.checks if each.opcode in {op.LT, op.GT}][-2:]
    if len(found) == 2:
        before, last = found
        is_sign = last.opcode == op.LT and last.operands == (before.operands[0], 0)
        if is_sign and last.offset - before.offset <= SAME_CHECK:
            return before
    return found[-1] if found else None


def overflow(check: Check) -> str:
    """An operation whose result is no number of 256 bits; empty for one that fits."""
    one, two = check.operands
    if check.opcode == op.ADD and one + two >= WORD_LIMIT:
        return f"overflow: {one:,} + {two:,} is more than 2^256 - 1"
    if check.opcode == op.SUB and one < two:
        return f"underflow: {one:,} - {two:,} is below zero"
    if check.opcode == op.MUL and one * two >= WORD_LIMIT:
        return f"overflow: {one:,} × {two:,} is more than 2^256 - 1"
    return ""


def out_of_bounds(check: Check) -> str:
    """A comparison of an index with a length; empty for others."""
    one, two = check.operands
    if check.opcode == op.LT and one >= two:
        return f"index {one:,}, but the length is {two:,}"
    if check.opcode == op.GT and one <= two:
        return f"index {two:,}, but the length is {one:,}"
    return ""


def _signed(word: int) -> int:
    return word - WORD_LIMIT if word >= WORD_LIMIT // 2 else word
