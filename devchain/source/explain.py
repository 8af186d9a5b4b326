"""Where in the source an execution failed: the paths of frames become source traces.

The offset at which a message ended has a location in the compiler's source map, if it is code of a
statement. Otherwise the path is followed backwards, through the jumps that led there. solc's
optimizer merges equal blocks of code and keeps the range of one of them: a location in optimized
code is exact only if its function may be running, the last check before it belongs to the same
statement, and no other statement has the same text. Where it is not and the reason is known, a
statement that fails for it is preferred: `require(paid, "pay first")`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

from devchain.contracts.code_map import CodeMap, Location, is_inside
from devchain.contracts.names import Names, unknown_function
from devchain.contracts.outline import Function
from devchain.contracts.source_map import INTO, OUT_OF
from devchain.contracts.storage_names import Layout, StorageNames
from devchain.evm.opcodes import Op
from devchain.evm.revert_reasons import ERROR_SELECTOR, decode_error_or_panic, panic_code
from devchain.source.refusals import refusal
from devchain.source.source_trace import CONTEXT, MAX_LINES, Confidence, SourceFrame
from devchain.source.values import Machine, internal_arguments, local_values, words_of_arguments
from devchain.tracing.frames import DELEGATECALL, Frame
from devchain.tracing.paths import InternalCall, Path, Stop

ENTRY_NOTE = "checks of the compiler, before the function"

REQUIREMENT = re.compile(r"(require|assert)\b")
UNCONDITIONAL = re.compile(r"(revert|raise|throw|invalid)\b")
"""Statements that fail without a check of their own."""

COMPUTED = re.compile(r"revert\s*\((?!\s*[\"'])")  # or that of assembly: with any payload
SETTLED = frozenset({Op.REVERT, Op.INVALID})  # the stack here is as earlier jumps left it
LOOP = re.compile(r"(for|while|do)\b")
ASSEMBLY = re.compile(r"assembly\b")
FAILING_WORDS: dict[int, re.Pattern[str]] = {
    Op.REVERT: re.compile(r"\brevert\s*\("),
    Op.INVALID: re.compile(r"\binvalid\s*\("),
}
"""How these opcodes are written in assembly blocks."""

DEFAULTS = frozenset({"fallback", "receive"})  # take the calls for which there is no other

KEYS = re.compile(r'\[(?:"(?:\\.|[^"\\])*"|[^]"])*\]| \(\w+\)$')
"""What follows a variable's name in the name of a slot: keys, indices, and `(length)`."""

MAX_DISTANCE = 16  # how many instructions back the nearest location may be


@dataclass(frozen=True, slots=True)
class RunningFunction:
    """A function on the path to a failure, and where in it; `call` is the jump that entered it."""

    location: Location
    function: Function | None
    call: InternalCall | None = None
    is_near: bool = False
    note: str = ""


def stack_trace(top: Frame, names: Names) -> tuple[SourceFrame, ...]:
    """The functions from that of a failed frame to the origin of the failure."""
    failing = failure_chain(top)
    return tuple(
        source_frame
        for frame, child in zip_longest(failing, failing[1:])
        for source_frame in _described_functions(frame, names, child)
    )


def failure_chain(top: Frame) -> list[Frame]:
    """A failed frame, the call whose failure it passed on, and so on to the failure's origin."""
    frames = [top]
    while child := propagated_call(frames[-1]):
        frames.append(child)
    return frames


def located_functions(frame: Frame, names: Names) -> list[SourceFrame]:
    """The functions in which a failed message was, those whose location is known."""
    frames = _described_functions(frame, names, propagated_call(frame)) if frame.path else ()
    return [source_frame for source_frame in frames if source_frame.path]


def innermost_function(frame: Frame, names: Names) -> RunningFunction | None:
    """The function in which a frame failed, or made the call that failed in its place."""
    functions = _running_functions(frame, names, propagated_call(frame))
    return functions[-1] if functions else None


