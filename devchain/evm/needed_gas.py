"""The least gas with which a message runs as it did, for estimates.

A message needs more gas than it uses: of what is left at a call, Ethereum's rules keep a 64th back
from the callee (EIP-150), and SSTORE fails unless more than 2,300 are left (EIP-2200).

    100 gas used, then a call of a message that needs 6,300 gas and uses 630, then 10 gas used

    uses   100 + 630 + 10 = 740
    needs  100 + 6,399, since all but a 64th of 6,399 are 6,300

It is exact for contracts that observe gas by their calls alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from eth.constants import GAS_CALLSTIPEND
from eth.vm.computation import BaseComputation

from devchain.evm.compiler.runtime import SSTORE_SENTRY
from devchain.evm.rootstock.computation import RootstockComputation


class NeededGasComputation(BaseComputation):
    """The base class that `needed_gas_class` puts before a computation class, of either engine.

    `gas_at_store` is the gas left before the last SSTORE with EIP-2200's condition.
    """

    keeps_64th = True  # Rootstock has neither EIP-150, nor stipends that the caller does not pay
    gas_at_store: int | None = None
    _needed_by_calls = 0

    def __init__(self, state: Any, message: Any, transaction_context: Any) -> None:
        super().__init__(state, message, transaction_context)
        self.__dict__.pop("consume_gas", None)  # the compiler's shortcut to the gas meter

    def consume_gas(self, amount: int, reason: str) -> None:
        if reason.startswith("SSTORE"):
            self.gas_at_store = self._gas_meter.gas_remaining
        self._gas_meter.consume_gas(amount, reason)

    def add_child_computation(self, child_computation: Any) -> None:
        """Add the child, and what its caller needs so that it gets what it needs."""
        super().add_child_computation(child_computation)
        message, needed = child_computation.msg, child_computation.needed_gas
        charged = message.gas
        if self.keeps_64th:
            if message.value and message.should_transfer_value and not message.is_create:
                charged -= GAS_CALLSTIPEND  # the callee gets it for nothing
                needed = max(0, needed - GAS_CALLSTIPEND)
            needed += max(0, needed - 1) // 63
        before = self.msg.gas - self._gas_meter.gas_remaining - charged
        self._needed_by_calls = max(self._needed_by_calls, before + needed)

    @property
    def needed_gas(self) -> int:
        """The least gas of the message; of one that failed and used it all, what is known."""
        needed, gas = self._needed_by_calls, self.msg.gas
        if not self.should_burn_gas:
            needed = max(needed, gas - self._gas_meter.gas_remaining)
        if self.gas_at_store is not None:
            needed = max(needed, gas - self.gas_at_store + SSTORE_SENTRY + 1)
        return needed


@lru_cache(maxsize=32)
def needed_gas_class(kind: Any) -> Any:
    """A subclass of a computation class that measures as it runs, on its engine."""
    members = {"keeps_64th": not issubclass(kind, RootstockComputation)}
    return type(kind.__name__, (NeededGasComputation, kind), members)
