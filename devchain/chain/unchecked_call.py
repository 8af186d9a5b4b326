"""Calls as rskj runs them: without a check of funds, and with an estimate of one run's gas."""

from __future__ import annotations

from typing import Any

from eth.constants import GAS_CALLSTIPEND

from devchain.chain.eth_call import Call, UnsignedTransaction
from devchain.evm.failures import Failure, FailureKind
from devchain.evm.rootstock.exceptions import PrecompileFailed
from devchain.evm.rootstock.gas_peak import measured_class


class UncheckedCall(Call):
    """A call whose sender need not have what it pays: neither the value nor the gas.

    Only under the rules of Rootstock.
    """

    def check_funds(self, gas: int) -> None:
        """Do nothing."""

    def _lend_funds(self, state: Any, tx: UnsignedTransaction) -> None:
        funds = max(state.get_balance(tx.sender), tx.value)
        state.set_balance(tx.sender, funds + tx.gas * tx.gas_price)
        state.lock_changes()

    def estimate_gas(self, ceiling: int) -> int:
        """The gas of one run, with the request's gas or `ceiling` if that is lower, at its peak.

        It may be more than a transaction needs, or, with a call that got all remaining gas, less.
        A call with value adds its stipend once more. A transaction that halts needs all its gas;
        one whose gas is below its intrinsic gas, or that creates a contract without code, none.
        Raises `ExecutionReverted`.
        """
        gas = ceiling if self.request.gas is None else min(self.request.gas, ceiling)
        tx = self._transaction(gas)
        if gas < tx.least_gas or (self.request.to is None and not tx.data):
            return 0
        computation = self._compute(tx)
        stipend = GAS_CALLSTIPEND if computation.sends_value else 0
        return min(_needed(tx, computation) + stipend, ceiling)

    def _open_state(self, tx: UnsignedTransaction) -> Any:
        state = super()._open_state(tx)
        state.computation_class = measured_class(state.computation_class)
        return state


def _needed(tx: UnsignedTransaction, computation: Any) -> int:
    used = tx.gas - computation.get_gas_remaining()
    if computation.is_error:
        failure = Failure.of(computation.error, computation.output)
        if failure.kind is FailureKind.REVERT:
            raise failure.to_error()
        used = used if isinstance(computation.error, PrecompileFailed) else tx.gas
    elif not computation.forwards_all:
        used = max(used, tx.gas - computation.msg.gas + computation.peak)
    return int(used)