def call_location(frame: Frame, within: Function | None = None) -> Location | None:
    """Where the caller of a frame sent its message, while a function was running."""
    return _nearest(frame.call_site, within).location if frame.call_site else None


def propagated_call(frame: Frame) -> Frame | None:
    """The call whose failure a failed frame passed on; None if it failed by itself."""
    last = frame.calls[-1] if frame.calls else None
    if last is None or not last.failure or last.precompiled or not frame.failure:
        return None
    if frame.output:
        return last if last.output == frame.output else None
    if last.path is None and propagated_call(last) is None:
        return None
    if last.kind == DELEGATECALL and frame.reverted and last.reverted:
        return last
    if frame.path is None:
        return None
    called = frame.path.code_map.called(frame.input)
    within = called.function if called else None
    end, site = _nearest(frame.path.stop(), within), call_location(last, within)
    return last if site and _is_of_call(end, site) else None


def _is_of_call(end: _Nearest, site: Location) -> bool:
    location = end.location
    if location is None:
        return False
    if location.file is site.file and location.span == site.span and not end.is_near:
        return True
    refuses = not location.file.is_vyper and REQUIREMENT.match(location.failing_statement.text)
    return location.is_same_statement(site) and not refuses  # else for what the call returned


# Frames of source traces


def _described_functions(frame: Frame, names: Names, child: Frame | None) -> Iterator[SourceFrame]:
    functions = _running_functions(frame, names, child)
    created = names.created(frame.input) if frame.is_creation else names.contract(frame.to)
    contract = created or names.address_text(frame.to)
    text = names.creation(frame.input) if frame.is_creation else _called(frame, names)
    called, _, rest = text.partition("(")
    message_arguments = rest.removesuffix(")") if rest else None
    called = "constructor" if frame.is_creation else called
    if not functions:
        yield SourceFrame(contract, called, message_arguments)
    for number, running in enumerate(functions):
        function, arguments = running.function, None
        if running.call is None and number == 0:
            if function and function.kind in DEFAULTS and called not in DEFAULTS:
                arguments = ""  # a proxy's function has none of what it is called with
            elif not _is_constructor_of_base(frame, function):
                arguments = message_arguments
        elif function and function.kind != "modifier":
            arguments = _internal_arguments(running, frame, names, child)
        values = _local_values(running, frame, names, child, is_first=number == 0)
        if child is None and number == len(functions) - 1:
            values = [*_storage_values(running, frame, names), *values]
        described = _described(running, contract, called, arguments)
        yield replace(described, values=tuple(values))


def _described(
    running: RunningFunction, contract: str, called: str, arguments: str | None
) -> SourceFrame:
    location, function = running.location, running.function
    file, line = location.file, location.line
    last = line if running.is_near else min(location.last_line, line + MAX_LINES - 1)
    end = max(location.span[0], location.span[1] - 1)
    return SourceFrame(
        contract=(function and (function.contract or location.module)) or contract,
        function=function.own_name if function else called,
        arguments=arguments,
        kind=function.kind if function else "",
        path=location.path,
        line=line,
        column=location.column,
        end_line=file.line(end),
        end_column=file.column(end) + 1,
        confidence=Confidence.NEAR if running.is_near else Confidence.EXACT,
        note=running.note,
        lines=tuple(
            (number, file.text_of_line(number))
            for number in range(max(1, line - CONTEXT), last + 1)
        ),
    )


def _called(frame: Frame, names: Names) -> str:
    if names.lacks(frame.to, frame.input):
        return unknown_function(frame.input)
    return names.function(frame.to, frame.input)


def _is_constructor_of_base(frame: Frame, function: Function | None) -> bool:
    if frame.path is None or function is None or function.kind != "constructor":
        return False
    called = frame.path.code_map.called(frame.input)
    return called is None or called.function is not function


