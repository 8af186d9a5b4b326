"""From instructions that ran to lines that ran."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from devchain.contracts.artifacts import Artifact, Code, Source
from devchain.contracts.coverage_report import DOUBT, NO_CODE, Report, format_lcov, merge_counts
from devchain.contracts.coverage_source import (
    Measured,
    is_dependency,
    on_disk,
    printable,
    shown,
    text_of,
)
from devchain.contracts.merged_blocks import merged, twins
from devchain.contracts.registry import Registry
from devchain.contracts.source_map import FIXED, instructions
from devchain.contracts.syntax_tree import Span
from devchain.errors import ConfigError

NO_FILE = "-"
"""Stands where a file could be named and none is wanted."""


def check_writable(file: str) -> None:
    """Refuse a file that cannot be written, before the work is done; raises `ConfigError`."""
    if file != NO_FILE:
        _written(file, None)


def write_report(report: Report, file: str) -> None:
    """Write the report to that file unless it is `-`; raises `ConfigError`."""
    if file != NO_FILE:
        _written(file, format_lcov(report))


def _written(file: str, text: str | None) -> None:
    path = Path(file)
    try:
        with path.open("a" if text is None else "w", encoding="utf-8") as out:
            out.write(text or "")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no file can have that name"
        raise ConfigError(f"cannot write the coverage file {file}: {reason}") from None


MOST_UNKNOWN = 512
MOST_REMEMBERED = 4_096

Counts = dict[int, int]
"""How often each place in some code ran."""

Key = tuple[bool, tuple[int, ...]]
"""Whether it is creation code, and which artifacts it is of, by identity."""


@dataclass(slots=True)
class Coverage:
    """How often every instruction ran, of code that artifacts know.

    What runs before its artifact is known is kept for later, the oldest forgotten first; so is the
    init code of contracts nobody will ever name. Everything that ran counts: transactions, also
    those taken back, calls and estimates.
    """

    known: Registry
    _ran: dict[Key, Counts] = field(default_factory=dict)
    _of_code: dict[tuple[bool, bytes], Counts] = field(default_factory=dict)
    _unknown: dict[tuple[bool, bytes], Counts] = field(default_factory=dict)

    def counts(self, code: bytes, *, creating: bool) -> Counts:
        """How often each place in some code ran so far, to be counted on."""
        asked = (creating, code)
        found = self._of_code.get(asked)
        if found is None:
            found = self._unknown.get(asked)
        return self._first_seen(asked) if found is None else found

    def _first_seen(self, asked: tuple[bool, bytes]) -> Counts:
        owners = self._owners(*asked)
        if not owners:
            if len(self._unknown) >= MOST_UNKNOWN:
                del self._unknown[next(iter(self._unknown))]
            return self._unknown.setdefault(asked, {})
        if len(self._of_code) >= MOST_REMEMBERED:  # every init code with other arguments is one
            self._of_code.clear()
        counts = self._ran.setdefault((asked[0], owners), {})
        self._of_code[asked] = counts
        return counts

    def _owners(self, creating: bool, code: bytes) -> tuple[int, ...]:  # noqa: FBT001  # as in a key
        """The artifacts that code is of: those with its very metadata, else all that match."""
        found = [each for each in self.known if _is_of(each, code, creating=creating)]
        same = [each for each in found if _code(each, creating=creating).has_metadata_of(code)]
        return tuple(id(each) for each in same or found)

    def settle(self) -> None:
        """Ask again for what was unknown: artifacts may have come since."""
        for asked, counts in list(self._unknown.items()):
            owners = self._owners(*asked)
            if owners:
                del self._unknown[asked]
                _add(self._ran.setdefault((asked[0], owners), {}), counts)

    def of(self, artifact: Artifact, *, creating: bool) -> Counts:
        """How often each place in an artifact's code ran."""
        found: Counts = {}
        for (is_creation, owners), counts in self._ran.items():
            if is_creation is creating and id(artifact) in owners:
                _add(found, counts)
        return found


def _add(counts: Counts, more: Mapping[int, int]) -> None:
    for place, count in more.items():
        counts[place] = counts.get(place, 0) + count


def _code(artifact: Artifact, *, creating: bool) -> Code:
    return artifact.creation if creating else artifact.runtime


def _is_of(artifact: Artifact, code: bytes, *, creating: bool) -> bool:
    """Whether the artifact can tell what some code is, and it is that."""
    own = _code(artifact, creating=creating)
    if not own.source_map:
        return False
    return own.matches(code[: len(own.template)]) if creating else artifact.matches_code(code)


def build_report(coverages: Iterable[Coverage]) -> Report:
    """Which lines ran on one node or several."""
    made = Report()
    for coverage in coverages:
        coverage.settle()
        made.add(_Measurement().of(coverage))
    return made


