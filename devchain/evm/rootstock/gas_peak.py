"""The most gas that a message has charged at any moment, which `eth_estimateGas` of rskj returns.

A call charges its caller for all the gas that it passes on, and what the callee leaves comes back.
So a message needs more gas than it uses in the end: its gas limit has to cover the peak. A
creation gets all remaining gas, and its peak is the gas limit itself.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from devchain.evm.rootstock.computation import RootstockComputation


class PeakComputation(RootstockComputation):
    """The base class that `peak_class` puts before a computation class of Rootstock.

    `peak` is the most gas charged when a call or creation began; `forwards_all` says whether a call
    got all the remaining gas, `sends_value` whether a call had a value. The latter two are also
    those of the calls that succeeded, without creations.
    """

    peak = 0
    forwards_all = sends_value = False

    def gas_for_child(self, gas: int, value: int) -> int:
        child_gas = super().gas_for_child(gas, value)
        left = self.get_gas_remaining() - child_gas
        self.peak = max(self.peak, self.msg.gas - left)
        self.forwards_all |= left == 0
        self.sends_value |= value > 0
        return child_gas

    def add_child_computation(self, child_computation: Any) -> None:
        """Add the child, and what it notes if it is a call that succeeded."""
        super().add_child_computation(child_computation)
        if child_computation.msg.is_create:
            self.peak = self.msg.gas
        elif child_computation.is_success:
            self.forwards_all |= child_computation.forwards_all
            self.sends_value |= child_computation.sends_value


@lru_cache(maxsize=16)
def peak_class(kind: Any) -> Any:
    """A subclass of a computation class of Rootstock that measures as it runs, on its engine."""
    return type(kind.__name__, (PeakComputation, kind), {})
