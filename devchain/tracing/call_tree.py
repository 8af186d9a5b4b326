"""Call trees as text: names, arguments, events, failures and console lines."""

from __future__ import annotations

from collections.abc import Iterator

from devchain.contracts.console import CONSOLE, console_message
from devchain.contracts.names import Names, raw, raw_log
from devchain.text import amount, printable, shorten
from devchain.tracing.frames import Frame, FrameLog
from devchain.types import WORD_SIZE, Hash32

MAX_LINE = 4_000
"""Characters of a line: a contract can revert with a text of any size."""


def call_tree(top: Frame, names: Names, coin: str) -> str:
    """`top` and the frames below it, a line each, indented by depth; values are in that coin.

    Text of contracts is escaped, so that it makes no lines of its own, and shortened.
    """
    lines = _lines(top, names, coin, "", "")
    return "\n".join(printable(shorten(each, MAX_LINE)) for each in lines)


def _lines(frame: Frame, names: Names, coin: str, lead: str, indent: str) -> Iterator[str]:
    if frame.to == CONSOLE:
        printed = console_message(frame.input)
        yield f"{lead}console.log: {raw(frame.input) if printed is None else printed}"
        return
    yield lead + _frame_line(frame, names, coin)
    below = list(_below(frame, names))
    for place, each in enumerate(below):
        is_last = place == len(below) - 1
        first, rest = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        if isinstance(each, str):
            yield f"{indent}{first}{each}"
        else:
            yield from _lines(each, names, coin, indent + first, indent + rest)


def _frame_line(frame: Frame, names: Names, coin: str) -> str:
    """A call: `✗ [delegatecall] Token.transfer(to=0x12.., amount=10) → true [21,000 gas]`."""
    mark = "✗ " if frame.error else ""
    kind = f"[{frame.kind.lower()}] " if frame.kind in {"DELEGATECALL", "CALLCODE"} else ""
    if frame.is_creation:
        call, output = f"{names.creation(frame.input)} at {names.address_text(frame.to)}", ""
    else:
        call = names.call(frame.to, frame.input)
        output = "" if frame.error else names.output(frame.to, frame.input, frame.output)
    value = f" {{value: {amount(frame.value, coin)}}}" if frame.value else ""
    returned = f" → {output}" if output else ""
    return f"{mark}{kind}{call}{value}{returned} [{frame.gas_used:,} gas]"


def _below(frame: Frame, names: Names) -> Iterator[Frame | str]:
    """Calls, events and at last the failure of a frame, in the order they happened."""
    logs = list(frame.logs)
    for place, call in enumerate(frame.calls):
        while logs and logs[0].position <= place:
            yield f"emit {_event(logs.pop(0), names)}"
        yield call
    yield from (f"emit {_event(each, names)}" for each in logs)
    if frame.error:
        yield f"✗ {_failure(frame, names)}"


def _event(log: FrameLog, names: Names) -> str:
    topics = [Hash32(each.to_bytes(WORD_SIZE, "big")) for each in log.topics]
    return names.event(log.address, topics, log.data) or raw_log(topics, log.data)


def _failure(frame: Frame, names: Names) -> str:
    if not frame.reverted:
        return frame.error or "failed"
    return f"reverted: {names.error(frame.output)}" if frame.output else "reverted"


def console_lines(top: Frame) -> list[str]:
    """The lines that contracts printed with `console.log`, in order."""
    printed = (console_message(each.input) for each in top.walk() if each.to == CONSOLE)
    return [each for each in printed if each is not None]
