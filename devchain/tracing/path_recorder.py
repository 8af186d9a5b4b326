"""Recording of paths: the jumps of failed messages, and the internal functions they were in.

A path is what source positions are found from (`source_locator`): where the message ended, the
calls of internal functions that were open, the last jumps, and the operands of the last checks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eth.exceptions import InvalidJumpDestination
from eth.vm import opcode_values as op

from devchain.contracts.internal_calls import InternalCalls
from devchain.tracing.opcode_step import as_int

if TYPE_CHECKING:
    # At run time they are imported by what looks for a place in the source.
    from devchain.contracts.code_map import CodeMap

MAX_JUMPS = 256
JUMPS_OF_CALL = 32
MAX_CHECKS = 16
ARGUMENT_WORDS = 24
"""Words of the stack that are kept at a call of an internal function: its arguments are in them."""

CHECKS = frozenset(
    {op.ADD, op.MUL, op.SUB, op.DIV, op.SDIV, op.MOD, op.SMOD, op.EXP}
    | {op.LT, op.GT, op.SLT, op.SGT, op.EXTCODESIZE}
)
"""Opcodes whose operands tell why a check failed."""

NOTED = frozenset({op.JUMP, op.JUMPI, *CHECKS})
"""Opcodes of which paths consist."""

FindCodeMap = Callable[[Any], "CodeMap | None"]
"""Finds the code map of a message, by its code."""


Jumps = tuple[tuple[int, int], ...]
"""The last jumps that were taken, each with its offset and its destination, in order."""


@dataclass(frozen=True, slots=True)
class InternalCall:
    """A call of an internal function: offset of its jump, destination, and the stack before it.

    `jumps` are those before it, if the code at the offset does not tell where it is from.
    """

    offset: int
    target: int
    stack: tuple[int | bytes, ...]
    jumps: Jumps = ()


@dataclass(frozen=True, slots=True)
class Check:
    """An arithmetic operation or comparison: its offset, opcode and operands, the first on top."""

    offset: int
    opcode: int
    operands: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Stop:
    """A point of a message: the offset, the internal calls that are open, the jumps before it."""

    code_map: CodeMap
    offset: int
    calls: tuple[InternalCall, ...]
    jumps: Jumps


@dataclass(slots=True)
class Path:
    """How a message ran: `end` is the offset of its last opcode, `memory` what it left."""

    code_map: CodeMap
    calls: InternalCalls[InternalCall] = field(init=False)
    jumps: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=MAX_JUMPS))
    checks: deque[Check] = field(default_factory=lambda: deque(maxlen=MAX_CHECKS))
    end: int = 0
    opcode: int = 0
    memory: bytes = b""

    def __post_init__(self) -> None:
        self.calls = InternalCalls(self.code_map.jumps)

    def stop(self, offset: int | None = None) -> Stop:
        """The point at which it ended, or at which it is."""
        where = self.end if offset is None else offset
        calls = tuple(call for _, call, _ in self.calls.open)
        return Stop(self.code_map, where, calls, self._jumps_before(where, MAX_JUMPS))

    def _jumps_before(self, offset: int, count: int) -> Jumps:
        """The last jumps, if the code at an offset has no exact position."""
        return () if self.code_map.exact_position(offset) else tuple(self.jumps)[-count:]

    def note(self, opcode: int, offset: int, words: Sequence[int | bytes]) -> None:
        """Add a jump or a check (one of `NOTED`) that is about to run with this stack."""
        if opcode in CHECKS:
            if len(words) > 1:
                self.checks.append(Check(offset, opcode, (as_int(words[-1]), as_int(words[-2]))))
            elif words:
                self.checks.append(Check(offset, opcode, (as_int(words[-1]), 0)))
        elif words and (opcode == op.JUMP or (len(words) > 1 and as_int(words[-2]))):
            operands = 1 if opcode == op.JUMP else 2
            self._jump(offset, as_int(words[-1]), words, operands)

    def _jump(self, offset: int, target: int, words: Sequence[int | bytes], operands: int) -> None:
        calls = self.calls
        is_call = calls.is_call(offset)
        is_tail = (
            not is_call
            and calls.leave(offset, target) is None
            and self.code_map.is_tail_call(offset, target)
        )
        if is_call or is_tail:
            stack = words[max(0, len(words) - operands - ARGUMENT_WORDS) : len(words) - operands]
            jumps = self._jumps_before(offset, JUMPS_OF_CALL)
            calls.enter(offset, InternalCall(offset, target, tuple(stack), jumps), is_tail=is_tail)
        self.jumps.append((offset, target))


class PathRecorder:
    """Records the paths of messages whose code has a code map."""

    opcodes = NOTED

    def __init__(self, find_code_map: FindCodeMap) -> None:
        self._find_code_map = find_code_map
        self._open: list[Path | None] = []

    def enter(self, message: Any) -> None:
        """Begin the path of a message."""
        code_map = self._find_code_map(message)
        self._open.append(Path(code_map) if code_map else None)

    def leave(self, computation: Any | None) -> Path | None:
        """End the path of a message; None if it succeeded or has no code map."""
        path = self._open.pop()
        if path is None or computation is None or not computation.is_error:
            return None
        code = computation.code
        path.end = max(0, code.program_counter - 1)
        if isinstance(computation.error, InvalidJumpDestination) and path.jumps:
            path.end = path.jumps[-1][0]
        path.opcode = code[path.end] if path.end < len(code) else op.STOP
        path.memory = computation.whole_memory()
        return path

    def site(self, offset: int) -> Stop | None:
        """Where the message that runs is about to send another."""
        path = self._open[-1] if self._open else None
        return path.stop(offset) if path else None

    def note(self, opcode: int, computation: Any) -> None:
        """Record a jump or a check before it runs."""
        path = self._open[-1]
        if path is not None:
            path.note(opcode, computation.code.program_counter - 1, computation.whole_stack())
