"""Ethereum's hardforks as py-evm has them, with faster precompiled contracts."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from eth.abc import ComputationAPI, SignedTransactionAPI

from devchain.evm.nesting import Nesting, nestable
from devchain.evm.precompiles import with_fast_precompiles

TWO_WORDS = {
    "tangerinewhistle": "tangerine_whistle",
    "spuriousdragon": "spurious_dragon",
    "muirglacier": "muir_glacier",
    "arrowglacier": "arrow_glacier",
    "grayglacier": "gray_glacier",
}
"""Hardforks whose module in `eth.vm.forks` has two words."""


def ethereum_vm(hardfork: str) -> Any:
    """py-evm's virtual machine class of that hardfork; only what it needs is imported."""
    name = TWO_WORDS.get(hardfork, hardfork)
    module = import_module(f"eth.vm.forks.{name}")
    vm_class = getattr(module, f"{name.title().replace('_', '')}VM")
    vm_class = _with_computation(vm_class, hardfork)
    return _with_exact_gas(vm_class) if hardfork == "prague" else vm_class


def _with_computation(vm_class: Any, hardfork: str) -> Any:
    """That class, its slow precompiled contracts replaced, its calls as deep as they may be."""
    state = vm_class.get_state_class()
    plain = state.computation_class
    computation = type(
        plain.__name__,
        (Nesting, plain),
        {
            "opcodes": nestable(plain.opcodes),
            "_precompiles": with_fast_precompiles(plain.get_precompiles(), hardfork),
        },
    )
    state = state.configure(__name__=state.__name__, computation_class=computation)
    return vm_class.configure(__name__=vm_class.__name__, _state_class=state)


def _with_exact_gas(vm_class: Any) -> Any:
    """Prague's class, whose receipts say what is charged.

    py-evm charges the floor price of data (EIP-7623) right, but counts it as gas that refunds may
    be taken from when it writes the receipt.
    """

    def gas_used(cls: Any, transaction: SignedTransactionAPI, computation: ComputationAPI) -> int:
        consumed = transaction.gas - computation.get_gas_remaining()
        refund = cls.calculate_net_gas_refund(consumed, computation.get_gas_refund())
        return int(consumed - refund + computation.data_floor_gas)

    return vm_class.configure(__name__="PragueVM", finalize_gas_used=classmethod(gas_used))
