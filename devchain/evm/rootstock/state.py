"""How one transaction changes the state: gas bought, message run, refunds, fees, deletions."""

from __future__ import annotations

from typing import Any, ClassVar

from eth.abc import ComputationAPI, MessageAPI, SignedTransactionAPI
from eth.constants import CREATE_CONTRACT_ADDRESS
from eth.vm.forks.cancun.state import CancunState
from eth.vm.forks.frontier.state import FrontierTransactionExecutor
from eth.vm.forks.homestead.validation import validate_homestead_transaction
from eth.vm.message import Message
from eth.vm.transaction_context import BaseTransactionContext

from devchain.evm.rootstock.computation import RootstockComputation, computation_class
from devchain.evm.rootstock.creation import contract_address
from devchain.evm.rootstock.exceptions import InitCodeTooLarge, PrecompileFailed
from devchain.evm.rootstock.gas import INIT_CODE_LIMIT, intrinsic_gas
from devchain.evm.rootstock.upgrades import Rule
from devchain.types import Address


class RootstockTransactionContext(BaseTransactionContext):
    """Gas price and sender, and whether the transaction is only simulated."""

    local_call = True


class RootstockTransactionExecutor(FrontierTransactionExecutor):
    """Runs transactions: refunds of up to half, no accounts cleared for being empty."""

    vm_state: Any
    local_call = True

    def __call__(self, transaction: SignedTransactionAPI) -> ComputationAPI:
        """Validate, run and settle a transaction of a block."""
        self.local_call = False
        computation = super().__call__(transaction)
        self.vm_state.close_transaction(computation)
        return computation

    @staticmethod
    def new_message(**given: Any) -> MessageAPI:
        """The message that begins a transaction."""
        return Message(**given)

    def build_evm_message(self, transaction: SignedTransactionAPI) -> MessageAPI:
        """Buy the gas, count the nonce up and say what to run; raises `InitCodeTooLarge`."""
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
        return self.new_message(
            gas=transaction.gas - intrinsic_gas(transaction, state.rules),
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
        """Run the message; a creation by a transaction does not look for what is in its place."""
        state = self.vm_state
        context = state.get_transaction_context(transaction)
        context.local_call = self.local_call
        kind = state.computation_class
        run = kind.apply_create_message if message.is_create else kind.apply_message
        computation: ComputationAPI = run(state, message, context)
        return computation

    def finalize_computation(
        self, transaction: SignedTransactionAPI, computation: ComputationAPI
    ) -> ComputationAPI:
        """Pay the sender what is left, the miner the fee; delete what was destroyed.

        When a precompiled contract refuses a transaction the receipt says what that used, but
        the node takes the price of the whole gas limit.
        """
        if computation.is_error and isinstance(computation.error, PrecompileFailed):
            state = self.vm_state
            computation.data_floor_gas = 0
            state.delta_balance(state.coinbase, transaction.gas * state.get_tip(transaction))
            return computation
        return super().finalize_computation(transaction, computation)


class RootstockState(CancunState):
    """The state under the rules of one upgrade; this class, under the newest's."""

    rules: ClassVar[frozenset[Rule]] = RootstockComputation.rules
    computation_class: Any = RootstockComputation
    transaction_context_class = RootstockTransactionContext
    transaction_executor_class: Any = RootstockTransactionExecutor

    def __init__(self, *args: Any) -> None:
        """Open the state; what it remembers beyond the accounts is of one block."""
        super().__init__(*args)
        self.transaction_index = 0
        self.deleted_accounts: set[Address] = set()

    def close_transaction(self, computation: ComputationAPI) -> None:
        """Forget what lasts no longer than a transaction, keep what the next ones must know."""
        self.clear_transient_storage()
        self.deleted_accounts.update(computation.get_accounts_for_deletion())
        self.transaction_index += 1

    def set_system_contracts(self) -> None:
        """Rootstock has none of Ethereum's system contracts."""

    def account_exists(self, address: Address) -> bool:
        """Whether there is such an account, be it empty; precompiled contracts always exist."""
        precompiled = self.computation_class.get_precompiles()
        return address in precompiled or super().account_exists(address)

    def delta_balance(self, address: Address, delta: int) -> None:
        """Add to a balance; a fee of nothing does not bring the miner's account into being."""
        if delta:
            super().delta_balance(address, delta)

    def get_tip(self, transaction: SignedTransactionAPI) -> int:
        """What the miner earns per gas, in wei."""
        return transaction.gas_price

    def get_gas_price(self, transaction: SignedTransactionAPI) -> int:
        """What the sender pays per gas, in wei."""
        return transaction.gas_price

    def get_transaction_context(self, transaction: SignedTransactionAPI) -> Any:
        """What GASPRICE and ORIGIN return."""
        return self.get_transaction_context_class()(
            gas_price=transaction.gas_price, origin=transaction.sender
        )

    def validate_transaction(self, transaction: SignedTransactionAPI) -> None:
        """Size, nonce, balance, signature; the minimum gas price is the mempool's to check."""
        self.check_init_code(transaction)
        validate_homestead_transaction(self, transaction)

    def check_init_code(self, transaction: SignedTransactionAPI) -> None:
        """Raise `InitCodeTooLarge` if it would create a contract with too much init code."""
        is_creation = transaction.to == CREATE_CONTRACT_ADDRESS
        size = len(transaction.data) if is_creation else 0
        if size > INIT_CODE_LIMIT and Rule.INIT_CODE_LIMIT in self.rules:
            msg = f"init code has {size} bytes, the limit is {INIT_CODE_LIMIT}"
            raise InitCodeTooLarge(msg)


def state_class(upgrade: str) -> Any:
    """The class of states under that upgrade."""
    computation = computation_class(upgrade)
    return RootstockState.configure(
        __name__=f"RootstockState:{upgrade}",
        computation_class=computation,
        rules=computation.rules,
    )
