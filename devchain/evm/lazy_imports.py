"""Modules that take long to import and are seldom needed: imported when they are first called.

py_ecc computes tables for BLS12-381 as it is imported, which takes as long as half of py-evm. They
serve a precompiled contract of Prague, and keystores of Ethereum's validators.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

PAIRINGS = {
    "py_ecc.optimized_bls12_381.optimized_pairing": ("final_exponentiate", "normalize1", "pairing"),
    "py_ecc.bls12_381.bls12_381_pairing": ("final_exponentiate", "pairing"),
    "py_ecc.bls": ("G2ProofOfPossession",),
    "py_ecc.bls.hash_to_curve": (
        "clear_cofactor_G1",
        "clear_cofactor_G2",
        "map_to_curve_G1",
        "map_to_curve_G2",
    ),
}


class Deferred(ModuleType):
    """Stands for a module until one of its names is made use of, or another is asked for."""

    def __init__(self, name: str, offered: Iterable[str]) -> None:
        """Offer those functions and classes before the module is imported."""
        super().__init__(name)
        for each in offered:
            setattr(self, each, Offered(name, each))

    def __getattr__(self, name: str) -> Any:
        """What only the module itself has."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_imported(self.__name__), name)


class Offered:
    """Stands for a function or a class of a module that is imported later."""

    def __init__(self, module: str, name: str) -> None:
        """Stand for that name of that module."""
        self._place = (module, name)

    def __call__(self, *arguments: object, **named: object) -> Any:
        """Import the module, and call what it has."""
        return self._found()(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        """Import the module, and look at what it has."""
        return getattr(self._found(), name)

    def _found(self) -> Any:
        module, name = self._place
        return getattr(_imported(module), name)


def defer(modules: Mapping[str, Iterable[str]] = PAIRINGS) -> None:
    """Import these modules later, unless that has happened."""
    for name, functions in modules.items():
        sys.modules.setdefault(name, Deferred(name, functions))


def _imported(name: str) -> ModuleType:
    """The module itself; a package that was deferred comes before what is in it."""
    package = name.rpartition(".")[0]
    if isinstance(sys.modules.get(package), Deferred):
        _imported(package)
    if isinstance(sys.modules.get(name), Deferred):
        del sys.modules[name]
    return importlib.import_module(name)
