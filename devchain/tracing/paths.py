"""Paths of messages: the jumps that they took, and the calls of functions that are open.

Source locations are found from a path (`source.explain`). Compilers mark the jumps into functions,
and solc those out of them. A function returns to the instruction behind the jump that called it:

    12 JUMP   i   pay() calls take()           open: pay to 13
    80 JUMP   i   take() calls a helper        open: pay to 13, take to 81
    95 JUMP   -   the helper returns to 81     open: pay to 13
    97 JUMP   o   take() returns to 13         open: none
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from devchain.contracts.source_map import INTO, OUT_OF
from devchain.evm.opcodes import Op
from devchain.tracing.opcode_step import as_int

if TYPE_CHECKING:  # frames are made without code maps, too
    from devchain.contracts.code_map import CodeMap

MAX_OPEN = 1024  # calls, as many as the stack has words: each has its return offset there
Kept = TypeVar("Kept")

Jumps = tuple[tuple[int, int], ...]  # the last that were taken, each from and to, in order


@dataclass(frozen=True, slots=True)
class InternalCall:
    """A call of an internal function: offset of its jump, destination, and the stack before it.

    `stack` is the top of it, without the operands of the jump, `height` how many words it had.
    `jumps` are those before it. `memory` is its beginning at the call, if the function has
    parameters that point there.
    """

    offset: int
    target: int
    stack: Sequence[int | bytes]
    height: int
    jumps: Jumps = ()
    memory: bytes = b""


class InternalCalls(Generic[Kept]):
    """The internal calls that are open in a message.

    `open` has them from the outermost on: the offset that each returns to, and what the follower
    keeps of it.
    """

    __slots__ = ("fixed", "jumps", "open")

    def __init__(self, jumps: Mapping[int, str], fixed: Collection[int] = ()) -> None:
        """Follow a message whose code has these marks at its jumps, by offset (`CodeMap.jumps`).

        Jumps at the offsets `fixed` (`CodeMap.fixed_jumps`) return from nothing.
        """
        self.jumps = jumps
        self.fixed = fixed
        self.open: list[tuple[int, Kept]] = []

    def is_call(self, offset: int) -> bool:
        return self.jumps.get(offset) == INTO

    def enter(self, offset: int, kept: Kept) -> bool:
        """Open the call of a function by the jump at an offset; False if too many are open."""
        if len(self.open) >= MAX_OPEN:
            return False
        self.open.append((offset + 1, kept))
        return True

    def leave(self, offset: int, target: int) -> Kept | None:
        """Close the calls that a jump returns from; what was kept of the outermost of them.

        That is the innermost call that returns to the target, with those within it: of a function
        that the optimizer ended with a call, no jump returns. A marked jump returns at least from
        the innermost.
        """
        calls = self.open
        if not calls or offset in self.fixed:
            return None
        first = len(calls) - 1 if self.is_call(target - 1) else -1
        while first >= 0 and calls[first][0] != target:
            first -= 1
        if first < 0:
            if self.jumps.get(offset) != OUT_OF:
                return None
            first = len(calls) - 1
        kept = calls[first][1]
        del calls[first:]
        return kept


ENTRY = (-1, 0)  # what stands first among the jumps of a message: that to the start of its code
MAX_JUMPS = 256
JUMPS_OF_CALL = 32
MAX_CHECKS = 16
ARGUMENT_WORDS = 24  # of the stack, kept at a call of an internal function

MAX_KEPT_MEMORY = 16_384
"""Bytes of memory that are kept of a caller and of a called message that failed.

