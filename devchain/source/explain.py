"""Finding where in the source an execution failed: paths of frames become source traces.

The offset at which a message ended has a place in the compiler's source map, if it is code of a
statement. Otherwise the path is followed backwards, through the jumps that led there:

    Vault.sol:17   amount - fee        jump into code of the compiler (i)
    no source      checked subtraction jump
    no source      REVERT              the message ended here

The nearest place before is that of the statement, in the same internal function or, if the
compiler's code was called as one, in its caller. Optimizers merge equal blocks of code, so that the
place of such a block may be that of another statement: these count as having none. What is left
open is found by the reason (`failing_statements`), else the place is near.

With solc's optimizer and viaIR what the compiler generated has the range of the whole contract, and
the nearest place before may be that of a statement whose check has passed: it is near.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

from devchain.contracts.names import Names, unknown_function
from devchain.contracts.source_map import INTO, OUT_OF
from devchain.contracts.storage_names import Layout, StorageNames
from devchain.contracts.syntax_tree import Function
from devchain.evm.revert_reasons import panic_code
from devchain.source.failing_statements import (
    ASSERTION,
    Candidate,
    Failure,
    find_calling,
    find_failing,
    may_call_failing,
    may_fail,
)
from devchain.source.map import CodeMap, Confidence, Position
from devchain.source.refusals import refusal
from devchain.source.source_trace import CONTEXT, MAX_LINES, SourceFrame
from devchain.source.values import (
    Machine,
    internal_arguments,
    local_values,
    vyper_arguments,
    words_of_arguments,
)
from devchain.tracing.frames import DELEGATECALL, Frame
from devchain.tracing.path_recorder import InternalCall, Path, Stop

REQUIREMENT = re.compile(r"(require|assert)\b")
INVALID_OPCODE, EXTCODESIZE = 0xFE, 0x3B
SETTLED = frozenset({0xFD, INVALID_OPCODE})
"""REVERT and INVALID: what the stack has there, jumps before have left."""

KEYS = re.compile(r'\[(?:"(?:\\.|[^"\\])*"|[^]"])*\]| \(\w+\)$')
"""What names of storage variables have beside names: keys, indices, and `(length)`."""

MAX_DISTANCE = 16
"""Instructions without a position before one that counts to the last that has one."""

JUMPI = 0x57
ASSEMBLY = re.compile(r"assembly\b")
FAILING_WORDS = {0xFD: re.compile(r"\brevert\s*\("), 0xFE: re.compile(r"\binvalid\s*\(")}
"""What assembly has for REVERT and INVALID."""

DEFAULTS = frozenset({"fallback", "receive"})
"""Kinds of functions that take the calls for which there is no other."""

ENTRY_NOTE = "checks of the compiler, before the function"


@dataclass(frozen=True, slots=True)
class Place:
    """A function on the path to a failure, and where in it; `call` is the jump that entered it."""

    position: Position
    function: Function | None
    call: InternalCall | None = None
    confidence: Confidence = Confidence.EXACT
    note: str = ""

    @property
    def is_near(self) -> bool:
        """Whether it is the nearest location that is known, and perhaps not the right one."""
        return self.confidence is Confidence.NEAR


def _confidence(*, is_near: bool) -> Confidence:
    return Confidence.NEAR if is_near else Confidence.EXACT


@dataclass(frozen=True, slots=True)
class _Found:
    """A position on a path, and how many internal functions below its own were left for it.

    It is doubtful if code ran after it whose position is not known, near if it may be that of the
    statement before.
    """

    position: Position | None
    left: int = 0
    is_doubtful: bool = False
    is_near: bool = False


def trace_frames(top: Frame, names: Names) -> tuple[SourceFrame, ...]:
    """The functions from that of a failed frame to the origin of the failure."""
    failing = failing_frames(top)
    return tuple(
        each
        for frame, child in zip_longest(failing, failing[1:])
        for each in _source_frames(frame, names, child)
    )


def failing_frames(top: Frame) -> list[Frame]:
    """A failed frame, the call whose failure it passed on, and so on to the failure's origin."""
    frames = [top]
    while child := passed_on(frames[-1]):
        frames.append(child)
    return frames


