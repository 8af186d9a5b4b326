"""Call trees as text: names, arguments, events, failures with their source, console lines.

    ✗ Outer.store(amount=9) [30,113 gas]             contracts/Debug.sol:41
    ├─ in Outer.checked(amount=9)                    contracts/Debug.sol:48
    └─ ✗ Inner.take(amount=9) [2,310 gas]            contracts/Debug.sol:17
       └─ ✗ reverted: TooMuch(wanted=9, have=0)

Internal functions that were running are marked with `in`. The reason and the source are below the
call in which the failure arose, not again below those that passed it on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from devchain.contracts.console import console_message
from devchain.contracts.names import Names, raw, raw_log
from devchain.evm.console_capture import CONSOLE
from devchain.source.explain import failure_chain, located_functions, propagated_call
from devchain.source.hints import hint_of, lost_reason
from devchain.source.source_trace import SourceFrame, beside, shown_frames
from devchain.text import amount
from devchain.tracing.frames import DELEGATIONS, Frame, FrameLog

MAX_LINE = 4_000  # characters of a line: a contract can revert with a text of any size
CONSOLE_LIBRARY = "console.sol"

Row = tuple[str, str]  # a line, and the place that is shown at its right


def call_tree(top: Frame, names: Names, coin: str) -> str:
    """`top` and the frames below it, a line each, indented by depth; values are in that coin.

    Text of contracts is escaped, so that it makes no lines of its own, and shortened.
    """
    return "\n".join(beside(_rows(CallWords.of(names, coin, top), top, "", ""), MAX_LINE))


def _rows(words: CallWords, frame: Frame, lead: str, indent: str) -> Iterator[Row]:
    printed = words.console(frame)
    if printed is not None:
        yield f"{lead}console.log: {printed[0]}", printed[1]
        return
    source = words.source(frame)
    place = source[0].place_and_note if source else ""
    yield lead + words.call(frame), place
    below = list(words.below(frame, source[1:]))
    for position, (kind, each) in enumerate(below):
        is_last = position == len(below) - 1
        first, rest = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        if isinstance(each, Frame):
            yield from _rows(words, each, indent + first, indent + rest)
        else:
            yield f"{indent}{first}{kind}{each[0]}", each[1]
    if frame.failure and not propagated_call(frame):
        hint, excerpt = words.explanation(frame, source)
        if hint:
            yield f"{indent}   hint: {hint}", ""
        for line in excerpt:
            yield f"{indent}   {line}", ""


EVENT, INTERNAL, FAILURE = "emit ", "in ", "✗ "  # of lines that are no calls


@dataclass(frozen=True, slots=True)
class CallWords:
    """A tree of calls in words; `cause` is the frame in which the top's failure arose.

    `lost` is what became of its reason on the way to the top.
    """

    names: Names
    coin: str
    cause: Frame
    lost: str

    @classmethod
    def of(cls, names: Names, coin: str, top: Frame) -> CallWords:
        failing = failure_chain(top)
        return cls(names, coin, failing[-1], lost_reason(failing, names))

    def console(self, frame: Frame) -> Row | None:
        """What a call of the console printed, and where; None for any other call."""
        if frame.to != CONSOLE:
            return None
        printed = console_message(frame.input)
        return raw(frame.input) if printed is None else printed, _console_place(frame)

    def source(self, frame: Frame) -> list[SourceFrame]:
        """The functions that were running when a frame failed, the outermost first."""
        return located_functions(frame, self.names) if frame.failure else []

    def explanation(self, frame: Frame, source: Sequence[SourceFrame]) -> tuple[str, Sequence[str]]:
        """The hint to a failure and, for that of the whole, the lines of its source."""
        known = [each for each in source if each.lines]
        is_cause = bool(known) and frame is self.cause
        lost = self.lost if frame is self.cause else ""
        hint = "; ".join(filter(None, (hint_of(frame, self.names), lost)))
        return hint, known[-1].excerpt if is_cause else []

    def call(self, frame: Frame) -> str:
        """A call: `✗ [delegatecall] Token.transfer(to=0x12.., amount=10) → true [21,000 gas]`."""
        mark = FAILURE if frame.error else ""
        kind = f"[{frame.kind.lower()}] " if frame.kind in DELEGATIONS else ""
        sent = frame.transferred
        value = f" {{value: {amount(sent, self.coin)}}}" if sent else ""
        output = self.output(frame)
        returned = f" → {output}" if output else ""
        return f"{mark}{kind}{self.title(frame)}{value}{returned} [{frame.gas_used:,} gas]"

    def title(self, frame: Frame) -> str:
        names = self.names
        if frame.is_creation:
            return f"{names.creation(frame.input)} at {names.address_text(frame.to)}"
        return names.call(frame.to, frame.input)

    def output(self, frame: Frame) -> str:
        if frame.is_creation or frame.error:
            return ""
        return self.names.output(frame.to, frame.input, frame.output)

    def below(
        self, frame: Frame, internal: Sequence[SourceFrame]
    ) -> Iterator[tuple[str, Frame | Row]]:
        """Calls, events and at last the failure of a frame, in the order they happened.

        Lines come with what they begin with. The internal functions that were running come before
        the failure, or before the call that failed in its place.
        """
        cause = propagated_call(frame)
        logs = list(frame.logs)
        for position, call in enumerate(frame.calls):
            while logs and logs[0].position <= position:
                yield EVENT, (self._event(logs.pop(0)), "")
            if call is cause:
                yield from _internal_rows(internal)
            yield "", call
        yield from ((EVENT, (self._event(log), "")) for log in logs)
        if frame.error and not cause:
            yield from _internal_rows(internal)
        if frame.error and not (cause and self.failure(cause) == self.failure(frame)):
            yield FAILURE, (self.failure(frame), "")

    def _event(self, log: FrameLog) -> str:
        event = self.names.event(log.address, log.topics, log.data)
        return event or raw_log(log.topics, log.data)

    def failure(self, frame: Frame) -> str:
        if not frame.reverted:
            return frame.error or "failed"
        return f"reverted: {self.names.error(frame.output)}" if frame.output else "reverted"


def _internal_rows(frames: Sequence[SourceFrame]) -> Iterator[tuple[str, Row]]:
    for frame in shown_frames(frames):
        if isinstance(frame, str):
            yield "", (frame, "")
        else:
            yield INTERNAL, (frame.title, frame.place_and_note)


def _console_place(frame: Frame) -> str:
    site = frame.call_site
    if site is None:
        return ""
    for offset in (site.offset, *(call.offset for call in reversed(site.calls))):
        location = site.code_map.location(offset)
        if location and location.is_of_statement and not location.path.endswith(CONSOLE_LIBRARY):
            return f"{location.path}:{location.line}"
    return ""


def console_lines(top: Frame) -> list[Row]:
    """What contracts printed, and where in the source, `contracts/Vault.sol:17`, or empty."""
    printed = ((console_message(node.input), node) for node in top.walk() if node.to == CONSOLE)
    return [(text, _console_place(each)) for text, each in printed if text is not None]