@dataclass(slots=True)
class Tally:
    """How often the instructions of a statement ran in one code: those that stay, and the others.

    Compiled via IR a part of a statement may run before its turn, or without need; optimized, it
    may have lost its place where it was inlined. Only what has an effect is sure to be where it was
    written.
    """

    most: int = 0
    fixed: int = 0
    most_fixed: int = 0
    others: int = 0
    others_run: int = 0
    may_have_run: bool = False
    is_all_double: bool = True
    double_ran: bool = False

    def count_shared(self, times: int) -> None:
        """Count an instruction that may have run for another statement."""
        self.may_have_run = self.may_have_run or times > 0

    def count(self, opcode: int, times: int, doubles: Iterable[int] | None = None) -> None:
        """Count an instruction that ran so often, and its doubles, if it has any, so often each."""
        self.is_all_double = self.is_all_double and doubles is not None
        self.double_ran = self.double_ran or any(doubles or ())
        self.most = max(self.most, times)
        if opcode in FIXED:
            self.fixed += 1
            self.most_fixed = max(self.most_fixed, times)
        else:
            self.others += 1
            self.others_run += times > 0

    def verdict(self, *, moved: bool, inlined: bool) -> int:
        """How often the statement ran, or `DOUBT`."""
        if not self.most:
            stood_in_for = self.is_all_double and self.double_ran
            in_doubt = self.may_have_run or stood_in_for or (inlined and not self.fixed)
            return DOUBT if in_doubt else 0
        if not moved or self.most_fixed:
            return self.most_fixed if moved else self.most
        is_whole = not self.fixed and self.others_run == self.others
        return self.most if is_whole else DOUBT


@dataclass(slots=True)
class _Measurement:
    """The sources of a node's artifacts; where a path has two texts, the one here now counts."""

    _measured: dict[tuple[str, str], Measured] = field(default_factory=dict)
    _left_out: set[str] = field(default_factory=set)

    def of(self, coverage: Coverage) -> Report:
        """What ran, by file."""
        for artifact in coverage.known:
            for creating in (True, False):
                code = artifact.creation if creating else artifact.runtime
                if code.source_map and artifact.sources:
                    self._measure(artifact, code, coverage.of(artifact, creating=creating))
        files = {printable(shown(path)): each.report() for path, each in self._current().items()}
        return Report({path: each for path, each in files.items() if each.lines}, self._left_out)

    def _measure(self, artifact: Artifact, code: Code, counts: Counts) -> None:
        sources = {
            number: self._source(artifact, each) for number, each in artifact.sources.items()
        }
        listed = list(instructions(code))
        shared = merged(code, listed, sources) if artifact.optimized else frozenset()
        doubles = twins(code, listed, shared)
        tallies: dict[tuple[int, int], Tally] = defaultdict(Tally)
        entered: dict[int, dict[Span, int]] = defaultdict(dict)
        for place, opcode, number, span in listed:
            source = sources.get(number)
            if source is None:
                continue
            times, is_shared = counts.get(place, 0), place in shared
            owner = source.owner(span)
            if owner is not None and is_shared:
                tallies[number, owner].count_shared(times)
            elif owner is not None:
                found = doubles.get(place)
                ran = None if found is None else [counts.get(each, 0) for each in found]
                tallies[number, owner].count(opcode, times, ran)
            elif span in source.functions:
                told = DOUBT if is_shared and times else times
                entered[number][span] = merge_counts(told, entered[number].get(span, NO_CODE))
        inlined = artifact.via_ir and artifact.optimized
        verdicts: dict[int, dict[int, int]] = defaultdict(dict)
        for (number, owner), tally in tallies.items():
            verdicts[number][owner] = tally.verdict(moved=artifact.via_ir, inlined=inlined)
        for number, source in sources.items():
            if source is not None:
                lost = source.lost(verdicts[number]) if inlined else {}
                source.add(verdicts[number] | lost, entered[number])

    def _source(self, artifact: Artifact, source: Source) -> Measured | None:
        """The source under measurement; None if it is left out."""
        if is_dependency(source.path):
            self._left_out.add(source.path)
            return None
        text = text_of(source)
        if not text:
            self._left_out.add(source.path)
            return None
        key = source.path, text
        if key not in self._measured:
            is_vyper = artifact.language == "Vyper"
            self._measured[key] = Measured(text, source.outline, is_vyper)
        return self._measured[key]

    def _current(self) -> dict[str, Measured]:
        found: dict[str, Measured] = {}
        for (path, text), each in self._measured.items():
            if path not in found or found[path].text != on_disk(path) or text == on_disk(path):
                found[path] = each
        return found
