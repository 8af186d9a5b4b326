"""`devchain.text`"""

from __future__ import annotations

import sys
import unicodedata

import pytest

from devchain.networks import RBTC
from devchain.text import (
    age,
    amount,
    decimal,
    misspelt,
    moment,
    parse_integer,
    percent,
    plural,
    printable,
    span,
)

HARMFUL_CATEGORIES = {"Cc", "Cf", "Cs", "Zl", "Zp"}


class TestMisspelt:
    @pytest.mark.parametrize(
        ("name", "meant"),
        [
            ("valeu", "value"),
            ("GAS_PRICE", "gasPrice"),
            ("gas-price", "gasPrice"),
            ("form", "from"),
            ("v", ""),
            ("", ""),
            ("feeCurrency", ""),
            ("value" * 10**6, ""),
        ],
        ids=lambda each: each[:12],
    )
    def test_known_names(self, name: str, meant: str) -> None:
        """A name means a known one that it differs from by letter case or a typing error."""
        assert misspelt(name, ("from", "value", "gasPrice")) == meant


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
        """No control, format or separating character and no surrogate is left; the result stays.

        Of all other characters one of 16 is checked.
        """
        for each in map(chr, range(sys.maxunicode + 1)):
            if ord(each) % 16 and unicodedata.category(each) not in HARMFUL_CATEGORIES:
                continue
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


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-10", -10),
        (" 0xa", 10),
        ("1_000", 1_000),
        ("1,000", 1_000),
        ("-1.5 gwei", -15 * 10**8),
        (".5rbtc", RBTC // 2),
        ("1.0", 1),
        ("1e18", 10**18),
        ("-1.5E3", -1_500),
    ],
)
def test_integer(text: str, value: int) -> None:
    """Integers for contracts are written as in Python, or as amounts."""
    assert parse_integer(text) == value


@pytest.mark.parametrize(
    "text", ["", "1.5", "1.5e0", "1e999", "--1", "- 1 gwei x", "1,00", "9" * 101, "ten"]
)
def test_no_integer(text: str) -> None:
    """Anything else is refused, long numbers before they are read."""
    with pytest.raises(ValueError):  # noqa: PT011  # whose text callers do not show
        parse_integer(text)


def test_decimal() -> None:
    """Large amounts keep every digit."""
    assert decimal(2**256 - 1, RBTC).replace(",", "").replace(".", "") == str(2**256 - 1)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3_661, "1 h 1 min"), (10**8, "1,157 d 9 h")],
)
def test_span(seconds: int, text: str) -> None:
    """Durations have their two largest units."""
    assert span(seconds) == text


def test_age() -> None:
    """Times are relative to now: past, present and future."""
    assert [age(10, now) for now in (22, 10, 5)] == ["12 s ago", "just now", "in 5 s"]


def test_moment() -> None:
    """Times are UTC dates; a time out of range is in seconds."""
    assert moment(1_700_000_000) == "2023-11-14 22:13:20 UTC"
    assert moment(2**62) == f"{2**62} s after 1970"


def test_percent() -> None:
    """Shares have one decimal, 0 and 100 % none and only if they are exact; of 0 it is 0 %."""
    shares = [percent(part, whole) for part, whole in ((1, 3), (0, 5), (5, 5), (1, 0))]

    assert shares == ["33.3 %", "0 %", "100 %", "0 %"]
    assert [percent(part, 10**6) for part in (1, 10**6 - 1)] == ["< 0.1 %", "> 99.9 %"]


def test_plural() -> None:
    """The noun is singular after 1 only."""
    assert (plural(1, "block"), plural(1_000, "block")) == ("1 block", "1,000 blocks")
