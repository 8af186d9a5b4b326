"""Source traces: the functions in which an execution failed, with their places in the source.

`SourceTrace.text` and the call trees show them, everywhere in the same form. Text of sources and
contracts is escaped and shortened in it, so that it makes no lines of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from devchain.text import columns, printable, shorten

CONTEXT = 1  # lines of source that are shown before the one that failed
MAX_WIDTH = 160  # characters of a line of a trace, and of one of source in it
MAX_FRAMES = 12  # functions that are shown of a trace: recursion can make any number of them
MAX_PLACES = 4  # functions that a log shows of a trace
PLACES = 52  # the column at which places are shown at most: the place of a longer text is below it

BRANCHES = re.compile("(?:│  |   )*(?:├─ |└─ )?")  # the beginning of a line of a call tree
MAX_LINES = 8  # lines of a place that are shown
MAX_VALUES = 8  # variables that are shown below the source
TAB = 4


class Confidence(Enum):
    """How sure it is that a location is the right one."""

    EXACT = "exact"
    NEAR = "near"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class SourceFrame:
    """A function that was running: contract, function, arguments as text, and its place.

    `path` is empty and `line` 0 if the source is not known; lines and columns count from 1, the
    range ends before `end_column` of `end_line`. `kind` is that of the function: function,
    modifier, constructor, fallback, receive or, without one, empty. Where the confidence is `NEAR`
    it is the nearest place that the compiler's source map has, `UNKNOWN` without a place. `note`
    says what code of the compiler's own ran.
    """

    contract: str
    function: str = ""
    arguments: str | None = None
    kind: str = ""
    path: str = ""
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    confidence: Confidence = Confidence.UNKNOWN
    note: str = ""
    lines: tuple[tuple[int, str], ...] = ()  # around the place: numbers and texts
    values: tuple[tuple[str, str], ...] = ()  # names and values of local variables

    @property
    def title(self) -> str:
        """Contract, function and arguments: `Vault.take(amount=9)`."""
        name = ".".join(filter(None, (self.contract, self.function)))
        if self.kind == "modifier":
            return f"modifier {name}"
        return name if self.arguments is None else f"{name}({self.arguments})"

    @property
    def is_near(self) -> bool:
        return self.confidence is Confidence.NEAR

    @property
    def place(self) -> str:
        """`contracts/Vault.sol:17`, after `near` if it is not exact; empty if not known."""
        where = f"{self.path}:{self.line}" if self.line else self.path
        return f"near {where}" if self.is_near and where else where

    @property
    def place_and_note(self) -> str:
        """The place, and what code of the compiler's own ran there."""
        return " ".join(filter(None, (self.place, f"({self.note})" if self.note else "")))

    @property
    def excerpt(self) -> list[str]:
        """The lines of source around the place; of a part of one line the part is underlined.

          16 │ function take(uint256 amount) external {
        > 17 │     if (amount > have) revert TooMuch();
             │                        ^^^^^^^^^^^^^^^^
        """
        if not self.lines:
            return []
        texts = [(number, text.rstrip().expandtabs(TAB)) for number, text in self.lines]
        margin = min((len(text) - len(text.lstrip()) for _, text in texts if text), default=0)
        digits = len(str(texts[-1][0]))
        lines = []
        for number, text in texts:
            shown = printable(shorten(text[margin:], MAX_WIDTH))
            is_marked = self.line <= number <= self.end_line
            lines.append(f"{'>' if is_marked else ' '} {number:>{digits}} │ {shown}".rstrip())
            if is_marked and (marks := self._underline(text, shown, margin)):
                lines.append(f"  {'':>{digits}} │ {marks}")
        hidden = self.end_line - texts[-1][0]
        below = [f"... {hidden} more"] if hidden > 0 else []
        below += [short_line(f"{name} = {value}") for name, value in self.values[:MAX_VALUES]]
        if len(self.values) > MAX_VALUES:
            below.append(f"... {len(self.values) - MAX_VALUES} more")
        return [*lines, *(f"  {'':>{digits}} │ {text}" for text in below)]

    def _underline(self, text: str, shown: str, margin: int) -> str:
        if (
            self.end_line != self.line
            or not shown.isascii()
            or shown != text[margin:]
            or self.is_near
        ):
            return ""
        raw = dict(self.lines)[self.line]
        start = len(raw[: self.column - 1].expandtabs(TAB))
        end = min(len(text), len(raw[: self.end_column - 1].expandtabs(TAB)))
        is_all = not text[:start].strip() and REST.match(text[end:])
        if is_all or start >= end or start < margin:
            return ""
        return " " * (start - margin) + "^" * (end - start)


