"""Output of commands: results to stdout, everything else to stderr; labelled rows; colors.

On a terminal lines are wrapped: addresses and hashes stay whole, call trees keep their branches.
Text from a node is escaped here and never interpreted as Rich markup.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import TextIO

from devchain.errors import InvalidInput
from devchain.text import LineKind, columns, printable

Piece = str | tuple[str, str]
"""Text, or text with a Rich style."""

Row = tuple[str, Sequence[Piece] | None]
"""A label and its value; None if the node did not return one."""

DEFAULT_HANDLERS = frozenset({"strict", "surrogateescape"})
NOT_ASCII = re.compile(r"[^\x00-\x7f]")

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

BAR_CELLS = 20
LABEL_WIDTH = 14
"""Columns of a label: a 66-character hash beside it ends at column 80."""

TITLE = "bold"
FAINT = "dim"
GOOD = "green"
BAD = "bold red"
NAME = "cyan"
LINE_STYLES = {
    LineKind.FAILURE: "red",
    LineKind.HINT: "yellow",
    LineKind.MARKED: "bold",
    LineKind.CONTEXT: FAINT,
}
"""Styles of lines of call trees and source traces."""


class DetailedError(InvalidInput):
    """An error with lines to be shown below its message, those of a source trace."""

    def __init__(self, message: str, lines: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.lines = lines


def write_line(*pieces: Piece, stream: TextIO | None = None) -> None:
    """Write one line of the result; it is never cut, and wrapped only by a terminal."""
    stream = stream or sys.stdout
    parts = [(piece, "") if isinstance(piece, str) else piece for piece in pieces]
    if not has_colors(stream):
        stream.write("".join(printable(text) for text, _ in parts).rstrip() + "\n")
        return
    from rich.console import Console
    from rich.text import Text

    line = Text.assemble(*((printable(text), style) for text, style in parts))
    Console(file=stream, highlight=False, force_terminal=True).print(line, soft_wrap=True)


def write_title(*pieces: Piece) -> None:
    """Write the first line of a result: the first piece in bold, the others faint."""
    first, *rest = pieces
    _write_wrapped("", "  ", (_text(first), TITLE), *((f" · {_text(it)}", FAINT) for it in rest))


def write_field(label: str, *pieces: Piece) -> None:
    """Write a labelled value; a text wider than the terminal is wrapped."""
    _write_wrapped((f"{label:<{LABEL_WIDTH}}", FAINT), " " * LABEL_WIDTH, *pieces)


def write_row(figures: str, *pieces: Piece) -> None:
    """Write a row of a table; what exceeds the terminal goes on below the pieces."""
    _write_wrapped(figures, " " * len(figures), *pieces)


def _write_wrapped(first: Piece, rest: str, *pieces: Piece) -> None:
    for index, line in enumerate(_wrapped(pieces, len(rest))):
        write_line(rest if index else first, *line)


def write_fields(rows: Iterable[Row]) -> None:
    """Write labelled values, without those that the node did not return."""
    for label, pieces in rows:
        if pieces is not None:
            write_field(label, *pieces)


def bar(share: float) -> tuple[str, str]:
    """The filled and the empty part of a bar; a share above 0 % fills at least one cell."""
    filled = min(BAR_CELLS, ceil(share * BAR_CELLS / 100))
    return "█" * filled, "░" * (BAR_CELLS - filled)


def write_blank_line() -> None:
    sys.stdout.write("\n")


def write_tree(lines: Sequence[str], indent: str = "  ", stream: TextIO | None = None) -> None:
    """Write the lines of a call tree or a source trace; on a terminal wrapped, and in colors."""
    stream = stream or sys.stdout
    if stream is sys.stderr:
        sys.stdout.flush()
    shown = [printable(line) for line in lines]
    wrapped: Iterable[list[str]] = ([f"{indent}{line}"] for line in shown)
    if stream.isatty():
        wrapped = wrap_tree(shown, _columns(), indent)
    for parts in wrapped:
        kind = LineKind.of(parts[0])
        for part in parts:
            write_line((part, LINE_STYLES[kind] if kind else ""), stream=stream)


def write_paragraph(text: str, indent: str = "    ") -> None:
    """Write indented text, wrapped at the terminal's width."""
    for line in wrap(printable(text), _columns(), indent, indent):
        write_line(line)


