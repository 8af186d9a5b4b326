"""Line coverage of contracts: counts executed instructions, maps them to statements and lines.

`Coverage` counts, for each code that an artifact matches, how often the instruction at each offset
ran. `build_report` maps the instructions to source ranges by the source map, and those to the
statements of the syntax tree (`coverage_source`). A statement counts as often as its most executed
instruction. Where an optimizer moved or merged instructions (`merged_basic_blocks`), a statement
that cannot be measured is reported as such; it counts in the total and not as hit, so that the
total does not depend on what ran and the percentage is never higher than the true one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact, Code, Source
from devchain.contracts.coverage_report import NO_CODE, UNKNOWN, Report, merge_counts
from devchain.contracts.source_map import FIXED, Instruction, instructions, pushed_targets
from devchain.contracts.sources import (
    StaleSource,
    display_path,
    find_stale,
    is_dependency,
    printable,
    read_from_disk,
    text_of,
)
from devchain.contracts.syntax_tree import Span
from devchain.source.coverage_source import MeasuredSource
from devchain.source.merged_basic_blocks import duplicate_offsets, merged_offsets
from devchain.source.missing_places import NO_TEXT, why_without_places
from devchain.source.outline import scan

MAX_UNKNOWN = 512
MAX_CACHED = 4_096

Counts = dict[int, int]
"""Executions by offset of the instruction in the code."""

Key = tuple[bool, tuple[int, ...]]
"""Whether the code is creation code, and the ids of the artifacts that match it."""


@dataclass(slots=True)
class Coverage:
    """Executions of every instruction of code that artifacts match.

    Every execution counts: transactions (also ones reverted later by a snapshot) and calls. An
    estimate counts if it fails, since nothing is sent then.
    Counts of code without an artifact are kept, up to a limit, in case the artifact is added later.
    """

    artifacts: Registry
    _by_artifacts: dict[Key, Counts] = field(default_factory=dict)
    _by_code: dict[tuple[bool, bytes], Counts] = field(default_factory=dict)
    _unmatched: dict[tuple[bool, bytes], Counts] = field(default_factory=dict)

    def counts(self, code: bytes, *, creating: bool) -> Counts:
        """The counts of some code so far, which the caller increments.

        Contracts with equal code share them.
        """
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
        counts = self._by_artifacts.setdefault((key[0], _ids(owners)), {})
        if len(self._by_code) >= MAX_CACHED:  # init code with other arguments is another key
            self._by_code.clear()
        self._by_code[key] = counts
        return counts

    def _owners(self, creating: bool, code: bytes) -> list[Artifact]:  # noqa: FBT001  # as in a key
        matching = [each for each in self.artifacts if _matches(each, code, creating=creating)]
        exact = [each for each in matching if _code(each, creating=creating).has_metadata_of(code)]
        return exact or matching

    def match_new_artifacts(self) -> None:
        """Assign counts of code that had no artifact to artifacts added since."""
        for key, counts in list(self._unmatched.items()):
            owners = self._owners(*key)
            if owners:
                del self._unmatched[key]
                _add(self._by_artifacts.setdefault((key[0], _ids(owners)), {}), counts)

    def counts_of(self, artifact: Artifact, *, creating: bool) -> Counts:
        """The counts of an artifact's creation or runtime code."""
        found: Counts = {}
        for (is_creation, owners), counts in self._by_artifacts.items():
            if is_creation is creating and id(artifact) in owners:
                _add(found, counts)
        return found


def _ids(artifacts: Iterable[Artifact]) -> tuple[int, ...]:
    return tuple(map(id, artifacts))


def _add(counts: Counts, more: Mapping[int, int]) -> None:
    for offset, count in more.items():
        counts[offset] = counts.get(offset, 0) + count


def _code(artifact: Artifact, *, creating: bool) -> Code:
    return artifact.creation if creating else artifact.runtime


def _matches(artifact: Artifact, code: bytes, *, creating: bool) -> bool:
    own = _code(artifact, creating=creating)
    if not own.source_map:
        return False
    return own.matches(code[: len(own.template)]) if creating else artifact.matches_code(code)


