"""What a report tells: counts by file, line and function; reports of several processes add up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

NO_CODE = -1
"""Stands for a count where nothing that could be counted was made of the source."""

DOUBT = -2
"""Stands for a count where something ran that may have been there for something else."""


@dataclass(slots=True)
class FileReport:
    """One source: how often its lines ran, and its functions, by name with their lines."""

    lines: dict[int, int] = field(default_factory=dict)
    functions: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def found(self) -> int:
        """How many lines can be measured."""
        return sum(count >= 0 for count in self.lines.values())

    @property
    def hit(self) -> int:
        """How many of them ran."""
        return sum(count > 0 for count in self.lines.values())

    def those(self, *, missed: bool) -> list[int]:
        """The lines that did not run, or those of which it cannot be known."""
        return sorted(
            line for line, count in self.lines.items() if (count == 0 if missed else count < 0)
        )

    def add(self, other: FileReport) -> None:
        """Add what another report says of the same source."""
        for line, count in other.lines.items():
            self.lines[line] = add_counts(self.lines.get(line, NO_CODE), count)
        for name, (line, count) in other.functions.items():
            before = self.functions.get(name, (line, NO_CODE))[1]
            self.functions[name] = line, add_counts(before, count)


@dataclass(slots=True)
class Report:
    """Every source by its path; `left_out` are those of dependencies, and of unknown text."""

    files: dict[str, FileReport] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)

    def add(self, other: Report) -> None:
        """Add what another report says."""
        for path, each in other.files.items():
            self.files.setdefault(path, FileReport()).add(each)
        self.left_out |= other.left_out

    def plain(self) -> dict[str, Any]:
        """The report as plain values, for another process."""
        files = {
            path: {
                "lines": [list(each) for each in one.lines.items()],
                "functions": [[name, *each] for name, each in one.functions.items()],
            }
            for path, one in self.files.items()
        }
        return {"files": files, "left_out": sorted(self.left_out)}


def report_from_json(plain: Mapping[str, Any]) -> Report:
    """The report that `plain` wrote down."""
    files = {
        path: FileReport(
            dict(one["lines"]),
            {name: (line, count) for name, line, count in one["functions"]},
        )
        for path, one in plain.get("files", {}).items()
    }
    return Report(files, set(plain.get("left_out", ())))


def add_counts(count: int, more: int) -> int:
    """The sum of two counts that may be unknown: a hit is a hit, but a miss is worth no doubt."""
    return count + more if count > 0 and more > 0 else merge_counts(count, more)


def merge_counts(count: int, other: int) -> int:
    """The larger of two counts, or what there is to say if neither is a hit."""
    return (
        min(count, other)
        if max(count, other) <= 0 and DOUBT in (count, other)
        else max(count, other)
    )


# As text

WIDTH = 80
COLUMNS = ("lines", "hit", "%")


def format_table(report: Report) -> Iterator[str]:
    """The report as lines of text, none wider than 80 columns."""
    if not report.files:
        yield "nothing to measure: want artifacts with source maps, and the texts of their sources"
        return
    rows = [(path, *_figures(each)) for path, each in sorted(report.files.items())]
    total = FileReport()
    for number, each in enumerate(report.files.values()):
        total.lines |= {(number << 32) + line: count for line, count in each.lines.items()}
    name_width = min(max([len("file"), *(len(row[0]) for row in rows)]), WIDTH - 24)
    yield _row(("file", *COLUMNS), name_width)
    yield "─" * (name_width + 24)
    for row in rows:
        yield _row(row, name_width)
        one = report.files[row[0]]
        yield from _listed("missed", one.those(missed=True))
        yield from _listed("not measurable", one.those(missed=False))
    yield "─" * (name_width + 24)
    yield _row(("all", *_figures(total)), name_width)
    if report.left_out:
        yield f"not counted: {len(report.left_out)} files of dependencies or without a text"


def _figures(one: FileReport) -> tuple[str, str, str]:
    percent = f"{100 * one.hit / one.found:.1f}" if one.found else "-"
    if percent == "100.0" and one.hit < one.found:
        percent = "99.9"
    return str(one.found), str(one.hit), percent


def _row(cells: tuple[str, ...], width: int) -> str:
    name, *figures = cells
    shown = name if len(name) <= width else "…" + name[1 - width :]
    return shown.ljust(width) + "".join(each.rjust(8) for each in figures)


def _listed(title: str, lines: list[int]) -> Iterator[str]:
    """Lines as ranges after a title, broken where they get too wide."""
    if not lines:
        return
    text = f"  {title}:"
    for each in line_ranges(lines):
        if len(text) + len(each) + 2 > WIDTH:
            yield text
            text = "   "
        text += f" {each},"
    yield text.removesuffix(",")


def line_ranges(lines: list[int]) -> Iterator[str]:
    """Line numbers in order, those in a row as `first-last`."""
    for _, group in groupby(enumerate(lines), lambda each: each[1] - each[0]):
        row = [line for _, line in group]
        yield str(row[0]) if len(row) == 1 else f"{row[0]}-{row[-1]}"


# As lcov


def format_lcov(report: Report) -> str:
    """The report as an lcov tracefile; of what cannot be known it says nothing."""
    return "".join(
        f"{line}\n" for path, one in sorted(report.files.items()) for line in _record(path, one)
    )


def _record(path: str, one: FileReport) -> Iterator[str]:
    functions = sorted((each[0], name, each[1]) for name, each in one.functions.items())
    known = [each for each in functions if each[2] >= 0]
    yield "TN:"
    yield f"SF:{path}"
    yield from (f"FN:{line},{name}" for line, name, _ in known)
    yield from (f"FNDA:{count},{name}" for _, name, count in known)
    yield f"FNF:{len(known)}"
    yield f"FNH:{sum(count > 0 for *_, count in known)}"
    for line, count in sorted(one.lines.items()):
        if count >= 0:
            yield f"DA:{line},{count}"
    yield f"LF:{one.found}"
    yield f"LH:{one.hit}"
    yield "end_of_record"
