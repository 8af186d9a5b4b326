"""The statements of a function of Vyper as a graph: which may run after which.

Of some statements there may be no code: of a `continue` only a jump of the condition before may be
left, of `if DEBUG:` with a constant nothing. They are noted where they are passed:

    if done:          next: `continue`, or the loop, passing `continue`; or `total += i`
        continue
    total += i        next: the loop
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from devchain.contracts.syntax_tree import Function, Statement
from devchain.contracts.vyper_code import FileCode

PROLOGUE, EPILOGUE = -1, -2
"""Code before the first statement of a function and after the last one, as if statements."""

TEXT_OR_COMMENT = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\#[^\n]*""")
ELSE = re.compile(r"\belse\s*:\s*$")
WORD = re.compile(r"[A-Za-z_]\w*")
OPERATORS = frozenset({"and", "or", "not", "in", "True", "False"})
LEAVES = re.compile(r"(return|raise)\b")
SIMPLE_TYPE = re.compile(r"u?int\d+|bool|address|bytes\d+|decimal", re.ASCII)
ASSIGNMENT = re.compile(
    r"([\w.]+(?:\[[^\]=]*\])*)\s*(?::\s*([^=]+?))?\s*([-+*/%&|^]|//|\*\*|<<|>>)?=(?!=)\s*(.*)",
    re.DOTALL,
)
"""Target, type, operator and value."""

COPIED = re.compile(r"(?!self\b)[A-Za-z_][\w.]*|0+|0x0+|empty\(\w+\)|False", re.ASCII)
"""Values that are copied as a word to memory."""

CALLS = re.compile(r"\b(?!range\b)\w+\(")
LIST_CALL = re.compile(r"[\w.\[\]]+\.(append|pop)\(")
MEMBERS = re.compile(r"\w+\([^()]*\)|\[[^\[\]()]*\]")
"""A struct or a list of values that are no calls."""

STORED = re.compile(r"self\.(\w+)((?:\[\w.]+\])*)")
DECLARED = re.compile(r"(\w+)\s*:\s*(?:public\s*\(\s*)?(.*?)\)?", re.DOTALL)
MAPPING = re.compile(r"HashMap\[\s*\w+\s*,\s*(.*)\]", re.DOTALL)
CHOOSES = re.compile(r"\b(if|and|or|in)\b")
"""Operators whose code jumps in the middle of an expression."""

Passed = tuple[int, ...]
"""Statements that are passed without code of their own, in order."""

Move = tuple[int, Passed]
"""The next statement with code, and those that are passed on the way to it."""


@dataclass(slots=True)
class Block:
    """The statements of a function, a loop or a branch, by number, without `pass`.

    `parent` is the compound statement that they are in, None for those of a function. `end` is the
    offset in the source where the last one ends.
    """

    parent: int | None
    end: int
    statements: list[int] = field(default_factory=list)
    is_else: bool = False


def exit_of(loop: int) -> int:
    """The end of a loop, to which `break` jumps, as a number below those of statements.

    Of such a number the loop.
    """
    return EPILOGUE - 1 - loop


