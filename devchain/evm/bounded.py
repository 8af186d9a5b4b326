"""VM classes whose executions keep to the deadline, the memory limit and CPython's depth of calls.

`with_bounds` puts `BoundedComputation` before the computation class of a VM, of either engine. It
changes no result: an execution that exceeds a bound ends with an error that no contract can catch.

CPython 3.12 and later limit how many calls from C into Python can be nested, to some hundreds:
objects with a `__call__`, which py-evm's opcodes for calls are, and generators under `sum`. So call
opcodes become bound methods (`calls_as_methods`), and the results of nested calls are collected in
a loop (`IterativeComputation`): calls are as deep as the EVM allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain, repeat
from typing import Any

from eth.abc import ComputationAPI
from eth.constants import CREATE_CONTRACT_ADDRESS
from eth.vm.code_stream import CodeStream
from eth.vm.computation import BaseComputation, memory_gas_cost
from eth.vm.forks.spurious_dragon._utils import THREE, collect_touched_accounts
from eth.vm.forks.spurious_dragon.state import SpuriousDragonTransactionExecutor
from eth.vm.memory import Memory
from eth.vm.opcode import Opcode

from devchain.evm import deadline, memory_limit
from devchain.evm.opcodes import Op
from devchain.evm.rules import vm_with
from devchain.types import Address

OPCODES_PER_CHECK = 1_024  # opcodes that an interpreter runs between two checks of the deadline
BYTES_PER_CHECK = 65_536  # an opcode that reads or writes that much memory checks the deadline
SECONDS_PER_GAS = 10e-9  # what a precompiled contract may take for the gas that it charges
KEPT_MESSAGE = 1_024  # bytes that a nested message takes which is kept for its logs or refunds
KEPT_LOG = 256  # bytes that a log takes besides its data
_NO_MEMORY = Memory()
_NO_CODE = CodeStream(b"")


class _CheckedCode(CodeStream):
    """Code whose iteration checks the deadline."""

    __slots__ = ()

    def __init__(self, code: CodeStream) -> None:
        super().__init__(code._raw_code_bytes)  # noqa: SLF001  # CodeStream has no public name for it
        self.program_counter = code.program_counter

    def __iter__(self) -> Iterator[int]:
        code = self._raw_code_bytes
        while True:
            for _ in repeat(None, OPCODES_PER_CHECK):
                try:
                    opcode = code[self.program_counter]
                except IndexError:
                    yield Op.STOP
                    return
                self.program_counter += 1
                yield opcode
            deadline.check()


class BoundedComputation(BaseComputation):
    """The base class that `with_bounds` puts before a computation class."""

    clears_empty_accounts = False  # whether a transaction's end removes them (EIP-161)

    @classmethod
    def apply_message(
        cls, state: Any, message: Any, transaction_context: Any, parent_computation: Any = None
    ) -> Any:
        deadline.check()
        if message.depth == 0:
            memory_limit.start(state.execution_context.memory_limit)
            return super().apply_message(state, message, transaction_context, parent_computation)
        computation: Any = super().apply_message(
            state, message, transaction_context, parent_computation
        )
        computation.release()
        return computation

    def release(self) -> None:
        """Drop memory and data of an ended message: its caller reads the output alone."""
        message: Any = self.msg
        memory_limit.release(len(self._memory))
        self._memory = _NO_MEMORY
        message.data = self.return_data = b""

    def __enter__(self) -> ComputationAPI:
        """Check while py-evm's interpreter runs the code."""
        if type(self.code) is CodeStream:  # others check themselves
            self.code = _CheckedCode(self.code)
        return super().__enter__()

    def add_child_computation(self, child_computation: Any) -> None:
        """Add an ended message, and keep it only if the end of the transaction reads it.

        A loop of calls must not fill the memory with messages that have changed nothing.
        """
        super().add_child_computation(child_computation)
        if _is_read_later(child_computation):
            memory_limit.keep(KEPT_MESSAGE)
            child_computation.msg.code = b""
            child_computation.code = _NO_CODE
        else:
            self.children.pop()
            if self.clears_empty_accounts:
                self._keep_touched(child_computation)

    def _keep_touched(self, ended: Any) -> None:
        # That an account was touched outlasts an error for RIPEMD-160 alone, as in py-evm.
        touched = ended.msg.to
        if ended.is_error:
            if THREE not in ended.beneficiaries and THREE not in collect_touched_accounts(ended):
                return
            touched = THREE
        is_new = touched != CREATE_CONTRACT_ADDRESS and touched not in self.beneficiaries
        if is_new and self.state.account_is_empty(touched):
            self.beneficiaries.append(touched)

    def add_log_entry(self, account: Any, topics: Any, data: bytes) -> None:
        memory_limit.keep(KEPT_LOG + len(data))
        super().add_log_entry(account, topics, data)

    def extend_memory(self, start_position: int, size: int) -> None:
        if not size:
            return
        memory, end = self._memory, start_position + size
        before = len(memory)
        if end > before:
            after = end + 31 & -32
            self._gas_meter.consume_gas(
                memory_gas_cost(after) - memory_gas_cost(before),
                f"Expanding memory {before} -> {after}",
            )
            memory_limit.expand(before, after)
            memory.extend(start_position, size)
        if size >= BYTES_PER_CHECK:
            deadline.check()


