"""`devchain.evm`: selects the keccak-256 backend on import."""

from __future__ import annotations

import pytest
import sha3  # type: ignore[import-untyped]  # safe-pysha3 has no type hints
from eth_hash.auto import keccak
from eth_hash.backends import pysha3

import devchain.evm  # noqa: F401  # imported for its side effect


class TestKeccak:
    def test_backend(self) -> None:
        """Importing the package selects the backend of safe-pysha3."""
        assert keccak.hasher == pysha3.keccak256

    @pytest.mark.parametrize("content", [b"", b"abc", bytes(500)], ids=len)
    def test_agrees(self, content: bytes) -> None:
        """`keccak()` and `keccak.new()` hash as safe-pysha3."""
        assert keccak(content) == sha3.keccak_256(content).digest()
        assert keccak.new(content).digest() == keccak(content)
