"""Mutants: small changes of a contract's source, made in its bytecode by the compiler's source map.

A change is made where the range of an instruction is an operator's expression, a literal or a
statement of its own; what the map has no exact range for is left as it is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from difflib import unified_diff

from devchain.contracts.artifacts import Artifact
from devchain.contracts.code_map import CodeMap, Location
from devchain.contracts.outline import Span
from devchain.contracts.source_map import INTO, OUT_OF
from devchain.contracts.sources import is_dependency
from devchain.evm import mutation
from devchain.evm.opcodes import PUSHES, Instruction, Op

OPERATOR = re.compile(r"\*\*|<<=?|>>=?|[<>=!]=|&&|\|\||[-+*/%]=|=>|\+\+|--|[-+*/%<>=?]")
COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
CALCULATED = {"+": "-", "-": "+", "*": "/", "/": "*"}
NEUTRAL = {"+": "0", "-": "0", "*": "1", "/": "1"}  # at the right: x * 1 is x / 1
ASSIGNED = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>="})
LITERAL = re.compile(r"(?:0|[1-9][\d_]*)(?=\s|\Z)")
CONDITIONAL = re.compile(r"(if|elif|while|for|require|assert)\b")
BEFORE_CONDITION = re.compile(r"\b(if|elif|while|assert)\s*\(?\s*\Z")
FAILS = frozenset({"require", "assert"})
EVENT = re.compile(r"(emit|log)\b")
LEFT_OUT = re.compile(r"(//|#)\s*devchain:\s*no mutants\b")
COMPARING: dict[int, int] = {
    Op.LT: mutation.LE,
    Op.GT: mutation.GE,
    Op.SLT: mutation.SLE,
    Op.SGT: mutation.SGE,
    Op.EQ: mutation.NE,
}
CALCULATING: dict[int, int] = {Op.ADD: Op.SUB, Op.SUB: Op.ADD, Op.MUL: Op.DIV, Op.DIV: Op.MUL}
CALLING = {
    "+": mutation.CALL_SUB,
    "-": mutation.CALL_ADD,
    "*": mutation.CALL_DIV,
    "/": mutation.CALL_MUL,
}
CALCULATES: dict[int, str] = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.DIV: "/"}
DELETED = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a range of a source: its kind, and the text in its place."""

    path: str
    span: Span
    kind: str
    text: str


@dataclass(slots=True)
class Mutant:
    """A change with its line, its diff, and the bytes to write by offset for each artifact."""

    change: Change
    line: int
    diff: tuple[str, ...]
    edits: dict[int, dict[int, bytes]] = field(default_factory=dict)
    """By the artifact's number among those given to `find_mutants`."""


def find_mutants(artifacts: Iterable[Artifact]) -> list[Mutant]:
    """The mutants of the runtime code of artifacts, in the order of their sources.

    There are none of contracts without source, of dependencies, of code that optimizer and viaIR,
    or Venom, have rearranged, and of lines with the comment `devchain: no mutants`.
    """
    found: dict[Change, Mutant] = {}
    for number, artifact in enumerate(artifacts):
        code_map = CodeMap(artifact, creating=False)
        stale = {source.path for source in code_map.stale}
        if code_map.is_rearranged or is_dependency(artifact.source):
            continue
        for instruction in code_map.code_by_offset.values():
            location = code_map.location(instruction.offset)
            if location is None or location.function is None:
                continue
            if location.path in stale or is_dependency(location.path):
                continue
            if LEFT_OUT.search(location.file.text_of_line(location.line)):
                continue
            for change, content in _changes(code_map, instruction, location):
                mutant = found.get(change)
                if mutant is None:
                    mutant = found[change] = Mutant(change, location.line, _diff(location, change))
                mutant.edits.setdefault(number, {})[instruction.offset] = content
    return sorted(found.values(), key=lambda each: (each.change.path, each.change.span))


