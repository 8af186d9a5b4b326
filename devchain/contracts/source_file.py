"""Source files of contracts: lines, statements and functions at source ranges; their texts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from devchain.contracts.artifacts import Artifact, Source
from devchain.contracts.source_map import instructions
from devchain.contracts.syntax_tree import Function, Outline, Span, Statement

MAX_LISTED = 3
"""Changed sources that a notice names."""

LITERALS = frozenset({"True", "False"})
"""Words that are values."""

NAME = re.compile(r"([^\W\d]\w*)\s*[-+*/%&|^<>=!]*\s*")
"""A name, perhaps with an operator behind."""

CONSTANT = re.compile(r":\s*(public\s*\(\s*)?(constant|immutable)\s*\(")
"""The declaration of a constant or an immutable in Vyper."""

ONLY_JUMPS = frozenset({"return", "break", "continue", "raise"})
"""Statements that are a jump, or a failure, and nothing else."""

ADDRESS, JUMPDEST = 0x30, 0x5B
OF_VALUES = frozenset({*range(0x50, 0x56), *range(0x80, 0xA0)})
"""Loads, stores, DUPs and SWAPs."""

INSTALLED = frozenset({"node_modules", "site-packages"})
"""Folders with what npm and pip install."""

PROJECT = "project/"
"""Prefix of the paths of a project's own sources in Hardhat 3."""


@dataclass
class SourceFile:
    """The text of a source and, where the compiler's syntax tree is known, its outline."""

    text: str
    outline: Outline | None
    is_vyper: bool
    _owners: dict[Span, int | None] = field(default_factory=dict, kw_only=True, repr=False)

    def owner(self, span: Span) -> int | None:
        """The number of the statement, or line, that an instruction of that span belongs to."""
        if span not in self._owners:
            self._owners[span] = self._find_owner(span)
        return self._owners[span]

    def _find_owner(self, span: Span) -> int | None:
        return None if self.is_vyper and self._is_name(span) else self.find_owner(span)

    def find_owner(self, span: Span) -> int | None:
        """As `owner`, for names too, which in vyper may have the range of another use."""
        if self.outline is None:
            first, last = self.line(span[0]), self.line(max(span[0], span[1] - 1))
            return first if first == last and span[1] > span[0] else None
        whole = self._whole.get(span)
        return self._enclosing(span) if whole is None else whole

    def _is_name(self, span: Span) -> bool:
        # Or a `break` or `continue`, which may be that of a jump of the condition before. In
        # arguments by name, vyper makes the span too long: `value =` in `Paid(more=(1 if value == 2
        # else 3))`.
        found = NAME.fullmatch(self.text[span[0] : span[1]])
        return found is not None and found[1] not in LITERALS and found[1] not in self.constants

    def is_variable(self, span: Span) -> bool:
        """Whether the span is that of a use of a local variable in Vyper."""
        text = self.text_at(span)
        return text.isidentifier() and text not in ONLY_JUMPS and self.owner(span) is None

    @cached_property
    def constants(self) -> frozenset[str]:
        """The names of constants and immutables, which no local variable has in Vyper."""
        variables = self.outline.variables if self.outline else ()
        return frozenset(
            each.name for each in variables if CONSTANT.search(self.text_at(each.span))
        )

    def _enclosing(self, span: Span) -> int | None:
        index = bisect_right(self._parts, (span[0], float("inf"), 0)) - 1
        if index < 0:
            return None
        start, end, number = self._parts[index]
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
        """The function that contains a span."""
        starts = self._function_starts
        index = bisect_right(starts, span[0]) - 1
        found = self.functions[self._function_spans[index]] if index >= 0 else None
        return found if found and span[1] <= found.span[1] else None

    def is_fallback(self, span: Span) -> bool:
        """Whether a span is that of Vyper's fallback function.

        The choice of the function ends with a push of its address, to which vyper gives its range
        although it has not begun.
        """
        return self.is_vyper and self.text.startswith("def __default__", span[0])

    @cached_property
    def _function_spans(self) -> list[Span]:
        return sorted(self.functions)

    @cached_property
    def _function_starts(self) -> list[int]:
        return [start for start, _ in self._function_spans]

    def is_simple(self, owner: int) -> bool:
        """Whether a statement contains no other statements."""
        return owner < len(self._statements) and not self._statements[owner].is_compound

    def is_block(self, span: Span) -> bool:
        """Whether a span is that of a whole function, or of a statement that contains others."""
        number = self._whole.get(span)
        return span in self.functions or (number is not None and not self.is_simple(number))

    @cached_property
    def functions(self) -> dict[Span, Function]:
        return {each.span: each for each in self.outline.functions} if self.outline else {}

    @cached_property
    def contracts(self) -> frozenset[Span]:
        return frozenset(each.span for each in (self.outline.contracts if self.outline else ()))

    def line(self, offset: int) -> int:
        """The line number of an offset, counted from 1."""
        return bisect_right(self._line_starts, offset)

    def column(self, offset: int) -> int:
        """The column of an offset in its line, in characters, counted from 1."""
        return len(self.text_at((self._line_starts[self.line(offset) - 1], offset))) + 1

    def text_at(self, span: Span) -> str:
        """The text of a range."""
        start, end = span
        if self.is_vyper:
            return self.text[start:end]
        return self._encoded[start:end].decode(errors="replace")

    def text_of_line(self, number: int) -> str:
        """A line by its number; empty if there is none."""
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""

    @cached_property
    def _encoded(self) -> bytes:
        return _bytes(self.text)

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def _line_starts(self) -> list[int]:
        lines = self._lines
        sizes = (len(each if self.is_vyper else _bytes(each)) + 1 for each in lines)
        return list(accumulate(sizes, initial=0))[: len(lines)]


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def is_in_source_order(artifact: Artifact, files: Mapping[int, SourceFile]) -> bool:
    """Whether vyper generated code in the order of these sources, by id: not with Venom.

    The other generator gives labels the range of a function, or of a loop or an `if`; vyper 0.5
    gives them none. The addresses of variables have the range of a use of them, while Venom gives
    it to their values, if at all.
    """
    decoded = (
        (each, files[each.source])
        for code in (artifact.creation, artifact.runtime)
        for each in instructions(code)
        if each.source in files
    )
    uses: set[int] = set()
    for each, file in decoded:
        if each.opcode == JUMPDEST and file.is_block(each.span):
            return True
        # That of `self` is no variable, and a getter has the name of its type.
        if each.opcode != ADDRESS and file.is_variable(each.span) and file.function(each.span):
            uses.add(each.opcode)
    return bool(uses) and uses.isdisjoint(OF_VALUES)


