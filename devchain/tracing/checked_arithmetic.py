"""Operands of checked arithmetic and of indices that failed, as far as they can be proven.

What compilers write to check an operation differs by type, version and optimizer; an operation near
the failure may as well be one of an address, of a mask or of a loop. So an operation is only named
as the one that failed if

- the numbers say so: the operands are values of a type, and their result is none,
- the check says so: tried with values around the type's limits, it refuses none whose result fits,
  and those like the operands whose result does not fit (`FailedCheck.fails`),
- the source says so: the statement has that operator.

A power is computed by multiplications of its own, which are not shown.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import isqrt

from eth.vm import opcode_values as op

from devchain.contracts.code_map import Position
from devchain.tracing.path_expressions import (
    WORDS,
    Expressions,
    FailedCheck,
    Node,
    failed_check,
    signed,
)
from devchain.tracing.path_recorder import Path

MAX_OPERATIONS = 200
"""Operations around a check that are tried."""

MAX_EXPONENT = 300
WORD_BITS = 256
PRODUCTS = frozenset({op.MUL, op.EXP})
SHOWN = {op.ADD: "+", op.SUB: "-", op.MUL: "×", op.SDIV: "/", op.EXP: "**"}
WRITTEN = {op.ADD: "+", op.SUB: "-", op.MUL: "*", op.SDIV: "/", op.EXP: "**"}
OPERATOR = re.compile(r"\*\*|[-+*/]")
CONSTANT_POWER = re.compile(r"(?<![\w$.])[\d_.]+(?:e\d+)?\s*\*\*\s*[\d_]+(?![\w$.])")
"""A power that the compiler computes, such as `10**18`."""

MAX_LENGTH = 1 << 64


@dataclass(frozen=True, slots=True)
class IntegerType:
    """An integer type of Solidity or Vyper."""

    bits: int
    is_signed: bool

    @property
    def lowest(self) -> int:
        """The lowest value."""
        return -(1 << (self.bits - 1)) if self.is_signed else 0

    @property
    def highest(self) -> int:
        """The highest value."""
        return (1 << (self.bits - self.is_signed)) - 1

    def has(self, number: int) -> bool:
        """Whether a number is a value of it."""
        return self.lowest <= number <= self.highest

    def read(self, word: int) -> int:
        """A word as a number, which need not be a value of the type."""
        return signed(word) if self.is_signed else word

    def __str__(self) -> str:
        return f"{'' if self.is_signed else 'u'}int{self.bits}"


TYPES = tuple(
    IntegerType(bits, is_signed) for is_signed in (False, True) for bits in range(8, 257, 8)
)


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation, with the nodes of its operands; `only_signed` if one of them is negative."""

    opcode: int
    one: Node
    two: Node
    only_signed: bool = False

    def result(self, one: int, two: int) -> int | None:
        """The exact result, None for a division by zero; of powers that fit no type any such."""
        if self.opcode == op.EXP:
            return int(one ** (two if two <= MAX_EXPONENT else MAX_EXPONENT + two % 2))
        if self.opcode == op.SDIV:
            quotient = abs(one) // abs(two) if two else None
            return quotient if quotient is None or (one < 0) == (two < 0) else -quotient
        return {op.ADD: one + two, op.SUB: one - two, op.MUL: one * two}[self.opcode]

    def text(self, one: int, two: int, kind: IntegerType) -> str:
        """That the result is out of the range of a type."""
        if self.opcode == op.SUB and not kind.is_signed:
            return f"underflow: {one:,} - {two:,} is below zero"
        result = self.result(one, two)
        direction = "underflow" if result is not None and result < kind.lowest else "overflow"
        second = f"({two:,})" if two < 0 else f"{two:,}"
        if self.opcode == op.SUB and one == 0:
            return f"{direction}: -{second} does not fit {kind}"
        return f"{direction}: {one:,} {SHOWN[self.opcode]} {second} does not fit {kind}"


