"""The funded accounts as Python objects: they sign, send, have a balance and compare as addresses.

A module of its own because eth-account, the base class, loads only when an account is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_keys.datatypes import PrivateKey

from devchain.types import Address, AddressBytes, Tag

if TYPE_CHECKING:
    from devchain.node.core import NodeCore


class FundedAccount(LocalAccount):
    """An eth-account account of a node that equals its address, in whatever form.

    `canonical` is the address as 20 bytes.
    """

    def __init__(self, private_key: bytes, node: NodeCore) -> None:
        """Make the account of a private key on a node."""
        key = PrivateKey(private_key)
        super().__init__(key, Account())
        self.canonical = Address(AddressBytes(key.public_key.to_canonical_address()))
        self._node = node

    @property
    def balance(self) -> int:
        """Its balance in wei after the newest block."""
        return self._node.chain.state_at(Tag.LATEST).balance(Address(bytes(self.canonical)))

    @property
    def nonce(self) -> int:
        """The number of transactions it has sent up to the newest block."""
        return self._node.chain.state_at(Tag.LATEST).nonce(Address(bytes(self.canonical)))

    def __eq__(self, other: object) -> bool:
        return self.canonical == other

    def __hash__(self) -> int:
        return hash(self.canonical)

    def __repr__(self) -> str:
        return f"<account {self.address}>"
