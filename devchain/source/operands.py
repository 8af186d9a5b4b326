"""Operands of arithmetic and of indices that failed, as they were on the stack at the check.

A check is a comparison behind the operation and a JUMPI behind that, in one basic block:

    DUP2 DUP2 ADD    250, 6
    DUP1 PUSH1 ff    256, 255
    LT ... JUMPI     256 is above 255: it fails here

`Path.checks` has the operands of the last arithmetic and comparisons that ran. An operation is
named if its statement has that operator and its exact result does not fit the type that the
comparison checks. Where the optimizer left no such comparison in the block, nothing is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from devchain.evm.opcodes import Op
from devchain.source.map import Position
from devchain.tracing.path_recorder import Check, Path

WORDS = 1 << 256
SIGNED = frozenset({Op.SLT, Op.SGT, Op.SDIV})
COMPARISONS = frozenset({Op.LT, Op.GT, Op.SLT, Op.SGT})
DIVISIONS = frozenset({Op.DIV, Op.SDIV})
WRITTEN: dict[int, str] = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*"}
SHOWN: dict[int, str] = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "×"}
OPERATOR = re.compile(r"\*\*|[-+*]")
CONSTANT_POWER = re.compile(r"(?<![\w$.])[\d_.]+(?:e\d+)?\s*\*\*\s*[\d_]+(?![\w$.])")
"""A power that the compiler computes, such as `10**18`."""


@dataclass(frozen=True, slots=True)
class IntegerType:
    """An integer type of Solidity or Vyper."""

    bits: int
    is_signed: bool

    @property
    def lowest(self) -> int:
        return -(1 << (self.bits - 1)) if self.is_signed else 0

    @property
    def highest(self) -> int:
        return (1 << (self.bits - self.is_signed)) - 1

    def has(self, number: int) -> bool:
        return self.lowest <= number <= self.highest

    def read(self, word: int) -> int:
        """A word as a number, which need not be a value of the type."""
        return signed(word) if self.is_signed else word

    def __str__(self) -> str:
        return f"{'' if self.is_signed else 'u'}int{self.bits}"


def signed(word: int) -> int:
    """A word as a number of two's complement."""
    return word - WORDS if word >> 255 else word


_ALL_TYPES = [
    IntegerType(bits, is_signed) for bits in range(8, 257, 8) for is_signed in (True, False)
]
_RESULTS: dict[int, Callable[[int, int], int]] = {
    Op.ADD: lambda one, two: one + two,
    Op.SUB: lambda one, two: one - two,
    Op.MUL: lambda one, two: one * two,
    Op.DIV: lambda one, two: one // two if two else 0,
    Op.SDIV: lambda one, two: _quotient(signed(one), signed(two)),
}
INVERSE: dict[int, int] = {Op.ADD: Op.SUB, Op.SUB: Op.ADD, Op.DIV: Op.MUL, Op.SDIV: Op.MUL}
"""The operation whose operand is compared with the result of the other one on a limit."""