def source_frames(frame: Frame, names: Names) -> list[SourceFrame]:
    """The functions in which a failed message was, those whose place is known."""
    if frame.path is None:
        return []
    return [
        source_frame
        for source_frame in _source_frames(frame, names, passed_on(frame))
        if source_frame.path
    ]


def place_of(frame: Frame, names: Names) -> Place | None:
    """Where in its source a frame failed, or made the call that failed in its place."""
    places = _places(frame, names, passed_on(frame))
    return places[-1] if places else None


def site_of(frame: Frame) -> Position | None:
    """Where the caller of a frame sent its message."""
    return _find(frame.call_site).position if frame.call_site else None


def passed_on(frame: Frame) -> Frame | None:
    """The call whose failure a failed frame passed on; None if it failed by itself."""
    last = frame.calls[-1] if frame.calls else None
    if last is None or not last.failure or last.precompiled or not frame.failure:
        return None
    if frame.output:
        return last if last.output == frame.output else None
    if last.path is None and passed_on(last) is None:
        return None
    if last.kind == DELEGATECALL and frame.reverted and last.reverted:
        return last
    if frame.path is None or last.call_site is None:
        return None
    return last if _is_of_call(frame.path, last.call_site) else None


def _is_of_call(path: Path, call_site: Stop) -> bool:
    found, site = _find(path.stop()), _find(call_site).position
    end = found.position
    if end is None or site is None or end.file is not site.file:
        return False
    if end.span == site.span and not found.is_doubtful:
        return True
    is_same = end.statement == site.statement and end.statement is not None
    refuses = not end.file.is_vyper and REQUIREMENT.match(end.of_statement.text)  # what it returned
    return is_same and not refuses


# Frames


def _source_frames(frame: Frame, names: Names, child: Frame | None = None) -> Iterator[SourceFrame]:
    places = _places(frame, names, child)
    is_creation = frame.is_creation
    contract = names.created(frame.input) if is_creation else names.contract(frame.to)
    label = contract or names.address_text(frame.to)
    if not places:
        yield SourceFrame(label, _called(frame, names), _arguments(frame, names))
        return
    for number, each in enumerate(places):
        function, values = each.function, _values(each, frame, names, child, is_first=number == 0)
        arguments = None
        if each.call is None and number == 0:
            if not _is_constructor_of_base(frame, function):
                arguments = _arguments(frame, names, function)
        elif function and function.kind != "modifier":
            arguments = _internal_arguments(each, frame, names, child)
        described = _source_frame(each, label, _called(frame, names), arguments)
        if child is None and number == len(places) - 1:
            values = (*_storage_values(each, frame, names), *values)
        yield replace(described, values=values) if values else described


def _source_frame(place: Place, contract: str, called: str, arguments: str | None) -> SourceFrame:
    position, function = place.position, place.function
    file, line = position.file, position.line
    last = line if place.is_near else min(position.last_line, line + MAX_LINES - 1)
    end = max(position.span[0], position.span[1] - 1)
    if file.outline is None:  # which function of the contract it is, is not known
        called, arguments = "", None
    return SourceFrame(
        contract=(function and (function.contract or position.module)) or contract,
        function=function.own_name if function else called,
        arguments=arguments,
        kind=function.kind if function else "",
        path=position.path,
        line=line,
        column=position.column,
        end_line=file.line(end),
        end_column=file.column(end) + 1,
        confidence=place.confidence,
        note=place.note,
        lines=tuple(
            (number, file.text_of_line(number))
            for number in range(max(1, line - CONTEXT), last + 1)
        ),
    )


def _called(frame: Frame, names: Names) -> str:
    if frame.is_creation:
        return "constructor"
    return _function(frame, names).partition("(")[0]


def _function(frame: Frame, names: Names) -> str:
    if names.lacks(frame.to, frame.input):
        return unknown_function(frame.input)
    return names.function(frame.to, frame.input)


