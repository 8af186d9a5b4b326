"""Text that others wrote (contracts, artifacts, clients, other nodes), made safe to show."""

from __future__ import annotations

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
