"""Where a command's words go: the answer to stdout, everything else to stderr.

Whatever comes from a node is made printable here, and never read as markup.
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

from devchain.cli.format import printable

if TYPE_CHECKING:
    from rich.progress import Progress

Piece = str | tuple[str, str]
"""Text, or text with a rich style."""

LABEL_WIDTH = 14
"""Columns of a label: a 66-character hash after it ends at column 80."""

TITLE = "bold"
FAINT = "dim"
GOOD = "green"
BAD = "bold red"
NAME = "cyan"


def write(*pieces: Piece, stream: TextIO | None = None) -> None:
    """One line of the answer; it is never cut, nor wrapped when it is not for a terminal."""
    stream = stream or sys.stdout
    parts = [(each, "") if isinstance(each, str) else each for each in pieces]
    if not has_colors(stream):
        stream.write("".join(printable(text) for text, _ in parts).rstrip() + "\n")
        return
    from rich.console import Console
    from rich.text import Text

    line = Text.assemble(*((printable(text), style) for text, style in parts))
    Console(file=stream, highlight=False, force_terminal=True).print(line, soft_wrap=True)


def title(*pieces: Piece) -> None:
    """The opening line of an answer: the first piece stands out, the others do not."""
    first, *rest = pieces
    write((_text(first), TITLE), *((f" · {_text(each)}", FAINT) for each in rest))


def field(label: str, *pieces: Piece) -> None:
    """A labelled value; several words too long for the terminal go on below the first."""
    lines = _wrapped(pieces)
    for index, line in enumerate(lines):
        write((f"{'' if index else label:<{LABEL_WIDTH}}", FAINT), *line)


def fields(rows: Iterable[tuple[str, Sequence[Piece] | None]], indent: str = "") -> None:
    """Labelled values below each other; those the node did not give are left out."""
    for label, pieces in rows:
        if pieces is not None:
            field(f"{indent}{label}", *pieces)


def blank() -> None:
    """An empty line."""
    sys.stdout.write("\n")


def paragraph(text: str, indent: str = "    ") -> None:
    """Words below a line of the answer, wrapped at the terminal's width."""
    width = shutil.get_terminal_size().columns
    for line in textwrap.wrap(
        printable(text), width, initial_indent=indent, subsequent_indent=indent
    ):
        write(line)


def flush() -> None:
    """Hand over what has been written, for whoever reads along."""
    sys.stdout.flush()


def note(*pieces: Piece) -> None:
    """A line for the person at the terminal, beside the answer."""
    sys.stdout.flush()
    write(*pieces, stream=sys.stderr)


def error(text: str) -> None:
    """What went wrong, on stderr."""
    note(("error:", BAD), f" {text}")


def show_json(value: object) -> None:
    """A JSON value exactly as the node gave it, indented."""
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def progress(unit: str) -> AbstractContextManager[Progress | None]:
    """A progress bar on stderr while work is under way; none if nobody watches."""
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
    """Whether styles may be shown there: on a terminal or with FORCE_COLOR, never with NO_COLOR."""
    if environ.get("NO_COLOR"):
        return False
    return bool(environ.get("FORCE_COLOR")) or (stream.isatty() and environ.get("TERM") != "dumb")


def _text(piece: Piece) -> str:
    return piece if isinstance(piece, str) else piece[0]


def _wrapped(pieces: Sequence[Piece]) -> list[Sequence[Piece]]:
    """The pieces as lines; only a single text with spaces in it is ever broken."""
    if len(pieces) != 1 or not sys.stdout.isatty():
        return [pieces]
    [piece] = pieces
    style = "" if isinstance(piece, str) else piece[1]
    width = max(shutil.get_terminal_size().columns - LABEL_WIDTH, LABEL_WIDTH)
    lines = textwrap.wrap(
        printable(_text(piece)), width, break_long_words=False, break_on_hyphens=False
    )
    return [[(line, style)] for line in lines] or [pieces]