def _internal_arguments(
    running: RunningFunction, frame: Frame, names: Names, child: Frame | None
) -> str | None:
    call, function, path = running.call, running.function, frame.path
    if call is None or function is None or path is None:
        return None
    memory = call.memory
    if path.code_map.is_vyper:
        memory = path.memory_at_call if child else path.memory
    known = internal_arguments(path.code_map, function, call, memory, names.address)
    return None if known is None else ", ".join(known)


def _local_values(
    running: RunningFunction, frame: Frame, names: Names, child: Frame | None, *, is_first: bool
) -> Sequence[tuple[str, str]]:
    path, call, function = frame.path, running.call, running.function
    if path is None or running.is_near or function is not running.location.function:
        return ()
    if call is None and is_first:  # the function that the message calls has been entered, too
        stop = child.call_site if child and child.call_site else path.stop()
        call = next(iter(stop.calls), None)
    code_map = path.code_map
    if code_map.is_vyper:
        memory = path.memory_at_call if child else path.memory
        machine = Machine(path.stack, memory, None, names.address)
        return local_values(code_map, running.location, machine)
    if code_map.is_optimized and not child and path.opcode not in SETTLED:
        return ()  # optimized code computes in any order up to the next jump
    if call is None or function is None or words_of_arguments(code_map, function, call) is None:
        return ()
    machine = Machine(path.stack, path.memory, call.height, names.address)
    return local_values(code_map, running.location, machine)


def _storage_values(
    running: RunningFunction, frame: Frame, names: Names
) -> Iterator[tuple[str, str]]:
    # For a statement that only fails the condition of the `if` that it is in has read them, too.
    path, statement = frame.path, running.location.simple_statement
    if path is None or running.is_near or statement.statement is None:
        return
    condition = statement.condition if statement.only_fails else None
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
        described = next(
            filter(None, (names_of.describe(slot, read.value) for names_of in slots)), []
        )
        named = [variable for variable in described if _is_named(variable[0], reader.code)]
        yield from named or (described if code_map.statement_location(read.offset) else [])


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


def _first_jump(path: Path, statements: Sequence[Location]) -> int:
    for number, (offset, _) in enumerate(reversed(path.jumps)):
        at = path.code_map.statement_location(offset)
        if at and not any(at.is_same_statement(statement) for statement in statements):
            return path.jumped - number
    return path.jumped - len(path.jumps)


def _reader(code_map: CodeMap, offset: int, statements: Sequence[Location]) -> Location | None:
    for backward in islice(code_map.backwards(offset, 0), MAX_DISTANCE):
        if at := code_map.statement_location(backward):
            return next(
                (statement for statement in statements if at.is_same_statement(statement)), None
            )
    return None


# Functions that were running


def _running_functions(frame: Frame, names: Names, child: Frame | None) -> list[RunningFunction]:
    if child is not None and child.call_site is not None:
        return _Locator(frame, names, child.call_site, fails=False).functions()
    if frame.path is not None:
        return _Locator(frame, names, frame.path.stop(), fails=child is None).functions()
    return []