def overflow(path: Path, position: Position) -> str:
    """The operation of the statement at a position whose result does not fit its type.

    Empty if it cannot be proven.
    """
    check = failed_check(path)
    if check is None:
        return ""
    written = _operators(position.whole_statement.code)
    if "**" in (_operators(position.code) or written):
        written.discard("*")  # a power is computed by multiplications
    # Operations on the same numbers may fail alike: `y - x` behind `y = x + 5` that has wrapped.
    found: dict[str, str] = {}
    operations = list(_operations(check))
    # For `x * x` of the lowest int256 the first step of the check is that of `-x`.
    squared = {each.one for each in operations if each.opcode == op.MUL and each.one == each.two}
    for each in operations:
        if each.opcode == op.SUB and each.two in squared:
            continue
        if WRITTEN[each.opcode] in written and (text := _proven(each, check)):
            found.setdefault(" ".join(sorted(text.split())), text)
    return next(iter(found.values())) if len(found) == 1 else ""


def _operators(code: str) -> set[str]:
    return set(OPERATOR.findall(CONSTANT_POWER.sub("", code)))


def has_operator(position: Position) -> bool:
    """Whether a statement has arithmetic."""
    return bool(_operators(position.whole_statement.code))


def out_of_bounds(path: Path) -> str:
    """The index that is not below a length; empty if it cannot be proven."""
    found = failed_index(path)
    return index_text(*found) if found else ""


def index_text(index: int, length: int) -> str:
    """That an index is not below a length."""
    return f"index {index:,}, but the length is {length:,}"


def failed_index(path: Path) -> tuple[int, int] | None:
    """An index and the length that it is not below, if that is all that a check refuses."""
    check = failed_check(path)
    if check is None:
        return None
    expressions = check.expressions
    for each in expressions.parts(check.condition):
        opcode, *operands = expressions[each]
        if opcode not in {op.LT, op.GT}:
            continue
        low, high = operands if opcode == op.LT else reversed(operands)
        last = expressions.constant_of(low)  # as `GT index 2` for a length of 3
        index, length = (low, high) if last is None else (high, expressions.constant(last + 1))
        one, two = check.number(index), check.number(length)
        if one is not None and two is not None and _is_bounds_check(check, index, length):
            return one, two
    return None


def comparisons(path: Path) -> Iterator[tuple[int, int, int]]:
    """The comparisons of a check that failed: opcode and operands, the first on top."""
    check = failed_check(path)
    if check is None:
        return
    for each in check.expressions.parts(check.condition):
        opcode, *operands = check.expressions[each]
        if opcode in {op.LT, op.GT}:
            one, two = map(check.number, operands)
            if one is not None and two is not None:
                yield opcode, one, two


def _is_bounds_check(check: FailedCheck, index: Node, length: Node) -> bool:
    size = check.expressions.constant_of(length)
    lengths = [0, 1, 2, 3, 5, 31, 32, 33, 1000, MAX_LENGTH - 1] if size is None else [size]
    indexes = {*lengths, *(each + 1 for each in lengths), 4, 255, 256, 2**31, 2**63, WORDS - 1}
    return all(
        check.fails({index: one, length: two}) == (one >= two)
        for one, two in product(indexes, lengths)
    )


# Operations


def _operations(check: FailedCheck) -> Iterator[Operation]:
    expressions = check.expressions
    own = list(expressions.parts(check.condition))
    for each in dict.fromkeys([*own, *check.operations[:MAX_OPERATIONS]]):
        opcode, *operands = expressions[each]
        if opcode not in SHOWN and opcode != op.SHL:
            continue
        for found in _as_written(expressions, opcode, *operands):
            if each in own or not _may_pack(found, expressions):
                yield found


def _may_pack(operation: Operation, expressions: Expressions) -> bool:
    numbers = map(expressions.constant_of, (operation.one, operation.two))
    shifts = {1 << bits for bits in range(8, WORD_BITS, 8)}
    return operation.opcode == op.MUL and any(each in shifts for each in numbers)


def _as_written(expressions: Expressions, opcode: int, one: Node, two: Node) -> Iterator[Operation]:
    # They turn `x - 1` into x + (2^256 - 1), `x * 2` into x << 1, and `2 ** x` into 1 << x.
    if opcode == op.SHL:
        shift, number = expressions.constant_of(one), expressions.constant_of(two)
        if shift is not None:
            yield Operation(op.MUL, two, expressions.constant(1 << min(shift, 255)))
        elif number == 1:
            yield Operation(op.EXP, expressions.constant(2), one)
        return
    is_negative = False
    for first, second in ((one, two), (two, one)) if opcode == op.ADD else ():
        number = expressions.constant_of(second)
        if number is not None and number >= WORDS // 2:
            is_negative = True
            yield Operation(op.SUB, first, expressions.constant(-number))
    yield Operation(opcode, one, two, only_signed=is_negative)


