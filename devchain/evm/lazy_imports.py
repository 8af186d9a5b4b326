"""Imports that are postponed until the first call: modules that take long and are seldom needed.

py_ecc computes tables for BLS12-381 when it is imported, which takes half as long as importing all
of py-evm. They serve one precompiled contract of Prague, and keystores of Ethereum's validators.
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
"""Modules, and the functions and classes that other modules import from them."""


class LazyModule(ModuleType):
    """A placeholder for a module in `sys.modules`, which imports it at the first use."""

    def __init__(self, name: str, attributes: Iterable[str]) -> None:
        """Define placeholders for those functions and classes."""
        super().__init__(name)
        for attribute in attributes:
            setattr(self, attribute, LazyAttribute(name, attribute))

    def __getattr__(self, name: str) -> Any:
        """Import the module for any other attribute."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_import(self.__name__), name)


class LazyAttribute:
    """A placeholder for a function or a class of a module that is imported later."""

    def __init__(self, module: str, name: str) -> None:
        """A placeholder for `module.name`."""
        self._module = module
        self._name = name

    def __call__(self, *arguments: object, **named: object) -> Any:
        """Import the module and call its function."""
        return self._imported()(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        """Import the module and read an attribute of its class."""
        return getattr(self._imported(), name)

    def _imported(self) -> Any:
        return getattr(_import(self._module), self._name)


def defer_imports(modules: Mapping[str, Iterable[str]] = PAIRINGS) -> None:
    """Put placeholders for those modules into `sys.modules`, unless they are imported already."""
    for name, attributes in modules.items():
        sys.modules.setdefault(name, LazyModule(name, attributes))


def _import(name: str) -> ModuleType:
    """The module itself; first its package, if that is a placeholder."""
    package = name.rpartition(".")[0]
    if isinstance(sys.modules.get(package), LazyModule):
        _import(package)
    if isinstance(sys.modules.get(name), LazyModule):
        del sys.modules[name]
    return importlib.import_module(name)
