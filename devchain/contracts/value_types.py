"""Types of values as ABIs, solc and vyper write them: the one parser of them.

uint8[3][] memory          a list of arrays of 3 numbers of 8 bits, in memory
mapping(address => bool)   a mapping
DynArray[String[8], 3]     of Vyper, a list of at most 3 texts of at most 8 bytes
struct Vault.Info storage  another type, by its name

A decimal of Vyper has ten decimal places. Its ABI type is `int168` since Vyper 0.4, with `decimal`
as `internalType`, and a value is an integer; before, it is `fixed168x10`, and a value a `Decimal`.

    as text    since 0.4        before
    1.5        15_000_000_000   Decimal("1.5")
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from enum import Enum
from functools import lru_cache

from devchain.text import MAX_AMOUNT_LENGTH, WITH_COMMAS
from devchain.types import WORD_SIZE, Address

MAX_TYPE = 400  # characters of a type that is parsed
MAX_NESTED = 16
MAX_DIGITS = 78
MAX_PLACES = 200  # digits before and behind the point that a `Decimal` may have

DECIMAL, DECIMAL_KIND, PLACES = "decimal", "int168", 10  # Vyper's: type, ABI type, decimal places
LOCATION = re.compile(r" (memory|calldata|storage)( pointer| ref| slice)?$")
NUMBER = re.compile(r"(u?)(int|fixed)([1-9]\d{0,2})?(?:x([1-9]\d?))?", re.ASCII)
FIXED_BYTES = re.compile(r"bytes([12]?\d|3[012])(?<!s0)", re.ASCII)
VYPER_DECIMAL = "fixed168x10"
WRITTEN_NUMBER = re.compile(
    rf"([+-]?)([0-9][0-9_]*|{WITH_COMMAS}|(?=\.[0-9]))(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{{1,3}}))?"
)

AddressText = Callable[[Address], str]  # a function that writes an address


class Kind(Enum):
    """What kind of value it is; `OTHER` are structs, and names of types that are not known."""

    BOOL = "bool"
    NUMBER = "number"
    ADDRESS = "address"
    FIXED_BYTES = "fixed bytes"
    ENUM = "enum"
    BYTES = "bytes"
    STRING = "string"
    ARRAY = "array"
    LIST = "list"
    MAPPING = "mapping"
    FUNCTION = "function"
    OTHER = "other"


NAMES = (
    *(("string", Kind.STRING, 0), ("bytes", Kind.BYTES, 0), ("bool", Kind.BOOL, 0)),
    *(("address", Kind.ADDRESS, 20), ("contract ", Kind.ADDRESS, 20)),
    *(("enum ", Kind.ENUM, 0), ("function", Kind.FUNCTION, 24)),
)
"""How names of types begin."""

EXACT = frozenset({Kind.STRING, Kind.BYTES, Kind.BOOL})

WORDS = frozenset({Kind.BOOL, Kind.NUMBER, Kind.ADDRESS, Kind.FIXED_BYTES, Kind.ENUM})
"""Kinds of values that take one word."""


@dataclass(frozen=True, slots=True)
class ValueType:
    """A type: `text` is how it is written, without a data location, which is `location`.

    `size` are the bits of a number, the bytes of `bytes4` or `function`, the items of an array, the
    most bytes or items of a text or list of Vyper, else 0. `places` are decimal places. `element`
    is the type of items, and of a mapping's values.
    """

    text: str
    kind: Kind
    size: int = 0
    is_signed: bool = False
    places: int = 0
    element: ValueType | None = None
    key: ValueType | None = None
    location: str = ""

    @property
    def is_word(self) -> bool:
        return self.kind in WORDS

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and largest integer of a number, that of a fixed-point one times its places."""
        if self.is_signed:
            return -(2 ** (self.size - 1)), 2 ** (self.size - 1) - 1
        return 0, 2**self.size - 1


@lru_cache(4_096)
def parse_type(text: str) -> ValueType:
    """The type that is written so; what is not understood is of the kind `OTHER`."""
    if len(text) > MAX_TYPE:
        return ValueType(text, Kind.OTHER)
    location = LOCATION.search(text)
    if location is None:
        return _parse(text, "", 0)
    return _parse(text[: location.start()], location[1], 0)


