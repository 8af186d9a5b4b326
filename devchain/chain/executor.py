"""Transaction executors: py-evm applies a block's transactions, and its header is finished.

`FastExecutor` mines blocks by default. `ReferenceExecutor` (`--engine reference`) leaves as much as
possible to py-evm; tests hold both to the same headers, receipts and states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from eth.abc import ChainDatabaseAPI
from eth.rlp.logs import Log as VmLog
from eth.rlp.receipts import Receipt as VmReceipt
from eth.vm.chain_context import ChainContext
from eth.vm.forks.byzantium import ByzantiumVM

from devchain.chain.block import Receipt
from devchain.chain.receipts import encode, list_root, outcome
from devchain.chain.transaction import Transaction
from devchain.evm.headers import changed_header, empty_block
from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rules import Rules
from devchain.state.state_database import Database, FastDatabase
from devchain.state.trie import Trie


class ExecutionResult(NamedTuple):
    """The result of an applied transaction; `root` is the state root after it, before Byzantium."""

    computation: Any
    gas_used: int
    root: bytes | None


class FastExecutor:
    """Has py-evm execute transactions, and does the rest of a block itself.

    py-evm validates every block again and updates the header after each transaction; here roots,
    bloom and sums are computed once, at the end. An empty block that changes no account does not
    even open a state, and one that only writes to system contracts does so in the tries.
    """

    def __init__(
        self, rules: Rules, chaindb: ChainDatabaseAPI, context: ChainContext, header: Any
    ) -> None:
        self._rules = rules
        self._chaindb = chaindb
        self.database: FastDatabase = chaindb.db  # type: ignore[assignment]  # as the chain opened it
        self._context = context
        self._header = header
        self._vm: Any = None
        self._state: Any = None
        self._written: Trie | None = None  # keeps it until the block retains it
        self._has_roots = not issubclass(rules.vm_class, ByzantiumVM)

    @property
    def state(self) -> Any:
        if self._state is None:  # a `cached_property` would take a lock on CPython 3.11
            self._vm = self._rules.vm_class(self._header, self._chaindb, self._context, None)
            self._state = self._vm.state
            self._rules.begin_block(self._state, self._header)
        return self._state

    def apply_transaction(self, tx: Transaction, gas_before: int) -> ExecutionResult:
        del gas_before
        state, vm = self.state, self._vm
        vm.validate_transaction_against_header(self._header, tx.signed)
        state.lock_changes()
        computation = state.apply_transaction(tx.signed)
        root = state.make_state_root() if self._has_roots else None
        return ExecutionResult(computation, vm.finalize_gas_used(tx.signed, computation), root)

    def finish_header(self, receipts: Sequence[Receipt], fees: int) -> Any:
        if not receipts and self._state is None and self._rules.empty_block_runs_nothing:
            rules, header = self._rules, self._header
            writes = rules.slot_writes(header)
            if not writes:
                return header
            self._written = self.database.write_slots(
                header.state_root, writes, rules.ending_contracts
            )
            if self._written is not None:
                return changed_header(header, state_root=self._written.root_hash)
        contents = self._rules.fee_fields(fees)
        if receipts:
            bloom = 0
            for receipt in receipts:
                bloom |= receipt.bloom
            contents |= {
                "transaction_root": list_root([receipt.transaction.raw for receipt in receipts]),
                "receipt_root": list_root([encode(receipt, self._header) for receipt in receipts]),
                "bloom": bloom,
                "gas_used": receipts[-1].cumulative_gas_used,
            }
        header = self._header
        if self._rules.has_block_rewards:
            loggers = {log.address for receipt in receipts for log in receipt.logs}
            if not self._rules.block_ends_plainly(self.state, loggers):
                header = self._header_after_rewards(receipts)
        self.state.persist()
        return changed_header(header, **contents, state_root=self.state.state_root)

    def _header_after_rewards(self, receipts: Sequence[Receipt]) -> Any:
        block = empty_block(self._rules.vm_class, self._header)
        block.get_receipts = lambda _chaindb: [_vm_receipt(receipt) for receipt in receipts]
        block = self._vm.block_postprocessing(block)
        # `finalize_block` does no more than this but copy objects and format a log message.
        self._vm._assign_block_rewards(block)  # noqa: SLF001
        return block.header


class ReferenceExecutor:
    """Leaves applying, validating and finishing to py-evm."""

    def __init__(
        self, rules: Rules, chaindb: ChainDatabaseAPI, context: ChainContext, header: Any
    ) -> None:
        self._rules = rules
        self._header = header
        self.database: Database = chaindb.db  # type: ignore[assignment]  # as the chain opened it
        self._receipts: list[Any] = []
        self._vm: Any = rules.vm_class(header, chaindb, context, None)
        self._vm.block_preprocessing(empty_block(rules.vm_class, header))

    @property
    def state(self) -> Any:
        return self._vm.state

    def apply_transaction(self, tx: Transaction, gas_before: int) -> ExecutionResult:
        receipt, computation = self._vm.apply_transaction(self._header, tx.signed)
        self._add_receipt(receipt)
        self._header = self._vm.increment_blob_gas_used(self._header, tx.signed)
        root = None if isinstance(self._vm, ByzantiumVM) else receipt.state_root
        return ExecutionResult(computation, receipt.gas_used - gas_before, root)

    def _add_receipt(self, receipt: Any) -> None:
        self._header = self._vm.add_receipt_to_header(self._header, receipt)
        self._receipts.append(receipt)

    def finish_header(self, receipts: Sequence[Receipt], fees: int) -> Any:
        for closing in receipts[len(self._receipts) :]:
            self._add_receipt(_vm_receipt(closing))
        signed = tuple(receipt.transaction.signed for receipt in receipts)
        header = changed_header(self._header, **self._rules.fee_fields(fees))
        empty = empty_block(self._rules.vm_class, header)
        filled = self._vm.set_block_transactions_and_withdrawals(
            empty, header, signed, tuple(self._receipts)
        )
        filled.get_receipts = lambda _chaindb: self._receipts  # no store has their trie
        header = self._vm.finalize_block(self._vm.block_postprocessing(filled)).block.header
        if isinstance(header, RootstockHeader):  # its receipts have more fields than py-evm's
            root = list_root([encode(receipt, header) for receipt in receipts])
            return header.copy(receipt_root=root)
        return header


TransactionExecutor = FastExecutor | ReferenceExecutor


def _vm_receipt(receipt: Receipt) -> VmReceipt:
    logs = [
        VmLog(log.address, tuple(int.from_bytes(topic, "big") for topic in log.topics), log.data)
        for log in receipt.logs
    ]
    return VmReceipt(outcome(receipt), receipt.cumulative_gas_used, logs, receipt.bloom)
