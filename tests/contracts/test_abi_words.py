"""`devchain.contracts.abi_words`, held to eth-abi"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from eth_abi.abi import decode, encode
from eth_abi.exceptions import DecodingError, EncodingError
from hypothesis import example, given
from hypothesis import strategies as st

from devchain.contracts.abi import Param
from devchain.contracts.abi_words import TYPES, decode_words, encode_words
from devchain.types import AddressBytes

KINDS = sorted(TYPES)

NUMBERS = st.integers(0, 256).flatmap(
    lambda bits: st.sampled_from([2**bits, 2**bits - 1, -(2**bits), -(2**bits) - 1])
)
VALUES = st.one_of(
    NUMBERS, st.integers(-3, 3), st.booleans(), st.binary(max_size=34), st.none(), st.text("0x1a")
)
WORDS = st.one_of(
    st.builds(lambda value: (value % 2**256).to_bytes(32), NUMBERS),
    st.builds(lambda start: start.ljust(32, b"\0"), st.binary(max_size=32)),
    st.binary(min_size=32, max_size=32),
)


def params(*kinds: str) -> list[Param]:
    """Parameters of those types."""
    return [Param("", each) for each in kinds]


class TestEncodeWords:
    """`encode_words` encodes as eth-abi does, or leaves the values to it."""

    @given(kinds=st.lists(st.sampled_from(KINDS), max_size=3), data=st.data())
    def test_as_eth_abi(self, kinds: list[str], data: st.DataObject) -> None:
        """What it encodes has eth-abi's bytes, and what eth-abi refuses it does not encode."""
        values = [data.draw(VALUES) for _ in kinds]

        try:
            expected = encode(kinds, values)
        except EncodingError:
            expected = None
        found = encode_words(params(*kinds), values)

        assert found in (None, expected)

    @pytest.mark.parametrize(
        ("kind", "value"),
        [
            ("uint256", 2**256 - 1),
            ("uint8", 255),
            ("int256", -(2**255)),
            ("int24", 2**23 - 1),
            ("bool", True),
            ("bool", False),
            ("bytes4", b"\1\2\3\4"),
            ("bytes32", bytes(32)),
            ("address", bytes(range(20))),
        ],
    )
    def test_encodes(self, kind: str, value: Any) -> None:
        """Plain values are encoded without eth-abi."""
        assert encode_words(params(kind), [value]) == encode([kind], [value])

    @pytest.mark.parametrize("address", [AddressBytes(range(20)), f"0x{bytes(range(20)).hex()}"])
    def test_objects_with_an_address(self, address: Any) -> None:
        """A contract and an account stand for their address."""
        found = encode_words(params("address"), [SimpleNamespace(address=address)])

        assert found == encode(["address"], [bytes(range(20))])
        assert type(found) is bytes

    @pytest.mark.parametrize("text", ["0x" + " 1" * 20, "0x" + "g" * 40, "1" * 42])
    def test_no_address(self, text: str) -> None:
        """Text of the right length that is no address is left to eth-abi."""
        assert encode_words(params("address"), [SimpleNamespace(address=text)]) is None

    def test_typed_addresses(self) -> None:
        """Text is left to the caller, who may be warned of its letter case."""
        assert encode_words(params("address"), [f"0x{bytes(20).hex()}"]) is None

    @pytest.mark.parametrize("kind", ["string", "bytes", "uint256[2]", "(uint256)"])
    def test_longer_types(self, kind: str) -> None:
        """Types of more than a word are left to eth-abi."""
        assert encode_words(params(kind), [b""]) is None


class TestDecodeWords:
    """`decode_words` decodes as eth-abi does, or leaves the words to it."""

    @given(kinds=st.lists(st.sampled_from(KINDS), max_size=3), body=st.lists(WORDS, max_size=3))
    @example(["address"], [bytes(11) + b"\1" + bytes(20)])
    @example(["int8"], [bytes([255] * 31) + b"\x7f"])
    def test_as_eth_abi(self, kinds: list[str], body: list[bytes]) -> None:
        """The values are eth-abi's, and of the same types; none where eth-abi refuses the bytes."""
        encoded = b"".join(body)

        try:
            expected = decode(kinds, encoded)
        except DecodingError:
            expected = None
        found = decode_words(params(*kinds), encoded)

        assert found == expected
        if found is not None and expected is not None:
            pairs = zip(kinds, found, expected, strict=True)
            assert all(type(one) is type(other) for kind, one, other in pairs if kind != "address")

    def test_addresses(self) -> None:
        """Addresses are 20 bytes that show as text."""
        found = decode_words(params("address"), bytes(12) + bytes(range(20)))

        assert found == (bytes(range(20)),)
        assert found is not None
        assert type(found[0]) is AddressBytes

    def test_rest_of_a_word(self) -> None:
        """A word that is not whole is no value."""
        assert decode_words(params("uint8", "uint8"), bytes(63)) is None

    def test_longer_types(self) -> None:
        """Types of more than a word are left to eth-abi."""
        assert decode_words(params("string"), encode(["string"], ["text"])) is None
