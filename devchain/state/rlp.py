"""RLP (yellow paper, appendix B), written by hand: blocks are encoded thousands of times a second.

Everything here gives bytes that are encoded already; `wrap` makes a list of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

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
    if 0 <= value < _STRING:
        return _SMALL_INTS[value]
    return encode_bytes(value.to_bytes((value.bit_length() + 7) // 8, "big"))


@lru_cache(1024)
def encode_signed(value: int) -> bytes:
    """A number of 0 or more with room for a sign, as Java writes them: zero is a byte."""
    return encode_bytes(value.to_bytes(value.bit_length() // 8 + 1, "big"))


def split_list(encoded: bytes) -> list[bytes]:
    """The members of a list, still encoded; raises `ValueError` for what is no list in RLP."""
    start, end = _span(encoded, 0)
    if encoded[0] < _LIST or end != len(encoded):
        msg = "not one list"
        raise ValueError(msg)
    members = []
    while start < end:
        _, stop = _span(encoded, start)
        members.append(encoded[start:stop])
        start = stop
    if start != end:
        msg = "a member ends after its list"
        raise ValueError(msg)
    return members


def content(encoded: bytes) -> bytes:
    """The string that is encoded there; raises `ValueError` for a list."""
    start, end = _span(encoded, 0)
    if encoded[0] >= _LIST or end != len(encoded):
        msg = "not one string"
        raise ValueError(msg)
    return encoded[start:end]


def _span(encoded: bytes, start: int) -> tuple[int, int]:
    """Where the content of what begins there begins and ends, if it is as short as it can be."""
    if start >= len(encoded):
        msg = "nothing is there"
        raise ValueError(msg)
    head = encoded[start]
    if head < _STRING:
        return start, start + 1
    base, longest = (_STRING, _LONG_STRING) if head < _LIST else (_LIST, _LONG_LIST)
    if head <= longest:
        begin, size = start + 1, head - base
        is_minimal = not (head == _STRING + 1 and encoded[begin : begin + 1] < b"\x80")
    else:
        begin = start + 1 + head - longest
        size = int.from_bytes(encoded[start + 1 : begin], "big")
        is_minimal = size >= _SHORT and encoded[start + 1] != 0
    if not is_minimal or begin + size > len(encoded):
        msg = "longer than it need be, or cut off"
        raise ValueError(msg)
    return begin, begin + size


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
