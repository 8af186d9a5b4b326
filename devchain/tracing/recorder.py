"""Recording an execution: an instrumented computation class, and the call frames it builds.

The class of a state's computations is replaced by one from `recording_class`, which runs every
message through `Recorder.run_message`, and through `Recorder.run_opcode` the opcodes that make
frames or that a tracer selects. The recorders of gas and of addresses use `MessageComputation`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, cast

from eth.constants import STACK_DEPTH_LIMIT, UINT_64_MAX
from eth.exceptions import Halt, InvalidJumpDestination, VMError
from eth.vm.computation import BaseComputation
from eth.vm.logic.invalid import InvalidOpcode
from eth.vm.stack import Stack
from eth_hash.auto import keccak

from devchain.evm.bounded import opcode_object
from devchain.evm.opcodes import CALLS, CREATES, Op, name_of
from devchain.evm.rootstock.opcodes import contract_address
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from devchain.tracing import frames as failures
from devchain.tracing.frames import DELEGATIONS, SELFDESTRUCT, Frame, FrameFailure, FrameLog
from devchain.tracing.opcode_step import (
    OpcodeStep,
    OpcodeTracer,
    RecordingGasMeter,
    as_address,
    as_int,
)
from devchain.tracing.options import Budget
from devchain.tracing.paths import (
    MAX_KEPT_MEMORY,
    MAX_PREIMAGE,
    MAX_PREIMAGES,
    NOTED,
    Path,
    Stop,
    StorageRead,
)
from devchain.types import WORD_SIZE, Address, Hash32

if TYPE_CHECKING:  # frames are made without code maps, too
    from devchain.contracts.code_map import CodeMap

SENDING = CALLS | CREATES
FRAMING: frozenset[int] = SENDING | {Op.SELFDESTRUCT}  # make frames: always recorded
FRAME_WORDS = LOG_WORDS = 8

ERROR, ERROR_HEAD = 0x08C379A0, 64  # vyper 0.3 writes it before a reason, over variables


class PathRecorder:
    """Records the paths of messages whose code has a code map."""

    opcodes = NOTED | {Op.MSTORE, Op.SLOAD, Op.KECCAK256}

    def __init__(self, find_code_map: Callable[[Any], CodeMap | None]) -> None:
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
        path.end = max(0, code.program_counter - 1)  # the counter is one ahead
        if isinstance(computation.error, InvalidJumpDestination) and path.jumps:
            path.end = path.jumps[-1][0]
        path.opcode = code[path.end] if path.end < len(code) else Op.STOP
        path.stack = tuple(computation.whole_stack())
        path.memory = path.memory or computation.whole_memory()
        if path.opcode == Op.REVERT and path.replaced[1]:
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

    def site(self, offset: int, computation: Any) -> Stop | None:
        path = self._open[-1] if self._open else None
        if path is None:
            return None
        if path.code_map.is_vyper:
            path.memory_at_call = computation.read_memory(0, MAX_KEPT_MEMORY)
        return path.stop(offset)

    def note(self, opcode: int, computation: Any) -> None:
        path = self._open[-1]
        if path is None:
            return
        words, offset = computation.whole_stack(), computation.code.program_counter - 1
        if opcode in NOTED:
            path.note(opcode, offset, words, computation.read_memory)
        elif opcode == Op.SLOAD:
            if words:
                slot = as_int(words[-1])
                value = computation.state.get_storage(computation.msg.storage_address, slot)
                path.reads.append(StorageRead(offset, slot, value, path.jumped))
        elif opcode == Op.KECCAK256:
            if len(words) > 1 and WORD_SIZE <= as_int(words[-2]) <= MAX_PREIMAGE:
                data = computation.read_memory(*map(as_int, words[:-3:-1]))
                if len(self._preimages) < MAX_PREIMAGES:
                    self._preimages[int.from_bytes(keccak(data), "big")] = data
        elif path.code_map.is_vyper and len(words) > 1 and as_int(words[-2]) == ERROR:
            start = as_int(words[-1])
            path.replaced = (start, computation.read_memory(start, ERROR_HEAD))


@dataclass(slots=True)
class _OpenFrame:
    """A frame that is not finished, with the opcode that runs in it."""

    frame: Frame
    first_log: int
    refund_before: int
    refund_of_calls: int = 0
    step: OpcodeStep | None = None


@dataclass
class Recorder:
    """Builds the tree of frames of one transaction; `top` is its root once a message has run.

    `deleted` are the accounts it destroyed. With `paths`, frames that failed have their path.
    """

    tracers: Sequence[OpcodeTracer] = ()
    log_count: int = 0
    budget: Budget = field(default_factory=Budget)
    paths: PathRecorder | None = None
    top: Frame | None = None
    deleted: frozenset[Address] = frozenset()
    _open: list[_OpenFrame] = field(default_factory=list)

    @property
    def opcodes(self) -> frozenset[int] | None:
        wanted = FRAMING
        for tracer in self.tracers:
            if tracer.opcodes is None:
                return None
            wanted |= tracer.opcodes
        return wanted

    # Messages

    def run_message(
        self, run: Callable[..., Any], state: Any, message: Any, context: Any, parent: Any
    ) -> Any:
        for tracer in self.tracers:
            tracer.entered(state, message)
        frame = self._enter(state, message, parent)
        try:
            computation = run(state, message, context, parent)
        except VMError as error:
            self._leave(frame, failures.failure_of(error))
            raise
        frame.gas_used = computation.get_gas_used()
        frame.output = computation.output
        failure = None
        if computation.is_error and not (
            parent is None and isinstance(computation.error, PrecompileFailed)
        ):
            failure = failures.failure_of_computation(computation)
        self._leave(frame, failure, computation)
        if not self._open:
            self.deleted = frozenset(computation.get_accounts_for_deletion())
        return computation

    def _enter(self, state: Any, message: Any, parent: Any) -> Frame:
        above = self._open[-1] if self._open else None
        step = above.step if above else None
        frame = _message_frame(message, step, parent)
        is_precompile = message.code_address in state.computation_class.get_precompiles()
        frame.precompiled = is_precompile and not message.is_delegation
        if step:
            step.child_gas = message.gas
            step.has_frame = True
        if self.paths:
            frame.call_site = self.paths.site(step.pc, parent) if step else None
            self.paths.enter(message, is_delegated=frame.kind in DELEGATIONS)
        refund = self.refund(parent) if above else message.refund
        self._open.append(_OpenFrame(frame, self.log_count, refund))
        return frame

    def _leave(
        self, frame: Frame, failure: FrameFailure | None, computation: Any | None = None
    ) -> None:
        closed = self._open.pop()
        if self.paths:
            frame.path = self.paths.leave(computation)
        if failure is not None:
            frame.failure = failure
            frame.drop_logs()
            self.log_count = closed.first_log
        self._add_frame(frame)

    def keep_memory(self, computation: Any) -> None:
        """Keep for its path the memory of a called message that failed, which is dropped now."""
        if self.paths:
            self.budget.spend_bytes(self.paths.keep_memory(computation))

    def _add_frame(self, frame: Frame) -> None:
        self.budget.spend(FRAME_WORDS)
        self.budget.spend_bytes(frame.input, frame.output)
        if self._open:
            self._open[-1].frame.calls.append(frame)
        else:
            self.top = frame

    def add_payment(self, computation: Any, receiver: Address, amount: int) -> None:
        """Add what a precompiled contract pays as a call of no gas, as rskj's traces have it."""
        for tracer in self.tracers:
            tracer.before_payment(computation.state, receiver)
        self._add_frame(Frame("CALL", computation.msg.storage_address, receiver, 0, b"", amount))

    def close_frames(self) -> None:
        """Add the frames that run to those of their callers, when the execution is given up."""
        for caller, called in pairwise(self._open):
            caller.frame.calls.append(called.frame)
        if self._open:
            self.top = self._open[0].frame
        self._open.clear()

    def add_log(self, address: Address, topics: tuple[int, ...], data: bytes) -> None:
        self.budget.spend(LOG_WORDS)
        self.budget.spend_bytes(data)
        frame = self._open[-1].frame
        hashes = tuple(Hash32(topic.to_bytes(WORD_SIZE)) for topic in topics)
        frame.logs.append(FrameLog(address, hashes, data, self.log_count, len(frame.calls)))
        self.log_count += 1

    # Refunds

    def refund(self, computation: Any) -> int:
        here = self._open[-1]
        own: int = computation.get_gas_meter().gas_refunded
        return here.refund_before + here.refund_of_calls + own

    def add_refunds_of_call(self, computation: Any, child: Any) -> None:
        """Count the refunds of a finished call, as far as its caller counts them."""
        children = computation.children
        computation.children = [child]
        with_child = computation.get_gas_refund()
        computation.children = []
        self._open[-1].refund_of_calls += with_child - computation.get_gas_refund()
        computation.children = children

    # Opcodes

    def run_opcode(self, opcode: int, function: Any, computation: Any) -> None:
        here = self._open[-1]
        refund = self.refund(computation)
        step = OpcodeStep(opcode, opcode_object(function), computation, refund, here.frame)
        here.step = step
        for tracer in self.tracers:
            tracer.before(step)
        try:
            function(computation=computation)
        except (Halt, VMError) as error:
            step.error = error if isinstance(error, VMError) else None
            self._finish_opcode(step)
            raise
        self._finish_opcode(step)

    def _finish_opcode(self, step: OpcodeStep) -> None:
        if step.error is None and not step.has_frame:
            if step.opcode == Op.SELFDESTRUCT:
                own, beneficiary = step.computation.msg.storage_address, as_address(step.stack[-1])
                self._add_frame(Frame(SELFDESTRUCT, own, beneficiary, 0, b"", step.balance))
            elif step.opcode in SENDING:
                failed = _failed_call_frame(step)
                failed.call_site = (
                    self.paths.site(step.pc, step.computation) if self.paths else None
                )
                self._add_frame(failed)
        step.finish()
        for tracer in self.tracers:
            tracer.after(step)