def _arguments(frame: Frame, names: Names, function: Function | None = None) -> str | None:
    # A function that takes calls of any other, such as a proxy's, has none of what it is called
    # with.
    is_creation = frame.is_creation
    text = names.creation(frame.input) if is_creation else _function(frame, names)
    called, parenthesis, rest = text.partition("(")
    if function and function.kind in DEFAULTS and called not in DEFAULTS:
        return ""
    return rest.removesuffix(")") if parenthesis else None


def _is_constructor_of_base(frame: Frame, function: Function | None) -> bool:
    if frame.path is None or function is None or function.kind != "constructor":
        return False
    called = frame.path.code_map.called(frame.input)
    return called is None or called.function is not function


def _values(
    place: Place, frame: Frame, names: Names, child: Frame | None, *, is_first: bool
) -> tuple[tuple[str, str], ...]:
    path, call, function = frame.path, place.call, place.function
    if path and call is None and is_first:  # that which the message calls has been entered, too
        stop = child.call_site if child and child.call_site else path.stop()
        call = next(iter(stop.calls), None)
    if path is None or place.is_near or function is not place.position.function:
        return ()
    code_map = path.code_map
    is_settled = bool(child) or path.opcode in SETTLED or not code_map.artifact.optimized
    if not code_map.is_vyper and not is_settled:
        return ()  # optimized code computes in any order up to the next jump
    is_entered = (
        call is not None
        and function is not None
        and words_of_arguments(code_map, function, call) is not None
    )
    if not code_map.is_vyper and not is_entered:
        return ()
    memory = path.memory_at_call if child and code_map.is_vyper else path.memory
    height = call.height if call and is_entered else None
    machine = Machine(path.stack, memory, height, names.address)
    return tuple(local_values(code_map, place.position, machine))


def _storage_values(place: Place, frame: Frame, names: Names) -> Iterator[tuple[str, str]]:
    # For a statement that only fails the condition of the `if` that it is in has read them, too.
    path, statement = frame.path, place.position.whole_statement
    if path is None or place.is_near or statement.statement is None:
        return
    condition = statement.condition if statement.may_only_fail else None
    readers = [statement, condition] if condition else [statement]
    code_map = path.code_map
    first = _first_jump(path, readers)
    reads = {
        read.slot: (read, reader)
        for read in path.reads
        if read.jumps >= first and (reader := _reader(code_map, read.offset, readers))
    }
    layouts = [layout for layout in _layouts(path) if layout] if reads else []
    slots = [StorageNames([layout], path.preimages, names.address) for layout in layouts]
    for slot, (read, reader) in reads.items():
        described = next(filter(None, (each.describe(slot, read.value) for each in slots)), [])
        named = [each for each in described if _is_named(each[0], reader.code)]
        is_sure = code_map.exact_position(read.offset) is not None
        yield from named or (described if is_sure else [])


def _layouts(path: Path) -> Iterator[Layout | None]:
    running: Path | None = path
    while running:
        yield running.code_map.artifact.storage_layout
        running = running.delegating


def _is_named(variable: str, code: str) -> bool:
    # The last names are what variables that share a slot differ by.
    _, member, name = KEYS.sub("", variable).rpartition(".")
    before = r"\.\s*" if member else r"(?<![\w$])"
    return bool(re.search(rf"{before}{re.escape(name)}(?![\w$])", code))


def _first_jump(path: Path, statements: Sequence[Position]) -> int:
    for number, (offset, _) in enumerate(reversed(path.jumps)):
        at = path.code_map.exact_position(offset)
        if at and not any(_is_same_statement(at, statement) for statement in statements):
            return path.jumped - number
    return path.jumped - len(path.jumps)


def _reader(code_map: CodeMap, offset: int, statements: Sequence[Position]) -> Position | None:
    for backward in islice(code_map.backwards(offset, 0), MAX_DISTANCE):
        if at := code_map.exact_position(backward):
            return next(
                (statement for statement in statements if _is_same_statement(at, statement)), None
            )
    return None


