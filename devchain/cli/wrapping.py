"""Text in lines of a width: addresses and hashes stay whole, call trees keep their branches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from devchain.text import columns

MIN_WIDTH = 16
"""Columns that text gets at least, however narrow the terminal is."""

MIN_TEXT = 46
"""Columns that a line of a tree has for its text: an address and some characters around it."""

MIN_TREE = 24
"""Columns that its branches have at most on a narrow terminal."""

HEX = re.compile("0x[0-9a-fA-F]{1,64}")
WORD = re.compile(r"\S+\s*|\s+")
PIECE = re.compile(r"[^(\[{=,/]*[(\[{=,/]+\s*|[^(\[{=,/]+")
"""Where a word that is longer than a line is broken: after an opening bracket, `=` or a comma."""

AROUND_HEX = " ,.;:()[]{}'\""
BRANCHES = re.compile("(?:│  |   )*(?:├─ |└─ | {0,2}[> ] *[0-9]+ │ )?")
"""The beginning of a line of a call tree, or of one of source in it: `> 17 │ `."""

MARKS = re.compile(r"│ +\^+$")
"""The end of a line that underlines a part of the one of source above it."""


def wrap(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """The text in lines of a width, the first after `first`, the others after `rest`.

    Lines end at spaces; a word that is longer than a line is broken after a bracket, `=` or comma,
    else anywhere, but never in a hex value of up to 32 bytes.
    """
    lines, line, is_empty = [], first, True
    for word in _words(text, max(width - columns(rest), MIN_WIDTH)):
        if not is_empty and columns(line + word.rstrip()) > max(width, columns(rest) + MIN_WIDTH):
            lines.append(line.rstrip())
            line = rest
        line += word
        is_empty = False
    return [*lines, line.rstrip()]


def _words(text: str, width: int) -> Iterator[str]:
    for word in WORD.findall(text):
        for piece in [word] if columns(word.rstrip()) <= width else PIECE.findall(word):
            if columns(piece.rstrip()) <= width or HEX.fullmatch(piece.strip(AROUND_HEX)):
                yield piece
            else:
                size = width // 2  # characters, which are one or two columns wide
                yield from (piece[start : start + size] for start in range(0, len(piece), size))


def wrap_tree(lines: Sequence[str], width: int, indent: str = "") -> Iterator[list[str]]:
    """The lines of a call tree or a source trace, each wrapped under its branches.

    └─ Token.transfer(
           to=0x70997970c51812dc3a010c7d01b50e0d17dc79c8, value=1) → true

    If calls are nested so deep that no columns are left, only the last branches are shown. Marks
    below a line of source are left out if that line does not fit.
    """
    widest = max(width - MIN_TEXT, MIN_TREE)
    for line in lines:
        if MARKS.search(line) and columns(indent + line) > width:
            continue
        branches = BRANCHES.match(line)
        lead = branches[0] if branches else ""
        first = indent + lead
        rest = f"{indent}{re.sub('[^│]', ' ', lead.replace('├', '│'))}    "
        if len(rest) > widest:
            first, rest = f"…{first[-widest:]}", f"…{rest[-widest:]}"
        yield wrap(line[len(lead) :], width, first, rest)
