"""RLP (yellow paper, appendix B), faster than the rlp library: blocks are encoded all the time.

The encoders return encoded bytes, which `wrap` makes a list of:

    wrap(encode_bytes(b"cat") + encode_int(1024))   c7 83636174 820400
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

_SHORT = 56
_STRING, _LIST = 0x80, 0xC0
_LONG_STRING, _LONG_LIST = 0xB7, 0xF7
_LISTED = 640  # smaller sizes have their heads in a table: those of trie nodes and of most headers
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
