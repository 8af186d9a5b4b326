"""Keccak-256 as fast as it is installed: py-evm takes the slowest of its backends first."""

from __future__ import annotations

from eth_hash.auto import keccak
from eth_hash.backends import pysha3


def use_fastest_keccak() -> None:
    """Have everything that hashes through eth-hash, py-evm included, use safe-pysha3.

    The environment variable that eth-hash has for this would reach other programs we start.
    """
    keccak.hasher = pysha3.keccak256  # type: ignore[assignment]  # its argument's name differs
    keccak.preimage = pysha3.preimage  # type: ignore[assignment]  # as before