def build_report(coverages: Iterable[Coverage]) -> Report:
    """The coverage report of one or several nodes."""
    report = Report()
    for coverage in coverages:
        coverage.match_new_artifacts()
        report.add(_Measurement().report_of(coverage))
    return report


@dataclass(slots=True)
class Tally:
    """Counts of a statement's instructions in one code, from which its own count is derived.

    `fixed` instructions (`source_map.FIXED`) have side effects: no optimizer moves them. Compiled
    via IR, other instructions of a statement may run earlier or needlessly, for instance a load
    moved out of a loop whose body never runs; and an inlined statement may have lost its source
    range. `duplicates` are instructions equal to those of a merged block (`merged_basic_blocks`),
    which may have run in place of them.
    """

    most: int = 0
    fixed: int = 0
    most_fixed: int = 0
    others: int = 0
    others_run: int = 0
    may_have_run: bool = False
    has_only_duplicates: bool = True
    duplicate_ran: bool = False

    def count_shared(self, times: int) -> None:
        """Add an instruction of a merged block, which may have run for another statement."""
        self.may_have_run = self.may_have_run or times > 0

    def count(self, opcode: int, times: int, duplicates: Iterable[int] | None = None) -> None:
        """Add an instruction: its count, and the counts of its duplicates, None if it has none."""
        self.has_only_duplicates = self.has_only_duplicates and duplicates is not None
        self.duplicate_ran = self.duplicate_ran or any(duplicates or ())
        self.most = max(self.most, times)
        if opcode in FIXED:
            self.fixed += 1
            self.most_fixed = max(self.most_fixed, times)
        else:
            self.others += 1
            self.others_run += times > 0

    def statement_count(self, *, moved: bool, inlined: bool) -> int:
        """How often the statement ran, or `UNKNOWN`."""
        if not self.most:
            replaced = self.has_only_duplicates and self.duplicate_ran
            is_unknown = self.may_have_run or replaced or (inlined and not self.fixed)
            return UNKNOWN if is_unknown else 0
        if not moved or self.most_fixed:
            return self.most_fixed if moved else self.most
        is_whole = not self.fixed and self.others_run == self.others
        return self.most if is_whole else UNKNOWN


