"""Values of Vyper in Python: copied when they are assigned, checked as in compiled code."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Self

Value = Any


class Failed(Exception):
    """The call failed: a check, an assertion, or `raise`."""


@dataclass(frozen=True, eq=False, slots=True)
class Type:
    """A word from `low` to `high`, an array of at most `size` items, or a struct."""

    text: str
    low: int = 0
    high: int = 0
    item: Type | None = None
    size: int = 0
    is_dynamic: bool = False
    members: Mapping[str, Type] = field(default_factory=dict)

    @property
    def is_word(self) -> bool:
        """Whether it is neither an array nor a struct."""
        return not (self.item or self.members)

    def empty(self) -> Value:
        """The value that variables have at first."""
        if self.item:
            return self.value([self.item.empty()] * (0 if self.is_dynamic else self.size))
        return self.value({name: each.empty() for name, each in self.members.items()} or 0)

    def value(self, given: Value) -> Value:
        """A copy of a value as one of this type. Raises `Failed` if it is out of range."""
        if self.item:
            return Array(self, given)
        if self.members:
            return Struct({name: each.value(given[name]) for name, each in self.members.items()})
        if self is BOOL:
            return bool(given)
        if not self.low <= scaled(self, given) <= self.high:
            raise Failed
        return Decimal(given) if self is DECIMAL else Integer(self, given)


UINT = Type("uint256", 0, 2**256 - 1)
INT = Type("int128", -(2**127), 2**127 - 1)
DECIMAL = Type("decimal", -(2**167), 2**167 - 1)
ADDRESS = Type("address", 0, 2**160 - 1)
BOOL = Type("bool", 0, 1)
LIST = Type("uint256[3]", item=UINT, size=3)
SIGNS = Type("int128[2]", item=INT, size=2)
ARRAY = Type("DynArray[uint256, 4]", item=UINT, size=4, is_dynamic=True)
PAIR = Type("Pair", members={"first": UINT, "second": INT})
TYPES = (UINT, INT, DECIMAL, ADDRESS, BOOL, LIST, SIGNS, ARRAY, PAIR)
BY_TEXT = {each.text: each for each in TYPES}
ONE = 10**10
"""The decimal 1.0 in memory."""


def scaled(kind: Type, value: Value) -> int:
    """A number as it is in memory."""
    return int(Fraction(value) * ONE) if kind is DECIMAL else int(value)


def _quotient(one: int, other: int) -> int:
    """A quotient, rounded towards zero."""
    if not other:
        raise Failed
    size = abs(one) // abs(other)
    return size if (one < 0) == (other < 0) else -size


def _remainder(one: int, other: int) -> int:
    return one - _quotient(one, other) * other


def _product(one: Fraction, other: Fraction) -> Fraction:
    """A product of decimals, rounded towards zero."""
    return Fraction(scaled(DECIMAL, one * other), ONE)


def _checked(operate: Callable[[Any, Any], Value], plain: Callable[[Value], Value] = int) -> Any:
    """An operator whose result has the type of the first operand."""
    return lambda one, other: one.kind.value(operate(plain(one), plain(other)))


class Integer(int):
    """An integer of a type, `kind`."""

    kind: Type

    def __new__(cls, kind: Type, value: int) -> Self:
        """A value in the range of the type."""
        found = super().__new__(cls, value)
        found.kind = kind
        return found

    __add__ = _checked(operator.add)
    __sub__ = _checked(operator.sub)
    __mul__ = _checked(operator.mul)
    __floordiv__ = _checked(_quotient)
    __mod__ = _checked(_remainder)


class Decimal(Fraction):
    """A decimal."""

    kind = DECIMAL
    __add__ = _checked(operator.add, Fraction)
    __sub__ = _checked(operator.sub, Fraction)
    __mul__ = _checked(_product, Fraction)


class Array(list[Value]):
    """An array, dynamic or not."""

    def __init__(self, kind: Type, values: Iterable[Value]) -> None:
        """Copies of values."""
        assert kind.item
        self.kind, self.item = kind, kind.item
        super().__init__(map(kind.item.value, values))

    def __getitem__(self, index: Any) -> Value:
        return super().__getitem__(self._checked(index))

    def __setitem__(self, index: Any, value: Value) -> None:
        super().__setitem__(self._checked(index), self.item.value(value))

    def _checked(self, index: int) -> int:
        if not 0 <= index < len(self):
            raise Failed
        return int(index)

    def append(self, value: Value) -> None:
        """Add an item if there is place."""
        if len(self) == self.kind.size:
            raise Failed
        super().append(self.item.value(value))

    def pop(self) -> Value:  # type: ignore[override]  # always the last one
        """Remove the last item if there is one."""
        return super().pop(self._checked(len(self) - 1))


class Struct(dict[str, Value]):
    """A struct, whose members keep their types."""

    def __getattr__(self, name: str) -> Value:
        return self[name]

    def __setattr__(self, name: str, value: Value) -> None:
        self[name] = self[name].kind.value(value)


class Mapped(dict[int, Value]):
    """A mapping of integers to integers."""

    def __missing__(self, key: int) -> Value:
        return UINT.empty()

    def __setitem__(self, key: int, value: Value) -> None:
        super().__setitem__(int(key), UINT.value(value))