def _quotient(one: int, two: int) -> int:
    # Rounded towards zero
    return (abs(one) // abs(two) if two else 0) * (-1 if (one < 0) != (two < 0) else 1)


def last_checks(path: Path) -> list[Check]:
    """The arithmetic and comparisons of the block that ended with the check that failed."""
    block = _failed_block(path)
    checks: list[Check] = []
    for check in reversed(path.checks):
        if check.offset in block:
            checks.append(check)
        elif checks:
            break
    return checks[::-1]


def _failed_block(path: Path) -> range:
    # From its first instruction to the JUMPI behind which nothing but a failure came.
    code, last = path.code_map.code.template, path.end
    for offset, target in reversed(path.jumps):
        first, failed = target, -1
        for each in path.code_map.offsets_between(target, last):
            if code[each] == Op.JUMPI:
                first, failed = (failed + 1 if failed >= 0 else target), each
        if failed >= 0:
            return range(first, failed + 1)
        last = offset
    return range(0)


def overflow(path: Path, position: Position, kind: IntegerType | None = None) -> str:
    """The operation of the statement at a position whose result does not fit its type.

    Without `kind` the type is derived from the check. Empty if the operands are not known.
    """
    code = CONSTANT_POWER.sub("", position.whole_statement.code)
    written = set(OPERATOR.findall(code))
    if "**" in written:
        written.discard("*")  # a power is computed by multiplications
    checks = last_checks(path)
    named = {word for check in checks for word in check.operands}
    for check in reversed(path.checks):
        if WRITTEN.get(check.opcode) in written and (kind or _result(check) in named):
            kinds = [kind] if kind else _kinds(_result(check), checks, check.opcode)
            texts = (_overflowed(check, kind) for kind in kinds)
            if text := next(filter(None, texts), ""):
                return text
    if path.code_map.is_vyper:
        return ""
    return _beyond_limit(checks, written) or _incremented(checks, code)


def _result(check: Check) -> int:
    return _RESULTS[check.opcode](*check.operands) % WORDS


def _beyond_limit(checks: Sequence[Check], written: set[str]) -> str:
    # solc before 0.8.16 compares before it computes: `x > 255 - y` for `x + y`, `x < y` for `x - y`
    if [check.opcode for check in checks] in ([Op.LT], [Op.GT]) and "-" in written:
        one, two = checks[0].operands
        less, more = (one, two) if checks[0].opcode == Op.LT else (two, one)
        return _text(less, Op.SUB, more, IntegerType(256, is_signed=False)) if less < more else ""
    for check, compared in pairwise(checks):
        inverse = INVERSE.get(check.opcode, 0)
        if WRITTEN.get(inverse) not in written or compared.opcode not in COMPARISONS:
            continue
        result, (limit, second) = _result(check), check.operands
        if result in compared.operands:
            first = compared.operands[compared.operands[0] == result]
            for kind in _ALL_TYPES:
                if kind.read(limit) in {kind.lowest, kind.highest}:
                    text = _overflowed(Check(check.offset, inverse, (first, second)), kind)
                    if text:
                        return text
    return ""


def _overflowed(check: Check, kind: IntegerType) -> str:
    one, two = map(kind.read, check.operands)
    result = _RESULTS[check.opcode](one, two)
    if not kind.has(one) or not kind.has(two) or kind.has(result):
        return ""
    return _text(one, check.opcode, two, kind)


def _text(one: int, opcode: int, two: int, kind: IntegerType) -> str:
    if opcode == Op.SUB and not kind.is_signed:
        return f"underflow: {one:,} - {two:,} is below zero"
    result = _RESULTS[opcode](one, two)
    direction = "underflow" if result < kind.lowest else "overflow"
    second = f"({two:,})" if two < 0 else f"{two:,}"
    if opcode == Op.SUB and one == 0:
        return f"{direction}: -{second} does not fit {kind}"
    return f"{direction}: {one:,} {SHOWN[opcode]} {second} does not fit {kind}"


def _kinds(result: int, checks: Sequence[Check], opcode: int) -> Iterator[IntegerType]:
    # Smaller types by what the result is compared with: a limit, or the result cut to the type.
    is_signed = any(check.opcode in SIGNED for check in checks)
    for check in checks:
        if result not in check.operands:
            continue
        other = check.operands[check.operands[0] == result]
        for kind in _ALL_TYPES[:-1]:
            if check.opcode in {Op.EQ, Op.SUB}:
                if other == _cut(result, kind) != result:
                    yield kind
            elif kind.is_signed == is_signed and kind.read(other) in {kind.lowest, kind.highest}:
                yield kind
    opcodes = {check.opcode for check in checks}
    if not opcodes.isdisjoint(DIVISIONS if opcode == Op.MUL else COMPARISONS):
        yield IntegerType(256, is_signed=is_signed)


def _cut(word: int, kind: IntegerType) -> int:
    low = word % (1 << kind.bits)
    return (low - (1 << kind.bits) if kind.is_signed and low > kind.highest else low) % WORDS


def _incremented(checks: Sequence[Check], code: str) -> str:
    # `x++` is refused where `x` is the highest value of its type, `x--` where it is the lowest.
    if not checks or checks[-1].opcode not in {Op.EQ, Op.SUB}:
        return ""
    word, limit = checks[-1].operands
    if word != limit:
        return ""
    if "++" in code and "--" not in code:
        highest = (kind for kind in _ALL_TYPES if kind.read(word) == kind.highest)
        return next((_text(kind.highest, Op.ADD, 1, kind) for kind in highest), "")
    if "--" in code and "++" not in code:
        lowest = (kind for kind in _ALL_TYPES if kind.read(word) == kind.lowest)
        return next((_text(kind.lowest, Op.SUB, 1, kind) for kind in lowest), "")
    return ""


def has_operator(position: Position) -> bool:
    """Whether a statement has arithmetic."""
    return bool(OPERATOR.search(CONSTANT_POWER.sub("", position.whole_statement.code)))


def failed_index(path: Path) -> tuple[int, int] | None:
    """An index, and the length that it is not below, of the bounds check that failed."""
    check = last_comparison(path)
    if check is None:
        return None
    one, two = check.operands if check.opcode == Op.LT else check.operands[::-1]
    return (one, two) if one >= two else (two, one + 1)  # as `GT index 2` for a length of 3


def last_comparison(path: Path) -> Check | None:
    """The comparison of two numbers on which the check that failed depends."""
    checks = [check for check in last_checks(path) if check.opcode in {Op.LT, Op.GT}]
    return checks[-1] if checks else None


def out_of_bounds(path: Path) -> str:
    """That an index is not below a length; empty if they are not known."""
    index = failed_index(path)
    return index_text(*index) if index else ""


def index_text(index: int, length: int) -> str:
    """That an index is not below a length."""
    return f"index {index:,}, but the length is {length:,}"