def _is_read_later(ended: Any) -> bool:
    return not ended.is_error and bool(
        ended.children
        or ended._log_entries  # noqa: SLF001  # py-evm has no public name for it
        or ended.accounts_to_delete
        or ended._gas_meter.gas_refunded  # noqa: SLF001
        or ended.beneficiaries
    )


# Calls as deep as the EVM allows


def calls_as_methods(table: Mapping[int, Any]) -> dict[int, Any]:
    """An opcode table whose calls and creations are bound methods instead of callable objects."""
    return {
        opcode: entry.__call__ if isinstance(entry, Opcode) else entry
        for opcode, entry in table.items()
    }


def opcode_object(entry: Any) -> Any:
    """The opcode object of a table's entry, which may be a method of it."""
    return getattr(entry, "__self__", entry)


class IterativeComputation(BaseComputation):
    """A computation that collects refunds, logs and deletions of nested calls in a loop.

    It comes before py-evm's class among the bases; py-evm's methods call those of the children.
    """

    def successful_computations(self, *, with_creations: bool = True) -> list[Any]:
        """This computation and those below it, without failed ones and what is below them."""
        found: list[Any] = [] if self.is_error else [self]
        for computation in found:  # which grows meanwhile
            if computation.children:
                found += [
                    child
                    for child in computation.children
                    if not child.is_error and (with_creations or not child.msg.is_create)
                ]
        return found

    def get_gas_refund(self) -> int:
        refunds = [computation.own_refund for computation in self.successful_computations()]
        refund: int = self.msg.refund + sum(refunds)
        return refund

    @property
    def own_refund(self) -> int:
        return int(self._gas_meter.gas_refunded)

    def get_raw_log_entries(self) -> Any:
        entries = [
            computation._log_entries  # noqa: SLF001  # of this class
            for computation in self.successful_computations()
        ]
        return tuple(sorted(chain.from_iterable(entries)))

    def get_accounts_for_deletion(self) -> list[Address]:
        computations = self.successful_computations()
        return list(
            {address for computation in computations for address in computation.accounts_to_delete}
        )

    def get_self_destruct_beneficiaries(self) -> list[Address]:
        computations = self.successful_computations()
        return list(
            {address for computation in computations for address in computation.beneficiaries}
        )


# Precompiled contracts


def _bounded_precompile(contract: Callable[[Any], Any]) -> Callable[[Any], Any]:

    def run(computation: Any) -> Any:
        computation.consume_gas = partial(_charge, computation.consume_gas)
        return contract(computation)

    return run


def _charge(consume_gas: Callable[[int, str], None], amount: int, reason: str) -> None:
    consume_gas(amount, reason)
    deadline.check_work(amount * SECONDS_PER_GAS)


def with_bounds(vm_class: Any) -> Any:
    """A VM class whose executions keep to the deadline and to the memory limit."""
    state_class = vm_class.get_state_class()
    plain = state_class.computation_class
    members = {
        "clears_empty_accounts": issubclass(
            state_class.transaction_executor_class, SpuriousDragonTransactionExecutor
        ),
        "_precompiles": {
            address: _bounded_precompile(contract)
            for address, contract in plain.get_precompiles().items()
        },
    }
    bounded: Any = vm_with(
        vm_class, computation_class=type(plain.__name__, (BoundedComputation, plain), members)
    )

    def create_execution_context(cls: Any, header: Any, hashes: Any, chain_context: Any) -> Any:
        context = super(bounded, cls).create_execution_context(header, hashes, chain_context)
        default = memory_limit.DEFAULT_LIMIT
        context.memory_limit = getattr(chain_context, "memory_limit", default)
        return context

    bounded.create_execution_context = classmethod(create_execution_context)
    return bounded
