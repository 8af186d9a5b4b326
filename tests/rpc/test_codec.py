"""`devchain.rpc.codec`"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.node import Node
from devchain.rpc.codec import Number, decoder_for, encode
from devchain.rpc.decoders import Loose, loose
from devchain.types import BlockRef, Hash32, Tag
from tests.rpc.refusals import refusal

HASH = Hash32(bytes.fromhex("c0" * 32))
HASH_HEX = "0x" + "c0" * 32


@pytest.fixture
def config() -> Config:
    """Decoding asks a node for its options alone; without accounts it is made in no time."""
    return Config(network="test", accounts=0)


class TestEncode:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (None, None),
            (True, True),
            (False, False),
            ("text", "text"),
            (0, "0x0"),
            (15, "0xf"),
            (2**256, "0x1" + "0" * 64),
            (Number(7), 7),
            (b"", "0x"),
            (b"\x00\x0f", "0x000f"),
            (HASH, HASH_HEX),
            ([1, [b"\x01"], ()], ["0x1", ["0x01"], []]),
            ({"a": 1, "b": {"c": None}}, {"a": "0x1", "b": {"c": None}}),
        ],
    )
    def test_value(self, value: object, expected: object) -> None:
        """Integers leave as minimal hex, bytes as DATA, containers inside out, the rest as is."""
        actual = encode(value)

        assert actual == expected
        assert type(actual) is type(expected)


class TestDecoderFor:
    def test_optional(self, node: Node) -> None:
        """`X | None` is decoded as X; null never gets that far."""
        actual = decoder_for(int | None)("0x2", node)

        assert actual == 2

    def test_optional_union(self, node: Node) -> None:
        """`BlockRef | None` is decoded as BlockRef though both are unions."""
        actual = decoder_for(BlockRef | None)("latest", node)

        assert actual is Tag.LATEST

    def test_list(self, node: Node) -> None:
        """`list[X]` is decoded item by item."""
        actual = decoder_for(list[int])(["0x1", 2], node)

        assert actual == [1, 2]

    def test_list_of_another_kind(self, node: Node) -> None:
        """A list wants an array."""
        actual = refusal(decoder_for(list[int]), "0x1", node)

        assert actual == "want an array, got text"

    def test_loose(self) -> None:
        """`Loose` has a decoder of its own."""
        assert decoder_for(Loose) is loose

    @pytest.mark.parametrize("hint", [float, dict[str, int], object, int | str])
    def test_unknown_hint(self, hint: object) -> None:
        """A hint nobody can decode is a TypeError, so that it is found at import."""
        with pytest.raises(TypeError, match="no decoder for parameters of type"):
            decoder_for(hint)
