"""Keccak-256 without the layers of eth-hash, which take as long as a short hash does."""

from __future__ import annotations

from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints


def keccak(data: bytes) -> bytes:
    digest: bytes = keccak_256(data).digest()
    return digest