def _message_frame(message: Any, step: OpcodeStep | None, parent: Any) -> Frame:
    if step is None:
        kind = "CREATE" if message.is_create else "CALL"
        to = message.storage_address if message.is_create else message.to
    else:
        kind = name_of(step.opcode)
        to = message.storage_address if message.is_create else step.callee
    return Frame(
        kind=kind,
        sender=message.sender if parent is None else parent.msg.storage_address,
        to=to,
        gas=message.gas,
        input=message.code if message.is_create else message.data_as_bytes,
        value=None if kind == "STATICCALL" and not message.value else message.value,
        is_top=parent is None,
    )


def _failed_call_frame(step: OpcodeStep) -> Frame:
    computation, creates = step.computation, step.opcode in CREATES
    failure = _call_failure(step)
    if creates and failure is failures.ADDRESS_COLLISION:
        step.child_gas = step.meter.last_consumed
    gas = step.child_gas if creates else step.meter.last_returned
    if creates and not gas:  # what it would have got: on Ethereum all but a 64th, on Rootstock all
        gas = computation.get_gas_remaining()
        share = getattr(step.function, "max_child_gas_modifier", None)
        gas = share(gas) if share else gas
    body = computation.read_memory(*step.input_area)
    return Frame(
        kind=name_of(step.opcode),
        sender=computation.msg.storage_address,
        to=_address_to_create(step, body, failure) if creates else step.callee,
        gas=gas,
        gas_used=step.child_gas if creates else 0,
        input=body,
        value=step.value,
        failure=failure,
        precompiled=not creates and step.callee in computation.precompiles,
    )


