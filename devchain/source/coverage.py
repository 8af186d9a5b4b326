"""Coverage of contracts: which lines and branches of their sources ran, and how often.

`Coverage` counts how often the instruction at each offset ran, and how often each JUMPI jumped.
`build_report` maps these by the compiler's source map to statements, which count as often as their
most executed instruction, and to branches: JUMPIs with the range of a branch in the source
(`docs/coverage.md`). Code of optimizer or viaIR is marked as approximate in the report.

Whether a JUMPI jumps for the first way or the second depends on the compiler: solc's peephole
optimizer, which always runs, turns `if (x) break;` around, and Vyper has both orders.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from devchain.contracts.artifact_registry import Registry, matching_artifacts
from devchain.contracts.artifacts import Artifact, Code, Source
from devchain.contracts.code_map import SourceFile, is_inside
from devchain.contracts.outline import Function, Span
from devchain.contracts.source_map import Flow, Instruction, instructions
from devchain.contracts.source_parser import CLOSING, OPENING, Token, outlines, tokens
from devchain.contracts.sources import display_path, find_stale, is_dependency, read_source, text_of
from devchain.evm.opcodes import ENDS, Op
from devchain.source.coverage_report import (
    NO_CODE,
    UNKNOWN,
    Branch,
    FileReport,
    Report,
    add_counts,
    merge_counts,
)
from devchain.source.hints import NO_TEXT, why_without_places
from devchain.text import printable

MAX_UNKNOWN = 512
MAX_CACHED = 4_096

Counts = dict[int, int]
"""Executions by offset of the instruction in the code; no `Counter`, which increments more slowly.

