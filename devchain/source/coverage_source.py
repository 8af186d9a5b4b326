"""Source files under coverage: the counts of their statements or lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from devchain.contracts.coverage_report import (
    NO_CODE,
    UNKNOWN,
    FileReport,
    add_counts,
    merge_counts,
)
from devchain.contracts.sources import printable
from devchain.contracts.syntax_tree import Function, Span
from devchain.source.outline import SourceFile


@dataclass
class MeasuredSource(SourceFile):
    """A source with counts by statement number, or by line if it has no outline (syntax tree).

    `is_optimized` and `is_inlined` say how code of it was compiled: with an optimizer, which may
    have merged equal functions, and via IR, where it also inlines functions.
    """

    counts: dict[int, int] = field(default_factory=dict)
    entered: dict[Span, int] = field(default_factory=dict)
    is_optimized: bool = False
    is_inlined: bool = False

    @cached_property
    def initializers(self) -> dict[Span, int]:
        """The numbers of the values of state variables, by the ranges of the variables.

        The constructor assigns them, with instructions of the variable's whole range, which in
        runtime code is that of its getter.
        """
        variables = self.outline.variables if self.outline else ()
        owners = ((each.span, self._owner_within(each.span)) for each in variables)
        return {span: owner for span, owner in owners if owner is not None}

    def _owner_within(self, span: Span) -> int | None:
        return next(
            (
                number
                for number, each in enumerate(self._statements)
                if span[0] <= each.whole[0] and each.whole[1] <= span[1]
            ),
            None,
        )

    def never_ran(self, counts: Mapping[int, int], entered: Mapping[Span, int]) -> dict[int, int]:
        """Unknown statements of functions that did not run, each with the count 0.

        Those that were not entered, and those whose first statement did not run.
        """
        return {
            number: 0
            for number, count in counts.items()
            if count == UNKNOWN and number < len(self._statements)
            if (function := self.function(self._statements[number].whole))
            if (function.kind != "modifier" and entered.get(function.span) == 0)
            or counts.get(self._first_statements.get(function, -1)) == 0
        }

    @cached_property
    def _first_statements(self) -> dict[Function, int]:
        found: dict[Function, int] = {}
        # By their own parts: the condition of a do-while statement comes after its body.
        order = (
            (each.parts[0][0], number) for number, each in enumerate(self._statements) if each.parts
        )
        for _, number in sorted(order):
            function = self.function(self._statements[number].whole)
            if function:
                found.setdefault(function, number)
        return found

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

    def without_range(
        self, counts: Mapping[int, int], spans: Mapping[Span, bool]
    ) -> dict[int, int]:
        """Statements of Vyper's functions with code that have no code of their own in the map.

        They did not run if no code of the function did, else it is not known.
        """
        ran: dict[Function, bool] = {}
        for span, has_run in spans.items():
            if function := self.function(span):
                ran[function] = ran.get(function, False) or has_run
        functions = (
            (number, self.function(each.whole)) for number, each in enumerate(self._statements)
        )
        return {
            number: UNKNOWN if ran[function] else 0
            for number, function in functions
            if function in ran and number not in counts
            if self.text_at(self._statements[number].whole) != "pass"
        }

    # Results

    def report(self) -> FileReport:
        """Counts by line and by function."""
        report = FileReport()
        lines = self._statement_lines() if self.outline else {line: line for line in self.counts}
        removed = self._removed()
        for number, line in lines.items():
            count = self.counts.get(number, removed.get(number, NO_CODE))
            report.lines[line] = merge_counts(report.lines.get(line, NO_CODE), count)
        for span, function in self.functions.items():
            report.functions[printable(function.name)] = self.line(span[0]), self._calls(span)
        return report

    def _removed(self) -> dict[int, int]:
        # They are missed if the rest of their function did not run, otherwise unknown. Without IR
        # only functions with a selector: others without code are those that nothing calls.
        found: dict[int, int] = {}
        if not (self.is_optimized and self.outline):
            return found
        functions = [self.function(each.whole) for each in self._statements]
        ran: dict[Function | None, bool] = {}
        for number, count in self.counts.items():
            function = functions[number]
            ran[function] = ran.get(function, False) or count != 0
        for number, function in enumerate(functions):
            if self.is_inlined or (function and function.selector):
                is_missed = function is not None and ran.get(function) is False
                found[number] = 0 if is_missed else UNKNOWN
        return found

    def _statement_lines(self) -> dict[int, int]:
        return {number: self.line(each.whole[0]) for number, each in enumerate(self._statements)}

    def _calls(self, span: Span) -> int:
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
