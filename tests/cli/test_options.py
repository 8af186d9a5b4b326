"""`devchain.cli.options`"""

from __future__ import annotations

import pytest
import typer

from devchain.cli.options import wei


class TestWei:
    @pytest.mark.parametrize(
        ("text", "amount"),
        [
            ("7", 7),
            ("0x10", 16),
            ("1.5rbtc", 15 * 10**17),
            ("10gwei", 10**10),
            (" .5 RBTC", 5 * 10**17),
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
            "9" * 200,
        ],
        ids=repr,
    )
    def test_no_amount(self, text: str) -> None:
        """Anything else is an error that shows the format."""
        with pytest.raises(typer.BadParameter, match="write it like"):
            wei(text)
