"""`devchain.state.rlp`"""

from __future__ import annotations

import pytest
import rlp
from hypothesis import given
from hypothesis import strategies as st
from rlp.sedes import big_endian_int

from devchain.state.rlp import (
    decode_string,
    encode_bytes,
    encode_int,
    encode_list,
    encode_signed,
    split_list,
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


class TestReading:
    @given(
        raw=st.binary(max_size=70) | st.lists(st.binary(max_size=60), max_size=4).map(rlp.encode)
    )
    def test_any_bytes(self, raw: bytes) -> None:
        """Bytes are read as a list of strings exactly if the rlp library reads them so."""
        try:
            expected = rlp.decode(raw)
        except rlp.DecodingError:
            expected = None
        if not isinstance(expected, list) or any(isinstance(each, list) for each in expected):
            expected = None

        assert read(raw) == expected

    @pytest.mark.parametrize("size", EDGES)
    def test_sizes(self, size: int) -> None:
        """Strings of every size are read, alone and among others."""
        items = [b"\x80" * size, b"", b"\x01"]

        assert read(rlp.encode(items)) == items

    @pytest.mark.parametrize(
        "raw",
        [
            b"",
            b"\xc1",
            b"\xc1\x80\x80",
            b"\xc2\x81\x01",
            b"\xc3\xb8\x01\x80",
            b"\xf8\x01\x80",
            b"\xc1\x81\x80",
            b"\xf9\x00\x38" + b"\x80" * 56,
            b"\x82\x01\x02",
        ],
        ids=bytes.hex,
    )
    def test_no_list(self, raw: bytes) -> None:
        """Truncated items, trailing bytes and headers longer than needed are refused."""
        with pytest.raises(ValueError, match=r"list|header|missing"):
            [decode_string(each) for each in split_list(raw)]


def read(raw: bytes) -> list[bytes] | None:
    """The strings of an encoded list, None if it is not one."""
    try:
        return [decode_string(each) for each in split_list(raw)]
    except ValueError:
        return None


class TestNegative:
    def test_refused(self) -> None:
        """Negative numbers cannot be encoded."""
        with pytest.raises(OverflowError):
            encode_int(-1)
