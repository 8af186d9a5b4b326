"""Recording of paths: the jumps of failed messages, and the internal functions they were in.

A path is what source positions are found from (`source.explain`): where the message ended, the
calls of internal functions that were open, the last jumps, and the operands of the last checks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from eth.exceptions import InvalidJumpDestination
from eth.vm import opcode_values as op
from eth_hash.auto import keccak

from devchain.tracing.internal_calls import InternalCall, InternalCalls, Jumps
from devchain.tracing.opcode_step import as_int
from devchain.types import WORD_SIZE

ENTRY = (-1, 0)
"""What stands first among the jumps of a message: that to the start of its code."""

MAX_JUMPS = 256
JUMPS_OF_CALL = 32
MAX_CHECKS = 16
ARGUMENT_WORDS = 24
"""Words of the stack that are kept at a call of an internal function: its arguments are in them."""

MAX_KEPT_MEMORY = 16_384
"""Bytes of memory that are kept of a caller and of a called message that failed.

Variables are at its beginning."""

ERROR, ERROR_HEAD = 0x08C379A0, 64
"""What vyper 0.3 writes before the text of a reason, over variables that it needs no more."""

MAX_READS = 64
MAX_PREIMAGE = 256
MAX_PREIMAGES = 4_096
"""What is kept of reads and hashes, to name the slots that a statement read."""

CHECKS = frozenset(
    {op.ADD, op.MUL, op.SUB, op.DIV, op.SDIV, op.MOD, op.SMOD, op.EXP}
    | {op.LT, op.GT, op.SLT, op.SGT, op.EQ, op.EXTCODESIZE}
)
"""Opcodes whose operands tell why a check failed."""

NOTED = frozenset({op.JUMP, op.JUMPI, *CHECKS})
"""Opcodes of which paths consist."""

CodeMap = Any
"""`source.map.CodeMap`, which is in a layer above."""

FindCodeMap = Callable[[Any], Any]
"""Finds the code map of a message, by its code."""


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
        """The point at which it ended, or at which it is."""
        where = self.end if offset is None else offset
        calls = tuple(call for _, call, _ in self.calls.open)
        return Stop(self.code_map, where, calls, self._jumps_before(where, MAX_JUMPS))

    def _jumps_before(self, offset: int, count: int) -> Jumps:
        return () if self.code_map.exact_position(offset) else tuple(self.jumps)[-count:]

    def note(
        self,
        opcode: int,
        offset: int,
        words: Sequence[int | bytes],
        read_memory: Callable[[int, int], bytes] | None = None,
    ) -> None:
        """Add a jump or a check (one of `NOTED`) that is about to run with this stack."""
        if opcode in CHECKS:
            if len(words) > 1:
                self.checks.append(Check(offset, opcode, (as_int(words[-1]), as_int(words[-2]))))
            elif words:
                self.checks.append(Check(offset, opcode, (as_int(words[-1]), 0)))
        elif words and (opcode == op.JUMP or (len(words) > 1 and as_int(words[-2]))):
            operands = 1 if opcode == op.JUMP else 2
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
        is_call = calls.is_call(offset)
        is_tail = (
            not is_call
            and calls.leave(offset, target) is None
            and self.code_map.is_tail_call(offset, target)
        )
        if is_call or is_tail:
            jumps = self._jumps_before(offset, JUMPS_OF_CALL)
            memory = b""
            if read_memory and self._has_pointers(target):
                memory = read_memory(0, MAX_KEPT_MEMORY)
            stack = tuple(words[-ARGUMENT_WORDS:])
            call = InternalCall(offset, target, stack, len(words), jumps, memory)
            calls.enter(offset, call, is_tail=is_tail)
        self.jumps.append((offset, target))
        self.jumped += 1

    def _has_pointers(self, target: int) -> bool:
        # It may change them: what it was called with is what is there at the call.
        function = None if self.code_map.is_vyper else self.code_map.function_at(target)
        return function is not None and any(
            parameter.kind.endswith(" memory") for parameter in function.parameters
        )


class PathRecorder:
    """Records the paths of messages whose code has a code map."""

    opcodes = NOTED | {op.MSTORE, op.SLOAD, op.SHA3}

    def __init__(self, find_code_map: FindCodeMap) -> None:
        self._find_code_map = find_code_map
        self._open: list[Path | None] = []
        self._preimages: dict[int, bytes] = {}

    def enter(self, message: Any, *, is_delegated: bool = False) -> None:
        """Begin the path of a message; a delegated one works on the storage of its caller."""
        code_map = self._find_code_map(message)
        delegating = self._open[-1] if self._open and is_delegated else None
        path = Path(code_map, delegating, preimages=self._preimages) if code_map else None
        self._open.append(path)

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
        path.stack = tuple(computation.whole_stack())
        path.memory = path.memory or computation.whole_memory()
        if path.opcode == op.REVERT and path.replaced[1]:
            start, content = path.replaced
            path.memory = path.memory[:start] + content + path.memory[start + len(content) :]
        return path

    def keep_memory(self, computation: Any) -> bytes:
        """Keep the beginning of the memory of a called message if it failed; what was kept."""
        path = self._open[-1]
        if path is None or not computation.is_error:
            return b""
        path.memory = computation.read_memory(0, MAX_KEPT_MEMORY)
        return path.memory

    def site(self, offset: int, computation: Any = None) -> Stop | None:
        """Where the message that runs is about to send another."""
        path = self._open[-1] if self._open else None
        if path is None:
            return None
        if path.code_map.is_vyper and computation is not None:
            path.memory_at_call = computation.read_memory(0, MAX_KEPT_MEMORY)
        return path.stop(offset)

    def note(self, opcode: int, computation: Any) -> None:
        """Record a jump or a check before it runs."""
        path = self._open[-1]
        if path is None:
            return
        words, offset = computation.whole_stack(), computation.code.program_counter - 1
        if opcode in NOTED:
            path.note(opcode, offset, words, computation.read_memory)
        elif opcode == op.SLOAD:
            if words:
                slot = as_int(words[-1])
                value = computation.state.get_storage(computation.msg.storage_address, slot)
                path.reads.append(StorageRead(offset, slot, value, path.jumped))
        elif opcode == op.SHA3:
            if len(words) > 1 and WORD_SIZE <= as_int(words[-2]) <= MAX_PREIMAGE:
                self._note_preimage(computation.read_memory(*map(as_int, words[:-3:-1])))
        elif path.code_map.is_vyper and len(words) > 1 and as_int(words[-2]) == ERROR:
            start = as_int(words[-1])
            path.replaced = (start, computation.read_memory(start, ERROR_HEAD))

    def _note_preimage(self, data: bytes) -> None:
        if len(self._preimages) < MAX_PREIMAGES:
            self._preimages[int.from_bytes(keccak(data), "big")] = data
