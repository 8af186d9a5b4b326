"""Where the code of each statement of Vyper begins, also of those without a source range.

Vyper's older code generator emits the statements of a function in the order of the source, and each
leaves the stack as high as it was before, two or more words higher in the body of a loop. So the
code falls into segments, of which each is code of one statement:

    outs.append(i)        PUSH, MLOAD, .., MSTORE, POP     range of `outs` somewhere, else none
    self.kept = outs      PUSH, MLOAD, .., SSTORE          one range, of `self.kept`
                          .., POP, POP                     none
    return outs           PUSH, DUP, .., RETURN            none, range of `outs`, of the function

Which one follows from the graph of the code and that of the source: a segment may be code of a
statement if its ranges and the variables that it uses are, if a path of statements leads to it from
the beginning of the function, segment by segment, and one from it to the end. Where only one is
left, the segment is code of that. The other code generator, Venom, keeps no order.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from devchain.contracts.source_file import ONLY_JUMPS
from devchain.contracts.source_map import ENDS, INTO, JUMPS
from devchain.contracts.syntax_tree import Function, Statement
from devchain.contracts.unmapped_statements import TEXT_OR_COMMENT, Block, FunctionCode, MappedCode

STOP, ISZERO, POP, MSTORE, JUMP, JUMPI, JUMPDEST = 0x00, 0x15, 0x50, 0x52, 0x56, 0x57, 0x5B
RETURN, REVERT, INVALID, SELFDESTRUCT = 0xF3, 0xFD, 0xFE, 0xFF
PUSHES, DUPS, SWAPS = range(0x5F, 0x80), range(0x80, 0x90), range(0x90, 0xA0)
FAILURES = frozenset({REVERT, INVALID})
STORES = frozenset({MSTORE, 0x53, 0x55, 0x5D, 0x5E, 0x37})
"""MSTORE, MSTORE8, SSTORE, TSTORE, MCOPY and CALLDATACOPY."""

LEAVING = frozenset({POP, JUMP, JUMPDEST, STOP, RETURN, *PUSHES, *DUPS, *SWAPS})
"""Opcodes of what follows the last statement of a function."""

GROWTH: dict[int, int] = {
    **dict.fromkeys([0x15, 0x19, 0x31, 0x35, 0x3B, 0x3F, 0x40, 0x49, 0x51, 0x54, 0x5C], 0),
    **dict.fromkeys([STOP, JUMPDEST, INVALID, *SWAPS], 0),
    **dict.fromkeys([*range(0x01, 0x08), 0x0A, 0x0B, *range(0x10, 0x15)], -1),
    **dict.fromkeys([*range(0x16, 0x19), *range(0x1A, 0x1E), 0x20, POP, JUMP, SELFDESTRUCT], -1),
    **dict.fromkeys([0x08, 0x09, MSTORE, 0x53, 0x55, JUMPI, 0x5D, RETURN, REVERT, 0xF0], -2),
    **dict.fromkeys([0x37, 0x39, 0x3E, 0x5E, 0xF5], -3),
    **dict.fromkeys([0x30, *range(0x32, 0x35), 0x36, 0x38, 0x3A, 0x3D], 1),
    **dict.fromkeys([*range(0x41, 0x49), 0x4A, 0x58, 0x59, 0x5A, *PUSHES, *DUPS], 1),
    **{opcode: -2 - (opcode - 0xA0) for opcode in range(0xA0, 0xA5)},
    0x3C: -4,
    0xF1: -6,
    0xF2: -6,
    0xF4: -5,
    0xFA: -5,
}
"""By how many words opcodes make the stack higher."""

PROLOGUE, EPILOGUE = -1, -2
"""Code before the first statement of a function and after the last one, as if statements."""

WORD = re.compile(r"[A-Za-z_]\w*")
SIMPLE_TYPE = re.compile(r"u?int\d+|bool|address|bytes\d+|decimal", re.ASCII)
ASSIGNMENT = re.compile(
    r"([\w.]+(?:\[[^\]=]*\])*)\s*(?::\s*([^=]+?))?\s*([-+*/%&|^]|//|\*\*|<<|>>)?=(?!=)\s*(.*)",
    re.DOTALL,
)
"""Target, type, operator and value."""

LIST_CALL = re.compile(r"[\w.\[\]]+\.(append|pop)\(")
MEMBERS = re.compile(r"\w+\([^()]*\)|\[[^\[\]()]*\]")
"""A struct or a list of values that are no calls."""

STORED = re.compile(r"self\.(\w+)((?:\[\w.]+\])*)")
DECLARED = re.compile(r"(\w+)\s*:\s*(?:public\s*\(\s*)?(.*?)\)?", re.DOTALL)
MAPPING = re.compile(r"HashMap\[\s*\w+\s*,\s*(.*)\]", re.DOTALL)
CHOOSES = re.compile(r"\b(if|and|or|in)\b")
"""Operators whose code jumps in the middle of an expression."""

LEAVES = re.compile(r"(return|raise)\b")

MAX_LOOP = 3
"""Segments of a loop that copies an array: one that copies, two that count."""


@dataclass(slots=True)
class Segment:
    """Instructions from `first` on that are code of one statement, by index.

    `is_whole` says that the stack has the height there that it has between statements, `is_turn`
    that a turn of a loop begins with it, and `branches` that it ends with a choice of the next.
    """

    first: int
    is_whole: bool
    is_turn: bool
    instructions: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    branches: bool = False
    ends: bool = False
    fails: bool = False
    stores: bool = False
    owners: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()
    leaves: bool = False


Reading = tuple[int, int, int]
"""A segment, by its first instruction, as code of a statement.

