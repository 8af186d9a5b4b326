"""`devchain.evm`: keccak-256"""

from __future__ import annotations

import pytest
import sha3  # type: ignore[import-untyped]  # safe-pysha3 has no type hints
from eth_hash.auto import keccak
from eth_hash.backends import pysha3

import devchain.evm  # noqa: F401  # what it does on import is the subject


class TestKeccak:
    def test_is_the_fast_one(self) -> None:
        """Importing the package is enough."""
        assert keccak.hasher == pysha3.keccak256

    @pytest.mark.parametrize("content", [b"", b"abc", bytes(500)], ids=len)
    def test_agrees(self, content: bytes) -> None:
        """At once and in parts, the hash is keccak-256."""
        assert keccak(content) == sha3.keccak_256(content).digest()
        assert keccak.new(content).digest() == keccak(content)
