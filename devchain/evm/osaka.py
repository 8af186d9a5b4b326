"""Osaka's VM, which py-evm does not have yet: Prague's with a new opcode.

The precompiled contracts that Osaka brings and reprices are in `precompiles`, the limits of
transactions and blocks in `rules`. What concerns blobs and the beacon chain is left out: blob
transactions are not supported.
"""

from __future__ import annotations

from typing import Any

from eth.abc import ComputationAPI
from eth.constants import GAS_LOW
from eth.vm.forks.prague import PragueVM
from eth.vm.forks.prague.computation import PragueComputation
from eth.vm.forks.prague.state import PragueState
from eth.vm.opcode import as_opcode

from devchain.evm.opcodes import Op


def count_leading_zeros(computation: ComputationAPI) -> None:
    """CLZ: the number of zero bits before the first one of a word, 256 for zero (EIP-7939)."""
    computation.stack_push_int(256 - computation.stack_pop1_int().bit_length())


OPCODES: dict[int, Any] = {
    **PragueComputation.opcodes,
    Op.CLZ: as_opcode(logic_fn=count_leading_zeros, mnemonic="CLZ", gas_cost=GAS_LOW),
}
"""The opcode table."""


class OsakaComputation(PragueComputation):
    """Executes messages."""

    opcodes = OPCODES


class OsakaState(PragueState):
    """The state that messages are executed on."""

    computation_class = OsakaComputation


class OsakaVM(PragueVM):
    """The virtual machine."""

    fork = "osaka"
    _state_class = OsakaState
