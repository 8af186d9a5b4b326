"""`devchain.cli.options`"""

from __future__ import annotations

import pytest
import typer

from devchain.cli.options import (
    block_reference,
    parse_address,
    parse_hash,
    parse_whole,
    quantity,
    wei,
)


class TestWei:
    @pytest.mark.parametrize(
        ("text", "amount"),
        [
            ("7", 7),
            ("0x10", 16),
            ("1.5rbtc", 15 * 10**17),
            ("10gwei", 10**10),
            (" .5 RBTC", 5 * 10**17),
            ("1,234.5 RBTC", 12_345 * 10**17),
            ("1,000", 1_000),
            ("20000000000rbtc", 2 * 10**28),
            (str(2**256 - 1), 2**256 - 1),
        ],
        ids=str,
    )
    def test_amounts(self, text: str, amount: int) -> None:
        """Amounts have a unit or are in wei, up to 256 bits, exact to the wei."""
        assert wei(text) == amount

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "x",
            "0.5",
            "-1",
            "nan",
            "1e9rbtc",
            str(2**256),
            "1 doge",
            "٣rbtc",
            "1_000",
            "1,00",
            ",100",
            "9" * 200,
        ],
        ids=repr,
    )
    def test_no_amount(self, text: str) -> None:
        """Anything else is an error that shows the format."""
        with pytest.raises(typer.BadParameter, match="write it like"):
            wei(text)


class TestNumbers:
    @pytest.mark.parametrize(("text", "value"), [("7", 7), ("0x10", 16), ("1,234,567", 1_234_567)])
    def test_as_written(self, text: str, value: int) -> None:
        """Numbers are accepted as they are written on the screen, with commas."""
        assert quantity(text) == block_reference(text) == hex(value)
        assert parse_whole()(text) == value

    @pytest.mark.parametrize(
        "text", ["1,00", "1,", ",100", "1,0000", "x", "", "--1", "1.5", "1 000"]
    )
    def test_no_number(self, text: str) -> None:
        """Anything else is refused."""
        with pytest.raises(typer.BadParameter, match="is not a whole number"):
            parse_whole()(text)

    def test_range(self) -> None:
        """Numbers out of range are refused with the range."""
        with pytest.raises(typer.BadParameter, match="0 is out of range: give 1 to 1,000"):
            parse_whole(1, 1_000)("0")

    def test_negative(self) -> None:
        """A negative number is one that is out of range."""
        with pytest.raises(typer.BadParameter, match="-5 is out of range: give at least 1"):
            parse_whole(1)("-5")


class TestHex:
    @pytest.mark.parametrize(
        "text", ["", "0x", "0x12", "ab" * 20, "0x" + "g" * 40, "0x" + "a" * 41]
    )
    def test_wrong(self, text: str) -> None:
        """Anything else is refused with what an address or a hash is."""
        with pytest.raises(typer.BadParameter, match="not an address: give 0x and 40 hex digits"):
            parse_address(text)
        with pytest.raises(typer.BadParameter, match="not a hash: give 0x and 64 hex digits"):
            parse_hash(text)

    def test_cut_block_hash(self) -> None:
        """A block hash that lacks a digit is no number."""
        with pytest.raises(typer.BadParameter, match="give 0x and 64 hex digits"):
            block_reference("0x" + "a" * 63)
        with pytest.raises(
            typer.BadParameter, match="'x' is not a block: give a number, a hash or"
        ):
            block_reference("x")