def _changes(
    code_map: CodeMap, instruction: Instruction, location: Location
) -> Iterator[tuple[Change, bytes]]:
    offset, opcode, _ = instruction
    yield from _of_call(code_map, instruction, location)
    if opcode == Op.JUMPI:
        yield from _of_condition(code_map, instruction, location)
    elif opcode in COMPARING:
        operator, place = _operator(location, COMPARED)
        if operator and (opcode == Op.EQ) == (operator in {"==", "!="}):
            change = _replaced(location, place, operator, COMPARED[operator])
            yield change, _byte(COMPARING[opcode])
    elif opcode in CALCULATING or (opcode == Op.JUMP and code_map.jumps.get(offset) == INTO):
        operator, place = _operator(location, CALCULATED)
        right = location.code[place + 1 :].strip("= ")
        is_neutral = right == NEUTRAL.get(operator)
        if operator and not is_neutral and CALCULATES.get(opcode, operator) == operator:
            change = _replaced(location, place, operator, CALCULATED[operator])
            called = CALLING[operator] + mutation.SIGNED * _calls_signed(code_map, offset)
            yield change, _byte(CALCULATING.get(opcode) or called)
    elif opcode == Op.PUSH0 or opcode in PUSHES:
        yield from _of_literal(instruction, location)
    elif opcode == Op.SSTORE and location.statement is not None and _stores(location):
        change = Change(location.path, location.simple_statement.span, "store", DELETED)
        yield change, _byte(mutation.DROP_STORE)
    elif Op.LOG0 <= opcode <= Op.LOG0 + 4 and location.statement is not None:
        whole = location.simple_statement
        if EVENT.match(whole.code):
            change = Change(location.path, whole.span, "event", DELETED)
            yield change, _byte(mutation.DROP_LOG + opcode - Op.LOG0)


def _byte(number: int) -> bytes:
    return bytes([number])


def _of_call(
    code_map: CodeMap, instruction: Instruction, location: Location
) -> Iterator[tuple[Change, bytes]]:
    statement = location.statement_node
    if statement is None or statement.is_compound or location.span != statement.whole:
        return
    results = _results(code_map, instruction.offset)
    if instruction.opcode == Op.CALL or results is not None:
        way = mutation.DROP_CALL if results is None else mutation.DROP_JUMP + results
        yield Change(location.path, location.span, "call", DELETED), _byte(way)


def _of_literal(instruction: Instruction, location: Location) -> Iterator[tuple[Change, bytes]]:
    _, opcode, operand = instruction
    match = LITERAL.match(location.text)
    if match is None or location.statement is None:
        return
    value, words = int(match[0].replace("_", "")), location.text[match.end() :].split()
    if words or value != int.from_bytes(operand):  # with a unit, or not the push of the literal
        return
    changed = Change(location.path, location.span, "constant", str(value + 1))
    if opcode == Op.PUSH0:
        yield changed, _byte(mutation.PUSH_ONE)
    elif value + 1 < 1 << 8 * len(operand):
        yield changed, _byte(opcode) + (value + 1).to_bytes(len(operand))


def _of_condition(
    code_map: CodeMap, instruction: Instruction, location: Location
) -> Iterator[tuple[Change, bytes]]:
    file, span = location.file, location.span
    keyword = CONDITIONAL.match(location.code)
    before = BEFORE_CONDITION.search(file.text_at((max(0, span[0] - 40), span[0])))
    operator, place = _operator(location, {"?"})
    if keyword is None and before is None:
        if operator == "?":
            yield from _negated(location, location.text[:place].strip())
        return
    word = (keyword or before)[1]  # type: ignore[index]  # one of them is there
    if word in FAILS:
        fails_if_it_jumps = code_map.flow.failing_way(instruction.offset)
        if fails_if_it_jumps is not None:
            way = mutation.JUMP_NEVER if fails_if_it_jumps else mutation.JUMP_ALWAYS
            span = location.simple_statement.span
            yield Change(location.path, span, "requirement", DELETED), _byte(way)
        return
    if keyword is None:
        yield from _negated(location, location.text)
        return
    condition = location.statement_node
    parts = condition.parts if condition and condition.is_compound else ()
    if word != "for" and len(parts) == 1:
        text = file.text_at(parts[0])
        inner = re.sub(r"^(else\s+)?(if|elif|while)\s*", "", text).strip()
        if inner.startswith("(") and inner.endswith(")"):
            inner = inner[1:-1]
        whole = replace(location, span=parts[0])
        yield from _negated(whole.starting_at(max(0, text.find(inner))), inner)


