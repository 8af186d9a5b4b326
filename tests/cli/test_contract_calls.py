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
from tests.bytecode import word
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


class TestEncode:
    @pytest.mark.parametrize(
        ("kind", "text", "encoded"),
        [
            ("uint256", "0x10", word(16)),
            ("int8", "-1", b"\xff" * 32),
            ("bool", "True", word(1)),
            ("bytes2", "0xabcd", b"\xab\xcd" + bytes(30)),
            ("uint256[2]", "[1, 2]", word(1) + word(2)),
            (
                "(uint256,address)",
                f"[1, {BOB_HEX}]",
                word(1) + bytes(12) + bytes.fromhex(BOB_HEX[2:]),
            ),
            ("uint256", "1.5rbtc", word(15 * 10**17)),
            ("uint256[]", '["1 gwei", "1,000"]', word(32) + word(2) + word(10**9) + word(1000)),
            ("int256", "-1wei", b"\xff" * 32),
            ("address[1]", "[0]", bytes(12) + bytes.fromhex(BOB_HEX[2:])),
            ("string", "hi", word(32) + word(2) + b"hi" + bytes(30)),
            ("string[]", '["0x1"]', word(32) + word(1) + word(32) + word(3) + b"0x1" + bytes(29)),
        ],
        ids=str,
    )
    def test_value(self, kind: str, text: str, encoded: bytes) -> None:
        """Arguments are plain text; arrays and tuples are JSON."""
        assert encode(values_of(kind), [text], NODE, "f") == encoded

    @pytest.mark.parametrize(
        ("kind", "text"),
        [
            ("uint256", "x"),
            ("uint8", "256"),
            ("uint256", "1.5"),
            ("uint256", "1.5btc"),
            ("bool", "2"),
            ("bytes2", "0xabcdef"),
            ("bytes", "0xa"),
            ("address", "0x12"),
            ("uint256[]", "1"),
            ("uint256[]", "[1"),
            ("(uint256,bool)", "[1]"),
            ("uint256[2]", "[1]"),
            ("uint256[]", "[[1]]"),
        ],
    )
    def test_wrong(self, kind: str, text: str) -> None:
        """Text that is no value of the type is a usage error."""
        with pytest.raises(typer.BadParameter):
            encode(values_of(kind), [text], NODE, "f")


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

    @pytest.mark.parametrize(
        ("kind", "text", "message"),
        [
            ("uint256", "abc", "'abc' is not a value of type uint256"),
            ("uint8[2]", "[1]", r"'\[1\]' is not a value of type uint8\[2\]; write a JSON array"),
            ("(bool,address)", "1", r"'1' is not a value of type \(bool,address\); write"),
            ("address", "bob", "argument 1: 'bob' is not a value of type address: give 0x and 40"),
            ("uint8", "256", "'256' is not a value of type uint8: give a whole number, 0 to 255$"),
            ("int8", "128", "type int8: give a whole number, -128 to 127$"),
            ("uint256", "-1", r"type uint256: give a whole number, 0 to 2\*\*256 - 1$"),
            ("bool", "yes", "argument 1: 'yes' is not a value of type bool: give true or false$"),
            ("bytes4", "0x123", "type bytes4: give 0x and 8 hex digits$"),
            ("bytes4", "0x01", "type bytes4: give 0x and 8 hex digits$"),
            ("bytes4[]", "[0x01]", "type bytes4"),
            ("uint8[]", "[1.5]", "argument 1: 1.5 is not a value of type uint8: give a whole"),
            ("int168", "1.5", "type int168: give a whole .*; the type of Vyper's decimals is deci"),
            (
                "decimal",
                "1.23456789012",
                f"a number with at most 10 digits behind the point, -{MOST}8 to {MOST}7$",
            ),
            ("decimal", f"{MOST}8", "type decimal: give a number with at most 10 digits"),
            ("decimal[2]", "[1, true]", "True is not a value of type decimal: give a number"),
            ("decimal", "1.5rbtc", "'1.5rbtc' is not a value of type decimal"),
            ("fixed168x10", "1.23456789012", "type fixed168x10: give a number with at most 10"),
        ],
    )
    def test_argument(self, kind: str, text: str, message: str) -> None:
        """An argument of another type is an error that names the type of the signature."""
        with pytest.raises(typer.BadParameter, match=message):
            encode(values_of(kind), [text], NODE, "f")


@pytest.mark.parametrize("kind", ["decimal", "fixed168x10"])
class TestDecimals:
    """Decimals of Vyper since 0.4 and before are written as they are shown."""

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("1.5", "1.5"),
            ("2", "2.0"),
            ("-.5", "-0.5"),
            ("1,000.25", "1000.25"),
            ("1e-10", "0.0000000001"),
            (f"{MOST}7", f"{MOST}7"),
            (f"-{MOST}8", f"-{MOST}8"),
        ],
    )
    def test_number(self, kind: str, text: str, shown: str) -> None:
        """A number has a value in the ABI that shows as the number, and that text has it too."""
        params = values_of(kind)

        encoded = encode(params, [text], NODE, "f")

        assert decode(params, encoded, RSK) == [shown]
        assert encode(params, [shown], NODE, "f") == encoded

    def test_nested(self, kind: str) -> None:
        """So it is for decimals in arrays and tuples, with every digit."""
        params = values_of(f"({kind},uint8)[]", f"{kind}[2][]")
        texts = [f"[({MOST}7, 3), (2.0, 4)]", "[[1.0, -2.5]]"]
        given = [each.replace("(", "[").replace(")", "]") for each in texts]

        assert decode(params, encode(params, given, NODE, "f"), RSK) == texts

    def test_signature(self, kind: str) -> None:
        """A signature with decimals is that of their ABI type."""
        wanted = "set(int168,(int168,bool)[])" if kind == "decimal" else "set(fixed168x10,"

        assert parse_signature(f"set({kind},({kind},bool)[])").signature.startswith(wanted)
