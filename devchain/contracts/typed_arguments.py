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
from devchain.contracts.value_types import Kind
from devchain.errors import InvalidInput
from devchain.text import parse_integer

BARE_HEX = re.compile(r'(?<!["\w])(0x[0-9a-fA-F]*)(?!["\w])')
MAX_BITS_IN_DIGITS = 32
DECIMAL_BITS = 168
MAX_INDEX_DIGITS = 5
AccountAddress = Callable[[str], str]  # the address of a node's account by its number
BOOLEANS = {"true": True, "false": False, "1": True, "0": False}


def account_text(text: str, accounts: Sequence[bytes]) -> str:
    """An address as hex, if a text is the number of one of the accounts: `3` or `account 3`."""
    number = text.strip().removeprefix("account ")
    is_index = number.isdecimal() and len(number) < MAX_INDEX_DIGITS and int(number) < len(accounts)
    return f"0x{accounts[int(number)].hex()}" if is_index else text


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


def parse_typed(param: Param, given: object, account: AccountAddress) -> object:
    """The value of a type that was written as text or JSON; raises `InvalidInput`."""
    kind = param.value_type
    is_list = kind.kind in {Kind.ARRAY, Kind.LIST}
    if not is_list and not param.components:
        if isinstance(given, Decimal) and not kind.places:
            given = str(given)  # such as 1e18
        is_number = isinstance(given, Decimal) and bool(kind.places)
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
    if not isinstance(values, list):
        raise _wrong_type(param, given)
    if len(values) != (kind.size or len(values) if is_list else len(param.components)):
        raise _wrong_type(param, given)
    items = [param.element] * len(values) if is_list else param.components
    pairs = zip(items, values, strict=True)
    return [parse_typed(item, value, account) for item, value in pairs]


def _wrong_type(param: Param, given: object) -> InvalidInput:
    kind = param.value_type
    hint = "; write a JSON array"
    match kind.kind:
        case Kind.NUMBER if kind.places:
            hint = f": give {param.number_limits}"
        case Kind.NUMBER:
            low, high = kind.bounds
            hint = f": give a whole number, {_limit(low)} to {_limit(high)}"
            if kind.is_signed and kind.size == DECIMAL_BITS:
                hint += "; the type of Vyper's decimals is decimal"
        case Kind.ADDRESS:
            hint = ": give 0x and 40 hex digits, or the number of one of the node's accounts"
        case Kind.BOOL:
            hint = ": give true or false"
        case Kind.BYTES | Kind.FIXED_BYTES:
            hint = f": give 0x and {2 * kind.size} hex digits" if kind.size else ": give 0x and hex"
        case Kind.STRING | Kind.FUNCTION:
            hint = ""
    shown = str(given) if isinstance(given, Decimal) else repr(given)
    return InvalidInput(f"{shown} is not a value of type {param.described}{hint}")


def _limit(number: int) -> str:
    if abs(number) <= 2**MAX_BITS_IN_DIGITS:
        return str(number)
    bits = (abs(number) + 1).bit_length() - 1
    return f"2**{bits} - 1" if number > 0 else f"-2**{bits}"


def _parse_basic(param: Param, given: str, account: AccountAddress) -> object:
    match param.value_type.kind:
        case Kind.NUMBER:
            if len(given) > 1 and given[0] == given[-1] == '"':  # as in JSON
                given = given[1:-1]
            return param.parse_number(given) if param.value_type.places else parse_integer(given)
        case Kind.ADDRESS:
            return account(given)
        case Kind.BOOL:
            return BOOLEANS[given.lower()]
        case Kind.BYTES | Kind.FIXED_BYTES | Kind.FUNCTION:
            return bytes.fromhex(given.removeprefix("0x"))
    return given


def _parse_json(text: str) -> object:
    # Numbers with a point are `Decimal`, exact.
    for quoted in (text, BARE_HEX.sub(r'"\1"', text)):
        with suppress(ValueError, RecursionError):
            return json.loads(quoted, parse_float=Decimal)
    return None
