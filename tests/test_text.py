"""`devchain.text`"""

from __future__ import annotations

import sys
import unicodedata

import pytest

from devchain.text import amount, printable

HARMFUL_CATEGORIES = {"Cc", "Cf", "Cs", "Zl", "Zp"}


class TestPrintable:
    def test_examples(self) -> None:
        """Control characters, marks of direction and lone surrogates are escaped."""
        assert printable("a\x1b[0m\n\u202e\ud800é") == "a\\x1b[0m\\n\\u202e\\ud800é"

    @pytest.mark.parametrize(
        "text", ["", "plain text", "größer, 中文, ₿ 🎉", "[red]a[/red]", "\\x1b"]
    )
    def test_unchanged(self, text: str) -> None:
        """Letters of any script stay as they are, and so does what only looks like markup."""
        assert printable(text) == text

    def test_every_character(self) -> None:
        """No control, format or separating character and no surrogate is left; the result stays."""
        for each in map(chr, range(sys.maxunicode + 1)):
            shown = printable(each)
            kinds = {unicodedata.category(part) for part in shown}
            assert not kinds & HARMFUL_CATEGORIES, hex(ord(each))
            assert shown == each or shown.isascii()
            assert len(shown.splitlines()) <= 1
            assert printable(shown) == shown

    @pytest.mark.parametrize("invisible", ["\u3164", "\u115f", "\u1160", "\uffa0", "\u034f"])
    def test_invisible(self, invisible: str) -> None:
        """Neither is what shows as nothing."""
        assert printable(f"a{invisible}b") == f"a\\u{ord(invisible):04x}b"


class TestAmount:
    @pytest.mark.parametrize(
        ("wei", "text"),
        [
            (0, "0 RBTC"),
            (1, "1 wei"),
            (999_999_999_999, "999,999,999,999 wei"),
            (10**12, "0.000001 RBTC"),
            (15 * 10**17, "1.5 RBTC"),
            (10**18, "1 RBTC"),
            (10**30, "1,000,000,000,000 RBTC"),
            (10**40 + 1, f"{10**22:,}.000000000000000001 RBTC"),
        ],
    )
    def test_exact(self, wei: int, text: str) -> None:
        """Amounts are exact, in whole coins unless tiny."""
        assert amount(wei, "RBTC") == text
