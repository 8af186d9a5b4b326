"""`devchain.node.typed_data`"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.errors import InvalidInput
from devchain.node.typed_data import encode

PERSON = [{"name": "name", "type": "string"}, {"name": "scores", "type": "uint256[2][]"}]
BOB = {"name": "Bob", "scores": [[1, 2], [3, 4]]}


def typed(kind: str, value: object) -> dict[str, Any]:
    """A letter to whom it may concern."""
    used = {"Person": PERSON} if "Person" in kind else {}
    return {
        "types": {"Letter": [{"name": "to", "type": kind}], **used},
        "primaryType": "Letter",
        "domain": {"name": "Post"},
        "message": {"to": value},
    }


class TestArrays:
    @pytest.mark.parametrize(
        ("kind", "value"),
        [("Person[2]", [BOB, BOB]), ("Person[]", []), ("Person", BOB), ("uint8[1]", [1])],
    )
    def test_fitting(self, kind: str, value: object) -> None:
        """Arrays as long as their types say are encoded."""
        assert len(encode(typed(kind, value)).body) == 32

    @pytest.mark.parametrize(
        ("kind", "value", "text"),
        [
            ("Person[2]", [BOB], r"Expected 2 items for array type Person\[2\], got 1 items"),
            ("uint8[1]", [1, 2], r"Expected 1 items for array type uint8\[1\], got 2 items"),
            ("Person[1]", [{**BOB, "scores": [[1]]}], r"array type uint256\[2\], got 1"),
            ("uint8[1]", {}, "cannot be encoded"),
        ],
    )
    def test_refused(self, kind: str, value: object, text: str) -> None:
        """Arrays of another length are refused, inside others and structs too."""
        with pytest.raises(InvalidInput, match=text):
            encode(typed(kind, value))
