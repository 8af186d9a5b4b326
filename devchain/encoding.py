"""RLP (yellow paper, appendix B), written by hand: blocks are encoded thousands of times a second.

Everything here gives bytes that are encoded already; `wrap` makes a list of them.
"""

from __future__ import annotations

from collections.abc import Iterable

_SHORT = 56
_STRING, _LIST = 0x80, 0xC0
_LONG_STRING, _LONG_LIST = 0xB7, 0xF7
_STRING_HEADS = tuple(bytes([_STRING + size]) for size in range(_SHORT))
_LIST_HEADS = tuple(bytes([_LIST + size]) for size in range(_SHORT))
_SMALL_INTS = (b"\x80", *(bytes([value]) for value in range(1, _STRING)))


def encode_bytes(item: bytes) -> bytes:
    """A string of bytes."""
    size = len(item)
    if size == 1 and item[0] < _STRING:
        return item
    if size < _SHORT:
        return _STRING_HEADS[size] + item
    return _long_head(_LONG_STRING, size) + item


def encode_int(value: int) -> bytes:
    """A number of 0 or more, as short as it can be: zero is the empty string."""
    if value < _STRING:
        return _SMALL_INTS[value]
    return encode_bytes(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def encode_signed(value: int) -> bytes:
    """A number of 0 or more with room for a sign, as Java writes them: zero is a byte."""
    return encode_bytes(value.to_bytes(value.bit_length() // 8 + 1, "big"))


def encode_list(items: Iterable[bytes]) -> bytes:
    """A list of strings of bytes."""
    return wrap(b"".join(map(encode_bytes, items)))


def wrap(payload: bytes) -> bytes:
    """A list, given its members one after the other, encoded."""
    size = len(payload)
    if size < _SHORT:
        return _LIST_HEADS[size] + payload
    return _long_head(_LONG_LIST, size) + payload


def _long_head(base: int, size: int) -> bytes:
    count = (size.bit_length() + 7) // 8
    return bytes([base + count]) + size.to_bytes(count, "big")
