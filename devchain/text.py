"""Text for people: what others wrote (contracts, clients, other nodes) made safe; amounts, times.

Also what the lines of call trees and source traces are, for those who show them in colors.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from difflib import get_close_matches
from enum import Enum
from functools import lru_cache

MIN_WHOLE = 10**12  # amounts below this many wei are shown in wei
COIN = 10**18  # wei in one coin
MIN_GWEI = 10**6  # gas prices below this many wei are shown in wei
UNITS = {"wei": 1, "gwei": 10**9, "rbtc": COIN, "ether": COIN, "eth": COIN}
SATOSHIS = 10**8  # in a bitcoin
BITCOIN_UNITS = {"btc": SATOSHIS, "sat": 1}
WITH_COMMAS = "[0-9]{1,3}(?:,[0-9]{3})+"
WRITTEN_AMOUNT = re.compile(
    rf"(?:(0x[0-9a-f]+)|([0-9]+|{WITH_COMMAS}|(?=\.[0-9]))(?:\.([0-9]*))?)\s*([a-z]*)"
)
MAX_AMOUNT_LENGTH = 100
POWER_OF_TEN = re.compile(r"([+-]?\d{1,40})(?:\.(\d{1,40}))?[eE]\+?(\d{1,2})", re.ASCII)
MAX_UINT256 = 2**256 - 1

WIDE = frozenset("WF")

SPANS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))

WATCH = "devchain watch"  # the `User-Agent` of that command: logs leave out its polls

INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")  # printable, shown as nothing


MAX_SHOWN = 80  # characters of a caller's value that an error shows
MAX_MISSPELT = 40  # characters of a name that may be a misspelt one

SIMILARITY = 0.75  # of two names of which one is the other, misspelt: `form`, `from`


def misspelt(name: str, known: Iterable[str]) -> str:
    """The known name that was meant, or none: `gas_price` and `valeu` are `gasPrice`, `value`."""
    if len(name) > MAX_MISSPELT:
        return ""
    by_plain_name = {_plain(candidate): candidate for candidate in known}
    found = get_close_matches(_plain(name), by_plain_name, n=1, cutoff=SIMILARITY)
    return by_plain_name[found[0]] if found else ""


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def known_names(name: str, known: Collection[str]) -> str:
    """What to write in place of an unknown name: `did you mean value?`, else all that there are."""
    meant = misspelt(name, known)
    return f"did you mean {meant}?" if meant else f"it has {', '.join(known) or 'none'}"


def printable(text: str) -> str:
    r"""The text on one line, with every character that could act on a terminal escaped: `\x1b[2J`.

    These are control characters, separators other than the space, marks of direction and of zero
    width, lone surrogates, and what no character is assigned to.
    """
    if text.isprintable() and INVISIBLE.isdisjoint(text):
        return text
    return "".join(
        character
        if character.isprintable() and character not in INVISIBLE
        else character.encode("unicode_escape").decode()
        for character in text
    )


def preformatted(text: str) -> str:
    """Text as HTML that shows it as it is, in notebooks."""
    return f"<pre>{text.replace('&', '&amp;').replace('<', '&lt;')}</pre>"


class Lines(str):
    """Lines of text that notebooks show as lines."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return preformatted(self)


def shorten(text: str, limit: int) -> str:
    """The text, with `...` for what exceeds a number of characters; cut between words if it can."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 3]
    space = cut.rfind(" ", limit // 2)
    return f"{cut if space < 0 else cut[: space + 1]}..."


def shown_argument(value: object) -> str:
    """A value that a caller gave, as short text for an error."""
    shown = ascii(value)
    return shown if len(shown) <= MAX_SHOWN else shown[:MAX_SHOWN] + "..."


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: two for a wide character, none for a mark."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(character)
        else 1 + (unicodedata.east_asian_width(character) in WIDE)
        for character in text
    )


def plural(count: int, noun: str) -> str:
    """A count with its noun: `1 block`, `1,000 blocks`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def amount(wei: int, coin: str) -> str:
    """An amount, exact, with commas: `1,000.5 RBTC`; in wei if it is tiny."""
    if 0 < wei < MIN_WHOLE:
        return f"{wei:,} wei"
    return f"{decimal(wei, COIN)} {coin}"


