"""A signed transaction as every room sees it, and the door where raw bytes become one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn

import rlp
from eth.abc import SignedTransactionAPI
from eth.exceptions import PyEVMError
from eth.vm.forks.istanbul.transactions import IstanbulTransaction
from eth_keys.exceptions import BadSignature
from eth_utils.exceptions import ValidationError
from rlp.exceptions import RLPException

from devchain.errors import (
    MalformedTransaction,
    UnsupportedTransactionType,
    WrongChainId,
)
from devchain.types import Address, Hash32

CREATION = b""
"""The recipient py-evm and RLP write for a contract creation."""

_FIRST_LIST_BYTE = 0xC0
TYPE_NAMES = {
    1: "EIP-2930 access list",
    2: "EIP-1559 dynamic fee",
    3: "EIP-4844 blob",
    4: "EIP-7702 set code",
}
MAX_UINT64 = 2**64 - 1
MAX_UINT256 = 2**256 - 1


@dataclass(frozen=True, slots=True)
class Transaction:
    """A signed transaction; amounts in wei, `to` is None for a contract creation."""

    hash: Hash32
    sender: Address
    nonce: int
    gas_price: int
    gas: int
    to: Address | None
    value: int
    data: bytes
    v: int
    r: int
    s: int
    raw: bytes = field(repr=False)
    signed: Any = field(repr=False, compare=False)
    type: int = 0

    @property
    def is_creation(self) -> bool:
        """Whether it creates a contract."""
        return self.to is None

    @property
    def cost(self) -> int:
        """The most it can cost its sender, in wei."""
        return self.value + self.gas * self.gas_price

    @property
    def intrinsic_gas(self) -> int:
        """Gas it costs before any code runs."""
        words = (len(self.data) + 31) // 32 if self.is_creation else 0
        return int(self.signed.intrinsic_gas) + 2 * words


def decode(raw: bytes, chain_id: int) -> Transaction:
    """The transaction those bytes are.

    Raises `MalformedTransaction`, `UnsupportedTransactionType` or `WrongChainId`.
    """
    if raw[:1] and raw[0] in TYPE_NAMES:
        refuse_type(raw[0])
    if not raw or raw[0] < _FIRST_LIST_BYTE:
        msg = "not a signed transaction: want the RLP encoding of one"
        raise MalformedTransaction(msg)
    try:
        signed = rlp.decode(raw, sedes=IstanbulTransaction)
    except (RLPException, ValueError, TypeError, RecursionError) as error:
        msg = f"not an RLP-encoded legacy transaction: {_first_line(error)}"
        raise MalformedTransaction(msg) from error
    return from_signed(signed, chain_id, raw)


def from_signed(
    signed: SignedTransactionAPI, chain_id: int, raw: bytes | None = None
) -> Transaction:
    """The transaction a signed py-evm transaction is, its signature checked."""
    tx: Any = signed
    if tx.chain_id not in (None, chain_id):
        msg = f"transaction is signed for chain id {tx.chain_id}, this chain is {chain_id}"
        raise WrongChainId(msg)
    _check_numbers(tx)
    try:
        # Basic cost is the mempool's to judge: its text says more.
        tx.check_signature_validity()
        if tx.s > _HALF_ORDER:
            msg = "s is in the upper half of the curve order"
            raise ValidationError(msg)
        sender = Address(tx.sender)
    except (ValidationError, BadSignature, PyEVMError, ValueError) as error:
        msg = f"the signature is not valid: {_first_line(error)}"
        raise MalformedTransaction(msg) from error
    return Transaction(
        hash=Hash32(tx.hash),
        sender=sender,
        nonce=tx.nonce,
        gas_price=tx.gas_price,
        gas=tx.gas,
        to=Address(tx.to) if tx.to else None,
        value=tx.value,
        data=tx.data,
        v=tx.v,
        r=tx.r,
        s=tx.s,
        raw=rlp.encode(tx) if raw is None else raw,
        signed=tx,
    )


_HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0


def _check_numbers(tx: Any) -> None:
    limits = {
        "nonce": MAX_UINT64,
        "gas": MAX_UINT64,
        "gas_price": MAX_UINT256,
        "value": MAX_UINT256,
        "v": MAX_UINT64,
    }
    for name, limit in limits.items():
        if getattr(tx, name) > limit:
            msg = f"{name} is larger than {limit.bit_length()} bits hold"
            raise MalformedTransaction(msg)


def refuse_type(kind: int) -> NoReturn:
    """Raise `UnsupportedTransactionType`, naming the type."""
    name = TYPE_NAMES.get(kind, "unknown")
    msg = f"transaction type {kind} ({name}) is not supported: use a legacy transaction, type 0"
    raise UnsupportedTransactionType(msg)


def _first_line(error: BaseException) -> str:
    return str(error).split("\n", maxsplit=1)[0][:200]
