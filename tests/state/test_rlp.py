"""`devchain.state.rlp`"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import rlp
from hypothesis import given
from hypothesis import strategies as st
from rlp.sedes import big_endian_int

from devchain.state.rlp import (
    decode_list,
    encode_bytes,
    encode_int,
    encode_list,
    encode_signed,
    wrap,
)

EDGES = [0, 1, 55, 56, 57, 255, 256, 65_535, 65_536]


class TestAgainstTheLibrary:
    @given(item=st.binary(max_size=80))
    def test_bytes(self, item: bytes) -> None:
        """Bytes are encoded as the rlp library does."""
        assert encode_bytes(item) == rlp.encode(item)

    @pytest.mark.parametrize("size", EDGES)
    @pytest.mark.parametrize("byte", [b"\0", b"\x7f", b"\x80"])
    def test_sizes(self, size: int, byte: bytes) -> None:
        """Strings and lists are encoded so around every size at which their header changes."""
        assert encode_bytes(byte * size) == rlp.encode(byte * size)
        assert encode_list([byte] * size) == rlp.encode([byte] * size)

    @given(value=st.integers(0, 2**300))
    def test_numbers(self, value: int) -> None:
        """Numbers have no leading zeros."""
        assert encode_int(value) == rlp.encode(value, big_endian_int)

    @given(items=st.lists(st.binary(max_size=40), max_size=8))
    def test_lists(self, items: list[bytes]) -> None:
        """Lists of strings, and lists of lists, are encoded as the rlp library does."""
        assert encode_list(items) == rlp.encode(items)
        assert wrap(encode_list(items) + encode_list([])) == rlp.encode([items, []])


ITEMS = st.recursive(st.binary(max_size=80), lambda items: st.lists(items, max_size=5))


class TestDecode:
    @given(items=st.lists(ITEMS, max_size=8))
    def test_lists(self, items: list[Any]) -> None:
        """Lists of strings and lists are decoded to what was encoded."""
        assert decode_list(bytes(rlp.encode(items))) == items

    @pytest.mark.parametrize("size", EDGES)
    def test_sizes(self, size: int) -> None:
        """So are those around every size at which their header changes."""
        items = [b"\x80" * size, [b"\x7f"] * size]

        assert decode_list(bytes(rlp.encode(items))) == items

    @given(data=st.binary(max_size=40), items=st.lists(ITEMS, max_size=3), cut=st.integers(0, 9))
    def test_other_bytes(self, data: bytes, items: list[Any], cut: int) -> None:
        """Other bytes are refused, or read as the library does, which refuses some heads."""
        encoded = bytes(rlp.encode(items))
        for other in (data, encoded[: -cut or None], encoded + data):
            try:
                found = decode_list(other)
            except ValueError:
                with pytest.raises((rlp.DecodingError, AssertionError)):
                    assert isinstance(rlp.decode(other), list)
            else:
                with suppress(rlp.DecodingError):
                    assert found == rlp.decode(other)


class TestSigned:
    @pytest.mark.parametrize(
        ("value", "item"),
        [(0, b"\0"), (1, b"\x01"), (127, b"\x7f"), (128, b"\0\x80"), (256, b"\x01\0")],
    )
    def test_sign_bit(self, value: int, item: bytes) -> None:
        """The sign bit is never set, and zero is one byte."""
        assert encode_signed(value) == rlp.encode(item)


class TestNegative:
    def test_refused(self) -> None:
        """Negative numbers cannot be encoded."""
        with pytest.raises(OverflowError):
            encode_int(-1)
