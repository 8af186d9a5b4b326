"""Source files under coverage: the counts of their statements or lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from devchain.contracts.coverage_report import (
    NO_CODE,
    UNKNOWN,
    FileReport,
    add_counts,
    merge_counts,
)
from devchain.contracts.source_file import SourceFile, printable
from devchain.contracts.syntax_tree import Span


@dataclass
class MeasuredSource(SourceFile):
    """A source with counts by statement number, or by line if it has no outline (syntax tree)."""

    counts: dict[int, int] = field(default_factory=dict)
    entered: dict[Span, int] = field(default_factory=dict)

    def untraced(self, counts: Mapping[int, int]) -> dict[int, int]:
        """Statements that may have run without leaving a count, each as `UNKNOWN`.

        Those of modifiers, which are compiled into every function that uses them, and those without
        instructions in functions that ran.
        """
        functions = [self.function(each.whole) for each in self._statements]
        ran = {functions[number] for number, count in counts.items() if count}
        return {
            number: UNKNOWN
            for number, each in enumerate(functions)
            if each
            if (counts.get(number, 0) == 0 if each.kind == "modifier" else number not in counts)
            if each.kind == "modifier" or each in ran
        }

    # Results

    def report(self) -> FileReport:
        """Counts by line and by function."""
        report = FileReport()
        lines = self._statement_lines() if self.outline else {line: line for line in self.counts}
        for number, line in lines.items():
            count = self.counts.get(number, NO_CODE)
            report.lines[line] = merge_counts(report.lines.get(line, NO_CODE), count)
        for span, function in self.functions.items():
            report.functions[printable(function.name)] = self.line(span[0]), self._calls(span)
        return report

    def _statement_lines(self) -> dict[int, int]:
        return {number: self.line(each.whole[0]) for number, each in enumerate(self._statements)}

    def _calls(self, span: Span) -> int:
        """How often a function was entered, else how often its first measurable statement ran."""
        count = self.entered.get(span, NO_CODE)
        inside = (
            self.counts.get(number, NO_CODE)
            for number, each in enumerate(self._statements)
            if span[0] <= each.whole[0] and each.whole[1] <= span[1]
        )
        if count > 0:
            return count
        return merge_counts(count, next((each for each in inside if each >= 0), count))

    def add(self, counts: dict[int, int], entered: dict[Span, int]) -> None:
        """Add the counts of one contract's code."""
        for number, count in counts.items():
            self.counts[number] = add_counts(self.counts.get(number, NO_CODE), count)
        for span, count in entered.items():
            self.entered[span] = add_counts(self.entered.get(span, NO_CODE), count)
