"""Which code of Vyper is of which statement, also where the compiler gives it no source range.

Vyper gives all uses of a local variable the range of the last one, and no range at all to some of
the code of a statement, so that some statements have none. But its older code generator emits the
statements of a function in the order of the source, and each leaves the stack as high as it was
before, two or more words higher in the body of a loop. So the code falls into segments, of which
each is code of one statement, or of several that the optimizer merged:

    outs.append(i)        PUSH, MLOAD, .., MSTORE, POP     range of `outs` somewhere, else none
    self.kept = outs      PUSH, MLOAD, .., SSTORE          one range, of `self.kept`
                          .., POP, POP                     none
    return outs           PUSH, DUP, .., RETURN            none, range of `outs`, of the function

Which one follows from the graph of the code and that of the source (`vyper_flow`): a segment may be
code of a statement if its ranges and the variables that it uses are, if a path of statements leads
to it from the beginning of the function, segment by segment, and one from it to the end.

`statements_of` says which are left for each segment: where it is one, it is code of that.
`counts_of` says how often they ran, from how often each instruction did: then only paths count on
which there is nothing that did not run. A statement of which nothing is left on these did not run.
One without which there is no path for something that ran did. The other code generator, Venom,
keeps no order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from devchain.contracts.coverage_report import UNKNOWN
from devchain.contracts.source_file import ONLY_JUMPS
from devchain.contracts.source_map import ENDS, INTO, JUMPS
from devchain.contracts.syntax_tree import Function
from devchain.contracts.vyper_code import (
    ALL_PUSHES,
    CALLDATASIZE,
    CALLVALUE,
    DUPS,
    INVALID,
    JUMP,
    JUMPDEST,
    JUMPI,
    MSTORE,
    POP,
    RETURN,
    REVERT,
    STOP,
    SWAPS,
    FileCode,
    VyperCode,
)
from devchain.contracts.vyper_flow import (
    CHOOSES,
    EPILOGUE,
    PROLOGUE,
    FunctionFlow,
    Move,
    Passed,
    exit_of,
)

FAILURES = frozenset({REVERT, INVALID})
STORES = frozenset({MSTORE, 0x53, 0x55, 0x5D, 0x5E, 0x37})
"""MSTORE, MSTORE8, SSTORE, TSTORE, MCOPY and CALLDATACOPY."""

COPIES = frozenset({0x37, 0x39, 0x5E})
"""CALLDATACOPY, CODECOPY and MCOPY, to which the optimizer merges copies of adjacent words."""

LEAVING = frozenset({POP, JUMP, JUMPDEST, STOP, RETURN, *ALL_PUSHES, *DUPS, *SWAPS})
"""Opcodes of what follows the last statement of a function."""

CONSTRUCTOR = "__init__"

MAX_LOOP = 3
"""Segments of a loop that copies an array: one that copies, two that count."""


@dataclass(slots=True)
class Segment:
    """Instructions from `first` on that are code of one statement, by index.

    `is_whole` says that the stack has the height there that it has between statements, `is_turn`
    that a turn of a loop begins with it, `branches` that it ends with a choice of the next, and
    `checks` that it ends with a jump to the code of all failing checks.
    """

    first: int
    is_whole: bool
    is_turn: bool
    instructions: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    branches: bool = False
    checks: bool = False
    ends: bool = False
    fails: bool = False
    stores: bool = False
    owners: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()
    copies: bool = False
    leaves: bool = False
    is_guard: bool = False

    @property
    def last(self) -> int:
        return self.instructions[-1]


Reading = tuple[int, int, int]
"""A segment, by its first instruction, as code of a statement.

