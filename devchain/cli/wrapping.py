"""Text in lines of a width: addresses and hashes stay whole, call trees keep their branches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from devchain.text import columns

MIN_WIDTH = 16
"""Columns that text gets at least, however narrow the terminal is."""

MIN_TEXT = 46
"""Columns that a line of a tree has for its text: an address and some characters around it."""

HEX = re.compile("0x[0-9a-fA-F]{1,64}(?![0-9a-fA-F])")
"""An address, a hash or a word, which is never broken."""

PIECE = re.compile(r"[^(\[{=,/]*[(\[{=,/]+|[^(\[{=,/]+")
"""Where a word is broken that is longer than a line: after an opening bracket, `=` or a comma."""

WORD = re.compile(r"\S+\s*|\s+")
PHRASE = re.compile(r"(?:→ )?(?:\[[0-9,]+ gas\]|\S*0x[0-9a-fA-F]{40} \([^\s()]+\)\S*|\S+)\s*|\s+")
"""What is on one line if it fits: a word, `→ 10`, `[21,000 gas]`, `to=0x12.. (Token),`."""

AROUND_HEX = " ,.;:()[]{}'\""

GUTTER = re.compile("[> ] *[0-9]+ │ $")
BRANCHES = re.compile("(?:│  |   )*(?:├─ |└─ | {0,2}[> ] *[0-9]+ │ )?")
"""The beginning of a line of a call tree, or of one of source in it: `> 17 │ `."""

MARKS = re.compile(r"│ +\^+$")
"""The end of a line that underlines a part of the one of source above it."""


def wrap(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """The text in lines of a width, the first after `first`, the others after `rest`.

    Lines end at spaces, else in a word after a bracket, `=` or comma, and in a longer run of
    characters anywhere, but never in a hex value of up to 32 bytes: if it does not fit, it is a
    line with less indentation.
    """
    lines: list[str] = []
    line, left = first, max(width - columns(first), MIN_WIDTH)
    full = max(width - columns(rest), MIN_WIDTH)
    is_empty = True
    for word in _words(text, full):
        size = columns(word.rstrip())
        if not is_empty and size > left:
            lines.append(line.rstrip())
            line, left = rest[: max(width - size, 0)] if size > full else rest, full
        line += word
        left -= columns(word)
        is_empty = False
    return [*lines, line.rstrip()]


def wrap_tree(lines: Sequence[str], width: int, indent: str = "") -> Iterator[list[str]]:
    """The lines of a call tree or a source trace, each wrapped under its branches.

    └─ Token.transfer(
           to=0x70997970c51812dc3a010c7d01b50e0d17dc79c8, value=1) → true

    Of calls nested so deep that their branches leave no columns, the last branches are shown. Marks
    below a line of source are left out if that line does not fit.
    """
    following = [*lines, ""][1:]
    widest = max(width - MIN_TEXT, width // 2)
    for line, next_line in zip(lines, following, strict=True):
        if MARKS.search(line) and columns(indent + line) > width:
            continue
        branches = BRANCHES.match(line)
        lead = branches[0] if branches else ""
        below = lead.replace("├─ ", "│  ").replace("└─ ", "   ")
        if gutter := GUTTER.search(lead):
            rest = f"{indent}{lead[: gutter.start()]}{' ' * (len(gutter[0]) - 2)}│   "
        else:
            is_parent = next_line.startswith((f"{below}├─ ", f"{below}└─ "))
            rest = f"{indent}{below}{'│' if is_parent else ' '}   "
        first = indent + lead
        if len(rest) > widest:
            first, rest = f"…{first[-widest:]}", f"…{rest[-widest:]}"
        yield wrap(line[len(lead) :], width, first, rest)


def _words(text: str, width: int) -> Iterator[str]:
    phrases = PHRASE.findall(text)
    fitting = (
        [each] if columns(each.rstrip()) <= width else WORD.findall(each) for each in phrases
    )
    for word in chain.from_iterable(fitting):
        if columns(word.rstrip()) <= width:
            yield word
            continue
        body = word.rstrip()
        *pieces, last = PIECE.findall(body)
        for piece in (*pieces, last + word[len(body) :]):
            yield from _parts(piece, width)


def _parts(text: str, width: int) -> Iterator[str]:
    # A text without a place to break it, cut at the width unless it is one hex value.
    if columns(text.rstrip()) <= width or HEX.fullmatch(text.strip(AROUND_HEX)):
        yield text
        return
    start = used = 0
    for index, each in enumerate(text):
        size = columns(each)
        if used + size > width:
            yield text[start:index]
            start, used = index, 0
        used += size
    yield text[start:]