def _negated(location: Location, condition: str) -> Iterator[tuple[Change, bytes]]:
    start, is_vyper = location.span[0], location.file.is_vyper
    end = start + len(condition if is_vyper else condition.encode())
    text = f"not ({condition})" if is_vyper else f"!({condition})"
    yield Change(location.path, (start, end), "condition", text), _byte(mutation.JUMP_UNLESS)


def _results(code_map: CodeMap, jump: int) -> int | None:
    # How many words a function of the source leaves on the stack that a jump calls, else None.
    back = code_map.code.template[jump + 1 :]
    if code_map.jumps.get(jump) != INTO or back[:1] != _byte(Op.JUMPDEST):
        return None
    entry = code_map.location(code_map.flow.target(jump))
    if entry and (function := entry.function) and function.span == entry.span:
        return len(function.returns) if entry.file.text_at(function.body) != "{}" else None
    return 0 if code_map.is_vyper else None  # it returns values in memory


def _calls_signed(code_map: CodeMap, jump: int) -> bool:
    # Solidity's checked functions of signed numbers compare or divide them as such.
    for offset, opcode, _ in code_map.flow.behind(code_map.flow.target(jump)):
        if opcode in {Op.SLT, Op.SGT, Op.SDIV}:
            return True
        if opcode == Op.JUMP and code_map.jumps.get(offset) == OUT_OF:
            break
    return False


def _stores(location: Location) -> bool:
    operator, _ = _operator(location, ASSIGNED | {"++", "--"})
    return bool(operator) or location.code.startswith("delete")


def _operator(location: Location, wanted: Iterable[str]) -> tuple[str, int]:
    """The operator of a range that is one expression, and its place; empty if it is another."""
    text, depth, found = location.code, 0, []
    position = 0
    while position < len(text):
        character = text[position]
        match = OPERATOR.match(text, position)
        depth += (character in "([{") - (character in ")]}")
        if depth < 0 or character in ";\n\"'" or (character == "{" and depth == 1):
            return "", 0
        if match and depth == 0:
            before = text[:position].rstrip()
            is_binary = bool(before) and before[-1] not in "+-*/%<>=!&|?:,"
            if is_binary or match[0] in {"++", "--"}:
                found.append((match[0], position))
            position = match.end()
            continue
        position += 1
    ranks = (ASSIGNED | {"++", "--"}, {"?"}, {"||"}, {"&&"}, COMPARED, {"<<", ">>"}, {"+", "-"})
    for rank in (*ranks, {"*", "/", "%"}, {"**"}):
        of_rank = [each for each in found if each[0] in rank]
        if of_rank:
            operator, place = of_rank[0] if rank is ranks[0] else of_rank[-1]
            base = operator[:-1] if operator in {"+=", "-=", "*=", "/="} else operator
            return (operator if operator in wanted else base if base in wanted else ""), place
    return "", 0


def _replaced(location: Location, place: int, operator: str, other: str) -> Change:
    kind = "comparison" if operator in COMPARED else "arithmetic"
    changed = location.text[:place] + other + location.text[place + len(operator) :]
    return Change(location.path, location.span, kind, changed)


def _diff(location: Location, change: Change) -> tuple[str, ...]:
    file, (start, end) = location.file, change.span
    if not change.text:  # with the semicolon
        while file.text_at((end, end + 1)) in {";", " "}:
            end += 1
    changed = file.text_at((0, start)) + change.text + file.text_at((end, sys.maxsize))
    lines = unified_diff(file.text.split("\n"), changed.split("\n"), n=0, lineterm="")
    return tuple(line for line in list(lines)[2:] if line[0] in "+-" and line[1:].strip())