At the complement of the offset of a JUMPI, which is negative, is how often it jumped.
"""

Key = tuple[bool, tuple[int, ...]]  # whether it is creation code; ids of artifacts that match


@dataclass(slots=True)
class Coverage:
    """Executions of every instruction of code that artifacts match.

    Every execution counts: transactions (also ones reverted later by a snapshot) and calls. An
    estimate counts if it fails, since nothing is sent then.
    Counts of code without an artifact are kept, up to a limit, in case the artifact is added later.
    """

    artifacts: Registry
    _by_artifacts: defaultdict[Key, Counts] = field(default_factory=lambda: defaultdict(dict))
    _by_code: dict[tuple[bool, bytes], Counts] = field(default_factory=dict)
    _unmatched: dict[tuple[bool, bytes], Counts] = field(default_factory=dict)

    def counts(self, code: bytes, *, creating: bool) -> Counts:
        """The counts of some code, shared by equal code; the caller increments them."""
        key = (creating, code)
        counts = self._by_code.get(key)
        if counts is None:
            counts = self._unmatched.get(key)
        return self._add_code(key) if counts is None else counts

    def _add_code(self, key: tuple[bool, bytes]) -> Counts:
        owners = self._owners(*key)
        if not owners:
            if len(self._unmatched) >= MAX_UNKNOWN:
                del self._unmatched[next(iter(self._unmatched))]
            return self._unmatched.setdefault(key, {})
        counts = self._by_artifacts[key[0], tuple(map(id, owners))]
        if len(self._by_code) >= MAX_CACHED:  # init code with other arguments is another key
            self._by_code.clear()
        self._by_code[key] = counts
        return counts

    def _owners(self, creating: bool, code: bytes) -> list[Artifact]:  # noqa: FBT001  # as in a key
        mapped = (each for each in self.artifacts if _code(each, creating=creating).source_map)
        return matching_artifacts(mapped, code, creating=creating)

    def match_new_artifacts(self) -> None:
        """Assign counts of code that had no artifact to artifacts added since."""
        for key, counts in list(self._unmatched.items()):
            owners = self._owners(*key)
            if owners:
                del self._unmatched[key]
                known = self._by_artifacts[key[0], tuple(map(id, owners))]
                known.update(Counter(known) + Counter(counts))

    def counts_of(self, artifact: Artifact, *, creating: bool) -> Counts:
        total = Counter[int]()
        for (is_creation, owners), counts in self._by_artifacts.items():
            if is_creation is creating and id(artifact) in owners:
                total.update(counts)
        return total


def _code(artifact: Artifact, *, creating: bool) -> Code:
    return artifact.creation if creating else artifact.runtime


def build_report(coverages: Iterable[Coverage], *, everything: bool = False) -> Report:
    """The report of several nodes; with `everything` also of contracts that were not deployed."""
    report = Report()
    for coverage in coverages:
        coverage.match_new_artifacts()
        report.add(_Measurement(everything).report_of(coverage))
    return report


@dataclass(slots=True)
class _Measurement:
    """Measures the sources of a node's artifacts.

    If artifacts have different texts of one path, the report has the text that is now on disk.
    """

    everything: bool
    _measured: dict[tuple[str, str], MeasuredSource] = field(default_factory=dict)
    _roots: dict[str, str] = field(default_factory=dict)
    _report: Report = field(default_factory=Report)

    def report_of(self, coverage: Coverage) -> Report:
        for artifact in coverage.artifacts:
            counts = {way: coverage.counts_of(artifact, creating=way) for way in (True, False)}
            for creating in counts:
                if _code(artifact, creating=creating).source_map and artifact.sources:
                    self._measure(artifact, counts, creating=creating)
            self._note_unmeasured(artifact, coverage.artifacts)
        for path, source in self._current().items():
            measured = source.report()
            shown = printable(display_path(path))
            if measured.lines and (source.is_deployed or self.everything):
                self._report.files[shown] = measured
            elif measured.lines:
                self._report.undeployed.add(shown)
        return self._report

    def _note_unmeasured(self, artifact: Artifact, artifacts: Registry) -> None:
        if is_dependency(artifact.source):
            return
        reason = why_without_places(artifact)
        if not reason and artifact.source in self._report.left_out:
            reason = NO_TEXT
        others = (
            other
            for other in artifacts
            if other is not artifact
            and (other.name, other.source) == (artifact.name, artifact.source)
        )
        if reason and not any(
            other.is_same_compilation(artifact) and not why_without_places(other)
            for other in others
        ):
            self._report.unmeasured.add((artifact.name, reason))

    def _measure(
        self, artifact: Artifact, counts: Mapping[bool, Counts], *, creating: bool
    ) -> None:
        code, is_deployed = _code(artifact, creating=creating), any(counts.values())
        sources = {
            number: measured
            for number, source in artifact.sources.items()
            if (measured := self._source(artifact, source))
        }
        is_moved = artifact.language != "Vyper" and (artifact.optimized or artifact.via_ir)
        if sources and is_moved and (is_deployed or self.everything):
            self._report.approximate.add(artifact.name)
        by_source: dict[int, list[Instruction]] = defaultdict(list)
        for instruction in instructions(code):
            by_source[instruction.source].append(instruction)
        is_other = artifact.deploys_other_code and not creating and not counts[creating]
        for number, source in sources.items():
            found = by_source[number]
            source.is_deployed |= is_deployed and bool(found)
            source.add(found, counts[creating], code, creating=creating, is_unknown=is_other)

    def _source(self, artifact: Artifact, source: Source) -> MeasuredSource | None:
        if is_dependency(source.path):
            self._report.left_out.add(source.path)
            return None
        text, stale = text_of(source, artifact), find_stale(source, artifact)
        if stale:
            self._report.stale.add(stale)
        elif not text:
            self._report.left_out.add(source.path)
        if not text:
            return None
        key = source.path, text
        if key not in self._measured:
            is_vyper = artifact.language == "Vyper"
            outline = outlines({0: text}, is_vyper=is_vyper)[0]
            self._measured[key] = MeasuredSource(text, outline, is_vyper)
            self._roots[source.path] = artifact.project
        return self._measured[key]

    def _current(self) -> dict[str, MeasuredSource]:
        current: dict[str, MeasuredSource] = {}
        for (path, text), source in self._measured.items():
            on_disk = read_source(self._roots[path], path)
            if path not in current or current[path].text != on_disk or text == on_disk:
                current[path] = source
        return current


@dataclass
class MeasuredSource(SourceFile):
    """A source with counts by statement number.

    `entered` are the counts of functions, `branches` those of both ways of each branch;
    `is_deployed` if a contract with code of it was deployed.
    """

    counts: dict[int, int] = field(default_factory=dict)
    entered: dict[Span, int] = field(default_factory=dict)
    branches: dict[tuple[Span, str], tuple[int, int]] = field(default_factory=dict)
    is_deployed: bool = False

    def add(
        self,
        found: Sequence[Instruction],
        counts: Counts,
        code: Code,
        *,
        creating: bool,
        is_unknown: bool,
    ) -> None:
        """Add the counts of some code by its instructions from this source.

        With `is_unknown` that is not the code which ran.
        """
        flow = Flow(code.template)
        statements, entered = self._measure(found, counts, flow, creating=creating)
        branches = BranchCode(self, found, flow).ways(counts)
        if is_unknown:
            statements = dict.fromkeys(statements, UNKNOWN)
            branches = dict.fromkeys(branches, (UNKNOWN, UNKNOWN))
        for number, count in statements.items():
            self.counts[number] = add_counts(self.counts.get(number, NO_CODE), count)
        for span, count in entered.items():
            self.entered[span] = add_counts(self.entered.get(span, NO_CODE), count)
        for key, (first, second) in branches.items():
            before = self.branches.get(key, (NO_CODE, NO_CODE))
            self.branches[key] = add_counts(before[0], first), add_counts(before[1], second)

    def _measure(
        self, found: Sequence[Instruction], counts: Counts, flow: Flow, *, creating: bool
    ) -> tuple[dict[int, int], dict[Span, int]]:
        pushes = {*flow.pushed_jumps.values()}
        statements: dict[int, int] = {}
        entered: dict[Span, int] = {}
        for offset, _, _, span, _ in found:
            if offset in pushes and self.is_fallback(span):
                continue
            owner, times = self.owner(span), counts.get(offset, 0)
            if owner is None and creating:
                owner = self.initializers.get(span)
            if owner is not None:
                statements[owner] = max(times, statements.get(owner, 0))
            elif span in self.functions:
                entered[span] = max(times, entered.get(span, 0))
        if self.is_vyper:
            statements |= self._without_range(statements, found, counts)
        return statements, entered

    @cached_property
    def initializers(self) -> dict[Span, int]:
        """The numbers of the values of state variables, by the ranges of the variables.

        The constructor assigns them, with instructions of the variable's whole range, which in
        runtime code is that of its getter.
        """
        return {
            variable.span: within[0]
            for variable in self.outline.variables
            if (within := self._statements_in(variable.span))
        }

    def _statements_in(self, span: Span) -> list[int]:
        return [
            number
            for number, statement in enumerate(self.statements)
            if is_inside(statement.whole, span)
        ]

    def _without_range(
        self, measured: Mapping[int, int], found: Sequence[Instruction], counts: Counts
    ) -> dict[int, int]:
        # Statements of functions with code that have none of their own did not run if no code of
        # the function did, else it is not known.
        ran: dict[Function, bool] = {}
        for instruction in found:
            if function := self.function(instruction.span):
                has_run = counts.get(instruction.offset, 0) > 0
                ran[function] = ran.get(function, False) or has_run
        return {
            number: UNKNOWN if ran[function] else 0
            for number, statement in enumerate(self.statements)
            if (function := self.function(statement.whole)) in ran and number not in measured
            if self.text_at(statement.whole) != "pass"
        }

    def report(self) -> FileReport:
        report = FileReport()
        for number, statement in enumerate(self.statements):
            line, count = self.line(statement.whole[0]), self.counts.get(number, NO_CODE)
            report.lines[line] = merge_counts(report.lines.get(line, NO_CODE), count)
        for span, function in self.functions.items():
            report.functions[printable(function.name)] = self.line(span[0]), self._calls(span)
        for (span, kind), counts in sorted(self.branches.items()):
            report.branches[Branch(self.line(span[0]), self.column(span[0]), kind)] = counts
        return report

    def _calls(self, span: Span) -> int:
        count = self.entered.get(span, NO_CODE)
        if count > 0:
            return count
        inside = [self.counts.get(number, NO_CODE) for number in self._statements_in(span)]
        return merge_counts(count, next((times for times in inside if times >= 0), count))


# Branches

KEYWORD = re.compile(r"(if|elif|for|while|do|try|case|require|assert)\b")
KINDS = {
    "if": "if",
    "elif": "if",
    "for": "loop",
    "while": "loop",
    "do": "loop",
    "try": "try",
    "case": "case",
    "require": "check",
    "assert": "check",
}
OPERATORS = {"?": "choice", "||": "or", "&&": "and", "if": "choice", "or": "or", "and": "and"}
"""Operators that branch, as Solidity and Vyper write them; the one that binds least comes first."""

JUMPS_FIRST = frozenset({"check", "try", "case", "choice"})  # solc jumps for their first way
BranchKey = tuple[Span, str]
Ways = tuple[int, int]


def outer_tokens(text: str, *, is_vyper: bool) -> list[Token]:
    """The tokens of some code that are outside of brackets, and closing brackets."""
    outer, depth = [], 0
    for token in tokens(text, is_vyper=is_vyper):
        depth -= token.text in CLOSING
        if depth == 0:
            outer.append(token)
        depth += token.text in OPENING
    return outer


def branch_kind(text: str, *, is_vyper: bool) -> str:
    """What kind of branch a JUMPI with the range of some text is; empty if it is none."""
    if keyword := KEYWORD.match(text):
        word = keyword[1]
        is_call = word in {"require", "assert"} and not is_vyper
        outer = outer_tokens(text, is_vyper=False) if is_call else []
        if not is_call or [token.text for token in outer] == [word, "(", ")"]:
            return KINDS[word]
    if text.startswith(("contract ", "function ", "library ", "abstract ")):
        return ""
    written = {token.text for token in outer_tokens(text, is_vyper=is_vyper)}
    if "=" in written:  # an assignment
        return ""
    return next(
        (
            kind
            for operator, kind in OPERATORS.items()
            if operator in written and operator.isalpha() == is_vyper
        ),
        "",
    )


class BranchCode:
    """The JUMPIs of some code that are branches of a source."""

    def __init__(self, file: SourceFile, found: Iterable[Instruction], flow: Flow) -> None:
        self._file, self._flow = file, flow
        self._spans = {instruction.offset: instruction.span for instruction in found}
        self._jumps: dict[BranchKey, list[tuple[int, bool]]] = {}
        kinds: dict[Span, str] = {}
        for offset, opcode, _ in self._flow.code:
            span = self._spans.get(offset) if opcode == Op.JUMPI else None
            if span is None:
                continue
            if span not in kinds:
                kinds[span] = branch_kind(file.text_at(span), is_vyper=file.is_vyper)
            if kinds[span]:
                self._add(span, kinds[span], offset)

    def _add(self, span: Span, kind: str, jump: int) -> None:
        is_back = self._flow.target(jump) < jump
        if kind == "loop":
            if self._file.is_vyper and not is_back and self._flow.failing_way(jump) is not None:
                return  # a check of the bound
            jumps_first = is_back
        elif kind == "check":
            jumps_first = self._flow.failing_way(jump) is not True
        elif self._file.is_vyper:
            jumps_first = self._jumps_first(span, kind, jump)
        else:
            jumps_first = kind in JUMPS_FIRST or (kind == "if" and self._is_turned(span, jump))
        self._jumps.setdefault((span, kind), []).append((jump, jumps_first))

    def ways(self, counts: Mapping[int, int]) -> dict[BranchKey, Ways]:
        """How often execution went each way at each branch.

        `counts` are the executions by offset, at the complement of the offset of a JUMPI how often
        it jumped.
        """
        ways: dict[BranchKey, Ways] = {}
        for (span, kind), jumps in self._jumps.items():
            first = second = 0
            for jump, jumps_first in jumps:
                jumped = counts.get(~jump, 0)
                passed = counts.get(jump, 0) - jumped
                first += jumped if jumps_first else passed
                second += passed if jumps_first else jumped
            if kind == "loop" and self._file.is_vyper and all(is_back for _, is_back in jumps):
                first += second  # the first turn over a list comes without a check
            ways[span, kind] = first, second
        return ways

    # Where jumps lead

    def _is_turned(self, span: Span, jump: int) -> bool:
        # `if (x) break;` of solc jumps for its first way: the destination is that of the break.
        pushed = self._spans.get(self._flow.pushed_jumps.get(jump, -1), span)
        return pushed != span and span[0] < pushed[0] and pushed[1] <= span[1]

    def _jumps_first(self, span: Span, kind: str, jump: int) -> bool:
        # Of Vyper, by which part of the source the code behind the jump is from.
        first, second = self._parts(span, kind)
        passes_first = self._is_first(jump + 1, first, second)
        if passes_first is None:
            jumps_first = self._is_first(self._flow.target(jump), first, second)
            return kind == "or" if jumps_first is None else jumps_first
        return not passes_first

    def _is_first(self, start: int, first: Span, second: Span) -> bool | None:
        for offset, opcode, _ in self._flow.behind(start):
            begin, end = self._spans.get(offset, (-1, -1))
            for part, is_first in ((first, True), (second, False)):
                if part[0] <= begin and end <= part[1]:
                    return is_first
            if opcode in ENDS:
                break
        return None

    def _parts(self, span: Span, kind: str) -> tuple[Span, Span]:
        start, end = span
        text = self._file.text_at(span)
        outer = outer_tokens(text, is_vyper=True)
        if kind == "if":
            colon = next((token.end for token in outer if token.text == ":"), 0)
            indent = self._file.column(start) - 1
            other = re.search(rf"^[ \t]{{{indent}}}(else|elif)\b", text, re.MULTILINE)
            middle = start + other.start() if other else end
            return (start + colon, middle), (middle, len(self._file.text))
        at = {token.text: token for token in outer}
        if kind == "choice":
            condition, other_value = at["if"], at.get("else", at["if"])
            return (start, start + condition.start), (start + other_value.end, end)
        return (start + at[kind].end, end), (start, start + at[kind].start)
