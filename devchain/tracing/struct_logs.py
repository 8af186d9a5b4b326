"""Struct logs: one for every opcode that ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eth.vm import opcode_values as op

from devchain.tracing.errors import RAISED_BEFORE_RUNNING, failure_of
from devchain.tracing.opcode_step import Operation, as_int
from devchain.tracing.options import Budget, TraceOptions
from devchain.types import WORD_SIZE, Address

Storage = dict[int, int]

STEP_WORDS = 8


@dataclass(slots=True)
class Step:
    """An opcode, what there was before it ran, and what it cost.

    `depth` is 1 at the top. What was not asked for is None. `storage` has the slots the contract
    has touched so far; `error` says why the opcode could not run.
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


class StepLog:
    """Watches every opcode and writes down a `Step` for it, `limit` of them at most."""

    opcodes: frozenset[int] | None = None

    def __init__(
        self, options: TraceOptions, budget: Budget, *, storage_everywhere: bool = False
    ) -> None:
        """Show what the options ask for; storage at its own opcodes alone, unless everywhere."""
        self._budget = budget
        self.steps: list[Step] = []
        self.storage_before: dict[Address, Storage] = {}
        self._options = options
        self._everywhere = storage_everywhere
        self._open: dict[int, Step] = {}
        self._known: dict[Address, Storage] = {}

    def entered(self, state: Any, message: Any) -> None:
        """A message of its own leaves no step."""

    def before(self, operation: Operation) -> None:
        """Write down what there is."""
        storage = None if self._options.disable_storage else self._storage(operation)
        if self._options.limit and len(self.steps) >= self._options.limit:
            return
        computation = operation.computation
        self._weigh(operation, storage)
        step = Step(
            op=operation.mnemonic,
            pc=operation.pc,
            gas=operation.gas,
            depth=computation.msg.depth + 1,
            refund=operation.refund,
            storage=storage,
        )
        if not self._options.disable_stack:
            step.stack = [as_int(word) for word in computation.whole_stack()]
        if self._shows_memory:
            step.memory = computation.whole_memory()
        if self._options.enable_return_data:
            step.return_data = computation.return_data
        self.steps.append(step)
        self._open[id(operation)] = step

    def after(self, operation: Operation) -> None:
        """Add what it cost, and why it could not run."""
        step = self._open.pop(id(operation), None)
        if step is None:
            return
        step.cost = operation.cost
        if isinstance(operation.error, RAISED_BEFORE_RUNNING):
            step.error = failure_of(operation.error).geth

    def storage_after(self, state: Any) -> dict[Address, Storage]:
        """What the slots that were touched hold now."""
        return {
            address: {slot: state.get_storage(address, slot) for slot in slots}
            for address, slots in self.storage_before.items()
        }

    def _weigh(self, operation: Operation, storage: Storage | None) -> None:
        """Keep the trace to a size that can be sent."""
        words = STEP_WORDS + 2 * len(storage or ())
        computation = operation.computation
        words += 0 if self._options.disable_stack else computation.stack_size
        words += computation.memory_size // WORD_SIZE if self._shows_memory else 0
        self._budget.spend(words)

    @property
    def _shows_memory(self) -> bool:
        return self._options.enable_memory and not self._options.disable_memory

    def _storage(self, operation: Operation) -> Storage | None:
        """The slots known of the contract at work, with what this opcode reads or writes."""
        own: Address = operation.computation.msg.storage_address
        touches = operation.opcode in {op.SLOAD, op.SSTORE} and len(operation.stack) > 1
        touches = touches or (operation.opcode == op.SLOAD and bool(operation.stack))
        if not touches:
            return dict(self._known.get(own, {})) if self._everywhere else None
        slot = as_int(operation.stack[-1])
        found: int = operation.computation.state.get_storage(own, slot)
        self.storage_before.setdefault(own, {}).setdefault(slot, found)
        known = self._known.setdefault(own, {})
        known[slot] = found if operation.opcode == op.SLOAD else as_int(operation.stack[-2])
        return dict(known)
