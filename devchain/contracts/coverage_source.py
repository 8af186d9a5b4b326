"""Sources under measurement: whose instructions are whose, and what came of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from devchain.contracts.artifacts import Source
from devchain.contracts.coverage_report import DOUBT, NO_CODE, FileReport, add_counts, merge_counts
from devchain.contracts.syntax_tree import Function, Outline, Span, Statement

PROJECT = "project/"
"""How Hardhat 3 begins the paths of a project's own sources."""


@dataclass
class Measured:
    """One source and how often its parts ran: statements, or lines if it has no outline."""

    text: str
    outline: Outline | None
    is_vyper: bool
    counts: dict[int, int] = field(default_factory=dict)
    entered: dict[Span, int] = field(default_factory=dict)
    _owners: dict[Span, int | None] = field(default_factory=dict)

    def owner(self, span: Span) -> int | None:
        """Which statement, by number, or which line an instruction of that span belongs to."""
        if span not in self._owners:
            self._owners[span] = self._owner(span)
        return self._owners[span]

    def _owner(self, span: Span) -> int | None:
        if self.is_vyper and self._is_a_name(span):
            return None
        if self.outline is None:
            first, last = self.line(span[0]), self.line(max(span[0], span[1] - 1))
            return first if first == last and span[1] > span[0] else None
        whole = self._whole.get(span)
        return self._around(span) if whole is None else whole

    def _is_a_name(self, span: Span) -> bool:
        """Whether it is a mere name: vyper puts the place of its last use to all uses of one."""
        return self.text[span[0] : span[1]].isidentifier()

    def _around(self, span: Span) -> int | None:
        place = bisect_right(self._parts, (span[0], float("inf"), 0)) - 1
        if place < 0:
            return None
        start, end, number = self._parts[place]
        return number if start <= span[0] and span[1] <= end else None

    @property
    def _statements(self) -> tuple[Statement, ...]:
        return self.outline.statements if self.outline else ()

    @cached_property
    def _whole(self) -> dict[Span, int]:
        return {each.whole: number for number, each in enumerate(self._statements)}

    @cached_property
    def _parts(self) -> list[tuple[int, float, int]]:
        return sorted(
            (start, end, number)
            for number, each in enumerate(self._statements)
            for start, end in each.parts
        )

    def function(self, span: Span) -> Function | None:
        """The function that a span is in."""
        starts = self._function_starts
        place = bisect_right(starts, span[0]) - 1
        found = self.functions[self._function_spans[place]] if place >= 0 else None
        return found if found and span[1] <= found.span[1] else None

    @cached_property
    def _function_spans(self) -> list[Span]:
        return sorted(self.functions)

    @cached_property
    def _function_starts(self) -> list[int]:
        return [start for start, _ in self._function_spans]

    def lost(self, counts: Mapping[int, int]) -> dict[int, int]:
        """Statements that may have run in some code without a trace, and are not known to have.

        Those of modifiers, which are part of every function that has them, and those without code
        in functions that ran.
        """
        functions = [self.function(each.whole) for each in self._statements]
        ran = {functions[number] for number, count in counts.items() if count}
        return {
            number: DOUBT
            for number, each in enumerate(functions)
            if each
            if (counts.get(number, 0) == 0 if each.kind == "modifier" else number not in counts)
            if each.kind == "modifier" or each in ran
        }

    def is_simple(self, owner: int) -> bool:
        """Whether a statement has no others in it."""
        return owner < len(self._statements) and not self._statements[owner].is_compound

    @cached_property
    def functions(self) -> dict[Span, Function]:
        """The functions by where they are."""
        return {each.span: each for each in self.outline.functions} if self.outline else {}

    def line(self, place: int) -> int:
        """The line of a place, the first being 1."""
        return bisect_right(self._line_starts, place)

    @cached_property
    def _line_starts(self) -> list[int]:
        """Solc counts bytes, vyper characters."""
        lines = self.text.split("\n")
        sizes = (len(each if self.is_vyper else _bytes(each)) + 1 for each in lines)
        return list(accumulate(sizes, initial=0))[: len(lines)]

    # Results

    def report(self) -> FileReport:
        """How often its lines and functions ran."""
        made = FileReport()
        places = self._statement_lines() if self.outline else {line: line for line in self.counts}
        for number, line in places.items():
            count = self.counts.get(number, NO_CODE)
            made.lines[line] = merge_counts(made.lines.get(line, NO_CODE), count)
        for span, function in self.functions.items():
            made.functions[printable(function.name)] = self.line(span[0]), self._calls(span)
        return made

    def _statement_lines(self) -> dict[int, int]:
        return {number: self.line(each.whole[0]) for number, each in enumerate(self._statements)}

    def _calls(self, span: Span) -> int:
        """How often a function was entered, else its first statement that can be measured ran."""
        count = self.entered.get(span, NO_CODE)
        inside = (
            self.counts.get(number, NO_CODE)
            for number, each in enumerate(self._statements)
            if span[0] <= each.whole[0] and each.whole[1] <= span[1]
        )
        return (
            count
            if count > 0
            else merge_counts(count, next((each for each in inside if each >= 0), count))
        )

    def add(self, counts: dict[int, int], entered: dict[Span, int]) -> None:
        """Add what was counted in one contract's code."""
        for number, count in counts.items():
            self.counts[number] = add_counts(self.counts.get(number, NO_CODE), count)
        for span, count in entered.items():
            self.entered[span] = add_counts(self.entered.get(span, NO_CODE), count)


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def text_of(source: Source) -> str:
    """A source's text as the artifact has it, or its file; empty if there is none."""
    return source.text or on_disk(source.path)


def on_disk(path: str) -> str:
    """The text of the file that a path names here; empty if there is none."""
    try:
        return Path(shown(path)).read_bytes().decode()
    except (OSError, ValueError):
        return ""


def shown(path: str) -> str:
    """A path as people here know it: relative to the working directory if the file is there."""
    short = path.removeprefix(PROJECT)
    try:
        if Path(path).is_absolute():
            return str(Path(path).relative_to(Path.cwd()))
        return short if not Path(path).is_file() and Path(short).is_file() else path
    except (OSError, ValueError):
        return path


def printable(text: str) -> str:
    """A text without what would end a line or move a cursor."""
    return "".join(each if each.isprintable() else "?" for each in text)


def is_dependency(path: str) -> bool:
    """Whether a path is of a package or submodule that Hardhat, Foundry or npm installs."""
    first, *rest = path.split("/")
    installed = first in {"lib", "npm", "hardhat"} or first.startswith("@")
    return (installed and bool(rest)) or "node_modules" in path.split("/")
