"""RLP (yellow paper, appendix B), faster than the rlp library: blocks are encoded all the time.

The encoders return encoded bytes, which `wrap` makes a list of:

    wrap(encode_bytes(b"cat") + encode_int(1024))   c7 83636174 820400
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

_SHORT = 56
_STRING, _LIST = 0x80, 0xC0
_LONG_STRING, _LONG_LIST = 0xB7, 0xF7
_LISTED = 640
"""Smaller sizes have their heads in a table: those of trie nodes and of most headers."""
_SMALL_INTS = (b"\x80", *(bytes([value]) for value in range(1, _STRING)))


def encode_bytes(item: bytes) -> bytes:
    size = len(item)
    if size == 1 and item[0] < _STRING:
        return item
    if size < _LISTED:
        return _STRING_HEADS[size] + item
    return _head(_STRING, size) + item


def encode_int(value: int) -> bytes:
    """Encode a number of 0 or more without leading zeros; zero is the empty string."""
    if 0 <= value < _STRING:
        return _SMALL_INTS[value]
    size = value.bit_length() + 7 >> 3
    if size < _LISTED:
        return _STRING_HEADS[size] + value.to_bytes(size)
    return encode_bytes(value.to_bytes(size))


@lru_cache(1024)
def encode_signed(value: int) -> bytes:
    """Encode a number of 0 or more in two's complement, as Java does: zero is one byte."""
    return encode_bytes(value.to_bytes(value.bit_length() // 8 + 1, "big"))


def encode_list(items: Iterable[bytes]) -> bytes:
    return wrap(b"".join(map(encode_bytes, items)))


def wrap(payload: bytes) -> bytes:
    size = len(payload)
    if size < _LISTED:
        return _LIST_HEADS[size] + payload
    return _head(_LIST, size) + payload


@lru_cache(2048)
def _head(base: int, size: int) -> bytes:
    if size < _SHORT:
        return bytes([base + size])
    count = (size.bit_length() + 7) // 8
    return bytes([base + _SHORT - 1 + count]) + size.to_bytes(count, "big")


_STRING_HEADS = tuple(_head(_STRING, size) for size in range(_LISTED))
_LIST_HEADS = tuple(_head(_LIST, size) for size in range(_LISTED))
_head.cache_clear()


def decode_list(encoded: bytes) -> list[Any]:
    """The items of an encoded list, bytes and lists; raises `ValueError`.

    It accepts heads that are longer than they need be, for bytes whose hashes are checked.
    """
    items = _items(encoded, 0, len(encoded))
    if len(items) != 1 or not isinstance(items[0], list):
        raise ValueError("not one list")
    return items[0]


def _items(encoded: bytes, start: int, end: int) -> list[Any]:
    items: list[Any] = []
    while start < end:
        head = encoded[start]
        if head < _STRING:
            items.append(encoded[start : start + 1])
            start += 1
            continue
        is_list = head >= _LIST
        size = head - (_LIST if is_list else _STRING)
        start += 1
        if size >= _SHORT:
            count = size - _SHORT + 1
            size = int.from_bytes(encoded[start : start + count])
            start += count
        stop = start + size
        if stop > end:
            raise ValueError("an item is longer than what contains it")
        items.append(_items(encoded, start, stop) if is_list else encoded[start:stop])
        start = stop
    return items
