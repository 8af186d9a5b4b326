"""Hardfork name -> virtual machine class: the one place where rules get their name."""

from __future__ import annotations

from eth.abc import VirtualMachineAPI

from devchain.errors import ConfigError
from devchain.evm.rootstock.vm import RootstockVM

FORKS: dict[str, type[VirtualMachineAPI]] = {"vetiver": RootstockVM}


def vm_class(hardfork: str) -> type[VirtualMachineAPI]:
    """The virtual machine of that hardfork."""
    try:
        return FORKS[hardfork]
    except KeyError:
        msg = f"unknown hardfork {hardfork!r}; choose one of: {', '.join(FORKS)}"
        raise ConfigError(msg) from None
