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

    That is `before`, the statement of the first exact position behind the check, if the code of the
    check may be of it.
    """
    code_map = passed.code_map
    found = code_map.statements_at(passed.check)
    if any(_is_same(before, each) for each in found):
        return before, len(found) == 1
    if found:
        return found[0], len(found) == 1
    read = _variables(code_map, passed.offsets)
    return before, not read or read[0] in _words(before)


def _is_same(one: Position, two: Position) -> bool:
    return one.file is two.file and one.statement == two.statement


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


def _words(position: Position) -> set[str]:
    """The names in a statement, or in the head of a compound one."""
    outline, number = position.file.outline, position.statement
    if outline is None or number is None:
        return set(WORD.findall(position.code))
    statement = outline.statements[number]
    spans = statement.parts if statement.is_compound else (statement.whole,)
    return {word for span in spans for word in WORD.findall(position.file.text_at(span))}