def _internal_arguments(
    place: Place, frame: Frame, names: Names, child: Frame | None
) -> str | None:
    call, function, path = place.call, place.function, frame.path
    if call is None or function is None or path is None:
        return None
    code_map = path.code_map
    if code_map.is_vyper:
        memory = path.memory_at_call if child else path.memory
        found = vyper_arguments(code_map, function, memory, names.address)
        return ", ".join(found) if found or not function.parameters else None
    texts = internal_arguments(code_map, function, call, call.memory, names.address)
    return None if texts is None else ", ".join(texts)


# Places


def _places(frame: Frame, names: Names, child: Frame | None) -> list[Place]:
    if child is not None and child.call_site is not None:
        stop = child.call_site
    elif frame.path is not None:
        stop = frame.path.stop()
    else:
        return []
    return list(_Locator(frame, names, stop, fails=child is None).places())


@dataclass(frozen=True, slots=True)
class _Locator:
    """Finds the functions that were running at one point of a message."""

    frame: Frame
    names: Names
    stop: Stop
    fails: bool
    """Whether the message failed there, and did not pass on the failure of a call."""

    def places(self) -> Iterator[Place]:
        found = list(self._places())
        for place, below in zip_longest(found, found[1:]):
            is_own = below is not None and below.call and not self._is_function(below.call)
            if not (is_own and below and below.function is place.function):
                yield place if below else self._failed(place)

    def _failed(self, place: Place) -> Place:
        # All of a `require` that refused; of one whose condition failed itself what failed there.
        failure, position = self._failure, place.position
        whole = replace(place, position=position.of_statement)
        if failure is None:
            return place
        if failure.payload is None:
            return place if whole.position.text.startswith("require") else whole
        if panic_code(failure.payload) in {None, ASSERTION}:
            return whole
        if self.stop.code_map.has_calling_convention:
            return place
        # With optimizer and viaIR checks have no place, and that before may be another operand's.
        is_long = whole.position.line != whole.position.last_line
        return replace(whole, confidence=Confidence.NEAR) if is_long else whole

    def _is_function(self, call: InternalCall) -> bool:
        code_map = self.stop.code_map
        return code_map.is_vyper or code_map.function_at(call.target) is not None

    def _places(self) -> Iterator[Place]:
        stop, code_map = self.stop, self.stop.code_map
        called = code_map.called(self.frame.input)
        expected = called.function if called else None
        entered: InternalCall | None = None
        running: Function | None = None
        is_doubtful = False
        found = _find(stop, self._innermost(expected))
        kept = stop.calls[: len(stop.calls) - found.left]
        for number, call in enumerate(kept):
            site = _find(Stop(code_map, call.offset, kept[:number], call.jumps), expected)
            target = code_map.function_at(call.target)
            at = site.position if site.left == 0 else None
            if at and at.is_exact:
                yield from self._inlined(expected, entered, at)
                is_doubtful = site.is_doubtful
                yield Place(at, at.function, entered, _confidence(is_near=is_doubtful))
                entered, expected, running = call, target, at.function
            elif target:
                caller = expected if number else None
                calling = _calling(code_map, caller, target)
                if calling:
                    yield Place(calling, caller, entered)
                entered, expected = (call, target) if number or not called else (None, target)
        last = list(self._last(found, expected, entered, called, running))
        is_known = len(last) == 1 and last[0].function is running
        if running and is_known and not last[0].position.is_exact:
            return  # code of the compiler that the function called
        if last and is_doubtful and self.fails:  # merged functions may be called so
            last[-1] = replace(last[-1], confidence=Confidence.NEAR)
        yield from last

    def _innermost(self, called: Function | None) -> Function | None:
        targets = (self.stop.code_map.function_at(call.target) for call in self.stop.calls[::-1])
        return next((target for target in targets if target), called)

    def _last(
        self,
        found: _Found,
        expected: Function | None,
        entered: InternalCall | None,
        called: Position | None,
        running: Function | None,
    ) -> Iterator[Place]:
        code_map, position = self.stop.code_map, found.position
        if position and position.is_exact:
            is_other = self._is_of_other_failure(position)
            is_sure = not is_other and (not found.is_doubtful or self._must_have_failed(position))
            better = None
            if not (is_sure or found.is_near):
                better = self._nearest(found, None if is_other else position, expected or running)
            if better:
                position, is_sure = better
            elif not self.fails and position.file.is_vyper:
                position = position.whole_statement
            callers = list(self._inlined(expected, entered, position))
            is_guess = not (is_sure or code_map.has_calling_convention)
            yield from (
                replace(caller, confidence=Confidence.NEAR) if is_guess else caller
                for caller in callers
            )
            if is_sure and code_map.has_calling_convention:
                # of code that no known call leads to: the optimizer may have merged it with others
                is_sure = not any(caller.is_near for caller in callers)
            is_near = not better and (found.is_near or code_map.may_be_inlined(position))
            yield Place(
                position, position.function, entered, _confidence(is_near=is_near or not is_sure)
            )
            return
        start = code_map.position_of(expected) if expected else called
        is_entry = self.fails and bool(refusal(self.frame, self.names))
        if start is None and position is not None:
            is_known = position.function or code_map.creating
            start = position if is_known and not is_entry else code_map.whole
        start = start or position
        if start is None:
            return
        function = start.function
        better = self._better(function, None) if function and not is_entry else None
        if better:
            yield from self._inlined(expected, entered, better[0])
            yield Place(better[0], better[0].function, entered, _confidence(is_near=not better[1]))
            return
        note = ENTRY_NOTE if is_entry else ""
        is_near = (function is not None or found.is_near) and not is_entry
        yield Place(start, function, entered, _confidence(is_near=is_near), note)

    @property
    def _failure(self) -> Failure | None:
        if not self.fails:
            return None
        if self.frame.reverted:
            payload: bytes | None = self.frame.output
        elif self.frame.path and self.frame.path.opcode == INVALID_OPCODE:
            payload = None
        else:
            return None
        checks = self.frame.path.checks if self.frame.path else ()
        has_calls = bool(self.frame.calls) or any(check.opcode == EXTCODESIZE for check in checks)
        return Failure(payload, has_calls)

    def _is_of_other_failure(self, position: Position) -> bool:
        # With viaIR and the optimizer the maps give a REVERT that statements share to one of them.
        failure = self._failure
        return (
            failure is not None
            and failure.payload is not None
            and position.of_statement.may_only_fail
            and not self._may_fail(position, failure)
        )

    def _may_fail(self, position: Position, failure: Failure) -> bool:
        code_map, names = self.stop.code_map, self.names
        return may_fail(code_map, position, failure, names) or may_call_failing(
            code_map, position, failure, names
        )

    def _must_have_failed(self, position: Position) -> bool:
        # With optimizer and viaIR the last place that is known may be of a statement long before.
        is_known = self.stop.code_map.has_calling_convention and position.of_statement.may_only_fail
        return is_known and not self._is_of_other_failure(position)

    def _nearest(
        self, found: _Found, after: Position | None, expected: Function | None
    ) -> Candidate | None:
        # The statement that most probably failed, and whether it must be that one.
        position, failure, code_map = found.position, self._failure, self.stop.code_map
        running = (position and position.function) or expected
        if failure is None or code_map.has_calling_convention:
            better = self._better(running, after)
            if not better and running is not expected:
                better = self._better(expected, None)
            return better
        nearest = next(self._probable(found, after, expected, failure), None)
        return (nearest, False) if nearest else None

    def _probable(
        self, found: _Found, after: Position | None, expected: Function | None, failure: Failure
    ) -> Iterator[Position]:
        # That is the last one whose place is known, the next one behind the check that failed, the
        # next one in the source, and any of the function that was called.
        code_map, names = self.stop.code_map, self.names
        running = (found.position and found.position.function) or expected
        known = [each for each in (after, _behind(self.stop, found)) if each]
        if not failure.payload and (better := self._better(running, found.position)):
            known.insert(0, better[0])  # others may revert without a reason, these are to
        yield from (each for each in known if may_fail(code_map, each, failure, names))
        for function, start in ((running, found.position), (expected, None)):
            better = self._better(function, start)
            if better and self._may_fail(better[0], failure):
                yield better[0]
            first = max(function.body[0], start.span[0] if start else 0) if function else 0
            later = code_map.expressions(function) if function else ()
            yield from (
                each for each in later if each.span[0] >= first and self._may_fail(each, failure)
            )

    def _better(self, function: Function | None, after: Position | None) -> Candidate | None:
        if function is None:
            return None
        code_map, names = self.stop.code_map, self.names
        if not self.fails:
            child = self.frame.calls[-1]
            name = "new" if child.is_creation else names.function(child.to, child.input)
            calling = find_calling(code_map, function, name.partition("(")[0])
            return (calling, True) if calling else None
        failure = self._failure
        return find_failing(code_map, function, failure, names, after) if failure else None

    def _inlined(
        self, expected: Function | None, entered: InternalCall | None, position: Position
    ) -> Iterator[Place]:
        # That is a modifier, or a function that the optimizer inlined.
        inner = position.function
        if expected is None or inner is None or expected.span == inner.span:
            return
        start = self.stop.code_map.position_of(expected)
        if start is None:
            return
        span = next((span for name, span in expected.modifiers if name == inner.own_name), None)
        if span:
            yield Place(replace(start, span=span), expected, entered)
            return
        if expected.kind == inner.kind == "constructor":
            return  # that of a base contract, which runs before
        code_map = self.stop.code_map
        calling = find_calling(code_map, expected, inner.own_name)
        is_sure = calling is not None and not self._may_reach_otherwise(expected, inner)
        yield Place(calling or start, expected, entered, _confidence(is_near=not is_sure))

    def _may_reach_otherwise(self, outer: Function, inner: Function) -> bool:
        code_map = self.stop.code_map
        return any(
            each not in {outer, inner} and inner.own_name in code_map.names_in(each)
            for each in code_map.reachable(outer)
        )


