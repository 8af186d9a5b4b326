"""`devchain.rpc.scalar_decoders`"""

from __future__ import annotations

import re

import pytest

from devchain.config import Config
from devchain.rpc import scalar_decoders
from devchain.rpc.scalar_decoders import DecodeContext
from devchain.types import checksum
from tests.accounts import ALICE, ALICE_HEX
from tests.rpc.refusals import refusal

UINT256 = 2**256 - 1


class TestQuantity:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ("0x0", 0),
            ("0x1f", 31),
            ("0xABcd", 0xABCD),
            ("0x0000000001", 1),
            ("0x" + "0" * 500 + "1", 1),
            ("0x" + "f" * 64, UINT256),
            (0, 0),
            (31, 31),
            (2**64 - 1, 2**64 - 1),
        ],
    )
    def test_accepted(self, value: object, expected: int) -> None:
        """0x hex of any length up to 256 bits and JSON integers up to 64 bits are numbers."""
        actual = scalar_decoders.quantity(value)

        assert actual == expected

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (None, "want a QUANTITY such as 0x1f, got null"),
            (True, "want a QUANTITY such as 0x1f, got true"),
            (False, "want a QUANTITY such as 0x1f, got false"),
            (1.0, "want a QUANTITY such as 0x1f, got a fraction"),
            (0.5, "want a QUANTITY such as 0x1f, got a fraction"),
            ([], "want a QUANTITY such as 0x1f, got an array"),
            ({}, "want a QUANTITY such as 0x1f, got an object"),
            ("", "want a QUANTITY such as 0x1f, got ''"),
            ("0x", "want a QUANTITY such as 0x1f, got '0x'"),
            ("12", "want a QUANTITY such as 0x1f, got '12'"),
            ("1f", "want a QUANTITY such as 0x1f, got '1f'"),
            ("-0x1", "want a QUANTITY such as 0x1f, got '-0x1'"),
            ("0x-1", "want a QUANTITY such as 0x1f, got '0x-1'"),
            ("0X1", "want a QUANTITY such as 0x1f, got '0X1'"),
            ("0x1.5", "want a QUANTITY such as 0x1f, got '0x1.5'"),
            ("0x1_0", "want a QUANTITY such as 0x1f, got '0x1_0'"),
            (" 0x1", "want a QUANTITY such as 0x1f, got ' 0x1'"),
            ("0x1\n", "want a QUANTITY such as 0x1f, got '0x1\\n'"),
            ("0x\u0661", "want a QUANTITY such as 0x1f, got '0x\\u0661'"),
            (-1, "-1 is negative"),
            (2**64, "a JSON integer of more than 64 bits loses digits: write it as 0x hex"),
        ],
    )
    def test_refused(self, value: object, expected: str) -> None:
        """Negative, fractional, decimal and malformed numbers are refused with the reason."""
        actual = refusal(scalar_decoders.quantity, value)

        assert actual == expected

    def test_more_than_256_bits(self) -> None:
        """A number of 257 bits is refused, shortened in the message."""
        actual = refusal(scalar_decoders.quantity, "0x1" + "0" * 10_000)

        assert actual == f"'0x1{'0' * 73}... is larger than 256 bits hold"

    def test_limit(self) -> None:
        """A field of fewer bits says how many it holds."""
        actual = refusal(scalar_decoders.uint64, "0x1" + "0" * 16)

        assert actual == "'0x10000000000000000' is larger than 64 bits hold"

    def test_long_negative(self) -> None:
        """A negative number of many digits is shortened in the message."""
        actual = refusal(scalar_decoders.quantity, -(10**300))

        assert actual == f"-1{'0' * 75}... is negative"


class TestLoose:
    @pytest.mark.parametrize(
        ("value", "expected"), [("0x10", 16), (16, 16), ("16", 16), ("007", 7), ("0", 0)]
    )
    def test_accepted(self, context: DecodeContext, value: object, expected: int) -> None:
        """A loose number may be QUANTITY, JSON integer or decimal text."""
        actual = scalar_decoders.loose(value, context)

        assert actual == expected

    @pytest.mark.parametrize(
        "value", ["", "-1", "1.5", "1e3", "\u0661", " 1", "0x", None, True, 1.5, -1, [1], "1" * 79]
    )
    def test_refused(self, context: DecodeContext, value: object) -> None:
        """Anything that is not a number from zero on is refused."""
        refusal(scalar_decoders.loose, value, context)

    @pytest.mark.parametrize("value", ["0x" + "f" * 64, "9" * 78, str(2**64), hex(2**64)])
    def test_too_large(self, context: DecodeContext, value: str) -> None:
        """A loose number has at most 64 bits in all notations."""
        actual = refusal(scalar_decoders.loose, value, context)

        assert re.search(r"is larger than (64|256) bits hold\Z", actual)


