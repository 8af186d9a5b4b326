"""Code maps: the location in the source of each instruction of a contract's code."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from pathlib import PurePosixPath

from devchain.contracts.abi import SELECTOR, Entry
from devchain.contracts.artifacts import Artifact, metadata_range
from devchain.contracts.outline import Function, Local, Outline, Span, Statement
from devchain.contracts.source_map import INTO, NOWHERE, OUT_OF, Flow, Instruction, instructions
from devchain.contracts.source_parser import outlines
from devchain.contracts.sources import StaleSource, display_path, find_stale, texts_of
from devchain.contracts.value_types import Kind, parse_type
from devchain.evm import opcodes
from devchain.evm.opcodes import ENDS, PUSHES, Op
from devchain.text import printable

MAX_PROLOGUE = 24  # instructions at the start of Vyper's functions that have no source range

KEYWORDS = frozenset({"raise", "pass", "break", "continue", "return"})
"""Statements of Vyper that look like names."""

WORD = re.compile(r"[A-Za-z_$][\w$]*")
LAST_WORD = re.compile(r"([A-Za-z_$][\w$]*)\s*$")
BLOCK = re.compile(r"(assembly|unchecked)?\s*(\"[^\"]*\"|\([^)]*\))?\s*\{")
"""The beginning of a block of statements."""

STRING = r"""("(?:\\.|[^"\\])*+(?:"|\\?\Z)|'(?:\\.|[^'\\])*+(?:'|\\?\Z))"""
COMMENT = re.compile(STRING + r"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
VYPER_COMMENT = re.compile(STRING + r"|\#[^\n]*", re.DOTALL)  # or a string, its first group
ONLY_FAILS = re.compile(r"(require|assert|revert|raise|throw)\b")
ALIASED = re.compile(r"([\w$]+)\s+as\b")
CONDITIONAL = re.compile(r"(el)?if\b")

LITERALS = frozenset({"True", "False"})  # words that are values

USED_NAME = re.compile(r"([^\W\d]\w*)\s*[-+*/%&|^<>=!]*\s*")
"""A name, perhaps with an operator behind."""

CONSTANT = re.compile(r":\s*(public\s*\(\s*)?(constant|immutable)\s*\(")  # of Vyper, declared
OLD_PRAGMA = re.compile(r"\bpragma\s+solidity\b[^;]*\b0\.4\.")  # allows solc 0.4

ONLY_JUMPS = frozenset({"return", "break", "continue", "raise"})
"""Statements that are a jump, or a failure, and nothing else."""


def is_inside(span: Span, outer: Span) -> bool:
    return outer[0] <= span[0] and span[1] <= outer[1]


@dataclass
class SourceFile:
    """The text of a source and its outline."""

    text: str
    outline: Outline
    is_vyper: bool

    def owner(self, span: Span) -> int | None:
        """The number of the statement that an instruction of that span belongs to.

        Without names, which in vyper may have the range of another use.
        """
        return None if self.is_vyper and self._is_name(span) else self.find_owner(span)

    def find_owner(self, span: Span) -> int | None:
        """As `owner`, for names too."""
        if span in self._whole:
            return self._whole[span]
        index = bisect_right(self._parts, (span[0], float("inf"), 0)) - 1
        if index < 0:
            return None
        start, end, number = self._parts[index]
        return number if start <= span[0] and span[1] <= end else None

    def _is_name(self, span: Span) -> bool:
        # Or a `break` or `continue`, which may be that of a jump of the condition before. In
        # arguments by name, vyper makes the span too long: `value =` in `Paid(more=(1 if value == 2
        # else 3))`. No variable has the name of a constant or immutable.
        match = USED_NAME.fullmatch(self.text[span[0] : span[1]])
        return match is not None and match[1] not in LITERALS and match[1] not in self._constants

    @cached_property
    def _constants(self) -> frozenset[str]:
        return frozenset(
            variable.name
            for variable in self.outline.variables
            if CONSTANT.search(self.text_at(variable.span))
        )

    @property
    def statements(self) -> tuple[Statement, ...]:
        return self.outline.statements

    @cached_property
    def _whole(self) -> dict[Span, int]:
        return {statement.whole: number for number, statement in enumerate(self.statements)}

    @cached_property
    def _parts(self) -> list[tuple[int, float, int]]:
        return sorted(
            (start, end, number)
            for number, statement in enumerate(self.statements)
            for start, end in statement.parts
        )

    def function(self, span: Span) -> Function | None:
        index = bisect_right(self._function_spans, (span[0], float("inf"))) - 1
        function = self.functions[self._function_spans[index]] if index >= 0 else None
        return function if function and span[1] <= function.span[1] else None

    def is_fallback(self, span: Span) -> bool:
        return self.is_vyper and self.text.startswith("def __default__", span[0])

    @cached_property
    def _function_spans(self) -> list[Span]:
        return sorted(self.functions)

    @cached_property
    def functions(self) -> dict[Span, Function]:
        return {function.span: function for function in self.outline.functions}

    @cached_property
    def contracts(self) -> frozenset[Span]:
        return frozenset(contract.span for contract in self.outline.contracts)

    def line(self, offset: int) -> int:
        return bisect_right(self._line_starts, offset)

    def column(self, offset: int) -> int:
        """The column of an offset in its line, in characters, counted from 1."""
        return len(self.text_at((self._line_starts[self.line(offset) - 1], offset))) + 1

    def text_at(self, span: Span) -> str:
        start, end = span
        if self.is_vyper:
            return self.text[start:end]
        return self._encoded[start:end].decode(errors="replace")

    def text_of_line(self, number: int) -> str:
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""

    @cached_property
    def _encoded(self) -> bytes:
        return self.text.encode(errors="surrogatepass")

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def _line_starts(self) -> list[int]:
        lines = self._lines if self.is_vyper else self._encoded.split(b"\n")
        return list(accumulate((len(line) + 1 for line in lines), initial=0))[: len(lines)]


@dataclass(frozen=True, slots=True)
class Location:
    """A range of a source: `path` is as shown to people, `statement` a number in the outline.

    `function` is the one that contains the range.
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
        return self.file.line(self.span[0])

    @property
    def last_line(self) -> int:
        return self.file.line(max(self.span[0], self.span[1] - 1))

    @property
    def column(self) -> int:
        return self.file.column(self.span[0])

    @property
    def text(self) -> str:
        return self.file.text_at(self.span)

    @property
    def code(self) -> str:
        comment = VYPER_COMMENT if self.file.is_vyper else COMMENT
        return comment.sub(lambda match: match[1] or " " * len(match[0]), self.text)

    @property
    def is_of_statement(self) -> bool:
        """Whether it is a statement or a part of one, not a whole function or a name in Vyper."""
        text, function = self.text, self.function
        if self.file.is_vyper and text.isidentifier() and text not in KEYWORDS:
            body = self.file.text_at(function.body) if function else ""
            if len(re.findall(rf"\b{text}\b", body)) != 1:
                return False
        if self.statement is not None:
            return True
        if function is None or self.span == function.body:
            return False
        if is_inside(self.span, function.body):
            return not BLOCK.match(text)
        return any(is_inside(self.span, span) for _, span in function.modifiers)

    @property
    def statement_node(self) -> Statement | None:
        return None if self.statement is None else self.file.statements[self.statement]

    @property
    def is_compound(self) -> bool:
        statement = self.statement_node
        return statement is not None and statement.is_compound

    @property
    def simple_statement(self) -> Location:
        statement = self.statement_node
        is_simple = statement is not None and not statement.is_compound
        return replace(self, span=statement.whole) if statement and is_simple else self

    @property
    def failing_statement(self) -> Location:
        """The whole statement, if it is one that only fails: `require(..)`, `revert ..`."""
        whole = self.simple_statement
        return whole if whole.only_fails else self

    @property
    def only_fails(self) -> bool:
        """Whether it is a statement with no purpose but to fail: `require(..)`, `revert ..`."""
        return bool(ONLY_FAILS.match(self.text))

    @property
    def condition(self) -> Location | None:
        """The condition of the `if` that it is in; None without one, or in a loop inside it."""
        around = [
            (statement.whole, number)
            for number, statement in enumerate(self.file.statements)
            if statement.is_compound and is_inside(self.span, statement.whole)
            if statement.whole != self.span
        ]
        if not around:
            return None
        whole, number = max(around)
        parts = self.file.statements[number].parts
        is_if = CONDITIONAL.match(self.file.text_at(whole)) and len(parts) == 1
        return replace(self, span=parts[0], statement=number) if is_if else None

    def is_same_statement(self, other: Location) -> bool:
        is_same = self.file is other.file and self.statement == other.statement
        return is_same and self.statement is not None

    def starting_at(self, index: int) -> Location:
        before = self.text[:index]
        size = len(before) if self.file.is_vyper else len(before.encode())
        return replace(self, span=(self.span[0] + size, self.span[1]))


class CodeMap:
    """Locations of the creation or runtime code of an artifact with source map.

    Offsets are those of the code, jumps `i` (into an internal function), `o` (out of it) or `-`.
    """

    def __init__(self, artifact: Artifact, *, creating: bool) -> None:
        self.artifact = artifact
        self.code = artifact.creation if creating else artifact.runtime
        self.creating = creating
        self.is_vyper = artifact.language == "Vyper"
        self.is_optimized = artifact.optimized and not self.is_vyper
        self.is_rearranged = artifact.via_ir and (artifact.optimized or self.is_vyper)
        """Whether it is code of optimizer and viaIR, or of Venom, where no location is exact."""
        self._locations: dict[int, Location | None] = {}
        self._reachable: dict[Function, list[Function]] = {}
        self.memory_places: dict[Function, dict[Local, int]] = {}
        """Where `source.values` found the variables of each function in memory."""

    @cached_property
    def _mapped(self) -> dict[int, Instruction]:
        return {instruction.offset: instruction for instruction in instructions(self.code)}

    @cached_property
    def _mapped_offsets(self) -> list[int]:
        return list(self._mapped)

    @cached_property
    def code_by_offset(self) -> dict[int, opcodes.Instruction]:
        """The instructions of the code in order, also those without an entry in the map."""
        return {instruction.offset: instruction for instruction in opcodes.walk(self.code.template)}

    @cached_property
    def jumps(self) -> dict[int, str]:
        mapped = self._mapped.values()
        return {
            instruction.offset: instruction.jump
            for instruction in mapped
            if instruction.jump in {INTO, OUT_OF}
        }

    @cached_property
    def flow(self) -> Flow:
        calls = {offset for offset, kind in self.jumps.items() if kind == INTO}
        return Flow(self.code.template, calls)

    @cached_property
    def fixed_jumps(self) -> frozenset[int]:
        """Jumps without a mark whose destination the code pushes just before: none returns."""
        return frozenset(() if self.code.maps_bytes else self.flow.pushed_jumps.keys() - self.jumps)

    @cached_property
    def files(self) -> dict[int, SourceFile]:
        texts = texts_of(self.artifact)
        read = outlines(texts, is_vyper=self.is_vyper)
        return {
            number: SourceFile(text, read[number], self.is_vyper) for number, text in texts.items()
        }

    @cached_property
    def functions(self) -> list[Function]:
        return [function for file in self.files.values() for function in file.functions.values()]

    @cached_property
    def _starts(self) -> dict[int, Location]:
        # Locations of functions by identity: files may have equal ones.
        return {
            id(function): Location(self._paths[number], file, function.span, None, function)
            for number, file in self.files.items()
            for function in file.functions.values()
        }

    @cached_property
    def _paths(self) -> dict[int, str]:
        sources = self.artifact.sources.items()
        return {number: printable(display_path(source.path)) for number, source in sources}

    @cached_property
    def hoists_variables(self) -> bool:
        """Whether it is of solc before 0.5: local variables have places in all of their function.

        All sources allow solc 0.4, and no metadata names a version, as solc since 0.5.9 does.
        """
        template = self.code.template
        is_named = b"solc" in template[metadata_range(template)[0] :]
        return not is_named and all(OLD_PRAGMA.search(each.text) for each in self.files.values())

    # Locations of instructions

    def location(self, offset: int) -> Location | None:
        """The location of an instruction; None for generated code and without its source."""
        if offset not in self._locations:
            self._locations[offset] = self._find_location(offset)
        return self._locations[offset]

    def _find_location(self, offset: int) -> Location | None:
        mapped = self._mapped.get(offset)
        file = self.files.get(mapped.source) if mapped and mapped.source != NOWHERE else None
        if mapped is None or file is None:
            return None
        if file.is_fallback(mapped.span) and offset in self.flow.pushed_jumps.values():
            return None
        statement, function = file.find_owner(mapped.span), file.function(mapped.span)
        return Location(self._paths[mapped.source], file, mapped.span, statement, function)

    def statement_location(self, offset: int) -> Location | None:
        """The location of an instruction if it is a statement, or a part of one."""
        location = self.location(offset)
        return location if location and location.is_of_statement else None

    def is_of_unknown_source(self, offset: int) -> bool:
        """Whether an instruction may be of a source that is not known, or has no text here."""
        mapped = self._mapped.get(offset)
        if mapped is None or mapped.source == NOWHERE or mapped.source in self.files:
            return False
        return mapped.source in self.artifact.sources or self.artifact.lacks_sources

    def has_line(self, offset: int) -> bool:
        """Whether an instruction counts for its line: with an exact location, or on one line.

        Not with that of a whole contract, or of a name in vyper.
        """
        location = self.location(offset)
        if location is None or location.is_of_statement:
            return location is not None
        if self.is_vyper and location.text.isidentifier():
            return False
        is_on_one_line = location.last_line == location.line
        is_contract = location.span in location.file.contracts
        return bool(location.function) or (is_on_one_line and not is_contract)

    @cached_property
    def lines(self) -> dict[str, tuple[SourceFile, frozenset[int]]]:
        """The lines that have code, with their file, by path (see `has_line`)."""
        found: dict[str, tuple[SourceFile, set[int]]] = {}
        for offset in self._mapped:
            location = self.location(offset)
            if location and self.has_line(offset):
                found.setdefault(location.path, (location.file, set()))[1].add(location.line)
        return {path: (file, frozenset(lines)) for path, (file, lines) in found.items()}

    def backwards(self, last: int, first: int) -> Iterator[int]:
        """Offsets of the instructions from the one at `last` to the one at `first`."""
        for index in range(bisect_right(self._mapped_offsets, last) - 1, -1, -1):
            if self._mapped_offsets[index] < first:
                break
            yield self._mapped_offsets[index]

    def next_statement(self, offset: int) -> Location | None:
        """The first exact location behind an instruction, before the code ends or jumps."""
        offsets = self._mapped_offsets
        for behind in offsets[bisect_right(offsets, offset) :]:
            if behind not in self.code_by_offset:
                continue  # an operand, in maps that have entries for bytes
            if location := self.statement_location(behind):
                return location
            if self.code.template[behind] in ENDS:
                break
        return None

    def is_join(self, offset: int) -> bool:
        """Whether code of Vyper with the range of a whole compound statement is behind its parts.

        That is a label or a jump, which runs after the statements inside, or a push with the range
        of a `break` or `continue`.
        """
        location = self.location(offset) if self.is_vyper else None
        statement = location.statement_node if location else None
        if location is None or statement is None:
            return False
        opcode = self.code.template[offset]
        if location.text in ONLY_JUMPS and opcode in PUSHES:
            return True
        is_jump = opcode in {Op.JUMP, Op.JUMPDEST} or opcode in PUSHES
        return is_jump and statement.is_compound and statement.whole == location.span

    # Functions

    def location_of(self, function: Function | None) -> Location | None:
        return self._starts.get(id(function)) if function else None

    def function_at(self, target: int) -> Function | None:
        location = self.location(target)
        if self.is_vyper and location is None:
            index = bisect_right(self._mapped_offsets, target)
            behind = map(self.location, self._mapped_offsets[index : index + MAX_PROLOGUE])
            location = next((near for near in behind if near and near.function), None)
        if location is None or location.function is None:
            return None
        is_start = self.is_vyper or location.span == location.function.span
        return location.function if is_start else None

    def entered(self, target: int, caller: Function | None) -> Function | None:
        """The function that starts at a jump destination, as far as the caller may call it."""
        # In optimized code functions that begin alike are one, with the range of one of them.
        function = self.function_at(target)
        location = self.location_of(function)
        is_called = location is None or not self.is_optimized or self.may_run(caller, location)
        return function if is_called else None

    def may_run(self, running: Function | None, location: Location) -> bool:
        """Whether code of a location may run within a function: its own, or that which it calls."""
        if running is None or location.function in (None, running):
            return True
        return location.function in self.reachable(running)

    def may_call(self, offset: int, function: Function) -> bool:
        """Whether the jump into a function may be the call of it, by the name that is called."""
        location = self.statement_location(offset) if self.is_optimized else None
        return location is None or called_name(location.code) == function.own_name

    def reachable(self, function: Function) -> list[Function]:
        """A function, and those whose names are in it or in one of those: it may call them.

        For a constructor, also the constructors of the contracts that its contract inherits.
        """
        if function not in self._reachable:
            reached = {function: None}
            pending = [function]
            while pending:
                location = self.location_of(pending.pop())
                names = set(WORD.findall(location.code)) if location else set()
                for called in self.functions:
                    is_base = function.kind == called.kind == "constructor"
                    is_inherited = is_base and called.contract in self._lineage
                    is_named = called.own_name in names or called.own_name in self._aliased
                    if (is_named or is_inherited) and called not in reached:
                        reached[called] = None
                        pending.append(called)
            self._reachable[function] = list(reached)
        return self._reachable[function]

    @cached_property
    def _aliased(self) -> set[str]:
        # Functions that are called by another name: `import {plus as add}`, `using {plus as +}`
        return {name for file in self.files.values() for name in ALIASED.findall(file.text)}

    def expressions(self, function: Function) -> Iterator[Location]:
        """What a function computes: arguments of modifiers, simple statements and conditions."""
        start = self.location_of(function)
        if start is None:
            return
        for _, span in function.modifiers:
            yield replace(start, span=span)
        for number, statement in enumerate(start.file.statements):
            for part in statement.parts if is_inside(statement.whole, function.span) else ():
                yield replace(start, span=part, statement=number)

    def initial_values(self) -> Iterator[Location]:
        """The values that state variables of the contract and its bases start with."""
        for number, file in self.files.items():
            for index, statement in enumerate(file.statements):
                if file.function(statement.whole) is None and not statement.is_compound:
                    yield Location(self._paths[number], file, statement.whole, index, None)

    # The function that a message calls

    def called(self, data: bytes) -> Location | None:
        """The function of the source that call data is for, or the getter's variable.

        For creation code it is the constructor. None if no function has that selector.
        """
        entry = None if self.creating else self.artifact.abi.functions.get(data[:SELECTOR])
        default = None if self.creating or entry else self.artifact.abi.default_function(data)
        for contract in self._lineage[:1] if self.creating else self._lineage:
            for number, file in self.files.items():
                path = self._paths[number]
                if self.is_vyper and self.artifact.sources[number].path != self._own_path:
                    continue
                for function in file.functions.values():
                    if not self.is_vyper and function.contract != contract:
                        continue
                    if self._is_called(function, entry, default):
                        return Location(path, file, function.span, None, function)
                for variable in file.outline.variables if entry else ():
                    is_own = variable.contract == ("" if self.is_vyper else contract)
                    if entry and is_own and variable.name == entry.name:
                        return Location(path, file, variable.span, None, None)
        return None

    def _is_called(self, function: Function, entry: Entry | None, default: Entry | None) -> bool:
        name = function.own_name
        if self.creating:
            return function.kind == "constructor" or name in {"constructor", "__init__"}
        if default:
            return function.kind == default.kind or name == "__default__"
        if entry is None:
            return False
        return name == entry.name and (self.is_vyper or _may_be(function, entry))

    @property
    def _own_path(self) -> str:
        paths = [source.path for source in self.artifact.sources.values()]
        own = self.artifact.source
        return next((path for path in paths if path == own or path.endswith(f"/{own}")), own)

    @cached_property
    def _lineage(self) -> list[str]:
        bases = {
            contract.name: contract.bases
            for file in self.files.values()
            for contract in file.outline.contracts
        }
        lineage: dict[str, None] = {}
        pending = [self.artifact.name]
        while pending:
            name = pending.pop(0)
            if name not in lineage:
                lineage[name] = None
                pending += reversed(bases.get(name, ()))
        return list(lineage)

    @property
    def whole(self) -> Location | None:
        """The location of the whole contract; None if the source does not tell."""
        for number, file in self.files.items():
            for contract in file.outline.contracts:
                if contract.name == self.artifact.name:
                    return Location(self._paths[number], file, contract.span, None, None)
        return None

    @cached_property
    def stale(self) -> list[StaleSource]:
        """The sources of this code that have changed since they were compiled, or may have."""
        used = {instruction.source for instruction in self._mapped.values()}
        sources = (source for number, source in self.artifact.sources.items() if number in used)
        return [stale for source in sources if (stale := find_stale(source, self.artifact))]


def called_name(code: str) -> str:
    """The name of what a call calls: `take` of `vault.take(1, f(2))`; empty for other code."""
    depth = 0
    for index in range(len(code) - 1, -1, -1):
        depth += (code[index] == ")") - (code[index] == "(")
        if depth == 0:
            match = LAST_WORD.search(code[:index])
            return match[1] if match and code.endswith(")") else ""
    return ""


def _may_be(function: Function, entry: Entry) -> bool:
    # Names of structs, enums and contracts are not in the ABI.
    if len(function.parameters) != len(entry.inputs):
        return False
    for parameter, value in zip(function.parameters, entry.inputs, strict=True):
        item = kind = parse_type(parameter.kind.replace("address payable", "address"))
        while item.element:
            item = item.element
        is_named = item.kind in {Kind.OTHER, Kind.ENUM} or item.text.startswith("contract ")
        if not is_named and kind.text != value.kind:
            return False
    return True


def enum_members(kind: str, texts: Iterable[str]) -> list[str]:
    """The members of `enum Box.State` by the sources; none if none has it, or several differ."""
    name = re.escape(kind.rpartition(" ")[2].rpartition(".")[2])
    found = [
        re.findall(r"\w+", each)
        for text in texts
        for each in re.findall(rf"\benum\s+{name}\s*{{([^{{}}]*)}}", COMMENT.sub(r"\1", text))
    ]
    return found[0] if found and found.count(found[0]) == len(found) else []
