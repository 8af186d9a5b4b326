"""`devchain.cli.contract_calls`"""

from __future__ import annotations

import json

import pytest
import typer

from devchain.cli.contract_calls import decode, encode, parse_signature, read_call
from devchain.client.views import Notation
from devchain.contracts.abi import Entry, Param
from devchain.errors import InvalidInput
from tests.accounts import BOB_HEX
from tests.cli.scripted import ScriptedClient

RSK = Notation(31)
NODE = ScriptedClient(eth_accounts=[BOB_HEX])
MOST = "18707220957835557353007165858768422651595.936550092"


def values_of(*kinds: str) -> tuple[Param, ...]:
    """Values of those types."""
    return tuple(map(Param.from_text, kinds))


class TestSignature:
    @pytest.mark.parametrize(
        ("text", "parsed"),
        [
            ("get()", Entry("function", "get", (), ())),
            ("get()()", Entry("function", "get", (), ())),
            ("get()(uint)", Entry("function", "get", (), (Param("", "uint256"),))),
            ("run(function,int)", Entry("function", "run", values_of("function", "int256"))),
            (
                " set ( uint256 , bool ) ",
                Entry("function", "set", values_of("uint256", "bool"), ()),
            ),
            (
                "f((uint256,(bool,string))[],bytes)(address)",
                Entry(
                    "function",
                    "f",
                    values_of("(uint256,(bool,string))[]", "bytes"),
                    values_of("address"),
                ),
            ),
        ],
    )
    def test_parse(self, text: str, parsed: Entry) -> None:
        """A signature has a name, argument types and return types."""
        assert parse_signature(text) == parsed

    @pytest.mark.parametrize(
        "text",
        ["", "get", "get(", "get)(", "get()()()", "get()x", "(uint256)", "f(uint256,)", "f(word)"],
    )
    def test_wrong(self, text: str) -> None:
        """Anything else is a usage error."""
        with pytest.raises(typer.BadParameter):
            parse_signature(text)

    def test_data(self) -> None:
        """Call data is the selector and the encoded arguments."""
        request, _ = read_call(NODE, BOB_HEX, "balanceOf(address)(uint256)", ["0"], None)

        assert request["data"] == f"0x70a08231{'0' * 24}{BOB_HEX[2:]}"

    def test_count(self) -> None:
        """A wrong number of arguments is an error."""
        with pytest.raises(typer.BadParameter, match=r"f\(uint256\) takes 1 argument, got 0"):
            read_call(NODE, BOB_HEX, "f(uint256)", [], None)


class TestDecode:
    def test_values(self) -> None:
        """Decoded values are readable text."""
        types = ["(bool,string)[]", "bytes", "address", "int256"]
        arguments = ['[[true, "hi"]]', "0xabcd", BOB_HEX, "-3"]

        assert decode(values_of(*types), encode(values_of(*types), arguments, NODE, "f"), RSK) == [
            '[(true, "hi")]',
            "0xabcd",
            "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
            "-3",
        ]

    def test_members(self) -> None:
        """Members of structs have their names, as in Python; long values are whole."""
        members = [
            {"name": "who", "type": "address"},
            {"name": "", "type": "string"},
            {"name": "bits", "type": "bool[2][]"},
            {"name": "inner", "type": "tuple", "components": [{"name": "n", "type": "uint8"}]},
        ]
        orders = Param.from_json({"name": "orders", "type": "tuple[]", "components": members})
        text = "long " * 60
        given = json.dumps([[BOB_HEX, text, [[True, False]], [7]]])

        (shown,) = decode([orders], encode([orders], [given], NODE, "f"), RSK)

        assert shown == (
            f'[(who=0x70997970C51812dc3A010C7d01b50e0d17dc79C8, "{text}", '
            "bits=[[true, false]], inner=(n=7))]"
        )

    def test_nothing(self) -> None:
        """An empty result where values are expected hints at a missing contract."""
        with pytest.raises(InvalidInput, match=r"0 bytes, not \(uint256\): is there a contract"):
            decode(values_of("uint256"), b"", RSK)

    @pytest.mark.parametrize("kind", ["string", "bool", "uint256"])
    def test_wrong_types(self, kind: str) -> None:
        """Returned bytes that do not match the types are an error."""
        with pytest.raises(InvalidInput, match="the call returned"):
            decode(values_of(kind), b"\xff" * 31, RSK)
