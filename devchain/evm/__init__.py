"""Execution rules: what a transaction does to accounts, under Rootstock's and Ethereum's hardforks.

Everything that executes bytecode belongs here. `hardforks.rules_for` returns the `rules.Rules` that
packages above ask for everything that depends on the hardfork. Blocks are built in `chain`.

Importing the package makes eth-hash, and with it py-evm, use its fastest backend for keccak-256,
safe-pysha3. It also puts a stand-in before py-evm's BLS12-381 contracts (py-evm 0.12.1b1): they
import pairings of py_ecc, which compute tables for 0.4 s, a quarter of what a node takes to start,
and `precompiles` has faster ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

from eth_hash.auto import keccak
from eth_hash.backends import pysha3

PACKAGE = "eth.precompiles.bls12_381"
FUNCTIONS = {
    "bls12_381_g1": ("bls12_g1_add", "bls12_g1_msm", "bls12_map_fp_to_g1"),
    "bls12_381_g2": ("bls12_g2_add", "bls12_g2_msm", "bls12_map_fp2_to_g2"),
    "bls12_381_pairing": ("bls12_pairing_check",),
}
"""The functions of the package, by submodule."""


def defer_bls12_381() -> None:
    """Let `import eth` go without py_ecc's BLS12-381, unless it was imported before."""
    py_evm = find_spec("eth")
    if "eth.precompiles" in sys.modules or py_evm is None or py_evm.origin is None:
        return
    spec = ModuleSpec(PACKAGE, loader=None, is_package=True)
    spec.submodule_search_locations = [str(Path(py_evm.origin).parent / "precompiles/bls12_381")]
    package = module_from_spec(spec)
    for submodule, names in FUNCTIONS.items():
        for name in names:
            setattr(package, name, _deferred(f"{PACKAGE}.{submodule}", name))
    sys.modules[PACKAGE] = package


def _deferred(module: str, name: str) -> Callable[[Any], Any]:
    def contract(computation: Any) -> Any:
        return getattr(import_module(module), name)(computation)

    return contract


keccak.hasher = pysha3.keccak256  # type: ignore[assignment]  # the name of its argument differs
keccak.preimage = pysha3.preimage  # type: ignore[assignment]  # as before

defer_bls12_381()
