"""Stepping through an execution: movements, and what there is to see at a step.

Movements are by opcodes, source lines and functions. Every one forward has its opposite: from a
line start, one source line forward and one backward ends where it began. There is to see the call
stack with arguments and local variables, and the storage that was accessed.
"""

from __future__ import annotations

import fnmatch
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from devchain.contracts.abi import format_arguments
from devchain.contracts.code_map import CodeMap, Location
from devchain.contracts.storage_names import StorageNames
from devchain.errors import InvalidInput
from devchain.evm.opcodes import PUSHES
from devchain.evm.revert_reasons import ERROR_SELECTOR
from devchain.source.follow import Activation, Execution, LineStart, lines_of
from devchain.source.trace import Access, Message, Step
from devchain.source.values import Machine, internal_arguments, local_values, words_of_arguments
from devchain.types import Address

FILE_AND_LINE = re.compile(r"(?:(?P<path>.+):)?(?P<line>[0-9]{1,7})")
OPCODE = re.compile(r"[A-Z][A-Z0-9]*\*?")


@dataclass(frozen=True, slots=True, order=True)
class Breakpoint:
    """Where to stop: at a line of a source, or at an opcode (`SSTORE`, `LOG*`)."""

    path: str = ""
    line: int = 0
    opcode: str = ""

    def __str__(self) -> str:
        return self.opcode or f"{self.path}:{self.line}"


