"""An execution with its sources: the internal functions and source lines of each step.

A *line start* is a step with which another statement begins: where stepping through a source stops.
Each step is in an *activation*, the run of a function or of a helper that the compiler generated,
which belongs to the function that called it. Where a source map does not say where an optimizer has
left a function, its activation lasts until the message ends.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from devchain.contracts.artifact_registry import Registry
from devchain.contracts.code_map import CodeMap, Location
from devchain.contracts.names import Names
from devchain.contracts.outline import Function
from devchain.contracts.storage_names import StorageNames
from devchain.contracts.value_types import AddressText
from devchain.evm import deadline
from devchain.evm.opcodes import Op
from devchain.evm.revert_reasons import NO_REASON
from devchain.source.explain import RunningFunction, innermost_function, propagated_call
from devchain.source.trace import (
    MAX_COPIED,
    SENDS,
    STEPS_PER_CHECK,
    Message,
    Messages,
    Step,
    Trace,
    find_messages,
)
from devchain.tracing.frames import REVERTED, Frame, FrameFailure
from devchain.tracing.paths import NOTED, InternalCall, Path, Stop
from devchain.types import ZERO_ADDRESS, checksum

OTHER_FAILURE = FrameFailure("failed")  # any but a revert: which makes no difference here
LineKey = tuple[int, str, int]  # number of an activation, path, statement or negative line


@dataclass(slots=True, eq=False)
class Activation:
    """The run of a function, or of a message: from step `first` to `last`.

    `site` is the step that called it, `function` None for helpers and where it is not known. `body`
    is the step with which the code of the function begins; of a message it may not be known. `call`
    is that of an internal function.
    """

    number: int
    message: Message
    parent: Activation | None
    function: Function | None
    site: int | None
    first: int
    last: int = 0
    body: int | None = None
    call: InternalCall | None = None
    named: Activation = field(init=False)  # that it counts to: its caller's, for helpers

    def __post_init__(self) -> None:
        """Find the activation that it counts to, once: helpers may call each other deeply."""
        self.named = self.parent.named if self.parent and self.is_helper else self

    @property
    def is_message(self) -> bool:
        return self.parent is None or self.parent.message is not self.message

    @property
    def is_helper(self) -> bool:
        return self.function is None and not self.is_message

    def chain(self) -> Iterator[Activation]:
        """The activation and those that called it, the innermost first, without helpers."""
        found: Activation | None = self.named
        while found:
            yield found
            found = found.parent.named if found.parent else None


@dataclass(frozen=True, slots=True)
class LineStart:
    """A step with which a statement begins, or goes on after a call (not `is_fresh`)."""

    step: int
    key: LineKey
    activation: Activation
    location: Location
    is_fresh: bool


@dataclass(slots=True)
class _Run:
    """A message that is followed: its path, and the activations that are open in it.

    `jumped` are the jumps that `activations` contains, `step` is the last step of the message.
    `site` is the last step that sent a message, and where that was; -1 before.
    """

    path: Path | None
    activations: list[Activation]
    jumped: int = 0
    step: int = 0
    site: tuple[int, Stop | None] = (-1, None)


class Execution:
    """The steps of a trace, with messages, activations and source locations."""

    def __init__(
        self,
        trace: Trace,
        registry: Registry,
        address_text: AddressText = checksum,
        max_copied: int = MAX_COPIED,
    ) -> None:
        self.trace = trace
        self.registry = registry
        self.names = Names(registry, trace.accounts.code, address_text)
        self.messages: Messages = find_messages(trace, max_copied)
        self._code_maps: dict[int, CodeMap | None] = {}
        self._runs: dict[int, _Run] = {}  # by number of the message
        self._storage_names: dict[CodeMap | None, StorageNames] = {}
        self.activations: list[Activation] = []
        self.line_starts: list[LineStart] = []
        self._nearest: list[int] = []
        self._follow()

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.trace.steps

    @property
    def last(self) -> int:
        return len(self.steps) - 1

    @property
    def has_sources(self) -> bool:
        return bool(self.line_starts)

    def code_map(self, message: Message) -> CodeMap | None:
        if message.number not in self._code_maps:
            self._code_maps[message.number] = self.registry.code_map(
                message.code, message.code_address, creating=message.is_creation
            )
        return self._code_maps[message.number]

    def has_source(self, message: Message) -> bool:
        """Whether the source of the code that a message runs is known, of some of it at least."""
        code_map = self.code_map(message)
        return code_map is not None and bool(code_map.files)

    @cached_property
    def lines(self) -> dict[str, frozenset[int]]:
        """The lines by path of the statements of all code that ran: at others nothing stops."""
        found: dict[str, set[int]] = defaultdict(set)
        code_maps = {self.code_map(message) for message in self.messages.all}
        for known in filter(None, code_maps):
            for offset in known.code_by_offset:
                if (location := known.statement_location(offset)) and not known.is_join(offset):
                    first, last = lines_of(location)
                    found[location.path].update(range(first, last + 1))
        return {path: frozenset(lines) for path, lines in found.items()}

    def storage_names(self, message: Message | None) -> StorageNames:
        code_map = self.code_map(message) if message else None
        if code_map not in self._storage_names:
            layout = code_map.artifact.storage_layout if code_map else None
            self._storage_names[code_map] = StorageNames(
                [layout], self.messages.preimages, self.names.address_text
            )
        return self._storage_names[code_map]

    def activation(self, step: int) -> Activation:
        return self._of_step[step]

    def statement_location(self, step: int) -> Location | None:
        code_map = self.code_map(self.messages.of_step[step])
        return code_map.statement_location(self.steps[step].pc) if code_map else None

    def location(self, step: int) -> Location | None:
        """Where in the source a step is: if it is code of no statement, the last one before it.

        Where the execution failed it is what source traces have.
        """
        if step == self.failure and self._failure_place:
            return self._failure_place.location
        nearest = self._nearest[step]
        return self.statement_location(nearest) if nearest >= 0 else None

    def nearest(self, step: int) -> int | None:
        """The last step before, or this one, that is code of a statement of the same function."""
        return self._nearest[step] if self._nearest[step] >= 0 else None

    def location_note(self, step: int) -> str:
        """What to write before `location` if it is not that of the step's code; empty if it is."""
        if step == self.failure and (place := self._failure_place):
            return f"{place.note}: " if place.note else "near " if place.is_near else ""
        return "" if self._nearest[step] in (step, -1) else "code of the compiler after "

    def _follow(self) -> None:
        self._of_step: list[Activation] = []
        keys: dict[int, LineKey] = {}  # the last of each activation
        nearest: dict[int, int] = {}
        last_key: LineKey | None = None
        for number, message in enumerate(deadline.checked(self.messages.of_step, STEPS_PER_CHECK)):
            if run := self._runs.get(message.number):
                activation = self._after_jump(run, number)
            else:
                run, activation = self._enter(message, number)
            self._of_step.append(activation)
            named = activation.named
            activation.last = named.last = number
            self._note(run, number)
            location = self._statement_at(number, message, named.function)
            if location is None:
                self._nearest.append(nearest.get(named.number, -1))
                continue
            nearest[named.number] = number
            self._nearest.append(number)
            function, statement = location.function, location.statement
            if named.function is None and function and function.kind != "modifier":
                named.function = function
            where = -location.line if statement is None else statement
            key = (named.number, location.path, where)
            if key != last_key:
                is_fresh = keys.get(named.number) != key
                self.line_starts.append(LineStart(number, key, named, location, is_fresh))
            last_key = keys[named.number] = key

    def _statement_at(
        self, number: int, message: Message, running: Function | None
    ) -> Location | None:
        code_map = self.code_map(message)
        offset = self.steps[number].pc
        exact = code_map.statement_location(offset) if code_map else None
        if exact is None or code_map is None or code_map.is_join(offset):
            return None
        is_own = not code_map.is_optimized or code_map.may_run(running, exact)
        return exact if is_own else None

    def _enter(self, message: Message, first: int) -> tuple[_Run, Activation]:
        code_map = self.code_map(message)
        parent = self._runs[message.parent.number].activations[-1] if message.parent else None
        called = code_map.called(message.data) if code_map else None
        function = called.function if called else None
        entered = Activation(len(self.activations), message, parent, function, message.site, first)
        self.activations.append(entered)
        run = self._runs[message.number] = _Run(Path(code_map) if code_map else None, [entered])
        return run, entered

    def _note(self, run: _Run, number: int) -> None:
        # The step is about to run.
        step, path, code = self.steps[number], run.path, self.messages.of_step[number].code
        run.step = number
        if step.op in SENDS:
            run.site = number, path.stop(step.pc) if path else None
        if path:
            path.end, path.opcode = step.pc, code[step.pc] if step.pc < len(code) else Op.STOP
            if path.opcode in NOTED:
                path.note(path.opcode, step.pc, step.stack)

    def _after_jump(self, run: _Run, number: int) -> Activation:
        activation, path = run.activations[-1], run.path
        if path is None or path.jumped == run.jumped:
            return activation
        run.jumped = path.jumped
        function = path.code_map.entered(self.steps[number].pc, activation.named.function)
        is_body = function is not None and self._is_body(activation, function)
        if is_body:
            activation.function, activation.body = function, number
        calls = path.calls.open
        if len(calls) < len(run.activations):
            del run.activations[len(calls) + 1 :]
        elif is_body:
            run.activations.append(activation)
        else:
            entered = Activation(
                len(self.activations), activation.message, activation, function, run.step, number
            )
            entered.body, entered.call = number, calls[-1][1]
            self.activations.append(entered)
            run.activations.append(entered)
        return run.activations[-1]

    def _is_body(self, activation: Activation, function: Function) -> bool:
        if not activation.is_message or self._nearest[-1] >= activation.first:
            return False
        return activation.function is None or activation.function.span == function.span

    # Failures

    @property
    def reason(self) -> str:
        """Why the execution failed, as far as it says: the text of a revert, an error, or less."""
        output = self.messages.top.output
        if output:
            return self.names.error(output)
        step = self.steps[self.last if self.failure is None else self.failure]
        return step.error or (f"reverted: {NO_REASON}" if step.op == "REVERT" else step.op)

    @property
    def failure(self) -> int | None:
        """The last step of the message that failed first, if the failure was passed on to the top.

        None if the execution succeeded, or the trace ends before.
        """
        return self._found_failure[0] if self._found_failure else None

    @cached_property
    def failures(self) -> list[int]:
        """The steps with which messages failed: also those whose failure was caught.

        If messages passed on the failure of another, it is the one that failed first.
        """
        failed = [message for message in self.messages.all if message.succeeded is False]
        ends = {message.last for message in failed if not _has_passed_on(message)}
        return sorted(ends if self.failure is None else {*ends, self.failure})

    @property
    def _failure_place(self) -> RunningFunction | None:
        return self._found_failure[1] if self._found_failure else None

    @cached_property
    def undone_after(self) -> list[float]:
        """The steps after which what messages did is undone, by their number; infinity if never."""
        steps: list[float] = []
        for message in self.messages.all:
            own = message.last if message.succeeded is False else math.inf
            steps.append(min(own, steps[message.parent.number]) if message.parent else own)
        return steps

    @cached_property
    def _found_failure(self) -> tuple[int, RunningFunction | None] | None:
        # Only messages whose failure was passed on to the top count.
        failed: list[tuple[Message, Frame]] = []
        last_sent: Message | None = self.messages.top
        while last_sent and last_sent.succeeded is False:
            message, frame = last_sent, self._frame(last_sent)
            if failed:
                [sent] = failed[-1][1].calls
                frame.call_site = sent.call_site
                failed[-1][1].calls = [frame]
            failed.append((message, frame))
            site = self._runs[message.number].site[0]
            last_sent = next((child for child in message.children[-1:] if child.site == site), None)
        if not failed:
            return None
        first, at = failed[0]
        for message, frame in failed[1:]:
            ends_in_it = message.last > first.last  # a trace that has no step after the failure
            if not ends_in_it and propagated_call(at) is not frame:
                break
            first, at = message, frame
        return first.last, innermost_function(at, self.names)

    def _frame(self, message: Message) -> Frame:
        # With the last message that it sent, of which no more is known than from where.
        last, run = self.steps[message.last], self._runs[message.number]
        reverted = last.op == "REVERT" and not last.error
        frame = Frame(
            kind=message.kind,
            sender=message.sender or ZERO_ADDRESS,
            to=message.code_address or ZERO_ADDRESS,
            gas=0,
            input=message.code if message.is_creation else message.data,
            value=message.value,
            output=message.output,
            failure=REVERTED if reverted else OTHER_FAILURE,
            path=run.path,
        )
        step, site = run.site
        if step >= 0:
            kind = self.steps[step].op
            frame.calls = [Frame(kind, frame.to, ZERO_ADDRESS, 0, b"", None, call_site=site)]
        return frame


def _has_passed_on(message: Message) -> bool:
    last = message.children[-1] if message.children else None
    return last is not None and last.succeeded is False and last.output == message.output


def lines_of(location: Location) -> tuple[int, int]:
    """First and last line of the statement that a location is part of, without those inside it."""
    file, span = location.file, location.span
    if statement := location.statement_node:
        within = (part for part in statement.parts if part[0] <= span[0] and span[1] <= part[1])
        whole = next(within, None)
        if whole is None:
            return location.line, location.line
        span = whole
    return file.line(span[0]), file.line(max(span[0], span[1] - 1))
