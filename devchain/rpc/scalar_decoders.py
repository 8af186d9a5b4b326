"""Decoders of scalar parameters: QUANTITY, DATA, addresses, hashes, booleans, text, JSON objects.

A decoder makes a Python value of a JSON value and a `DecodeContext`, or raises `InvalidParams`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NewType, cast

from devchain.config import Config
from devchain.errors import (
    InvalidAddress,
    InvalidAddressLength,
    InvalidData,
    InvalidHash,
    InvalidHashLength,
    InvalidParams,
    InvalidQuantity,
    InvalidWordLength,
    ParseFailed,
    QuantityOutOfRange,
)
from devchain.presets import DEVCHAIN, Preset
from devchain.rpc.json_codec import parse_json
from devchain.types import MAX_UINT64, MAX_UINT256, Address, Hash32, checksum


@dataclass(frozen=True, slots=True)
class DecodeContext:
    """The settings that decoding depends on.

    Mixed-case addresses must have the EIP-1191 checksum of `checksum_chain_id`, unless that is
    None; `max_traces` is the largest window of `trace_filter`.
    """

    checksum_chain_id: int | None
    max_traces: int
    preset: Preset = DEVCHAIN

    @classmethod
    def from_config(cls, config: Config) -> DecodeContext:
        chain_id = config.effective_chain_id if config.checksum_addresses else None
        return cls(chain_id, config.max_traces, config.preset)


Decoder = Callable[[object, DecodeContext], Any]

# Type hints for parameters whose Python type does not determine how they are written in JSON.

Loose = NewType("Loose", int)  # QUANTITY, integer or decimal text of at most 64 bits, >= 0
Amount = NewType("Amount", int)  # `Loose` of up to 256 bits; `0x` is 0, as in Hardhat
Milliseconds = NewType("Milliseconds", int)  # `Loose`; for a range `[min, max]` its middle


class StorageKey(int):
    """A storage slot as a QUANTITY; `written` is how the request wrote it, None for a number."""

    written: str | None


Addresses = NewType("Addresses", list[Address])  # written as an array, or as one alone
JsonMap = NewType("JsonMap", dict[str, object])  # any JSON object
Percentile = NewType("Percentile", float)  # a JSON number from 0 to 100
TypedData = NewType("TypedData", dict[str, object])  # EIP-712: an object, or its JSON text
MAX_HEX_DIGITS = 64  # of 256 bits
HEX = re.compile(r"0x[0-9a-fA-F]*\Z")
DIGITS = re.compile(r"[0-9a-fA-F]*\Z")
DECIMAL = re.compile(r"[0-9]{1,78}\Z")
ADDRESS_HEX = re.compile(r"0x[0-9a-fA-F]{40}\Z")


# Numbers


def quantity(
    value: object, context: DecodeContext | None = None, max_value: int = MAX_UINT256
) -> int:
    """A QUANTITY: 0x hex, leading zeros allowed, or a JSON integer of at most 64 bits."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise wrong_type("a QUANTITY such as 0x1f", value, InvalidQuantity)
    number = _from_text(value, context) if isinstance(value, str) else value
    if number < 0:
        raise InvalidQuantity(f"{quoted(number)} is negative", number)
    if not isinstance(value, str) and number > MAX_UINT64:
        raise InvalidQuantity(
            "a JSON integer of more than 64 bits loses digits: write it as 0x hex", number
        )
    if number > max_value:
        raise QuantityOutOfRange(
            f"{quoted(value)} is larger than {max_value.bit_length()} bits hold", value
        )
    return number


def _from_text(text: str, context: DecodeContext | None) -> int:
    if not HEX.match(text) or text == "0x":
        if context is not None and context.preset.quantities_may_be_decimal:
            if DECIMAL.match(text):
                return int(text)
            if text == "0x":
                return 0
        kind = QuantityOutOfRange if text == "0x" else InvalidQuantity
        raise kind(f"want a QUANTITY such as 0x1f, got {quoted(text)}", text)
    digits = text[2:].lstrip("0")
    if len(digits) > MAX_HEX_DIGITS:
        raise QuantityOutOfRange(f"{quoted(text)} is larger than 256 bits hold", text)
    return int(digits or "0", 16)


def uint64(value: object, context: DecodeContext | None = None) -> int:
    return quantity(value, context, MAX_UINT64)