@dataclass(frozen=True, slots=True)
class _Locator:
    frame: Frame
    names: Names
    stop: Stop
    fails: bool  # there itself, and did not pass on the failure of a call

    def functions(self) -> list[RunningFunction]:
        running = list(self._find())
        functions = [
            function
            for function, below in zip_longest(running, running[1:])
            if not (below and below.function is function.function and self._is_helper(below.call))
        ]
        if functions:
            functions[-1] = self._with_statement(functions[-1])
        return functions

    def _is_helper(self, call: InternalCall | None) -> bool:
        # Whether a call is of code that the compiler generated.
        code_map = self.stop.code_map
        is_known = call is None or code_map.is_vyper or code_map.function_at(call.target)
        return not is_known

    def _with_statement(self, running: RunningFunction) -> RunningFunction:
        # All of a `require` that refused; of one whose condition failed itself what failed there.
        failure, whole = self._failure, running.location.failing_statement
        if failure is None:
            return running
        if failure.payload is None:
            is_condition = whole.text.startswith("require")
        else:
            is_condition = panic_code(failure.payload) not in {None, ASSERTION}
            is_condition = is_condition and not self.stop.code_map.is_rearranged
        return running if is_condition else replace(running, location=whole)

    @property
    def _failure(self) -> FailureData | None:
        if not self.fails:
            return None
        if self.frame.reverted:
            payload: bytes | None = self.frame.output
        elif self.frame.path and self.frame.path.opcode == Op.INVALID:
            payload = None
        else:
            return None
        checks = self.frame.path.checks if self.frame.path else ()
        asks_for_code = any(check.opcode == Op.EXTCODESIZE for check in checks)
        return FailureData(payload, bool(self.frame.calls) or asks_for_code)

    def _find(self) -> Iterator[RunningFunction]:
        stop, code_map = self.stop, self.stop.code_map
        called = code_map.called(self.frame.input)
        expected = called.function if called else None
        entered: InternalCall | None = None
        caller: Function | None = None
        within, targets = expected, []
        for call in stop.calls:
            target = code_map.entered(call.target, within)
            targets.append(target)
            within = target or within
        end = _nearest(stop, within)
        kept = stop.calls[: len(stop.calls) - end.left]
        for number, (call, target) in enumerate(zip(kept, targets, strict=False)):
            site = _nearest(Stop(code_map, call.offset, kept[:number], call.jumps), expected)
            location, is_near = site.location, site.is_near
            calling = find_calling(code_map, expected, target) if target and number else None
            if calling and (site.is_near or location is None or not location.is_of_statement):
                location, is_near = calling, site.is_near or code_map.is_rearranged
            known = None if site.is_near else call  # else the code of an equal function may run
            if location and location.is_of_statement and site.left == 0:
                yield from self._inlined(expected, entered, location)
                caller = location.function
                yield RunningFunction(location, caller, entered, is_near)
                entered, expected = known, target
            elif target:
                entered, expected = (known, target) if number or not called else (None, target)
        last = list(self._last(end, expected, entered, called))
        is_own = len(last) == 1 and last[0].function is caller
        if caller is None or not is_own or last[0].location.is_of_statement:
            yield from last  # else it is code of the compiler that the function called

    def _last(
        self,
        end: _Nearest,
        expected: Function | None,
        entered: InternalCall | None,
        called: Location | None,
    ) -> Iterator[RunningFunction]:
        code_map, location = self.stop.code_map, end.location
        if location and location.is_of_statement:
            is_near = end.is_near
            is_other = code_map.is_optimized and self._has_other_reason(location)
            if is_other or (end.is_near and code_map.is_optimized):
                is_near = True
                running = location.function or expected
                better = self._by_reason(running, None if is_other else location)
                better = better or self._by_reason(expected, None)
                if better:
                    location, is_near = better
            elif not self.fails and code_map.is_vyper:
                location = location.simple_statement
            yield from self._inlined(expected, entered, location)
            yield RunningFunction(location, location.function, entered, is_near)
            return
        is_entry = self.fails and bool(refusal(self.frame, self.names))
        start = code_map.location_of(expected) or called
        if start is None and location is not None:
            is_known = location.function or code_map.creating
            start = location if is_known and not is_entry else code_map.whole
        start = start or location
        if start is None:
            return
        better = None if is_entry else self._by_reason(start.function, None)
        if better:
            location, is_near = better
            yield from self._inlined(expected, entered, location)
            yield RunningFunction(location, location.function, entered, is_near)
            return
        is_near = not is_entry and (start.function is not None or end.is_near)
        note = ENTRY_NOTE if is_entry else ""
        yield RunningFunction(start, start.function, entered, is_near, note)

    def _has_other_reason(self, location: Location) -> bool:
        # Whether it is a statement that only fails, and not for the reason of the failure.
        failure, statement = self._failure, location.failing_statement
        payload = failure.payload if failure else None
        if not payload or panic_code(payload) is not None or not statement.only_fails:
            return False
        if COMPUTED.match(statement.text):
            return False
        return not _pattern(payload, self.names).search(statement.text)

    def _by_reason(
        self, function: Function | None, after: Location | None
    ) -> tuple[Location, bool] | None:
        # With whether it is near.
        code_map = self.stop.code_map
        if function is None:
            return None
        if not self.fails:
            child = self.frame.calls[-1]
            name = "new" if child.is_creation else self.names.function(child.to, child.input)
            calling = find_calling(code_map, function, name.partition("(")[0])
            return (calling, code_map.is_rearranged) if calling else None
        if (failure := self._failure) is None:
            return None
        found = find_failing(code_map, function, failure, self.names, after)
        return (found[0], not found[1] or code_map.is_rearranged) if found else None

    def _inlined(
        self, expected: Function | None, entered: InternalCall | None, location: Location
    ) -> Iterator[RunningFunction]:
        # The function that uses a modifier, or calls one that the optimizer inlined.
        code_map, inner = self.stop.code_map, location.function
        start = code_map.location_of(expected)
        if start is None or expected is None or inner is None or expected.span == inner.span:
            return
        span = next((span for name, span in expected.modifiers if name == inner.own_name), None)
        is_near = code_map.is_rearranged
        if span:
            start = replace(start, span=span)
        elif expected.kind == inner.kind == "constructor":
            return  # that of a base contract, which runs before
        else:
            calling = find_calling(code_map, expected, inner)
            callers = [
                caller_of for caller_of in code_map.reachable(expected) if caller_of is not inner
            ]
            others = [other for other in callers if find_calling(code_map, other, inner)]
            if calling is None or others != [expected]:
                is_near = True
            start = calling or start
        yield RunningFunction(start, expected, entered, is_near)


