"""What runs a block's transactions and ends its header: a lean machine, and py-evm, its judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from eth.abc import ChainDatabaseAPI
from eth.rlp.logs import Log as VmLog
from eth.rlp.receipts import Receipt as VmReceipt
from eth.vm.chain_context import ChainContext
from eth.vm.forks.byzantium import ByzantiumVM

from devchain.chain.block import Receipt
from devchain.chain.receipts import encode, list_root, outcome
from devchain.chain.transaction import Transaction
from devchain.evm.rules import Rules, empty_block
from devchain.state.database import Database


@dataclass(frozen=True, slots=True)
class ExecutionResult:
    """What py-evm says of a transaction; `root` is the state's after it, before Byzantium alone."""

    computation: Any
    gas_used: int
    root: bytes | None


class TransactionExecutor(Protocol):
    """Applies transactions to the state of one block, and writes what they did into its header."""

    @property
    def database(self) -> Database:
        """Where the state is found again by its root."""

    @property
    def state(self) -> Any:
        """py-evm's state as the transactions so far have left it."""

    def apply_transaction(self, tx: Transaction, gas_before: int) -> ExecutionResult:
        """Apply a transaction that `gas_before` was used before; raises what py-evm raises."""

    def finish_header(self, receipts: Sequence[Receipt], fees: int) -> Any:
        """The header of the block that has those receipts, paid for with those fees (wei)."""


class FastExecutor:
    """Has py-evm execute, and does what is around that itself.

    What this machine makes is not validated again; where nothing happens in a block, no state is
    opened. Everything else is a hash or a sum, written down once at the end.
    """

    def __init__(
        self, rules: Rules, chaindb: ChainDatabaseAPI, context: ChainContext, header: Any
    ) -> None:
        """Open the block of that header, on the state that it names."""
        self._rules = rules
        self._chaindb = chaindb
        self.database: Database = chaindb.db  # type: ignore[assignment]  # as the chain opened it
        self._context = context
        self._header = header
        self._has_roots = not issubclass(rules.vm_class, ByzantiumVM)

    @cached_property
    def _vm(self) -> Any:
        vm = self._rules.vm_class(self._header, self._chaindb, self._context, None)
        if not self._rules.is_quiet:
            vm.block_preprocessing(empty_block(self._rules.vm_class, self._header))
        return vm

    @property
    def state(self) -> Any:
        """py-evm's state as the transactions so far have left it."""
        return self._vm.state

    def apply_transaction(self, tx: Transaction, gas_before: int) -> ExecutionResult:
        """Apply a transaction; its validity beyond its state is the mempool's to check."""
        del gas_before
        vm = self._vm
        vm.validate_transaction_against_header(self._header, tx.signed)
        vm.state.lock_changes()
        computation = vm.state.apply_transaction(tx.signed)
        root = vm.state.make_state_root() if self._has_roots else None
        return ExecutionResult(computation, vm.finalize_gas_used(tx.signed, computation), root)

    def finish_header(self, receipts: Sequence[Receipt], fees: int) -> Any:
        """The header with roots, bloom and gas."""
        if not receipts and self._rules.is_quiet and "_vm" not in self.__dict__:
            return self._header
        bloom = 0
        for receipt in receipts:
            bloom |= receipt.bloom
        contents: dict[str, Any] = {
            "transaction_root": list_root([each.transaction.raw for each in receipts]),
            "receipt_root": list_root([encode(each) for each in receipts]),
            "bloom": bloom,
            "gas_used": receipts[-1].cumulative_gas_used if receipts else 0,
        }
        header = self._rules.with_fees(self._header, fees)
        if self._rules.has_block_rewards:
            header = self._after_ethereum(receipts)
        self._vm.state.persist()
        return header.copy(**contents, state_root=self._vm.state.state_root)

    def _after_ethereum(self, receipts: Sequence[Receipt]) -> Any:
        """The header after py-evm's system calls, which may read the receipts, and its rewards."""
        block = empty_block(self._rules.vm_class, self._header)
        block.get_receipts = lambda _chaindb: [_vm_receipt(each) for each in receipts]
        block = self._vm.block_postprocessing(block)
        # What `finalize_block` calls; around it are only copies and a line for a log.
        self._vm._assign_block_rewards(block)  # noqa: SLF001
        return block.header


class ReferenceExecutor:
    """Leaves everything to py-evm: what the lean machine has to agree with, bit by bit."""

    def __init__(
        self, rules: Rules, chaindb: ChainDatabaseAPI, context: ChainContext, header: Any
    ) -> None:
        """Open the block of that header, on the state that it names."""
        self._rules = rules
        self._header = header
        self.database: Database = chaindb.db  # type: ignore[assignment]  # as the chain opened it
        self._receipts: list[Any] = []
        self._vm: Any = rules.vm_class(header, chaindb, context, None)
        self._vm.block_preprocessing(empty_block(rules.vm_class, header))

    @property
    def state(self) -> Any:
        """py-evm's state as the transactions so far have left it."""
        return self._vm.state

    def apply_transaction(self, tx: Transaction, gas_before: int) -> ExecutionResult:
        """Apply a transaction as py-evm does."""
        receipt, computation = self._vm.apply_transaction(self._header, tx.signed)
        self._add(receipt)
        self._header = self._vm.increment_blob_gas_used(self._header, tx.signed)
        root = None if isinstance(self._vm, ByzantiumVM) else receipt.state_root
        return ExecutionResult(computation, receipt.gas_used - gas_before, root)

    def _add(self, receipt: Any) -> None:
        self._header = self._vm.add_receipt_to_header(self._header, receipt)
        self._receipts.append(receipt)

    def finish_header(self, receipts: Sequence[Receipt], fees: int) -> Any:
        """Have py-evm fill in and finalize the block."""
        for closing in receipts[len(self._receipts) :]:
            self._add(_vm_receipt(closing))
        signed = tuple(each.transaction.signed for each in receipts)
        header = self._rules.with_fees(self._header, fees)
        empty = empty_block(self._rules.vm_class, header)
        filled = self._vm.set_block_transactions_and_withdrawals(
            empty, header, signed, tuple(self._receipts)
        )
        return self._vm.finalize_block(self._vm.block_postprocessing(filled)).block.header


def _vm_receipt(receipt: Receipt) -> VmReceipt:
    """A receipt as py-evm has it, without the type."""
    logs = [
        VmLog(log.address, tuple(int.from_bytes(each, "big") for each in log.topics), log.data)
        for log in receipt.logs
    ]
    return VmReceipt(outcome(receipt), receipt.cumulative_gas_used, logs, receipt.bloom)