With how many segments of it that store something there are so far, if it may not have any number.
"""

Edge = tuple[int | None, int]
"""From a segment, or the beginning, to one that may follow."""

Step = tuple[Reading | None, Reading, Passed]
"""From a reading, or the beginning, to one that may follow; with the statements passed between."""


class CodeOfStatement(NamedTuple):
    """Offsets of instructions that are code of one statement, or the prologue of its function.

    `source` is the id of the source, `statements` are the numbers of those which it may be, with
    `PROLOGUE` and `EPILOGUE`. `is_start` says whether it may begin there.
    """

    source: int
    function: Function
    offsets: list[int]
    statements: frozenset[int]
    is_start: bool


def statements_of(code: VyperCode) -> Iterator[CodeOfStatement]:
    """The statements that code is of, where that is understood."""
    for number, source in code.files.items() if code.is_in_order else ():
        file = FileCode(code, number)
        for function in source.functions.values():
            own = FunctionCode(file, function)
            for each, statements in own.statements():
                offsets = [code.code[index].offset for index in each.instructions]
                yield CodeOfStatement(number, function, offsets, statements, each.is_whole)


def counts_of(
    code: VyperCode,
    number: int,
    executions: Mapping[int, int],
    measured: Mapping[int, int],
    *,
    has_constructor: bool,
) -> dict[int, int]:
    """How often statements of a source ran, or `UNKNOWN`.

    `executions` are those of instructions by offset, `measured` the counts by their ranges. Which
    statements the result has does not depend on what ran: not `pass`, nor those of functions
    without code. `has_constructor` says whether the code of the constructor is in this code or, as
    before vyper 0.4, in one without a source map.
    """
    file = FileCode(code, number)
    executed = [executions.get(each.offset, 0) for each in code.code]
    found: dict[int, int] = {}
    for function in file.source.functions.values():
        each = FunctionCode(file, function)
        if each.inside:
            found |= each.counts(executed, measured)
        elif has_constructor if function.name == CONSTRUCTOR else file.may_have_code(function):
            found |= dict.fromkeys(each.flow.own, UNKNOWN)
    return found


class FunctionCode:
    """The code of a function in segments, and of which statements they may be.

    `inside` are the instructions with a range in it.
    """

    def __init__(self, code: FileCode, function: Function) -> None:
        self.code = code
        self.whole = code.whole
        self.function = function
        self.flow = FunctionFlow(code, function)
        self.inside = code.within(function.span)

    def statements(self) -> Iterator[tuple[Segment, frozenset[int]]]:
        """The segments with the statements that each may be code of; none if it is unknown."""
        found: dict[int, set[int]] = defaultdict(set)
        for first, statement, _ in self._on_paths(self.steps):
            found[first].add(statement)
        for first, each in self.segments.items() if self.steps else ():
            yield each, frozenset(found[first])

    # Segments

    @cached_property
    def entry(self) -> int | None:
        """The first instruction of the function, perhaps with those that choose it."""
        code, (start, end) = self.whole.code, self.function.body
        in_body = [
            index
            for index in self.inside
            if (span := self.code.spans[index]) and start <= span[0] and span[1] <= end
            if span != self.function.span
        ]
        if not self.inside:
            return None
        index = in_body[0] if in_body else self.inside[0]
        while index > 0:
            before = code[index - 1]
            if before.opcode in ENDS and before.jump != INTO:
                break
            if before.opcode == JUMPI:
                target = self.whole.pushed(index - 2)
                if target is not None and not self.whole.fails(target):
                    break
                if self.whole.compares_selector(index - 1):
                    break
            if code[index].opcode == JUMPDEST and self.code.spans[index] == self.function.span:
                break
            index -= 1
        while code[index].opcode == JUMPDEST and index + 1 < len(code):
            index += 1
        return index

    @cached_property
    def segments(self) -> dict[int, Segment]:
        """The segments by their first instructions."""
        heights = self.whole.heights
        if self.entry is None:
            return {}
        order, leaders = self._reached(self.entry)
        turns = self._turns(order)
        base = dict.fromkeys(order, heights[self.entry])
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

    def _after(self, index: int) -> list[int]:
        found = []
        for each in self.whole.after[index]:
            target = each
            if each != index + 1 and self.whole.fails(each):
                continue
            for _ in self.whole.code:
                following = self._passed(target)
                if following is None:
                    break
                target = following
            found.append(target)
        return found

    def _passed(self, index: int) -> int | None:
        code = self.whole.code
        if index + 1 >= len(code):
            return None
        if code[index].opcode == JUMPDEST:
            return index + 1
        owner = self.code.owners[index]
        is_own = owner is not None and not self.flow.statements[owner].is_compound
        is_jump = code[index + 1].opcode == JUMP and code[index + 1].jump != INTO
        is_own = is_own or self.code.jump_statement(index + 1) is not None
        return self.whole.pushed(index) if is_jump and not is_own else None

    def _reached(self, entry: int) -> tuple[list[int], set[int]]:
        reached, pending, leaders = {entry}, [entry], {entry}
        while pending:
            index = pending.pop()
            after = self._after(index)
            if self.whole.code[index].opcode in JUMPS or after != [index + 1]:
                leaders.update(after)
            for each in after:
                if each not in reached:
                    reached.add(each)
                    pending.append(each)
        return sorted(reached), leaders

    def _turns(self, order: Sequence[int]) -> dict[int, int]:
        code, heights = self.whole.code, self.whole.heights
        back: dict[int, int] = {}
        for index in range(order[0], order[-1]):
            label = self.whole.pushed(index)
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
        code = self.whole.code
        segment.after = self._after(segment.last)
        opcode = code[segment.last].opcode
        segment.branches = opcode == JUMPI and len(segment.after) > 1
        segment.checks = opcode == JUMPI and len(segment.after) == 1
        segment.fails = opcode in FAILURES
        segment.ends = opcode in ENDS and not segment.after and not segment.fails
        opcodes = {code[each].opcode for each in segment.instructions}
        segment.stores = not opcodes.isdisjoint(STORES)
        segment.copies = not opcodes.isdisjoint(COPIES)
        segment.leaves = opcodes <= LEAVING
        owned = (self.code.owners[each] for each in segment.instructions)
        segment.owners = frozenset(
            each for each in (*owned, self.code.jump_statement(segment.last)) if each is not None
        )
        # Checks of the value and of the size of the call data, before the first statement
        segment.is_guard = JUMPI in opcodes and not opcodes.isdisjoint({CALLVALUE, CALLDATASIZE})
        named = (
            self.code.variable(each) or self.whole.called(each) for each in segment.instructions
        )
        segment.names = frozenset(each for each in named if each)

    @cached_property
    def _failing(self) -> frozenset[int]:
        found: set[int] = set()
        for first, each in sorted(self.segments.items(), reverse=True):
            if each.fails or (each.after and found.issuperset(each.after)):
                found.add(first)
        return frozenset(found)

    # Readings

    @cached_property
    def steps(self) -> list[Step]:
        """The steps on paths from the beginning of the function; none if it is not understood."""
        flow, segments = self.flow, self.segments
        if self.entry is None or not flow.own or not self.whole.is_in_order:
            return []
        loops = [each for each in flow.own if flow.is_loop(each) and not flow.is_removed(each)]
        turns = [each for each in segments.values() if each.is_turn]
        if not all(map(flow.may_turn, loops)) and len(turns) < len(loops):
            return []
        first = segments[self.entry]
        begin: set[Move] = {(PROLOGUE, ())}
        if first.is_whole:
            begin |= {each for each in flow.first if each[0] >= EPILOGUE}
        found: list[Step] = [
            (None, reading, passed)
            for statement, passed in begin
            for reading in self._reading(first, statement, 0)
        ]
        pending = list({reading for _, reading, _ in found})
        reached = set(pending)
        while pending:
            reading = pending.pop()
            for each, passed in self._following(reading):
                found.append((reading, each, passed))
                if each not in reached:
                    reached.add(each)
                    pending.append(each)
        return found

    def _on_paths(self, steps: Iterable[Step], ended: Collection[int] = ()) -> set[Reading]:
        # `ended` are the segments in which an execution ended, by a failure.
        after: dict[Reading | None, list[Reading]] = defaultdict(list)
        before: dict[Reading | None, list[Reading]] = defaultdict(list)
        for one, other, _ in steps:
            after[one].append(other)
            if one is not None:
                before[other].append(one)
        reached = _reachable(after[None], after)
        ends = [each for each in reached if each[0] in ended or self._may_end(each)]
        return _reachable(ends, before) & reached

    def _reading(self, segment: Segment, statement: int, stores: int) -> Iterator[Reading]:
        if not self._is_possible(segment, statement):
            return
        limits = self.flow.stores.get(statement)
        if limits is None:
            yield segment.first, statement, 0
        elif (count := stores + segment.stores) <= limits[1]:
            yield segment.first, statement, count

    def _is_possible(self, segment: Segment, statement: int) -> bool:
        if statement == PROLOGUE:
            return not segment.owners and not segment.names
        if statement == EPILOGUE:
            return not segment.owners and not segment.names and segment.leaves
        if segment.is_turn and not self.flow.is_loop(statement):
            return False
        if segment.owners:
            return statement in segment.owners
        if segment.is_guard and self.flow.words[statement].isdisjoint({"msg"}):
            return False
        return segment.names <= self.flow.words[statement]

    def _may_end(self, reading: Reading) -> bool:
        segment, statement = self.segments[reading[0]], reading[1]
        is_end = statement == EPILOGUE or self.flow.leaves(statement)
        return (segment.fails and self.flow.may_fail(statement)) or (segment.ends and is_end)

    def _following(self, reading: Reading) -> Iterator[tuple[Reading, Passed]]:
        first, statement, stores = reading
        segment = self.segments[first]
        is_complete = stores >= self.flow.stores.get(statement, (0, 0))[0]
        for index in segment.after:
            after = self.segments[index]
            if self._may_stay(segment, statement, after):
                for each in self._reading(after, statement, stores):
                    yield each, ()
                    # A turn of a loop may have no code of the statements inside.
                    yield from ((each, passed) for passed in self.flow.empty_turns(statement))
            for number, passed in self._moves(segment, statement, after) if is_complete else ():
                for each in self._reading(after, number, 0):
                    yield each, passed

    def _may_stay(self, segment: Segment, statement: int, after: Segment) -> bool:
        flow = self.flow
        if not after.is_whole:
            return True
        if after.is_turn:
            return flow.is_loop(statement)
        if flow.stores.get(statement, (0, 0))[1] == 1 and segment.stores:
            return False
        if flow.is_loop(statement):
            return not segment.is_turn
        if flow.is_if(statement) and segment.branches:
            return bool(CHOOSES.search(flow.condition(statement)))
        return True

    def _moves(self, segment: Segment, statement: int, after: Segment) -> Iterator[Move]:
        is_if, is_loop = self.flow.is_if(statement), self.flow.is_loop(statement)
        is_check = not self._failing.isdisjoint(segment.after)
        if segment.branches and not (is_if or is_loop or is_check):
            return
        moves = self.flow.next[statement]
        is_choice = segment.branches
        if segment.branches and is_if:
            moves = self._chosen(segment, statement, after)
        elif segment.checks and is_if and self.flow.raises(statement):
            is_choice, moves = True, self.flow.raises(statement)
        is_merged = segment.copies and self.flow.is_copy(statement)
        for number, passed in moves:
            if not is_merged and any(map(self.flow.is_copy, passed)):
                continue
            if number < EPILOGUE:  # the end of a loop, which takes its words off the stack
                if not after.is_whole:
                    yield exit_of(number), passed
            elif (
                after.is_whole
                and not after.is_turn
                and (is_choice or not is_if)
                and (not is_loop or self._leads_to(segment, statement, number))
                and (not after.fails or self.flow.may_only_fail(number))
            ):
                yield number, passed

    def _leads_to(self, segment: Segment, loop: int, number: int) -> bool:
        if self.flow.is_inside(loop, number) or number == loop:
            return segment.is_turn
        return not segment.is_turn and not segment.is_whole

    def _chosen(self, segment: Segment, statement: int, after: Segment) -> set[Move]:
        chosen, otherwise = self.flow.branches[statement]
        blocks = self.flow.inner[statement]
        if len(blocks) == 1:
            texts = [self.flow.text(each) for each in blocks[0].statements]
            if len(texts) < 2 and set(texts) <= ONLY_JUMPS - {"raise"}:
                return chosen | otherwise  # perhaps the jump was redirected
        orders = [(chosen, otherwise), (otherwise, chosen)]
        if len(blocks) == 1 or not self.whole.is_optimized:
            orders = orders[:1]
        elif len(fitting := [each for each in orders if self._fits(segment, each)]) == 1:
            orders = fitting
        place = int(after.first != segment.after[0])
        return set().union(*(each[place] for each in orders))

    def _fits(self, segment: Segment, order: tuple[set[Move], set[Move]]) -> bool:
        return all(
            any(number < EPILOGUE or self._is_possible(after, number) for number, _ in moves)
            for moves, after in zip(order, map(self.segments.get, segment.after), strict=True)
            if after
        )

    # How often statements ran

    def counts(self, executed: Sequence[int], measured: Mapping[int, int]) -> dict[int, int]:
        """How often each statement ran, or `UNKNOWN`, by how often each instruction did."""
        own = [each for each in self.flow.own if not self.flow.is_removed(each)]
        ran = self.entry is None or any(executed[each] for each in (self.entry, *self.inside))
        if self.whole.is_in_order and not ran:
            return dict.fromkeys(own, 0)
        found = self._counts_on_paths(executed)
        if found is None:
            return self._counts_by_others(own, executed, measured)
        for number in own:
            by_range = measured.get(number, 0)
            # Instructions of a simple statement may be a loop that copies an array.
            if by_range and (found[number] <= 0 or self.flow.statements[number].is_compound):
                found[number] = by_range
        return {number: found[number] for number in own}

    def _counts_on_paths(self, executed: Sequence[int]) -> dict[int, int] | None:
        if not self.steps or self.entry is None:
            return None
        edges = [(first, after) for first, each in self.segments.items() for after in each.after]
        times = {edge: self._times(executed, *edge) for edge in [(None, self.entry), *edges]}
        ended = self._ended(executed, times)
        ran = [each for each in self.steps if times[_edge(each)] != 0]
        live = self._on_paths(ran, ended)
        ran = [each for each in ran if each[1] in live and (each[0] is None or each[0] in live)]
        begun: dict[Edge, list[set[int]]] = defaultdict(list)
        for each in ran:
            begun[_edge(each)].append(_begun(each))
        if any(count and edge not in begun for edge, count in times.items()):
            return None
        always = {edge: set.intersection(*each) for edge, each in begun.items()}
        perhaps = {edge: set.union(*each) for edge, each in begun.items()}
        found = {}
        for number in self.flow.own:
            possible = [edge for edge, each in perhaps.items() if number in each]
            certain = sum(times[edge] or 0 for edge in possible if number in always[edge])
            if possible and not certain:
                others = [each for each in ran if number not in _begun(each)]
                is_needed = self._is_incomplete(others, ended, times)
                known = [count for edge in possible if (count := times[edge])]
                certain = min(known) if is_needed and known else UNKNOWN
            found[number] = certain
            parent = self.flow.block_of[number].parent
            is_reached = parent is not None and found[parent] != 0
            if not possible and self.flow.text(number) == "raise" and is_reached:
                # Perhaps the jump of the condition leads to the code of all failing checks.
                found[number] = UNKNOWN if ended else 0
        return found

    def _ended(self, executed: Sequence[int], times: Mapping[Edge, int | None]) -> set[int]:
        found = set()
        for first, each in self.segments.items():
            ran = [times[first, after] for after in {*each.after}] or [executed[each.last]]
            if None in ran or executed[first] > sum(count or 0 for count in ran):
                found.add(first)
        return found

    def _is_incomplete(
        self, steps: list[Step], ended: set[int], times: Mapping[Edge, int | None]
    ) -> bool:
        live = self._on_paths(steps, ended)
        left = {_edge(each) for each in steps if each[1] in live}
        return any(count and edge not in left for edge, count in times.items())

    def _times(self, executed: Sequence[int], first: int | None, after: int) -> int | None:
        if first is None:
            return executed[after]
        segment = self.segments[first]
        times = executed[segment.last]
        if segment.branches and len({*segment.after}) > 1:
            fell = self._fell(executed, segment.last)
            if fell is None:
                return None if times and executed[after] else 0
            times = fell if after == segment.after[0] else times - fell
        return max(0, min(times, executed[after]))

    def _fell(self, executed: Sequence[int], jump: int) -> int | None:
        code, times = self.whole.code, executed[jump + 1]
        for push in self.whole.references.get(jump + 1, ()):  # of those that jump there
            opcode = code[push + 1].opcode if push + 2 < len(code) else STOP
            if opcode not in JUMPS or (opcode == JUMPI and code[push + 2].opcode == JUMPDEST):
                return None
            times -= executed[push + 1] - (executed[push + 2] if opcode == JUMPI else 0)
        return times

    def _counts_by_others(
        self, own: list[int], executed: Sequence[int], measured: Mapping[int, int]
    ) -> dict[int, int]:
        missing = [each for each in own if each not in measured]
        is_in_order = self.whole.is_in_order
        # Of a function that Venom inlined a part may have run that no instruction has a range in.
        if not any(executed[index] for index in self.inside) and (is_in_order or not any(executed)):
            return dict.fromkeys(missing, 0)
        found = dict.fromkeys(missing, UNKNOWN)
        for number in reversed(missing):
            found[number] = self._by_what_follows(number, executed, found)
        if not is_in_order:
            return found | dict.fromkeys(self._perhaps_begun(own, executed, measured), UNKNOWN)
        for number in missing:
            before = self.flow.sibling(number, -1), self.flow.block_of[number].parent
            if 0 in [{**measured, **found}.get(each) for each in before if each is not None]:
                found[number] = 0 if found[number] == UNKNOWN else found[number]
        return found

    def _perhaps_begun(
        self, own: list[int], executed: Sequence[int], measured: Mapping[int, int]
    ) -> Iterator[int]:
        # Statements of Venom's code that may have run though none of their instructions did.
        # They are behind one that ran, or the first ones, and may have failed at once, or call what
        # was inlined.
        code = self.whole.code
        failed = any(
            executed[index] for index in range(len(code)) if code[index].opcode in FAILURES
        )
        internal = {each.own_name for each in self.code.internal_functions}
        entered = any(executed[index] for index in self.inside)
        reached: set[int] = set()
        for number in own:
            before = self.flow.sibling(number, -1)
            before = self.flow.block_of[number].parent if before is None else before
            if before is None or measured.get(before, int(before in reached)):
                reached.add(number)
            calls = entered and not internal.isdisjoint(self.flow.words[number])
            if number in reached and measured.get(number) == 0 and (failed or calls):
                yield number

    def _by_what_follows(
        self, number: int, executed: Sequence[int], found: Mapping[int, int]
    ) -> int:
        after = self.flow.sibling(number, 1)
        if after is not None:
            own = self.code.owned.get(after)
            count = executed[own[0]] if own else found.get(after, UNKNOWN)
            return count if count > 0 else UNKNOWN
        if not self._is_only_return(number):
            return UNKNOWN
        ends = [
            executed[index]
            for index in self.inside
            if self.whole.code[index].opcode == RETURN
            and self.code.spans[index] == self.function.span
        ]
        return sum(ends) if ends else UNKNOWN

    def _is_only_return(self, number: int) -> bool:
        # Whether a function ends in this statement only, unless it fails.
        texts = [self.flow.text(each) for each in self.flow.own]
        returns = [each for each in texts if each.startswith("return")]
        is_last = self.flow.blocks[0].statements[-1:] == [number]
        text = self.flow.text(number)
        return is_last and len(returns) == 1 and text.startswith("return") and text != "return"


def _reachable(
    begin: Iterable[Reading], edges: Mapping[Reading | None, list[Reading]]
) -> set[Reading]:
    found = set(begin)
    pending = list(found)
    while pending:
        for each in edges.get(pending.pop(), ()):
            if each not in found:
                found.add(each)
                pending.append(each)
    return found


def _edge(step: Step) -> Edge:
    before, after, _ = step
    return None if before is None else before[0], after[0]


def _begun(step: Step) -> set[int]:
    before, after, passed = step
    is_same = before is not None and before[1] == after[1]
    return {*passed} if is_same else {*passed, after[1]}
