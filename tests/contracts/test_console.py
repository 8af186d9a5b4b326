"""`devchain.contracts.console`"""

from __future__ import annotations

import pytest
from eth_abi.abi import encode
from eth_hash.auto import keccak

from devchain.contracts.console import console_message
from tests.accounts import ALICE


def printed(name: str, kinds: list[str], *given: object) -> str | None:
    """The line that a call of the console with those types prints."""
    selector = keccak(f"{name}({','.join(kinds)})".encode())[:4]
    full = [each + "256" if each in {"uint", "int"} else each for each in kinds]
    return console_message(selector + encode(full, given))


@pytest.mark.parametrize(
    ("kinds", "given", "line"),
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
def test_log(kinds: list[str], given: tuple[object, ...], line: str) -> None:
    """`log` prints its values, and fills the first string in."""
    assert printed("log", kinds, *given) == line


@pytest.mark.parametrize(
    ("name", "kind", "given", "line"),
    [("logInt", "int256", -1, "-1"), ("logBytes4", "bytes4", b"\x01\x02\x03\x04", "0x01020304")],
    ids=["int", "bytes4"],
)
def test_single(name: str, kind: str, given: object, line: str) -> None:
    """Functions with a type in their name print a value of it."""
    assert printed(name, [kind], given) == line


@pytest.mark.parametrize("call_data", [b"", b"\x01\x02\x03\x04", keccak(b"log(string)")[:4]])
def test_other_calls_are_none(call_data: bytes) -> None:
    """Other call data is None."""
    assert console_message(call_data) is None
