"""Rootstock's virtual machines for py-evm, one for each upgrade: transactions, blocks, state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, cast

from eth._utils.transactions import EIP155_CHAIN_ID_OFFSET, create_transaction_signature
from eth.abc import BlockHeaderAPI, ChainContextAPI, ExecutionContextAPI, TransactionFieldsAPI
from eth.vm.chain_context import ChainContext
from eth.vm.execution_context import ExecutionContext
from eth.vm.forks.byzantium.blocks import ByzantiumBlock
from eth.vm.forks.cancun import CancunVM
from eth.vm.forks.frontier.constants import MAX_REFUND_QUOTIENT
from eth.vm.forks.spurious_dragon.transactions import (
    SpuriousDragonTransaction,
    SpuriousDragonUnsignedTransaction,
)
from eth_keys.datatypes import PrivateKey
from rlp.sedes import CountableList

from devchain.evm.memory_limit import DEFAULT_LIMIT
from devchain.evm.rootstock.gas import intrinsic_gas
from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rootstock.state import RootstockState, state_class
from devchain.evm.rootstock.upgrades import NEWEST, Rule, rules_of
from devchain.types import Address, Hash32


class ChainView(ChainContext):
    """The chain as executions see it: its id, its blocks, and their memory limit."""

    def __init__(
        self,
        chain_id: int,
        find_ancestor: Callable[[Hash32, int], Any],
        memory_limit: int = DEFAULT_LIMIT,
    ) -> None:
        """Executions with `memory_limit` bytes.

        `find_ancestor` gives the block that many blocks before the one of a hash, itself for 0;
        None if there is none.
        """
        super().__init__(chain_id)
        self.find_ancestor = find_ancestor
        self.memory_limit = memory_limit


class RootstockContext(ExecutionContext):
    """An execution context that gives precompiled contracts access to earlier blocks."""

    def __init__(self, view: ChainView, *values: Any) -> None:
        """Add a view of the chain to py-evm's context, whose arguments the values are."""
        super().__init__(*values)
        self.view = view


SIGNED_FIELDS = ("nonce", "gas_price", "gas", "to", "value", "data", "v", "r", "s")


class RootstockTransaction(SpuriousDragonTransaction):
    """A signed legacy transaction, with or without a chain id (EIP-155)."""

    rules: ClassVar[frozenset[Rule]] = rules_of(NEWEST)
    unsigned_class: ClassVar[Any]
    # These hide the properties of py-evm's class: an attribute is read without a call.
    nonce: Any = None
    gas_price: Any = None
    gas: Any = None
    to: Any = None
    value: Any = None
    data: Any = None
    v: Any = None
    r: Any = None
    s: Any = None
    chain_id: Any = None
    intrinsic_gas: Any = None

    def __init_subclass__(cls) -> None:
        """Hide the properties that rlp adds to each subclass."""
        for name in SIGNED_FIELDS:
            setattr(cls, name, None)

    def __init__(  # noqa: PLR0913, PLR0917  # the fields of a transaction
        self,
        nonce: int,
        gas_price: int,
        gas: int,
        to: Address,
        value: int,
        data: bytes,
        v: int,
        r: int,
        s: int,
    ) -> None:
        """Keep each field, by the name under which rlp reads it too, and what follows from them."""
        self.nonce = self._nonce = nonce
        self.gas_price = self._gas_price = gas_price
        self.gas = self._gas = gas
        self.to = self._to = to
        self.value = self._value = value
        self.data = self._data = data
        self.v = self._v = v
        self.r = self._r = r
        self.s = self._s = s
        self.chain_id = (v - EIP155_CHAIN_ID_OFFSET) // 2 if v >= EIP155_CHAIN_ID_OFFSET else None
        self.intrinsic_gas = intrinsic_gas(to, data, self.rules)

    @classmethod
    def create_unsigned_transaction(cls, **values: Any) -> RootstockUnsignedTransaction:
        """An unsigned transaction with those fields."""
        return cast(RootstockUnsignedTransaction, cls.unsigned_class(**values))

    def get_intrinsic_gas(self) -> int:
        """Gas that the transaction costs before execution."""
        gas: int = self.intrinsic_gas
        return gas


