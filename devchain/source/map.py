"""Code maps: the source position of each instruction of a contract's code."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import islice, pairwise
from pathlib import PurePosixPath

from devchain.contracts.abi import SELECTOR, Entry
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact, Code
from devchain.contracts.source_map import (
    ENDS,
    INTO,
    JUMPS,
    NOWHERE,
    OUT_OF,
    PUSHES,
    Instruction,
    instruction_offsets,
    instructions,
    pushed_targets,
)
from devchain.contracts.sources import StaleSource, display_path, find_stale, printable, text_of
from devchain.contracts.syntax_tree import Function, Local, Span
from devchain.source.merged_basic_blocks import merged_offsets
from devchain.source.outline import ONLY_JUMPS, SourceFile, is_in_source_order, outlines
from devchain.types import Address

STATEMENTS = frozenset({"raise", "pass", "break", "continue", "return"})
MLOAD, MSTORE, MCOPY, PUSH0, PUSH32 = 0x51, 0x52, 0x5E, 0x5F, 0x7F
JUMP, JUMPDEST = 0x56, 0x5B
MAX_PROLOGUE = 24
"""Instructions around a call that have no source range, as at the start of Vyper's functions."""

WORD = re.compile(r"[A-Za-z_$][\w$]*")
LAST_WORD = re.compile(r"([A-Za-z_$][\w$]*)\s*$")
BLOCK = re.compile(r"(assembly|unchecked)?\s*(\"[^\"]*\"|\([^)]*\))?\s*\{")
"""The beginning of a block of statements."""

ELEMENTARY = re.compile(r"(u?int|bytes|address|bool|string)\d*(\[\d*\])*$")
"""Types that are the same in the ABI."""

COMMENT = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|//[^\n]*|/\*.*?\*/""", re.DOTALL)
VYPER_COMMENT = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\#[^\n]*""")
"""Strings, in the first group, and comments."""

ONLY_FAILS = re.compile(r"(require|assert|revert|raise|throw)\b")
CONDITIONAL = re.compile(r"(el)?if\b")


