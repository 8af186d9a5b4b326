"""The statement of a failed check in Vyper whose instructions have no source range of their own.

Vyper gives all uses of a local variable the range of the last one, and none to some of the code of
a statement. So in the code of

    y: uint256 = x        MSTORE                      range of the statement
    t: uint256 = z - y    MLOAD, MLOAD                ranges of `z` and `y`, perhaps in other lines
                          SUB, GT, PUSH, JUMPI        no range: it fails here
                          MSTORE                      range of the statement

the nearest range before a failure may be that of the statement before. The code generator emits
statements in the order of the source and each ends with what it stores, so that the first range
behind the check is the statement's, unless it has none there. The variables that were read in
between, and whether the statement before had stored its value, decide which of the two it is.
Venom keeps no order: there the place is only near, if variables that were read are not in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from devchain.contracts.code_map import WORD, CodeMap, Position

JUMPI, JUMPDEST, POP = 0x57, 0x5B, 0x50
STORES = frozenset({0x52, 0x53, 0x55, 0x5D, 0x5E})
"""MSTORE, MSTORE8, SSTORE, TSTORE and MCOPY."""

ASSIGNMENT = re.compile(r"[A-Za-z_][\w.\[\], ]*(:[^=]*)?([-+*/%&|^]|//|\*\*|<<|>>)?=(?!=)")


@dataclass(frozen=True, slots=True)
class Passed:
    """The instructions of a path between the last exact position and a check, the last first.

    `last` is the offset of that position, `check` that of the jump which failed.
    """

    code_map: CodeMap
    last: int
    check: int
    offsets: Sequence[int]


def failed_statement(before: Position, passed: Passed) -> tuple[Position, bool]:
    """The position of the statement that failed, and whether it must be that one.

    That is `before`, the statement of the first exact position behind the check, or one between
    them of which no instruction has a range.
    """
    code_map = passed.code_map
    read = _variables(code_map, passed.offsets)
    if not code_map.is_in_order:
        return before, not read or read[0] in _words(before)
    is_complete = _is_complete(before, passed)
    behind, after = code_map.up_to_exact(passed.check)
    if after and _is_same(before, after):
        if not is_complete or before.file.is_simple(before.statement or 0):
            return before, True
        after = None  # the end of a compound statement, in which the check is
    elif after and (after.function is not before.function or _contains(after, before)):
        after = None
    nearest = after if after and is_complete else before
    if not read:
        return nearest, True
    between = _unmapped(before, after, passed, read[0])
    own, others = _words(before), _words(after) if after else set()
    if after and read[0] in others and set(_variables(code_map, behind)) <= others:
        is_after = is_complete or any(each in others and each not in own for each in read)
        return (after, not between) if is_after else (before, False)
    if read[0] in own and not is_complete:
        return before, not between
    return (between[0], True) if len(between) == 1 else (nearest, False)


def _is_same(one: Position, two: Position) -> bool:
    return one.file is two.file and one.statement == two.statement


def _unmapped(
    before: Position, after: Position | None, passed: Passed, variable: str
) -> list[Position]:
    """The simple statements from one to another that have a variable, and no instructions."""
    if before.function is None:
        return []
    code_map, start = passed.code_map, before.span[0]
    end = after.span[0] if after and after.span[0] > start else before.function.span[1]
    return [
        each
        for each in code_map.statements(before.function)
        if start < each.span[0] < end
        and (each.path, each.statement) not in code_map.mapped_statements
        and variable in _words(each)
    ]


def _variables(code_map: CodeMap, offsets: Sequence[int]) -> list[str]:
    """The local variables of whose uses instructions have the range of one."""
    return [name for each in offsets if (name := _variable(code_map, each))]


def _variable(code_map: CodeMap, offset: int) -> str:
    """The local variable of whose uses an instruction has the range of one."""
    position = code_map.position(offset)
    if position is None or position.function is None or position.is_exact:
        return ""
    text = position.text
    return text if text.isidentifier() else ""


def _is_complete(position: Position, passed: Passed) -> bool:
    """Whether the code of a statement, or of the head of a compound one, was at its end."""
    template = passed.code_map.code.template
    file, number = position.file, position.statement
    if file.outline is None or number is None:
        return False
    opcode, is_whole = template[passed.last], position.span == file.outline.statements[number].whole
    if not file.is_simple(number):
        return is_whole and opcode in {JUMPI, JUMPDEST, POP}
    text = position.whole_statement.text
    if not ASSIGNMENT.match(text):
        return is_whole and opcode == JUMPI and text.startswith("assert")
    return (is_whole and opcode in STORES) or any(
        template[each] in STORES for each in passed.offsets
    )


def _words(position: Position) -> set[str]:
    """The names in a statement, or in the head of a compound one."""
    outline, number = position.file.outline, position.statement
    if outline is None or number is None:
        return set(WORD.findall(position.code))
    statement = outline.statements[number]
    spans = statement.parts if statement.is_compound else (statement.whole,)
    return {word for span in spans for word in WORD.findall(position.file.text_at(span))}


def _contains(outer: Position, inner: Position) -> bool:
    """Whether a compound statement contains another one."""
    outline = outer.file.outline
    if outline is None or outer.statement is None or outer.statement == inner.statement:
        return False
    start, end = outline.statements[outer.statement].whole
    return start <= inner.span[0] and inner.span[1] <= end
