"""Statements of Vyper that no instruction has the source range of, and how often they ran.

Vyper gives all uses of a local variable the range of the last one, and no range at all to some of
the code of a statement. So in the code of

    if a > cap:       CALLDATALOAD, MLOAD, GT     range of `a > cap`
                      ISZERO, PUSH, JUMPI         range of the whole `if` statement
        return cap    PUSH                        range of `cap`, as in `a > cap`
                      CALLDATALOAD .. PUSH, JUMP  no range
                      JUMPDEST                    range of the whole `if` statement
    return a          PUSH, PUSH, RETURN          ranges of `a` and of the function

no instruction is known to be of one of the `return` statements by its range. It is by its place, in
the gap between instructions of other statements: vyper's code generator emits statements in the
order of the source, but for the two branches of an `if`, of which any may be first, and its
assembler moves none. It does redirect jumps: of `if done: continue` only a jump of the condition is
left, whose target is pushed with the range of `continue`, which ran as often as it was taken.

A statement ran if the last instruction of its gap did, and did not if the first one did not. If
that does not decide, it is `UNKNOWN`. The other code generator, Venom, keeps no order. It gives no
range to jump destinations and to uses of variables.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile

from devchain.contracts.artifacts import Artifact
from devchain.contracts.coverage_report import UNKNOWN
from devchain.contracts.source_file import ONLY_JUMPS, SourceFile, has_labels
from devchain.contracts.source_map import (
    ENDS,
    JUMPS,
    NOWHERE,
    PUSHES,
    instruction_offsets,
    instructions,
    pushed_targets,
)
from devchain.contracts.syntax_tree import Function, Span, Statement

STOP, POP, JUMP, JUMPI, JUMPDEST, RETURN, REVERT = 0x00, 0x50, 0x56, 0x57, 0x5B, 0xF3, 0xFD
TEXT_OR_COMMENT = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\#[^\n]*""")
ELSE = re.compile(r"\belse\s*:\s*$")
LEAVES = re.compile(r"(return|raise|break|continue)\b")
"""The beginning of statements that the next one does not follow."""

CONSTRUCTOR = "__init__"

WORD = re.compile(r"[A-Za-z_]\w*")
OPERATORS = frozenset({"and", "or", "not", "in", "True", "False"})
MAX_REVERT = 4
"""Instructions of the block to which failing checks jump."""


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


def unmapped_counts(
    mapped: MappedCode, measured: Mapping[int, int], *, has_constructor: bool
) -> dict[int, int]:
    """Counts, or `UNKNOWN`, of the statements of a source that no instruction has the range of.

    `measured` are the counts of the others. Which statements the result has does not depend on what
    ran: not `pass`, nor those of functions without code. `has_constructor` says whether the code of
    the constructor is in this code or, as before vyper 0.4, in one without a source map.
    """
    found: dict[int, int] = {}
    for function in mapped.source.functions.values():
        inside = mapped.within(function.span)
        code = FunctionCode(mapped, function, inside, measured)
        if inside:
            found |= code.counts()
        elif (
            has_constructor
            if function.name == CONSTRUCTOR
            else function.is_internal and mapped.is_inlined
        ):
            found |= dict.fromkeys(code.block_of, UNKNOWN)
    return found


