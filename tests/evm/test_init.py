"""`devchain.evm`: selects the keccak-256 backend on import."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import eth.precompiles.bls12_381.bls12_381_g1 as g1
import pytest
import sha3  # type: ignore[import-untyped]  # safe-pysha3 has no type hints
from eth_hash.auto import keccak
from eth_hash.backends import pysha3

import devchain.evm  # noqa: F401  # imported for its side effect
from devchain.evm import FUNCTIONS, PACKAGE


class TestKeccak:
    def test_backend(self) -> None:
        """Importing the package selects the backend of safe-pysha3."""
        assert keccak.hasher == pysha3.keccak256

    @pytest.mark.parametrize("content", [b"", b"abc", bytes(500)], ids=len)
    def test_agrees(self, content: bytes) -> None:
        """`keccak()` and `keccak.new()` hash as safe-pysha3."""
        assert keccak(content) == sha3.keccak_256(content).digest()
        assert keccak.new(content).digest() == keccak(content)


def test_functions() -> None:
    """The package has the functions that py-evm's has."""
    source = Path(g1.__file__).with_name("__init__.py").read_text()
    imports = [part for part in ast.parse(source).body if isinstance(part, ast.ImportFrom)]

    assert {part.module: tuple(name.name for name in part.names) for part in imports} == FUNCTIONS


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
