"""`devchain.rpc.scalar_decoders`"""

from __future__ import annotations

import re

import pytest

from devchain.config import Config
from devchain.rpc.scalar_decoders import (
    DecodeContext,
    Decoder,
    address,
    boolean,
    data,
    hash32,
    loose,
    quantity,
    text,
    uint64,
)
from devchain.types import checksum
from tests.accounts import ALICE, ALICE_HEX
from tests.rpc.refusals import refusal

UINT256 = 2**256 - 1
WANT_QUANTITY = "want a QUANTITY such as 0x1f, got "
WANT_DATA = "want DATA such as 0x12ab, got "
WANT_HEX = "want DATA: 0x and hex digits, got "


@pytest.mark.parametrize(
    ("decode", "value", "expected"),
    [
        (quantity, "0x0", 0),
        (quantity, "0x1f", 31),
        (quantity, "0xABcd", 0xABCD),
        (quantity, "0x" + "0" * 500 + "1", 1),
        (quantity, "0x" + "f" * 64, UINT256),
        (quantity, 31, 31),
        (quantity, 2**64 - 1, 2**64 - 1),
        *((loose, value, 16) for value in ("0x10", 16, "16", "0016")),
        (loose, "0", 0),
        (data, "0x", b""),
        (data, "0x00", b"\0"),
        (data, "0xaBCd", b"\xab\xcd"),
        (address, ALICE_HEX, ALICE),
        (address, ALICE_HEX.upper().replace("X", "x"), ALICE),
        (address, "0xF39fd6e51aad88f6f4ce6ab8827279cfffb92266", ALICE),  # no checksum
        (boolean, True, True),
        (boolean, False, False),
        (text, "word", "word"),
    ],
)
def test_accepted(context: DecodeContext, decode: Decoder, value: object, expected: object) -> None:
    """0x hex of up to 256 bits, JSON integers up to 64 bits; loose numbers as decimal text, too."""
    actual = decode(value, context)

    assert (actual, type(actual)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("decode", "value", "expected"),
    [
        (quantity, None, f"{WANT_QUANTITY}null"),
        (quantity, True, f"{WANT_QUANTITY}true"),
        (quantity, False, f"{WANT_QUANTITY}false"),
        (quantity, 1.0, f"{WANT_QUANTITY}a fraction"),
        (quantity, [], f"{WANT_QUANTITY}an array"),
        (quantity, {}, f"{WANT_QUANTITY}an object"),
        *(
            (quantity, value, f"{WANT_QUANTITY}{value!a}")
            for value in ("", "0x", "12", "1f", "-0x1", "0x-1", "0X1", "0x1.5", "0x1_0", " 0x1")
        ),
        (quantity, "0x1\n", f"{WANT_QUANTITY}'0x1\\n'"),
        (quantity, "0x\u0661", f"{WANT_QUANTITY}'0x\\u0661'"),
        (quantity, -1, "-1 is negative"),
        (quantity, -(10**300), f"-1{'0' * 75}... is negative"),
        (quantity, 2**64, "a JSON integer of more than 64 bits loses digits: write it as 0x hex"),
        (quantity, "0x1" + "0" * 10_000, f"'0x1{'0' * 73}... is larger than 256 bits hold"),
        (uint64, "0x1" + "0" * 16, "'0x10000000000000000' is larger than 64 bits hold"),
        (data, None, f"{WANT_DATA}null"),
        (data, 1, f"{WANT_DATA}a number"),
        (data, True, f"{WANT_DATA}true"),
        (data, [], f"{WANT_DATA}an array"),
        *((data, value, f"{WANT_HEX}{value!r}") for value in ("", "12", "0xzz", "0x 0")),
        (data, "0x1", "want an even number of hex digits, got 1"),
        (hash32, "0x" + "00" * 31, "want 32 bytes, got 31"),
        *((address, "0x" + "00" * size, f"want 20 bytes, got {size}") for size in (0, 19, 21, 32)),
        (text, 1, "want a string, got a number"),
        *((boolean, value, "want true or false, got a number") for value in (0, 1)),
        *((boolean, value, "want true or false, got text") for value in ("true", "")),
        (boolean, None, "want true or false, got null"),
    ],
)
def test_refused(context: DecodeContext, decode: Decoder, value: object, expected: str) -> None:
    """Other values are refused with the reason, long ones shortened."""
    assert refusal(decode, value, context) == expected


@pytest.mark.parametrize(
    "value", ["", "-1", "1.5", "1e3", "\u0661", " 1", "0x", None, True, 1.5, -1, [1], "1" * 79]
)
def test_not_loose(context: DecodeContext, value: object) -> None:
    """A loose number is a number from zero on."""
    refusal(loose, value, context)


@pytest.mark.parametrize("value", ["0x" + "f" * 64, "9" * 78, str(2**64), hex(2**64)])
def test_too_large(context: DecodeContext, value: str) -> None:
    """A loose number has at most 64 bits in all notations."""
    assert re.search(r"is larger than (64|256) bits hold\Z", refusal(loose, value, context))


class TestChecksumAddress:
    @pytest.fixture
    def context(self) -> DecodeContext:
        """The settings of a node on the test network that verifies checksums."""
        return DecodeContext.from_config(Config(network="test", checksum_addresses=True))

    @pytest.mark.parametrize(
        "written", [checksum(ALICE, 31), ALICE_HEX, "0x" + ALICE_HEX[2:].upper()]
    )
    def test_right(self, context: DecodeContext, written: str) -> None:
        """The EIP-1191 form of the node's chain id is accepted, and one letter case, with none."""
        assert address(written, context) == ALICE

    def test_of_another_chain(self, context: DecodeContext) -> None:
        """The checksum of another chain id is refused; the message has the node's chain id."""
        other = checksum(ALICE, 30)

        assert refusal(address, other, context) == (
            f"{other} has a wrong checksum for chain id 31 (EIP-1191): if the digits are right it "
            f"is {checksum(bytes.fromhex(other[2:]), 31)}"
        )
