"""Text for people: what others wrote (contracts, clients, other nodes) made safe; amounts.

Also what the lines of call trees and source traces are, for those who show them in colors.
"""

from __future__ import annotations

import re
from enum import Enum

MIN_WHOLE = 10**12
"""Amounts below this many wei are shown in wei."""

COIN = 10**18
"""Wei in one coin."""

INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Characters that Python takes to be printable and that show as nothing."""


def printable(text: str) -> str:
    r"""The text on one line, with every character that could act on a terminal escaped: `\x1b[2J`.

    These are control characters (C0 and C1, so also line breaks and the beginning of ANSI
    sequences), separators other than the space, marks of direction and of zero width, lone
    surrogates, and what no character is assigned to.
    """
    if text.isprintable() and INVISIBLE.isdisjoint(text):
        return text
    return "".join(
        each
        if each.isprintable() and each not in INVISIBLE
        else each.encode("unicode_escape").decode()
        for each in text
    )


def shorten(text: str, limit: int) -> str:
    """The text, with `...` for what exceeds a number of characters; cut between words if it can."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 3]
    space = cut.rfind(" ", limit // 2)
    return f"{cut if space < 0 else cut[: space + 1]}..."


def plural(count: int, noun: str) -> str:
    """A count with its noun: `1 block`, `1,000 blocks`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def amount(wei: int, coin: str) -> str:
    """An amount, exact, with commas: `1,000.5 RBTC`; in wei if it is tiny."""
    if 0 < wei < MIN_WHOLE:
        return f"{wei:,} wei"
    return f"{decimal(wei, COIN)} {coin}"


def decimal(value: int, unit: int) -> str:
    """A number in a larger unit, a power of ten, exact, with commas: 1500 in 1000 is `1.5`."""
    whole, part = divmod(abs(value), unit)
    digits = f"{part + unit}"[1:].rstrip("0")
    sign = "-" if value < 0 else ""
    return f"{sign}{whole:,}.{digits}" if digits else f"{sign}{whole:,}"


class LineKind(Enum):
    """What a line of a trace or a call tree is, for those who show it in colors."""

    FAILURE = r"[│├└─ ]*✗ (?!.*\[[0-9,]+ gas\])"
    HINT = r"[│ ]*hint: "
    MARKED = r"[│ ]*> +\d+ │|[│ ]*│ +\^+$"
    CONTEXT = r"[│ ]* \d+ │"

    @classmethod
    def of(cls, line: str) -> LineKind | None:
        """The kind of a line; None for calls, events and other text."""
        return next((each for each in cls if re.match(each.value, line)), None)
