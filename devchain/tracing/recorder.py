"""The recorder: told of every message and, where somebody watches, of every opcode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from eth.constants import STACK_DEPTH_LIMIT, UINT_64_MAX
from eth.exceptions import Halt, VMError
from eth.vm import opcode_values as op

from devchain.evm.call_depth import opcode_object
from devchain.tracing import errors as failures
from devchain.tracing.errors import FrameFailure
from devchain.tracing.frames import SELFDESTRUCT, Frame, FrameLog
from devchain.tracing.opcode_step import CREATES, Operation, as_address
from devchain.tracing.options import Budget
from devchain.types import Address

NAMES = {
    op.CALL: "CALL",
    op.CALLCODE: "CALLCODE",
    op.DELEGATECALL: "DELEGATECALL",
    op.STATICCALL: "STATICCALL",
    op.CREATE: "CREATE",
    op.CREATE2: "CREATE2",
}
FRAMING = frozenset({*NAMES, op.SELFDESTRUCT})
"""The opcodes that make frames: these are always observed."""

FRAME_WORDS = LOG_WORDS = 8


class Watcher(Protocol):
    """Somebody who wants to know of opcodes and messages; all of `opcodes` if it is None."""

    opcodes: frozenset[int] | None

    def before(self, operation: Operation) -> None:
        """An opcode is about to run."""

    def after(self, operation: Operation) -> None:
        """It has run, or failed."""

    def entered(self, state: Any, message: Any) -> None:
        """A message is about to run."""


@dataclass(slots=True)
class _Open:
    """A frame that is not finished, with the opcode at work in it."""

    frame: Frame
    first_log: int
    refund_before: int
    refund_of_calls: int = 0
    operation: Operation | None = None


@dataclass
class Recorder:
    """Makes the tree of frames of one transaction; `top` is its root once a message has run.

    `deleted` are the accounts it destroyed, `budget` is what the tree may hold.
    """

    watchers: Sequence[Watcher] = ()
    log_count: int = 0
    budget: Budget = field(default_factory=Budget)
    top: Frame | None = None
    deleted: frozenset[Address] = frozenset()
    _open: list[_Open] = field(default_factory=list)

    @property
    def observed(self) -> frozenset[int] | None:
        """The opcodes it has to be told of; None for all."""
        wanted = FRAMING
        for watcher in self.watchers:
            if watcher.opcodes is None:
                return None
            wanted |= watcher.opcodes
        return wanted

    # Messages

    def run_message(
        self, run: Callable[..., Any], state: Any, message: Any, context: Any, parent: Any
    ) -> Any:
        """Run a message and put its frame under that of its parent."""
        for watcher in self.watchers:
            watcher.entered(state, message)
        frame = self._enter(state, message, parent)
        try:
            computation = run(state, message, context, parent)
        except VMError as error:
            self._leave(frame, failures.failure_of(error))
            raise
        frame.gas_used = computation.get_gas_used()
        frame.output = computation.output
        is_error = computation.is_error
        self._leave(frame, failures.failure_of_computation(computation) if is_error else None)
        if not self._open:
            self.deleted = frozenset(computation.get_accounts_for_deletion())
        return computation

    def _enter(self, state: Any, message: Any, parent: Any) -> Frame:
        above = self._open[-1] if self._open else None
        operation = above.operation if above else None
        frame = _frame_of(message, operation, parent)
        frame.precompiled = message.code_address in state.computation_class.get_precompiles()
        if operation:
            operation.child_gas = message.gas
            operation.has_frame = True
        refund = self.refund(parent) if above else message.refund
        self._open.append(_Open(frame, self.log_count, refund))
        return frame

    def _leave(self, frame: Frame, failure: FrameFailure | None) -> None:
        closed = self._open.pop()
        if failure is not None:
            frame.failure = failure
            frame.drop_logs()
            self.log_count = closed.first_log
        self._place(frame)

    def _place(self, frame: Frame) -> None:
        self.budget.spend(FRAME_WORDS)
        self.budget.spend_bytes(frame.input, frame.output)
        if self._open:
            self._open[-1].frame.calls.append(frame)
        else:
            self.top = frame

    def add_log(self, address: Address, topics: tuple[int, ...], data: bytes) -> None:
        """Note a log of the frame at work."""
        self.budget.spend(LOG_WORDS)
        self.budget.spend_bytes(data)
        frame = self._open[-1].frame
        frame.logs.append(FrameLog(address, topics, data, self.log_count, len(frame.calls)))
        self.log_count += 1

    # Refunds

    def refund(self, computation: Any) -> int:
        """The transaction's refund counter while that computation is at work."""
        here = self._open[-1]
        own: int = computation.get_gas_meter().gas_refunded
        return here.refund_before + here.refund_of_calls + own

    def settle(self, computation: Any, child: Any) -> None:
        """Count the refunds of a call that has come back, as far as its caller counts them."""
        children = computation.children
        computation.children = [child]
        together = computation.get_gas_refund()
        computation.children = []
        self._open[-1].refund_of_calls += together - computation.get_gas_refund()
        computation.children = children

    # Opcodes

    def run_opcode(self, opcode: int, function: Any, computation: Any) -> None:
        """Run an opcode, telling the watchers of it."""
        operation = Operation(
            opcode, opcode_object(function), computation, self.refund(computation)
        )
        here = self._open[-1]
        here.operation = operation
        for watcher in self.watchers:
            watcher.before(operation)
        try:
            function(computation=computation)
        except Halt:
            self._ran(operation)
            raise
        except VMError as error:
            operation.error = error
            self._ran(operation)
            raise
        self._ran(operation)

    def _ran(self, operation: Operation) -> None:
        if operation.error is None and not operation.has_frame:
            if operation.opcode == op.SELFDESTRUCT:
                self._place(_destruction(operation))
            elif operation.opcode in NAMES:
                self._place(_refusal(operation))
        operation.finish()
        for watcher in self.watchers:
            watcher.after(operation)


