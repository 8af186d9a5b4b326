"""`devchain.contracts.abi`"""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from eth_abi.abi import encode

from devchain.contracts.abi import Abi, Param, decode_values, format_arguments
from devchain.errors import InvalidInput
from tests.accounts import ALICE
from tests.contracts.vault import VAULT

POINT = {
    "name": "p",
    "type": "tuple",
    "components": [{"name": "x", "type": "uint256"}, {"name": "who", "type": "address"}],
}


def function(*inputs: dict[str, Any], **members: Any) -> Any:
    """The ABI entry of a function `f` with those inputs."""
    described = {"type": "function", "name": "f", "inputs": list(inputs), "outputs": [], **members}
    (entry,) = Abi.from_json([described]).entries
    return entry


class TestFromJson:
    """`Abi.from_json` parses ABIs of compilers."""

    def test_finds_functions_events_and_errors(self) -> None:
        """Functions and errors are found by selector, events by topic."""
        abi = VAULT.abi

        assert {each.name for each in abi.functions.values()} == {
            "deposit",
            "deposits",
            "opensAt",
            "owner",
            "withdraw",
        }
        assert abi.functions[bytes.fromhex("d0e30db0")].signature == "deposit()"
        assert [each.name for each in abi.errors.values()] == ["NotOwner"]
        assert {each.name for each in abi.events.values()} == {"Deposited", "Withdrawn"}

    def test_tuples_in_signatures(self) -> None:
        """A signature has the component types of a tuple in its place, also in arrays."""
        entry = function(POINT, {**POINT, "type": "tuple[2][]"})

        assert entry.signature == "f((uint256,address),(uint256,address)[2][])"

    def test_reads_old_abis(self) -> None:
        """In old ABIs `constant` takes the place of `stateMutability`."""
        entry = function(constant=True)

        assert entry.is_read_only

    @pytest.mark.parametrize(
        "described",
        [
            None,
            "abi",
            {"abi": []},
            [1],
            [{"type": "function", "inputs": [{"type": "uint7"}]}],
            [{"type": "function", "inputs": [{"name": "x"}]}],
            [{"type": "function", "inputs": [{"type": "tuple"}]}],
        ],
        ids=["none", "text", "map", "number", "kind", "no kind", "bare tuple"],
    )
    def test_rejects_other_values(self, described: object) -> None:
        """Any other value is rejected."""
        with pytest.raises(InvalidInput, match="this is not an ABI"):
            Abi.from_json(described)

    def test_rejects_deep_tuples(self) -> None:
        """Tuples that nest too deeply are rejected."""
        nested: dict[str, Any] = {"type": "uint256"}
        for _ in range(100):
            nested = {"type": "tuple", "components": [nested]}

        with pytest.raises(InvalidInput, match="nests too deeply"):
            function(nested)


class TestEncode:
    """`Entry.encode` accepts Python values."""

    @pytest.mark.parametrize(
        "given",
        [ALICE, f"0x{ALICE.hex()}", SimpleNamespace(address=f"0x{ALICE.hex()}")],
        ids=["bytes", "hex", "object"],
    )
    def test_addresses(self, given: object) -> None:
        """An address may be bytes, hex text or an object with an `address`."""
        entry = function({"name": "who", "type": "address"})

        assert entry.encode([given]) == bytes(12) + ALICE

    def test_bytes_may_be_hex(self) -> None:
        """Bytes may be hex text."""
        entry = function({"name": "data", "type": "bytes"})

        assert entry.encode(["0x1234"]) == entry.encode([b"\x12\x34"])

    def test_tuples_may_be_maps(self) -> None:
        """A tuple may be a mapping by component name."""
        entry = function({**POINT, "type": "tuple[]"})

        by_name = entry.encode([[{"who": ALICE, "x": 7}]])

        assert by_name == entry.encode([[(7, ALICE)]])

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "takes 1 argument, got 0"),
            ([-1], r"wrong arguments of f\(uint256\): want uint256 amount, got -1$"),
            (
                [1e18],
                r"want uint256 amount, got 1e\+18, a float: give a whole number, like 10\*\*18",
            ),
            (["seven"], "want uint256 amount, got 'seven'$"),
            ([2**256], "want uint256 amount, got 1157920.*9936$"),
            (["7" * 100], "want uint256 amount, got '7{79}...$"),
        ],
        ids=["too few", "negative", "float", "text", "too large", "long"],
    )
    def test_rejects(self, arguments: list[object], message: str) -> None:
        """The error names the function, the parameter's type and the argument."""
        entry = function({"name": "amount", "type": "uint256"})

        with pytest.raises(InvalidInput, match=message):
            entry.encode(arguments)

    @pytest.mark.parametrize(
        ("described", "given", "message"),
        [
            ({"name": "data", "type": "bytes"}, "0xzz", "want bytes data, got '0xzz'"),
            (POINT, {"x": 7}, "want .uint256,address. .*, got {'x': 7}"),
            ({"name": "all", "type": "uint8[]"}, [1, 256], r"want uint8.. all, got .1, 256."),
            ({"name": "", "type": "bool"}, 2, "want bool, got 2"),
        ],
        ids=["no hex", "half a tuple", "an item", "no name"],
    )
    def test_rejects_parts(self, described: dict[str, Any], given: object, message: str) -> None:
        """A tuple or array with a wrong item is rejected, as are malformed hex and a wrong bool."""
        with pytest.raises(InvalidInput, match=message):
            function(described).encode([given])

    def test_rejects_a_short_tuple(self) -> None:
        """A tuple of another length is rejected."""
        with pytest.raises(InvalidInput, match="wrong arguments"):
            function(POINT).encode([(1,)])


class TestValues:
    """`decode_values` returns addresses as bytes."""

    def test_nested_values(self) -> None:
        """Values in arrays and tuples are converted too."""
        kinds = [Param.from_json({**POINT, "type": "tuple[]"}), Param.from_json({"type": "string"})]
        body = encode(["(uint256,address)[]", "string"], [[(7, ALICE)], "hi"])

        assert decode_values(kinds, body) == ([(7, ALICE)], "hi")

    def test_none_for_other_bytes(self) -> None:
        """Data that does not match the types decodes to None."""
        assert decode_values([Param.from_json({"type": "string"})], b"\x01" * 31) is None


@pytest.mark.parametrize(
    ("kind", "source_type", "value", "text"),
    [
        ("int168", "decimal", -25 * 10**9, "-2.5"),
        ("int168", "decimal", 3 * 10**10, "3.0"),
        ("int168[]", "decimal", [10**10, 1], "[1.0, 0.0000000001]"),
        ("int168[2][]", "decimal", [[10**10, 1]], "[[1.0, 0.0000000001]]"),
        ("fixed168x10", "", Decimal("1E-10"), "0.0000000001"),
        ("fixed168x10", "", Decimal(3), "3.0"),
        ("uint8", "decimal", 3, "3"),
        ("int168", "", 25, "25"),
        ("bool", "bool", True, "true"),
    ],
)
def test_decimals(kind: str, source_type: str, value: object, text: str) -> None:
    """Vyper's decimals, which are integers of ten decimal places, are written as in its sources."""
    param = Param.from_json({"name": "rate", "type": kind, "internalType": source_type})

    assert format_arguments([param], [value]) == f"rate={text}"