# Locations on a path


@dataclass(frozen=True, slots=True)
class _Nearest:
    """The location of a point on a path, or the nearest before it that is known.

    `left` is how many internal functions below its own were left for it.
    """

    location: Location | None
    left: int = 0
    is_near: bool = False


def _nearest(stop: Stop, within: Function | None = None) -> _Nearest:
    code_map = stop.code_map
    here = code_map.location(stop.offset)
    if here and ASSEMBLY.match(here.text) and (found := _in_assembly(stop, here)):
        return found
    if here and here.is_of_statement and code_map.may_run(within, here):
        return _checked(stop, within, _Nearest(here))
    is_merged = bool(here and here.is_of_statement)  # with code of a function that does not run
    around: Location | None = None
    passed: list[int] = []
    for offset, left in _backwards(stop):
        passed.append(offset)
        location = code_map.location(offset)
        if location is None:
            continue
        if not location.is_of_statement:
            if around is None or (location.function and not around.function):
                around = location
        elif not code_map.may_run(within, location) and (code_map.is_optimized or not left):
            is_merged = True
        else:
            is_near = is_merged or any(map(code_map.is_of_unknown_source, passed))
            found = _Nearest(location, left, is_near)
            if is_near or not code_map.is_vyper:
                return _checked(stop, within, found)
            check = stop.jumps[-1][0] if stop.jumps else -1
            return _of_vyper(stop, found, check) if check in passed[:-1] and not left else found
    return _Nearest(around, is_near=any(map(code_map.is_of_unknown_source, passed)))


def _in_assembly(stop: Stop, block: Location) -> _Nearest | None:
    # Via IR all code of a block of assembly has the range of the block.
    opcode = stop.code_map.code.template[stop.offset]
    failing = [
        statement
        for number, each in enumerate(block.file.statements)
        if opcode in FAILING_WORDS and is_inside(each.whole, block.span) and not each.is_compound
        for statement in (replace(block, span=each.whole, statement=number),)
        if FAILING_WORDS[opcode].search(statement.code)
    ]
    is_near = len(failing) > 1 or stop.code_map.is_rearranged
    return _Nearest(failing[0], is_near=is_near) if failing else None