def write_note(*pieces: Piece) -> None:
    """Write a line to stderr; on a terminal a text is wrapped between words."""
    sys.stdout.flush()
    if len(pieces) == 1 and isinstance(pieces[0], str) and sys.stderr.isatty():
        for row in wrap(printable(pieces[0]), _columns(), rest="  "):
            write_line(row, stream=sys.stderr)
        return
    write_line(*pieces, stream=sys.stderr)


said_topics: set[str] = set()
"""Topics of the warnings of this command."""


def write_warning(topic: str, text: str) -> None:
    """Write a warning to stderr, if it is the first of its topic."""
    if topic not in said_topics:
        write_note(f"warning: {text}")
    said_topics.add(topic)


def write_error(text: str, lines: Sequence[str] = ()) -> None:
    """Write an error message, and the lines of a source trace, to stderr."""
    first, *rest = [printable(text)]
    if sys.stderr.isatty():
        first, *rest = wrap(first, _columns(), " " * len("error: "), "  ")
        first = first.lstrip()
    write_note(("error:", BAD), f" {first}")
    for line in rest:
        write_note(line)
    write_tree(lines, "", sys.stderr)


def write_json(value: object) -> None:
    """Write a JSON value, indented; all but ASCII is escaped.

    A value that nests deeper than the standard library writes is in one line: before CPython 3.13
    that is a trace of some 500 calls that are in one another.
    """
    try:
        text = json.dumps(value, indent=2)
    except RecursionError:
        from devchain.rpc.json_codec import dump_json

        text = NOT_ASCII.sub(lambda match: json.dumps(match[0])[1:-1], dump_json(value).decode())
    sys.stdout.write(text.replace("\x7f", "\\u007f") + "\n")


def fit_encoding(stream: TextIO) -> None:
    """Let a stream escape what its encoding lacks instead of failing.

    An error handler that the user chose (`PYTHONIOENCODING=ascii:replace`) stays.
    """
    if isinstance(stream, io.TextIOWrapper) and stream.errors in DEFAULT_HANDLERS:
        stream.reconfigure(errors="backslashreplace")


def has_colors(stream: TextIO, environ: os._Environ[str] = os.environ) -> bool:
    """Whether a stream gets colors: on a terminal or with FORCE_COLOR, never with NO_COLOR."""
    if environ.get("NO_COLOR"):
        return False
    return bool(environ.get("FORCE_COLOR")) or (stream.isatty() and environ.get("TERM") != "dumb")


def _text(piece: Piece) -> str:
    return piece if isinstance(piece, str) else piece[0]


def _columns() -> int:
    return shutil.get_terminal_size().columns


def _wrapped(pieces: Sequence[Piece], indent: int) -> list[Sequence[Piece]]:
    if not sys.stdout.isatty():
        return [pieces]
    texts = [printable(_text(piece)) for piece in pieces]
    styles = ["" if isinstance(piece, str) else piece[1] for piece in pieces]
    whole = "".join(texts)
    lines: list[Sequence[Piece]] = []
    start = 0
    for line in wrap(whole, max(_columns() - indent, MIN_WIDTH)):
        start = whole.index(line, start)
        lines.append(list(_part(texts, styles, start, start + len(line))))
        start += len(line)
    return lines


def _part(
    texts: Sequence[str], styles: Sequence[str], start: int, end: int
) -> Iterator[tuple[str, str]]:
    for text, style in zip(texts, styles, strict=True):
        if part := text[max(start, 0) : max(end, 0)]:
            yield part, style
        start -= len(text)
        end -= len(text)


# Wrapping


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
