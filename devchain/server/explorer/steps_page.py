"""The page that steps through a transaction: source, call stack, variables, opcodes, EVM stack.

One step is one address, `?at=812`; every movement of the debugger is a link to the step where it
ends. `from` is the step before that, for what has changed since.
"""

from __future__ import annotations

from collections.abc import Iterator

from devchain.chain.slices import Slices
from devchain.contracts.sources import stale_notice
from devchain.errors import InvalidInput
from devchain.server.explorer.gas_pages import highlighted
from devchain.server.explorer.page import Page, Query, RawCall
from devchain.server.explorer.reader import ADD_ARTIFACTS, Reader, still_mined
from devchain.server.explorer.transaction_pages import page_of
from devchain.source import steps as stepping
from devchain.source.follow import Execution, lines_of
from devchain.source.trace import Step
from devchain.tracing.frames import Frame

LINES_ABOVE, LINES_BELOW = 12, 20
OPCODES_ABOVE, OPCODES_BELOW = 6, 10
MAX_FRAMES = 30
MAX_SLOTS = 60
MAX_WORDS = 40  # functions, slots of storage and words of the stack that a page shows
ROW = 32
MEMORY_ROWS = 32
MAX_DIGITS = 8  # of the number of a line
SMALL = 2**64  # words below it are written without zeros before them, and as decimal numbers too
MOVEMENTS = (
    ("s", "S", "step", "line", "to the next line, into functions", "to the line before"),
    ("n", "N", "next", "over", "to the next line, over functions that are called", ""),
    ("f", "F", "out", "out", "out of this function", "to where this function was called"),
    ("i", "I", "opcode", "opcode", "to the next opcode", "to the opcode before"),
    ("o", "O", "over calls", "over_opcode", "to the next opcode of this message, over calls", ""),
)
"""Keys, the name, the movement of `Debugger`, and what it does: forward, and backward."""


Move = tuple[str, str, str, int | None]  # key, name, what it does, step it leads to or None


def steps(reader: Reader, tx_hash: str) -> Slices[Page]:
    """A step of a mined transaction, by executing it once more."""
    tx, receipt = reader.find_mined(tx_hash)
    values: dict[str, object] = {"problem": ""}
    try:
        execution = yield from reader.node.explainer.execution(receipt.transaction.hash)
    except InvalidInput as error:
        values["problem"] = str(error)
    else:
        top = None
        if reader.query.number("call") is not None:
            top = reader.node.explainer.transaction_frames(receipt.transaction.hash)
        values |= _View(still_mined(execution), reader.query, top).values()
    at = reader.query.number("at")
    limit = {} if at is None else {"limit": at + OPCODES_BELOW + 1}
    raw: RawCall = ("debug_traceTransaction", [tx_hash, {"disableStorage": True, **limit}])
    return page_of("steps.html", "Steps of", tx, values, raw)


