"""Rootstock's state transition: validation, gas purchase, execution, refunds, fees, deletions."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from eth.abc import ComputationAPI, MessageAPI, SignedTransactionAPI
from eth.constants import CREATE_CONTRACT_ADDRESS
from eth.vm.forks.cancun.state import CancunState
from eth.vm.forks.frontier.state import FrontierTransactionExecutor
from eth.vm.forks.homestead.validation import validate_homestead_transaction
from eth.vm.message import Message
from eth.vm.transaction_context import BaseTransactionContext

from devchain.evm.rootstock.calls import contract_address
from devchain.evm.rootstock.computation import RootstockComputation, computation_class
from devchain.evm.rootstock.exceptions import InitCodeTooLarge
from devchain.evm.rootstock.upgrades import Rule
from devchain.types import Address


class RootstockTransactionContext(BaseTransactionContext):
    """Gas price, sender, and the transaction; `local_call` is False if it is one of a block."""

    local_call = True
    transaction: Any = None


class RootstockTransactionExecutor(FrontierTransactionExecutor):
    """Executes transactions: refunds up to half of the gas used, empty accounts are kept."""

    vm_state: Any
    local_call = True

    def __call__(self, transaction: SignedTransactionAPI) -> ComputationAPI:
        """Validate and execute a transaction of a block, with refunds and fees."""
        self.local_call = False
        computation = super().__call__(transaction)
        self.vm_state.finish_transaction(computation)
        return computation

    def build_evm_message(self, transaction: SignedTransactionAPI) -> MessageAPI:
        """Charge the gas limit, increment the nonce, return the message to execute.

        Raises `InitCodeTooLarge`.
        """
        state, sender = self.vm_state, transaction.sender
        state.check_init_code(transaction)
        nonce = state.get_nonce(sender)
        state.delta_balance(sender, -transaction.gas * state.get_gas_price(transaction))
        state.increment_nonce(sender)
        if transaction.to == CREATE_CONTRACT_ADDRESS:
            created: Any = contract_address(sender, nonce)
            code, payload = transaction.data, b""
        else:
            created = None
            code, payload = state.get_code(transaction.to), transaction.data
        return Message(
            gas=transaction.gas - transaction.intrinsic_gas,
            to=transaction.to,
            sender=sender,
            value=transaction.value,
            data=payload,
            code=code,
            create_address=created,
        )

    def build_computation(
        self, message: MessageAPI, transaction: SignedTransactionAPI
    ) -> ComputationAPI:
        """Execute the message; a creation does not check for address collisions.

        A precompiled contract that refuses the input of a transaction does not fail it.
        """
        state = self.vm_state
        context = state.get_transaction_context(transaction)
        context.local_call = self.local_call
        context.transaction = transaction
        kind = state.computation_class
        run = kind.apply_create_message if message.is_create else kind.apply_message
        computation = run(state, message, context)
        computation.absorb_refusal()
        return cast(ComputationAPI, computation)

    def finalize_computation(
        self, transaction: SignedTransactionAPI, computation: ComputationAPI
    ) -> ComputationAPI:
        """Refund unused gas to the sender, pay the miner, delete destroyed accounts.

        If the transaction calls a precompiled contract that refuses it, the receipt shows the gas
        used up to then, but the whole gas limit is paid for (as in rskj).
        """
        if cast(RootstockComputation, computation).refusal is not None:
            state = self.vm_state
            computation.data_floor_gas = 0
            state.delta_balance(state.coinbase, transaction.gas * state.get_tip(transaction))
            return computation
        return super().finalize_computation(transaction, computation)


class RootstockState(CancunState):
    """The state during a block; this class follows the newest upgrade, `state_class` others."""

    rules: ClassVar[frozenset[Rule]] = RootstockComputation.rules
    computation_class: Any = RootstockComputation
    transaction_context_class = RootstockTransactionContext
    transaction_executor_class: Any = RootstockTransactionExecutor

    transaction_index = 0
    """How many transactions of the block have been applied."""
    deleted_accounts: frozenset[Address] = frozenset()
    """The accounts that these have deleted."""

    def finish_transaction(self, computation: ComputationAPI) -> None:
        """Clear transient storage, record deleted accounts, advance the transaction index."""
        self.clear_transient_storage()
        self.deleted_accounts |= frozenset(computation.get_accounts_for_deletion())
        self.transaction_index += 1

    def set_system_contracts(self) -> None:
        """Do nothing: Rootstock does not have Ethereum's system contracts."""

    def account_exists(self, address: Address) -> bool:
        """Whether the account exists, even if empty; precompiled contracts always exist."""
        precompiled = self.computation_class.get_precompiles()
        return address in precompiled or super().account_exists(address)

    def delta_balance(self, address: Address, delta: int) -> None:
        """Add to a balance; adding 0 does not create the account, such as the miner's."""
        if delta:
            super().delta_balance(address, delta)

    def get_tip(self, transaction: SignedTransactionAPI) -> int:
        """Wei per gas that the miner earns."""
        return transaction.gas_price

    def get_gas_price(self, transaction: SignedTransactionAPI) -> int:
        """Wei per gas that the sender pays."""
        return transaction.gas_price

    def get_transaction_context(self, transaction: SignedTransactionAPI) -> Any:
        """The context that GASPRICE and ORIGIN read."""
        return self.get_transaction_context_class()(
            gas_price=transaction.gas_price, origin=transaction.sender
        )

    def validate_transaction(self, transaction: SignedTransactionAPI) -> None:
        """Check init code size, nonce, balance and signature; the mempool checks the gas price."""
        self.check_init_code(transaction)
        validate_homestead_transaction(self, transaction)

    def check_init_code(self, transaction: SignedTransactionAPI) -> None:
        """Raise `InitCodeTooLarge` for a creation whose init code exceeds the limit (RSKIP438)."""
        is_creation = transaction.to == CREATE_CONTRACT_ADDRESS
        size = len(transaction.data) if is_creation else 0
        limit = self.computation_class.init_code_limit
        if limit is not None and size > limit and Rule.INIT_CODE_LIMIT in self.rules:
            raise InitCodeTooLarge(f"init code has {size} bytes, the limit is {limit}")


def state_class(upgrade: str) -> Any:
    """The state class of an upgrade."""
    computation = computation_class(upgrade)
    return RootstockState.configure(
        __name__=f"RootstockState:{upgrade}",
        computation_class=computation,
        rules=computation.rules,
    )
