"""The ERC-7562 tracer: what bundlers need to check the validation rules of user operations.

For each call the opcodes that it used, the slots that it read and wrote, the sizes of the contracts
that it looked at; for the transaction the preimages of KECCAK256, from which the owner of a slot is
known. It records what geth's `erc7562Tracer` does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from eth.vm import opcode_values as op

from devchain.tracing.frames import Frame
from devchain.tracing.opcode_step import CALLS, OpcodeStep, as_address, as_int
from devchain.tracing.options import Budget, TraceOptions
from devchain.types import Address

EXTERNAL_CODE = frozenset({op.EXTCODESIZE, op.EXTCODECOPY, op.EXTCODEHASH})
UNREMARKABLE = frozenset(
    {
        *range(op.PUSH0, op.SWAP16 + 1),
        *(op.POP, op.ADD, op.SUB, op.MUL, op.DIV, op.EQ, op.LT, op.GT, op.SLT, op.SGT),
        *(op.SHL, op.SHR, op.AND, op.OR, op.NOT, op.ISZERO),
    }
)
"""The opcodes that are not counted by default, as geth's."""
MAX_PADDING = 1024 * 1024
"""A hashed area of memory is not recorded that is so many bytes beyond the end."""
ENTRY_WORDS = 4
"""What an entry counts in the budget of a trace."""


@dataclass(slots=True)
class FrameAccess:
    """What the code of one frame accessed; slots by number, contract sizes in bytes.

    `reads` has the value of a slot at its first read, unless the frame had written it; `sizes` the
    size of the code of each account that a call or an EXTCODE opcode named, with the first such
    opcode; `external_code` the accounts of EXTCODE opcodes but for a check that there is code.
    """

    reads: dict[int, int] = field(default_factory=dict)
    writes: Counter[int] = field(default_factory=Counter)
    transient_reads: Counter[int] = field(default_factory=Counter)
    transient_writes: Counter[int] = field(default_factory=Counter)
    external_code: list[Address] = field(default_factory=list)
    opcodes: Counter[int] = field(default_factory=Counter)
    sizes: dict[Address, tuple[int, int]] = field(default_factory=dict)


NO_ACCESS = FrameAccess()


class Erc7562Tracer:
    """Records every opcode's accesses by frame."""

    opcodes: frozenset[int] | None = None

    def __init__(self, options: TraceOptions, budget: Budget) -> None:
        """Count all opcodes but those that the options ignore."""
        ignored = options.ignored_opcodes
        self._ignored = UNREMARKABLE if ignored is None else ignored
        self._budget = budget
        self._accesses: dict[int, FrameAccess] = {}
        self._preimages: set[bytes] = set()
        self._last: tuple[int, Address | None] | None = None

    def access(self, frame: Frame) -> FrameAccess:
        """What a frame of the trace accessed."""
        return self._accesses.get(id(frame), NO_ACCESS)

    @property
    def preimages(self) -> list[bytes]:
        """What the transaction hashed with KECCAK256, each once, sorted."""
        return sorted(self._preimages)

    def entered(self, state: Any, message: Any) -> None:
        """Do nothing: a frame has an access once an opcode runs in it."""

    def before(self, step: OpcodeStep) -> None:
        """Record what the opcode is about to access."""
        access = self._accesses.get(id(step.frame))
        if access is None:
            self._budget.spend(ENTRY_WORDS)
            access = self._accesses[id(step.frame)] = FrameAccess()
        opcode = step.opcode
        if opcode in {op.REVERT, op.RETURN}:
            self._last = None
        if self._last:
            self._look_back(opcode, access, *self._last)
        if opcode in EXTERNAL_CODE:
            self._add_size(step, access, -1)
        elif opcode in CALLS:
            self._add_size(step, access, -2)
        elif opcode == op.SHA3:
            self._add_preimage(step)
        elif step.stack:
            self._add_slot(step, access)
        if opcode != op.GAS and opcode not in self._ignored:
            access.opcodes[opcode] += 1
        top = as_address(step.stack[-1]) if opcode in EXTERNAL_CODE and step.stack else None
        self._last = opcode, top

    def after(self, step: OpcodeStep) -> None:
        """Do nothing: what an opcode accesses is known before it runs."""

    @staticmethod
    def _look_back(opcode: int, access: FrameAccess, last: int, address: Address | None) -> None:
        if address is not None and not (last == op.EXTCODESIZE and opcode == op.ISZERO):
            access.external_code.append(address)
        if last == op.GAS and opcode not in CALLS:
            access.opcodes[op.GAS] += 1

    def _add_size(self, step: OpcodeStep, access: FrameAccess, place: int) -> None:
        if len(step.stack) < -place:
            return
        address = as_address(step.stack[place])
        if address not in access.sizes:
            self._budget.spend(ENTRY_WORDS)
            size = len(step.computation.state.get_code(address))
            access.sizes[address] = (size, step.opcode)

    def _add_slot(self, step: OpcodeStep, access: FrameAccess) -> None:
        slot = as_int(step.stack[-1])
        if step.opcode == op.SLOAD:
            if slot not in access.reads and slot not in access.writes:
                self._budget.spend(ENTRY_WORDS)
                own = step.computation.msg.storage_address
                access.reads[slot] = step.computation.state.get_storage(own, slot)
            return
        counts = {
            op.SSTORE: access.writes,
            op.TLOAD: access.transient_reads,
            op.TSTORE: access.transient_writes,
        }.get(step.opcode)
        if counts is not None:
            if slot not in counts:
                self._budget.spend(ENTRY_WORDS)
            counts[slot] += 1

    def _add_preimage(self, step: OpcodeStep) -> None:
        if len(step.stack) < 2:  # offset and size
            return
        start, size = as_int(step.stack[-1]), as_int(step.stack[-2])
        if start + size > step.computation.memory_size + MAX_PADDING:
            return
        preimage = step.computation.whole_memory()[start : start + size].ljust(size, b"\0")
        if preimage not in self._preimages:
            self._budget.spend_bytes(preimage)
            self._preimages.add(preimage)
