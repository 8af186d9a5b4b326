"""Branches of sources: which way execution went at each, from the JUMPIs of the code.

A branch is a JUMPI whose range in the compiler's source map is one of these:

    if (x > 3) a(); else b();     the statement: then, else
    for (; i < n; i++)            the statement: body, end; also `while`; of `do` again, end
    require(x > 3, "small")       the call: holds, fails; also `assert`, of Vyper the statement
    x > 3 && y                    the expression: right (evaluated too), left (alone); also `||`
    x > 3 ? a : b                 the expression: first, second; of Vyper `a if x > 3 else b`
    try c.f() {} catch {}         the statement: returns, catch
    case 3 {}                     of assembly: match, other

Whether a JUMPI jumps for the first way or the second depends on the compiler: solc's peephole
optimizer, which always runs, turns `if (x) break;` around, and Vyper orders both as it is shorter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from devchain.contracts.source_map import Instruction
from devchain.contracts.syntax_tree import Span
from devchain.evm.opcodes import ENDS, Op, walk
from devchain.source.outline import SourceFile

WAYS = {
    "if": ("then", "else"),
    "loop": ("body", "end"),
    "check": ("holds", "fails"),
    "try": ("returns", "catch"),
    "case": ("match", "other"),
    "and": ("right", "left"),
    "or": ("right", "left"),
    "choice": ("first", "second"),
}
"""Kinds of branches, each with its two ways."""

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
OPERATORS = {
    "?": "choice",
    "||": "or",
    "&&": "and",
    "if": "choice",
    "or": "or",
    "and": "and",
}
"""Operators that branch, as Solidity and Vyper write them; the one that binds least comes first."""

TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\#[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'
    |&&|\|\||[=!<>]=|=>|[?=:(){}\[\]]|[A-Za-z_$][\w$]*""",
    re.DOTALL | re.VERBOSE,
)

JUMPS_FIRST = frozenset({"check", "try", "case", "choice"})
"""Kinds of branches for whose first way code of solc jumps."""

Key = tuple[Span, str]
Ways = tuple[int, int]


class Outer(NamedTuple):
    """A token outside of brackets."""

    text: str
    start: int
    end: int


def outer_tokens(text: str) -> list[Outer]:
    """The words and signs of some code that are outside of brackets, and closing brackets."""
    tokens, depth = [], 0
    for token in TOKEN.finditer(text):
        piece = token[0]
        depth -= piece in {")", "]", "}"}
        if depth == 0:
            tokens.append(Outer(piece, token.start(), token.end()))
        depth += piece in {"(", "[", "{"}
    return tokens


def branch_kind(text: str, *, is_vyper: bool) -> str:
    """What kind of branch a JUMPI with the range of some text is; empty if it is none."""
    if keyword := KEYWORD.match(text):
        word = keyword[1]
        is_call = word in {"require", "assert"} and not is_vyper
        tokens = outer_tokens(text) if is_call else []
        if not is_call or [token.text for token in tokens] == [word, "(", ")"]:
            return KINDS[word]
    if text.startswith(("contract ", "function ", "library ", "abstract ")):
        return ""
    written = {token.text for token in outer_tokens(text)}
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

    def __init__(self, file: SourceFile, found: Iterable[Instruction], template: bytes) -> None:
        """Take the instructions of that source."""
        self._file = file
        self._spans = {instruction.offset: instruction.span for instruction in found}
        self._code = list(walk(template))
        self._index = {instruction.offset: at for at, instruction in enumerate(self._code)}
        self._jumps: dict[Key, list[tuple[int, bool]]] = {}
        kinds: dict[Span, str] = {}
        for offset, opcode, _ in self._code:
            span = self._spans.get(offset) if opcode == Op.JUMPI else None
            if span is None:
                continue
            if span not in kinds:
                kinds[span] = branch_kind(file.text_at(span), is_vyper=file.is_vyper)
            if kinds[span]:
                self._add(span, kinds[span], offset)

    def _add(self, span: Span, kind: str, jump: int) -> None:
        is_back = self._target(jump) < jump
        if kind == "loop":
            if self._file.is_vyper and not is_back and self._failing_way(jump) is not None:
                return  # a check of the bound
            jumps_first = is_back
        elif kind == "check":
            jumps_first = self._failing_way(jump) is not True
        elif self._file.is_vyper:
            jumps_first = self._jumps_first(span, kind, jump)
        else:
            jumps_first = kind in JUMPS_FIRST or (kind == "if" and self._is_turned(span, jump))
        self._jumps.setdefault((span, kind), []).append((jump, jumps_first))

    def ways(self, counts: Mapping[int, int]) -> dict[Key, Ways]:
        """How often execution went each way at each branch.

        `counts` are the executions by offset, at the complement of the offset of a JUMPI how often
        it jumped.
        """
        ways: dict[Key, Ways] = {}
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

    def _target(self, jump: int) -> int:
        return int.from_bytes(self._code[self._index[jump] - 1].operand)

    def _failing_way(self, jump: int) -> bool | None:
        # True if the code fails when it jumps, False if it does when it does not; else None.
        if self._fails(self._target(jump)):
            return True
        return False if self._fails(jump + 1) else None

    def _fails(self, start: int) -> bool:
        for _, opcode, _ in self._code[self._index.get(start, len(self._code)) :]:
            if opcode in {Op.REVERT, Op.INVALID}:
                return True
            if opcode in ENDS or opcode == Op.JUMPI:
                break
        return False

    def _is_turned(self, span: Span, jump: int) -> bool:
        # `if (x) break;` of solc jumps for its first way: the destination is that of the break.
        pushed = self._spans.get(self._code[self._index[jump] - 1].offset, span)
        return pushed != span and span[0] < pushed[0] and pushed[1] <= span[1]

    def _jumps_first(self, span: Span, kind: str, jump: int) -> bool:
        # Of Vyper, by which part of the source the code behind the jump is from.
        first, second = self._parts(span, kind)
        passes_first = self._is_first(jump + 1, first, second)
        if passes_first is None:
            jumps_first = self._is_first(self._target(jump), first, second)
            return kind == "or" if jumps_first is None else jumps_first
        return not passes_first

    def _is_first(self, start: int, first: Span, second: Span) -> bool | None:
        for offset, opcode, _ in self._code[self._index.get(start, len(self._code)) :]:
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
        if kind == "if":
            colon = next((token.end for token in outer_tokens(text) if token.text == ":"), 0)
            indent = self._file.column(start) - 1
            other = re.search(rf"^[ \t]{{{indent}}}(else|elif)\b", text, re.MULTILINE)
            middle = start + other.start() if other else end
            return (start + colon, middle), (middle, len(self._file.text))
        at = {token.text: token for token in outer_tokens(text)}
        if kind == "choice":
            condition, other_value = at["if"], at.get("else", at["if"])
            return (start, start + condition.start), (start + other_value.end, end)
        return (start + at[kind].end, end), (start, start + at[kind].start)
