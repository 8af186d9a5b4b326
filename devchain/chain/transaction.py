"""A signed transaction as every room sees it, and the door where raw bytes become one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, NoReturn, cast

import rlp
from eth.exceptions import PyEVMError
from eth.vm.forks.spurious_dragon.transactions import SpuriousDragonTransaction
from eth_hash.auto import keccak
from eth_keys.exceptions import BadSignature
from eth_utils.exceptions import ValidationError
from rlp.exceptions import RLPException

from devchain.chain.signatures import HALF_ORDER, recover, sign
from devchain.errors import MalformedTransaction, UnsupportedTransactionType, WrongChainId
from devchain.evm.rules import Rules
from devchain.state.rlp import content, encode_bytes, encode_int, split_list, wrap
from devchain.types import Address, Hash32, TransactionRequest

SIGNED_FIELDS = 6
FIELDS = SIGNED_FIELDS + 3
OLD_V = 27
CHAIN_ID_V = 35
"""From there on v holds a chain id (EIP-155)."""
ADDRESS_SIZES = (0, 20)


class Read(NamedTuple):
    """A signed transaction: py-evm's object, its bytes, and who signed it."""

    signed: Any
    raw: bytes
    sender: Address


def sign_legacy(
    request: TransactionRequest, private_key: bytes, chain_id: int, rules: Rules
) -> Read:
    """The transaction of a complete request, signed with the chain id where rules know of it."""
    values = (
        _known(request.nonce),
        _known(request.gas_price),
        _known(request.gas),
        request.to or b"",
        _known(request.value),
        request.data,
    )
    unsigned = b"".join(
        encode_bytes(each) if isinstance(each, bytes) else encode_int(each) for each in values
    )
    kind = legacy_class(rules)
    is_bound = issubclass(kind, SpuriousDragonTransaction)
    digest = _digest(unsigned, chain_id if is_bound else None)
    (y_parity, r, s), sender = sign(digest, private_key)
    v = y_parity + (2 * chain_id + CHAIN_ID_V if is_bound else OLD_V)
    raw = wrap(unsigned + encode_int(v) + encode_int(r) + encode_int(s))
    return Read(kind(*values, v, r, s), raw, sender)


def _known(value: int | None) -> int:
    if value is None:
        msg = "the request has gaps"
        raise TypeError(msg)
    return value


def read_legacy(raw: bytes, rules: Rules) -> Read | None:
    """The transaction those bytes are; None if they are none that is signed and well-formed."""
    try:
        members = split_list(raw)
        items = [content(each) for each in members]
    except ValueError:
        return None
    if len(items) != FIELDS or len(items[3]) not in ADDRESS_SIZES:
        return None
    numbers = [item for place, item in enumerate(items) if place not in (3, 5)]
    if any(item[:1] == b"\0" for item in numbers):
        return None
    nonce, price, gas, value, v, r, s = (int.from_bytes(item, "big") for item in numbers)
    signed = legacy_class(rules)(nonce, price, gas, items[3], value, items[5], v, r, s)
    y_parity = v - OLD_V if signed.chain_id is None else 1 - v % 2
    digest = _digest(b"".join(members[:SIGNED_FIELDS]), signed.chain_id)
    sender = recover(digest, y_parity, r, s)
    return None if sender is None else Read(signed, raw, sender)


def _digest(unsigned: bytes, chain_id: int | None) -> bytes:
    """What is signed: the fields before the signature, and the chain id where there is one."""
    known = b"" if chain_id is None else encode_int(chain_id) + encode_int(0) + encode_int(0)
    return keccak(wrap(unsigned + known))


def legacy_class(rules: Rules) -> Any:
    """py-evm's class of legacy transactions; since Berlin its builder has others beside it."""
    builder = rules.vm_class.get_transaction_builder()
    return getattr(builder, "legacy_signed", builder)


CREATION = b""
"""The recipient py-evm and RLP write for a contract creation."""

