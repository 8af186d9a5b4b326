"""`devchain.state.rlp`"""

from __future__ import annotations

import pytest
import rlp
from hypothesis import given
from hypothesis import strategies as st
from rlp.sedes import big_endian_int

from devchain.state.rlp import (
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