def _address_to_create(step: OpcodeStep, init_code: bytes, failure: FrameFailure) -> Address:
    # The address that a creation would have had which failed before its message could run.
    creator, state = step.computation.msg.storage_address, step.computation.state
    if step.opcode == Op.CREATE2:
        salt = as_int(step.stack[-4]).to_bytes(WORD_SIZE)
        return Address(keccak(b"\xff" + creator + salt + keccak(init_code))[-20:])
    # At a collision the nonce has been used.
    return contract_address(
        creator, state.get_nonce(creator) - (failure is failures.ADDRESS_COLLISION)
    )


def _call_failure(step: OpcodeStep) -> FrameFailure:
    computation, creates = step.computation, step.opcode in CREATES
    state, own = computation.state, computation.msg.storage_address
    if computation.msg.depth >= getattr(step.function, "depth_limit", STACK_DEPTH_LIMIT):
        return failures.DEPTH_EXCEEDED
    if not creates or step.balance < (step.value or 0):
        return failures.INSUFFICIENT_BALANCE
    spent = state.get_nonce(own) >= UINT_64_MAX
    return failures.NONCE_OVERFLOW if spent else failures.ADDRESS_COLLISION


# The instrumented computation


class MessageComputation(BaseComputation):
    """A computation class whose messages run through `recorder.run_message`, each once."""

    recorder: ClassVar[Any]

    @classmethod
    def apply_message(
        cls, state: Any, message: Any, transaction_context: Any, parent_computation: Any = None
    ) -> Any:
        run = super().apply_message
        if message.is_create:  # it came through `apply_create_message`
            return run(state, message, transaction_context, parent_computation)
        return cls.recorder.run_message(
            run, state, message, transaction_context, parent_computation
        )

    @classmethod
    def apply_create_message(
        cls, state: Any, message: Any, transaction_context: Any, parent_computation: Any = None
    ) -> Any:
        return cls.recorder.run_message(
            super().apply_create_message, state, message, transaction_context, parent_computation
        )