class RootstockUnsignedTransaction(SpuriousDragonUnsignedTransaction):
    """A legacy transaction before it is signed."""

    signed_class: ClassVar[Any] = RootstockTransaction

    def as_signed_transaction(
        self, private_key: PrivateKey, chain_id: int | None = None
    ) -> RootstockTransaction:
        """Sign the transaction, with replay protection (EIP-155) if there is a chain id."""
        signature = create_transaction_signature(self, private_key, chain_id=cast(int, chain_id))
        values = (self.nonce, self.gas_price, self.gas, self.to, self.value, self.data)
        return cast(RootstockTransaction, self.signed_class(*values, *signature))

    def get_intrinsic_gas(self) -> int:
        """Gas that the transaction costs before execution."""
        return intrinsic_gas(self.to, self.data, self.signed_class.rules)


RootstockTransaction.unsigned_class = RootstockUnsignedTransaction


def transaction_class(rules: frozenset[Rule]) -> Any:
    """The transaction class for those rules."""
    signed: Any = type("Transaction", (RootstockTransaction,), {"rules": rules})
    unsigned = type("Unsigned", (RootstockUnsignedTransaction,), {"signed_class": signed})
    signed.unsigned_class = unsigned
    return signed


def _block_fields(transaction: Any) -> Any:
    return (
        ("header", RootstockHeader),
        ("transactions", CountableList(transaction)),
        ("uncles", CountableList(RootstockHeader)),
    )


class RootstockBlock(ByzantiumBlock):
    """A block of legacy transactions under a Rootstock header."""

    transaction_builder: Any = RootstockTransaction
    fields: Any = _block_fields(RootstockTransaction)


class RootstockVM(CancunVM):
    """The virtual machine of the newest upgrade; `upgrade_vm` returns that of others."""

    fork = NEWEST
    block_class: Any = RootstockBlock
    _state_class: Any = RootstockState

    @classmethod
    def create_execution_context(
        cls, header: BlockHeaderAPI, prev_hashes: Any, chain_context: ChainContextAPI
    ) -> ExecutionContextAPI:
        """Block and chain data for opcodes and precompiled contracts."""
        values = (
            header.coinbase,
            header.timestamp,
            header.block_number,
            header.difficulty,
            header.mix_hash,
            header.gas_limit,
            prev_hashes,
            chain_context.chain_id,
            header.base_fee_per_gas,
        )
        if isinstance(chain_context, ChainView):
            return RootstockContext(chain_context, *values)
        return ExecutionContext(*values)

    @classmethod
    def calculate_net_gas_refund(cls, consumed_gas: int, gross_refund: int) -> int:
        """Limit the refund to half of the gas used."""
        return min(gross_refund, consumed_gas // MAX_REFUND_QUOTIENT)

    def increment_blob_gas_used(
        self, old_header: BlockHeaderAPI, transaction: TransactionFieldsAPI
    ) -> BlockHeaderAPI:
        """Return the header unchanged: Rootstock has no blobs."""
        del transaction
        return old_header

    def block_preprocessing(self, block: Any) -> None:
        """Do nothing: no system call precedes the transactions of a block."""


def upgrade_vm(upgrade: str) -> type[RootstockVM]:
    """The virtual machine class of an upgrade."""
    if upgrade == NEWEST:
        return RootstockVM
    transaction = transaction_class(rules_of(upgrade))
    block = type(
        "RootstockBlock",
        (RootstockBlock,),
        {"transaction_builder": transaction, "fields": _block_fields(transaction)},
    )
    vm: type[RootstockVM] = RootstockVM.configure(
        __name__=f"RootstockVM:{upgrade}",
        fork=upgrade,
        block_class=block,
        _state_class=state_class(upgrade),
    )
    return vm
