"""How the fast engine begins and settles a Rootstock transaction: as the rules say, unlogged."""

from __future__ import annotations

from typing import Any

from eth.abc import ComputationAPI, SignedTransactionAPI

from devchain.evm.fast.lean import LeanMessage
from devchain.evm.rootstock.exceptions import PrecompileFailed
from devchain.evm.rootstock.state import RootstockTransactionExecutor


class FastExecutor(RootstockTransactionExecutor):
    """Does what py-evm's does, without the texts that it makes for its debug log each time."""

    @staticmethod
    def new_message(**given: Any) -> LeanMessage:
        """The message that begins a transaction; what it is made of has been checked before."""
        return LeanMessage(given)

    def finalize_computation(
        self, transaction: SignedTransactionAPI, computation: ComputationAPI
    ) -> ComputationAPI:
        """Pay the sender what is left, the miner the fee; delete what was destroyed."""
        if computation.is_error and isinstance(computation.error, PrecompileFailed):
            return super().finalize_computation(transaction, computation)
        state = self.vm_state
        left = computation.get_gas_remaining()
        left += self.calculate_gas_refund(computation, transaction.gas - left)
        computation.data_floor_gas = 0
        state.delta_balance(transaction.sender, left * state.get_gas_price(transaction))
        state.delta_balance(state.coinbase, (transaction.gas - left) * state.get_tip(transaction))
        for address in computation.get_accounts_for_deletion():
            state.delete_account(address)
        return computation


def fast_executor(kind: Any) -> Any:
    """The fast one where transactions are Rootstock's; Ethereum's forks keep their own."""
    return FastExecutor if kind is RootstockTransactionExecutor else kind