class MappedCode:
    """The instructions of some code by index, and what is known of each by the source map.

    `number` is the id of a source of Vyper, `counts` the executions by offset.
    """

    def __init__(
        self,
        source: SourceFile,
        number: int,
        artifact: Artifact,
        counts: Mapping[int, int],
        *,
        creating: bool,
    ) -> None:
        code = artifact.creation if creating else artifact.runtime
        offsets, targets = frozenset(instruction_offsets(code.template)), pushed_targets(code)
        self.source = source
        self.number = number
        self.artifact = artifact
        self.template = code.template
        self.code = [each for each in instructions(code) if each.offset in offsets]
        self.executed = [counts.get(each.offset, 0) for each in self.code]
        self.spans: list[Span | None] = [
            # The choice of a function ends with a push that has the range of the fallback.
            None
            if each.source != number or (each.offset in targets and source.is_fallback(each.span))
            else each.span
            for each in self.code
        ]
        self.owners = [None if span is None else source.owner(span) for span in self.spans]
        self.index = {each.offset: index for index, each in enumerate(self.code)}

    @cached_property
    def is_in_order(self) -> bool:
        """Whether code is in the order of the source and has the ranges of labels.

        That of Venom is not, and vyper 0.5 writes no ranges of labels.
        """
        return has_labels(self.artifact, {self.number: self.source})

    @cached_property
    def is_inlined(self) -> bool:
        """Whether functions without instructions of their own may have been inlined, by Venom."""
        return not self.is_in_order and any(
            self.code[index].opcode == JUMPI for listed in self.owned.values() for index in listed
        )

    @cached_property
    def owned(self) -> dict[int, list[int]]:
        """The instructions of each statement."""
        found: dict[int, list[int]] = defaultdict(list)
        for index, owner in enumerate(self.owners):
            if owner is not None:
                found[owner].append(index)
        return found

    @cached_property
    def references(self) -> dict[int, list[int]]:
        """The pushes of each jump destination."""
        found: dict[int, list[int]] = defaultdict(list)
        for index in range(len(self.code)):
            target = self.pushed(index)
            if target is not None:
                found[target].append(index)
        return found

    def within(self, span: Span) -> list[int]:
        """The instructions that have a range in that one."""
        start, end = span
        return [
            index
            for index, each in enumerate(self.spans)
            if each and start <= each[0] and each[1] <= end
        ]

    def pushed(self, index: int) -> int | None:
        """The jump destination that an instruction pushes the offset of."""
        each = self.code[index] if 0 <= index < len(self.code) else None
        if each is None or each.opcode not in PUSHES:
            return None
        size = each.opcode - PUSHES[0] + 1
        value = self.template[each.offset + 1 : each.offset + 1 + size]
        target = self.index.get(int.from_bytes(value, "big"))
        is_target = target is not None and self.code[target].opcode == JUMPDEST
        return target if is_target else None

    def reverts(self, target: int) -> bool:
        """Whether the block at a jump destination only reverts."""
        return any(each.opcode == REVERT for each in self.code[target : target + MAX_REVERT])

    def is_dead(self, index: int) -> bool:
        """Whether no jump is left to an instruction that none falls through to."""
        while index and self.code[index].opcode != JUMPDEST:
            index -= 1
            if self.code[index].opcode in ENDS:
                return True
        return False

    def taken(self, jump: int) -> int:
        """How often a jump was taken, or an instruction that ends the execution ran."""
        if self.code[jump].opcode != JUMPI:
            return self.executed[jump]
        if jump + 1 == len(self.code) or self.code[jump + 1].opcode == JUMPDEST:
            return UNKNOWN
        return self.executed[jump] - self.executed[jump + 1]

    def passed(self, index: int) -> int:
        """How often the instruction after one ran next."""
        if self.code[index].opcode in ENDS or index + 1 == len(self.code):
            return 0
        if self.code[index].opcode != JUMPI:
            return self.executed[index]
        return UNKNOWN if self.code[index + 1].opcode == JUMPDEST else self.executed[index + 1]

    def variable(self, index: int) -> str:
        """The variable of whose uses an instruction has the range of one."""
        span = self.spans[index]
        return self.source.text_at(span) if span and self.source.is_variable(span) else ""


