"""A block in the making: transactions applied one by one on the parent's state."""

from __future__ import annotations

from typing import Any

from eth.abc import ChainDatabaseAPI
from eth.exceptions import PyEVMError
from eth.vm.chain_context import ChainContext
from eth_utils.exceptions import ValidationError

from devchain.chain.block import Block, Log, Receipt
from devchain.chain.transaction import Transaction
from devchain.errors import TransactionRejected
from devchain.evm.failures import failure
from devchain.types import Address, Hash32

WORD = 32


class OpenBlock:
    """Applies transactions to a header's state until it is closed into a `Block`."""

    def __init__(
        self, vm_class: Any, chaindb: ChainDatabaseAPI, context: ChainContext, header: Any
    ) -> None:
        """Open a block with that header on the state its `state_root` names."""
        self._vm: Any = vm_class(header, chaindb, context, None)
        self._header = header
        self._transactions: list[Transaction] = []
        self._vm_receipts: list[Any] = []
        self._receipts: list[Receipt] = []
        self._log_count = 0

    @property
    def gas_left(self) -> int:
        """Gas that further transactions may still ask for."""
        return int(self._header.gas_limit - self._header.gas_used)

    def add(self, tx: Transaction) -> Receipt:
        """Apply one transaction; raises `TransactionRejected` and changes nothing if it cannot be.

        A transaction that fails in the EVM is applied, with a failed receipt.
        """
        gas_before = self._header.gas_used
        try:
            vm_receipt, computation = self._vm.apply_transaction(self._header, tx.signed)
        except (ValidationError, PyEVMError) as error:
            # py-evm validates before it touches the state: there is nothing to undo.
            raise TransactionRejected(str(error)) from error
        header = self._vm.add_receipt_to_header(self._header, vm_receipt)
        self._header = self._vm.increment_blob_gas_used(header, tx.signed)
        receipt = self._receipt(tx, vm_receipt, computation, gas_before)
        self._vm_receipts.append(vm_receipt)
        self._transactions.append(tx)
        self._receipts.append(receipt)
        self._log_count += len(receipt.logs)
        return receipt

    def _receipt(self, tx: Transaction, vm_receipt: Any, computation: Any, before: int) -> Receipt:
        failed = failure(computation.error, computation.output) if computation.is_error else None
        created = Address(computation.msg.storage_address) if tx.is_creation else None
        return Receipt(
            transaction=tx,
            index=len(self._receipts),
            succeeded=failed is None,
            gas_used=vm_receipt.gas_used - before,
            cumulative_gas_used=vm_receipt.gas_used,
            logs=tuple(_log(each) for each in vm_receipt.logs),
            first_log_index=self._log_count,
            bloom=int(vm_receipt.bloom),
            contract_address=created,
            failure=str(failed) if failed else None,
            payload=failed.payload if failed else b"",
        )

    def close(self, parent: Block, *, sealed: bool) -> Block:
        """The finished block; `sealed` is false for a block nobody has mined."""
        signed = tuple(tx.signed for tx in self._transactions)
        fees = sum(each.gas_used * each.transaction.gas_price for each in self._receipts)
        header = self._header.copy(paid_fees=fees)
        empty = self._vm.get_block_class()(header, (), ())
        filled = self._vm.set_block_transactions_and_withdrawals(
            empty, header, signed, tuple(self._vm_receipts)
        )
        packed = self._vm.finalize_block(filled).block
        return Block(
            number=packed.number,
            hash=Hash32(packed.hash),
            parent_hash=parent.hash,
            timestamp=packed.header.timestamp,
            state_root=Hash32(packed.header.state_root),
            bloom=packed.header.bloom,
            gas_limit=packed.header.gas_limit,
            gas_used=packed.header.gas_used,
            total_difficulty=parent.total_difficulty + packed.header.difficulty,
            transactions=tuple(self._transactions),
            receipts=tuple(self._receipts),
            packed=packed,
            sealed=sealed,
        )


def _log(vm_log: Any) -> Log:
    topics = tuple(Hash32(topic.to_bytes(WORD, "big")) for topic in vm_log.topics)
    return Log(Address(vm_log.address), topics, vm_log.data)