class FunctionFlow:
    """The statements of a function by number: `next` are the moves from each, `first` to the first.

    `branches` are those of each `if` by its condition: if it holds, and if not.
    """

    def __init__(self, code: FileCode, function: Function) -> None:
        self.code = code
        self.source = code.source
        self.function = function
        outline = code.source.outline
        self.statements: tuple[Statement, ...] = outline.statements if outline else ()
        self.block_of = {number: each for each in self.blocks for number in each.statements}
        self.own = list(self.block_of)
        self.next: dict[int, set[Move]] = defaultdict(set)
        self.branches: dict[int, tuple[set[Move], set[Move]]] = {}
        self.first = self._enter(self.blocks[0], {(EPILOGUE, ())}, PROLOGUE)
        self.next[PROLOGUE] = self.first

    # Blocks

    @cached_property
    def blocks(self) -> list[Block]:
        """The blocks of the function, outer ones first."""
        start, end = self.function.body
        found = [Block(None, start)]
        opened = [found[0]]
        for number, each in enumerate(self.statements):
            if not (start <= each.whole[0] and each.whole[1] <= end):
                continue
            while (around := opened[-1].parent) is not None and (
                each.whole[0] >= self.statements[around].whole[1]
            ):
                opened.pop()
            block = opened[-1]
            if block.parent is not None and not block.is_else:
                between = TEXT_OR_COMMENT.sub("", self.source.text[block.end : each.whole[0]])
                if ELSE.search(between) or self.text(number).startswith("elif"):
                    block = opened[-1] = Block(block.parent, block.end, is_else=True)
                    found.append(block)
            block.end = each.whole[1]
            if self.text(number) != "pass":
                block.statements.append(number)
            if each.is_compound:
                opened.append(Block(number, each.parts[0][1]))
                found.append(opened[-1])
        return found

    @cached_property
    def inner(self) -> dict[int, list[Block]]:
        """The blocks in each compound statement."""
        found: dict[int, list[Block]] = defaultdict(list)
        for each in self.blocks:
            if each.parent is not None:
                found[each.parent].append(each)
        return found

    def sibling(self, number: int, step: int) -> int | None:
        """The statement before (-1) or after (1) one in its block."""
        listed = self.block_of[number].statements
        place = listed.index(number) + step
        return listed[place] if 0 <= place < len(listed) else None

    def around(self, number: int) -> Iterator[int]:
        """The compound statements that one is in, from the inner to the outer."""
        compound = self.block_of[number].parent
        while compound is not None:
            yield compound
            compound = self.block_of[compound].parent

    def is_inside(self, compound: int, number: int) -> bool:
        """Whether a statement is in a compound one."""
        return number >= 0 and number != compound and self._has(compound, number)

    def _has(self, compound: int, number: int) -> bool:
        start, end = self.statements[compound].whole
        whole = self.statements[number].whole
        return start <= whole[0] and whole[1] <= end

    # Kinds

    def text(self, number: int) -> str:
        return self.source.text_at(self.statements[number].whole)

    def condition(self, number: int) -> str:
        return self.source.text_at(self.statements[number].parts[0])

    def is_loop(self, number: int) -> bool:
        return number >= 0 and self.statements[number].is_compound and not self.is_if(number)

    def is_if(self, number: int) -> bool:
        """Whether a statement is an `if` or `elif`."""
        if number < 0 or not self.statements[number].is_compound:
            return False
        return self.text(number).startswith(("if", "elif"))

    def leaves(self, number: int) -> bool:
        """Whether a statement is a `return` or `raise`."""
        return number >= 0 and bool(LEAVES.match(self.text(number)))

    def may_only_fail(self, number: int) -> bool:
        """Whether a statement is a `raise` or `assert`."""
        return number >= 0 and self.text(number).startswith(("raise", "assert"))

    def may_fail(self, number: int) -> bool:
        """Whether a statement may have code that reverts by itself, not by a jump to what does."""
        if number < 0 or self.may_only_fail(number):
            return True
        statement = self.statements[number]
        return any(CALLS.search(self.source.text_at(each)) for each in statement.parts)

    def is_copy(self, number: int) -> bool:
        """Whether a statement copies a word to memory: the optimizer merges such ones."""
        return number in self._copies

    @cached_property
    def _copies(self) -> frozenset[int]:
        is_optimized = self.code.whole.is_optimized
        return frozenset(
            each
            for each in (self.own if is_optimized else ())
            if not self.statements[each].is_compound
            and (found := ASSIGNMENT.match(self.text(each)))
            and COPIED.fullmatch(found[4])
            and not found[1].startswith("self.")
            and not found[3]
        )

    def is_constant(self, number: int) -> bool:
        """Whether a statement is an `if` that depends on constants."""
        if not self.is_if(number):
            return False
        return _words(self.condition(number)) <= OPERATORS | self.source.constants

    def is_removed(self, number: int) -> bool:
        """Whether it is or is in an `if` that depends on constants, of which there is no code."""
        return any(
            self.is_constant(each) and not any(self._has(each, owner) for owner in self.code.owned)
            for each in (number, *self.around(number))
        )

    def may_turn(self, loop: int) -> bool:
        """Whether there may be a second turn of a loop: others have no jump back."""
        reached, pending = {loop}, [loop]
        while pending:
            for each, _ in self.next[pending.pop()]:
                if each == loop:
                    return True
                if each not in reached and self.is_inside(loop, each):
                    reached.add(each)
                    pending.append(each)
        return not self.inner[loop]

    def empty_turns(self, number: int) -> Iterator[Passed]:
        """The statements that are passed in turns of a loop without other statements."""
        return (passed for each, passed in self.next[number] if each == number and passed)

    def raises(self, number: int) -> set[Move]:
        """The moves from an `if` that does not fail, if one of its branches is `raise`."""
        sides = self.branches[number]
        others = [side for side in sides if not all(self._is_raise(each) for each, _ in side)]
        return others[0] if len(others) == 1 else set()

    def _is_raise(self, number: int) -> bool:
        return number >= 0 and self.text(number) == "raise"

    # Which statement follows

    def _enter(self, block: Block, follow: set[Move], loop: int) -> set[Move]:
        after = follow
        for each in reversed(block.statements):
            after = self._begin(each, after, loop)
        return after

    def _begin(self, number: int, follow: set[Move], loop: int) -> set[Move]:
        if self.is_removed(number):
            return follow
        target = {"return": EPILOGUE, "continue": loop, "break": exit_of(loop)}.get(
            self.text(number)
        )
        if target is not None:
            self.next[number] = {(target, ())}
            return {(number, ()), (target, (number,))}
        if self.leaves(number):
            return {(number, ())}
        before = self.sibling(number, -1)
        if before is not None and self.is_copy(before) and self.is_copy(number):
            self.next[number] = set(follow)
            return {(number, ()), *((each, (number, *passed)) for each, passed in follow)}
        if self.is_if(number):
            entered = [self._enter(each, follow, loop) for each in self.inner[number]]
            chosen, otherwise = [*entered, follow, follow][:2]
            self.next[number] = chosen | otherwise
            self.branches[number] = chosen, otherwise
            passing = self.next[number] if self.is_constant(number) else ()
            return {(number, ()), *((each, (number, *passed)) for each, passed in passing)}
        self.next[number] = set(follow)
        if self.statements[number].is_compound:
            for each in self.inner[number]:
                self.next[number] |= self._enter(each, {(number, ())}, number)
        return {(number, ())}

    # What a statement has code of

    @cached_property
    def words(self) -> dict[int, set[str]]:
        """The names in each statement, without those inside it."""
        found: dict[int, set[str]] = {PROLOGUE: set(), EPILOGUE: set()}
        for number in self.own:
            each = self.statements[number]
            parts = each.parts if each.is_compound else (each.whole,)
            found[number] = set().union(*(_words(self.source.text_at(part)) for part in parts))
            if self.is_loop(number):
                found[number] |= _words(self.text(number).partition(":\n")[0])
        return found

    @cached_property
    def stores(self) -> dict[int, tuple[int, int]]:
        """How many segments that store something statements have, of the least and the most.

        Of those where that follows from their form.
        """
        found = ((each, self._stores(each)) for each in self.own)
        return {number: each for number, each in found if each}

    def _stores(self, number: int) -> tuple[int, int] | None:
        text = self.text(number)
        if self.statements[number].is_compound:
            is_plain = self.is_if(number) and "(" not in self.condition(number)
            return (0, 0) if is_plain else None
        if CHOOSES.search(text):
            return None
        if text.startswith("assert"):
            return None if "(" in text or "," in text else (0, 0)
        if LIST_CALL.match(text):
            return (1, 1) if text.count("(") == 1 else None
        found = ASSIGNMENT.match(text)
        return self._stores_of(*found.groups()) if found else None

    def _stores_of(
        self, target: str, kind: str | None, operator: str | None, value: str
    ) -> tuple[int, int] | None:
        kind = kind or self._kinds.get(target) or self._kind_in_storage(target)
        if MEMBERS.fullmatch(value) and value.startswith(("[", f"{kind}(")):
            return 1, value.count(",") + 2
        is_word = operator or SIMPLE_TYPE.fullmatch(kind)
        return (1, 1) if is_word and "(" not in value else None

    @cached_property
    def _kinds(self) -> dict[str, str]:
        return {each.name: each.kind for each in self.function.variables}

    @cached_property
    def _storage_kinds(self) -> dict[str, str]:
        outline = self.source.outline
        texts = (self.source.text_at(each.span) for each in (outline.variables if outline else ()))
        return {found[1]: found[2] for text in texts if (found := DECLARED.fullmatch(text.strip()))}

    def _kind_in_storage(self, target: str) -> str:
        path = STORED.fullmatch(target)
        kind = self._storage_kinds.get(path[1], "") if path else ""
        for _ in range(path[2].count("[")) if path else ():
            found = MAPPING.fullmatch(kind)
            kind = found[1] if found else ""
        return kind


def _words(text: str) -> set[str]:
    return set(WORD.findall(TEXT_OR_COMMENT.sub("", text)))