class FunctionCode:
    """The statements of a function that has code: `inside` are instructions with a range in it."""

    def __init__(
        self, mapped: MappedCode, function: Function, inside: list[int], measured: Mapping[int, int]
    ) -> None:
        self.mapped = mapped
        self.function = function
        self.inside = inside
        self.measured = measured
        self.source = mapped.source
        self.statements: Sequence[Statement] = (
            mapped.source.outline.statements if mapped.source.outline else ()
        )
        self.found: dict[int, int] = {}
        self.block_of = {number: each for each in self.blocks for number in each.statements}

    def counts(self) -> dict[int, int]:
        """The counts of the statements without instructions."""
        missing = [each for each in self.block_of if each not in self.measured]
        missing = [each for each in missing if not self._is_removed(each)]
        executed, is_in_order = self.mapped.executed, self.mapped.is_in_order
        # Of a function that Venom inlined a part may have run that no instruction has a range in.
        if not any(executed[index] for index in self.inside) and (is_in_order or not any(executed)):
            return dict.fromkeys(missing, 0)
        for number in missing:
            self.found[number] = self._by_place(number) if is_in_order else UNKNOWN
        for number in reversed(missing):
            self.found[number] = self._by_what_follows(number)
        for number in missing if is_in_order else ():
            self.found[number] = self._by_what_precedes(number)
        return self.found

    # Statements

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
                between = TEXT_OR_COMMENT.sub("", self._text(block.end, each.whole[0]))
                if ELSE.search(between) or self._text(*each.whole).startswith("elif"):
                    block = opened[-1] = Block(block.parent, block.end, is_else=True)
                    found.append(block)
            block.end = each.whole[1]
            if self._text(*each.whole) != "pass":
                block.statements.append(number)
            if each.is_compound:
                opened.append(Block(number, each.parts[0][1]))
                found.append(opened[-1])
        return found

    @cached_property
    def branches(self) -> dict[int, list[Block]]:
        """The blocks in each compound statement."""
        found: dict[int, list[Block]] = defaultdict(list)
        for each in self.blocks:
            if each.parent is not None:
                found[each.parent].append(each)
        return found

    def _text(self, start: int, end: int) -> str:
        return self.source.text[start:end]

    def _text_of(self, number: int) -> str:
        return self._text(*self.statements[number].whole)

    def _words(self, span: Span) -> set[str]:
        return set(WORD.findall(TEXT_OR_COMMENT.sub("", self._text(*span))))

    def _sibling(self, number: int, step: int) -> int | None:
        """The statement before (-1) or after (1) one in its block."""
        listed = self.block_of[number].statements
        place = listed.index(number) + step
        return listed[place] if 0 <= place < len(listed) else None

    def _has(self, compound: int, owner: int | None) -> bool:
        """Whether a statement is a compound one or inside it."""
        if owner is None:
            return False
        start, end = self.statements[compound].whole
        whole = self.statements[owner].whole
        return start <= whole[0] and whole[1] <= end

    def _around(self, number: int) -> Iterator[int]:
        """The compound statements that one is in, from the inner to the outer."""
        compound = self.block_of[number].parent
        while compound is not None:
            yield compound
            compound = self.block_of[compound].parent

    def _is_removed(self, number: int) -> bool:
        """Whether it is an `if` that depends on constants, or in one, of which there is no code."""
        constants = OPERATORS | self.source.constants
        return any(
            self._is_if(each)
            and self._words(self.statements[each].parts[0]) <= constants
            and not any(self._has(each, owner) for owner in self.measured)
            for each in (number, *self._around(number))
        )

    def _is_if(self, number: int) -> bool:
        is_compound = self.statements[number].is_compound
        return is_compound and self._text_of(number).startswith(("if", "elif"))

    def _leaves(self, number: int) -> bool:
        return bool(LEAVES.match(self._text_of(number)))

    # Gaps

    def _is_foreign(self, index: int) -> bool:
        """Whether an instruction is known to be of no statement without instructions."""
        mapped = self.mapped
        span, each = mapped.spans[index], mapped.code[index]
        if span is None:
            return each.source != NOWHERE and each.span != (0, 0)
        if mapped.owners[index] is not None:
            return True
        if span == self.function.span:
            return each.opcode in {STOP, RETURN, JUMPDEST}
        start, end = self.function.body
        return not (start <= span[0] and span[1] <= end)

    def _gap(self, first: int, *, leaves: bool) -> range:
        """The instructions from one on up to those of other statements.

        A label that others jump to ends it, and for a statement that does not leave its block one
        that no jump is left to: the end of a loop's turn may be such a one.
        """
        code = self.mapped.code
        limit = first
        while limit < len(code) and not self._is_foreign(limit):
            limit += 1
        end = first
        while end < limit:
            if code[end].opcode == JUMPDEST:
                pushes = self.mapped.references.get(end, ())
                if not (pushes or leaves) or not all(first <= each < limit for each in pushes):
                    break
            end += 1
            if code[end - 1].opcode in ENDS:
                break
        return range(first, end)

    def _by_place(self, number: int) -> int:
        """The count by the instructions in the gap of a statement."""
        code, executed = self.mapped.code, self.mapped.executed
        text = self._text_of(number)
        if self.statements[number].is_compound:
            jump = self._condition_jump(number)
            return UNKNOWN if jump is None else executed[jump]
        if text in ONLY_JUMPS:
            return self._jump_count(number)
        start = self._start(number)
        if start is None:
            return UNKNOWN
        leaves = self._leaves(number)
        gap = self._gap(start, leaves=leaves)
        if leaves:
            jumps = [each for each in gap if code[each].opcode == JUMPI]
            gap = range(jumps[-1] + 1 if jumps else start, gap.stop)
        if not gap:
            return UNKNOWN
        if executed[gap[-1]]:  # perhaps in a loop, that copies an array
            return min(executed[gap[-1]], executed[start])
        return UNKNOWN if executed[gap[0]] else 0

    def _jump_count(self, number: int) -> int:
        """The count of a statement that is only a jump, also by jumps redirected past it.

        The push of such a jump's target has the range of the statement.
        """
        mapped, text = self.mapped, self._text_of(number)
        code, span = mapped.code, self.statements[number].whole
        own = [index for index in self.inside if mapped.spans[index] == span]
        ends = {index for index in own if code[index].opcode in ENDS}
        is_left = any(not mapped.is_dead(index) for index in ends)
        ends |= {
            index + 1
            for index in own
            if mapped.pushed(index) is not None and code[index + 1].opcode in JUMPS
        }
        counts = [mapped.taken(index) for index in ends]
        before, parent = self._sibling(number, -1), self.block_of[number].parent
        if UNKNOWN in counts:
            return UNKNOWN
        if is_left or (counts and before is None):
            return sum(counts)
        passed = self._passed(number)
        if before is None:
            return self._taken(parent) if passed == UNKNOWN and parent is not None else passed
        if text == "return" and self.statements[before].is_compound:
            passed = passed or UNKNOWN  # jumps redirected past it have no range
        return (sum(counts) or UNKNOWN) if passed == UNKNOWN else sum(counts) + passed

    def _passed(self, number: int) -> int:
        """How often the end of the statement before, or the beginning of the block, was passed."""
        before = self._sibling(number, -1)
        if before is not None and before in self.found:
            return self.found[before]
        start = self._start(number)
        return UNKNOWN if start is None else self.mapped.passed(start - 1)

    def _taken(self, compound: int) -> int:
        """How often the only branch of an `if` that is a single jump was chosen."""
        mapped, blocks = self.mapped, self.branches[compound]
        texts = [[self._text_of(each) for each in block.statements] for block in blocks]
        alone = [each for each in texts if len(each) == 1 and each[0] in ONLY_JUMPS]
        jump = self._condition_jump(compound)
        if jump is None or len(alone) != 1 or jump + 1 >= len(mapped.code):
            return UNKNOWN
        is_inverted = mapped.spans[jump] != self.statements[compound].whole
        if mapped.code[jump + 1].opcode == JUMPDEST or not (is_inverted or len(blocks) > 1):
            return UNKNOWN
        target = mapped.pushed(jump - 1)
        taken = mapped.executed[jump] - mapped.executed[jump + 1]
        return UNKNOWN if target is None else max(0, min(taken, mapped.executed[target]))

    def _condition_jump(self, compound: int) -> int | None:
        """The jump of an `if` statement."""
        mapped, statement = self.mapped, self.statements[compound]
        if not self._is_if(compound):
            return None
        own = mapped.owned.get(compound, [])
        jumps = [
            index
            for index in own
            if mapped.code[index].opcode == JUMPI and mapped.spans[index] == statement.whole
        ]
        if jumps:
            return jumps[0] if len(jumps) == 1 else None
        # It was inverted, and has no range.
        start, end = statement.parts[0]
        tested = [
            index
            for index in own
            if (span := mapped.spans[index]) and start <= span[0] and span[1] <= end
        ]
        first = tested[-1] + 1 if tested else self._start(compound)
        if first is None:
            return None
        words = self._words(statement.parts[0])
        is_tested = bool(tested)
        for index in range(first, len(mapped.code)):
            opcode = mapped.code[index].opcode
            if self._is_foreign(index) or opcode == JUMPDEST or opcode in ENDS:
                return None
            is_tested = is_tested or mapped.variable(index) in words
            if opcode == JUMPI:
                target = mapped.pushed(index - 1)
                is_it = is_tested and target is not None and not mapped.reverts(target)
                return index if is_it else None
        return None

    # Where the code of a statement begins

    def _start(self, number: int) -> int | None:
        """An instruction that runs if the statement is reached, before its own ones."""
        before = self._sibling(number, -1)
        if before is None:
            return self._start_of_block(self.block_of[number])
        if self.statements[before].is_compound:
            return self._after(before)
        if own := self.mapped.owned.get(before):
            is_failure = self._text_of(before).startswith("assert") and (
                self.mapped.code[own[-1]].opcode not in {JUMPI, JUMPDEST}
            )
            return None if self._leaves(before) or is_failure else own[-1] + 1
        return None if self._leaves(before) else self._start(before)

    def _after(self, compound: int) -> int | None:
        """The instruction after those of a compound statement.

        They end with its label, or else with its last statement.
        """
        mapped, whole = self.mapped, self.statements[compound].whole
        own = [index for index in self.inside if self._has(compound, mapped.owners[index])]
        if not own or mapped.code[own[-1]].opcode in JUMPS:
            return None
        last, owner = own[-1], mapped.owners[own[-1]]
        if mapped.spans[last] == whole:
            return None if mapped.code[last].opcode in PUSHES else last + 1
        if owner is None or self.statements[owner].is_compound or self._leaves(owner):
            return None
        inner = list(takewhile(lambda each: each != compound, self._around(owner)))
        is_last = all(self._sibling(each, 1) is None for each in (owner, *inner))
        return last + 1 if is_last and all(map(self._is_if, (compound, *inner))) else None

    def _start_of_block(self, block: Block) -> int | None:
        if block.parent is None:
            return None
        if self._is_if(block.parent):
            return self._start_of_branch(block.parent, is_else=block.is_else)
        return self._start_of_loop(block.parent)

    def _own(self, compound: int, *, inside: bool) -> list[int]:
        """The instructions of a compound statement, or of the statements inside it."""
        owners = self.mapped.owners
        return [
            index
            for index in self.inside
            if (owners[index] != compound if inside else owners[index] == compound)
            and self._has(compound, owners[index])
        ]

    def _turn_jump(self, loop: int) -> int | None:
        """The jump to the next turn of a loop; that of a loop over a list has no range."""
        mapped, whole = self.mapped, self.statements[loop].whole
        own, inside = self._own(loop, inside=False), self._own(loop, inside=True)
        ranged = [index for index in own if self._is_turn(index) and mapped.spans[index] == whole]
        if ranged or not own:
            return ranged[0] if len(ranged) == 1 else None
        others = [
            each
            for each in self.block_of
            if each != loop and self._has(loop, each) and self.branches.get(each)
        ]
        if not all(self._is_if(each) for each in others):
            return None
        found: list[int] = []
        for index in range(max([*own, *inside]) + 1, len(mapped.code)):
            if self._is_foreign(index):
                break
            target = mapped.pushed(index - 1)
            if self._is_turn(index) and target is not None and target > own[-1]:
                if inside and target <= inside[0]:
                    return index
                found.append(index)
        return found[0] if len(found) == 1 and not inside else None

    def _is_turn(self, index: int) -> bool:
        """Whether an instruction is a conditional jump back."""
        target = self.mapped.pushed(index - 1)
        return self.mapped.code[index].opcode == JUMPI and target is not None and target < index

    def _start_of_loop(self, loop: int) -> int | None:
        """The instruction after those that begin a turn of a loop."""
        jump = self._turn_jump(loop)
        head = None if jump is None else self.mapped.pushed(jump - 1)
        if jump is None or head is None:
            return None
        own, inside = self._own(loop, inside=False), self._own(loop, inside=True)
        end = jump
        while end - 1 in own:
            end -= 1
        first = next((index for index in inside if head < index), end)
        return max([head, *(index for index in own if head < index < min(first, end))]) + 1

    def _start_of_branch(self, compound: int, *, is_else: bool) -> int | None:
        """The first instruction of a branch, which is the one after the jump or its target."""
        mapped = self.mapped
        jump = self._condition_jump(compound)
        whole = self.statements[compound].whole
        if jump is None or mapped.spans[jump] != whole:
            return None
        target = mapped.pushed(jump - 1)
        if target is None or target < jump:
            return None
        blocks = self.branches[compound]
        if len(blocks) == 1:
            return jump + 1
        is_else_first = self._is_else_first(compound, jump, target)
        if is_else_first is None:
            return None
        if is_else_first == is_else:
            return jump + 1
        return target + 1 if mapped.spans[target] == whole else None

    def _is_else_first(self, compound: int, jump: int, target: int) -> bool | None:
        """Whether the code of the second branch of an `if` is the first one; None if unknown."""
        end = self.statements[compound].whole[1]
        middle = self.branches[compound][0].end
        words = [
            self._words((self.statements[compound].parts[0][1], middle)),
            self._words((middle, end)),
        ]
        for first, is_second in ((jump + 1, False), (target + 1, True)):
            seen: set[bool] = set()
            named: set[bool] = set()
            for index in range(first, len(self.mapped.code)):
                owner = self.mapped.owners[index]
                if index == target or owner == compound:
                    break
                if owner is not None and not self._has(compound, owner):
                    break
                if owner is not None:
                    seen.add((self.statements[owner].whole[0] >= middle) != is_second)
                elif name := self.mapped.variable(index):
                    of = [name in each for each in words]
                    if of[0] != of[1]:
                        named.add(of[1] != is_second)
            if len(seen or named) == 1:
                return next(iter(seen or named))
        return None

    # What is known by other statements

    def _count(self, number: int) -> int:
        return self.measured.get(number, self.found.get(number, UNKNOWN))

    def _by_what_follows(self, number: int) -> int:
        """The count if it is known, else that of the next statement if that one ran."""
        found, after = self.found[number], self._sibling(number, 1)
        if found != UNKNOWN:
            return found
        if after is not None:
            own = self.mapped.owned.get(after)
            count = self.mapped.executed[own[0]] if own else self.found.get(after, UNKNOWN)
            return count if count > 0 else UNKNOWN
        return self._count_of_returns() if self._is_only_return(number) else UNKNOWN

    def _is_only_return(self, number: int) -> bool:
        """Whether a function ends in this statement only, unless it fails."""
        texts = [self._text_of(each) for each in self.block_of]
        returns = [each for each in texts if each.startswith("return")]
        is_last = self.blocks[0].statements[-1:] == [number]
        text = self._text_of(number)
        return is_last and len(returns) == 1 and text.startswith("return") and text != "return"

    def _count_of_returns(self) -> int:
        mapped = self.mapped
        ends = [
            mapped.executed[index]
            for index in self.inside
            if mapped.code[index].opcode == RETURN and mapped.spans[index] == self.function.span
        ]
        return sum(ends) if ends else UNKNOWN

    def _by_what_precedes(self, number: int) -> int:
        """The count if it is known, else 0 if a statement that runs before did not."""
        before, parent = self._sibling(number, -1), self.block_of[number].parent
        earlier = [self._count(each) for each in (before, parent) if each is not None]
        return 0 if self.found[number] == UNKNOWN and 0 in earlier else self.found[number]