def text_of(source: Source) -> str:
    """The text of a source, from the artifact or else from its file; empty if there is none.

    That of a file which has changed since it was compiled is not used, where the compiler wrote the
    hash of what it compiled.
    """
    text = source.text or read_from_disk(source.path)
    return "" if not source.text and source.is_text(text) is False else text


@dataclass(frozen=True, order=True)
class StaleSource:
    """A source whose file has changed since it was compiled, or may have.

    It may have if there is no digest of what was compiled and its file is newer than `newer_than`,
    that of the artifact. It is known to have if that is empty.
    """

    path: str
    newer_than: str = ""


def find_stale(source: Source, artifact: Artifact) -> StaleSource | None:
    """What is known of changes to a source of an artifact since it was compiled; None if nothing.

    Once its text was read, later changes of the file do not matter: that text is what is shown.
    """
    path, modified = printable(display_path(source.path)), source.modified
    if source.is_stale:
        return StaleSource(path)
    if not source.text and (text := read_from_disk(source.path)):
        is_compiled = source.is_text(text)
        if is_compiled is False:
            return StaleSource(path)
        modified = modified_at(display_path(source.path)) if is_compiled is None else 0
    if artifact.is_older(modified):
        return StaleSource(path, printable(display_path(artifact.file)))
    return None


def stale_notice(stale: Collection[StaleSource]) -> str:
    """What to do about sources that have changed, and about those that may have; empty if none."""
    changed = sorted({each.path for each in stale if not each.newer_than})
    newer = sorted({each.path for each in stale if each.newer_than} - {*changed})
    artifacts = {each.newer_than for each in stale if each.path in newer}
    notices = []
    if changed:
        have = "has changed since it was" if len(changed) == 1 else "have changed since they were"
        notices.append(f"{_listed(changed)} {have} compiled: compile again")
    if newer:
        are = "is newer than" if len(newer) == 1 else "are newer than"
        compiled = artifacts.pop() if len(artifacts) == 1 else "their artifacts"
        have = "it has changed" if len(newer) == 1 else "they have changed"
        notices.append(
            f"{_listed(newer)} {are} {compiled}: if {have}, compile again; places may be wrong"
        )
    return "; ".join(notices)


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - MAX_LISTED} more" if len(paths) > MAX_LISTED else ""
    return f"{', '.join(paths[:MAX_LISTED])}{more}"


def modified_at(path: str | Path) -> int:
    """When a file was modified, in nanoseconds; 0 if there is none."""
    try:
        return Path(path).stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


def read_from_disk(path: str) -> str:
    """The text of the file at a path; empty if there is none."""
    try:
        return Path(display_path(path)).read_bytes().decode()
    except (OSError, ValueError):
        return ""


def display_path(path: str) -> str:
    """A path relative to the working directory if possible, without Hardhat's prefix."""
    short = path.removeprefix(PROJECT)
    try:
        if Path(path).is_absolute():
            return str(Path(path).relative_to(Path.cwd()))
        return short if not Path(path).is_file() and Path(short).is_file() else path
    except (OSError, ValueError):
        return path


def printable(text: str) -> str:
    """Replace control characters by question marks."""
    return "".join(each if each.isprintable() else "?" for each in text)


def is_dependency(path: str) -> bool:
    """Whether a path is of a dependency installed by Hardhat, Foundry, npm or pip."""
    first, *rest = path.split("/")
    in_folder = first in {"lib", "npm", "hardhat"} or first.startswith("@")
    return (in_folder and bool(rest)) or not INSTALLED.isdisjoint([first, *rest])
