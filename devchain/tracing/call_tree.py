"""Call trees as text: names, arguments, events, failures and console lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from devchain.contracts.abi import decode_call, format_arguments, format_value
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.console import CONSOLE, console_message
from devchain.contracts.revert_reasons import decode_reason
from devchain.text import printable
from devchain.tracing.frames import Frame, FrameLog
from devchain.types import SELECTOR_SIZE, WORD_SIZE, Address, Hash32

LONGEST_DATA = 36


@dataclass(frozen=True, slots=True)
class Names:
    """Names of contracts, calls, events and errors, from artifacts and the code at each address."""

    registry: Registry
    code_at: Callable[[Address], bytes]

    def contract(self, address: Address) -> str:
        """A contract's name, else its address."""
        found = self.registry.find_by_code(self.code_at(address), address)
        return found.name if found else "0x" + address.hex()

    def call(self, frame: Frame) -> str:
        """The call of a frame: `Token.transfer(to=0x.., amount=10)`."""
        if frame.is_creation:
            made = self.registry.find_by_init_code(frame.input)
            return f"new {made.name if made else 'contract'} at 0x{frame.to.hex()}"
        artifact = self.registry.find_by_code(self.code_at(frame.to), frame.to)
        decoded = decode_call(artifact.abi, frame.input) if artifact else None
        return f"{self.contract(frame.to)}{f'.{decoded}' if decoded else _raw(frame.input)}"

    def return_value(self, frame: Frame) -> str:
        """The return value of a frame, ` → 10`; empty if there is none."""
        artifact = self.registry.find_by_code(self.code_at(frame.to), frame.to)
        if not frame.output or frame.is_creation or frame.error:
            return ""
        entry = artifact.abi.functions.get(frame.input[:SELECTOR_SIZE]) if artifact else None
        found = entry.decode_output(frame.output) if entry else None
        if entry is None or found is None:
            return f" → {_shortened(frame.output)}"
        return f" → {format_arguments(entry.outputs, found)}" if found else ""

    def event(self, log: FrameLog) -> str:
        """An event: `Transfer(from=0x.., to=0x.., value=10)`."""
        topics = tuple(Hash32(each.to_bytes(WORD_SIZE, "big")) for each in log.topics)
        code = self.code_at(log.address)
        decoded = self.registry.decode_event(code, topics, log.data, log.address)
        if decoded:
            return str(decoded)
        shown = ", ".join([*(_shortened(each) for each in topics), _shortened(log.data)])
        return f"log({shown})"

    def failure(self, frame: Frame) -> str:
        """Why a frame failed."""
        if not frame.reverted:
            return frame.error or "failed"
        error = self.registry.decode_error(frame.output)
        reason = str(error) if error else decode_reason(frame.output)
        return f"reverted: {reason or _shortened(frame.output)}" if frame.output else "reverted"


def call_tree(top: Frame, names: Names) -> str:
    """`top` and the frames below it, a line each, indented by depth.

    Text of contracts is escaped, so that it makes no lines of its own.
    """
    return "\n".join(map(printable, _lines(top, names, "", "")))


def console_lines(top: Frame) -> list[str]:
    """The lines that contracts printed with `console.log`, in order."""
    printed = (console_message(each.input) for each in top.walk() if each.to == CONSOLE)
    return [each for each in printed if each is not None]


def _lines(frame: Frame, names: Names, lead: str, indent: str) -> Iterator[str]:
    if frame.to == CONSOLE:
        printed = console_message(frame.input)
        yield f"{lead}console.log: {printed if printed is not None else _raw(frame.input)}"
        return
    mark = "✗ " if frame.error else ""
    value = f" {{value: {frame.value}}}" if frame.value else ""
    kind = f"[{frame.kind.lower()}] " if frame.kind in {"DELEGATECALL", "CALLCODE"} else ""
    gas = f" [{frame.gas_used} gas]"
    yield f"{lead}{mark}{kind}{names.call(frame)}{value}{names.return_value(frame)}{gas}"
    below = list(_below(frame, names))
    for place, each in enumerate(below):
        is_last = place == len(below) - 1
        first, rest = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        if isinstance(each, str):
            yield f"{indent}{first}{each}"
        else:
            yield from _lines(each, names, indent + first, indent + rest)


def _below(frame: Frame, names: Names) -> Iterator[Frame | str]:
    """Calls, events and at last the failure of a frame, in the order they happened."""
    logs = list(frame.logs)
    for place, call in enumerate(frame.calls):
        while logs and logs[0].position <= place:
            yield f"emit {names.event(logs.pop(0))}"
        yield call
    yield from (f"emit {names.event(each)}" for each in logs)
    if frame.error:
        yield f"✗ {names.failure(frame)}"


def _raw(call_data: bytes) -> str:
    """Call data without an ABI."""
    return f"({_shortened(call_data)})" if call_data else ""


def _shortened(data: bytes) -> str:
    shown = format_value(data[:LONGEST_DATA])
    return shown if len(data) <= LONGEST_DATA else f"{shown}… ({len(data)} bytes)"
