"""Source files with outlines; outlines from the text, where the compiler wrote no syntax tree.

`forge build` and vyper's combined JSON have source maps but no trees. What `syntax_tree` takes from
a tree is found in the text: functions with their modifiers, contracts, state variables, statements.
The text is that of a source that compiles, so that brackets, keywords and semicolons are enough:
expressions are not parsed. A text in which brackets do not match has no outline.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

from devchain.contracts.artifacts import Artifact
from devchain.contracts.source_map import instructions
from devchain.contracts.syntax_tree import (
    ContractRange,
    Function,
    Outline,
    Parameter,
    Span,
    Statement,
    Variable,
    make_outline,
)

MAX_DEPTH = 200
"""Nested statements: a text with more has no outline."""

MAX_CACHED = 512

BRACKETS = {")": "(", "]": "[", "}": "{"}
LOCATIONS = frozenset({"memory", "calldata", "storage"})
CONTRACTS = frozenset({"contract", "interface", "library"})
ATTRIBUTES = frozenset(
    {
        *("public", "private", "internal", "external", "pure", "view", "payable", "constant"),
        *("virtual", "override", "returns"),
    }
)
"""Words after the parameters of a function that are no modifiers."""

DIRECTIVES = frozenset({"pragma", "event", "error"})

SHORT_TYPES = {"uint": "uint256", "int": "int256", "byte": "bytes1"}
WORD = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
TYPE_NAME = re.compile(r"[\w.$]+")

SOLIDITY = re.compile(
    r"""(?P<skipped>\s+|//[^\n\r]*|/\*.*?\*/)
    |(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<word>[A-Za-z_$][\w$]*)
    |[0-9][\w.]*|:=|=>|->|.""",
    re.DOTALL | re.VERBOSE | re.ASCII,
)
VYPER = re.compile(
    r"""(?P<skipped>[ \t\f]+|\#[^\n]*|\\\r?\n)
    |(?P<text>\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<word>[A-Za-z_]\w*)
    |\r?\n|[0-9][\w.]*|.""",
    re.DOTALL | re.VERBOSE,
)
VYPER_DECLARATIONS = frozenset({"implements", "exports", "initializes", "uses"})
"""What a line of a module may begin with, before a colon, that is no variable."""


class Token(NamedTuple):
    """A piece of a source: its text, its range, and what it is (`word`, `text` or nothing)."""

    text: str
    start: int
    end: int
    kind: str | None


class NotUnderstood(Exception):
    """A text that no compiler accepts."""


def outlines(texts: Mapping[int, str], *, is_vyper: bool) -> dict[int, Outline]:
    """The outlines of the sources of a compilation, as far as they are understood."""
    scanned = {number: scan(text, is_vyper=is_vyper) for number, text in texts.items()}
    found = {number: each for number, each in scanned.items() if each}
    types = dict(name for each in found.values() for name in each.types)
    return {number: _with_types(each.outline, types) for number, each in found.items()}


@dataclass(frozen=True, slots=True)
class Scanned:
    """An outline, and the types that the source declares: `Vault.State`, `enum Vault.State`."""

    outline: Outline
    types: tuple[tuple[str, str], ...] = ()


@lru_cache(MAX_CACHED)
def scan(text: str, *, is_vyper: bool) -> Scanned | None:
    """The outline of one source; None if it is not understood. Ranges are those of the compiler.

    They count characters in Vyper and bytes in Solidity.
    """
    try:
        if is_vyper:
            return Scanned(_Vyper(text).outline())
        encoded = text.encode(errors="surrogatepass").decode("latin-1")
        return _Solidity(_tokens(SOLIDITY, encoded)).scan()
    except (NotUnderstood, IndexError, RecursionError):
        return None


def _tokens(pattern: re.Pattern[str], text: str) -> list[Token]:
    return [
        Token(found[0], found.start(), found.end(), found.lastgroup)
        for found in pattern.finditer(text)
        if found.lastgroup != "skipped"
    ]


def _with_types(outline: Outline, types: Mapping[str, str]) -> Outline:
    by_name: dict[str, list[str]] = {}
    for name, described in types.items():
        by_name.setdefault(name.rpartition(".")[2], []).append(described)

    def typed(parameter: Parameter, contract: str) -> Parameter:
        found = TYPE_NAME.match(parameter.kind)
        if found is None:
            return parameter
        described = types.get(f"{contract}.{found[0]}") or types.get(found[0])
        if described is None and len(by_name.get(found[0], ())) == 1:  # of an inherited contract
            [described] = by_name[found[0]]
        kind = parameter.kind[found.end() :]
        return replace(parameter, kind=described + kind) if described else parameter

    functions = (
        replace(
            function,
            parameters=tuple(typed(one, function.contract) for one in function.parameters),
            returns=tuple(typed(one, function.contract) for one in function.returns),
        )
        for function in outline.functions
    )
    return replace(outline, functions=tuple(functions))


# Solidity


@dataclass
class _Solidity:
    """Reads the tokens of a source; `closing` has the place of the bracket that ends each."""

    tokens: list[Token]
    statements: list[Statement] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    contracts: list[ContractRange] = field(default_factory=list)
    types: list[tuple[str, str]] = field(default_factory=list)
    closing: dict[int, int] = field(default_factory=dict)
    depth: int = 0

    def scan(self) -> Scanned:
        self._match_brackets()
        at = 0
        while at < len(self.tokens):
            at = self._declaration(at, "")
        outline = make_outline(self.statements, self.functions, self.variables, self.contracts)
        return Scanned(outline, tuple(self.types))

    def _match_brackets(self) -> None:
        opened: list[int] = []
        for at, token in enumerate(self.tokens):
            if token.text in BRACKETS.values():
                opened.append(at)
            elif token.text in BRACKETS:
                if not opened or self.tokens[opened[-1]].text != BRACKETS[token.text]:
                    raise NotUnderstood
                self.closing[opened.pop()] = at
        if opened:
            raise NotUnderstood

    def _text(self, at: int) -> str:
        return self.tokens[at].text if at < len(self.tokens) else ""

    def _is_word(self, at: int) -> bool:
        return at < len(self.tokens) and self.tokens[at].kind == "word"

    def _after(self, at: int) -> int:
        return self.closing.get(at, at) + 1

    def _until(self, at: int, *ends: str) -> int:
        while self._text(at) not in ends:
            if at >= len(self.tokens) or self._text(at) in BRACKETS:
                raise NotUnderstood
            at = self._after(at)
        return at

    def _span(self, first: int, end: int) -> Span:
        return self.tokens[first].start, self.tokens[max(first, end - 1)].end

    # Declarations

    def _declaration(self, at: int, contract: str) -> int:
        first, word = at, self._text(at)
        if word == "abstract" and self._text(at + 1) == "contract":
            at, word = at + 1, "contract"
        is_named = self._is_word(at + 1)
        if word in CONTRACTS and is_named and not contract:
            return self._contract(first, at + 1)
        is_old_fallback = word == "function" and self._text(at + 1) == "("
        if (word in {"function", "modifier"} and is_named) or is_old_fallback:
            return self._function(at, contract)
        if word in {"constructor", "receive", "fallback"} and self._text(at + 1) == "(":
            return self._function(at, contract)
        if word in {"struct", "enum"} and is_named:
            self._type(f"{word} ", at + 1, contract)
            return self._after(self._until(at, "{"))
        if word == ";":
            return at + 1
        end = self._until(at, ";")
        if word == "type" and self._text(at + 2) == "is":
            self._type("", at + 1, contract)
        elif word not in {"import", "using"} and not (word in DIRECTIVES and is_named):
            self._variable(at, end, contract)
        return end + 1

    def _type(self, kind: str, at: int, contract: str) -> None:
        name = f"{contract}.{self._text(at)}" if contract else self._text(at)
        self.types.append((name, kind + name))

    def _contract(self, first: int, at: int) -> int:
        name, opened = self._text(at), self._until(at, "{")
        kind = self._text(at - 1)
        if kind != "library":
            self._type("contract ", at, "")
        bases: list[str] = []
        if self._text(at + 1) == "is":
            at += 1
            while at < opened and self._text(at) in {"is", ","}:
                at += 1
                while self._is_word(at) and self._text(at + 1) == ".":
                    at += 2
                bases.append(self._text(at))
                at += 1
                if self._text(at) == "(":
                    at = self._after(at)
        closed = self.closing[opened]
        at = opened + 1
        while at < closed:
            at = self._declaration(at, name)
        span = self._span(first, closed + 1)
        self.contracts.append(ContractRange(name, span, tuple(bases)))
        return closed + 1

    def _variable(self, first: int, end: int, contract: str) -> None:
        equals = self._until(first, "=", ";")
        if not contract or not self._is_word(equals - 1):
            return
        self.variables.append(Variable(self._text(equals - 1), contract, self._span(first, end)))
        words = {self._text(index) for index in range(first, equals)}
        if equals + 1 < end and "constant" not in words:
            self._add(self._span(equals + 1, end))

    def _function(self, first: int, contract: str) -> int:
        kind, name, at = self._function_name(first, contract)
        parameters: tuple[Parameter, ...] = ()
        if self._text(at) == "(":
            parameters = tuple(self._parameters(at + 1, self.closing[at]))
            at = self._after(at)
        after = at
        at = self._until(at, "{", ";", "=")
        if self._text(at) != "{":  # abstract, or a variable of function type
            end = self._until(at, ";")
            if kind == "fallback" and self._text(first) == "function":
                self._variable(first, end, contract)
            return end + 1
        closed = self.closing[at]
        self._block(at)
        self.functions.append(
            Function(
                f"{contract}.{name}" if contract else name,
                self._span(first, closed + 1),
                kind,
                parameters,
                modifiers=tuple(self._modifiers(after, at)),
                body=self._span(at, closed + 1),
                returns=tuple(self._returned(after, at)),
            )
        )
        return closed + 1

    def _function_name(self, first: int, contract: str) -> tuple[str, str, int]:
        kind = self._text(first)
        if self._text(first + 1) == "(":  # without the keyword, or as solc before 0.6 has it
            kind = "fallback" if kind == "function" else kind
            return kind, kind, first + 1
        name = self._text(first + 1)
        if kind == "function" and not contract:
            kind = "freeFunction"
        if kind == "function" and name == contract:  # before 0.5
            kind = name = "constructor"
        return kind, name, first + 2

    def _modifiers(self, at: int, end: int) -> Iterator[tuple[str, Span]]:
        while at < end:
            begin, word = at, self._text(at)
            at += 1
            while self._text(at) == "." and self._is_word(at + 1):
                at += 2
            name = "".join(self._text(index) for index in range(begin, at))
            if self._text(at) == "(":
                at = self._after(at)
            if word not in ATTRIBUTES:
                yield name, self._span(begin, at)

    def _returned(self, at: int, end: int) -> Iterator[Parameter]:
        while at < end:
            if self._text(at) == "returns" and self._text(at + 1) == "(":
                yield from self._parameters(at + 2, self.closing[at + 1])
            at = self._after(at)

    def _parameters(self, at: int, end: int) -> Iterator[Parameter]:
        while at < end:
            last = at
            while last < end and self._text(last) != ",":
                last = self._after(last)
            yield self._parameter([self._text(index) for index in range(at, last)])
            at = last + 1

    def _parameter(self, words: list[str]) -> Parameter:
        name = ""
        is_function = words[:1] == ["function"]
        is_named = len(words) > 1 and words[-2] != "." and WORD.fullmatch(words[-1])
        if is_named and words[-1] not in {*LOCATIONS, *ATTRIBUTES}:
            name = words.pop()
        if is_function:
            return Parameter(name, " ".join(words))
        location = next((word for word in words if word in LOCATIONS), "")
        kind = "".join(SHORT_TYPES.get(word, word) for word in words if word not in LOCATIONS)
        kind = kind.replace("addresspayable", "address payable")
        return Parameter(name, f"{kind} {location}" if location else kind)

    # Statements

    def _add(self, whole: Span, *parts: Span, is_compound: bool = False) -> None:
        self.statements.append(Statement(whole, parts if is_compound else (whole,)))

    def _block(self, opened: int) -> int:
        at, end = opened + 1, self.closing[opened]
        while at < end:
            at = self._statement(at)
        return end + 1

    def _statement(self, at: int) -> int:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotUnderstood
        end = self._any_statement(at)
        self.depth -= 1
        return end

    def _any_statement(self, at: int) -> int:
        word, following = self._text(at), self._text(at + 1)
        if word == "{" or (word == "unchecked" and following == "{"):
            return self._block(at if word == "{" else at + 1)
        if word == "assembly" and (following in {"{", "("} or following[:1] in {'"', "'"}):
            return self._yul_block(self._until(at + 1, "{"))
        read = self._compound.get(word)
        return read(at) if read else self._simple_statement(at)

    @cached_property
    def _compound(self) -> dict[str, Callable[[int], int]]:
        branch = self._loop_or_branch
        return {
            "if": branch, "while": branch, "for": branch, "do": self._do_while, "try": self._try
        }  # fmt: skip

    def _simple_statement(self, at: int) -> int:
        end, word = self._until(at, ";"), self._text(at)
        if word == "return" and end == at + 1:
            self._add(self._span(at, end + 1))  # as solc has it
        elif end > at and not (word == "_" and end == at + 1):
            self._add(self._span(at, end))
        return end + 1

    def _loop_or_branch(self, first: int) -> int:
        opened = first + 1
        closed = self.closing[opened]
        begin, end = opened + 1, closed
        if self._text(first) == "for":
            begin = self._until(begin, ";") + 1
            if begin > opened + 2:
                self._add(self._span(opened + 1, begin - 1))
            end = self._until(begin, ";")
            if end + 1 < closed:
                self._add(self._span(end + 1, closed))
        parts = [self._span(begin, end)] if begin < end else []
        at = self._statement(closed + 1)
        if self._text(first) == "if" and self._text(at) == "else":
            at = self._statement(at + 1)
        self._add(self._whole(first, at), *parts, is_compound=True)
        return at

    def _whole(self, first: int, at: int) -> Span:
        has_own = self._text(at - 2) == "return" or self._is_do_while(at - 1)
        return self._span(first, at if self._text(at - 1) != ";" or has_own else at - 1)

    def _is_do_while(self, semicolon: int) -> bool:
        end = self.tokens[semicolon].end
        return bool(self.statements) and self.statements[-1].whole[1] == end

    def _do_while(self, first: int) -> int:
        at = self._statement(first + 1)
        opened = at + 1
        if self._text(at) != "while" or self._text(opened) != "(":
            raise NotUnderstood
        closed = self.closing[opened]
        end = self._until(closed + 1, ";") + 1
        self._add(self._span(first, end), self._span(opened + 1, closed), is_compound=True)
        return end

    def _try(self, first: int) -> int:
        at = first + 1
        while self._text(at) != "returns" and (self._text(at) != "{" or self._is_options(at)):
            if at >= len(self.tokens) or self._text(at) in BRACKETS:
                raise NotUnderstood
            at = self._after(at)
        call = self._span(first + 1, at)
        at = self._block(self._until(at, "{"))
        while self._text(at) == "catch":
            at = self._block(self._until(at, "{"))
        self._add(self._span(first, at), call, is_compound=True)
        return at

    def _is_options(self, at: int) -> bool:
        return self._is_word(at + 1) and self._text(at + 2) == ":"

    # Assembly

    def _yul_block(self, opened: int) -> int:
        at, end = opened + 1, self.closing[opened]
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotUnderstood
        while at < end:
            at = self._yul_statement(at)
        self.depth -= 1
        return end + 1

    def _yul_statement(self, first: int) -> int:
        word = self._text(first)
        if word in {"{", "function"}:
            return self._yul_block(self._until(first, "{"))
        if word in {"for", "if", "switch"}:
            return self._yul_compound(first)
        at = self._yul_names(first + 1) if word == "let" else self._yul_expression(first)
        while self._text(at) == ",":
            at = self._yul_expression(at + 1)
        if self._text(at) == ":=":
            at = self._yul_expression(at + 1)
        self._add(self._span(first, at))
        return at

    def _yul_names(self, at: int) -> int:
        at += 1
        while self._text(at) in {",", ":"}:
            at += 2
        return at

    def _yul_compound(self, first: int) -> int:
        word, begin = self._text(first), first + 1
        if word == "for":
            begin = self._yul_block(self._until(begin, "{"))
        if word == "switch":
            end = at = self._yul_expression(begin)
            while self._text(at) in {"case", "default"}:
                at = self._yul_block(self._until(at, "{"))
        else:
            end = self._until(begin, "{")
            at = self._yul_block(end)
            if word == "for":
                at = self._yul_block(self._until(at, "{"))
        self._add(self._span(first, at), self._span(begin, end), is_compound=True)
        return at

    def _yul_expression(self, at: int) -> int:
        if self._text(at) in BRACKETS:
            raise NotUnderstood
        if self._text(at) == "hex" and self.tokens[at + 1].kind == "text":
            at += 1
        at += 1
        while self._text(at) == "." and self._is_word(at + 1):
            at += 2
        return self._after(at) if self._text(at) == "(" else at


# Vyper


class Line(NamedTuple):
    """A logical line: its indentation and its tokens."""

    indent: int
    tokens: list[Token]

    @property
    def span(self) -> Span:
        return self.tokens[0].start, self.tokens[-1].end

    @property
    def word(self) -> str:
        return self.tokens[0].text

    def place(self, text: str, start: int = 0) -> int:
        """The place of a token outside brackets; -1 if there is none."""
        depth = 0
        for at, each in enumerate(self.tokens):
            if each.text in BRACKETS.values():
                depth += 1
            elif each.text in BRACKETS:
                depth -= 1
            elif each.text == text and not depth and at >= start:
                return at
        return -1


class _Vyper:
    """Reads the logical lines of a source."""

    def __init__(self, text: str) -> None:
        self.lines = list(logical_lines(text))
        self.statements: list[Statement] = []
        self.functions: list[Function] = []
        self.variables: list[Variable] = []
        self.decorators: set[str] = set()
        """What is before the next function."""

    def outline(self) -> Outline:
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            end = self._below(at)
            if line.tokens[0].text == "@":
                self.decorators.update(token.text for token in line.tokens)
            elif line.word == "def":
                self._function(line, self.lines[at + 1 : end])
                self.decorators.clear()
            elif self._declares_variable(line) and end == at + 1:
                self.variables.append(Variable(line.word, "", line.span))
            at = end
        return make_outline(self.statements, self.functions, self.variables, ())

    def _declares_variable(self, line: Line) -> bool:
        is_named = len(line.tokens) > 2 and line.tokens[0].kind == "word"
        return is_named and line.tokens[1].text == ":" and line.word not in VYPER_DECLARATIONS

    def _below(self, at: int) -> int:
        indent = self.lines[at].indent
        at += 1
        while at < len(self.lines) and self.lines[at].indent > indent:
            at += 1
        return at

    def _function(self, header: Line, body: list[Line]) -> None:
        colon = header.place(":")
        if colon < 0:
            return
        rest = header.tokens[colon + 1 :]
        lines = [Line(header.indent + 1, rest), *body] if rest else body
        lines = [line for line in lines if not _is_text(line)]
        if not lines:
            return
        self._statements(lines)
        end = lines[-1].span[1]
        opened = next(at for at, each in enumerate(header.tokens) if each.text == "(")
        self.functions.append(
            Function(
                header.tokens[1].text,
                (header.tokens[0].start, end),
                parameters=tuple(_vyper_parameters(header.tokens[opened + 1 :])),
                body=(lines[0].span[0], end),
                is_internal=self.decorators.isdisjoint({"external", "deploy"}),
            )
        )

    def _statements(self, lines: list[Line]) -> None:
        for at, line in enumerate(lines):
            colon = -1
            if line.word in {"if", "elif", "else"}:
                colon = line.place(":")
            elif line.word == "for":
                colon = line.place(":", max(0, line.place("in")))
            if colon < 0:
                self.statements.append(Statement(line.span, (line.span,)))
                continue
            end = at + 1
            while end < len(lines) and (
                lines[end].indent > line.indent
                or (lines[end].indent == line.indent and line.word in {"if", "elif"}
                    and lines[end].word in {"elif", "else"})
            ):  # fmt: skip
                end += 1
            first = 1 + (line.place("in") if line.word == "for" else 0)
            if line.word != "else":
                part = (line.tokens[first].start, line.tokens[colon - 1].end)
                whole = (line.span[0], lines[end - 1].span[1])
                self.statements.append(Statement(whole, (part,)))
            if rest := line.tokens[colon + 1 :]:
                span = (rest[0].start, rest[-1].end)
                self.statements.append(Statement(span, (span,)))


def logical_lines(text: str) -> Iterator[Line]:
    """The lines of a source of Vyper, those in brackets joined; without empty lines and comments.

    Raises `NotUnderstood` if brackets do not match.
    """
    found: list[Token] = []
    opened: list[str] = []
    for token in _tokens(VYPER, text):
        if token.text in BRACKETS.values():
            opened.append(token.text)
        elif token.text in BRACKETS and (not opened or opened.pop() != BRACKETS[token.text]):
            raise NotUnderstood
        if token.text not in {"\n", "\r\n"}:
            found.append(token)
        elif found and not opened:
            yield _line(found, text)
            found = []
    if opened:
        raise NotUnderstood
    if found:
        yield _line(found, text)


def _line(tokens: list[Token], text: str) -> Line:
    start = tokens[0].start
    return Line(start - (text.rfind("\n", 0, start) + 1), tokens)


def _is_text(line: Line) -> bool:
    return all(token.kind == "text" for token in line.tokens)


def _vyper_parameters(tokens: list[Token]) -> Iterator[Parameter]:
    depth, parts = 0, [[]]  # type: ignore[var-annotated]
    for token in tokens:
        if token.text in BRACKETS and not depth:
            break
        depth += (token.text in BRACKETS.values()) - (token.text in BRACKETS)
        if token.text == "," and not depth:
            parts.append([])
        else:
            parts[-1].append(token.text)
    for words in parts:
        if len(words) > 2:
            end = words.index("=") if "=" in words else len(words)
            yield Parameter(words[0], "".join(words[2:end]).replace(",", ", "))


# Source files

LITERALS = frozenset({"True", "False"})
"""Words that are values."""

USED_NAME = re.compile(r"([^\W\d]\w*)\s*[-+*/%&|^<>=!]*\s*")
"""A name, perhaps with an operator behind."""

CONSTANT = re.compile(r":\s*(public\s*\(\s*)?(constant|immutable)\s*\(")
"""The declaration of a constant or an immutable in Vyper."""

ONLY_JUMPS = frozenset({"return", "break", "continue", "raise"})
"""Statements that are a jump, or a failure, and nothing else."""

ADDRESS, JUMPDEST = 0x30, 0x5B
OF_VALUES = frozenset({*range(0x50, 0x56), *range(0x80, 0xA0)})
"""Loads, stores, DUPs and SWAPs."""


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
        match = USED_NAME.fullmatch(self.text[span[0] : span[1]])
        return match is not None and match[1] not in LITERALS and match[1] not in self.constants

    def is_variable(self, span: Span) -> bool:
        """Whether the span is that of a use of a local variable in Vyper."""
        text = self.text_at(span)
        return text.isidentifier() and text not in ONLY_JUMPS and self.owner(span) is None

    @cached_property
    def constants(self) -> frozenset[str]:
        """The names of constants and immutables, which no local variable has in Vyper."""
        variables = self.outline.variables if self.outline else ()
        return frozenset(
            variable.name for variable in variables if CONSTANT.search(self.text_at(variable.span))
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
        return (
            {function.span: function for function in self.outline.functions} if self.outline else {}
        )

    @cached_property
    def contracts(self) -> frozenset[Span]:
        return frozenset(
            contract.span for contract in (self.outline.contracts if self.outline else ())
        )

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
        sizes = (len(line if self.is_vyper else _bytes(line)) + 1 for line in lines)
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
