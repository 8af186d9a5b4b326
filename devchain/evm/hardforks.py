"""Ethereum's hardforks as py-evm has them, with faster precompiled contracts."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from itertools import chain
from typing import Any

from eth.abc import ComputationAPI, SignedTransactionAPI

from devchain.errors import ConfigError
from devchain.evm.bounded_vm import bounded
from devchain.evm.compiler import fast_vm
from devchain.evm.nesting import Nesting, nestable
from devchain.evm.precompiles import with_fast_precompiles
from devchain.evm.rootstock.vm import upgrade_vm
from devchain.evm.rules import TYPES, EthereumRules, RootstockRules, Rules
from devchain.networks import ETHEREUM, HARDFORKS, canonical, is_ethereum

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


def rules(hardfork: str, engine: str = "reference") -> Rules:
    """The rules of that hardfork, named as here or as the Rootstock node has it.

    Both engines, `fast` and `reference`, come to the same results.
    """
    return _rules(canonical(hardfork), engine)


@cache
def _rules(name: str, engine: str) -> Rules:
    if name not in HARDFORKS:
        msg = f"unknown hardfork {name!r}; choose one of: {', '.join(HARDFORKS)}"
        raise ConfigError(msg)
    vm_class = _vm_class(name, engine)
    if not is_ethereum(name):
        return RootstockRules(name, vm_class)
    upto = ETHEREUM[: ETHEREUM.index(name) + 1]
    types = frozenset(chain.from_iterable(TYPES.get(each, ()) for each in upto))
    return EthereumRules(name, vm_class, types | {0})


@cache
def _vm_class(name: str, engine: str) -> Any:
    """The VM class that runs that hardfork on that engine."""
    if engine == "fast":
        return fast_vm(_vm_class(name, "reference"))
    return bounded(ethereum_vm(name) if is_ethereum(name) else upgrade_vm(name))
