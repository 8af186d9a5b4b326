"""Hints and decoders of plain values: QUANTITY, DATA, addresses, hashes, numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NewType, cast

from devchain.node import Node
from devchain.rpc.errors import InvalidParams, ParseFailed
from devchain.rpc.json_text import parse
from devchain.types import Address, Hash32, is_checksummed

Decoder = Callable[[object, Node], Any]

Loose = NewType("Loose", int)
"""A number given as QUANTITY, JSON integer or decimal text; at most 64 bits, never negative."""

Amount = NewType("Amount", int)
"""A number as `Loose` takes it, of up to 256 bits; `0x` is 0, as it is to Hardhat."""

Milliseconds = NewType("Milliseconds", int)
"""A number as `Loose` takes it; of a range `[least, most]` the middle."""

JsonMap = NewType("JsonMap", dict[str, object])
"""Any JSON object."""

Percentile = NewType("Percentile", float)
"""A JSON number from 0 to 100."""

TypedData = NewType("TypedData", dict[str, object])
"""EIP-712 data: an object, or one as JSON text."""


MAX_UINT256 = 2**256 - 1
MAX_UINT64 = 2**64 - 1
PAIR = 2
WHOLE = 100
HEX = re.compile(r"0x[0-9a-fA-F]*\Z")
DECIMAL = re.compile(r"[0-9]{1,78}\Z")
ADDRESS_TEXT = re.compile(r"0x[0-9a-fA-F]{40}\Z")
HEX_DIGITS_OF_UINT256 = 64


def quantity(value: object, node: Node | None = None, limit: int = MAX_UINT256) -> int:
    """A QUANTITY: 0x hex of any length, or a JSON integer."""
    del node
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise wrong_kind("a QUANTITY such as 0x1f", value)
    number = _hex_number(value) if isinstance(value, str) else _json_number(value)
    if number > limit:
        msg = f"{shown(value)} is larger than {limit.bit_length()} bits hold"
        raise InvalidParams(msg)
    return number


def uint64(value: object, node: Node) -> int:
    """A QUANTITY of at most 64 bits."""
    return quantity(value, node, limit=MAX_UINT64)


def _hex_number(text: str) -> int:
    if not HEX.match(text) or text == "0x":
        msg = f"want a QUANTITY such as 0x1f, got {shown(text)}"
        raise InvalidParams(msg)
    digits = text[2:].lstrip("0")
    if len(digits) > HEX_DIGITS_OF_UINT256:
        msg = f"{shown(text)} is larger than 256 bits hold"
        raise InvalidParams(msg)
    return int(digits or "0", 16)


def _json_number(number: int) -> int:
    if number < 0:
        msg = f"{shown(number)} is negative"
        raise InvalidParams(msg)
    if number > MAX_UINT64:
        msg = "a JSON integer of more than 64 bits loses digits: write it as 0x hex"
        raise InvalidParams(msg)
    return number


def loose(value: object, node: Node) -> Loose:
    """A number as QUANTITY, JSON integer or decimal text."""
    if isinstance(value, str) and DECIMAL.match(value):
        value = hex(int(value))
    return Loose(quantity(value, node, limit=MAX_UINT64))


def amount(value: object, node: Node) -> Amount:
    """A number of up to 256 bits as QUANTITY, JSON integer or decimal text; `0x` is 0."""
    if isinstance(value, str) and DECIMAL.match(value):
        value = hex(int(value))
    return Amount(0 if value == "0x" else quantity(value, node))


def milliseconds(value: object, node: Node) -> Milliseconds:
    """A number of milliseconds, or the middle of a range of them."""
    if isinstance(value, list) and len(value) == PAIR:
        return Milliseconds(sum(loose(each, node) for each in value) // PAIR)
    return Milliseconds(loose(value, node))


def json_map(value: object, node: Node) -> JsonMap:
    """A JSON object, whatever is in it."""
    del node
    return JsonMap(json_object(value))


def percentile(value: object, node: Node) -> Percentile:
    """A JSON number from 0 to 100."""
    del node
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= cast(float, value) <= WHOLE:
        msg = f"want a JSON number from 0 to 100, got {shown(value)}"
        raise InvalidParams(msg)
    return Percentile(float(cast(float, value)))


def typed_data(value: object, node: Node) -> TypedData:
    """EIP-712 data as an object, or as JSON text, which is how wallets get it."""
    del node
    if isinstance(value, str):
        try:
            value = parse(value.encode())
        except (ParseFailed, UnicodeEncodeError) as error:
            msg = f"want typed data as an object or as JSON: {error}"
            raise InvalidParams(msg) from error
    return TypedData(json_object(value))


def data(value: object, node: Node | None = None, length: int | None = None) -> bytes:
    """DATA: 0x hex of even length, of exactly `length` bytes where it is given."""
    del node
    if not isinstance(value, str):
        raise wrong_kind("DATA such as 0x12ab", value)
    if not HEX.match(value):
        msg = f"want DATA: 0x and hex digits, got {shown(value)}"
        raise InvalidParams(msg)
    if len(value) % 2:
        msg = f"want an even number of hex digits, got {len(value) - 2}"
        raise InvalidParams(msg)
    decoded = bytes.fromhex(value[2:])
    if length is not None and len(decoded) != length:
        msg = f"want {length} bytes, got {len(decoded)}"
        raise InvalidParams(msg)
    return decoded


def address(value: object, node: Node) -> Address:
    """A 20-byte address in any letter case, its EIP-1191 checksum verified if configured."""
    if type(value) is str and ADDRESS_TEXT.match(value):
        decoded = Address(bytes.fromhex(value[2:]))
    else:
        decoded = Address(data(value, node, length=20))
    if node.config.checksum_addresses:
        text = cast(str, value)
        chain_id = node.config.effective_chain_id
        mixed = text[2:] not in (text[2:].lower(), text[2:].upper())
        if mixed and not is_checksummed(text, chain_id):
            msg = f"{text} has a wrong checksum for chain id {chain_id} (EIP-1191)"
            raise InvalidParams(msg)
    return decoded


def hash32(value: object, node: Node) -> Hash32:
    """A 32-byte hash."""
    return Hash32(data(value, node, length=32))


def boolean(value: object, node: Node) -> bool:
    """A JSON boolean."""
    del node
    if not isinstance(value, bool):
        raise wrong_kind("true or false", value)
    return value


def text(value: object, node: Node) -> str:
    """A JSON string."""
    del node
    if not isinstance(value, str):
        raise wrong_kind("a string", value)
    return value


def json_object(value: object) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise wrong_kind("an object", value)
    return value


# What is wrong with a value


def wrong_kind(wanted: str, value: object) -> InvalidParams:
    """What is said when a value is of another kind than was wanted."""
    return InvalidParams(f"want {wanted}, got {_kind(value)}")


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    names = {dict: "an object", list: "an array", float: "a fraction", str: "text", int: "a number"}
    return names.get(type(value), "something else")


def shown(value: object, width: int = 80) -> str:
    """A caller's text, quoted and cut, for an error message."""
    quoted = ascii(value)
    return quoted if len(quoted) <= width else quoted[: width - 3] + "..."


def fields(value: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """The members that are given; one nobody knows is refused."""
    unknown = sorted(set(value) - known)
    if unknown:
        msg = f"unknown member {shown(unknown[0])}: known are {', '.join(sorted(known))}"
        raise InvalidParams(msg)
    return {key: each for key, each in value.items() if each is not None}


def member(
    decode: Decoder, given: dict[str, Any], name: str, node: Node, fallback: str | None = None
) -> Any:
    """A decoded member, None if it is absent or null."""
    if given.get(name) is None and fallback is not None:
        name = fallback
    value = given.get(name)
    return None if value is None else member_of(name, decode, value, node)


def member_of(name: str, decode: Decoder, value: object, node: Node) -> Any:
    """A decoded value; what is wrong with it is told under its member's name."""
    try:
        return decode(value, node)
    except InvalidParams as error:
        msg = f"{name}: {error}"
        raise InvalidParams(msg) from error