Variables are at its beginning."""

MAX_READS = 64
MAX_PREIMAGE = 256
MAX_PREIMAGES = 4_096  # what is kept of reads and hashes, to name the slots that a statement read

CHECKS = frozenset(
    {Op.ADD, Op.MUL, Op.SUB, Op.DIV, Op.SDIV, Op.MOD, Op.SMOD, Op.EXP}
    | {Op.LT, Op.GT, Op.SLT, Op.SGT, Op.EQ, Op.EXTCODESIZE}
)
"""Opcodes whose operands tell why a check failed."""

NOTED = frozenset({Op.JUMP, Op.JUMPI, *CHECKS})  # opcodes of which paths consist


@dataclass(frozen=True, slots=True)
class Check:
    """An arithmetic operation or comparison: its offset, opcode and operands, the first on top."""

    offset: int
    opcode: int
    operands: tuple[int, int]


@dataclass(frozen=True, slots=True)
class StorageRead:
    """A slot that was read: offset of the opcode, slot, value, and how many jumps came before."""

    offset: int
    slot: int
    value: int
    jumps: int


@dataclass(frozen=True, slots=True)
class Stop:
    """A point of a message: the offset, the internal calls that are open, the jumps before it."""

    code_map: CodeMap
    offset: int
    calls: tuple[InternalCall, ...]
    jumps: Jumps


@dataclass(slots=True)
class Path:
    """How a message ran: `end` is the offset of its last opcode.

    `stack` and `memory` are what it left, `memory_at_call` what it had when it sent the last
    message: what that returned has been copied over it, before a failure is passed on. `replaced`
    is the memory (address and bytes) over which vyper wrote the head of an error. `reads` are the
    last slots that were read, `preimages` what the execution hashed, by its hash; `jumped` counts
    all jumps that were taken. `delegating` is that of the caller whose storage the message
    works on.
    """

    code_map: CodeMap
    delegating: Path | None = field(default=None, repr=False)
    calls: InternalCalls[InternalCall] = field(init=False)
    jumps: deque[tuple[int, int]] = field(default_factory=lambda: deque([ENTRY], MAX_JUMPS))
    checks: deque[Check] = field(default_factory=lambda: deque(maxlen=MAX_CHECKS))
    end: int = 0
    opcode: int = 0
    stack: tuple[int | bytes, ...] = ()
    memory: bytes = b""
    memory_at_call: bytes = b""
    replaced: tuple[int, bytes] = (0, b"")
    jumped: int = 0
    reads: deque[StorageRead] = field(default_factory=lambda: deque(maxlen=MAX_READS))
    preimages: dict[int, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.calls = InternalCalls(self.code_map.jumps, self.code_map.fixed_jumps)

    def stop(self, offset: int | None = None) -> Stop:
        where = self.end if offset is None else offset
        calls = tuple(call for _, call in self.calls.open)
        return Stop(self.code_map, where, calls, tuple(self.jumps))

    def note(
        self,
        opcode: int,
        offset: int,
        words: Sequence[int | bytes],
        read_memory: Callable[[int, int], bytes] | None = None,
    ) -> None:
        """Add a jump or a check (one of `NOTED`) that is about to run with this stack."""
        if opcode in CHECKS:
            if words:
                second = as_int(words[-2]) if len(words) > 1 else 0
                self.checks.append(Check(offset, opcode, (as_int(words[-1]), second)))
        elif words and (opcode == Op.JUMP or (len(words) > 1 and as_int(words[-2]))):
            operands = 1 if opcode == Op.JUMP else 2
            target, below = as_int(words[-1]), words[: len(words) - operands]
            self._jump(offset, target, below, read_memory)

    def _jump(
        self,
        offset: int,
        target: int,
        words: Sequence[int | bytes],
        read_memory: Callable[[int, int], bytes] | None,
    ) -> None:
        calls = self.calls
        if calls.is_call(offset):
            jumps, memory = tuple(self.jumps)[-JUMPS_OF_CALL:], b""
            if read_memory and not self.code_map.is_vyper:
                function = self.code_map.function_at(target)
                if function and any(
                    parameter.kind.endswith(" memory") for parameter in function.parameters
                ):
                    memory = read_memory(0, MAX_KEPT_MEMORY)  # which the function may change
            stack = tuple(words[-ARGUMENT_WORDS:])
            calls.enter(offset, InternalCall(offset, target, stack, len(words), jumps, memory))
        else:
            calls.leave(offset, target)
        self.jumps.append((offset, target))
        self.jumped += 1
