"""Modules that take long to import and are seldom needed: imported when they are first called.

py_ecc computes tables for BLS12-381 as it is imported, which takes as long as half of py-evm. They
serve a precompiled contract of Prague, and keystores of Ethereum's validators.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

PAIRINGS = {
    "py_ecc.optimized_bls12_381.optimized_pairing": ("final_exponentiate", "normalize1", "pairing"),
    "py_ecc.bls12_381.bls12_381_pairing": ("final_exponentiate", "pairing"),
}


class Deferred(ModuleType):
    """Stands for a module until one of its functions is called, or another name is asked for."""

    def __init__(self, name: str, functions: Iterable[str]) -> None:
        """Offer those functions before the module is imported."""
        super().__init__(name)
        for each in functions:
            setattr(self, each, partial(_call, name, each))

    def __getattr__(self, name: str) -> Any:
        """What only the module itself has."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_imported(self.__name__), name)


def defer(modules: Mapping[str, Iterable[str]] = PAIRINGS) -> None:
    """Import these modules later, unless that has happened."""
    for name, functions in modules.items():
        sys.modules.setdefault(name, Deferred(name, functions))


def _call(module: str, function: str, *arguments: object, **named: object) -> Any:
    called: Callable[..., Any] = getattr(_imported(module), function)
    return called(*arguments, **named)


def _imported(name: str) -> ModuleType:
    if isinstance(sys.modules.get(name), Deferred):
        del sys.modules[name]
    return importlib.import_module(name)