class Confidence(Enum):
    """How sure it is that a location is the right one."""

    EXACT = "exact"
    NEAR = "near"
    UNKNOWN = "unknown"


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
    def module(self) -> str:
        """The module of an internal function or constructor of Vyper, by its file; else empty."""
        function = self.function
        if not self.file.is_vyper or function is None:
            return ""
        is_own = function.is_internal or function.own_name == "__init__"
        return PurePosixPath(self.path).stem if is_own else ""

    @property
    def line(self) -> int:
        """The line on which it starts, counted from 1."""
        return self.file.line(self.span[0])

    @property
    def last_line(self) -> int:
        """The line on which it ends, counted from 1."""
        return self.file.line(max(self.span[0], self.span[1] - 1))

    @property
    def column(self) -> int:
        """The column at which it starts, counted from 1."""
        return self.file.column(self.span[0])

    @property
    def text(self) -> str:
        """What the source has there."""
        return self.file.text_at(self.span)

    @property
    def code(self) -> str:
        """The text with blanks in place of comments."""
        comment = VYPER_COMMENT if self.file.is_vyper else COMMENT
        return comment.sub(lambda found: found[1] or " " * len(found[0]), self.text)

    @property
    def is_exact(self) -> bool:
        """Whether it is a statement, or a part of one."""
        if self.file.is_vyper and self._is_repeated_name:
            return False
        if self.statement is not None:
            return True
        if self.function is None or self.span == self.function.body:
            return False
        body = self.function.body
        in_body = body[0] <= self.span[0] and self.span[1] <= body[1]
        if in_body and BLOCK.match(self.text):
            return False
        return in_body or any(
            start <= self.span[0] and self.span[1] <= end
            for _, (start, end) in self.function.modifiers
        )

    @property
    def _is_repeated_name(self) -> bool:
        # Vyper gives all uses of a name the range of one of them.
        text = self.text
        if not text.isidentifier() or text in STATEMENTS:
            return False
        if self.function is None:
            return True
        return len(re.findall(rf"\b{text}\b", self.file.text_at(self.function.body))) != 1

    @property
    def of_statement(self) -> Position:
        """The whole statement, if it is one that only fails: `require(..)`, `revert ..`."""
        whole = self.whole_statement
        return whole if whole.may_only_fail else self

    @property
    def whole_statement(self) -> Position:
        """The simple statement that it is a part of."""
        outline = self.file.outline
        if outline is None or self.statement is None:
            return self
        statement = outline.statements[self.statement]
        return self if statement.is_compound else replace(self, span=statement.whole)

    @property
    def own_code(self) -> str:
        """The code of its statement; of one that contains others that of its own parts."""
        outline = self.file.outline
        statement = None
        if outline and self.statement is not None:
            statement = outline.statements[self.statement]
        if statement is None or not statement.is_compound:
            return self.whole_statement.code
        return " ".join(replace(self, span=part).code for part in statement.parts)

    @property
    def is_compound(self) -> bool:
        """Whether it is of a statement that contains others, such as its condition."""
        return self.statement is not None and not self.file.is_simple(self.statement)

    @property
    def condition(self) -> Position | None:
        """The condition of the `if` that it is in; None without one, or in a loop inside it."""
        outline = self.file.outline
        around = [
            (each.whole, number)
            for number, each in enumerate(outline.statements if outline else ())
            if each.is_compound and _is_inside(self.span, each.whole)
        ]
        if outline is None or not around:
            return None
        whole, number = max(around)
        parts = outline.statements[number].parts
        is_if = CONDITIONAL.match(self.file.text_at(whole)) and len(parts) == 1
        return replace(self, span=parts[0], statement=number) if is_if else None

    def starting_at(self, index: int) -> Position:
        """The rest of it, from a character on."""
        before = self.text[:index]
        size = len(before) if self.file.is_vyper else len(before.encode())
        return replace(self, span=(self.span[0] + size, self.span[1]))

    @property
    def may_only_fail(self) -> bool:
        """Whether it is a statement with no purpose but to fail: `require(..)`, `revert ..`."""
        return bool(ONLY_FAILS.match(self.text))


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
        self._reachable: dict[Function, list[Function]] = {}
        self.memory_places: dict[Function, dict[Local, int]] = {}
        """Where `source.values` found the variables of each function in memory."""

    @cached_property
    def _decoded(self) -> list[Instruction]:
        return list(instructions(self.code))

    @cached_property
    def _by_offset(self) -> dict[int, Instruction]:
        return {each.offset: each for each in self._decoded}

    @cached_property
    def _pushed_targets(self) -> frozenset[int]:
        return pushed_targets(self.code)

    @cached_property
    def jumps(self) -> dict[int, str]:
        """The jumps into and out of internal functions, by offset."""
        return {each.offset: each.jump for each in self._decoded if each.jump in {INTO, OUT_OF}}

    @cached_property
    def fixed_jumps(self) -> frozenset[int]:
        """Jumps without a mark whose destination the code pushes just before: none returns.

        Without those of vyper versions whose maps have entries for bytes, not for instructions.
        """
        if self.code.maps_bytes:
            return frozenset()
        return frozenset(
            each.offset
            for before, each in pairwise(self._decoded)
            if each.opcode in JUMPS and before.opcode in PUSHES and each.offset not in self.jumps
        )

    @cached_property
    def files(self) -> dict[int, SourceFile]:
        """The sources whose text is known, by source id."""
        is_vyper = self.artifact.language == "Vyper"
        sources = self.artifact.sources
        texts = {number: text for number, each in sources.items() if (text := text_of(each))}
        without = {number: text for number, text in texts.items() if not sources[number].outline}
        found = outlines(without, is_vyper=is_vyper)
        return {
            number: SourceFile(text, found.get(number) or sources[number].outline, is_vyper)
            for number, text in texts.items()
        }

    @cached_property
    def _paths(self) -> dict[int, str]:
        return {
            number: printable(display_path(each.path))
            for number, each in self.artifact.sources.items()
        }

    @cached_property
    def _merged(self) -> frozenset[int]:
        if not self.artifact.optimized or self.is_vyper:
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

    def is_of_unknown_source(self, offset: int) -> bool:
        """Whether an instruction may be of a source that is not known, or has no text here."""
        found = self._by_offset.get(offset)
        if found is None or found.source == NOWHERE or found.source in self.files:
            return False
        return found.source in self.artifact.sources or self.artifact.lacks_sources

    def exact_position(self, offset: int) -> Position | None:
        """The position of an instruction if it is exact, and that of no merged code."""
        position = self.position(offset)
        is_known = position is not None and position.is_exact and not self.is_merged(offset)
        return position if is_known else None

    def has_line(self, offset: int) -> bool:
        """Whether an instruction counts for the line of its position.

        That is so with an exact position, and with that of a function or of what is on one line:
        not of a whole contract, of merged code, or of a name in vyper.
        """
        if self.exact_position(offset):
            return True
        position = self.position(offset)
        if position is None or self.is_merged(offset):
            return False
        if self.is_vyper and position.text.isidentifier():
            return False
        if position.function:
            return True
        last = position.file.line(max(position.span[0], position.span[1] - 1))
        return last == position.line and position.span not in position.file.contracts

    @cached_property
    def lines(self) -> dict[str, tuple[SourceFile, frozenset[int]]]:
        """The lines that have code, with their file, by path (see `has_line`)."""
        found: dict[str, tuple[SourceFile, set[int]]] = {}
        for offset in self._offsets:
            position = self.position(offset)
            if position and self.has_line(offset):
                found.setdefault(position.path, (position.file, set()))[1].add(position.line)
        return {path: (file, frozenset(lines)) for path, (file, lines) in found.items()}

    def _find_position(self, offset: int) -> Position | None:
        found = self._by_offset.get(offset)
        file = self.files.get(found.source) if found and found.source != NOWHERE else None
        if found is None or file is None:
            return None
        if file.is_fallback(found.span) and offset in self._pushed_targets:
            return None
        statement, function = file.find_owner(found.span), file.function(found.span)
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
        if self.is_vyper and position is None:
            index = bisect_right(self._offsets, target)
            near = (self.position(offset) for offset in self._offsets[index : index + MAX_PROLOGUE])
            position = next((each for each in near if each and each.function), None)
        if position is None or position.function is None or self.is_merged(target):
            return None
        is_start = position.span == position.function.span or self.is_vyper
        return position.function if is_start else None

    def is_destination(self, offset: int) -> bool:
        """Whether a JUMPDEST is at an offset."""
        found = self._by_offset.get(offset)
        return found is not None and found.opcode == JUMPDEST

    def may_call(self, offset: int, function: Function) -> bool:
        """Whether the jump into a function may be the call of it, by the name that is called there.

        An optimizer lets calls of a function that is equal to another one jump to that.
        """
        position = self.position(offset)
        if not self.artifact.optimized or position is None or not position.is_exact:
            return True
        if self.is_merged(offset):
            return False
        return called_name(position.code) == function.own_name

    def is_tail_call(self, offset: int, target: int) -> bool:
        """Whether a plain jump calls a function, as that of a recursion which became a loop."""
        if self.has_calling_convention or self.is_vyper or offset in self.jumps:
            return False
        function = self.function_at(target)
        if function is None:
            return False
        before = (
            self.position(backward) for backward in islice(self.backwards(offset, 0), MAX_PROLOGUE)
        )
        near = next((each for each in before if each and each.is_exact), None)
        called = rf"(?<![\w$]){re.escape(function.own_name)}\s*\("
        return near is not None and bool(re.search(called, near.whole_statement.text))

    @property
    def is_vyper(self) -> bool:
        """Whether the source is Vyper."""
        return self.artifact.language == "Vyper"

    @cached_property
    def _offsets(self) -> list[int]:
        return [each.offset for each in self._decoded]

    def constant_accesses(self) -> Iterator[tuple[int, int, Position | None, Position | None]]:
        """Memory that is accessed at an address pushed just before.

        The address, the opcode, its position and that of the push.
        """
        code, offset, pushed, push = self.code.template, 0, None, 0
        while offset < len(code):
            opcode = code[offset]
            if opcode in {MLOAD, MSTORE, MCOPY} and pushed is not None:
                yield pushed, opcode, self.position(offset), self.position(push)
            push, pushed = offset, None
            offset += 1
            if PUSH0 <= opcode <= PUSH32:
                size = opcode - PUSH0
                pushed = int.from_bytes(code[offset : offset + size], "big")
                offset += size

    def opcodes_behind(self, offset: int) -> Iterator[int]:
        """The opcodes behind an instruction, up to the next jump."""
        code = self.code.template
        while offset < len(code):
            opcode = code[offset]
            offset += 1 + (opcode - PUSH0 if PUSH0 <= opcode <= PUSH32 else 0)
            if offset >= len(code) or code[offset] in JUMPS:
                return
            yield code[offset]

    def backwards(self, last: int, first: int) -> Iterator[int]:
        """Offsets of the instructions from the one at `last` to the one at `first`."""
        index = bisect_right(self._offsets, last) - 1
        while index >= 0 and self._offsets[index] >= first:
            yield self._offsets[index]
            index -= 1

    def offsets_between(self, first: int, last: int) -> Sequence[int]:
        """Offsets of the instructions from the one at `first` to the one at `last`."""
        offsets = self._instruction_offsets
        return offsets[bisect_left(offsets, first) : bisect_right(offsets, last)]

    def up_to_exact(self, offset: int) -> Position | None:
        """The first exact position behind an instruction.

        None if the code ends before, or jumps in any case.
        """
        for instruction_offset in self._instruction_offsets[
            bisect_right(self._instruction_offsets, offset) :
        ]:
            if found := self.exact_position(instruction_offset):
                return found
            if self.code.template[instruction_offset] in ENDS:
                break
        return None

    @cached_property
    def _instruction_offsets(self) -> list[int]:
        return list(instruction_offsets(self.code.template))

    def is_join(self, offset: int) -> bool:
        """Whether code of Vyper with the range of a whole compound statement is behind its parts.

        That is a label or a jump, which runs after the statements inside. Also whether it has the
        range of a `break` or `continue`, but may be of the condition before, which jumps there.
        """
        position = self.position(offset)
        opcode = self.code.template[offset]
        outline = position.file.outline if position and self.is_vyper else None
        if position is None or outline is None or position.statement is None:
            return False
        if position.text in ONLY_JUMPS and opcode in PUSHES:
            return True
        statement = outline.statements[position.statement]
        is_jump = opcode in {JUMP, JUMPDEST} or opcode in PUSHES
        return is_jump and statement.is_compound and statement.whole == position.span

    @cached_property
    def is_in_order(self) -> bool:
        """Whether it is code of Vyper in the order of the source (see `is_in_source_order`)."""
        return self.is_vyper and is_in_source_order(self.artifact, self.files)

    def may_be_inlined(self, position: Position) -> bool:
        """Whether code of a statement may be that of a function of Vyper that Venom inlined."""
        if not self.is_vyper or self.is_in_order:
            return False
        internal = {
            each.own_name
            for file in self.files.values()
            for each in file.functions.values()
            if each.is_internal
        }
        return not internal.isdisjoint(WORD.findall(position.whole_statement.code))

    # The function that a message calls

    def called(self, data: bytes) -> Position | None:
        """The function of the source that call data is for, or the getter's variable.

        For creation code it is the constructor. None if no function has that selector.
        """
        for contract in self._lineage:
            for number, file in self.files.items():
                if self.is_vyper and self.artifact.sources[number].path != self._own_path:
                    continue
                found = self._called_in(file, "" if self.is_vyper else contract, data)
                if found:
                    span, function = found
                    return Position(self._paths[number], file, span, None, function)
            if self.creating:
                return None
        return None

    def _called_in(
        self, file: SourceFile, contract: str, data: bytes
    ) -> tuple[Span, Function | None] | None:
        functions = [
            function for function in file.functions.values() if function.contract == contract
        ]
        if self.creating:
            names = {"constructor", "__init__"}
            return next(
                ((function.span, function) for function in functions
                 if function.kind == "constructor" or function.own_name in names),
                None,
            )  # fmt: skip
        entry = self.artifact.abi.functions.get(data[:SELECTOR])
        if entry is None:
            default = self.artifact.abi.default_function(data)
            return next(
                (
                    (function.span, function)
                    for function in functions
                    if default
                    and (function.kind == default.kind or function.own_name == "__default__")
                ),
                None,
            )
        for function in functions:
            if function.selector and function.selector != data[:SELECTOR].hex():
                continue
            is_sure = function.selector or self.is_vyper
            if function.own_name == entry.name and (is_sure or _may_be(function, entry)):
                return function.span, function
        variables = file.outline.variables if file.outline else ()
        return next(
            ((variable.span, None) for variable in variables
             if variable.name == entry.name and variable.contract == contract),
            None,
        )  # fmt: skip

    @property
    def _own_path(self) -> str:
        paths = [source.path for source in self.artifact.sources.values()]
        own = self.artifact.source
        return next((path for path in paths if path == own or path.endswith(f"/{own}")), own)

    @cached_property
    def _lineage(self) -> list[str]:
        bases = {
            each.name: each.bases
            for file in self.files.values()
            for each in (file.outline.contracts if file.outline else ())
        }
        found: dict[str, None] = {}
        pending = [self.artifact.name]
        while pending:
            name = pending.pop(0)
            if name not in found:
                found[name] = None
                pending += reversed(bases.get(name, ()))
        return list(found)

    @property
    def whole(self) -> Position | None:
        """The position of the whole contract; None if the source does not tell."""
        for number, file in self.files.items():
            for contract in file.outline.contracts if file.outline else ():
                if contract.name == self.artifact.name:
                    return Position(self._paths[number], file, contract.span, None, None)
        return None

    def reachable(self, function: Function) -> list[Function]:
        """A function, and those whose names are in it or in one of those: it may call them.

        For a constructor, also the constructors of the contracts that its contract inherits.
        """
        if function not in self._reachable:
            known = [each for file in self.files.values() for each in file.functions.values()]
            found = {function: None}
            pending = [function]
            while pending:
                names = self.names_in(pending.pop())
                for each in known:
                    is_base = function.kind == each.kind == "constructor"
                    inherited = is_base and each.contract in self._lineage
                    if each not in found and (each.own_name in names or inherited):
                        found[each] = None
                        pending.append(each)
            self._reachable[function] = list(found)
        return self._reachable[function]

    def names_in(self, function: Function) -> set[str]:
        """All names in the code of a function."""
        start = self.position_of(function)
        return set(WORD.findall(start.code)) if start else set()

    def initial_values(self) -> Iterator[Position]:
        """The values that state variables of the contract and its bases start with."""
        for number, file in self.files.items():
            for index, each in enumerate(file.outline.statements if file.outline else ()):
                if file.function(each.whole) is None and not each.is_compound:
                    yield Position(self._paths[number], file, each.whole, index, None)

    def statements(self, function: Function) -> Iterator[Position]:
        """The simple statements of a function."""
        start = self.position_of(function)
        outline = start.file.outline if start else None
        if start is None or outline is None:
            return
        for number, each in enumerate(outline.statements):
            inside = function.span[0] <= each.whole[0] and each.whole[1] <= function.span[1]
            if inside and not each.is_compound:
                yield replace(start, span=each.whole, statement=number)

    def expressions(self, function: Function) -> Iterator[Position]:
        """What a function computes: arguments of modifiers, simple statements and conditions."""
        start = self.position_of(function)
        outline = start.file.outline if start else None
        if start is None or outline is None:
            return
        for _, span in function.modifiers:
            yield replace(start, span=span)
        for number, each in enumerate(outline.statements):
            inside = function.span[0] <= each.whole[0] and each.whole[1] <= function.span[1]
            for part in each.parts if inside else ():
                yield replace(start, span=part, statement=number)

    @cached_property
    def stale(self) -> list[StaleSource]:
        """The sources of this code that have changed since they were compiled, or may have."""
        used = {each.source for each in self._decoded}
        sources = (each for number, each in self.artifact.sources.items() if number in used)
        return [stale for source in sources if (stale := find_stale(source, self.artifact))]