def _calling(
    code_map: CodeMap, caller: Function | None, called: Function | None
) -> Position | None:
    return find_calling(code_map, caller, called.own_name) if caller and called else None


# Positions on a path


def _find(stop: Stop, within: Function | None = None) -> _Found:
    code_map = stop.code_map
    here = code_map.position(stop.offset)
    own = _of_instruction(stop, here, within) if here else None
    if own:
        return own
    is_doubtful = bool(here and here.is_exact)
    nearest: Position | None = None
    passed: list[int] = []
    for offset, left in _backwards(stop):
        passed.append(offset)
        position = code_map.position(offset)
        if position is None:
            continue
        if not position.is_exact:
            if nearest is None or (position.function and not nearest.function):
                nearest = position
        elif (
            left == 0 and within and position.function and not _reaches(code_map, within, position)
        ):
            is_doubtful = True  # code of another function that the optimizer merged with this one's
        elif code_map.is_merged(offset):
            if left == 0 and within and position.function is within:
                is_doubtful = is_doubtful or not code_map.has_calling_convention
                return _Found(position, left, is_doubtful)
            is_doubtful = True
        elif here and here.is_exact and _is_same_statement(here, position):
            return _Found(here, left)
        else:
            return _of_check(stop, passed, _Found(position, left, is_doubtful))
    return _Found(nearest, is_near=_ran_unknown_source(code_map, passed))


