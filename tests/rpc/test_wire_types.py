"""`devchain.rpc.wire_types`"""

from __future__ import annotations

import types
from typing import Any

import pytest

from devchain.rpc.json_codec import Number
from devchain.rpc.scalar_decoders import DecodeContext, Loose, Percentile, loose
from devchain.rpc.wire_types import wire_type
from devchain.types import Address, BlockRef, LogQuery
from tests.accounts import ALICE, ALICE_HEX
from tests.rpc.refusals import refusal


def decode(hint: Any, value: object, context: DecodeContext) -> Any:
    """A value decoded as that type hint says."""
    decoder = wire_type(hint).decode
    assert decoder is not None
    return decoder(value, context)


class TestDecode:
    def test_optional(self, context: DecodeContext) -> None:
        """`X | None` is decoded as X; null is handled by the method."""
        assert decode(int | None, "0x2", context) == 2

    def test_optional_list(self, context: DecodeContext) -> None:
        """An optional list is decoded as the list."""
        assert decode(list[Percentile] | None, [50], context) == [50.0]

    def test_union(self, context: DecodeContext) -> None:
        """A union with a row of its own is decoded by it, optional or not."""
        assert decode(LogQuery | bool | None, True, context) is True
        assert decode(LogQuery | bool, {}, context) == LogQuery()

    def test_list(self, context: DecodeContext) -> None:
        """`list[X]` is decoded element by element."""
        assert decode(list[int], ["0x1", 2], context) == [1, 2]

    def test_not_a_list(self, context: DecodeContext) -> None:
        """A list must be written as an array."""
        assert refusal(decode, list[int], "0x1", context) == "want an array, got text"

    def test_loose(self) -> None:
        """`Loose` has a decoder of its own."""
        assert wire_type(Loose).decode is loose

    def test_dict(self, context: DecodeContext) -> None:
        """A dict is decoded key by key and value by value."""
        assert decode(dict[Address, list[int]], {ALICE_HEX: ["0x1"]}, context) == {ALICE: [1]}

    @pytest.mark.parametrize("hint", [dict[str, Any], int | str, Number, types.NoneType])
    def test_no_decoder(self, hint: object) -> None:
        """Unions without a row and types that only results have cannot be decoded."""
        assert wire_type(hint).decode is None

    @pytest.mark.parametrize("hint", [float, object, list[float], float | None])
    def test_unknown_hint(self, hint: object) -> None:
        """A type hint that is not in the table is a TypeError, which shows at import."""
        with pytest.raises(TypeError, match="no wire type for the hint"):
            wire_type(hint)


class TestLabel:
    @pytest.mark.parametrize(
        ("hint", "expected"),
        [
            (int, "QUANTITY"),
            (BlockRef, "BLOCK"),
            (list[int] | None, "list of QUANTITY or null"),
            (LogQuery | bool | None, "LogFilter or boolean or null"),
            (dict[str, Any], "object"),
            (Any, "any"),
        ],
    )
    def test_label(self, hint: object, expected: str) -> None:
        """The docs name lists and unions after what is in them."""
        assert wire_type(hint).label == expected


class TestSchema:
    def test_quantity(self) -> None:
        """A QUANTITY of a result is stricter than that of a parameter, in lists and unions too."""
        quantity = {"$ref": "#/components/schemas/Quantity"}

        actual = wire_type(list[int] | None)

        assert actual.result_schema == {
            "anyOf": [{"type": "array", "items": quantity}, {"type": "null"}]
        }
        assert actual.schema != actual.result_schema
