"""Transactions on one open state, without blocks, signatures and roots: what fuzzing runs.

A transaction sees what earlier ones have changed, as if each had been mined in a block of its own;
a checkpoint restores the state of any moment. That takes a fraction of the time of mining: no
header, receipt or trie is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from eth.exceptions import PyEVMError, VMError
from eth_utils.exceptions import ValidationError

from devchain.chain.block import Log
from devchain.chain.block_builder import logs_of
from devchain.chain.chain import Chain
from devchain.chain.eth_call import Call, CallBlock, UnsignedTransaction
from devchain.chain.transaction import CREATION
from devchain.errors import DevchainError, InvalidInput
from devchain.evm.failures import Failure, FailureKind
from devchain.evm.mocks import NO_MOCKS, Mocks, mocking_class
from devchain.evm.rules import Rules
from devchain.state.account_database import AccountDatabase
from devchain.types import ZERO_ADDRESS, Address, TransactionRequest

UNAFFORDABLE = Failure(FailureKind.OTHER, "the sender cannot pay for the transaction")


class SandboxCheckpoint(NamedTuple):
    """The state of a sandbox at one moment."""

    accounts: Any
    number: int
    timestamp: int
    deleted: frozenset[Address]
    mocks: Mocks


@dataclass(slots=True)
class Outcome:
    """What a transaction or call in a sandbox did; `failure` is None when it succeeded.

    `gas_used` is after refunds. `computation` is py-evm's, None if it could not begin.
    """

    output: bytes
    gas_used: int
    failure: Failure | None
    computation: Any
    is_valid: bool = True

    @property
    def logs(self) -> tuple[Log, ...]:
        return () if self.computation is None else logs_of(self.computation)

    @property
    def created(self) -> Address | None:
        found = self.computation
        if found is None or not found.msg.is_create or self.failure:
            return None
        return Address(found.msg.storage_address)


class Sandbox:
    """An open state on the head of a chain, with its mocks.

    `rules` are the chain's, without mocks, unless others are given. `number` and `timestamp`
    (seconds) are those of the block that the next transaction would be in; each transaction is a
    block and a second later than the one before it. BLOCKHASH knows the blocks of the chain alone.
    Fees are paid to the miner; senders need no key.
    """

    def __init__(
        self, chain: Chain, coinbase: Address, timestamp: int, rules: Rules | None = None
    ) -> None:
        """Open the state of the head; raises `InvalidInput` for the reference engine."""
        rules = rules or chain.plain_rules
        header = chain.next_header(chain.head, timestamp, coinbase)
        self.state = rules.vm_class.get_state_class()(
            chain.database, chain.new_context(header), header.state_root
        )
        accounts = self.state._account_db  # noqa: SLF001  # py-evm has no public name for it
        if not isinstance(accounts, AccountDatabase):
            raise InvalidInput("a sandbox needs the fast engine: make the node without `engine`")
        self.accounts = accounts
        accounts.keep_journal()
        rules.begin_block(self.state, header)
        self.state.lock_changes()
        self._context = self.state.execution_context
        self._chain, self._block = chain, CallBlock(header)
        self._has_transient_storage = hasattr(self.state, "_transient_storage_class")
        self._finalize_gas = rules.vm_class.finalize_gas_used
        self.gas_price = chain.lowest_gas_price()
        self.gas_limit = chain.max_transaction_gas()
        self._computation_class = self.state.computation_class
        self.mocks = NO_MOCKS
        self.set_mocks(chain.mocks)

    @property
    def number(self) -> int:
        return int(self._context.block_number)

    @property
    def timestamp(self) -> int:
        return int(self._context.timestamp)

    def advance(self, seconds: int, blocks: int = 1) -> None:
        self._context._timestamp += seconds  # noqa: SLF001  # py-evm has no setter
        self._context._block_number += blocks  # noqa: SLF001  # likewise

    def set_mocks(self, mocks: Mocks) -> None:
        if mocks is not self.mocks:
            self.mocks = mocks
            self.state.computation_class = mocking_class(self._computation_class, mocks)

    def checkpoint(self) -> SandboxCheckpoint:
        """The present state, for `restore`; restoring an earlier one ends it."""
        context = self._context
        return SandboxCheckpoint(
            self.accounts.record(),
            context.block_number,
            context.timestamp,
            frozenset(getattr(self.state, "deleted_accounts", ())),
            self.mocks,
        )

    def restore(self, checkpoint: SandboxCheckpoint) -> SandboxCheckpoint:
        self.state.lock_changes()
        self.accounts.discard(checkpoint.accounts)
        self._context._block_number = checkpoint.number  # noqa: SLF001  # as above
        self._context._timestamp = checkpoint.timestamp  # noqa: SLF001  # likewise
        if hasattr(self.state, "deleted_accounts"):
            self.state.deleted_accounts = checkpoint.deleted
        self.set_mocks(checkpoint.mocks)
        return checkpoint._replace(accounts=self.accounts.record())

    def transact(self, request: TransactionRequest) -> Outcome:
        """Run a transaction; the next one is in the next block.

        One that no block could have, because its sender cannot pay for it, is not `is_valid` and
        changes nothing.
        """
        outcome = self._run(request, is_local=False)
        if outcome.is_valid:
            self.advance(1)
        return outcome

    def call(self, request: TransactionRequest) -> Outcome:
        start = self.checkpoint()
        self.advance(-1, -1)
        try:
            return self._run(request, is_local=True)
        finally:
            self.restore(start)

    def _run(self, request: TransactionRequest, *, is_local: bool) -> Outcome:
        state, data, value = self.state, request.data, request.value or 0
        sender = request.sender or ZERO_ADDRESS
        gas = self.gas_limit if request.gas is None else request.gas
        price = self.gas_price if request.gas_price is None else request.gas_price
        target = CREATION if request.to is None else request.to
        intrinsic, least = Call(self._chain, self._block, request, {}).gas_before_code()
        if is_local:
            price = 0
            if value and state.get_balance(sender) < value:
                state.set_balance(sender, value)
        elif gas < least or state.get_balance(sender) < gas * price + value:
            return Outcome(b"", 0, UNAFFORDABLE, None, is_valid=False)
        tx = UnsignedTransaction(
            sender, 0, price, price, gas, target, value, data, intrinsic, least
        )
        state.lock_changes()
        before = self.accounts.record()
        executor = state.get_transaction_executor()
        executor.local_call = is_local
        try:
            computation = executor.build_computation(executor.build_evm_message(tx), tx)
            executor.finalize_computation(tx, computation)
        except (VMError, PyEVMError, ValidationError) as invalid:
            self.accounts.discard(before)
            failure = Failure(FailureKind.OTHER, str(invalid))
            return Outcome(b"", 0, failure, None, is_valid=False)
        except DevchainError:  # of an upstream: the transaction may be sent again
            self.accounts.discard(before)
            raise
        if hasattr(state, "finish_transaction"):
            state.finish_transaction(computation)
        elif self._has_transient_storage:
            state.clear_transient_storage()
        state.lock_changes()
        error = computation.error if computation.is_error else None
        return Outcome(
            computation.output,
            self._finalize_gas(tx, computation),
            error and Failure.of_computation(computation, error, self._chain.rules.hardfork),
            computation,
        )