def _proven(operation: Operation, check: FailedCheck) -> str:
    words = check.number(operation.one), check.number(operation.two)
    if words[0] is None or words[1] is None:
        return ""
    texts = set()
    for kind in TYPES:
        one, two = kind.read(words[0]), _read_second(operation, kind, words[1])
        is_possible = kind.is_signed or not operation.only_signed
        is_possible = is_possible and _fits(operation, kind, one, two)
        result = operation.result(one, two) if is_possible else None
        if result is None or kind.has(result):
            continue
        text = operation.text(one, two, kind)
        if text not in texts and _is_checked(operation, kind, check, (one, two)):
            texts.add(text)
    return texts.pop() if len(texts) == 1 else ""


def _read_second(operation: Operation, kind: IntegerType, word: int) -> int:
    return word if operation.opcode == op.EXP else kind.read(word)


def _fits(operation: Operation, kind: IntegerType, one: int, two: int) -> bool:
    if operation.opcode == op.EXP:
        return kind.has(one) and two < WORDS // 2
    return kind.has(one) and kind.has(two)


def _is_checked(
    operation: Operation, kind: IntegerType, check: FailedCheck, values: tuple[int, int]
) -> bool:
    # Compilers check signed operations in steps: the one that failed need only refuse all that do
    # not fit among operands of these signs, or with one of these operands.
    alike: list[tuple[int, int]] = []
    missed: list[tuple[int, int]] = []
    for one, two in _samples(operation, kind, check, values):
        result = operation.result(one, two)
        numbers = {operation.one: one % WORDS, operation.two: two % WORDS}
        if result is None or (operation.one == operation.two and one != two):
            continue
        fails = check.fails(numbers)
        if fails is None or (fails and kind.has(result)):
            return False
        is_wrapped = kind.read(result % WORDS) != result
        if is_wrapped and not fails and kind.bits < WORD_BITS and operation.opcode in PRODUCTS:
            continue  # what the opcode computes modulo 2^256 has been checked before
        if (one < 0, two < 0) == (values[0] < 0, values[1] < 0) and not kind.has(result):
            (alike if fails else missed).append((one, two))
    if values not in alike:
        return False
    return not missed or (
        kind.is_signed and any(_is_step(alike, missed, values, place) for place in (0, 1))
    )


def _is_step(
    alike: Sequence[tuple[int, int]],
    missed: Sequence[tuple[int, int]],
    values: tuple[int, int],
    place: int,
) -> bool:
    tried = {each for each in alike if each[place] == values[place]}
    return len(tried) > 1 and not any(each[place] == values[place] for each in missed)


def _samples(
    operation: Operation, kind: IntegerType, check: FailedCheck, values: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    yield values
    numbers = _numbers(kind, values)
    fixed = [check.expressions.constant_of(each) for each in (operation.one, operation.two)]
    constants = [
        None if each is None else [value] for each, value in zip(fixed, values, strict=True)
    ]
    for one in constants[0] or numbers:
        if operation.opcode == op.EXP:
            yield from ((one, two) for two in constants[1] or _exponents(values[1]))
            continue
        for two in constants[1] or [*numbers, *_partners(kind, one)]:
            if kind.has(two):
                yield one, two
    if constants[0] is None:
        for two in constants[1] or ([] if operation.opcode == op.EXP else numbers):
            for one in _partners(kind, two):
                if kind.has(one):
                    yield one, two


def _exponents(value: int) -> Sequence[int]:
    near = {*range(-1, 2), *range(value - 1, value + 2), *range(160), *range(247, 258)}
    return sorted(each for each in near if each >= 0)


def _numbers(kind: IntegerType, values: tuple[int, int]) -> list[int]:
    drawn = random.Random(0)  # noqa: S311 - samples, the same ones each time
    found = {*range(-3, 4), kind.highest // 2, kind.highest // 2 + 1}
    for each in (kind.lowest, kind.highest, isqrt(kind.highest), *values):
        found.update((each - 1, each, each + 1))
    found.update(drawn.getrandbits(drawn.randint(1, kind.bits)) for _ in range(8))
    return sorted(each for each in found if kind.has(each))


def _partners(kind: IntegerType, value: int) -> Iterator[int]:
    for limit in (kind.lowest, kind.highest):
        for change in (-1, 0, 1):
            yield limit - value + change
            yield value - limit + change
            yield limit + value + change
            if value:
                yield limit // value + change
