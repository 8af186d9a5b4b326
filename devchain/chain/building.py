"""A block in the making: transactions applied one by one on the parent's state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from eth.abc import ChainDatabaseAPI
from eth.exceptions import PyEVMError
from eth.rlp.logs import Log as VmLog
from eth.rlp.receipts import Receipt as VmReceipt
from eth.vm.chain_context import ChainContext
from eth_utils.exceptions import ValidationError

from devchain.chain import merged_mining
from devchain.chain.block import Block, Log, Receipt
from devchain.chain.merged_mining import MergedMining
from devchain.chain.remasc import (
    REMASC_ADDRESS,
    Header,
    RemascRules,
    closing_transaction,
    pay,
)
from devchain.chain.transaction import Transaction
from devchain.errors import TransactionRejected
from devchain.evm.failures import failure
from devchain.evm.rootstock.exceptions import PrecompileFailed
from devchain.evm.rules import Rules, empty_block
from devchain.types import Address, Hash32

WORD = 32
SUCCEEDED = b"\x01"


@dataclass(frozen=True, slots=True)
class Closing:
    """What the REMASC transaction that closes a block has to know: rules and earlier headers."""

    rules: RemascRules
    find_header: Callable[[int], Header]


class OpenBlock:
    """Applies transactions to a header's state until it is closed into a `Block`."""

    def __init__(
        self,
        rules: Rules,
        chaindb: ChainDatabaseAPI,
        context: ChainContext,
        header: Any,
        closing: Closing | None = None,
    ) -> None:
        """Open a block with that header on the state its `state_root` names.

        With `closing` the fees go to REMASC, and its transaction ends the block.
        """
        self._rules = rules
        self._closing = closing
        self._chaindb, self._context = chaindb, context
        self._first_header = self._header = header
        self._vm = self._opened()
        self._transactions: list[Transaction] = []
        self._vm_receipts: list[Any] = []
        self._receipts: list[Receipt] = []
        self._log_count = 0

    def _opened(self) -> Any:
        """py-evm's machine before the first transaction."""
        vm_class = self._rules.vm_class
        machine = vm_class(self._first_header, self._chaindb, self._context, None)
        machine.block_preprocessing(empty_block(vm_class, self._first_header))
        return machine

    @property
    def gas_left(self) -> int:
        """Gas that further transactions may still ask for."""
        return int(self._header.gas_limit - self._header.gas_used)

    def add(self, tx: Transaction) -> Receipt:
        """Apply one transaction; raises `TransactionRejected` and changes nothing if it cannot be.

        A transaction that fails in the EVM is applied, with a failed receipt.
        """
        gas_before = self._header.gas_used
        nonce = self._vm.state.get_nonce(tx.sender)
        try:
            vm_receipt, computation = self._vm.apply_transaction(self._header, tx.signed)
        except (ValidationError, PyEVMError) as error:
            # py-evm validates before it touches the state. What it cannot foresee is a balance
            # that overflows halfway through, since it was set by hand.
            if self._vm.state.get_nonce(tx.sender) != nonce:
                self._start_again()
            raise TransactionRejected(str(error)) from error
        header = self._vm.add_receipt_to_header(self._header, vm_receipt)
        self._header = self._vm.increment_blob_gas_used(header, tx.signed)
        receipt = self._receipt(tx, vm_receipt, computation, gas_before)
        self._keep(receipt, vm_receipt)
        if self._closing:
            self._move_fee(receipt.fee)
        return receipt

    def _start_again(self) -> None:
        """Undo what the last transaction did, by applying those before it once more."""
        self._vm, header = self._opened(), self._first_header
        for receipt in self._receipts:
            signed = receipt.transaction.signed
            vm_receipt, _ = self._vm.apply_transaction(header, signed)
            header = self._vm.add_receipt_to_header(header, vm_receipt)
            header = self._vm.increment_blob_gas_used(header, signed)
            if self._closing:
                self._move_fee(receipt.fee)

    def _keep(self, receipt: Receipt, vm_receipt: Any) -> None:
        self._vm_receipts.append(vm_receipt)
        self._transactions.append(receipt.transaction)
        self._receipts.append(receipt)
        self._log_count += len(receipt.logs)

    def _move_fee(self, fee: int) -> None:
        """Give REMASC the fee that py-evm has given to the coinbase."""
        state, coinbase = self._vm.state, self._header.coinbase
        if fee:
            state.delta_balance(coinbase, -fee)
            state.delta_balance(REMASC_ADDRESS, fee)
        if state.account_is_empty(coinbase):
            state.delete_account(coinbase)  # the real node never touches it

    def _receipt(self, tx: Transaction, vm_receipt: Any, computation: Any, before: int) -> Receipt:
        failed = failure(computation.error, computation.output) if computation.is_error else None
        created = Address(computation.msg.storage_address) if tx.is_creation else None
        root = vm_receipt.state_root
        gas_used = vm_receipt.gas_used - before
        price = self._vm.state.get_transaction_context(tx.signed).gas_price
        # A precompiled contract that refuses a transaction costs all of its gas limit.
        charged = tx.gas if failed and isinstance(computation.error, PrecompileFailed) else gas_used
        return Receipt(
            transaction=tx,
            index=len(self._receipts),
            succeeded=failed is None,
            gas_used=gas_used,
            cumulative_gas_used=vm_receipt.gas_used,
            logs=tuple(_log(each) for each in vm_receipt.logs),
            first_log_index=self._log_count,
            bloom=int(vm_receipt.bloom),
            contract_address=created,
            gas_price=price,
            fee=charged * price,
            failure=str(failed) if failed else None,
            payload=failed.payload if failed else b"",
            root=Hash32(root) if len(root) == WORD else None,
        )

    def close(self, parent: Block, *, sealed: bool) -> Block:
        """The finished block; `sealed` is false for a block nobody has mined."""
        fees = sum(each.fee for each in self._receipts)
        self._header = self._rules.with_fees(self._header, fees)
        if self._closing:
            self._close_with_remasc(self._closing)
        signed = tuple(tx.signed for tx in self._transactions)
        empty = empty_block(self._rules.vm_class, self._header)
        filled = self._vm.set_block_transactions_and_withdrawals(
            empty, self._header, signed, tuple(self._vm_receipts)
        )
        packed = self._vm.finalize_block(self._vm.block_postprocessing(filled)).block
        mined = _own_proof(packed.header) if sealed and self._rules.is_rootstock else None
        if mined:
            packed = _committed(packed, mined)
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
            merged_mining=mined,
        )

    def _close_with_remasc(self, closing: Closing) -> None:
        """Let REMASC pay what has matured, and add its transaction and receipt."""
        logs = pay(closing.rules, self._vm.state, self._header, closing.find_header)
        vm_logs = [
            VmLog(log.address, tuple(int.from_bytes(each, "big") for each in log.topics), log.data)
            for log in logs
        ]
        vm_receipt = VmReceipt(SUCCEEDED, self._header.gas_used, vm_logs)
        self._header = self._vm.add_receipt_to_header(self._header, vm_receipt)
        receipt = Receipt(
            transaction=closing_transaction(self._header.block_number),
            index=len(self._receipts),
            succeeded=True,
            gas_used=0,
            cumulative_gas_used=self._header.gas_used,
            logs=tuple(logs),
            first_log_index=self._log_count,
            bloom=int(vm_receipt.bloom),
            contract_address=None,
        )
        self._keep(receipt, vm_receipt)


def seal(block: Block) -> Block:
    """An unsealed block, sealed as the node seals its own."""
    if not block.is_rootstock:
        return replace(block, sealed=True)
    return reseal(block, _own_proof(block.header))


def reseal(block: Block, mined: MergedMining) -> Block:
    """The sealed block that a bitcoin block makes of an unsealed one; its hash is another."""
    packed = _committed(block.packed, mined)
    return replace(block, hash=Hash32(packed.hash), packed=packed, sealed=True, merged_mining=mined)


def _own_proof(header: Any) -> MergedMining:
    """Mine the bitcoin block that commits to the header."""
    return merged_mining.seal(
        header.hash_for_merged_mining,
        number=header.block_number,
        timestamp=header.timestamp,
        difficulty=header.difficulty,
    )


def _committed(packed: Any, mined: MergedMining) -> Any:
    """py-evm's block with the bitcoin header in its own."""
    header = packed.header.copy(bitcoin_merged_mining_header=mined.header)
    return packed.copy(header=header)


def _log(vm_log: Any) -> Log:
    topics = tuple(Hash32(topic.to_bytes(WORD, "big")) for topic in vm_log.topics)
    return Log(Address(vm_log.address), topics, vm_log.data)
