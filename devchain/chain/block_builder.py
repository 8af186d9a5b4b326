"""A block in the making: transactions applied one by one on the parent's state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from eth.exceptions import PyEVMError
from eth_utils.exceptions import ValidationError

from devchain.chain.block import Block, Log, Receipt
from devchain.chain.executor import ExecutionResult, TransactionExecutor
from devchain.chain.merged_mining import MergedMining, mine_header
from devchain.chain.receipts import bloom_of
from devchain.chain.remasc import REMASC_ADDRESS, Remasc, closing_transaction, pay
from devchain.chain.transaction import Transaction
from devchain.errors import BlockBuildFailed, TransactionRejected
from devchain.evm.console import listening
from devchain.evm.failures import Failure
from devchain.evm.rootstock.exceptions import PrecompileFailed
from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rules import Rules
from devchain.types import WORD_SIZE, Address, Hash32


class BlockBuilder:
    """Applies transactions to a header's state, one by one, until `build_block` ends the block.

    Mined blocks, pending blocks, simulated blocks and replays of mined ones all come from here.
    """

    def __init__(
        self,
        rules: Rules,
        executor: TransactionExecutor,
        header: Any,
        remasc: Remasc | None = None,
    ) -> None:
        """Begin a block with that header, on which the executor has been opened.

        With `remasc` the fees go to REMASC, and its transaction ends the block.
        """
        self._rules = rules
        self._executor = executor
        self._remasc = remasc
        self._header = header
        self._gas_used = 0
        self._receipts: list[Receipt] = []
        self._log_count = 0
        self.output = b""
        """What the last transaction returned."""

    @property
    def has_remasc(self) -> bool:
        """Whether fees go to REMASC."""
        return self._remasc is not None

    @property
    def header(self) -> Any:
        """The header it was opened with."""
        return self._header

    @property
    def state(self) -> Any:
        """py-evm's state as the transactions so far have left it."""
        return self._executor.state

    @property
    def gas_left(self) -> int:
        """Gas that further transactions may still ask for."""
        return int(self._header.gas_limit - self._gas_used)

    def apply_transaction(self, tx: Transaction) -> Receipt:
        """Apply one transaction; raises `TransactionRejected` and changes nothing if it cannot be.

        A transaction that fails in the EVM is applied, with a failed receipt. Raises
        `BlockBuildFailed` if it fails halfway otherwise; the block is then of no use.
        """
        if tx.gas > self.gas_left:
            msg = (
                f"transaction's gas limit of {tx.gas} is above the block's rest of {self.gas_left}"
            )
            raise TransactionRejected(msg)
        nonce = self._executor.state.get_nonce(tx.sender)
        try:
            with listening() as printed:
                result = self._executor.apply_transaction(tx, self._gas_used)
        except (ValidationError, PyEVMError) as error:
            # py-evm validates before it touches the state. What it cannot foresee is a balance
            # that overflows halfway through, since it was set by hand.
            if self._executor.state.get_nonce(tx.sender) != nonce:
                raise BlockBuildFailed(str(error)) from error
            raise TransactionRejected(str(error)) from error
        self.output = result.computation.output
        receipt = self._receipt(tx, result, tuple(printed))
        self._keep(receipt)
        if self._remasc:
            self._move_fee(receipt.fee)
        return receipt

    def _keep(self, receipt: Receipt) -> None:
        self._receipts.append(receipt)
        self._gas_used = receipt.cumulative_gas_used
        self._log_count += len(receipt.logs)

    def _move_fee(self, fee: int) -> None:
        """Give REMASC the fee that py-evm has given to the coinbase."""
        state, coinbase = self._executor.state, self._header.coinbase
        if fee:
            state.delta_balance(coinbase, -fee)
            state.delta_balance(REMASC_ADDRESS, fee)
        if state.account_is_empty(coinbase):
            state.delete_account(coinbase)  # the real node never touches it

    def _receipt(
        self, tx: Transaction, result: ExecutionResult, printed: tuple[bytes, ...]
    ) -> Receipt:
        computation = result.computation
        failure = (
            Failure.of(computation.error, computation.output) if computation.is_error else None
        )
        created = Address(computation.msg.storage_address) if tx.is_creation else None
        price = self._executor.state.get_transaction_context(tx.signed).gas_price
        # A precompiled contract that refuses a transaction costs all of its gas limit.
        is_refusal = failure and isinstance(computation.error, PrecompileFailed)
        charged = tx.gas if is_refusal else result.gas_used
        logs = tuple(_log(*entry) for entry in computation.get_log_entries())
        return Receipt(
            transaction=tx,
            index=len(self._receipts),
            succeeded=failure is None,
            gas_used=result.gas_used,
            cumulative_gas_used=self._gas_used + result.gas_used,
            logs=logs,
            first_log_index=self._log_count,
            bloom=bloom_of(logs),
            contract_address=created,
            gas_price=price,
            fee=charged * price,
            failure=failure,
            root=Hash32(result.root) if result.root is not None else None,
            printed=printed,
        )

    def build_block(self, parent: Block, *, sealed: bool) -> Block:
        """The finished block; `sealed` is false for a block nobody has mined."""
        fees = sum(each.fee for each in self._receipts)
        if self._remasc:
            self._apply_closing_transaction(self._remasc)
        header = self._executor.finish_header(self._receipts, fees)
        if sealed and self._rules.has_merged_mining:
            header = _mined(header)
        return Block(
            header,
            Hash32(header.hash),
            parent.total_difficulty + header.difficulty,
            tuple(each.transaction for each in self._receipts),
            tuple(self._receipts),
            sealed,
            state=self._executor.database.retain_state(Hash32(header.state_root)),
        )

    def _apply_closing_transaction(self, remasc: Remasc) -> None:
        """Let REMASC pay what has matured, and add its transaction and receipt."""
        logs = tuple(pay(remasc.rules, self._executor.state, self._header, remasc.find_header))
        receipt = Receipt(
            transaction=closing_transaction(self._header.block_number),
            index=len(self._receipts),
            succeeded=True,
            gas_used=0,
            cumulative_gas_used=self._gas_used,
            logs=logs,
            first_log_index=self._log_count,
            bloom=bloom_of(logs),
            contract_address=None,
        )
        self._keep(receipt)


def seal(block: Block) -> Block:
    """An unsealed block, sealed as the node seals its own."""
    if not block.has_merged_mining:
        return replace(block, sealed=True)
    header = _mined(block.header)
    return replace(block, header=header, hash=Hash32(header.hash), sealed=True)


def reseal(block: Block, proof: MergedMining) -> Block:
    """The sealed block that a bitcoin block makes of an unsealed one; its hash is another."""
    header = block.header.copy(bitcoin_merged_mining_header=proof.header)
    return replace(block, header=header, hash=Hash32(header.hash), sealed=True, proof=proof)


def _mined(header: RootstockHeader) -> RootstockHeader:
    """The header with a bitcoin header of the node's own that commits to it."""

    def mine(tagged: bytes) -> bytes:
        return mine_header(tagged, header.block_number, header.timestamp, header.difficulty)

    return header.committed(mine)


def _log(address: bytes, topics: Sequence[int], payload: bytes) -> Log:
    words = tuple(Hash32(topic.to_bytes(WORD_SIZE, "big")) for topic in topics)
    return Log(Address(address), words, payload)
