"""Source traces: the functions in which an execution failed, with their places in the source."""

from __future__ import annotations

from dataclasses import dataclass

from devchain.text import printable, shorten

CONTEXT = 1
"""Lines of source that are shown before the one that failed."""

MAX_WIDTH = 160


@dataclass(frozen=True, slots=True)
class SourceFrame:
    """A function that was running: contract, function, arguments as text, and its place.

    `path` is empty and `line` 0 if the source is not known; lines and columns count from 1, the
    range ends before `end_column` of `end_line`. `kind` is that of the function: function,
    modifier, constructor, fallback, receive or, without one, empty. An approximate place is the
    nearest one that the compiler's source map has. `note` says what code of the compiler's own ran.
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
    is_approximate: bool = False
    note: str = ""
    lines: tuple[tuple[int, str], ...] = ()
    """The source around the place: numbers and texts of lines."""

    @property
    def title(self) -> str:
        """Contract, function and arguments: `Vault.take(amount=9)`."""
        name = ".".join(filter(None, (self.contract, self.function)))
        if self.kind == "modifier":
            return f"modifier {name}"
        return name if self.arguments is None else f"{name}({self.arguments})"

    @property
    def place(self) -> str:
        """`contracts/Vault.sol:17`, after `near` if it is approximate; empty if not known."""
        where = f"{self.path}:{self.line}" if self.line else self.path
        return f"near {where}" if self.is_approximate and where else where


@dataclass(frozen=True, slots=True)
class SourceTrace:
    """Why and where an execution failed: its reason, a hint, and frames, the outermost first."""

    reason: str
    frames: tuple[SourceFrame, ...] = ()
    hint: str = ""

    def __bool__(self) -> bool:
        """Whether a place in a source is known, or there is a hint."""
        return bool(self.hint) or any(each.line for each in self.frames)

    @property
    def excerpt(self) -> list[str]:
        """The lines of source around the place of the innermost frame that has one."""
        known = [each for each in self.frames if each.lines]
        if not known:
            return []
        frame = known[-1]
        width = len(str(frame.lines[-1][0]))
        return [
            f"{'>' if number == frame.line else ' '} {number:>{width}} │ {text}"
            for number, text in frame.lines
        ]

    @property
    def text(self) -> str:
        """The trace as lines: reason, hint, frames from the outermost in, and the source."""
        titles = [each.title for each in self.frames]
        width = min(max(map(len, titles), default=0), 60)
        lines = [self.reason, *([f"hint: {self.hint}"] if self.hint else [])]
        for title, frame in zip(titles, self.frames, strict=True):
            note = f" ({frame.note})" if frame.note else ""
            lines.append(f"  at {title:<{width}}  {frame.place}{note}".rstrip())
        lines += [f"     {each}" for each in self.excerpt]
        return "\n".join(printable(shorten(each, MAX_WIDTH)) for each in lines)