def hex_text_only(decode: Decoder, value: object, context: DecodeContext) -> Any:
    if value == "" or value == "0x":  # noqa: PLR1714  # it may be a value that has no hash
        raise QuantityOutOfRange("want hex digits behind 0x, got none", value)
    if not isinstance(value, str) or not value.startswith("0x"):
        raise InvalidQuantity(f"want hex digits as text, such as 0x1f, got {quoted(value)}", value)
    return decode(value, context)


def loose(value: object, _context: DecodeContext | None = None) -> Loose:
    return Loose(uint64(_decimal_to_hex(value)))


def amount(value: object, _context: DecodeContext | None = None) -> Amount:
    return Amount(0 if value == "0x" else quantity(_decimal_to_hex(value)))


def _decimal_to_hex(value: object) -> object:
    return hex(int(value)) if isinstance(value, str) and DECIMAL.match(value) else value


def milliseconds(value: object, _context: DecodeContext | None = None) -> Milliseconds:
    if isinstance(value, list) and len(value) == 2:
        return Milliseconds(sum(map(loose, value)) // 2)
    return Milliseconds(loose(value))


def storage_key(value: object, _context: DecodeContext | None = None) -> StorageKey:
    key = StorageKey(quantity(value))
    key.written = value if isinstance(value, str) else None
    return key


def percentile(value: object, _context: DecodeContext | None = None) -> Percentile:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= cast(float, value) <= 100:
        raise InvalidParams(f"want a JSON number from 0 to 100, got {quoted(value)}")
    return Percentile(float(cast(float, value)))


# Bytes


def data(value: object, context: DecodeContext | None = None, length: int | None = None) -> bytes:
    """DATA: 0x hex with two digits a byte; of exactly `length` bytes if that is given."""
    if not isinstance(value, str):
        raise wrong_type("DATA such as 0x12ab", value, InvalidData)
    try:
        decoded = bytes.fromhex(value[2:])
    except ValueError:
        decoded = b""
    # `fromhex` skips white space, and a regular expression for the digits takes as long again.
    if len(value) != 2 + 2 * len(decoded) or not value.startswith("0x"):
        decoded = bytes.fromhex(_completed_digits(value, context))
    if length is not None and len(decoded) != length:
        raise InvalidData(f"want {length} bytes, got {len(decoded)}", value)
    return decoded


def whole_word(value: object, _context: DecodeContext | None = None) -> Amount:
    if isinstance(value, str) and HEX.match(value) and len(value) != len("0x") + MAX_HEX_DIGITS:
        raise InvalidWordLength("want 32 bytes, 0x and 64 hex digits", value)
    return Amount(int.from_bytes(data(value)))


def _completed_digits(text: str, context: DecodeContext | None) -> str:
    digits = text.removeprefix("0x")
    if context is not None and context.preset.data_may_be_incomplete and DIGITS.match(digits):
        return "0" * (len(digits) % 2) + digits
    if not HEX.match(text):
        raise InvalidData(f"want DATA: 0x and hex digits, got {quoted(text)}", text)
    raise InvalidData(f"want an even number of hex digits, got {len(digits)}", text)


def _of_length(
    value: object,
    context: DecodeContext | None,
    length: int,
    kinds: tuple[type[InvalidParams], type[InvalidParams]],
) -> bytes:
    # DATA of that length; otherwise an error of the first kind, the second for wrong lengths.
    # The length is that of the text, in which 0x may be missing.
    try:
        return data(value, context, length)
    except InvalidData as error:
        is_length = isinstance(value, str) and 0 <= len(value) - 2 * length <= len("0x")
        raise kinds[0 if is_length else 1](str(error), error.value) from error


def address(value: object, context: DecodeContext) -> Address:
    """A 20-byte address; its EIP-1191 checksum is verified if the node is configured to."""
    decoded = _known_address(value) if type(value) is str and len(value) == 42 else None
    if decoded is None:
        decoded = Address(_of_length(value, context, 20, (InvalidAddress, InvalidAddressLength)))
    chain_id = context.checksum_chain_id
    if chain_id is not None:
        text = "0x" + cast(str, value).removeprefix("0x")
        is_mixed_case = text[2:] not in (text[2:].lower(), text[2:].upper())
        if is_mixed_case and text != checksum(decoded, chain_id):
            raise InvalidAddress(
                f"{text} has a wrong checksum for chain id {chain_id} (EIP-1191): if the digits "
                f"are right it is {checksum(decoded, chain_id)}",
                text,
            )
    return decoded


def addresses(value: object, context: DecodeContext) -> Addresses:
    listed = value if isinstance(value, list) else [value]
    return Addresses(array_of(address, listed, context))


@lru_cache(maxsize=4_096)
def _known_address(text: str) -> Address | None:
    return Address(bytes.fromhex(text[2:])) if ADDRESS_HEX.match(text) else None


def hash32(value: object, context: DecodeContext | None = None) -> Hash32:
    return Hash32(_of_length(value, context, 32, (InvalidHash, InvalidHashLength)))


# Other JSON values


def boolean(value: object, _context: DecodeContext | None = None) -> bool:
    if not isinstance(value, bool):
        raise wrong_type("true or false", value)
    return value


FLAGS = {"true": True, "false": False}


def flag(value: object, _context: DecodeContext | None = None) -> bool:
    return FLAGS[value] if isinstance(value, str) and value in FLAGS else boolean(value)


def text(value: object, _context: DecodeContext | None = None) -> str:
    if not isinstance(value, str):
        raise wrong_type("a string", value)
    return value


def typed_data(value: object, _context: DecodeContext | None = None) -> TypedData:
    """EIP-712 typed data as an object, or as its JSON text, which is how wallets send it."""
    if isinstance(value, str):
        try:
            value = parse_json(value.encode())
        except (ParseFailed, UnicodeEncodeError) as error:
            raise InvalidParams(f"want typed data as an object or as JSON: {error}") from error
    return TypedData(json_object(value))


# Objects and arrays: building blocks of `object_decoders`


def json_object(value: object, _context: DecodeContext | None = None) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise wrong_type("an object", value)
    return value


def array_of(decode: Decoder, value: object, context: DecodeContext) -> list[Any]:
    if not isinstance(value, list):
        raise wrong_type("an array", value)
    return [decode(item, context) for item in value]


def tuple_of(decode: Decoder) -> Decoder:
    return lambda value, context: tuple(array_of(decode, value, context))


def unique_keys(
    decode_key: Decoder, decode: Decoder, value: object, context: DecodeContext
) -> dict[Any, Any]:
    """A JSON object, its keys and values decoded; refuses two spellings of one key."""
    decoded: dict[Any, Any] = {}
    for name, member_value in json_object(value).items():
        key = decode_key(name, context)
        if key in decoded:
            raise InvalidParams(f"{quoted(name)} is given twice, in two spellings")
        decoded[key] = named(quoted(name)[1:-1], decode, member_value, context)
    return decoded


def known_members(value: object, known: Collection[str]) -> dict[str, Any]:
    """The members of an object that are not null; refuses members other than the known ones."""
    members = json_object(value)
    unknown = sorted(set(members) - set(known))
    if unknown:
        raise InvalidParams(
            f"unknown member {quoted(unknown[0])}: known are {', '.join(sorted(known))}"
        )
    return present_members(members)


def present_members(value: object) -> dict[str, Any]:
    return {
        name: member_value
        for name, member_value in json_object(value).items()
        if member_value is not None
    }


def member(decode: Decoder, members: dict[str, Any], name: str, context: DecodeContext) -> Any:
    """A member of an object, decoded; None if it is absent or null."""
    value = members.get(name)
    return None if value is None else named(name, decode, value, context)


def named(name: str, decode: Decoder, value: object, context: DecodeContext) -> Any:
    """A decoded value; an error message starts with that name."""
    try:
        return decode(value, context)
    except InvalidParams as error:
        raise error.within(name) from error


# Error messages


def wrong_type(
    wanted: str, value: object, kind: type[InvalidParams] = InvalidParams
) -> InvalidParams:
    return kind(f"want {wanted}, got {_json_type(value)}", value)


def _json_type(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    names = {dict: "an object", list: "an array", float: "a fraction", str: "text", int: "a number"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "something else")


def quoted(value: object, max_length: int = 80) -> str:
    text = ascii(value)
    return text if len(text) <= max_length else text[: max_length - 3] + "..."
