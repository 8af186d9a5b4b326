"""The accounts of the `accounts` fixture: they sign, send and compare as addresses.

A module of its own because eth-account, the base class, loads only when a test uses it.
"""

from __future__ import annotations

from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_keys.datatypes import PrivateKey

from devchain.types import Address


class FundedAccount(LocalAccount):
    """An eth-account account that equals its address, 20 bytes, and any account of that address."""

    def __init__(self, private_key: bytes) -> None:
        key = PrivateKey(private_key)
        super().__init__(key, Account())
        self.canonical = Address(key.public_key.to_canonical_address())

    def __eq__(self, other: object) -> bool:
        address = other.canonical if isinstance(other, FundedAccount) else other
        return self.canonical == address

    def __hash__(self) -> int:
        return hash(self.canonical)

    def __repr__(self) -> str:
        return f"<account {self.address}>"
