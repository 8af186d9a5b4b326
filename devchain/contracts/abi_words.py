"""ABI encoding of values that take one word each, which most arguments and results are.

eth-abi checks each value twice and makes text of addresses in between. Here a type is a function
or two, and any value that is not plainly of its type is left to eth-abi, whose errors callers get:

    address, uint8    bytes(20), 7      64 bytes
    address, uint8    bytes(20), 256    None
    string            "text"            None
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from devchain.types import ADDRESS_SIZE, WORD_SIZE, Address, AddressBytes

Encoder = Callable[[Any], bytes | None]  # the word of a value; None if not plainly of the type
Decoder = Callable[[bytes], Any]  # the value of a word; None if the type has no such word


class Typed(Protocol):
    """What has an ABI type: a parameter."""

    @property
    def kind(self) -> str:
        """The type: `uint256`."""


_ADDRESS_PADDING = bytes(WORD_SIZE - ADDRESS_SIZE)
_HEX_ADDRESS_LENGTH = len("0x") + 2 * ADDRESS_SIZE
_BOOLEANS = {False: bytes(WORD_SIZE), True: bytes(WORD_SIZE - 1) + b"\1"}
_BOOLEAN_OF_WORD = {word: value for value, word in _BOOLEANS.items()}


def _encode_address(value: Any) -> bytes | None:
    # Text itself is left: who typed it may be warned of its letter case.
    found = getattr(value, "address", value)
    if isinstance(found, str) and found is not value and len(found) == _HEX_ADDRESS_LENGTH:
        try:
            found = bytes.fromhex(found.removeprefix("0x"))
        except ValueError:
            return None
    is_plain = isinstance(found, bytes) and len(found) == ADDRESS_SIZE
    return _ADDRESS_PADDING + found if is_plain else None


def _decode_address(word: bytes) -> Address | None:
    return Address(AddressBytes(word[12:])) if word.startswith(_ADDRESS_PADDING) else None


def _encode_boolean(value: Any) -> bytes | None:
    return _BOOLEANS[value] if value.__class__ is bool else None


def _number(bits: int, *, signed: bool) -> tuple[Encoder, Decoder]:
    low, end = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if signed else (0, 2**bits)

    def encode(value: Any) -> bytes | None:
        is_plain = value.__class__ is int and low <= value < end
        return value.to_bytes(WORD_SIZE, signed=signed) if is_plain else None

    def decode(word: bytes) -> int | None:
        value = int.from_bytes(word, signed=signed)
        return value if low <= value < end else None

    return encode, decode


def _fixed_bytes(size: int) -> tuple[Encoder, Decoder]:
    padding = bytes(WORD_SIZE - size)

    def encode(value: Any) -> bytes | None:
        is_plain = isinstance(value, bytes) and len(value) == size
        return value.ljust(WORD_SIZE, b"\0") if is_plain else None

    def decode(word: bytes) -> bytes | None:
        return word[:size] if word.endswith(padding) else None

    return encode, decode


TYPES: dict[str, tuple[Encoder, Decoder]] = {
    "address": (_encode_address, _decode_address),
    "bool": (_encode_boolean, _BOOLEAN_OF_WORD.get),
    **{f"uint{bits}": _number(bits, signed=False) for bits in range(8, 257, 8)},
    **{f"int{bits}": _number(bits, signed=True) for bits in range(8, 257, 8)},
    **{f"bytes{size}": _fixed_bytes(size) for size in range(1, 33)},
}
_ENCODERS = {kind: functions[0] for kind, functions in TYPES.items()}
_DECODERS = {kind: functions[1] for kind, functions in TYPES.items()}


def encode_words(params: Iterable[Typed], values: Sequence[object]) -> bytes | None:
    """Encode values of those types; None if one takes more than a word or is not of its type."""
    words = []
    for param, value in zip(params, values, strict=True):
        encoder = _ENCODERS.get(param.kind)
        word = encoder(value) if encoder else None
        if word is None:
            return None
        words.append(word)
    return b"".join(words)


def decode_words(params: Iterable[Typed], body: bytes) -> tuple[Any, ...] | None:
    """Decode values of those types, addresses as `AddressBytes`; None for what is none of them."""
    values, start = [], 0
    for param in params:
        decoder = _DECODERS.get(param.kind)
        word = body[start : (start := start + WORD_SIZE)]
        value = decoder(word) if decoder and len(word) == WORD_SIZE else None
        if value is None:
            return None
        values.append(value)
    return tuple(values)