REST = re.compile(r"\s*[;{]?\s*(//.*|/\*.*|#.*)?$")  # of a line, behind its only statement


@dataclass(frozen=True, slots=True)
class SourceTrace:
    """Why and where an execution failed: its reason, a hint, and frames, the outermost first.

    `caught` is the number of calls whose failure was caught: only the call tree shows them.
    """

    reason: str
    frames: tuple[SourceFrame, ...] = ()
    hint: str = ""
    caught: int = 0

    def __bool__(self) -> bool:
        return bool(self.hint) or self.has_place

    @property
    def has_place(self) -> bool:
        return any(frame.line for frame in self.frames)

    @property
    def located(self) -> list[SourceFrame]:
        """The frames whose place is known, the innermost first."""
        return [frame for frame in reversed(self.frames) if frame.line]

    @property
    def places(self) -> list[str]:
        """Places and functions, the innermost first: `contracts/Vault.sol:17 in Vault.take()`."""
        lines = [short_line(f"{frame.place_and_note} in {frame.title}") for frame in self.located]
        hidden = len(lines) - MAX_PLACES
        return [*lines[:MAX_PLACES], *([f"... {hidden:,} more"] if hidden > 0 else [])]

    @property
    def excerpt(self) -> list[str]:
        return self.located[0].excerpt if self.has_place else []

    @property
    def text(self) -> str:
        """The trace as lines: reason, hint, frames from the outermost in, and the source."""
        return "\n".join(self.text_lines)

    @property
    def text_lines(self) -> list[str]:
        head = [self.reason, *([f"hint: {self.hint}"] if self.hint else [])]
        rows = [
            (f"  at {frame.title}", frame.place_and_note)
            if isinstance(frame, SourceFrame)
            else (f"  {frame}", "")
            for frame in shown_frames(self.frames)
        ]
        lines = [*(short_line(line) for line in head), *beside(rows)]
        return [*lines, *(f"     {line}" for line in self.excerpt)]


def shown_frames(frames: Sequence[SourceFrame]) -> Iterator[SourceFrame | str]:
    """The frames, or of very many the first and last, with a text for those between."""
    if len(frames) <= MAX_FRAMES:
        yield from frames
        return
    half = MAX_FRAMES // 2
    yield from frames[:half]
    yield f"... {len(frames) - 2 * half:,} more"
    yield from frames[-half:]


def short_line(text: str) -> str:
    return printable(shorten(text, MAX_WIDTH))


def beside(rows: Iterable[tuple[str, str]], limit: int = MAX_WIDTH) -> list[str]:
    """Lines of texts with places at their right, in one column; texts are escaped and shortened.

    ├─ in Token.move(amount=9)                            contracts/Token.sol:48
    └─ ✗ Token.transfer(to=0x5FbDB2315678afecb367f032d93F642f64180aa3) [2,310 gas]
                                                          contracts/Token.sol:17
    """
    pairs = [(printable(shorten(text, limit)), short_line(place)) for text, place in rows]
    widths = [columns(text) for text, place in pairs if place]
    # A single place is in no column.
    column = min(max(widths, default=0), PLACES if len(widths) > 1 else limit)
    lines = []
    for text, place in pairs:
        shown = text
        if place and columns(text) > column:
            lines.append(text)
            branches = BRANCHES.match(text)
            shown = branches[0].replace("├─ ", "│  ").replace("└─ ", "   ") if branches else ""
        padding = " " * (column - columns(shown))
        lines.append(f"{shown}{padding}  {place}" if place else text)
    return lines
