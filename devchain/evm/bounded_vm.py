"""Virtual machines that keep to the deadline of the request at work."""

from __future__ import annotations

from typing import Any

from eth.abc import ComputationAPI
from eth.constants import GAS_JUMPDEST
from eth.vm import mnemonics
from eth.vm import opcode_values as op
from eth.vm.computation import BaseComputation
from eth.vm.opcode import as_opcode

from devchain.evm import deadline

EVERY = 16
"""At which JUMPDESTs the deadline is checked: a check costs a tenth of what a short loop does."""


class Pace:
    """What JUMPDEST does, which every loop passes: now and then it looks at the time."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        """Look when the first one is passed."""
        self._left = 1

    def __call__(self, _: ComputationAPI) -> None:
        """Count down to the next check."""
        self._left -= 1
        if not self._left:
            self._left = EVERY
            deadline.check()


class Bounded(BaseComputation):
    """What `bounded` puts in front of a computation class."""

    @classmethod
    def apply_message(
        cls, state: Any, message: Any, transaction_context: Any, parent_computation: Any = None
    ) -> Any:
        """Run a message if there is time: a call costs the machine far more than a check."""
        deadline.check()
        return super().apply_message(state, message, transaction_context, parent_computation)


def bounded(vm_class: Any) -> Any:
    """That virtual machine class, stopped by the deadline in loops and between messages."""
    state_class = vm_class.get_state_class()
    plain = state_class.computation_class
    jumpdest = as_opcode(Pace(), mnemonics.JUMPDEST, GAS_JUMPDEST)
    opcodes = {**plain.opcodes, op.JUMPDEST: jumpdest}
    computation = type(plain.__name__, (Bounded, plain), {"opcodes": opcodes})
    state = state_class.configure(__name__=state_class.__name__, computation_class=computation)
    return vm_class.configure(__name__=vm_class.__name__, _state_class=state)