With how many segments of it that store something there are so far, if it may not have any number.
"""


class CodeShape:
    """The height of the stack before each instruction of some code, and what may run after it.

    Heights are relative to that at the beginning of a function. `has_result` says of the first
    instruction of a function, by offset, whether it returns anything.
    """

    def __init__(self, mapped: MappedCode, has_result: Callable[[int], bool]) -> None:
        self.mapped = mapped
        self.heights: list[int | None] = [None] * len(mapped.code)
        self.after: list[tuple[int, ...]] = [()] * len(mapped.code)
        self._has_result = has_result
        self._follow()

    def _follow(self) -> None:
        code, heights = self.mapped.code, self.heights
        height: int | None = 0
        for index, each in enumerate(code):
            if heights[index] is not None:
                height = heights[index]
            elif height is None and each.opcode != JUMPDEST:
                continue  # no code leads to it
            height = heights[index] = height or 0
            grown = height + GROWTH.get(each.opcode, 0)
            target = self.mapped.pushed(index - 1) if each.opcode in {JUMP, JUMPI} else None
            if each.opcode == JUMP and each.jump == INTO:
                after = self._return(index, height, target)
            else:
                after = () if target is None else (target,)
                for label in after:
                    if heights[label] is None:
                        heights[label] = grown
            if each.opcode not in ENDS and index + 1 < len(code):
                after = (index + 1, *after)
            self.after[index] = after
            height = None if each.opcode in ENDS else grown

    @cached_property
    def is_optimized(self) -> bool:
        """Whether vyper optimized the code: it then takes out double negations before jumps."""
        negated = bytes([ISZERO, ISZERO, JUMPI])
        opcodes = bytes(each.opcode for each in self.mapped.code if each.opcode not in PUSHES)
        return negated not in opcodes

    def _return(self, index: int, height: int, target: int | None) -> tuple[int, ...]:
        """What runs after the call of an internal function: its arguments are off the stack."""
        code, label = self.mapped.code, index + 1
        if target is None or label >= len(code) or code[label].opcode != JUMPDEST:
            return ()
        # Below the target there is where it returns to, and below that where to put its result.
        self.heights[label] = height - (3 if self._has_result(code[target].offset) else 2)
        return (label,)


def _exit(loop: int) -> int:
    """The end of a loop, to which `break` jumps, as a number below those of statements.

    Of such a number the loop.
    """
    return EPILOGUE - 1 - loop


def starts_of(mapped: MappedCode, shape: CodeShape, function: Function) -> dict[int, int | None]:
    """The statement, by number, that begins at offsets of a function's code.

    None where the code of some statement, or of none, begins, and it is not known of which.
    """
    inside = mapped.within(function.span)
    if not inside or not mapped.is_in_order:
        return {}
    return _Function(mapped, shape, FunctionCode(mapped, function, inside, {})).starts()


class _Function:
    """The statements of a function as a graph, and the segments of its code as another one."""

    def __init__(self, mapped: MappedCode, shape: CodeShape, code: FunctionCode) -> None:
        self.mapped = mapped
        self.shape = shape
        self.code = code
        self.function = code.function
        outline = mapped.source.outline
        self.statements: tuple[Statement, ...] = outline.statements if outline else ()
        self.own = [each for block in code.blocks for each in block.statements]
        self.kinds = {each.name: each.kind for each in code.function.variables}
        self.next: dict[int, set[int]] = defaultdict(set)
        self.branches: dict[int, tuple[set[int], set[int]]] = {}
        self._connect()

    def starts(self) -> dict[int, int | None]:
        entry = self._entry()
        if entry is None or not self.own:
            return {}
        segments = self.found = self._segments(entry)
        loops = [each for each in self.own if self._is_loop(each)]
        turns = [each for each in segments.values() if each.is_turn]
        if not all(map(self._may_turn, loops)) and len(turns) < len(loops):
            return {}
        readings = self._readings(segments)
        found: dict[int, set[int]] = defaultdict(set)
        for first, statement, _ in readings:
            found[first].add(statement)
        return {
            self.mapped.code[first].offset: self._only(found[first])
            for first, each in segments.items()
            if each.is_whole
        }

    @staticmethod
    def _only(statements: set[int]) -> int | None:
        [first, *others] = statements or {PROLOGUE}
        return first if not others and first >= 0 else None

    # The source

    def _connect(self) -> None:
        """Find which statements may follow each: `next`, and `branches` of each `if`."""
        self.inner: dict[int, list[int]] = defaultdict(list)
        for number, block in enumerate(self.code.blocks):
            if block.parent is not None:
                self.inner[block.parent].append(number)
        self.first = self._enter(0, {EPILOGUE}, None)
        self.next[PROLOGUE] = self.first

    def _enter(self, number: int, follow: set[int], loop: int | None) -> set[int]:
        """The statements that a block may begin with; `follow` are those after it."""
        after = follow
        for each in reversed(self.code.blocks[number].statements):
            after = self._begin(each, after, loop)
        return after

    def _begin(self, number: int, follow: set[int], loop: int | None) -> set[int]:
        """What may run first of a statement: itself, unless its code may be gone."""
        text = self.text(number)
        branches = self.inner[number]
        if text == "return":
            self.next[number] = {EPILOGUE}
            return {number, EPILOGUE}
        if LEAVES.match(text):
            return {number}
        if text in {"break", "continue"} and loop is not None:
            self.next[number] = {_exit(loop) if text == "break" else loop}
            return {number, *self.next[number]}
        if self.statements[number].is_compound and text.startswith(("if", "elif")):
            entered = [self._enter(each, follow, loop) for each in branches]
            chosen, otherwise = [*entered, follow, follow][:2]
            self.next[number] = chosen | otherwise
            self.branches[number] = chosen, otherwise
        elif self.statements[number].is_compound:
            self.next[number] = set(follow)
            for each in branches:
                self.next[number] |= self._enter(each, {number}, number)
        else:
            self.next[number] = set(follow)
        return {number}

    def _may_turn(self, loop: int) -> bool:
        """Whether there may be a second turn of a loop: others have no jump back."""
        reached, pending = {loop}, [loop]
        while pending:
            for each in self.next[pending.pop()]:
                if each == loop:
                    return True
                if each not in reached and self._is_inside(loop, each):
                    reached.add(each)
                    pending.append(each)
        return not self.inner[loop]

    def text(self, number: int) -> str:
        """The text of a statement."""
        return self.mapped.source.text_at(self.statements[number].whole)

    def _is_inside(self, compound: int, number: int) -> bool:
        if number < 0:
            return False
        start, end = self.statements[compound].whole
        whole = self.statements[number].whole
        return compound != number and start <= whole[0] and whole[1] <= end

    @cached_property
    def words(self) -> dict[int, set[str]]:
        """The names in each statement, without those inside it."""
        text_at = self.mapped.source.text_at
        found: dict[int, set[str]] = {PROLOGUE: set(), EPILOGUE: set()}
        for number in self.own:
            each = self.statements[number]
            parts = each.parts if each.is_compound else (each.whole,)
            texts = (TEXT_OR_COMMENT.sub("", text_at(part)) for part in parts)
            found[number] = {word for text in texts for word in WORD.findall(text)}
            if each.is_compound and self.text(number).startswith("for"):
                head = self.text(number).partition(":\n")[0]
                found[number] |= set(WORD.findall(head))
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
            is_plain = self._is_if(number) and "(" not in self._condition(number)
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
        kind = kind or self.kinds.get(target) or self._kind_in_storage(target)
        if MEMBERS.fullmatch(value) and value.startswith(("[", f"{kind}(")):
            return 1, value.count(",") + 2
        is_word = operator or SIMPLE_TYPE.fullmatch(kind)
        return (1, 1) if is_word and "(" not in value else None

    @cached_property
    def storage_kinds(self) -> dict[str, str]:
        """The types of storage variables, by name."""
        outline, text_at = self.mapped.source.outline, self.mapped.source.text_at
        texts = (text_at(each.span) for each in (outline.variables if outline else ()))
        return {found[1]: found[2] for text in texts if (found := DECLARED.fullmatch(text.strip()))}

    def _kind_in_storage(self, target: str) -> str:
        """The type of a storage variable, or of the values of a mapping; empty if not known."""
        path = STORED.fullmatch(target)
        kind = self.storage_kinds.get(path[1], "") if path else ""
        for _ in range(path[2].count("[")) if path else ():
            found = MAPPING.fullmatch(kind)
            kind = found[1] if found else ""
        return kind

    # The code

    def _entry(self) -> int | None:
        """The first instruction of the function, perhaps with those that choose it."""
        code, (start, end) = self.mapped.code, self.function.body
        in_body = [
            index
            for index in self.code.inside
            if (span := self.mapped.spans[index]) and start <= span[0] and span[1] <= end
            if span != self.function.span
        ]
        index = in_body[0] if in_body else self.code.inside[0]
        while index > 0:
            before = code[index - 1]
            if before.opcode in ENDS:
                break
            if before.opcode == JUMPI:
                target = self.mapped.pushed(index - 2)
                if target is not None and not self.mapped.reverts(target):
                    break
            if code[index].opcode == JUMPDEST and self.mapped.spans[index] == self.function.span:
                break
            index -= 1
        return index

    def _after(self, index: int) -> list[int]:
        """The instructions that may run after one, without those of failures and labels."""
        found = []
        for each in self.shape.after[index]:
            target = each
            if each != index + 1 and self._fails(each):
                continue
            for _ in self.mapped.code:
                following = self._passed(target)
                if following is None:
                    break
                target = following
            found.append(target)
        return found

    def _passed(self, index: int) -> int | None:
        """What runs after a label, or a jump that is no statement; None for other code."""
        code = self.mapped.code
        if index + 1 >= len(code):
            return None
        if code[index].opcode == JUMPDEST:
            return index + 1
        owner = self.mapped.owners[index]
        is_own = owner is not None and not self.statements[owner].is_compound
        is_jump = code[index + 1].opcode == JUMP and code[index + 1].jump != INTO
        is_own = is_own or self._jump_statement(index + 1) is not None
        return self.mapped.pushed(index) if is_jump and not is_own else None

    def _jump_statement(self, index: int) -> int | None:
        """The statement that only is the jump at an instruction; None if it is of another one.

        Optimizers redirect jumps, so that those of others lead there or its own one is gone.
        """
        span = self.mapped.spans[index]
        if span is None or self.mapped.code[index].opcode != JUMP or self.shape.is_optimized:
            return None
        source = self.mapped.source
        return source.find_owner(span) if source.text_at(span) in ONLY_JUMPS else None

    def _fails(self, label: int) -> bool:
        """Whether the code at a label is that of all failing checks."""
        code = self.mapped.code
        opcodes = []
        for each in code[label + 1 : label + 4]:
            opcodes.append(each.opcode)
            if each.opcode == REVERT:
                return all(opcode in PUSHES or opcode in DUPS for opcode in opcodes[:-1])
        return False

    def _segments(self, entry: int) -> dict[int, Segment]:
        """The segments by their first instructions."""
        code, heights = self.mapped.code, self.shape.heights
        while code[entry].opcode == JUMPDEST and entry + 1 < len(code):
            entry += 1
        self.entry = entry
        order, leaders = self._reached(entry)
        turns = self._turns(order)
        base = dict.fromkeys(order, heights[entry])
        for head, last in turns.items():
            base |= dict.fromkeys((each for each in order if head <= each <= last), heights[head])
        found: dict[int, Segment] = {}
        current: Segment | None = None
        for before, index in pairwise([-1, *order]):
            is_whole = heights[index] == base[index]
            if current is None or index in leaders or is_whole or index - 1 != before:
                current = found[index] = Segment(index, is_whole, index in turns)
            current.instructions.append(index)
        for segment in found.values():
            self._describe(segment)
        return found

    def _reached(self, entry: int) -> tuple[list[int], set[int]]:
        """The instructions of the function, and those of them to which jumps lead."""
        reached, pending, leaders = {entry}, [entry], {entry}
        while pending:
            index = pending.pop()
            after = self._after(index)
            if self.mapped.code[index].opcode in JUMPS or after != [index + 1]:
                leaders.update(after)
            for each in after:
                if each not in reached:
                    reached.add(each)
                    pending.append(each)
        return sorted(reached), leaders

    def _turns(self, order: Sequence[int]) -> dict[int, int]:
        """The first and the last instruction of the loops of the source, outer ones first."""
        code, heights = self.mapped.code, self.shape.heights
        back: dict[int, int] = {}
        for index in range(order[0], order[-1]):
            label = self.mapped.pushed(index)
            if label is not None and code[index + 1].opcode == JUMPI and label < index:
                back[label + 1] = index + 1
        reached = set(order)
        found: dict[int, int] = {}
        for head, last in sorted(back.items()):
            body = (each for each in order if head <= each <= last)
            size = sum(heights[each] == heights[head] for each in body)
            # One that is never reached is that of a loop whose first turn leaves it.
            if head in reached and (size > MAX_LOOP or last not in reached):
                found[head] = last
        return found

    def _describe(self, segment: Segment) -> None:
        mapped = self.mapped
        code = mapped.code
        last = segment.instructions[-1]
        segment.after = self._after(last)
        opcode = code[last].opcode
        segment.branches = opcode == JUMPI and len(segment.after) > 1
        segment.fails = opcode in FAILURES
        segment.ends = opcode in ENDS and not segment.after and not segment.fails
        opcodes = {code[each].opcode for each in segment.instructions}
        segment.stores = not opcodes.isdisjoint(STORES)
        segment.leaves = opcodes <= LEAVING
        owned = (mapped.owners[each] for each in segment.instructions)
        segment.owners = frozenset(
            each for each in (*owned, self._jump_statement(last)) if each is not None
        )
        named = (mapped.variable(each) for each in segment.instructions)
        segment.names = frozenset(each for each in named if each)

    # Both

    def _readings(self, segments: dict[int, Segment]) -> set[Reading]:
        """What segments may be code of, on paths from the beginning of the function to an end."""
        first = segments[self.entry]
        begin = {PROLOGUE, *self._plain(self.first)} if first.is_whole else {PROLOGUE}
        pending = [each for number in begin for each in self._reading(first, number, 0)]
        reached = set(pending)
        before: dict[Reading, list[Reading]] = defaultdict(list)
        while pending:
            reading = pending.pop()
            for each in self._following(reading, segments):
                before[each].append(reading)
                if each not in reached:
                    reached.add(each)
                    pending.append(each)
        pending = [each for each in reached if self._may_end(segments[each[0]], each[1])]
        found = set(pending)
        while pending:
            for each in before[pending.pop()]:
                if each not in found:
                    found.add(each)
                    pending.append(each)
        return found

    @staticmethod
    def _plain(statements: Iterable[int]) -> set[int]:
        return {each for each in statements if each >= EPILOGUE}

    def _reading(self, segment: Segment, statement: int, stores: int) -> Iterator[Reading]:
        """A segment as code of a statement that has so many with stores before, if it may be."""
        if not self._is_possible(segment, statement):
            return
        if statement not in self.stores:
            yield segment.first, statement, 0
        elif (count := stores + segment.stores) <= self.stores[statement][1]:
            yield segment.first, statement, count

    def _may_end(self, segment: Segment, statement: int) -> bool:
        if segment.fails:
            return True
        is_return = statement >= 0 and bool(LEAVES.match(self.text(statement)))
        return segment.ends and (is_return or statement == EPILOGUE)

    def _following(self, reading: Reading, segments: dict[int, Segment]) -> Iterator[Reading]:
        """The readings that may follow one."""
        first, statement, stores = reading
        segment = segments[first]
        is_complete = stores >= self.stores.get(statement, (0, 0))[0]
        for index in segment.after:
            after = segments.get(index)
            if after is None:
                continue
            if self._may_stay(segment, statement, after):
                yield from self._reading(after, statement, stores)
            for each in self._moves(segment, statement, after) if is_complete else ():
                yield from self._reading(after, each, 0)

    def _may_stay(self, segment: Segment, statement: int, after: Segment) -> bool:
        if not after.is_whole:
            return True
        if after.is_turn:
            return self._is_loop(statement)
        if self.stores.get(statement, (0, 0))[1] == 1 and segment.stores:
            return False
        if self._is_loop(statement):
            return not segment.is_turn
        if self._is_if(statement) and segment.branches:
            return bool(CHOOSES.search(self._condition(statement)))
        return True

    def _moves(self, segment: Segment, statement: int, after: Segment) -> Iterator[int]:
        """The statements that may begin with a segment after another one is complete."""
        is_if = self._is_if(statement)
        if segment.branches and not is_if and not self._is_loop(statement):
            return
        listed = self.next[statement]
        if segment.branches and is_if:
            listed = self._chosen(segment, statement, after)
        if not after.is_whole:  # only the end of a loop, which takes its words off the stack
            yield from (_exit(each) for each in listed if each < EPILOGUE)
        elif not after.is_turn and (segment.branches or not is_if):
            for each in self._plain(listed):
                if not self._is_loop(statement) or self._leads_to(segment, statement, each):
                    yield each

    def _leads_to(self, segment: Segment, loop: int, number: int) -> bool:
        """Whether a segment of a loop ends where a turn, or what is behind the loop, begins."""
        if self._is_inside(loop, number) or number == loop:
            return segment.is_turn
        return not segment.is_turn and not segment.is_whole

    def _chosen(self, segment: Segment, statement: int, after: Segment) -> set[int]:
        """The statements of an `if` to which the jump of its condition leads, or that follow it."""
        chosen, otherwise = self.branches[statement]
        blocks = [self.code.blocks[each] for each in self.inner[statement]]
        is_else_first = False
        if len(blocks) == 1:
            texts = [self.text(each) for each in blocks[0].statements]
            if len(texts) < 2 and set(texts) <= ONLY_JUMPS:
                return chosen | otherwise  # perhaps the jump was redirected
        elif self.shape.is_optimized:
            order = self._is_else_first(segment, blocks)
            if order is None:
                return chosen | otherwise
            is_else_first = order
        is_first = after.first == segment.after[0]
        return otherwise if is_first == is_else_first else chosen

    def _is_else_first(self, segment: Segment, blocks: list[Block]) -> bool | None:
        """Whether the second block follows the condition, by where its code has ranges."""
        middle = blocks[0].end
        found = set()
        for index, is_second in zip(segment.after, (False, True), strict=True):
            after = self.found.get(index)
            for owner in after.owners if after else ():
                start = self.statements[owner].whole[0]
                if self._is_within(owner, blocks):
                    found.add((start >= middle) != is_second)
        return found.pop() if len(found) == 1 else None

    def _is_within(self, number: int, blocks: list[Block]) -> bool:
        return any(number in each.statements for each in blocks)

    def _is_loop(self, number: int) -> bool:
        return number >= 0 and self.statements[number].is_compound and not self._is_if(number)

    def _is_if(self, number: int) -> bool:
        if number < 0 or not self.statements[number].is_compound:
            return False
        return self.text(number).startswith(("if", "elif"))

    def _condition(self, number: int) -> str:
        return self.mapped.source.text_at(self.statements[number].parts[0])

    def _is_possible(self, segment: Segment, statement: int) -> bool:
        """Whether a segment may be code of a statement by its ranges and variables."""
        if statement == PROLOGUE:
            return not segment.owners and not segment.names
        if statement == EPILOGUE:
            return not segment.owners and not segment.names and segment.leaves
        if segment.is_turn and not self._is_loop(statement):
            return False
        if segment.owners:
            return statement in segment.owners
        return segment.names <= self.words[statement]
