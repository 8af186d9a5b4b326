"""The most gas that a message has charged at any moment, which `eth_estimateGas` of rskj returns.

A call charges its caller for all the gas that it passes on, and what the callee leaves comes back.
So a message needs more gas than it uses in the end: its gas limit has to cover the peak. A
creation gets all remaining gas, and its peak is the gas limit itself.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from eth.vm.computation import BaseComputation

from devchain.evm.bounded import opcode_object
from devchain.evm.rootstock.opcodes import Create, RootstockCall


class MeasuredComputation(BaseComputation):
    """The base class that `measured_class` puts before a computation class of Rootstock.

    `peak` is the most gas charged when a call or creation began; `forwards_all` says whether a call
    got all the remaining gas, `sends_value` whether a call had a value. The latter two are also
    those of the calls that succeeded, without creations.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.peak = 0
        self.forwards_all = self.sends_value = False

    def record_call(self, child_gas: int, value: int) -> None:
        left = self.get_gas_remaining() - child_gas
        self.peak = max(self.peak, self.msg.gas - left)
        self.forwards_all |= left == 0
        self.sends_value |= value > 0

    def record_creation(self) -> None:
        self.peak = self.msg.gas

    def add_child_computation(self, child_computation: Any) -> None:
        """Add the child, and what it notes if it is a call that succeeded."""
        super().add_child_computation(child_computation)
        if child_computation.is_success and not child_computation.msg.is_create:
            self.forwards_all |= child_computation.forwards_all
            self.sends_value |= child_computation.sends_value


class _MeasuredCall(RootstockCall):
    def _gas_for_child(self, computation: Any, gas: int, endowment: int) -> int:
        child_gas = super()._gas_for_child(computation, gas, endowment)
        computation.record_call(child_gas, endowment)
        return child_gas


class _MeasuredCreation(Create):
    def _cannot_start_child(self, computation: Any, endowment: int) -> bool:
        if super()._cannot_start_child(computation, endowment):
            return True
        computation.record_creation()
        return False


@lru_cache(maxsize=16)
def measured_class(kind: Any) -> Any:
    """A subclass of a computation class of Rootstock that measures as it runs.

    It has the engine of that class, with programs of its own if the engine is the fast one.
    """
    table = {opcode: _measured(entry) for opcode, entry in kind.opcodes.items()}
    members: dict[str, Any] = {"opcodes": table}
    if hasattr(kind, "programs"):
        members["programs"] = type(kind.programs)(table, kind.opcode_rules)
    return type(kind.__name__, (MeasuredComputation, kind), members)


def _measured(entry: Any) -> Any:
    opcode = opcode_object(entry)
    for measured, kind in ((_MeasuredCall, RootstockCall), (_MeasuredCreation, Create)):
        if isinstance(opcode, kind):
            bases = (measured, type(opcode))
            return type(type(opcode).__name__, bases, {})().__call__
    return entry