def parse_amount(written: str, units: Mapping[str, int] = UNITS) -> int:
    """An amount in wei: `1.5rbtc`, `10 gwei`, `1,000 wei`, `0x10`; in wei without a unit.

    Other `units` begin with the one that may be left out. Raises `ValueError` for anything else,
    parts of a wei and more than 256 bits.
    """
    text = written.strip().lower()
    match = WRITTEN_AMOUNT.fullmatch(text) if len(text) <= MAX_AMOUNT_LENGTH else None
    name = (match and match[4]) or next(iter(units))
    if match is None or name not in units:
        raise ValueError(written)
    unit, part = units[name], (match[3] or "").rstrip("0")
    digits = int(match[1], 16) if match[1] else int(f"0{match[2].replace(',', '')}{part}")
    wei, rest = divmod(digits * unit, int(10 ** len(part)))
    if rest or wei > MAX_UINT256:
        raise ValueError(written)
    return wei


def parse_integer(written: str) -> int:
    """An integer, `-10`, `0xa`, `1_000`, or an amount as `parse_amount`; raises `ValueError`."""
    text = written.strip()
    if len(text) > MAX_AMOUNT_LENGTH:
        raise ValueError(written)
    with suppress(ValueError):
        return int(text, 0)
    if power := POWER_OF_TEN.fullmatch(text):  # of 1e18, exact
        zeros = int(power[3]) - len(power[2] or "")
        if zeros >= 0:
            return int(power[1] + (power[2] or "")) * int(10**zeros)
    digits = text.removeprefix("-")
    return parse_amount(digits) if digits == text else -parse_amount(digits)


def decimal(value: int, unit: int) -> str:
    """A number in a larger unit, a power of ten, exact, with commas: 1500 in 1000 is `1.5`."""
    whole, part = divmod(abs(value), unit)
    digits = f"{part + unit}"[1:].rstrip("0")
    sign = "-" if value < 0 else ""
    return f"{sign}{whole:,}.{digits}" if digits else f"{sign}{whole:,}"


def gas_price(wei: int) -> str:
    """A gas price, exact: `0.06 gwei`; in wei if it is tiny."""
    return f"{wei:,} wei" if wei < MIN_GWEI else f"{decimal(wei, 10**9)} gwei"


def percent(part: int, whole: int) -> str:
    """A share with one digit; one that is not quite none or all says so: `< 0.1 %`."""
    if not part or not whole:
        return "0 %"
    text = "100 %" if part == whole else f"{100 * part / whole:.1f} %"
    return {"0.0 %": "< 0.1 %", "100.0 %": "> 99.9 %"}.get(text, text)


@lru_cache(256)
def moment(timestamp: int) -> str:
    try:
        return f"{datetime.fromtimestamp(timestamp, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (OverflowError, ValueError, OSError):
        return f"{timestamp} s after 1970"


def age(timestamp: int, now: int) -> str:
    """A timestamp relative to now: `12 s ago`, `in 3 d 4 h`."""
    seconds = now - timestamp
    if seconds == 0:
        return "just now"
    return f"{span(seconds)} ago" if seconds > 0 else f"in {span(-seconds)}"


def span(seconds: int) -> str:
    """A duration in its two largest units: `3 d 4 h`, `2 min 5 s`."""
    parts: list[str] = []
    for length, unit in SPANS:
        whole, seconds = divmod(seconds, length)
        if whole or parts:
            parts.append(f"{whole:,} {unit}" if whole else "")
    return " ".join(filter(None, parts[:2])) or "0 s"


class LineKind(Enum):
    """What a line of a trace or a call tree is, for those who show it in colors."""

    FAILURE = r"[│├└─ ]*✗ (?!.*\[[0-9,]+ gas\])"
    HINT = r"[│ ]*hint: "
    MARKED = r"[│ ]*> +\d+ │|[│ ]*│ +\^+$"
    CONTEXT = r"[│ ]* \d+ │"

    @classmethod
    def of(cls, line: str) -> LineKind | None:
        return next((kind for kind in cls if re.match(kind.value, line)), None)