def _checked(stop: Stop, within: Function | None, found: _Nearest) -> _Nearest:
    """The location in optimized code, near if it may be that of another statement's equal code."""
    code_map, location = stop.code_map, found.location
    if location is None or not code_map.is_optimized or code_map.is_rearranged:
        return replace(found, is_near=found.is_near or code_map.is_rearranged)
    statement, running = location.simple_statement, within or location.function
    equal = [
        each
        for function in (code_map.reachable(running) if running else ())
        for each in code_map.expressions(function)
        if each.text == statement.text
    ]
    check = _last_check(stop, within)
    guard = check.statement_node if check and check.is_compound and len(equal) > 1 else None
    if guard:
        equal = [
            statement_of for statement_of in equal if is_inside(statement_of.span, guard.whole)
        ]
    fails = code_map.code.template[stop.offset] in SETTLED
    has_check = fails and not found.left and not UNCONDITIONAL.match(statement.text)
    if has_check and not (check and check.is_same_statement(location)):
        is_check = check is not None and check.failing_statement.only_fails
        return replace(found, location=check if is_check else location, is_near=True)
    if len(equal) != 1:
        is_near = len(equal) > 1 or _comes_from_later(stop, location)
        return replace(found, is_near=found.is_near or is_near)
    if equal[0].is_same_statement(location):
        is_near = found.is_near or _comes_from_later(stop, location)
        return replace(found, is_near=is_near and not guard)
    return replace(found, location=equal[0], is_near=not guard)


def _comes_from_later(stop: Stop, location: Location) -> bool:
    # Of equal blocks the first one is kept, to which those of later statements jump.
    loops = [
        each.whole
        for each in location.file.statements
        if each.is_compound and LOOP.match(location.file.text_at(each.whole))
        if is_inside(location.span, each.whole)
    ]
    for offset, left in _backwards(stop):
        before = None if left else stop.code_map.statement_location(offset)
        if before is None or before.function is not location.function:
            continue
        if not before.is_same_statement(location):
            is_loop = any(is_inside(before.span, loop) for loop in loops)
            return before.span[0] > location.span[0] and not is_loop
    return False


def _last_check(stop: Stop, within: Function | None) -> Location | None:
    # Of the conditional jumps of the function the last that has a location.
    code_map: CodeMap = stop.code_map
    for offset, left in _backwards(stop):
        if not left and code_map.code.template[offset] == Op.JUMPI:
            location = code_map.statement_location(offset)
            if location and code_map.may_run(within, location):
                return location
    return None


def _of_vyper(stop: Stop, found: _Nearest, check: int) -> _Nearest:
    """The statement of a check of Vyper that has no range; `found` is that of code before it.

        y: uint256 = x        MSTORE                      range of the statement
        t: uint256 = z - y    MLOAD, MLOAD                ranges of `z` and `y`, perhaps elsewhere
                              SUB, GT, PUSH, JUMPI        no range: it fails here
                              MSTORE                      range of the statement

    It is exact if the code before the check and that behind it are of one statement.
    """
    before, behind = found.location, stop.code_map.next_statement(check)
    if before and behind and before.is_same_statement(behind) and not found.is_near:
        return found
    return replace(found, location=behind or before, is_near=True)


def _backwards(stop: Stop) -> Iterator[tuple[int, int]]:
    # Internal functions that had returned are left out.
    code_map, last, level = stop.code_map, stop.offset, 0
    for offset, target in reversed(stop.jumps):
        if level <= 0:
            yield from ((backward, -level) for backward in code_map.backwards(last, target))
        kind = code_map.jumps.get(offset)
        is_return = code_map.jumps.get(target - 1) == INTO and offset not in code_map.fixed_jumps
        if kind == INTO:
            level -= 1
        elif kind == OUT_OF or is_return:
            level += 1
        last = offset
    if level <= 0:
        first = last if stop.jumps else 0  # jumps before those that are kept are not known
        yield from ((backward, -level) for backward in code_map.backwards(last, first))


# Statements that a failure or a call may come from, by its reason or its name