class _View:
    """What there is to see at the step that a query names, which may be `failure`.

    For a call that it names `top` is needed, the first of the calls.
    """

    def __init__(self, execution: Execution, query: Query, top: Frame | None) -> None:
        self._execution = execution
        self._debugger = stepping.Debugger(execution)
        self._debugger.start()
        if query.text("at") == "failure":
            self._debugger.failure()
        elif (wanted := query.number("at")) is not None:
            self._debugger.go_to(wanted)
        elif line := query.text("line", 1_000):
            self._go_to_line(line)
        elif top and (call := query.number("call")) is not None:
            self._go_to_call(top, call)
        self._at = self._debugger.step
        before = query.number("from")
        self._from = self._at if before is None else min(before, execution.last)
        self._frames = stepping.call_stack(execution, self._at, MAX_FRAMES)[:MAX_FRAMES]
        self._chosen = min(query.number("frame") or 0, len(self._frames) - 1)
        self._frame = self._frames[self._chosen]
        self._memory_start = min((query.number("memory") or 0) // ROW * ROW, 2**32)

    def _go_to_call(self, top: Frame, number: int) -> None:
        # To the first line of a call, which is the one of that number, callers first.
        messages = self._execution.messages.all
        at = 0  # calls that ran no code are no messages
        for place, frame in enumerate(top.walk()):
            if at == len(messages):
                break
            message = messages[at]
            is_its = frame.to in (message.address, message.code_address) or not message.address
            if frame is not top and (message.kind != frame.kind or not is_its):
                continue
            if place >= number:
                self._debugger.go_to(message.first)
                self._debugger.line()
                if self._execution.messages.of_step[self._debugger.step] is not message:
                    self._debugger.go_to(message.first)  # it has no line of its own
                break
            at += 1

    def _go_to_line(self, text: str) -> None:
        # Where a line of a source runs first, or the next one that runs.
        path, _, number = text.rpartition(":")
        if number.isascii() and number.isdigit() and len(number) < MAX_DIGITS:
            line = int(number)
            ahead = self._debugger.runs(path, range(line, line + LINES_BELOW))
            if ahead:
                self._debugger.go_to(ahead[min(ahead)])

    def values(self) -> dict[str, object]:
        execution, frame, at = self._execution, self._frame, self._at
        depth = sum(1 for _ in execution.activation(at).chain())
        variables = stepping.local_variables(execution, frame)
        stored = stepping.storage_since(execution, at, self._from, MAX_SLOTS)
        return {
            "at": at,
            "last": execution.last,
            "step": execution.steps[at],
            "outcome": stepping.outcome(execution),
            "has_failed": execution.trace.failed,
            "is_failure": at in execution.failures,
            "cut": stepping.cut_notice(execution),
            "forward": list(self._movements(back=False)),
            "backward": list(self._movements(back=True)),
            "far": list(self._far()),
            "place": stepping.source_title(execution, frame, is_innermost=not self._chosen)
            or frame.title,
            **self._source(frame),
            "why": list(self._why_no_source(frame)),
            "missing": stepping.without_location(execution, frame),
            "frames": [(frame.title, frame.place) for frame in self._frames],
            "hidden_frames": max(0, depth - MAX_FRAMES),
            "chosen": self._chosen,
            "function": frame.name,
            "arguments": frame.arguments
            and [stepping.ValueView(*named) for named in frame.named_arguments],
            "local_variables": [stepping.ValueView(*named) for named in variables],
            "storage": [(contract, slots[:MAX_SLOTS]) for contract, slots in stored],
            "opcodes": list(self._opcodes(frame.step)),
            "shown_step": frame.step,
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
            yield key, name, title, self._debugger.step if has_moved else None

    def _far(self) -> Iterator[Move]:
        debugger, execution = self._debugger, self._execution
        debugger.start()
        yield "g", "first line", "to the first line", debugger.step
        if execution.failures:
            caught = [failure for failure in execution.failures if failure < self._at]
            title = "to a failure before this step"
            yield "X", "failure before", title, caught[-1] if caught else None
        if execution.failure is not None:
            yield "x", "failure", "to where it failed", execution.failure
        yield "G", "end", "to the last step", execution.last

    # Source

    def _source(self, frame: stepping.StackFrame) -> dict[str, object]:
        # Lines with the steps at which they run next, and ran last before if that is another.
        location = frame.location
        if location is None:
            return {"source": []}
        file = location.file
        texts = highlighted(file.text, "Vyper" if file.is_vyper else "Solidity")
        first = max(1, min(location.line - LINES_ABOVE, len(texts) - LINES_ABOVE - LINES_BELOW))
        shown = range(first, min(first + LINES_ABOVE + LINES_BELOW, len(texts)) + 1)
        self._debugger.go_to(self._at)
        runs = self._debugger.runs(location.path, shown)
        ran = self._debugger.runs(location.path, shown, back=True)
        lines = []
        for number in shown:
            later, before = runs.get(number), ran.get(number)
            lines.append((number, texts[number - 1], later, None if before == later else before))
        return {
            "source": lines,
            "line": location.line,
            "ends": lines_of(location),
            "expression": " ".join(file.text_at(location.span).split()),
        }

    def _why_no_source(self, frame: stepping.StackFrame) -> Iterator[str]:
        if frame.location:
            return
        execution = self._execution
        message = execution.messages.of_step[frame.step]
        code_map = execution.code_map(message)
        if code_map and code_map.stale:
            yield stale_notice(code_map.stale)
        if execution.has_sources:
            yield "“step” goes on to the next line that has one, “opcode” through the opcodes."
        elif execution.has_source(message):
            failure = ", “failure” to where it failed" if execution.failure is not None else ""
            yield f"No statement ran: “opcode” goes on through the opcodes{failure}."
        else:
            yield f"Opcodes can be stepped through. For the source: {ADD_ARTIFACTS}."

    # Values

    def _opcodes(self, at: int) -> Iterator[tuple[int, Step, bytes]]:
        execution = self._execution
        first = max(0, min(at - OPCODES_ABOVE, execution.last - OPCODES_ABOVE - OPCODES_BELOW))
        for number in range(first, min(first + OPCODES_ABOVE + OPCODES_BELOW, execution.last) + 1):
            yield number, execution.steps[number], stepping.operand(execution, number)

    def _stack(self, frame: stepping.StackFrame) -> Iterator[tuple[str, str, bool]]:
        # The words from the top, as hex and as decimal if that helps, and whether they are new.
        words = self._execution.steps[frame.step].stack
        before = self._execution.steps[self._from].stack
        for index in range(len(words) - 1, max(-1, len(words) - 1 - MAX_WORDS), -1):
            word = words[index]
            is_new = index >= len(before) or before[index] != word
            text = f"0x{word:x}" if word < SMALL else f"0x{word:064x}"
            yield text, f"{word:,}" if 9 < word < SMALL else "", is_new

    def _memory(self, frame: stepping.StackFrame) -> dict[str, object]:
        memory = self._execution.messages.of_step[frame.step].memory(frame.step)
        size = len(memory)
        start = min(self._memory_start, max(0, size - 1) // ROW * ROW)
        end = start + MEMORY_ROWS * ROW
        rows = []
        for at in range(start, min(end, size), ROW):
            part = memory[at : at + ROW]
            text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
            rows.append((f"{at:04x}", part.hex(" ", 4), text))
        return {
            "memory": rows,
            "memory_size": size,
            "memory_before": max(0, start - MEMORY_ROWS * ROW) if start else None,
            "memory_after": end if end < size else None,
        }
