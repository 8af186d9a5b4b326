"""Legacy transactions as py-evm classes that know what they cost before any code runs."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from eth._utils.transactions import create_transaction_signature
from eth.vm.forks.spurious_dragon.transactions import (
    SpuriousDragonTransaction,
    SpuriousDragonUnsignedTransaction,
)
from eth_keys.datatypes import PrivateKey

from devchain.evm.rootstock.gas import intrinsic_gas
from devchain.evm.rootstock.upgrades import NEWEST, Rule, rules_of


class RootstockTransaction(SpuriousDragonTransaction):
    """A signed transaction, with EIP-155's chain id or without one."""

    rules: ClassVar[frozenset[Rule]] = rules_of(NEWEST)
    unsigned_class: ClassVar[Any]

    @classmethod
    def create_unsigned_transaction(cls, **values: Any) -> RootstockUnsignedTransaction:
        """The transaction of those fields, still to be signed."""
        return cast(RootstockUnsignedTransaction, cls.unsigned_class(**values))

    def get_intrinsic_gas(self) -> int:
        """Gas it costs before any code runs."""
        return intrinsic_gas(self, self.rules)


class RootstockUnsignedTransaction(SpuriousDragonUnsignedTransaction):
    """A transaction before it is signed."""

    signed_class: ClassVar[Any] = RootstockTransaction

    def as_signed_transaction(
        self, private_key: PrivateKey, chain_id: int | None = None
    ) -> RootstockTransaction:
        """The transaction signed with that key, under EIP-155 if there is a chain id."""
        signature = create_transaction_signature(self, private_key, chain_id=cast(int, chain_id))
        values = (self.nonce, self.gas_price, self.gas, self.to, self.value, self.data)
        return cast(RootstockTransaction, self.signed_class(*values, *signature))

    def get_intrinsic_gas(self) -> int:
        """Gas it costs before any code runs."""
        return intrinsic_gas(self, self.signed_class.rules)


RootstockTransaction.unsigned_class = RootstockUnsignedTransaction


def transaction_class(rules: frozenset[Rule]) -> Any:
    """The class of transactions under those rules."""
    signed: Any = type("Transaction", (RootstockTransaction,), {"rules": rules})
    unsigned = type("Unsigned", (RootstockUnsignedTransaction,), {"signed_class": signed})
    signed.unsigned_class = unsigned
    return signed