def code_map(
    registry: Registry, code: bytes, address: Address | None = None, *, creating: bool
) -> CodeMap | None:
    """The source positions of deployed code, or of init code; None if no artifact has them."""
    artifact = registry.compiled(code, address, creating=creating)
    if artifact is None or not artifact.sources:
        return None
    key = id(artifact), creating
    if key not in registry.code_maps:
        own = artifact.creation if creating else artifact.runtime
        registry.code_maps[key] = CodeMap(artifact, own, creating=creating)
    known: CodeMap = registry.code_maps[key]
    return known


def called_name(code: str) -> str:
    """The name of what a call calls: `take` of `vault.take(1, f(2))`; empty for other code."""
    depth = 0
    for index in range(len(code) - 1, -1, -1):
        depth += (code[index] == ")") - (code[index] == "(")
        if depth == 0:
            match = LAST_WORD.search(code[:index])
            return match[1] if match and code.endswith(")") else ""
    return ""


def _is_inside(span: Span, outer: Span) -> bool:
    return outer[0] <= span[0] and span[1] <= outer[1] and span != outer


def _may_be(function: Function, entry: Entry) -> bool:
    return len(function.parameters) == len(entry.inputs) and all(
        kind == value.kind or not ELEMENTARY.match(kind)
        for each, value in zip(function.parameters, entry.inputs, strict=True)
        for kind in (each.kind.partition(" ")[0],)
    )
