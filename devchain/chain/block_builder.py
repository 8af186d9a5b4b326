"""Building blocks: transactions applied one by one on the parent's state, then sealing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from eth.exceptions import PyEVMError
from eth_utils.exceptions import ValidationError

from devchain.chain.block import Block, Log, Receipt
from devchain.chain.executor import ExecutionResult, TransactionExecutor
from devchain.chain.merged_mining import MergedMining, mine_header
from devchain.chain.receipts import bloom_of
from devchain.chain.remasc import closing_transaction, is_closing
from devchain.chain.transaction import Transaction
from devchain.errors import BlockBuildFailed, TransactionRejected, UnsupportedTransactionType
from devchain.evm.console_capture import ConsoleCalls
from devchain.evm.failures import Failure
from devchain.evm.headers import hash_header
from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rootstock.precompiles.chain_contracts import REMASC_ADDRESS
from devchain.evm.rules import Rules
from devchain.types import WORD_SIZE, Address, Hash32

HEADER_ROOM = 2_048  # bytes of RLP for all but transactions: more than a header has


class BlockBuilder:
    """Builds mined, pending and simulated blocks, and replays mined ones."""

    def __init__(
        self,
        rules: Rules,
        executor: TransactionExecutor,
        header: Any,
        remasc: Callable[[Any, Any], list[Log]] | None = None,
    ) -> None:
        """With `remasc` fees are credited to REMASC, and its transaction ends the block.

        It is `pay`, with rules and headers, for the state and the header of the block.
        """
        self.rules = rules
        self._executor = executor
        self._remasc = remasc
        self.header = header
        self._gas_used = 0
        self._size = HEADER_ROOM
        self._receipts: list[Receipt] = []
        self._log_count = 0
        self.computation: Any = None
        """What the last transaction has executed, py-evm's."""

    @property
    def has_remasc(self) -> bool:
        return self._remasc is not None

    @property
    def state(self) -> Any:
        return self._executor.state

    @property
    def gas_left(self) -> int:
        return int(self.header.gas_limit - self._gas_used)

    def has_room_for(self, tx: Transaction) -> bool:
        limit = self.rules.block_size_limit
        if limit is None or tx.gas > self.gas_left:
            return tx.gas <= self.gas_left
        return self._size + len(tx.in_block) <= limit

    def apply_transaction(self, tx: Transaction) -> Receipt:
        """Apply a transaction; its receipt, also if it failed in the EVM.

        Raises `TransactionRejected`, with the block unchanged, for a transaction that cannot be
        applied, and `BlockBuildFailed` if it fails halfway: the builder is then unusable.
        """
        if tx.gas > self.gas_left:
            raise TransactionRejected(
                f"transaction's gas limit of {tx.gas} is above the block's {self.gas_left} gas left"
            )
        state = self._executor.state
        nonce = state.get_nonce(tx.sender)
        try:
            with ConsoleCalls() as printed:
                result = self._executor.apply_transaction(tx, self._gas_used)
        except (ValidationError, PyEVMError) as error:
            # py-evm validates before it changes the state, but does not foresee that a balance
            # set by a caller overflows in the course of the transaction.
            if state.get_nonce(tx.sender) != nonce:
                raise BlockBuildFailed(str(error)) from error
            raise TransactionRejected(str(error)) from error
        self.computation = result.computation
        receipt = self._receipt(tx, result, tuple(printed))
        self._add_receipt(receipt)
        if self._remasc:
            coinbase = self.header.coinbase
            if receipt.fee:
                state.delta_balance(coinbase, -receipt.fee)
                state.delta_balance(REMASC_ADDRESS, receipt.fee)
            if state.account_is_empty(coinbase):
                state.delete_account(coinbase)  # the real node never touches it
        return receipt

    def replay_transaction(self, tx: Transaction) -> None:
        """Apply a transaction but REMASC's again; raises `UnsupportedTransactionType`."""
        if tx.signed is None:
            raise UnsupportedTransactionType(
                f"transaction 0x{tx.hash.hex()} of block {self.header.block_number} is of type "
                f"{tx.type} or signed in a way that cannot be executed here: the block cannot be "
                "replayed from there on"
            )
        if not is_closing(tx):
            self.apply_transaction(tx)

    def build_block(self, parent: Block, *, sealed: bool) -> Block:
        fees = sum(receipt.fee for receipt in self._receipts)
        if self._remasc:
            self._apply_closing_transaction(tuple(self._remasc(self._executor.state, self.header)))
        header = self._executor.finish_header(self._receipts, fees)
        if sealed and self.rules.has_merged_mining:
            header = _with_merged_mining(header)
        return Block(
            header,
            hash_header(header),
            parent.total_difficulty + header.difficulty,
            tuple(receipt.transaction for receipt in self._receipts),
            tuple(self._receipts),
            sealed,
            state=self._executor.database.retain_state(Hash32(header.state_root)),
        )

    def _receipt(
        self, tx: Transaction, result: ExecutionResult, printed: tuple[bytes, ...]
    ) -> Receipt:
        computation = result.computation
        error = computation.error if computation.is_error else None
        failure = Failure.of_computation(computation, error, self.rules.hardfork) if error else None
        price = computation.transaction_context.gas_price
        # A precompiled contract that refuses a transaction costs all of its gas limit.
        refused = getattr(computation, "refusal", None) is not None
        charged = tx.gas if refused else result.gas_used
        logs = logs_of(computation)
        return Receipt(
            transaction=tx,
            index=len(self._receipts),
            succeeded=failure is None,
            gas_used=result.gas_used,
            cumulative_gas_used=self._gas_used + result.gas_used,
            logs=logs,
            first_log_index=self._log_count,
            bloom=bloom_of(logs),
            contract_address=Address(computation.msg.storage_address) if tx.is_creation else None,
            gas_price=price,
            fee=charged * price,
            failure=failure,
            root=Hash32(result.root) if result.root is not None else None,
            printed=printed,
        )

    def _add_receipt(self, receipt: Receipt) -> None:
        self._receipts.append(receipt)
        self._gas_used = receipt.cumulative_gas_used
        self._size += len(receipt.transaction.in_block)
        self._log_count += len(receipt.logs)

    def _apply_closing_transaction(self, logs: tuple[Log, ...]) -> None:
        receipt = Receipt(
            transaction=closing_transaction(self.header.block_number),
            index=len(self._receipts),
            succeeded=True,
            gas_used=0,
            cumulative_gas_used=self._gas_used,
            logs=logs,
            first_log_index=self._log_count,
            bloom=bloom_of(logs),
            contract_address=None,
        )
        self._add_receipt(receipt)


def logs_of(computation: Any) -> tuple[Log, ...]:
    return tuple(
        [
            Log(
                Address(address),
                tuple([Hash32(topic.to_bytes(WORD_SIZE)) for topic in topics]),
                data,
            )
            for _, address, topics, data in computation.get_raw_log_entries()
        ]
    )


# Sealing


def seal(block: Block) -> Block:
    if not block.has_merged_mining:
        return replace(block, sealed=True)
    header = _with_merged_mining(block.header)
    return replace(block, header=header, hash=Hash32(header.hash), sealed=True)


def seal_with_proof(block: Block, proof: MergedMining) -> Block:
    header = block.header.copy(bitcoin_merged_mining_header=proof.header)
    return replace(block, header=header, hash=Hash32(header.hash), sealed=True, proof=proof)


def _with_merged_mining(header: RootstockHeader) -> RootstockHeader:

    def mine(tagged: bytes) -> bytes:
        return mine_header(tagged, header.block_number, header.timestamp, header.difficulty)

    return header.committed(mine)