class RecordingComputation(MessageComputation):
    """The base class that `recording_class` puts before a computation class."""

    def release(self) -> None:
        """Drop memory and data of an ended message, once its path has what it needs of them."""
        self.recorder.keep_memory(self)
        super().release()  # type: ignore[misc]  # of `BoundedComputation`, behind this class

    def add_child_computation(self, child_computation: Any) -> None:
        super().add_child_computation(child_computation)
        self.recorder.add_refunds_of_call(self, child_computation)

    def note_payment(self, receiver: Address, amount: int) -> None:
        self.recorder.add_payment(self, receiver, amount)

    def add_log_entry(self, account: Address, topics: tuple[int, ...], data: bytes) -> None:
        super().add_log_entry(account, topics, data)
        self.recorder.add_log(account, topics, data)

    def _configure_gas_meter(self) -> Any:
        meter = super()._configure_gas_meter()
        return RecordingGasMeter(meter.start_gas, meter.refund_strategy)

    # Read by tracers

    def whole_stack(self) -> list[int | bytes]:
        """All words of the stack, the bottom first: the list itself, for reading."""
        return cast(Stack, self._stack).values

    @property
    def memory_size(self) -> int:
        return len(self._memory)

    def whole_memory(self) -> bytes:
        return self.read_memory(0, len(self._memory))

    def read_memory(self, start: int, size: int) -> bytes:
        return self._memory.read_bytes(start, size)


def _recorded(opcode: int, function: Any, recorder: Recorder) -> Callable[..., None]:
    def run(computation: Any) -> None:
        if computation.msg.code:
            recorder.run_opcode(opcode, function, computation)
        else:  # the STOP of an account without code
            function(computation=computation)

    return run


def _noted(opcode: int, function: Any, paths: PathRecorder) -> Callable[..., None]:
    # An opcode that only the path recorder reads costs less than a step.
    def run(computation: Any) -> None:
        paths.note(opcode, computation)
        function(computation=computation)

    return run


class _AllRecorded(dict[int, Any]):
    """An opcode table that records opcodes that do not exist, too."""

    recorder: Recorder

    def __missing__(self, opcode: int) -> Any:
        return _recorded(opcode, InvalidOpcode(opcode), self.recorder)


def recording_class(kind: Any, recorder: Recorder) -> Any:
    """A subclass of a computation class that reports to the recorder.

    Compiled code is not recorded: the fast engine's classes are replaced by their `reference`,
    which runs opcode by opcode.
    """
    kind = getattr(kind, "reference", kind)
    wanted = recorder.opcodes
    table = _AllRecorded() if wanted is None else {}
    paths = recorder.paths
    for opcode, plain in kind.opcodes.items():
        function = plain
        if paths and opcode in paths.opcodes:
            function = _noted(opcode, plain, paths)
        recorded = wanted is None or opcode in wanted
        table[opcode] = _recorded(opcode, function, recorder) if recorded else function
    if isinstance(table, _AllRecorded):
        table.recorder = recorder
    return type(
        kind.__name__, (RecordingComputation, kind), {"recorder": recorder, "opcodes": table}
    )