def _of_instruction(stop: Stop, here: Position, within: Function | None) -> _Found | None:
    if ASSEMBLY.match(here.text):
        return _in_assembly(stop, here)
    own = _own(stop, here, within) if here.is_exact else None
    return _Found(own) if own else None


def _in_assembly(stop: Stop, block: Position) -> _Found | None:
    # Via IR all code of a block of assembly has the range of the block.
    outline, opcode = block.file.outline, stop.code_map.code.template[stop.offset]
    if outline is None or opcode not in FAILING_WORDS:
        return None
    inside = [
        replace(block, span=statement.whole, statement=number)
        for number, statement in enumerate(outline.statements)
        if block.span[0] <= statement.whole[0] and statement.whole[1] <= block.span[1]
        if not statement.is_compound
    ]
    failing = [each for each in inside if FAILING_WORDS[opcode].search(each.code)]
    return _Found(failing[0], is_near=len(failing) > 1) if failing else None


def _behind(stop: Stop, found: _Found) -> Position | None:
    code_map: CodeMap = stop.code_map
    if 0 < found.left <= len(stop.calls):
        return code_map.up_to_exact(stop.calls[-found.left].offset)
    code = code_map.code.template
    checks = (each for each, left in _backwards(stop) if left == 0 and code[each] == JUMPI)
    check = next(checks, None)
    return None if check is None else code_map.up_to_exact(check)


