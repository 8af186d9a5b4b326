"""The struct logger: a log entry for every opcode that runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from devchain.errors import LimitExceeded
from devchain.evm.opcodes import OPCODES, Op
from devchain.tracing.frames import RAISED_BEFORE_RUNNING, failure_of
from devchain.tracing.opcode_step import OpcodeStep, as_int
from devchain.tracing.options import Budget, TraceOptions
from devchain.types import WORD_SIZE, Address

Storage = dict[int, int]

STEP_WORDS = 8


@dataclass(slots=True)
class Step:
    """An opcode: the state before it ran, and what it cost.

    `depth` is 1 at the top, `code` the opcode's byte, `memory_size` in bytes. Fields that are
    switched off are None. `storage` has the slots the contract has touched so far; `error` is why
    the opcode could not run.
    """

    op: str
    code: int
    pc: int
    gas: int
    depth: int
    refund: int
    memory_size: int
    cost: int = 0
    error: str | None = None
    stack: list[int] | None = None
    memory: bytes | None = None
    storage: Storage | None = None
    return_data: bytes | None = None


class StructLogger:
    """Logs every opcode as a `Step`, at most `limit` of them."""

    opcodes: frozenset[int] | None = None

    def __init__(self, options: TraceOptions, budget: Budget) -> None:
        self._budget = budget
        self.steps: list[Step] = []
        self._options = options
        self._open: dict[int, Step] = {}
        self._known: dict[Address, Storage] = {}

    def entered(self, state: Any, message: Any) -> None:
        """Do nothing: a message is not a step."""

    def before(self, step: OpcodeStep) -> None:
        """Log the state before the opcode."""
        storage = self._storage(step)
        if self._options.disable_storage:
            storage = None
        if self._options.limit and len(self.steps) >= self._options.limit:
            if self._options.stops:
                raise LimitExceeded(f"the trace has {self._options.limit:,} steps")
            return
        computation = step.computation
        self._spend_budget(step, storage)
        entry = Step(
            op=step.mnemonic,
            code=step.opcode,
            pc=step.pc,
            gas=step.gas,
            depth=computation.msg.depth + 1,
            refund=step.refund,
            memory_size=computation.memory_size,
            storage=storage,
        )
        if not self._options.disable_stack:
            entry.stack = [as_int(word) for word in computation.whole_stack()]
        if self._shows_memory:
            entry.memory = computation.whole_memory()
        if self._options.enable_return_data:
            entry.return_data = computation.return_data
        self.steps.append(entry)
        self._open[id(step)] = entry

    def after(self, step: OpcodeStep) -> None:
        """Add the gas cost, and the error if the opcode could not run."""
        entry = self._open.pop(id(step), None)
        if entry is None:
            return
        entry.cost = step.cost
        if isinstance(step.error, RAISED_BEFORE_RUNNING):
            entry.error = failure_of(step.error).geth

    def _spend_budget(self, step: OpcodeStep, storage: Storage | None) -> None:
        words = STEP_WORDS + 2 * len(storage or ())
        computation = step.computation
        words += 0 if self._options.disable_stack else computation.stack_size
        words += computation.memory_size // WORD_SIZE if self._shows_memory else 0
        self._budget.spend(words)

    @property
    def _shows_memory(self) -> bool:
        return self._options.enable_memory and not self._options.disable_memory

    def _storage(self, step: OpcodeStep) -> Storage | None:
        slot = _slot_of(step)
        if slot is None or self._options.disable_storage:
            return None
        known = self._known.setdefault(step.computation.msg.storage_address, {})
        if step.opcode == Op.SLOAD:
            own = step.computation.msg.storage_address
            known[slot] = step.computation.state.get_storage(own, slot)
        else:
            known[slot] = as_int(step.stack[-2])
        return dict(known)


class RskStructLogger(StructLogger):
    """Logs opcodes as rskj does: storage at each of them, no STOP after the end of the code.

    Storage has the slots that are not zero of those accessed by earlier opcodes. `initial_storage`
    and `storage` have those before and after the execution, by contract.
    """

    def __init__(self, options: TraceOptions, budget: Budget) -> None:
        super().__init__(options, budget)
        self.initial_storage: dict[Address, Storage] = {}
        self.storage = self._known
        self._first_values: dict[Address, Storage] = {}
        self._accessed: dict[int, int] = {}  # the slot of the last opcode, by depth

    def entered(self, state: Any, message: Any) -> None:
        """Begin without a slot."""
        del state
        self._accessed.pop(message.depth, None)

    def before(self, step: OpcodeStep) -> None:
        """Log the state before the opcode."""
        if step.pc < len(step.computation.msg.code):
            super().before(step)

    def _storage(self, step: OpcodeStep) -> Storage:
        computation = step.computation
        own: Address = computation.msg.storage_address
        known = self._known.setdefault(own, {})
        depth = computation.msg.depth
        accessed = self._accessed.pop(depth, None)
        if accessed is not None:
            _set(known, accessed, computation.state.get_storage(own, accessed))
        slot = _slot_of(step)
        if slot is not None:
            self._accessed[depth] = slot
            self._note_first(own, slot, computation.state.get_storage(own, slot))
        return dict(known)

    def _note_first(self, own: Address, slot: int, value: int) -> None:
        first = self._first_values.setdefault(own, {})
        if slot not in first:
            first[slot] = value
            _set(self.initial_storage.setdefault(own, {}), slot, value)


def _slot_of(step: OpcodeStep) -> int | None:
    needed = OPCODES[step.opcode].pops if step.opcode in {Op.SLOAD, Op.SSTORE} else None
    if needed is None or len(step.stack) < needed:
        return None
    return as_int(step.stack[-1])


def _set(storage: Storage, slot: int, value: int) -> None:
    if value:
        storage[slot] = value
    else:
        storage.pop(slot, None)