FIRST_LIST_BYTE = 0xC0
TYPE_NAMES = {
    1: "EIP-2930 access list",
    2: "EIP-1559 dynamic fee",
    3: "EIP-4844 blob",
    4: "EIP-7702 set code",
}
FIELD_COUNTS = {0: 9, 1: 11, 2: 12, 3: 14, 4: 13}
"""How many fields a signed transaction of each type has."""

DYNAMIC_FEE_TYPES = frozenset({2, 4})
MAX_UINT64 = 2**64 - 1
MAX_UINT256 = 2**256 - 1


@dataclass(frozen=True, slots=True)
class Transaction:
    """A signed transaction; amounts in wei, `to` is None for a contract creation.

    `gas_price` is the most it pays per gas: for types 2 and 4 the fee cap. `intrinsic_gas` is what
    it costs before any code runs, `signed` is py-evm's object.
    """

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
    intrinsic_gas: int = 0

    @property
    def is_creation(self) -> bool:
        """Whether it creates a contract."""
        return self.to is None

    @property
    def in_block(self) -> bytes:
        """How a block's list of transactions has it: a typed one is bytes within RLP."""
        return encode_bytes(self.raw) if self.type else self.raw

    @property
    def unsigned(self) -> bytes:
        """Its bytes with zeros for a signature."""
        prefix, body = (self.raw[:1], self.raw[1:]) if self.type else (b"", self.raw)
        return prefix + bytes(rlp.encode([*rlp.decode(body)[:-3], b"", b"", b""]))

    @property
    def cost(self) -> int:
        """The most it can cost its sender, in wei."""
        return self.value + self.gas * self.gas_price

    @property
    def priority_fee(self) -> int:
        """The most it pays the miner per gas, in wei."""
        is_dynamic = self.type in DYNAMIC_FEE_TYPES
        return int(self.signed.max_priority_fee_per_gas) if is_dynamic else self.gas_price


def decode(raw: bytes, chain_id: int, rules: Rules) -> Transaction:
    """The transaction those bytes are.

    Raises `MalformedTransaction`, `UnsupportedTransactionType` or `WrongChainId`.
    """
    if raw[:1] and raw[0] in TYPE_NAMES and raw[0] not in rules.transaction_types:
        refuse_type(raw[0], rules)
    if not raw or (raw[0] not in TYPE_NAMES and raw[0] < FIRST_LIST_BYTE):
        msg = "not a signed transaction: want the RLP encoding of one"
        raise MalformedTransaction(msg)
    if raw[0] >= FIRST_LIST_BYTE and (read := read_legacy(raw, rules)):
        return from_signed(read, chain_id, rules)
    try:
        signed = rules.vm_class.get_transaction_builder().decode(raw)
    except (RLPException, ValidationError, ValueError, TypeError, RecursionError) as error:
        msg = f"not an RLP-encoded transaction: {_why_malformed(raw)}"
        raise MalformedTransaction(msg) from error
    if signed.encode() != raw:
        msg = "not an RLP-encoded transaction: not in its canonical form"
        raise MalformedTransaction(msg)
    _check_chain_id(signed, chain_id)
    _check_numbers(signed)
    return from_signed(Read(signed, raw, _sender(signed)), chain_id, rules)


def from_signed(read: Read, chain_id: int, rules: Rules) -> Transaction:
    """The transaction a signed py-evm transaction is, whose sender is known."""
    tx = read.signed
    _check_chain_id(tx, chain_id)
    _check_numbers(tx)
    # py-evm recovers the sender, and checks the signature, each time that it is asked.
    tx.__dict__["sender"] = read.sender
    tx.check_signature_validity = _is_known_to_be_valid
    _check_typed(tx)
    kind = tx.type_id or 0
    return Transaction(
        hash=Hash32(keccak(read.raw)),
        sender=read.sender,
        nonce=tx.nonce,
        gas_price=_most_per_gas(tx),
        gas=tx.gas,
        to=Address(tx.to) if tx.to else None,
        value=tx.value,
        data=tx.data,
        v=tx.y_parity if kind else tx.v,
        r=tx.r,
        s=tx.s,
        raw=read.raw,
        signed=tx,
        type=kind,
        intrinsic_gas=rules.intrinsic_gas(tx),
    )


