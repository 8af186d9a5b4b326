"""Hardfork name -> rules: the one place where rules get their name."""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import Any

from devchain.errors import ConfigError
from devchain.evm.bounded import bounded
from devchain.evm.ethereum import ethereum_vm
from devchain.evm.fast import fast_vm
from devchain.evm.rootstock.vm import upgrade_vm
from devchain.evm.rules import TYPES, EthereumRules, RootstockRules, Rules
from devchain.hardforks import ETHEREUM, HARDFORKS, canonical, is_ethereum


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
