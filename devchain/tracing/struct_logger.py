"""The struct logger: a log entry for every opcode that runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eth.vm import opcode_values as op

from devchain.tracing.error_texts import RAISED_BEFORE_RUNNING, failure_of
from devchain.tracing.opcode_step import OpcodeStep, as_int
from devchain.tracing.options import Budget, TraceOptions
from devchain.types import WORD_SIZE, Address

Storage = dict[int, int]

STEP_WORDS = 8


@dataclass(slots=True)
class Step:
    """An opcode: the state before it ran, and what it cost.

    `depth` is 1 at the top. Fields that are switched off are None. `storage` has the slots the
    contract has touched so far; `error` is why the opcode could not run.
    """

    op: str
    pc: int
    gas: int
    depth: int
    refund: int
    cost: int = 0
    error: str | None = None
    stack: list[int] | None = None
    memory: bytes | None = None
    storage: Storage | None = None
    return_data: bytes | None = None


class StructLogger:
    """Logs every opcode as a `Step`, at most `limit` of them."""

    opcodes: frozenset[int] | None = None

    def __init__(
        self, options: TraceOptions, budget: Budget, *, storage_everywhere: bool = False
    ) -> None:
        """`storage_everywhere` adds storage to every step, not only to SLOAD and SSTORE."""
        self._budget = budget
        self.steps: list[Step] = []
        self.storage_before: dict[Address, Storage] = {}
        self._options = options
        self._everywhere = storage_everywhere
        self._open: dict[int, Step] = {}
        self._known: dict[Address, Storage] = {}

    def entered(self, state: Any, message: Any) -> None:
        """Do nothing: a message is not a step."""

    def before(self, step: OpcodeStep) -> None:
        """Log the state before the opcode."""
        storage = None if self._options.disable_storage else self._storage(step)
        if self._options.limit and len(self.steps) >= self._options.limit:
            return
        computation = step.computation
        self._spend_budget(step, storage)
        entry = Step(
            op=step.mnemonic,
            pc=step.pc,
            gas=step.gas,
            depth=computation.msg.depth + 1,
            refund=step.refund,
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

    def storage_after(self, state: Any) -> dict[Address, Storage]:
        """The present values of the touched slots."""
        return {
            address: {slot: state.get_storage(address, slot) for slot in slots}
            for address, slots in self.storage_before.items()
        }

    def _spend_budget(self, step: OpcodeStep, storage: Storage | None) -> None:
        """Spend the size of the entry; raises `LimitExceeded`."""
        words = STEP_WORDS + 2 * len(storage or ())
        computation = step.computation
        words += 0 if self._options.disable_stack else computation.stack_size
        words += computation.memory_size // WORD_SIZE if self._shows_memory else 0
        self._budget.spend(words)

    @property
    def _shows_memory(self) -> bool:
        return self._options.enable_memory and not self._options.disable_memory

    def _storage(self, step: OpcodeStep) -> Storage | None:
        """The slots that the running contract has touched, with the one of this opcode."""
        own: Address = step.computation.msg.storage_address
        touches = step.opcode in {op.SLOAD, op.SSTORE} and len(step.stack) > 1
        touches = touches or (step.opcode == op.SLOAD and bool(step.stack))
        if not touches:
            return dict(self._known.get(own, {})) if self._everywhere else None
        slot = as_int(step.stack[-1])
        found: int = step.computation.state.get_storage(own, slot)
        self.storage_before.setdefault(own, {}).setdefault(slot, found)
        known = self._known.setdefault(own, {})
        known[slot] = found if step.opcode == op.SLOAD else as_int(step.stack[-2])
        return dict(known)
