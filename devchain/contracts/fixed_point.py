"""Fixed-point numbers: Vyper's decimals, and the ABI types `fixed168x10` and the like.

A decimal of Vyper has ten decimal places. Its ABI type is `int168` since Vyper 0.4, with `decimal`
as `internalType`, and a value is an integer; before, it is `fixed168x10`, and a value a `Decimal`.

    as text    since 0.4        before
    1.5        15_000_000_000   Decimal("1.5")
"""

from __future__ import annotations

import re
from decimal import Decimal, localcontext

from devchain.text import MAX_AMOUNT_LENGTH, WITH_COMMAS

DECIMAL = "decimal"
"""The type of Vyper's decimals in its sources."""
DECIMAL_KIND = "int168"
"""Their ABI type since Vyper 0.4."""
PLACES = 10
"""Their decimal places."""

MAX_DIGITS = 200
"""Digits before and behind the point that a `Decimal` may have: there are no larger types."""

WRITTEN_NUMBER = re.compile(
    rf"([+-]?)([0-9][0-9_]*|{WITH_COMMAS}|(?=\.[0-9]))(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{{1,3}}))?"
)


def bounds(kind: str) -> tuple[int, int, int | None]:
    """The least and largest integer of a numeric type; and decimal places of fixed-point ones."""
    is_fixed = "fixed" in kind
    sign, _, size = kind.partition("fixed" if is_fixed else "int")
    digits, _, places = size.partition("x")
    bits = int(digits or (128 if is_fixed else 256))
    low, high = (0, 2**bits - 1) if sign == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return low, high, int(places or 18) if is_fixed else None


def scaled(number: int, places: int) -> Decimal:
    """The number that an integer of so many decimal places is."""
    with localcontext(prec=MAX_DIGITS):
        return Decimal(number).scaleb(-places)


def unscaled(value: Decimal, places: int) -> int:
    """The integer of so many decimal places that is a number; raises `ValueError` if none is."""
    if not value.is_finite() or abs(value.adjusted()) > MAX_DIGITS:
        raise ValueError(value)
    numerator, denominator = value.as_integer_ratio()
    integer, rest = divmod(numerator * int(10**places), denominator)
    if rest:
        raise ValueError(value)
    return integer


def parse_number(written: str, low: int, high: int, places: int) -> int:
    """The integer of so many decimal places that a text is: `-2.5`, `2`, `1,000.5`, `1e-3`.

    Raises `ValueError` for other text, more places, and integers out of the bounds.
    """
    text = written.strip()
    match = WRITTEN_NUMBER.fullmatch(text) if len(text) <= MAX_AMOUNT_LENGTH else None
    if match is None:
        raise ValueError(written)
    part = (match[3] or "").rstrip("0")
    digits = int(f"0{match[2].replace(',', '').replace('_', '')}{part}")
    shift = places - len(part) + int(match[4] or 0)
    integer, rest = divmod(digits * int(10 ** max(shift, 0)), int(10 ** max(-shift, 0)))
    integer = -integer if match[1] == "-" else integer
    if rest or not low <= integer <= high:
        raise ValueError(written)
    return integer


def decimal_text(integer: int, places: int = PLACES) -> str:
    """An integer of so many decimal places as Vyper's sources have the number: `-2.5`, `3.0`."""
    whole, rest = divmod(abs(integer), 10**places)
    fraction = f"{rest:0{places}d}".rstrip("0") or "0"
    return f"{'-' if integer < 0 else ''}{whole}.{fraction}"
