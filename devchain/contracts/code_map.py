"""Code maps: the source position of each instruction of a contract's code."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from devchain.contracts.artifacts import Artifact, Code
from devchain.contracts.merged_basic_blocks import merged_offsets
from devchain.contracts.source_file import SourceFile, display_path, printable, text_of
from devchain.contracts.source_map import INTO, NOWHERE, OUT_OF, Instruction, instructions
from devchain.contracts.syntax_tree import Function, Span


@dataclass(frozen=True, slots=True)
class Position:
    """A range of a source: `path` is as shown to people, `statement` a number in the outline.

    `function` is the one that contains the range. A position is exact if it is a statement or a
    part of one, and not a whole function or contract, which compilers give to code of their own.
    """

    path: str
    file: SourceFile
    span: Span
    statement: int | None
    function: Function | None

    @property
    def line(self) -> int:
        """The line on which it starts, counted from 1."""
        return self.file.line(self.span[0])

    @property
    def column(self) -> int:
        """The column at which it starts, counted from 1."""
        return self.file.column(self.span[0])

    @property
    def text(self) -> str:
        """What the source has there."""
        return self.file.text_at(self.span)

    @property
    def is_exact(self) -> bool:
        """Whether it is a statement, or a part of one."""
        if self.file.is_vyper and self.text.isidentifier():
            return False  # vyper gives all uses of a name the range of one of them
        if self.statement is not None:
            return True
        if self.function is None or self.span == self.function.body:
            return False
        body = self.function.body
        in_body = body[0] <= self.span[0] and self.span[1] <= body[1]
        return in_body or any(self.span == span for _, span in self.function.modifiers)


class CodeMap:
    """Source positions of the creation or runtime code of an artifact with source map.

    Offsets are those of the code, jumps `i` (into an internal function), `o` (out of it) or `-`.
    """

    def __init__(self, artifact: Artifact, code: Code, *, creating: bool) -> None:
        self.artifact = artifact
        self.code = code
        self.creating = creating
        self.has_calling_convention = not (artifact.via_ir and artifact.optimized)
        self._positions: dict[int, Position | None] = {}

    @cached_property
    def _decoded(self) -> list[Instruction]:
        return list(instructions(self.code))

    @cached_property
    def _by_offset(self) -> dict[int, Instruction]:
        return {each.offset: each for each in self._decoded}

    @cached_property
    def jumps(self) -> dict[int, str]:
        """The jumps into and out of internal functions, by offset."""
        return {each.offset: each.jump for each in self._decoded if each.jump in {INTO, OUT_OF}}

    @cached_property
    def files(self) -> dict[int, SourceFile]:
        """The sources whose text is known, by source id."""
        is_vyper = self.artifact.language == "Vyper"
        texts = ((number, each, text_of(each)) for number, each in self.artifact.sources.items())
        return {
            number: SourceFile(text, each.outline, is_vyper) for number, each, text in texts if text
        }

    @cached_property
    def _paths(self) -> dict[int, str]:
        return {
            number: printable(display_path(each.path))
            for number, each in self.artifact.sources.items()
        }

    @cached_property
    def _merged(self) -> frozenset[int]:
        if not self.artifact.optimized:
            return frozenset()
        return merged_offsets(self.code, self._decoded, self.files)

    def is_merged(self, offset: int) -> bool:
        """Whether the optimizer may have merged the code there with that of other statements."""
        return offset in self._merged

    def position(self, offset: int) -> Position | None:
        """The source position of an instruction; None for code that the compiler generated."""
        if offset not in self._positions:
            self._positions[offset] = self._find_position(offset)
        return self._positions[offset]

    def _find_position(self, offset: int) -> Position | None:
        found = self._by_offset.get(offset)
        file = self.files.get(found.source) if found and found.source != NOWHERE else None
        if found is None or file is None:
            return None
        statement, function = file.owner(found.span), file.function(found.span)
        return Position(self._paths[found.source], file, found.span, statement, function)

    def position_of(self, function: Function) -> Position | None:
        """The position of a function of this code's sources."""
        for number, file in self.files.items():
            if file.functions.get(function.span) is function:
                return Position(self._paths[number], file, function.span, None, function)
        return None

    def function_at(self, target: int) -> Function | None:
        """The function that starts at a jump destination; None if none does."""
        position = self.position(target)
        if position is None or position.function is None:
            return None
        is_start = position.span == position.function.span or position.file.is_vyper
        return position.function if is_start else None

    @cached_property
    def _offsets(self) -> list[int]:
        return [each.offset for each in self._decoded]

    def backwards(self, last: int, first: int) -> Iterator[int]:
        """Offsets of the instructions from the one at `last` to the one at `first`."""
        index = bisect_right(self._offsets, last) - 1
        while index >= 0 and self._offsets[index] >= first:
            yield self._offsets[index]
            index -= 1

    @cached_property
    def functions_by_selector(self) -> dict[str, Function]:
        """External functions by selector in hex, where the compiler writes it."""
        return {
            each.selector: each
            for file in self.files.values()
            for each in file.functions.values()
            if each.selector
        }

    @property
    def changed(self) -> list[str]:
        """Sources whose text is not known: they have changed since they were compiled."""
        return [path for number, path in self._paths.items() if number not in self.files]