@dataclass(slots=True)
class _Measurement:
    """Measures the sources of a node's artifacts.

    If artifacts have different texts of one path, the report has the text that is now on disk.
    """

    _measured: dict[tuple[str, str], MeasuredSource] = field(default_factory=dict)
    _left_out: set[str] = field(default_factory=set)
    _stale: set[StaleSource] = field(default_factory=set)
    _unmeasured: set[tuple[str, str]] = field(default_factory=set)

    def report_of(self, coverage: Coverage) -> Report:
        for artifact in coverage.artifacts:
            for creating in (True, False):
                code = _code(artifact, creating=creating)
                if code.source_map and artifact.sources:
                    counts = coverage.counts_of(artifact, creating=creating)
                    self._measure(artifact, code, counts, creating=creating)
            self._note_unmeasured(artifact, coverage.artifacts)
        reports = (
            (printable(display_path(path)), each.report()) for path, each in self._current().items()
        )
        files = {path: each for path, each in reports if each.lines}
        return Report(files, self._left_out, self._stale, self._unmeasured)

    def _note_unmeasured(self, artifact: Artifact, artifacts: Registry) -> None:
        if is_dependency(artifact.source):
            return
        reason = why_without_places(artifact)
        if not reason and artifact.source in self._left_out:
            reason = NO_TEXT
        others = (
            each
            for each in artifacts
            if each is not artifact and (each.name, each.source) == (artifact.name, artifact.source)
        )
        if reason and not any(
            each.is_same_compilation(artifact) and not why_without_places(each) for each in others
        ):
            self._unmeasured.add((artifact.name, reason))

    def _measure(self, artifact: Artifact, code: Code, counts: Counts, *, creating: bool) -> None:
        sources = {
            number: source
            for number, each in artifact.sources.items()
            if (source := self._source(artifact, each))
        }
        decoded = list(instructions(code))
        shared = merged_offsets(code, decoded, sources) if artifact.optimized else frozenset()
        entered: dict[int, dict[Span, int]] = defaultdict(dict)
        statements: dict[int, dict[int, int]] = defaultdict(dict)
        inlined = artifact.via_ir and artifact.optimized
        tallies = _tallies(code, decoded, sources, counts, shared, entered, creating=creating)
        for (number, owner), tally in tallies.items():
            count = tally.statement_count(moved=artifact.via_ir, inlined=inlined)
            statements[number][owner] = count
        is_other = artifact.deploys_other_code and not creating and not counts
        for number, source in sources.items():
            measured, entries = statements[number], entered[number]
            if source.is_vyper:
                measured |= source.without_range(measured, _spans(decoded, counts, number))
            elif (
                inlined
            ):  # functions that the optimizer of the IR inlined run without being entered
                measured |= source.untraced(measured)
            else:
                measured |= source.never_ran(measured, entries)
            if is_other:
                measured = dict.fromkeys(measured, UNKNOWN)
            source.is_optimized = source.is_optimized or artifact.optimized
            source.is_inlined = source.is_inlined or inlined
            source.add(measured, entries)

    def _source(self, artifact: Artifact, source: Source) -> MeasuredSource | None:
        if is_dependency(source.path):
            self._left_out.add(source.path)
            return None
        text, stale = text_of(source), find_stale(source, artifact)
        if stale:
            self._stale.add(stale)
        elif not text:
            self._left_out.add(source.path)
        if not text:
            return None
        key = source.path, text
        if key not in self._measured:
            is_vyper = artifact.language == "Vyper"
            outline = source.outline
            if is_vyper and outline is None and (scanned := scan(text, is_vyper=True)):
                outline = scanned.outline
            self._measured[key] = MeasuredSource(text, outline, is_vyper)
        return self._measured[key]

    def _current(self) -> dict[str, MeasuredSource]:
        found: dict[str, MeasuredSource] = {}
        for (path, text), each in self._measured.items():
            current = read_from_disk(path)
            if path not in found or found[path].text != current or text == current:
                found[path] = each
        return found


def _spans(decoded: Sequence[Instruction], counts: Counts, number: int) -> dict[Span, bool]:
    # The ranges of a source that have code, each with whether any of it ran.
    found: dict[Span, bool] = {}
    for each in decoded:
        if each.source == number:
            found[each.span] = found.get(each.span, False) or counts.get(each.offset, 0) > 0
    return found


def _tallies(  # noqa: PLR0913, PLR0917  # what there is of some code
    code: Code,
    decoded: Sequence[Instruction],
    sources: Mapping[int, MeasuredSource],
    counts: Counts,
    shared: frozenset[int],
    entered: dict[int, dict[Span, int]],
    *,
    creating: bool,
) -> dict[tuple[int, int], Tally]:
    duplicates = duplicate_offsets(code, decoded, shared)
    targets = pushed_targets(code)
    tallies: dict[tuple[int, int], Tally] = defaultdict(Tally)
    for offset, opcode, number, span, _ in decoded:
        source = sources.get(number)
        if source is None or (offset in targets and source.is_fallback(span)):
            continue
        times, is_shared = counts.get(offset, 0), offset in shared
        owner = source.owner(span)
        if owner is None and creating:
            owner = source.initializers.get(span)
        if owner is not None and is_shared:
            tallies[number, owner].count_shared(times)
        elif owner is not None:
            found = duplicates.get(offset)
            others = None if found is None else [counts.get(each, 0) for each in found]
            tallies[number, owner].count(opcode, times, others)
        elif span in source.functions:
            count = UNKNOWN if is_shared and times else times
            entered[number][span] = merge_counts(count, entered[number].get(span, NO_CODE))
    return tallies
