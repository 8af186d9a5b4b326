"""`devchain.evm.deferred_bls12_381`"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import eth.precompiles.bls12_381.bls12_381_g1 as g1
import pytest

from devchain.evm.deferred_bls12_381 import FUNCTIONS, PACKAGE


def test_functions() -> None:
    """The package has the functions that py-evm's has."""
    source = Path(g1.__file__).with_name("__init__.py").read_text()
    imports = [part for part in ast.parse(source).body if isinstance(part, ast.ImportFrom)]

    assert {name.name: part.module for part in imports for name in part.names} == FUNCTIONS


@pytest.mark.parametrize("name", ["bls12_g1_add", "bls12_g2_add", "bls12_pairing_check"])
def test_call(name: str) -> None:
    """A call runs py-evm's contract."""
    points = {"bls12_g1_add": 2 * 128, "bls12_g2_add": 2 * 256, "bls12_pairing_check": 384}
    costs: list[int] = []
    message = SimpleNamespace(data=bytes(points[name]))  # points at infinity
    computation = SimpleNamespace(msg=message, consume_gas=lambda gas, *_, **__: costs.append(gas))

    getattr(import_module(PACKAGE), name)(computation)

    expected = {"bls12_g1_add": bytes(128), "bls12_g2_add": bytes(256)}
    assert computation.output == expected.get(name, (1).to_bytes(32))
    assert costs
