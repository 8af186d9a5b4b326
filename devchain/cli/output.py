"""Output of commands: results to stdout, everything else to stderr; labelled rows; colors.

Text from a node is escaped here and never interpreted as Rich markup.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TextIO

from devchain.text import printable

if TYPE_CHECKING:
    from rich.progress import Progress

Piece = str | tuple[str, str]
"""Text, or text with a Rich style."""

Row = tuple[str, Sequence[Piece] | None]
"""A label and its value; None if the node did not return one."""

LABEL_WIDTH = 14
"""Columns of a label: a 66-character hash beside it ends at column 80."""

TITLE = "bold"
FAINT = "dim"
GOOD = "green"
BAD = "bold red"
NAME = "cyan"


def write_line(*pieces: Piece, stream: TextIO | None = None) -> None:
    """Write one line of the result; it is never cut, and wrapped only by a terminal."""
    stream = stream or sys.stdout
    parts = [(each, "") if isinstance(each, str) else each for each in pieces]
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
    write_line((_text(first), TITLE), *((f" · {_text(each)}", FAINT) for each in rest))


def write_field(label: str, *pieces: Piece) -> None:
    """Write a labelled value; a text wider than the terminal is wrapped."""
    lines = _wrapped(pieces)
    for index, line in enumerate(lines):
        write_line((f"{'' if index else label:<{LABEL_WIDTH}}", FAINT), *line)


def write_fields(rows: Iterable[Row]) -> None:
    """Write labelled values, without those that the node did not return."""
    for label, pieces in rows:
        if pieces is not None:
            write_field(label, *pieces)


def write_blank_line() -> None:
    """Write an empty line."""
    sys.stdout.write("\n")


def write_paragraph(text: str, indent: str = "    ") -> None:
    """Write indented text, wrapped at the terminal's width."""
    width = shutil.get_terminal_size().columns
    for line in textwrap.wrap(
        printable(text), width, initial_indent=indent, subsequent_indent=indent
    ):
        write_line(line)


def write_note(*pieces: Piece) -> None:
    """Write a line to stderr."""
    sys.stdout.flush()
    write_line(*pieces, stream=sys.stderr)


def write_error(text: str) -> None:
    """Write an error message to stderr."""
    write_note(("error:", BAD), f" {text}")


def write_json(value: object) -> None:
    """Write a JSON value, indented; all but ASCII is escaped."""
    sys.stdout.write(json.dumps(value, indent=2).replace("\x7f", "\\u007f") + "\n")


def progress_bar(unit: str) -> AbstractContextManager[Progress | None]:
    """A progress bar on stderr; None if stderr is not a terminal."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn(unit), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def has_colors(stream: TextIO, environ: os._Environ[str] = os.environ) -> bool:
    """Whether a stream gets colors: on a terminal or with FORCE_COLOR, never with NO_COLOR."""
    if environ.get("NO_COLOR"):
        return False
    return bool(environ.get("FORCE_COLOR")) or (stream.isatty() and environ.get("TERM") != "dumb")


def _text(piece: Piece) -> str:
    return piece if isinstance(piece, str) else piece[0]


def _wrapped(pieces: Sequence[Piece]) -> list[Sequence[Piece]]:
    """The pieces as lines; only a single text with spaces in it is wrapped."""
    if len(pieces) != 1 or not sys.stdout.isatty():
        return [pieces]
    [piece] = pieces
    style = "" if isinstance(piece, str) else piece[1]
    width = max(shutil.get_terminal_size().columns - LABEL_WIDTH, LABEL_WIDTH)
    lines = textwrap.wrap(
        printable(_text(piece)), width, break_long_words=False, break_on_hyphens=False
    )
    return [[(line, style)] for line in lines] or [pieces]
