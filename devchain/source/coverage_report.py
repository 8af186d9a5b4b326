"""Coverage reports: counts by file, line, function and branch, as a table, lcov file or JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

from devchain.contracts.sources import StaleSource, stale_notice
from devchain.errors import ConfigError
from devchain.text import plural, printable

NO_CODE = -1  # of a line or function that the compiler left out: it is not in the total

UNKNOWN = -2
"""Count of a line whose instructions may have run for another statement.

It is in the total, as a line that did not run: which lines are unknown depends on what ran, and the
percentage must neither have another base for that reason nor be higher than the true one.
"""


WAYS = {
    "if": ("then", "else"),
    "loop": ("body", "end"),
    "check": ("holds", "fails"),
    "try": ("returns", "catch"),
    "case": ("match", "other"),
    "and": ("right", "left"),
    "or": ("right", "left"),
    "choice": ("first", "second"),
}
"""Kinds of branches, each with its two ways."""


class Branch(NamedTuple):
    """A branch: where in the source it begins, from 1, and its kind."""

    line: int
    column: int
    kind: str


@dataclass(slots=True)
class FileReport:
    """Counts of a source: by line, by function name with the line of the function, by branch.

    A branch has the counts of both ways.
    """

    lines: dict[int, int] = field(default_factory=dict)
    functions: dict[str, tuple[int, int]] = field(default_factory=dict)
    branches: dict[Branch, tuple[int, int]] = field(default_factory=dict)

    @property
    def figures(self) -> tuple[int, int, int, int]:
        """How many lines have code and were hit, how many ways there are and were taken."""
        counts = self.lines.values()
        ways = [count for both in self.branches.values() for count in both]
        lines, hit = sum(count != NO_CODE for count in counts), sum(count > 0 for count in counts)
        return lines, hit, len(ways), sum(count > 0 for count in ways)

    def missed_ways(self) -> list[str]:
        """Ways that were not taken, of branches that were reached: `17 else`."""
        return [
            f"{branch.line} {way}"
            for branch, counts in sorted(self.branches.items())
            for way, count in zip(WAYS[branch.kind], counts, strict=True)
            if count == 0 and any(counts)
        ]

    def lines_with(self, count: int) -> list[int]:
        return sorted(line for line, known in self.lines.items() if known == count)

    def add(self, other: FileReport) -> None:
        for line, count in other.lines.items():
            self.lines[line] = add_counts(self.lines.get(line, NO_CODE), count)
        for name, (line, count) in other.functions.items():
            before = self.functions.get(name, (line, NO_CODE))[1]
            self.functions[name] = line, add_counts(before, count)
        for branch, (first, second) in other.branches.items():
            known = self.branches.get(branch, (NO_CODE, NO_CODE))
            self.branches[branch] = add_counts(known[0], first), add_counts(known[1], second)


@dataclass(slots=True)
class Report:
    """File reports by path; `left_out` are sources of dependencies or without text.

    `undeployed` are those of contracts that were not deployed, unless all are measured. `stale` are
    those whose files have changed since they were compiled, or may have. `unmeasured` are contracts
    with lines that cannot be measured, each with the reason; `approximate` those that were compiled
    with an optimizer or via IR.
    """

    files: dict[str, FileReport] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)
    undeployed: set[str] = field(default_factory=set)
    stale: set[StaleSource] = field(default_factory=set)
    unmeasured: set[tuple[str, str]] = field(default_factory=set)
    approximate: set[str] = field(default_factory=set)

    def add(self, other: Report) -> None:
        for path, each in other.files.items():
            self.files.setdefault(path, FileReport()).add(each)
        self.left_out |= other.left_out
        self.undeployed = (self.undeployed | other.undeployed) - self.files.keys()
        self.stale |= other.stale
        self.unmeasured |= other.unmeasured
        self.approximate |= other.approximate


def add_counts(count: int, more: int) -> int:
    """Add two counts; if one is not positive, as `merge_counts`: a hit outweighs unknown."""
    return count + more if count > 0 and more > 0 else merge_counts(count, more)


def merge_counts(count: int, other: int) -> int:
    """The larger of two counts; unknown outweighs a miss, a miss outweighs no code."""
    return (
        min(count, other)
        if max(count, other) <= 0 and UNKNOWN in (count, other)
        else max(count, other)
    )


# As text

WIDTH = 80
COLUMNS = (("lines", 7), ("hit", 7), ("%", 7), ("branches", 10), ("hit", 7), ("%", 7))
NUMBERS = sum(width for _, width in COLUMNS)
MAX_LISTED = 20  # contracts that are named for each reason why they are not measured

UNMEASURABLE_HELP = (
    "Lines that are not measurable count as not hit: the compiler gives no place to",
    "their code.",
)
APPROXIMATE_HELP = (
    "compiled with optimizer or viaIR: figures are approximate, since code was moved or merged; "
    "for exact ones compile with optimizer.enabled and viaIR false"
)


def format_table(report: Report) -> Iterator[str]:
    """The report as lines of text of at most 80 columns; names of files are escaped."""
    changed = stale_notice([source for source in report.stale if not source.newer_than])
    if not report.files:
        want = "want artifacts with source maps, and the texts of their sources"
        if report.undeployed:
            want = "no contract was deployed that has a source here"
        yield f"nothing to measure: {changed or want}"
        yield from _format_unmeasured(report)
        return
    figures = {path: file.figures for path, file in sorted(report.files.items())}
    name_width = min(max(len(name) for name in ("file", *figures)), WIDTH - NUMBERS)
    yield _row(("file", *(title for title, _ in COLUMNS)), name_width)
    yield "─" * (name_width + NUMBERS)
    for path, numbers in figures.items():
        yield _row((path, *_table_cells(numbers)), name_width)
        one = report.files[path]
        yield from _format_list("missed", line_ranges(one.lines_with(0)))
        yield from _format_list("missed ways", one.missed_ways())
        yield from _format_list("not measurable", line_ranges(one.lines_with(UNKNOWN)))
        yield from _format_list("without code", line_ranges(one.lines_with(NO_CODE)))
    yield "─" * (name_width + NUMBERS)
    total = [sum(column) for column in zip(*figures.values(), strict=True)]
    yield _row(("all", *_table_cells(total)), name_width)
    if any(one.lines_with(UNKNOWN) for one in report.files.values()):
        yield from UNMEASURABLE_HELP
    if report.left_out:
        files = "file" if len(report.left_out) == 1 else "files"
        yield f"not counted: {len(report.left_out)} {files} of dependencies or without a text"
    if report.undeployed:
        files = plural(len(report.undeployed), "file")
        yield f"not listed: {files} of contracts that were not deployed (coverage-all lists them)"
    if changed:
        yield f"not counted: {changed}"
    if newer := stale_notice([source for source in report.stale if source.newer_than]):
        yield newer
    yield from _format_unmeasured(report)


def _format_unmeasured(report: Report) -> Iterator[str]:
    by_reason: dict[str, list[str]] = defaultdict(list)
    for name, reason in sorted(report.unmeasured):
        by_reason[reason].append(printable(name))
    for reason, names in sorted(by_reason.items()):
        yield from _format_contracts("not measured", names, reason)
    if report.approximate:
        names = [printable(name) for name in sorted(report.approximate)]
        yield from _format_contracts("approximate", names, APPROXIMATE_HELP)


def _format_contracts(title: str, names: list[str], reason: str) -> list[str]:
    more = len(names) - MAX_LISTED
    shown = [*names[:MAX_LISTED], *([f"{more} more"] if more > 0 else [])]
    text = f"{title}: {', '.join(shown)}: {reason}"
    return wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _table_cells(figures: Sequence[int]) -> tuple[str, ...]:
    lines, hit_lines, ways, hit_ways = figures
    cells = _share(ways, hit_ways) if ways else ("-", "-", "-")
    return (*_share(lines, hit_lines), *cells)


def _share(counted: int, hit: int) -> tuple[str, str, str]:
    percent = f"{100 * hit / counted:.1f}" if counted else "-"
    return str(counted), str(hit), "99.9" if percent == "100.0" and hit < counted else percent


def _row(cells: tuple[str, ...], width: int) -> str:
    name, *numbers = printable(cells[0]), *cells[1:]
    shown = name if len(name) <= width else "…" + name[1 - width :]
    columns = zip(numbers, COLUMNS, strict=True)
    return shown.ljust(width) + "".join(cell.rjust(wide) for cell, (_, wide) in columns)


def _format_list(title: str, items: Iterable[str]) -> Iterator[str]:
    text = ""
    for item in items:
        text = text or f"  {title}:"
        if len(text) + len(item) + 2 > WIDTH:
            yield text
            text = "   "
        text += f" {item},"
    if text:
        yield text.removesuffix(",")


def line_ranges(lines: list[int]) -> Iterator[str]:
    for _, group in groupby(enumerate(lines), lambda pair: pair[1] - pair[0]):
        run = [line for _, line in group]
        yield str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}"


# As an lcov file

NO_FILE = "-"  # value of the option --coverage for a report without a file


def format_lcov(report: Report) -> str:
    """An lcov tracefile of lines and functions with code; unknown counts are written as 0."""
    return "".join(
        f"{printable(line)}\n"
        for path, one in sorted(report.files.items())
        for line in _record(path, one)
    )


def _record(path: str, one: FileReport) -> Iterator[str]:
    functions = sorted((function[0], name, function[1]) for name, function in one.functions.items())
    known = [(line, name, max(count, 0)) for line, name, count in functions if count != NO_CODE]
    lines, hit_lines, ways, hit_ways = one.figures
    yield "TN:"
    yield f"SF:{path}"
    yield from (f"FN:{line},{name}" for line, name, _ in known)
    yield from (f"FNDA:{count},{name}" for _, name, count in known)
    yield f"FNF:{len(known)}"
    yield f"FNH:{sum(count > 0 for *_, count in known)}"
    for number, (branch, counts) in enumerate(sorted(one.branches.items())):
        for way, count in enumerate(counts):
            taken = max(count, 0) if max(counts) > 0 else "-"
            yield f"BRDA:{branch.line},{number},{way},{taken}"
    yield f"BRF:{ways}"
    yield f"BRH:{hit_ways}"
    for line, count in sorted(one.lines.items()):
        if count != NO_CODE:
            yield f"DA:{line},{max(count, 0)}"
    yield f"LF:{lines}"
    yield f"LH:{hit_lines}"
    yield "end_of_record"


def check_writable(file: str) -> None:
    """Check that a file can be written before anything runs; raises `ConfigError`.

    A file with other content than coverage is refused: the option's value is optional, so that a
    path meant as an argument may have become it.
    """
    if file == NO_FILE:
        return
    if _has_other_content(Path(file)):
        raise ConfigError(
            f"{file} exists and is no lcov file: name another one, with an equals sign before it "
            "(=coverage.lcov), or remove it"
        )
    _write(file, None)


def write_report(report: Report, file: str) -> None:
    """Write the report as lcov to a file unless it is `-`; raises `ConfigError`."""
    if file != NO_FILE:
        _write(file, format_lcov(report))


def _has_other_content(path: Path) -> bool:
    try:
        with path.open("rb") as existing:
            start = existing.read(3)
    except (OSError, ValueError):
        return False  # `_write` says why
    return start not in {b"", b"TN:", b"SF:"}


def _write(file: str, text: str | None) -> None:
    path = Path(file)
    try:
        with path.open("a" if text is None else "w", encoding="utf-8") as out:
            out.write(text or "")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no file can have that name"
        raise ConfigError(f"cannot write the coverage file {file}: {reason}") from None
