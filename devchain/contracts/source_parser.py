"""Outlines of sources, read from their texts.

Tools leave the syntax trees of compilers out, and reading these takes longer. The text is that of a
source that compiles, so that brackets, keywords and semicolons are enough: expressions are not
parsed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice, takewhile
from typing import NamedTuple, TypeVar

from devchain.contracts.outline import (
    ContractRange,
    Function,
    Local,
    Outline,
    Parameter,
    Span,
    Statement,
    Variable,
)

MAX_CACHED = 512
MAX_TOKENS = 200_000  # tokens of a source that is read: some 2 MB of a usual one
MAX_ALL_TOKENS = 500_000  # tokens of the sources of a compilation that are read, the first of them
CLOSING = {")": "(", "]": "[", "}": "{"}
OPENING = frozenset(CLOSING.values())
LOCATIONS = frozenset({"memory", "calldata", "storage"})
CONTRACTS = frozenset({"contract", "interface", "library"})
ATTRIBUTES = frozenset(
    {
        *("public", "private", "internal", "external", "pure", "view", "payable", "constant"),
        *("virtual", "override", "returns"),
    }
)
"""Words after the parameters of a function that are no modifiers."""

NO_VARIABLES = frozenset({"import", "using", "pragma", "event", "error"})
"""What declarations that end with a semicolon begin with, if they declare no variable."""

NO_TYPES = frozenset({"delete", "emit", "new", "return", "revert", "throw"})
"""What statements that declare no variables begin with, before a name."""

SHORT_TYPES = {"uint": "uint256", "int": "int256", "byte": "bytes1"}
WORD = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
TYPE_NAME = re.compile(r"[\w.$]+")

# A comment or string that does not end goes on to the end of the text (in Vyper of the line): no
# part of it is read twice.
SOLIDITY = re.compile(
    r"""(?P<skipped>\s+|//[^\n\r]*|/\*.*?(?:\*/|\Z))
    |(?P<text>"(?:\\.|[^"\\])*+(?:"|\\?\Z)|'(?:\\.|[^'\\])*+(?:'|\\?\Z))
    |(?P<word>[A-Za-z_$][\w$]*)
    |[0-9][\w.]*|:=|=>|->|&&|\|\||[=!<>]=|.""",
    re.DOTALL | re.VERBOSE | re.ASCII,
)
VYPER = re.compile(
    r"""(?P<skipped>[ \t\f]+|\#[^\n]*|\\\r?\n)
    |(?P<text>\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)
        |"(?:\\.|[^"\\\n])*+(?:"|\\?\Z|(?=\n))|'(?:\\.|[^'\\\n])*+(?:'|\\?\Z|(?=\n)))
    |(?P<word>[A-Za-z_]\w*)
    |\r?\n|[0-9][\w.]*|[=!<>]=|.""",
    re.DOTALL | re.VERBOSE,
)
SOLIDITY_WORD = re.compile(
    r"""(?P<type>(u?int|u?fixed|bytes)[\dx]*|address|bool|byte|string|mapping)
    |(?P<keyword>abstract|anonymous|as|assembly|break|calldata|case|catch|constant|constructor
        |continue|contract|default|delete|do|else|emit|enum|event|external|false|for|function|if
        |immutable|import|indexed|interface|internal|is|let|library|memory|modifier|new|override
        |payable|pragma|private|public|pure|return|returns|storage|struct|super|switch|this|throw
        |transient|true|try|type|unchecked|using|var|view|virtual|while)""",
    re.VERBOSE | re.ASCII,
)
VYPER_WORD = re.compile(
    r"""(?P<type>(u?int|bytes)[\d]*|address|bool|decimal|String|Bytes|DynArray|HashMap)
    |(?P<keyword>False|None|True|and|as|assert|break|constant|continue|def|elif|else|enum|event
        |exports|extcall|flag|for|from|if|immutable|implements|import|in|indexed|initializes
        |interface|log|not|or|pass|public|raise|return|self|staticcall|struct|transient|uses)""",
    re.VERBOSE | re.ASCII,
)
"""Words that are colored."""

VYPER_DECLARATIONS = frozenset({"implements", "exports", "initializes", "uses"})
"""What a line of a module may begin with, before a colon, that is no variable."""


VYPER_STRUCT = re.compile(r"^struct\b.*?(?=^[^\s#]|\Z)", re.MULTILINE | re.DOTALL)
VYPER_CONSTANT = re.compile(
    r"^(\w+)\s*:\s*(?:public\()?constant\(\w+\)\)?\s*=\s*(\d[\d_]*)\s*(?:#.*)?$",
    re.MULTILINE | re.ASCII,
)


class Token(NamedTuple):
    """A piece of a source: its text, its range, and what it is (`word`, `text` or nothing)."""

    text: str
    start: int
    end: int
    kind: str | None


class NotUnderstood(Exception):
    """A text that no compiler accepts."""


V = TypeVar("V", Parameter, Local)
Types = tuple[tuple[str, str], ...]  # as compilers write them: `Vault.State`, `enum Vault.State`


def outlines(texts: Mapping[int, str], *, is_vyper: bool) -> dict[int, Outline]:
    """The outlines of a compilation's sources; empty of what is not understood or too long."""
    scanned: dict[int, tuple[Outline, Types, int] | None] = {}
    left = MAX_ALL_TOKENS
    for number, text in texts.items():
        scanned[number] = read = scan(text, is_vyper=is_vyper) if left > 0 else None
        left -= (read[2] if read else 0) or min(len(text), MAX_TOKENS)
    types = dict(declared for read in scanned.values() if read for declared in read[1])
    by_name: dict[str, set[str]] = {}
    for name, described in types.items():
        by_name.setdefault(name.rpartition(".")[2], set()).add(described)
    return {
        number: _with_types(read[0], types, by_name) if read else Outline()
        for number, read in scanned.items()
    }


@lru_cache(MAX_CACHED)
def scan(text: str, *, is_vyper: bool) -> tuple[Outline, Types, int] | None:
    """The outline of one source, its types and how many tokens it has; None if not understood.

    Ranges are those of the compiler: they count characters in Vyper and bytes in Solidity.
    """
    try:
        if is_vyper:
            read = _Vyper(text)
            return read.outline(), (), sum(len(line.tokens) for line in read.lines)
        encoded = text.encode(errors="surrogatepass").decode("latin-1")
        found = tokens(encoded, is_vyper=False)
        return *_Solidity(found).scan(), len(found)
    except (NotUnderstood, LookupError, RecursionError):
        return None


def tokens(text: str, *, is_vyper: bool) -> list[Token]:
    """The tokens of some code, without white space and comments; none if there are too many."""
    found = (
        Token(match[0], match.start(), match.end(), match.lastgroup)
        for match in (VYPER if is_vyper else SOLIDITY).finditer(text)
        if match.lastgroup != "skipped"
    )
    read = list(islice(found, MAX_TOKENS + 1))
    return read if len(read) <= MAX_TOKENS else []


def pieces(text: str, *, is_vyper: bool) -> Iterator[tuple[str, str]]:
    """All of a text in pieces, with what to color each as.

    That is `comment`, `text`, `number`, `keyword`, `type` or nothing. It takes a time that grows
    with the length of the text alone.
    """
    colored = VYPER_WORD if is_vyper else SOLIDITY_WORD
    plain = 0  # where what has no color begins
    for match in (VYPER if is_vyper else SOLIDITY).finditer(text):
        piece, kind = match[0], match.lastgroup or ""
        if kind == "word":
            kind = word.lastgroup or "" if (word := colored.fullmatch(piece)) else ""
        elif kind == "skipped":
            kind = "comment" if piece[0] in "/#" else ""
        elif piece[0].isdecimal():
            kind = "number"
        if kind:
            yield text[plain : match.start()], ""
            yield piece, kind
            plain = match.end()
    yield text[plain:], ""


def _with_types(
    outline: Outline, types: Mapping[str, str], by_name: Mapping[str, Collection[str]]
) -> Outline:
    def typed(kind: str, contract: str) -> str:
        name = match[0] if (match := TYPE_NAME.match(kind)) else ""
        described = types.get(f"{contract}.{name}") or types.get(name)
        if described is None and len(inherited := by_name.get(name, ())) == 1:
            [described] = inherited
        return described + kind[len(name) :] if described else kind

    def all_typed(variables: tuple[V, ...], contract: str) -> tuple[V, ...]:
        return tuple(replace(each, kind=typed(each.kind, contract)) for each in variables)

    functions = (
        replace(
            function,
            parameters=all_typed(function.parameters, function.contract),
            returns=all_typed(function.returns, function.contract),
            variables=all_typed(function.variables, function.contract),
        )
        for function in outline.functions
    )
    return replace(outline, functions=tuple(functions))


def make_outline(
    statements: Iterable[Statement],
    functions: Iterable[Function],
    variables: Iterable[Variable],
    contracts: Iterable[ContractRange],
) -> Outline:
    return Outline(
        tuple(dict.fromkeys(sorted(statements, key=lambda each: each.whole))),
        tuple(_unique(sorted(functions, key=lambda each: each.span))),
        tuple(sorted(variables, key=lambda each: each.span)),
        tuple(sorted(contracts, key=lambda each: each.span)),
    )


def _unique(functions: list[Function]) -> Iterator[Function]:
    seen: Counter[str] = Counter()
    for function in functions:
        seen[function.name] += 1
        count = seen[function.name]
        yield replace(function, name=f"{function.name}#{count}") if count > 1 else function


# Solidity


@dataclass
class _Solidity:
    """Reads the tokens of a source. Methods take the index of a token and return that behind.

    `closing` has the index of the bracket that ends each.
    """

    tokens: list[Token]
    statements: list[Statement] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    contracts: list[ContractRange] = field(default_factory=list)
    types: list[tuple[str, str]] = field(default_factory=list)
    closing: dict[int, int] = field(default_factory=dict)
    declared: list[Local] = field(default_factory=list)  # of the blocks that have not ended
    ended: list[Local] = field(default_factory=list)  # of blocks of this function that have

    def scan(self) -> tuple[Outline, Types]:
        opened: list[int] = []
        for at, token in enumerate(self.tokens):
            if token.text in OPENING:
                opened.append(at)
            elif token.text in CLOSING:
                if not opened or self.tokens[opened[-1]].text != CLOSING[token.text]:
                    raise NotUnderstood
                self.closing[opened.pop()] = at
        if opened:
            raise NotUnderstood
        at = 0
        while at < len(self.tokens):
            at = self._declaration(at, "")
        outline = make_outline(self.statements, self.functions, self.variables, self.contracts)
        return outline, tuple(self.types)

    def _text(self, at: int) -> str:
        return self.tokens[at].text if at < len(self.tokens) else ""

    def _is_word(self, at: int) -> bool:
        return at < len(self.tokens) and self.tokens[at].kind == "word"

    def _after(self, at: int) -> int:
        return self.closing.get(at, at) + 1

    def _until(self, at: int, *ends: str) -> int:
        while self._text(at) not in ends:
            if at >= len(self.tokens) or self._text(at) in CLOSING:
                raise NotUnderstood
            at = self._after(at)
        return at

    def _span(self, first: int, end: int) -> Span:
        return self.tokens[first].start, self.tokens[max(first, end - 1)].end

    def _parts(self, at: int, end: int) -> Iterator[tuple[int, int]]:
        # What is between commas, outside of brackets
        while at < end:
            last = at
            while last < end and self._text(last) != ",":
                last = self._after(last)
            yield at, last
            at = last + 1

    # Declarations

    def _declaration(self, at: int, contract: str) -> int:
        first, word = at, self._text(at)
        if word == "abstract" and self._text(at + 1) == "contract":
            at, word = at + 1, "contract"
        is_named, has_arguments = self._is_word(at + 1), self._text(at + 1) == "("
        if word in CONTRACTS and is_named and not contract:
            return self._contract(first, at + 1)
        if word in {"function", "modifier"} and (
            is_named or (has_arguments and word != "modifier")
        ):
            return self._function(at, contract)
        if word in {"constructor", "receive", "fallback"} and has_arguments:
            return self._function(at, contract)
        if word in {"struct", "enum"} and is_named:
            self._add_type(f"{word} ", at + 1, contract)
            return self._after(self._until(at, "{"))
        if word == ";":
            return at + 1
        end = self._until(at, ";")
        if word == "type" and self._text(at + 2) == "is":
            self._add_type("", at + 1, contract)
        elif word not in NO_VARIABLES or not is_named:
            self._variable(at, end, contract)
        return end + 1

    def _add_type(self, kind: str, at: int, contract: str) -> None:
        name = f"{contract}.{self._text(at)}" if contract else self._text(at)
        self.types.append((name, kind + name))

    def _contract(self, first: int, at: int) -> int:
        name, opened = self._text(at), self._until(at, "{")
        if self._text(at - 1) != "library":
            self._add_type("contract ", at, "")
        bases: list[str] = []
        while self._text(at + 1) in {"is", ","}:
            at += 2
            while self._is_word(at) and self._text(at + 1) == ".":
                at += 2
            bases.append(self._text(at))
            if self._text(at + 1) == "(":
                at = self.closing[at + 1]
        at, closed = opened + 1, self.closing[opened]
        while at < closed:
            at = self._declaration(at, name)
        self.contracts.append(ContractRange(name, self._span(first, closed + 1), tuple(bases)))
        return closed + 1

    def _variable(self, first: int, end: int, contract: str) -> None:
        equals = self._until(first, "=", ";")
        if not contract or not self._is_word(equals - 1):
            return
        self.variables.append(Variable(self._text(equals - 1), contract, self._span(first, end)))
        if equals + 1 < end and all(self._text(at) != "constant" for at in range(first, equals)):
            self._add(self._span(equals + 1, end))

    def _function(self, first: int, contract: str) -> int:
        kind = self._text(first)
        if self._text(first + 1) == "(":  # without the keyword, or as solc before 0.6 has it
            name = kind = "fallback" if kind == "function" else kind
            at = first + 1
        else:
            name, at = self._text(first + 1), first + 2
            if kind == "function" and not contract:
                kind = "freeFunction"
            elif kind == "function" and name == contract:  # before 0.5
                kind = name = "constructor"
        parameters: tuple[Parameter, ...] = ()
        if self._text(at) == "(":
            parameters = self._parameters(at)
            at = self._after(at)
        after = at
        at = self._until(at, "{", ";", "=")
        if self._text(at) != "{":  # abstract, or a variable of function type
            end = self._until(at, ";")
            if kind == "fallback" and self._text(first) == "function":
                self._variable(first, end, contract)
            return end + 1
        end = self._block(at)
        variables = sorted(self.ended, key=lambda each: (each.since, each.assigned))
        self.ended.clear()
        modifiers, returns = self._attributes(after, at)
        self.functions.append(
            Function(
                f"{contract}.{name}" if contract else name,
                self._span(first, end),
                kind,
                parameters,
                modifiers=tuple(modifiers),
                body=self._span(at, end),
                returns=returns,
                variables=tuple(variables),
            )
        )
        return end

    def _attributes(
        self, at: int, end: int
    ) -> tuple[list[tuple[str, Span]], tuple[Parameter, ...]]:
        modifiers: list[tuple[str, Span]] = []
        returns: tuple[Parameter, ...] = ()
        while at < end:
            begin = at
            while self._text(at + 1) == "." and self._is_word(at + 2):
                at += 2
            name = "".join(self._text(index) for index in range(begin, at + 1))
            has_arguments = self._text(at + 1) == "("
            if name == "returns" and has_arguments:
                returns = self._parameters(at + 1)
            at = self._after(at + 1) if has_arguments else at + 1
            if name not in ATTRIBUTES:
                modifiers.append((name, self._span(begin, at)))
        return modifiers, returns

    def _parameters(self, opened: int) -> tuple[Parameter, ...]:
        return tuple(
            self._parameter([self._text(index) for index in range(*part)])
            for part in self._parts(opened + 1, self.closing[opened])
        )

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

    def _simple(self, first: int, end: int) -> None:
        # A statement without others in it, and the local variables that it declares.
        span = self._span(first, end)
        self._add(span)
        last = first
        while last < end and self._text(last) != "=":
            last = self._after(last)
        untyped = ["var"] if self._text(first) == "var" and self._text(first + 1) == "(" else []
        opened = first + len(untyped)
        parts = [(first, last)]
        if self._text(opened) == "(" and self.closing[opened] == last - 1:
            parts = [*self._parts(opened + 1, last - 1)]
        for begin, behind in parts:
            words = untyped + [self._text(index) for index in range(begin, behind)]
            before = behind - 2
            is_typed = untyped or self._is_word(before) or self._text(before) in {"]", ")"}
            is_declared = len(words) > 1 and is_typed and words[0] not in NO_TYPES
            if is_declared and self._is_word(behind - 1):
                found = self._parameter(words)
                self.declared.append(Local(found.name, found.kind, *span, 0))

    def _end_scope(self, first: int, end: int) -> None:
        self.ended += [replace(each, until=end) for each in self.declared[first:]]
        del self.declared[first:]

    def _block(self, opened: int) -> int:
        at, end, first = opened + 1, self.closing[opened], len(self.declared)
        while at < end:
            at = self._statement(at)
        self._end_scope(first, self.tokens[end].end)
        return end + 1

    def _statement(self, at: int) -> int:
        word, following = self._text(at), self._text(at + 1)
        if word == "{" or (word == "unchecked" and following == "{"):
            return self._block(at if word == "{" else at + 1)
        if word == "assembly" and (following in {"{", "("} or following[:1] in {'"', "'"}):
            return self._yul_block(self._until(at + 1, "{"))
        match word:
            case "if" | "while" | "for":
                return self._loop_or_branch(at)
            case "do":
                return self._do_while(at)
            case "try":
                return self._try(at)
        end = self._until(at, ";")
        if word == "return" and end == at + 1:
            self._add(self._span(at, end + 1))  # as solc has it
        elif end > at and not (word == "_" and end == at + 1):
            self._simple(at, end)
        return end + 1

    def _loop_or_branch(self, first: int) -> int:
        opened, outside = first + 1, len(self.declared)
        closed = self.closing[opened]
        begin, end = opened + 1, closed
        if self._text(first) == "for":
            begin = self._until(begin, ";") + 1
            if begin > opened + 2:
                self._simple(opened + 1, begin - 1)
            end = self._until(begin, ";")
            if end + 1 < closed:
                self._add(self._span(end + 1, closed))
        parts = [self._span(begin, end)] if begin < end else []
        at = self._statement(closed + 1)
        if self._text(first) == "if" and self._text(at) == "else":
            at = self._statement(at + 1)
        # The semicolon of the last statement is not in the range, but of `return;` and `do`.
        last = self.statements[-1].whole[1] if self.statements else 0
        ends_before = self._text(at - 1) == ";" and last != self.tokens[at - 1].end
        whole = self._span(first, at - ends_before)
        self._add(whole, *parts, is_compound=True)
        if self._text(first) == "for":
            self._end_scope(outside, whole[1])
        return at

    def _do_while(self, first: int) -> int:
        at = self._statement(first + 1)
        if self._text(at) != "while" or self._text(at + 1) != "(":
            raise NotUnderstood
        closed = self.closing[at + 1]
        end = self._until(closed + 1, ";") + 1
        self._add(self._span(first, end), self._span(at + 2, closed), is_compound=True)
        return end

    def _try(self, first: int) -> int:
        at = first + 1
        while self._text(at) != "returns":
            is_options = self._is_word(at + 1) and self._text(at + 2) == ":"
            if self._text(at) == "{" and not is_options:
                break
            if at >= len(self.tokens) or self._text(at) in CLOSING:
                raise NotUnderstood
            at = self._after(at)
        call, end = self._span(first + 1, at), at
        while at == end or self._text(at) == "catch":
            begin, at = at, self._block(self._until(at, "{"))
            if "(" in {self._text(begin + 1), self._text(begin + 2)}:  # its variables are not known
                clause = self._span(begin, at)
                self.ended.append(Local("", "", clause[0], *clause))
        self._add(self._span(first, at), call, is_compound=True)
        return at

    # Assembly

    def _yul_block(self, opened: int) -> int:
        at, end = opened + 1, self.closing[opened]
        while at < end:
            at = self._yul_statement(at)
        return end + 1

    def _yul_statement(self, first: int) -> int:
        word, at = self._text(first), first + 1
        if word in {"{", "function"}:
            return self._yul_block(self._until(first, "{"))
        if word in {"for", "if", "switch"}:
            return self._yul_compound(first)
        if word == "let":
            at += 1
            while self._text(at) in {",", ":"}:
                at += 2
        else:
            at = self._yul_expression(first)
        while self._text(at) == ",":
            at = self._yul_expression(at + 1)
        if self._text(at) == ":=":
            at = self._yul_expression(at + 1)
        self._add(self._span(first, at))
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
        if self._text(at) in CLOSING:
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

    def find(self, text: str, start: int = 0) -> int:
        depth = 0
        for index, token in enumerate(self.tokens):
            if token.text == text and not depth and index >= start:
                return index
            depth += (token.text in OPENING) - (token.text in CLOSING)
        return -1


class _Vyper:
    def __init__(self, text: str) -> None:
        self.lines = list(logical_lines(text))
        self.statements: list[Statement] = []
        self.functions: list[Function] = []
        self.variables: list[Variable] = []

    def outline(self) -> Outline:
        at, decorators = 0, set[str]()
        while at < len(self.lines):
            line, tokens = self.lines[at], self.lines[at].tokens
            end = at + 1
            while end < len(self.lines) and self.lines[end].indent > line.indent:
                end += 1
            is_declaration = len(tokens) > 2 and tokens[0].kind == "word" and tokens[1].text == ":"
            if line.word == "@":
                decorators.update(token.text for token in tokens)
            elif line.word == "def":
                self._function(line, self.lines[at + 1 : end], decorators)
                decorators = set()
            elif is_declaration and end == at + 1 and line.word not in VYPER_DECLARATIONS:
                self.variables.append(Variable(line.word, "", line.span))
            at = end
        return make_outline(self.statements, self.functions, self.variables, ())

    def _function(self, header: Line, body: list[Line], decorators: set[str]) -> None:
        colon, opened = header.find(":"), header.find("(")
        if colon < 0 or opened < 0:
            return
        rest = header.tokens[colon + 1 :]
        lines = [Line(header.indent + 1, rest), *body] if rest else body
        lines = [line for line in lines if any(token.kind != "text" for token in line.tokens)]
        if not lines:
            return
        variables = list(self._statements(lines))
        end = lines[-1].span[1]
        self.functions.append(
            Function(
                header.tokens[1].text,
                (header.tokens[0].start, end),
                parameters=tuple(_vyper_parameters(header.tokens[opened + 1 :])),
                body=(lines[0].span[0], end),
                variables=tuple(sorted(variables, key=lambda each: (each.since, each.assigned))),
                is_internal=decorators.isdisjoint({"external", "deploy"}),
            )
        )

    def _statements(self, lines: list[Line]) -> Iterator[Local]:
        # Adds the statements, and returns the local variables.
        ends, ends_of_blocks = _ends(lines)
        for at, line in enumerate(lines):
            loop = max(0, line.find("in")) if line.word == "for" else 0
            is_compound = line.word in {"if", "elif", "else", "for"}
            colon = line.find(":", loop) if is_compound else -1
            if colon < 0:
                self.statements.append(Statement(line.span, (line.span,)))
                if len(line.tokens) > 2 and line.tokens[1].text == ":":
                    kind = _vyper_type(line.tokens[2:])
                    yield Local(line.word, kind, *line.span, ends_of_blocks[at])
                continue
            if line.word != "else":
                part = (line.tokens[1 + loop].start, line.tokens[colon - 1].end)
                self.statements.append(Statement((line.span[0], ends[at]), (part,)))
            rest = line.tokens[colon + 1 :]
            if rest:
                span = (rest[0].start, rest[-1].end)
                self.statements.append(Statement(span, (span,)))
            body = rest[0].start if rest else lines[min(at + 1, len(lines) - 1)].span[0]
            if loop:
                kind = _vyper_type(line.tokens[3:loop]) if line.tokens[2].text == ":" else ""
                is_known = kind or line.tokens[loop + 1].text == "range"
                name = line.tokens[1].text if is_known else ""
                yield Local(name, kind, body - 1, body, ends[at])


def _ends(lines: list[Line]) -> tuple[list[int], list[int]]:
    # Where the statement that begins with each line ends, and the block that the line is in.
    statements, blocks = [0] * len(lines), [0] * len(lines)
    following: list[int] = []  # the lines behind that begin no statement inside another of them
    for at in range(len(lines) - 1, -1, -1):
        line, end = lines[at], lines[at].span[1]
        while following and lines[following[-1]].indent > line.indent:
            end = max(end, blocks[following.pop()])
        statements[at] = blocks[at] = end
        if following and lines[following[-1]].indent == line.indent:
            behind = following.pop()
            blocks[at] = blocks[behind]
            if line.word in {"if", "elif"} and lines[behind].word in {"elif", "else"}:
                statements[at] = statements[behind]
        following.append(at)
    return statements, blocks


def logical_lines(text: str) -> Iterator[Line]:
    """The lines of a source of Vyper, those in brackets joined; without empty lines and comments.

    Raises `NotUnderstood` if brackets do not match.
    """
    line: list[Token] = []
    opened: list[str] = []
    end = Token("\n", len(text), len(text), None)
    for token in (*tokens(text, is_vyper=True), end):
        if token.text in OPENING:
            opened.append(token.text)
        elif token.text in CLOSING and (not opened or opened.pop() != CLOSING[token.text]):
            raise NotUnderstood
        if token.text not in {"\n", "\r\n"}:
            line.append(token)
        elif line and not opened:
            yield Line(line[0].start - (text.rfind("\n", 0, line[0].start) + 1), line)
            line = []
    if opened:
        raise NotUnderstood


def _vyper_type(tokens: Iterable[Token]) -> str:
    texts = (each.text if each.kind == "word" else each.text.replace("_", "") for each in tokens)
    return "".join(takewhile(lambda text: text != "=", texts)).replace(",", ", ")


def _vyper_parameters(tokens: list[Token]) -> Iterator[Parameter]:
    depth, part = 0, list[Token]()
    for token in tokens:
        is_end = token.text in CLOSING and not depth
        if is_end or (token.text == "," and not depth):
            if len(part) > 2:
                yield Parameter(part[0].text, _vyper_type(part[2:]))
            part = []
        else:
            part.append(token)
        if is_end:
            return
        depth += (token.text in OPENING) - (token.text in CLOSING)


@lru_cache(MAX_CACHED)
def _vyper_constants(text: str) -> dict[str, str]:
    return {name: number.replace("_", "") for name, number in VYPER_CONSTANT.findall(text)}


def with_numbers(kind: str, text: str) -> str:
    """A type in a source of Vyper, numbers of elements in digits that are constants there."""
    constants = _vyper_constants(text)
    return WORD.sub(lambda at: constants.get(at[0], at[0]), kind)


@lru_cache(MAX_CACHED)
def vyper_structs(text: str) -> dict[str, list[list[str]]]:
    """The structs that a source of vyper defines: names and types of their members, in order.

    Numbers of elements are in digits, also where they are constants of the source. The type is
    empty of what is in another module.
    """

    def kind(line: Line) -> str:
        written = _vyper_type(line.tokens[2:])
        return "" if "." in written else with_numbers(written, text)

    found = {}
    for block in VYPER_STRUCT.findall(text):
        with suppress(NotUnderstood, IndexError, ValueError):
            header, *members = logical_lines(block)
            found[header.tokens[1].text] = [[line.word, kind(line)] for line in members]
    return found
