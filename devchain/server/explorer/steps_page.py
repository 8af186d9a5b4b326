"""The page that steps through a transaction: source, call stack, variables, opcodes, EVM stack.

One step is one address, `?at=812`; every movement of the debugger is a link to the step where it
ends. `from` is the step before that, for what has changed since.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from devchain.chain.slices import Slices
from devchain.contracts.sources import stale_notice
from devchain.errors import InvalidInput, TransactionNotFound
from devchain.server.explorer.page import Page, Query, RawCall
from devchain.server.explorer.reader import Reader, how_to_add_artifacts
from devchain.server.explorer.sources import highlighted
from devchain.server.explorer.transaction_pages import page_of
from devchain.source.follow import Execution, lines_of
from devchain.source.map import Position
from devchain.source.steps import Debugger
from devchain.source.views import (
    StackFrame,
    call_stack,
    cut_notice,
    local_variables,
    operand,
    outcome,
    source_title,
    storage,
    without_position,
)

LINES_ABOVE, LINES_BELOW = 12, 20
OPCODES_ABOVE, OPCODES_BELOW = 6, 10
MAX_FRAMES = 30
MAX_SLOTS = 60
MAX_WORDS = 40
"""Functions, slots of storage and words of the stack that a page shows."""

ROW = 32
MEMORY_ROWS = 32
SMALL = 2**64
"""Words below it are written without zeros before them, and as decimal numbers too."""

FAILURE = "failure"
"""In place of a step: where the transaction failed."""

MOVEMENTS = (
    ("s", "S", "step", "line", "to the next line, into functions", "to the line before"),
    ("n", "N", "next", "over", "to the next line, over functions that are called", ""),
    ("f", "F", "out", "out", "out of this function", "to where this function was called"),
    ("i", "I", "opcode", "opcode", "to the next opcode", "to the opcode before"),
    ("o", "O", "over calls", "over_opcode", "to the next opcode of this message, over calls", ""),
)
"""Keys, the name, the movement of `Debugger`, and what it does: forward, and backward."""


@dataclass(frozen=True, slots=True)
class Move:
    """A movement: its key, its name, what it does, and the step it leads to; None if to none."""

    key: str
    name: str
    title: str
    step: int | None


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the source; `runs` is the step at which it runs next, None if it does not run.

    `ran` is the one at which it ran last before, None if it did not, or if `runs` is that one.
    """

    number: int
    text: Markup
    runs: int | None
    ran: int | None
    is_here: bool
    is_current: bool