def _parse(text: str, location: str, depth: int) -> ValueType:
    if depth > MAX_NESTED:
        return ValueType(text, Kind.OTHER)
    if text.endswith("]") or text.startswith("mapping("):
        return _compound(text, location, depth)
    if sized := FIXED_BYTES.fullmatch(text):
        return ValueType(text, Kind.FIXED_BYTES, int(sized[1]))
    if number := NUMBER.fullmatch(VYPER_DECIMAL if text == DECIMAL else text):
        return _number(text, number)
    for prefix, kind, size in NAMES:
        if text == prefix or (text.startswith(prefix) and kind not in EXACT):
            return ValueType(text, kind, size, location=location)
    return ValueType(text, Kind.OTHER, location=location)


def _number(text: str, written: re.Match[str]) -> ValueType:
    is_fixed = written[2] == "fixed"
    bits = int(written[3] or (128 if is_fixed else 256))
    places = int(written[4] or 18) if is_fixed else 0
    if bits > 256 or (written[4] and not is_fixed):
        return ValueType(text, Kind.OTHER)
    return ValueType(text, Kind.NUMBER, bits, is_signed=not written[1], places=places)


def _compound(text: str, location: str, depth: int) -> ValueType:
    if text.startswith("mapping("):
        key, _, value = text.removeprefix("mapping(").removesuffix(")").partition(" => ")
        name, parts = "HashMap", [key.partition(" ")[0], value]
    else:
        name, parts = _split(text)
    size = int(parts[-1]) if parts and _is_number(parts[-1]) else 0
    kind, element, key = Kind.OTHER, "", ""
    match name, parts:
        case "String" | "Bytes", [_]:
            kind = Kind.STRING if name == "String" else Kind.BYTES
        case "DynArray", [element, _] if size:
            kind = Kind.LIST
        case "HashMap", [key, element]:
            kind = Kind.MAPPING
        case element, [""]:
            kind = Kind.LIST
        case element, [_] if size:
            kind = Kind.ARRAY
    if kind is Kind.OTHER:
        return ValueType(text, kind)
    return ValueType(
        text,
        kind,
        size,
        element=_parse(element, "", depth + 1) if element else None,
        key=_parse(key, "", depth + 1) if key else None,
        location=location,
    )


def _split(text: str) -> tuple[str, list[str]]:
    # What is before the last pair of brackets, and what is in it, by commas.
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += (text[position] == "]") - (text[position] == "[")
        if depth == 0:
            return text[:position], [part.strip() for part in split_list(text[position + 1 : -1])]
    return text, []


def split_list(text: str) -> Iterator[str]:
    """The parts of a text between commas that are in no brackets or parentheses."""
    part, depth = "", 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            yield part
            part = ""
        else:
            part += sign
    yield part


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS


# Values


def word_text(kind: ValueType, word: int, address_text: AddressText) -> str:
    """A value of one word as it is on the stack: `bytes4` at its left, others at its right."""
    data = word.to_bytes(WORD_SIZE)
    match kind.kind:
        case Kind.BOOL:
            return "true" if word else "false"
        case Kind.ADDRESS:
            return address_text(Address(data[-kind.size :]))
        case Kind.FIXED_BYTES:
            return f"0x{data[: kind.size].hex()}"
        case Kind.NUMBER:
            number = word & (2**kind.size - 1)
            if kind.is_signed and number >> (kind.size - 1):
                number -= 2**kind.size
            return decimal_text(number, kind.places) if kind.places else str(number)
    return str(word)


def scaled(number: int, places: int) -> Decimal:
    """The number that an integer of so many decimal places is."""
    with localcontext(prec=MAX_PLACES):
        return Decimal(number) / Decimal(10**places)


def unscaled(value: Decimal, places: int) -> int:
    """The integer of so many decimal places that is a number; raises `ValueError` if none is."""
    if not value.is_finite() or abs(value.adjusted()) > MAX_PLACES:
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