def _of_check(stop: Stop, passed: list[int], found: _Found) -> _Found:
    # What was found, and whether it must be that of what failed behind it.
    # It is near that if code of a source that is not known ran after it. Of Vyper it is the
    # statement of the check that failed.
    if _ran_unknown_source(stop.code_map, passed):
        return replace(found, is_doubtful=True, is_near=True)
    if not stop.code_map.has_calling_convention:
        return replace(found, is_doubtful=True)
    if not stop.code_map.is_vyper or found.left:
        return found
    if not stop.code_map.is_in_order and found.position and found.position.is_compound:
        return replace(found, is_near=True)  # Venom gives no range to what is behind a condition
    return _of_vyper(stop, found) if _check_of(stop) in passed[:-1] else found


def _check_of(stop: Stop) -> int:
    return stop.jumps[-1][0] if stop.jumps else -1


def _of_vyper(stop: Stop, found: _Found) -> _Found:
    """The statement of a check of Vyper that has no range; `found` is that of code before it.

        y: uint256 = x        MSTORE                      range of the statement
        t: uint256 = z - y    MLOAD, MLOAD                ranges of `z` and `y`, perhaps elsewhere
                              SUB, GT, PUSH, JUMPI        no range: it fails here
                              MSTORE                      range of the statement

    It is exact if the code before the check and that behind it are of one statement.
    """
    before, behind = found.position, stop.code_map.up_to_exact(_check_of(stop))
    if before and behind and stop.code_map.is_in_order and _is_same_statement(before, behind):
        return found
    return replace(found, position=behind or before, is_near=True)


def _ran_unknown_source(code_map: CodeMap, passed: list[int]) -> bool:
    return any(code_map.is_of_unknown_source(each) for each in passed)


def _own(stop: Stop, here: Position, within: Function | None) -> Position | None:
    code_map = stop.code_map
    if (within is None or _reaches(code_map, within, here)) and not code_map.is_merged(stop.offset):
        return here
    return _guarded(stop, here)


def _guarded(stop: Stop, here: Position) -> Position | None:
    statement, code_map = here.whole_statement, stop.code_map
    if not stop.jumps or not statement.may_only_fail:
        return None
    offset = stop.jumps[-1][0]
    condition = code_map.exact_position(offset)
    if condition is None or condition.function is None:
        return None
    start, end = condition.span
    found = [
        each
        for each in code_map.statements(condition.function)
        if start < each.span[0] and each.span[1] <= end and each.text == statement.text
    ]
    return found[0] if len(found) == 1 else None


def _reaches(code_map: CodeMap, function: Function, position: Position) -> bool:
    if position.function is None:
        return True
    return position.function is function or position.function in code_map.reachable(function)


def _is_same_statement(one: Position, two: Position) -> bool:
    return one.file is two.file and one.statement == two.statement and one.statement is not None


def _backwards(stop: Stop) -> Iterator[tuple[int, int]]:
    # Internal functions that had returned are left out.
    code_map, last, level = stop.code_map, stop.offset, 0
    for offset, target in reversed(stop.jumps):
        if level <= 0:
            yield from ((backward, -level) for backward in code_map.backwards(last, target))
        kind = code_map.jumps.get(offset)
        if kind == INTO:
            level -= 1
        elif kind == OUT_OF or _is_return(code_map, offset, target):
            level += 1
        last = offset
    if level <= 0:
        first = last if stop.jumps else 0  # jumps before those that are kept are not known
        yield from ((backward, -level) for backward in code_map.backwards(last, first))


def _is_return(code_map: CodeMap, offset: int, target: int) -> bool:
    return code_map.jumps.get(target - 1) == INTO and offset not in code_map.fixed_jumps