class TestData:
    @pytest.mark.parametrize(
        ("value", "expected"), [("0x", b""), ("0x00", b"\0"), ("0xaBCd", b"\xab\xcd")]
    )
    def test_accepted(self, value: str, expected: bytes) -> None:
        """0x hex with two digits a byte, in any letter case, is DATA."""
        actual = scalar_decoders.data(value)

        assert actual == expected

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (None, "want DATA such as 0x12ab, got null"),
            (1, "want DATA such as 0x12ab, got a number"),
            (True, "want DATA such as 0x12ab, got true"),
            ([], "want DATA such as 0x12ab, got an array"),
            ("", "want DATA: 0x and hex digits, got ''"),
            ("12", "want DATA: 0x and hex digits, got '12'"),
            ("0xzz", "want DATA: 0x and hex digits, got '0xzz'"),
            ("0x 0", "want DATA: 0x and hex digits, got '0x 0'"),
            ("0x1", "want an even number of hex digits, got 1"),
        ],
    )
    def test_refused(self, value: object, expected: str) -> None:
        """An odd number of digits and text that is not hex is refused with the reason."""
        actual = refusal(scalar_decoders.data, value)

        assert actual == expected

    def test_wrong_length(self, context: DecodeContext) -> None:
        """A value of fixed length must have it."""
        actual = refusal(scalar_decoders.hash32, "0x" + "00" * 31, context)

        assert actual == "want 32 bytes, got 31"


class TestAddress:
    @pytest.mark.parametrize("text", [ALICE_HEX, ALICE_HEX.upper().replace("X", "x")])
    def test_letter_case(self, context: DecodeContext, text: str) -> None:
        """An address may be written in any letter case."""
        actual = scalar_decoders.address(text, context)

        assert actual == ALICE

    def test_unchecked(self, context: DecodeContext) -> None:
        """Checksums are not verified by default."""
        actual = scalar_decoders.address("0xF39fd6e51aad88f6f4ce6ab8827279cfffb92266", context)

        assert actual == ALICE

    @pytest.mark.parametrize("length", [0, 19, 21, 32])
    def test_wrong_length(self, context: DecodeContext, length: int) -> None:
        """An address is 20 bytes."""
        actual = refusal(scalar_decoders.address, "0x" + "00" * length, context)

        assert actual == f"want 20 bytes, got {length}"


class TestChecksumAddress:
    @pytest.fixture
    def context(self) -> DecodeContext:
        """The settings of a node on the test network that verifies checksums."""
        return DecodeContext.from_config(Config(network="test", checksum_addresses=True))

    def test_right(self, context: DecodeContext) -> None:
        """The EIP-1191 form for the node's chain id is accepted."""
        actual = scalar_decoders.address(checksum(ALICE, 31), context)

        assert actual == ALICE

    @pytest.mark.parametrize("text", [ALICE_HEX, "0x" + ALICE_HEX[2:].upper()])
    def test_no_checksum(self, context: DecodeContext, text: str) -> None:
        """An address in one letter case carries no checksum to be wrong."""
        actual = scalar_decoders.address(text, context)

        assert actual == ALICE

    def test_of_another_chain(self, context: DecodeContext) -> None:
        """The checksum of another chain id is refused; the message has the node's chain id."""
        other = checksum(ALICE, 30)

        actual = refusal(scalar_decoders.address, other, context)

        assert actual == (
            f"{other} has a wrong checksum for chain id 31 (EIP-1191): if the digits are right it "
            f"is {checksum(bytes.fromhex(other[2:]), 31)}"
        )


class TestBoolean:
    @pytest.mark.parametrize("value", [True, False])
    def test_accepted(self, context: DecodeContext, value: bool) -> None:
        """A JSON boolean is itself."""
        assert scalar_decoders.boolean(value, context) is value

    @pytest.mark.parametrize("value", [0, 1, "true", None, [], {}])
    def test_refused(self, context: DecodeContext, value: object) -> None:
        """Other values are not booleans."""
        actual = refusal(scalar_decoders.boolean, value, context)

        assert actual.startswith("want true or false, got ")


class TestText:
    def test_accepted(self, context: DecodeContext) -> None:
        """A string is itself."""
        assert scalar_decoders.text("word", context) == "word"

    def test_refused(self, context: DecodeContext) -> None:
        """A number is not a string."""
        assert refusal(scalar_decoders.text, 1, context) == "want a string, got a number"