def _frame_of(message: Any, operation: Operation | None, parent: Any) -> Frame:
    if operation is None:
        kind = "CREATE" if message.is_create else "CALL"
        to = message.storage_address if message.is_create else message.to
    else:
        kind = NAMES[operation.opcode]
        to = message.storage_address if message.is_create else operation.callee
    return Frame(
        kind=kind,
        sender=message.sender if parent is None else parent.msg.storage_address,
        to=to,
        gas=message.gas,
        input=message.code if message.is_create else message.data_as_bytes,
        value=None if kind == "STATICCALL" and not message.value else message.value,
    )


def _destruction(operation: Operation) -> Frame:
    own = operation.computation.msg.storage_address
    beneficiary = as_address(operation.stack[-1])
    return Frame(SELFDESTRUCT, own, beneficiary, 0, b"", operation.balance)


def _refusal(operation: Operation) -> Frame:
    """The frame of a call or creation that failed before its message could run."""
    computation, creates = operation.computation, operation.opcode in CREATES
    failure = _why_refused(operation)
    if creates and failure is failures.ADDRESS_COLLISION:
        operation.child_gas = operation.meter.last_consumed
    gas = operation.child_gas if creates else operation.meter.last_returned
    return Frame(
        kind=NAMES[operation.opcode],
        sender=computation.msg.storage_address,
        to=computation.msg.storage_address if creates else operation.callee,
        gas=gas if gas or not creates else _creation_gas(operation),
        gas_used=operation.child_gas if creates else 0,
        input=computation.read_memory(*operation.input_area),
        value=operation.value,
        failure=failure,
        precompiled=not creates and operation.callee in computation.precompiles,
    )


def _creation_gas(operation: Operation) -> int:
    """What a creation would have been given: on Ethereum all but a 64th, on Rootstock all."""
    remaining: int = operation.computation.get_gas_remaining()
    share = getattr(operation.function, "max_child_gas_modifier", None)
    return share(remaining) if share else remaining


def _why_refused(operation: Operation) -> FrameFailure:
    computation, creates = operation.computation, operation.opcode in CREATES
    state, own = computation.state, computation.msg.storage_address
    if computation.msg.depth >= getattr(operation.function, "depth_limit", STACK_DEPTH_LIMIT):
        return failures.DEPTH_EXCEEDED
    if not creates or operation.balance < (operation.value or 0):
        return failures.INSUFFICIENT_BALANCE
    spent = state.get_nonce(own) >= UINT_64_MAX
    return failures.NONCE_OVERFLOW if spent else failures.ADDRESS_COLLISION
