"""`devchain.contracts.console`"""

from __future__ import annotations

import pytest
from eth_abi.abi import encode
from eth_hash.auto import keccak

from devchain.contracts.console import console_message
from tests.accounts import ALICE
from tests.bytecode import word


def printed(name: str, kinds: list[str], *values: object) -> str | None:
    """The line that a call of the console with those types prints."""
    selector = keccak(f"{name}({','.join(kinds)})".encode())[:4]
    full = [each + "256" if each in {"uint", "int"} else each for each in kinds]
    return console_message(selector + encode(full, values))


@pytest.mark.parametrize(
    ("kinds", "values", "line"),
    [
        ([], (), ""),
        (["string"], ("hi",), "hi"),
        (["uint256"], (7,), "7"),
        (["uint"], (7,), "7"),
        (["int256"], (-7,), "-7"),
        (["string", "uint256"], ("value", 42), "value 42"),
        (["string", "uint256"], ("value: %d!", 42), "value: 42!"),
        (["string", "string"], ("100% of %s", "it"), "100% of it"),
        (["bool", "address"], (True, ALICE), f"true 0x{ALICE.hex()}"),
        (
            ["string", "bool", "uint256", "address"],
            ("%s", False, 1, ALICE),
            f"false 1 0x{ALICE.hex()}",
        ),
        (["bytes"], (b"\x01\x02",), "0x0102"),
    ],
    ids=str,
)
def test_log(kinds: list[str], values: tuple[object, ...], line: str) -> None:
    """`log` prints its values, the first of them as a format string."""
    assert printed("log", kinds, *values) == line


@pytest.mark.parametrize(
    ("name", "kind", "value", "line"),
    [("logInt", "int256", -1, "-1"), ("logBytes4", "bytes4", b"\x01\x02\x03\x04", "0x01020304")],
    ids=["int", "bytes4"],
)
def test_single_type(name: str, kind: str, value: object, line: str) -> None:
    """Functions named after a type print a value of that type."""
    assert printed(name, [kind], value) == line


@pytest.mark.parametrize("call_data", [b"", b"\x01\x02\x03\x04", keccak(b"log(string)")[:4]])
def test_other_calls_are_none(call_data: bytes) -> None:
    """Call data of no console function is None."""
    assert console_message(call_data) is None


def vyper_print(schema: str, payload: bytes) -> str | None:
    """The line of Vyper's `print` of values of that type."""
    return printed("log", ["string", "bytes"], schema, payload)


@pytest.mark.parametrize(
    ("schema", "values", "line"),
    [
        ("(uint256)", (7,), "7"),
        ("(string,int128,bool)", ("hi %s", -7, True), "hi %s -7 true"),
        ("(address,uint256[2])", (ALICE, [1, 2]), f"0x{ALICE.hex()} [1, 2]"),
        ("((uint256,string),uint8[])", ((1, "in"), [2, 3]), '(1, "in") [2, 3]'),
    ],
    ids=str,
)
def test_vyper_print(schema: str, values: tuple[object, ...], line: str) -> None:
    """Vyper's `print` sends the types of its values as text."""
    payload = encode([schema], [values])
    is_dynamic = "string" in schema or "[]" in schema  # then it begins with an offset

    assert vyper_print(schema, payload[32:] if is_dynamic else payload) == line


@pytest.mark.parametrize(
    "schema",
    [
        *("", "uint256", "()", "(uint256", "(what)", "(uint256,)", "(string[])", "(uint8[][])"),
        *("(uint256[2][0])", "(" * 60 + "uint256" + ")" * 60, f"({'uint256,' * 40}uint256)"),
    ],
    ids=lambda each: each[:12],
)
def test_vyper_print_of_no_types(schema: str) -> None:
    """Types that are none, or not those of the values, print nothing."""
    assert vyper_print(schema, bytes(64)) is None


def test_vyper_print_of_arrays() -> None:
    """Types that Vyper does not write are decoded as those of any ABI, within its limit."""
    shared = word(32) + word(1_000) + word(32_000) * 1_000 + word(6_400) + bytes(6_400)

    assert vyper_print("(string[])", encode(["string[]"], [["a", "b"]])) == '["a", "b"]'
    assert (vyper_print("(string[])", shared) or "").endswith("too large to decode)")
