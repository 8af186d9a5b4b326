"""The funded accounts as Python objects: they sign, send, have a balance and compare as addresses.

A module of its own because eth-account, the base class, loads only when an account is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_keys.datatypes import PrivateKey

from devchain.contracts.contract import Suggesting
from devchain.types import Address, AddressBytes, checksum


class FundedAccount(Suggesting, LocalAccount, str):  # noqa: SLOT000  # LocalAccount has attributes
    """An eth-account account of a node. It equals its address in any form.

    It is text, its address with EIP-55's checksum, as web3.py and JSON-RPC clients need. In sets
    and as a dictionary key it matches the 20 bytes that contracts return. Where keys are text, use
    `accounts[0].address`.
    """

    OTHER_NAMES: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(
            ("transfer", "send", "sendtransaction"),
            "node.transact(to=..., value=..., sender=account)",
        ),
        "privatekey": "key",
    }

    def __new__(cls, private_key: bytes, node: Any) -> Self:
        del node
        address = PrivateKey(private_key).public_key.to_canonical_address()
        return str.__new__(cls, checksum(address))

    def __init__(self, private_key: bytes, node: Any) -> None:
        key = PrivateKey(private_key)
        super().__init__(key, Account())
        self.canonical = Address(AddressBytes(key.public_key.to_canonical_address()))
        self._node = node

    def __copy__(self) -> Self:
        """The account itself, as a copy too, such as a test of Hypothesis makes of its values."""
        return self

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self

    @property
    def balance(self) -> int:
        """Its balance in wei after the newest block."""
        return int(self._node.at().balance(self.canonical))

    @property
    def nonce(self) -> int:
        """The number of transactions it has sent up to the newest block."""
        return int(self._node.at().nonce(self.canonical))

    __str__ = str.__str__

    def __eq__(self, other: object) -> bool:
        return self.canonical == other

    def __hash__(self) -> int:
        return hash(self.canonical)

    def __repr__(self) -> str:
        return f"<account {self.address}>"
