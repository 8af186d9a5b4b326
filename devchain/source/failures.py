"""Where an execution failed first: found as for source traces, from the steps of a trace.

The messages that failed at the end of the execution, each sent by the one before it, become frames
with paths (`tracing.path_recorder`). Which of them passed on the failure of the next, and where in
the source the last of these failed, is what `source.explain` says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from devchain.contracts.names import Names
from devchain.source.explain import Place, passed_on, place_of
from devchain.source.map import CodeMap
from devchain.source.messages import CALLS, CREATIONS, Message, Messages
from devchain.source.trace import Step
from devchain.tracing.error_texts import REVERTED, FrameFailure
from devchain.tracing.frames import Frame
from devchain.tracing.path_recorder import NOTED, Path
from devchain.types import ZERO_ADDRESS

SENDS = CALLS | CREATIONS
OTHER_FAILURE = FrameFailure("failed")
"""Any failure but a revert; which one makes no difference here."""


def find_failure(
    messages: Messages, steps: Sequence[Step], code_maps: Sequence[CodeMap | None], names: Names
) -> tuple[int, Place | None] | None:
    """The last step of the message that failed first, and where in its source that was.

    Only messages whose failure was passed on to the top count. None if the execution succeeded, or
    the trace ends before. `code_maps` are those of all messages.
    """
    own: dict[int, list[int]] = defaultdict(list)
    for number, message in enumerate(messages.of_step):
        if message.succeeded is False:
            own[message.number].append(number)
    failed: list[tuple[Message, Frame]] = []
    last_sent: Message | None = messages.top
    while last_sent and last_sent.succeeded is False:
        message, frame = last_sent, _frame(last_sent, steps)
        if failed:
            [sent] = failed[-1][1].calls
            frame.call_site = sent.call_site
            failed[-1][1].calls = [frame]
        failed.append((message, frame))
        mine = [(number, steps[number]) for number in own[message.number]]
        _record_path(message, frame, code_maps[message.number], mine)
        site = max((number for number, step in mine if step.op in SENDS), default=None)
        last_sent = next((each for each in message.children[-1:] if each.site == site), None)
    if not failed:
        return None
    first, at = failed[0]
    for message, frame in failed[1:]:
        ends_in_it = message.last > first.last  # a trace that has no step after the failure
        if not ends_in_it and passed_on(at) is not frame:
            break
        first, at = message, frame
    return first.last, place_of(at, names)


def _frame(message: Message, steps: Sequence[Step]) -> Frame:
    reverted = steps[message.last].op == "REVERT" and not steps[message.last].error
    return Frame(
        kind=message.kind,
        sender=message.sender or ZERO_ADDRESS,
        to=message.code_address or ZERO_ADDRESS,
        gas=0,
        input=message.code if message.is_creation else message.data,
        value=message.value,
        output=message.output,
        failure=REVERTED if reverted else OTHER_FAILURE,
    )


def _record_path(
    message: Message, frame: Frame, code_map: CodeMap | None, steps: Sequence[tuple[int, Step]]
) -> None:
    # Of what it sent last, the frame gets the place; the rest only matters if that failed, too.
    path, code = Path(code_map) if code_map else None, message.code
    for _, step in steps:
        opcode = code[step.pc] if step.pc < len(code) else 0
        if path:
            path.end, path.opcode = step.pc, opcode
            if opcode in NOTED:
                path.note(opcode, step.pc, step.stack)
        if step.op in SENDS:
            site = path.stop() if path else None
            sent = Frame(step.op, frame.to, ZERO_ADDRESS, 0, b"", None, call_site=site)
            frame.calls = [sent]
    frame.path = path