@dataclass(frozen=True, slots=True)
class Opcode:
    """An opcode that ran, with its step."""

    step: int
    pc: int
    name: str
    operand: str
    cost: int
    depth: int
    is_here: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A variable or word: name, value, value before if it has changed, whether that is new."""

    name: str
    now: str
    before: str = ""
    is_new: bool = False


def raw(reader: Reader, tx_hash: str) -> list[RawCall]:
    """The trace, up to the step that the query names."""
    at = reader.query.number("at")
    limit = {} if at is None else {"limit": at + OPCODES_BELOW + 1}
    return [("debug_traceTransaction", [tx_hash, {"disableStorage": True, **limit}])]


def steps(reader: Reader, tx_hash: str) -> Slices[Page]:
    """A step of a mined transaction, by executing it once more."""
    node = reader.node
    tx, receipt = reader.find_mined(tx_hash)
    values: dict[str, object] = {"problem": ""}
    try:
        execution = yield from node.explainer.execution(receipt.transaction.hash)
    except InvalidInput as error:
        values["problem"] = str(error)
    else:
        if execution is None:
            raise TransactionNotFound("a revert has taken this transaction back")
        values |= _View(execution, reader.query, how_to_add_artifacts(node)).values()
    return page_of("steps.html", "Steps of", tx, values, raw(reader, tx.hash))


class _View:
    """What there is to see at the step that a query names; `advice` is how to get its source."""

    def __init__(self, execution: Execution, query: Query, advice: str) -> None:
        self._execution = execution
        self._advice = advice
        self._debugger = Debugger(execution)
        self._debugger.start()
        if query.text("at") == FAILURE:
            self._debugger.failure()
        elif (wanted := query.number("at")) is not None:
            self._debugger.go_to(wanted)
        self._at = self._debugger.step
        before = query.number("from")
        self._from = self._at if before is None else min(before, execution.last)
        frames = call_stack(execution, self._at, MAX_FRAMES)
        self._frames = frames[:MAX_FRAMES]
        depth = sum(1 for _ in execution.activation(self._at).chain())
        self._hidden = max(0, depth - MAX_FRAMES)
        self._chosen = min(query.number("frame") or 0, len(self._frames) - 1)
        self._memory_start = min((query.number("memory") or 0) // ROW * ROW, 2**32)

    def values(self) -> dict[str, object]:
        execution, frame = self._execution, self._frames[self._chosen]
        step = execution.steps[self._at]
        return {
            "at": self._at,
            "last": execution.last,
            "op": step.op,
            "step_error": step.error,
            "left": step.gas,
            "cost": step.cost,
            "depth": step.depth,
            "outcome": outcome(execution),
            "has_failed": execution.trace.failed,
            "is_failure": self._at in execution.failures,
            "cut": cut_notice(execution),
            "forward": list(self._movements(back=False)),
            "backward": list(self._movements(back=True)),
            "far": list(self._far()),
            "source": self._source(frame),
            "says": f"Step {self._at:,}",
            "place": (source_title(execution, frame, is_innermost=not self._chosen) or frame.title),
            "expression": self._expression(frame.position),
            "why": list(self._why_no_source(frame)),
            "missing": without_position(execution, frame),
            "frames": [(frame.title, frame.place) for frame in self._frames],
            "hidden_frames": self._hidden,
            "chosen": self._chosen,
            "function": frame.name,
            "arguments": self._arguments(frame),
            "local_variables": [
                Row(name, value) for name, value in local_variables(execution, frame)
            ],
            "storage": list(self._storage()),
            "opcodes": list(self._opcodes()),
            "stack": list(self._stack(frame)),
            "stack_size": len(execution.steps[frame.step].stack),
            **self._memory(frame),
        }

    # Movements

    def _movements(self, *, back: bool) -> Iterator[Move]:
        for forward_key, back_key, name, movement, forward, backward in MOVEMENTS:
            key = back_key if back else forward_key
            title = (backward or f"back {forward}") if back else forward
            self._debugger.go_to(self._at)
            has_moved = getattr(self._debugger, movement)(back=back)
            yield Move(key, name, title, self._debugger.step if has_moved else None)

    def _far(self) -> Iterator[Move]:
        debugger, execution = self._debugger, self._execution
        debugger.start()
        yield Move("g", "first line", "to the first line", debugger.step)
        if execution.failures:
            caught = [failure for failure in execution.failures if failure < self._at]
            title = "to a failure before this step"
            yield Move("X", "failure before", title, caught[-1] if caught else None)
        if execution.failure is not None:
            yield Move("x", "failure", "to where it failed", execution.failure)
        yield Move("G", "end", "to the last step", execution.last)

    # Source

    def _source(self, frame: StackFrame) -> list[SourceLine]:
        position = frame.position
        if position is None:
            return []
        file = position.file
        texts = highlighted(file.text, "Vyper" if file.is_vyper else "Solidity")
        first = max(1, min(position.line - LINES_ABOVE, len(texts) - LINES_ABOVE - LINES_BELOW))
        shown = range(first, min(first + LINES_ABOVE + LINES_BELOW, len(texts)) + 1)
        low, high = lines_of(position)
        self._debugger.go_to(self._at)
        runs = self._debugger.runs(position.path, shown)
        ran = self._debugger.runs(position.path, shown, back=True)
        return [
            SourceLine(
                number,
                texts[number - 1],
                runs.get(number),
                None if ran.get(number) == runs.get(number) else ran.get(number),
                is_here=number == position.line,
                is_current=low <= number <= high,
            )
            for number in shown
        ]

    @staticmethod
    def _expression(position: Position | None) -> str:
        return " ".join(position.file.text_at(position.span).split()) if position else ""

    def _why_no_source(self, frame: StackFrame) -> Iterator[str]:
        if frame.position:
            return
        execution = self._execution
        code_map = execution.code_map(execution.messages.of_step[frame.step])
        if code_map and code_map.stale:
            yield stale_notice(code_map.stale)
        if execution.has_sources:
            yield "“step” goes on to the next line that has one, “opcode” through the opcodes."
        elif execution.has_source(execution.messages.of_step[frame.step]):
            failure = ", “failure” to where it failed" if execution.failure is not None else ""
            yield f"No statement ran: “opcode” goes on through the opcodes{failure}."
        else:
            yield f"Opcodes can be stepped through. For the source: {self._advice}."

    # Values

    @staticmethod
    def _arguments(frame: StackFrame) -> list[Row] | None:
        if frame.arguments is None:
            return None
        rows = []
        for number, argument in enumerate(frame.arguments, 1):
            name, mark, value = argument.partition("=")
            name, value = (name, value) if mark else (f"argument {number}", argument)
            rows.append(Row(name, value))
        return rows

    def _storage(self) -> Iterator[tuple[str, list[Row]]]:
        # The storage touched so far by contract; marked is what is new since the last step.
        execution = self._execution
        before = {
            (view.contract, slot.name, slot.now)
            for view in storage(execution, self._from, MAX_SLOTS)
            for slot in view.slots
        }
        for view in storage(execution, self._at, MAX_SLOTS):
            rows = []
            for slot in view.slots[:MAX_SLOTS]:
                name = f"transient {slot.name}" if slot.is_transient else slot.name
                is_new = (view.contract, slot.name, slot.now) not in before
                now, old = slot.now, slot.before
                rows.append(Row(name, now, old, is_new=is_new))
            yield view.contract, rows

    def _opcodes(self) -> Iterator[Opcode]:
        execution = self._execution
        at = self._frames[self._chosen].step
        first = max(0, min(at - OPCODES_ABOVE, execution.last - OPCODES_ABOVE - OPCODES_BELOW))
        for number in range(first, min(first + OPCODES_ABOVE + OPCODES_BELOW, execution.last) + 1):
            step, pushed = execution.steps[number], operand(execution, number)
            yield Opcode(
                number,
                step.pc,
                step.op,
                f"0x{pushed.hex()}" if pushed else "",
                step.cost,
                step.depth,
                is_here=number == at,
            )

    def _stack(self, frame: StackFrame) -> Iterator[Row]:
        words = self._execution.steps[frame.step].stack
        before = self._execution.steps[self._from].stack
        for index in range(len(words) - 1, max(-1, len(words) - 1 - MAX_WORDS), -1):
            word = words[index]
            is_new = index >= len(before) or before[index] != word
            text = f"0x{word:x}" if word < SMALL else f"0x{word:064x}"
            decimal = f"{word:,}" if 9 < word < SMALL else ""
            yield Row(str(len(words) - 1 - index), text, decimal, is_new=is_new)

    def _memory(self, frame: StackFrame) -> dict[str, object]:
        memory = self._execution.messages.of_step[frame.step].memory(frame.step)
        size = len(memory)
        start = min(self._memory_start, max(0, size - 1) // ROW * ROW)
        end = start + MEMORY_ROWS * ROW
        rows: Sequence[tuple[str, str, str]] = [
            (f"{at:04x}", part.hex(" ", 4), "".join(chr(c) if 32 <= c < 127 else "." for c in part))
            for at in range(start, min(end, size), ROW)
            if (part := memory[at : at + ROW])
        ]
        return {
            "memory": rows,
            "memory_size": size,
            "memory_before": max(0, start - MEMORY_ROWS * ROW) if start else None,
            "memory_after": end if end < size else None,
        }