def _is_known_to_be_valid() -> None:
    """Stands for py-evm's check of a signature from which the sender has been recovered."""


def _most_per_gas(tx: Any) -> int:
    return int(tx.max_fee_per_gas if tx.type_id in DYNAMIC_FEE_TYPES else tx.gas_price)


def _check_chain_id(tx: Any, chain_id: int) -> None:
    if tx.chain_id not in (None, chain_id):
        msg = f"transaction is signed for chain id {tx.chain_id}, this chain is {chain_id}"
        raise WrongChainId(msg)


def _sender(tx: Any) -> Address:
    """Who signed it; what it costs is the mempool's to judge, its text says more."""
    if tx.type_id and (
        found := recover(keccak(tx.get_message_for_signing()), tx.y_parity, tx.r, tx.s)
    ):
        return found
    try:
        tx.check_signature_validity()
        if tx.s > HALF_ORDER:
            msg = "s is in the upper half of the curve order"
            raise ValidationError(msg)
        return cast(Address, tx.sender)
    except (ValidationError, BadSignature, PyEVMError, ValueError) as error:
        msg = f"the signature is not valid: {_first_line(error)}"
        raise MalformedTransaction(msg) from error


def _check_numbers(tx: Any) -> None:
    limits = {
        "nonce": (tx.nonce, MAX_UINT64),
        "gas": (tx.gas, MAX_UINT64),
        "gas price": (_most_per_gas(tx), MAX_UINT256),
        "value": (tx.value, MAX_UINT256),
        "chain id": (tx.chain_id or 0, MAX_UINT64),
    }
    for name, (value, limit) in limits.items():
        if value > limit:
            msg = f"{name} is larger than {limit.bit_length()} bits hold"
            raise MalformedTransaction(msg)


def _check_typed(tx: Any) -> None:
    """What a typed transaction must have beyond a legacy one: for type 4 a recipient and a list."""
    if tx.type_id is None:
        return
    try:
        tx.validate()
    except ValidationError as error:
        msg = f"not a valid transaction of type {tx.type_id}: {_first_line(error)}"
        raise MalformedTransaction(msg) from error


def sent_by(tx: Transaction, sender: Address) -> Transaction:
    """The transaction as that account's, whoever signed it; it must be in nobody's hands yet."""
    tx.signed.__dict__["sender"] = sender
    return replace(tx, sender=sender)


def refuse_type(kind: int, rules: Rules) -> NoReturn:
    """Raise `UnsupportedTransactionType`, naming the type and those that there are."""
    name = TYPE_NAMES.get(kind, "unknown")
    others = sorted(rules.transaction_types - {0})
    typed = f", or type {' or '.join(map(str, others))}" if others else ""
    msg = f"transaction type {kind} ({name}) is not supported: use a legacy transaction, type 0"
    msg += typed
    raise UnsupportedTransactionType(msg)


def _why_malformed(raw: bytes) -> str:
    """What is wrong with bytes that are no transaction."""
    kind = raw[0] if raw[0] in TYPE_NAMES else 0
    try:
        fields = rlp.decode(raw[1:] if kind else raw)
    except (RLPException, RecursionError):
        return "its bytes end too early, or others follow them"
    if not isinstance(fields, list) or len(fields) != FIELD_COUNTS[kind]:
        count = len(fields) if isinstance(fields, list) else 0
        return f"it has {count} fields, a transaction of type {kind} has {FIELD_COUNTS[kind]}"
    return f"a field is not of the form or length that type {kind} has there"


def _first_line(error: BaseException) -> str:
    return str(error).split("\n", maxsplit=1)[0][:200]
