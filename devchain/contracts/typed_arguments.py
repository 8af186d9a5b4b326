"""Arguments of functions as people type them: text becomes values, then ABI encoding.

The command line and the explorer's forms take the same: whole numbers also in hex or as amounts
with a unit (`2.5rbtc`), decimals of Vyper, bytes as hex, arrays and tuples as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal

from eth_abi.abi import encode
from eth_abi.exceptions import EncodingError

from devchain.contracts.abi import Param, lacks_bytes
from devchain.contracts.fixed_point import DECIMAL_KIND
from devchain.errors import InvalidInput
from devchain.text import parse_integer

BARE_HEX = re.compile(r'(?<!["\w])(0x[0-9a-fA-F]*)(?!["\w])')
ELEMENTARY = re.compile(r"([a-z]+)(\d*)", re.ASCII)
MAX_BITS_IN_DIGITS = 32
DECIMAL_BITS = int(DECIMAL_KIND.removeprefix("int"))
AccountAddress = Callable[[str], str]
"""Gives the address for the number of one of the node's accounts; other text as it is."""

BOOLEANS = {"true": True, "false": False, "1": True, "0": False}
HINTS: dict[str, Callable[[int], str]] = {
    "bool": lambda _: ": give true or false",
    "uint": lambda bits: f": give a whole number, 0 to {_power(bits)}",
    "int": lambda bits: (
        f": give a whole number, -{_power(bits - 1, 0)} to {_power(bits - 1)}"
        + ("; the type of Vyper's decimals is decimal" if bits == DECIMAL_BITS else "")
    ),
    "bytes": lambda size: f": give 0x and {2 * size} hex digits" if size else ": give 0x and hex",
}
"""What to write for a type, by its size in bits or bytes."""


def encode_typed(
    params: Sequence[Param], arguments: Sequence[str], account: AccountAddress
) -> bytes:
    """The ABI encoding of arguments written as text.

    Raises `InvalidInput`, which names the argument by its place, and by its name if it has one.
    """
    values = []
    for index, (param, text) in enumerate(zip(params, arguments, strict=True)):
        name = f"argument {index + 1}{f' ({param.name})' if param.name else ''}"
        try:
            value = parse_typed(param, text, account)
            encode([param.kind], [value])
        except EncodingError:
            raise InvalidInput(f"{name}: {_wrong_type(param, text)}") from None
        except InvalidInput as error:
            raise InvalidInput(f"{name}: {error}") from None
        values.append(value)
    return encode([param.kind for param in params], values)


def _items(param: Param, count: int) -> list[Param]:
    if param.kind.endswith("]"):
        length = param.kind[param.kind.rindex("[") + 1 : -1]  # empty for an array of any length
        return [param.element] * (int(length) if length else count)
    return list(param.components)


def parse_typed(param: Param, given: object, account: AccountAddress) -> object:
    """The value of a type that was written as text or JSON; raises `InvalidInput`."""
    if not param.kind.endswith("]") and not param.components:
        is_number = isinstance(given, Decimal) and param.fixed_point is not None
        if not isinstance(given, (str, int)) and not is_number:
            raise _wrong_type(param, given)
        try:
            value = _parse_basic(param, str(given), account)
        except (ValueError, KeyError):
            raise _wrong_type(param, given) from None
        if lacks_bytes(param.kind, value):
            raise _wrong_type(param, given)
        return value
    values = _parse_json(given) if isinstance(given, str) else given
    if isinstance(values, dict) and values.keys() == {member.name for member in param.components}:
        values = [values[member.name] for member in param.components]
    items = _items(param, len(values)) if isinstance(values, list) else []
    if not isinstance(values, list) or len(values) != len(items):
        raise _wrong_type(param, given)
    pairs = zip(items, values, strict=True)
    return [parse_typed(item, value, account) for item, value in pairs]


def _wrong_type(param: Param, given: object) -> InvalidInput:
    elementary = ELEMENTARY.fullmatch(param.kind)
    if elementary is None:
        hint = "; write a JSON array"
    elif elementary[1] == "address":
        hint = ": give 0x and 40 hex digits, or the number of one of the node's accounts"
    elif elementary[1] in HINTS:
        hint = HINTS[elementary[1]](int(elementary[2] or 0))
    else:
        hint = ""
    if limits := param.number_limits:
        hint = f": give {limits}"
    shown = str(given) if isinstance(given, Decimal) else repr(given)
    return InvalidInput(f"{shown} is not a value of type {param.described}{hint}")


def _power(bits: int, less: int = 1) -> str:
    return str(2**bits - less) if bits <= MAX_BITS_IN_DIGITS else f"2**{bits}{' - 1' * less}"


def _parse_basic(param: Param, given: str, account: AccountAddress) -> object:
    if param.fixed_point is not None:
        return param.parse_number(given)
    if param.kind.startswith(("int", "uint")):
        return parse_integer(given)
    if param.kind == "address":
        return account(given)
    if param.kind == "bool":
        return BOOLEANS[given.lower()]
    if param.kind.startswith(("bytes", "function")):
        return bytes.fromhex(given.removeprefix("0x"))
    return given


def _parse_json(text: str) -> object:
    # Numbers with a point are `Decimal`, exact.
    for quoted in (text, BARE_HEX.sub(r'"\1"', text)):
        with suppress(ValueError, RecursionError):
            return json.loads(quoted, parse_float=Decimal)
    return None
