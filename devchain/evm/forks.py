"""Hardfork name -> rules: the one place where rules get their name."""

from __future__ import annotations

from functools import cache
from itertools import chain

from devchain.errors import ConfigError
from devchain.evm.ethereum import ethereum_vm
from devchain.evm.rootstock.vm import upgrade_vm
from devchain.evm.rules import TYPES, EthereumRules, RootstockRules, Rules
from devchain.hardforks import ETHEREUM, HARDFORKS, canonical, is_ethereum


def rules(hardfork: str) -> Rules:
    """The rules of that hardfork, named as here or as the Rootstock node has it."""
    return _rules(canonical(hardfork))


@cache
def _rules(name: str) -> Rules:
    if name not in HARDFORKS:
        msg = f"unknown hardfork {name!r}; choose one of: {', '.join(HARDFORKS)}"
        raise ConfigError(msg)
    if not is_ethereum(name):
        return RootstockRules(name, upgrade_vm(name))
    upto = ETHEREUM[: ETHEREUM.index(name) + 1]
    types = frozenset(chain.from_iterable(TYPES.get(each, ()) for each in upto))
    return EthereumRules(name, ethereum_vm(name), types | {0})
