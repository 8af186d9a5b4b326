"""`devchain.contracts.typed_arguments`; `tests/cli/test_contract_calls.py` has the types."""

from __future__ import annotations

import pytest

from devchain.contracts.abi import Param
from devchain.contracts.typed_arguments import encode_typed, parse_typed
from devchain.errors import InvalidInput

ORDER = Param.from_json(
    {
        "name": "order",
        "type": "tuple",
        "components": [{"name": "count", "type": "uint8"}, {"name": "note", "type": "string"}],
    }
)


@pytest.mark.parametrize("text", ['[7, "x"]', '{"count": 7, "note": "x"}'])
def test_tuple(text: str) -> None:
    """A tuple is an array in the order of its members, or an object with their names."""
    assert parse_typed(ORDER, text, str) == [7, "x"]


@pytest.mark.parametrize("text", ["[7]", '{"count": 7}', "7", "x"])
def test_no_tuple(text: str) -> None:
    """Anything else is refused by place, name and type."""
    with pytest.raises(InvalidInput, match=r"argument 1 \(order\): .* is not a value of type"):
        encode_typed([ORDER], [text], str)


def test_long_array() -> None:
    """An array of another length than its type's is refused, however long that is."""
    with pytest.raises(InvalidInput, match="is not a value of type"):
        parse_typed(Param("", "uint256[1000000000000000000000]"), "[1]", str)