class Debugger:
    """A place in an execution, `step`, and movements from it; each returns whether it moved."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.step = 0
        self.breakpoints: set[Breakpoint] = set()
        self._starts = execution.line_starts
        self._start_steps = [start.step for start in self._starts]

    def go_to(self, step: int) -> bool:
        target = max(0, min(step, self.execution.last))
        moved, self.step = target != self.step, target
        return moved

    # Opcodes

    def opcode(self, *, back: bool = False) -> bool:
        return self.go_to(self.step + (-1 if back else 1))

    def over_opcode(self, *, back: bool = False) -> bool:
        """Go to the next opcode of this message, past the messages that it sends, or its sender."""
        of_step, end = self.execution.messages.of_step, 0 if back else self.execution.last
        depth = of_step[self.step].depth
        steps = range(self.step - 1, -1, -1) if back else range(self.step + 1, end + 1)
        return self.go_to(next((step for step in steps if of_step[step].depth <= depth), end))

    # Source lines

    def line(self, *, back: bool = False) -> bool:
        """Go to the next line start, into functions; without sources to the next opcode."""
        if not self._starts:
            return self.opcode(back=back)
        steps = self._start_steps
        if back:
            index = bisect_left(steps, self.step)
            return self.go_to(steps[index - 1] if index else 0)
        index = bisect_right(steps, self.step)
        return self.go_to(steps[index] if index < len(steps) else self.execution.last)

    def over(self, *, back: bool = False) -> bool:
        """Go to the next line of this function, past the functions it calls, or of a caller."""
        if not self._starts:
            return self.over_opcode(back=back)
        here = self._scoped_start(self.step)
        lines = list(self._lines_of_callers())
        if back:
            steps = [line.step for line in lines if line.step < self.step]
            return self.go_to(steps[-1] if steps else 0)
        for line in lines:
            if line.step > self.step and (here is None or line.key != here.key):
                return self.go_to(line.step)
        return self.go_to(self.execution.last)

    def out(self, *, back: bool = False) -> bool:
        """Go to where this function returns to, or back to where it was called."""
        execution = self.execution
        scope = execution.activation(self.step).named
        if back:
            return self.go_to(0 if scope.site is None else scope.site)
        callers = {activation for activation in scope.chain() if activation is not scope}
        after = range(self.step + 1, execution.last + 1)
        outside = next((at for at in after if execution.activation(at).named in callers), None)
        if outside is None:
            return self.go_to(execution.last)
        caller = execution.activation(outside).named
        for index in range(outside, execution.last + 1):
            if execution.activation(index).named is not caller:
                break
            if execution.statement_location(index):
                return self.go_to(index)
        return self.go_to(outside)

    def _scoped_start(self, step: int) -> LineStart | None:
        scope = self.execution.activation(step).named
        for index in range(bisect_right(self._start_steps, step) - 1, -1, -1):
            if self._starts[index].activation is scope:
                return self._starts[index]
            if self._starts[index].step < scope.first:
                break
        return None

    def _lines_of_callers(self) -> Iterator[LineStart]:
        chain = set(self.execution.activation(self.step).chain())
        last = None
        for start in self._starts:
            if start.activation in chain and start.key != last:
                yield start
                last = start.key

    # Breakpoints

    def parse_breakpoint(self, text: str) -> Breakpoint:
        """A breakpoint as people write it: `17`, `Vault.sol:17`, `SSTORE`, `LOG*`.

        A line without a file is one of the source at this step. Raises `InvalidInput`.
        """
        text = text.strip()
        if OPCODE.fullmatch(text.upper()) and not text.isdigit():
            opcode = text.upper()
            return Breakpoint(opcode="KECCAK256" if opcode == "SHA3" else opcode)
        match = FILE_AND_LINE.fullmatch(text)
        if match is None:
            raise InvalidInput(
                f"{text[:60]!r} is no breakpoint: write a line (17), a file and a line "
                "(Vault.sol:17) or an opcode (SSTORE, LOG*)"
            )
        return Breakpoint(self._path(match["path"]), int(match["line"]))

    def _path(self, text: str | None) -> str:
        if text is None:
            location = self.execution.location(self.step)
            if location is None:
                raise InvalidInput("there is no source here: write the file too, Vault.sol:17")
            return location.path
        paths = sorted({start.location.path for start in self._starts})
        found = [path for path in paths if f"/{path}".endswith(f"/{text}")]
        if len(found) == 1:
            return found[0]
        problem = "several sources end in" if found else "this execution runs no source"
        raise InvalidInput(f"{problem} {text[:60]!r}: give one of {', '.join(found or paths)}")

    def nearest_breakpoint(self, breakpoint_: Breakpoint) -> Breakpoint:
        """A breakpoint at a line, or at the next that can stop; raises `InvalidInput`."""
        if breakpoint_.opcode:
            return breakpoint_
        path, line = breakpoint_.path, breakpoint_.line
        after = [
            line_after for line_after in self.execution.lines.get(path, ()) if line_after >= line
        ]
        if not after:
            raise InvalidInput(f"no breakpoint is set: no code begins at {breakpoint_} or after it")
        return Breakpoint(path, min(after))

    def toggle(self, breakpoint_: Breakpoint) -> bool:
        self.breakpoints ^= {breakpoint_}
        return breakpoint_ in self.breakpoints

    def is_reached(self, breakpoint_: Breakpoint) -> bool:
        return next(self._stops({breakpoint_}), None) is not None

    def continue_(self, *, back: bool = False) -> bool:
        """Go to the next breakpoint, else to the last step or the first; whether there was one."""
        stops = sorted(set(self._stops(self.breakpoints)))
        ahead = [stop for stop in stops if (stop < self.step if back else stop > self.step)]
        if not ahead:
            self.go_to(0 if back else self.execution.last)
            return False
        return self.go_to(ahead[-1 if back else 0])

    def _stops(self, breakpoints: Iterable[Breakpoint]) -> Iterator[int]:
        lines = {(stop.path, stop.line) for stop in breakpoints if not stop.opcode}
        patterns = [stop.opcode for stop in breakpoints if stop.opcode]
        if lines:
            for start in self._starts:
                first, last = lines_of(start.location)
                span = range(first, last + 1)
                if start.is_fresh and any((start.location.path, line) in lines for line in span):
                    yield start.step
        if patterns:
            names = {step.op for step in self.execution.steps}
            wanted = {
                name for name in names for pattern in patterns if fnmatch.fnmatchcase(name, pattern)
            }
            for number, step in enumerate(self.execution.steps):
                if step.op in wanted:
                    yield number

    def runs(self, path: str, lines: range, *, back: bool = False) -> dict[int, int]:
        """The steps at which lines of a source run next, by line; backward: where they ran last.

        Forward it is, of lines that do not run again, the step at which they ran first.
        """
        if back:
            before = self._starts[: bisect_left(self._start_steps, self.step)]
            return self._first_runs(reversed(before), path, lines)
        after = self._starts[bisect_right(self._start_steps, self.step) :]
        return self._first_runs(self._starts, path, lines) | self._first_runs(after, path, lines)

    @staticmethod
    def _first_runs(starts: Iterable[LineStart], path: str, lines: range) -> dict[int, int]:
        steps: dict[int, int] = {}
        found: set[tuple[str, int]] = set()
        for start in starts:
            statement = start.key[1:]
            if not start.is_fresh or start.location.path != path or statement in found:
                continue
            found.add(statement)
            low, high = lines_of(start.location)
            for line in range(max(low, lines.start), min(high + 1, lines.stop)):
                steps.setdefault(line, start.step)
        return steps

    # Far

    def failure(self, *, back: bool = False) -> bool:
        """Go to where the execution failed first; stays if it did not.

        Backward: to the failure before this step, the end of a message that a contract caught.
        """
        found = self.execution.failure
        if back:
            before = [failure for failure in self.execution.failures if failure < self.step]
            found = before[-1] if before else None
        return found is not None and self.go_to(found)

    def start(self) -> bool:
        return self.go_to(self._start_steps[0] if self._start_steps else 0)

    def end(self) -> bool:
        return self.go_to(self.execution.last)


# What there is to see at a step

UNNAMED = "function"
FALLBACKS = frozenset({"fallback", "receive", "__default__", UNNAMED})
"""Names of functions that run for calls with any arguments."""


@dataclass(frozen=True, slots=True)
class StackFrame:
    """A function that runs: its name with contract, arguments, and where it is, at `step`.

    `arguments` is None if they are not known. `location` may be that of an earlier step of the
    function. `is_fallback` if it runs for calls with any data.
    """

    name: str
    arguments: tuple[str, ...] | None
    step: int
    location: Location | None
    kind: str = ""
    is_fallback: bool = False

    @property
    def title(self) -> str:
        """Name and arguments, `Vault.take(amount=9)`; of a fallback function its name."""
        if self.arguments is None or self.is_fallback:
            return self.name
        return f"{self.name}({', '.join(self.arguments)})"

    @property
    def named_arguments(self) -> list[tuple[str, str]]:
        """The arguments as names and values; one without a name is `argument 2`."""
        named = []
        for number, argument in enumerate(self.arguments or (), 1):
            name, mark, value = argument.partition("=")
            named.append((name, value) if mark else (f"argument {number}", argument))
        return named

    @property
    def place(self) -> str:
        """`contracts/Vault.sol:17`; empty if the source is not known."""
        return f"{self.location.path}:{self.location.line}" if self.location else ""


@dataclass(frozen=True, slots=True)
class ValueView:
    """A variable or a slot of storage: names, value now and before.

    `before` is empty if it is not known, or has not changed. `is_new` if the value was another, or
    not known, at the step that another one is compared with.
    """

    name: str
    now: str
    before: str = ""
    is_new: bool = False


def outcome(execution: Execution) -> str:
    if not execution.trace.failed:
        return "succeeded"
    return "failed" if execution.trace.is_cut else f"failed: {execution.reason}"


def cut_notice(execution: Execution) -> str:
    trace = execution.trace
    return f"only the first {len(trace.steps):,} steps" if trace.is_cut else ""


def source_title(execution: Execution, frame: StackFrame, *, is_innermost: bool) -> str:
    """Where a frame is in its source; of the innermost with what is not exact about it."""
    note = execution.location_note(frame.step) if is_innermost else ""
    return f"{note}{frame.place}{_newer_note(execution, frame)}"


def _newer_note(execution: Execution, frame: StackFrame) -> str:
    # That a source may have changed since it was compiled; empty if it has not.
    code_map = execution.code_map(execution.messages.of_step[frame.step])
    if frame.location is None or code_map is None:
        return ""
    stale = (source for source in code_map.stale if source.path == frame.location.path)
    return next((f", newer than {source.newer_than}" for source in stale if source.newer_than), "")


def without_location(execution: Execution, frame: StackFrame) -> str:
    """What to write in place of the source of a frame that has no location in one."""
    message = execution.messages.of_step[frame.step]
    name = contract_name(execution, message)
    if execution.has_source(message):
        return f"Code of the compiler in {name}, of no statement."
    return f"No source of {name} is known here."


def operand(execution: Execution, step: int) -> bytes:
    pc, code = execution.steps[step].pc, execution.messages.of_step[step].code
    if pc >= len(code) or code[pc] not in PUSHES:
        return b""
    return code[pc + 1 : pc + 2 + code[pc] - PUSHES.start]


def call_stack(execution: Execution, step: int, limit: int | None = None) -> list[StackFrame]:
    """The functions that run at a step, the innermost first; about `limit` of them."""
    frames: list[StackFrame] = []
    at = step
    for activation in execution.activation(step).chain():
        if limit is not None and len(frames) >= limit:
            break
        frames += _frames(execution, activation, at)
        at = activation.first if activation.site is None else activation.site
    return frames


def _frames(execution: Execution, activation: Activation, step: int) -> Iterator[StackFrame]:
    location, function = execution.location(step), activation.function
    frame = StackFrame(
        _name(execution, activation),
        _arguments(execution, activation),
        step,
        location,
        is_fallback=_is_fallback(activation),
    )
    inner = location.function if location else None
    if inner is None or function is None or inner.span == function.span:
        yield frame
        return
    if inner.kind == "modifier":
        yield StackFrame(f"modifier {inner.name}", None, step, location, "modifier")
        spans = [span for name, span in function.modifiers if name == inner.own_name]
        code_map = execution.code_map(activation.message)
        start = code_map.location_of(function) if code_map else None
        yield replace(frame, location=replace(start, span=spans[0]) if start and spans else start)
        return
    yield StackFrame(
        _full_name(inner.contract or (location.module if location else ""), inner.own_name),
        None,
        step,
        location,
        "inlined",
    )
    code_map = execution.code_map(activation.message)
    yield replace(frame, location=code_map.location_of(function) if code_map else None)


def _name(execution: Execution, activation: Activation) -> str:
    function, message = activation.function, activation.message
    contract = contract_name(execution, message)
    if not activation.is_message and function:
        code_map = execution.code_map(message)
        start = code_map.location_of(function) if code_map else None
        module = start.module if start else ""
        return _full_name(function.contract or module or contract, function.own_name)
    if message.is_creation:
        return f"new {contract}"
    if function:
        is_old_fallback = function.own_name == UNNAMED
        return _full_name(contract, "fallback" if is_old_fallback else function.own_name)
    called = execution.names.function(message.code_address or Address(bytes(20)), message.data)
    return _full_name(contract, called.partition("(")[0])


def _full_name(contract: str, function: str) -> str:
    return f"{contract}.{function}" if contract and function else contract or function


def contract_name(execution: Execution, message: Message) -> str:
    """The name of the contract whose code a message runs, or its address."""
    code_map = execution.code_map(message)
    if code_map:
        return code_map.artifact.name
    if message.is_creation:
        return execution.names.created(message.code) or "contract"
    found = execution.registry.find_by_code(message.code, message.code_address)
    if found:
        return found.name
    address = message.code_address
    return execution.names.address_text(address) if address else "contract"


def _is_fallback(activation: Activation) -> bool:
    called = activation.function if activation.is_message else None
    return called is not None and called.own_name in FALLBACKS


def _arguments(execution: Execution, activation: Activation) -> tuple[str, ...] | None:
    if activation.function and _is_fallback(activation):  # its parameter is all call data
        return None if activation.function.parameters else ()
    if activation.is_message:
        return _message_arguments(execution, activation.message)
    code_map, function = execution.code_map(activation.message), activation.function
    call, site = activation.call, activation.site
    if code_map is None or function is None or call is None or site is None:
        return None
    memory = activation.message.memory(site)
    texts = internal_arguments(code_map, function, call, memory, execution.names.address)
    return None if texts is None else tuple(texts)


def _message_arguments(execution: Execution, message: Message) -> tuple[str, ...] | None:
    names = execution.names
    registry = execution.registry
    if message.is_creation:
        decoded = registry.decode_creation(message.code)
    else:
        decoded = registry.decode_call(message.code, message.data, message.code_address)
    if decoded is None:
        return None
    pairs = zip(decoded.entry.inputs, decoded.arguments, strict=True)
    return tuple(format_arguments((param,), (value,), names.address) for param, value in pairs)


# Local variables

SETTLED = frozenset(
    {"JUMP", "JUMPI", "JUMPDEST", "REVERT", "INVALID", "CREATE", "CREATE2"}
    | {"CALL", "DELEGATECALL", "STATICCALL", "CALLCODE"}
)
"""Opcodes at which all variables are in their places on the stack, even in optimized code."""

ENDS = frozenset({"REVERT", "INVALID"})
ERROR = int.from_bytes(ERROR_SELECTOR)
ERROR_STEPS = 64  # opcodes between the writing of an error's head and REVERT, at most


def local_variables(execution: Execution, frame: StackFrame) -> list[tuple[str, str]]:
    """The local variables of a running function, at its last step in code of a statement."""
    step = None if frame.kind else execution.nearest(frame.step)
    if step is None:
        return []
    activation = execution.activation(step).named
    message, location = activation.message, execution.statement_location(step)
    code_map = execution.code_map(message)
    is_own = activation is execution.activation(frame.step).named
    if code_map is None or location is None or not is_own:
        return []
    if location.function is not activation.function:
        return []
    if code_map.is_vyper:
        step = _before_payload(execution, message, step)
    elif code_map.artifact.optimized and execution.steps[step].op not in SETTLED:
        step = frame.step  # code after that of the statement, as that of its error
        if execution.steps[step].op not in ENDS:
            return []
    machine = Machine(
        _without_operands(execution.steps[step]),
        message.memory(step),
        _height(execution, activation, code_map),
        execution.names.address,
    )
    return local_values(code_map, location, machine)


def _height(execution: Execution, activation: Activation, code_map: CodeMap) -> int | None:
    function = activation.function
    if activation.body is None or function is None:
        return None
    call = None if code_map.is_vyper else activation.call
    if call and words_of_arguments(code_map, function, call) is None:
        return None
    return len(execution.steps[activation.body].stack)


def _without_operands(step: Step) -> Sequence[int]:
    # That may be where a variable was, which is removed before a jump out of its block.
    operands = {"JUMP": 1, "JUMPI": 2}.get(step.op, 0)
    return step.stack[: len(step.stack) - operands]


def _before_payload(execution: Execution, message: Message, step: int) -> int:
    # That is an error that it passes on, or the head of one (vyper 0.3).
    child = message.children[-1] if message.children and message.succeeded is False else None
    if child and child.site is not None and step > child.last and child.output == message.output:
        return child.site
    for number in range(step, max(message.first, step - ERROR_STEPS), -1):
        each = execution.steps[number]
        if execution.messages.of_step[number] is not message:
            break
        if each.op == "MSTORE" and len(each.stack) > 1 and each.stack[-2] == ERROR:
            return number
    return step


# Storage


def storage(
    execution: Execution, step: int, limit: int | None = None
) -> list[tuple[str, list[ValueView]]]:
    """The storage that the execution has accessed before a step, by name or address of contracts.

    Slots are in the order of access. What failed messages accessed is left out from the step after
    their end on. With a limit only the slots that were accessed last.
    """
    values: dict[tuple[Address | None, bool, int], list[Access]] = {}
    for access in execution.messages.accesses:
        if access.step >= step:
            break
        if execution.undone_after[access.message.number] < step:
            continue
        key = access.message.address, access.is_transient, access.slot
        values.setdefault(key, []).append(access)
    if limit is not None and len(values) > limit:
        first = sorted(value[-1].step for value in values.values())[-limit]
        values = {key: accessed for key, accessed in values.items() if accessed[-1].step >= first}
    views: dict[Address | None, list[ValueView]] = {}
    names: dict[Address | None, str] = {}
    for (address, is_transient, slot), accesses in values.items():
        last = accesses[-1]
        names.setdefault(address, contract_name(execution, last.message))
        views.setdefault(address, []).extend(
            _slot_views(execution, accesses, address, slot, is_transient=is_transient)
        )
    return [(names[address], slots) for address, slots in views.items()]


def storage_since(
    execution: Execution, step: int, since: int, limit: int | None = None
) -> Iterator[tuple[str, list[ValueView]]]:
    """The same, in which slots that were others at `since`, or not there, are new."""
    before = {
        (contract, slot.name, slot.now)
        for contract, slots in storage(execution, since, limit)
        for slot in slots
    }
    for contract, slots in storage(execution, step, limit):
        yield (
            contract,
            [replace(each, is_new=(contract, each.name, each.now) not in before) for each in slots],
        )


def _slot_views(
    execution: Execution,
    accesses: list[Access],
    address: Address | None,
    slot: int,
    *,
    is_transient: bool,
) -> Iterator[ValueView]:
    first, last = accesses[0], accesses[-1]
    before = 0 if is_transient else None
    if before is None and address:
        before = execution.trace.accounts.storage(address, slot)
    if before is None and not first.is_write:
        before = first.value
    is_written = any(access.is_write for access in accesses)
    names, now = _described(execution, last)
    if is_transient or not now:
        old = hex(before) if is_written and before not in (None, last.value) else ""
        yield ValueView(f"{'transient ' * is_transient}slot {_short(slot)}", hex(last.value), old)
        return
    then = names.describe(slot, before) if before is not None else [("", "")] * len(now)
    for (name, value), (_, old) in zip(now, then, strict=True):
        yield ValueView(name, value, old if is_written and old != value else "")


def _described(execution: Execution, access: Access) -> tuple[StorageNames, list[tuple[str, str]]]:
    # That of a library has none: then it is that of the contract that called it.
    message: Message | None = access.message
    while True:
        names = execution.storage_names(message)
        found = names.describe(access.slot, access.value)
        parent = message.parent if message else None
        if found or parent is None or parent.address != access.message.address:
            return names, found
        message = parent


def _short(slot: int) -> str:
    text = f"{slot:x}"
    return f"0x{text}" if len(text) <= 16 else f"0x{text[:8]}…{text[-4:]}"