ASSERTION = 0x01
PANIC_STATEMENTS = {
    ASSERTION: re.compile(r"\bassert\b"),
    0x11: re.compile(r"[-+*/]"),
    0x12: re.compile(r"[/%]|\b(add|mul)mod\b"),
    0x21: re.compile(r"\b[A-Z]\w*\s*\("),
    0x31: re.compile(r"\.\s*pop\b"),
    0x32: re.compile(r"\[(?!\s*\])"),
    0x41: re.compile(r"\bnew\b|\.\s*\w+\s*(\{[^}]*\}\s*)?\("),
    0x51: re.compile(r"\w\s*\("),
}
"""What a statement contains that can fail with each of Solidity's panics.

`/` overflows with the lowest int256 and -1. Memory is allocated for what calls return and for what
`abi.decode` reads, too. Enums are known by the case of their names.
"""

BARE = re.compile(
    r"\brevert\s*\(\s*(0\s*,.*)?\)|\brequire\s*\([^\"']*\)\s*$|\braise\s*$|\bthrow\b"
    r"|\bassert\b[^\"']*$"
)
"""Statements that revert without a reason."""

INVALID = re.compile(r"\binvalid\s*\(|\bassert\b|\bUNREACHABLE\b")
CALL = re.compile(r"\.\w+\s*(\{[^}]*\}\s*)?\(")  # statements that call another contract


@dataclass(frozen=True, slots=True)
class FailureData:
    """How a message failed: its payload, None for an invalid opcode, and whether it made calls.

    A call that it was about to make counts, too.
    """

    payload: bytes | None
    has_calls: bool


def find_failing(
    code_map: CodeMap,
    function: Function,
    failure: FailureData,
    names: Names,
    after: Location | None,
) -> tuple[Location, bool] | None:
    """The statement that failed, in a function or in those it may call; None if several may have.

    With whether it must be that one. With `after`, the last location that is known to have run, it
    is that if it may have failed, else the nearest statement from there on.
    """
    payload = failure.payload
    pattern = INVALID if payload is None else _pattern(payload, names)
    found = list(_matching(code_map, function, pattern))
    if not found and payload == b"" and failure.has_calls:
        found = list(_matching(code_map, function, CALL))
    is_own = bool(payload) and panic_code(payload or b"") is None
    if not found and is_own:
        callees = code_map.reachable(function)
        found = [match for callee in callees for match in _matching(code_map, callee, pattern)]
    if not found and function.kind == "constructor":
        found = [value for value in code_map.initial_values() if pattern.search(value.text)]
    if after is None or not found:
        return (found[0], is_own) if len(found) == 1 else None
    if any(match.is_same_statement(after) for match in found):
        return after, len(found) == 1
    later = [match for match in found if match.span[0] >= after.span[0]]
    return (later[0], is_own and len(found) == 1) if later else None


def find_calling(
    code_map: CodeMap, function: Function | None, called: Function | str
) -> Location | None:
    """The only statement of a function that calls another, by its name; None without one."""
    name = called if isinstance(called, str) else called.own_name
    pattern = re.compile(rf"\b{re.escape(name)}\s*(\{{[^}}]*\}}\s*)?\(")
    found = list(_matching(code_map, function, pattern)) if function else []
    return found[0] if len(found) == 1 else None


def _matching(
    code_map: CodeMap, function: Function, pattern: re.Pattern[str]
) -> Iterator[Location]:
    for expression in code_map.expressions(function):
        if match := pattern.search(expression.code):
            yield expression if expression.only_fails else expression.starting_at(match.start())


def _pattern(payload: bytes, names: Names) -> re.Pattern[str]:
    if payload.startswith(ERROR_SELECTOR):
        return re.compile(rf"[\"']{re.escape(decode_error_or_panic(payload))}[\"']")
    code = panic_code(payload)
    if code is not None:
        return PANIC_STATEMENTS.get(code, BARE)
    if payload:
        name = names.error(payload).partition("(")[0]
        return re.compile(rf"\b{re.escape(name)}\s*\(")
    return BARE
