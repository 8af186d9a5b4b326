"""Signed transactions: the `Transaction` value, and decoding and checking raw bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn, cast

import rlp
from coincurve import PrivateKey, PublicKey
from eth.constants import SECPK1_N as ORDER
from eth.exceptions import PyEVMError
from eth.vm.forks.london.transactions import DynamicFeeTransaction
from eth_keys.exceptions import BadSignature
from eth_utils.exceptions import ValidationError
from rlp.exceptions import RLPException

from devchain.errors import MalformedTransaction, UnsupportedTransactionType, WrongChainId
from devchain.evm.rootstock.vm import LARGEST_TYPE, RootstockTypedTransaction
from devchain.evm.rules import Rules
from devchain.state.keccak import keccak
from devchain.state.rlp import encode_bytes, encode_int, wrap
from devchain.types import MAX_UINT64, MAX_UINT256, Address, Hash32

CREATION = b""  # the recipient py-evm and RLP write for a contract creation

LEGACY, ACCESS_LIST, DYNAMIC_FEE, BLOB, SET_CODE = range(5)

TYPE_NAMES = {
    ACCESS_LIST: "EIP-2930 access list",
    DYNAMIC_FEE: "EIP-1559 dynamic fee",
    BLOB: "EIP-4844 blob",
    SET_CODE: "EIP-7702 set code",
}
FIELD_COUNTS = {LEGACY: 9, ACCESS_LIST: 11, DYNAMIC_FEE: 12, BLOB: 14, SET_CODE: 13}

DYNAMIC_FEE_TYPES = frozenset({DYNAMIC_FEE, BLOB, SET_CODE})

FIRST_LIST_BYTE = 0xC0  # RLP of a legacy transaction starts with it or a larger byte
SIGNED_FIELDS = 6
UNSIGNED_FIELDS = 8  # the fields of type 2 before the access list
DYNAMIC_FEE_BYTE = bytes([DYNAMIC_FEE])
NO_ACCESS_LIST = wrap(b"")
ADDRESS_SIZES = (0, 20)
FIRST_V = 27
FIRST_CHAIN_ID_V = 35  # from there on v holds a chain id (EIP-155)
HALF_ORDER = ORDER // 2

Signature = tuple[int, int, int]  # the parity of the point's y, then r and s


class SignedTransaction(NamedTuple):
    """A py-evm transaction, its bytes, and the account that signed it."""

    signed: Any
    raw: bytes
    sender: Address


@dataclass(frozen=True, slots=True)
class Transaction:
    """A signed transaction; amounts in wei, `to` is None for a contract creation.

    `gas_price` is the most it pays per gas: for types 2 to 4 the fee cap, on Rootstock the priority
    fee. `intrinsic_gas` is what
    it costs before any code runs. It is impersonated if the sender's key has not signed it.
    `answered` is what the upstream of a fork says of it, by JSON-RPC member; `signed`, py-evm's
    object, is then None if it is of a type that cannot be executed here.
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
    is_impersonated: bool = field(default=False, repr=False, compare=False)  # not stored
    answered: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)

    @property
    def is_creation(self) -> bool:
        return self.to is None

    @property
    def in_block(self) -> bytes:
        """Its RLP in a block's list of transactions; that of a typed one is a byte string."""
        return encode_bytes(self.raw) if self.type else self.raw

    @property
    def unsigned(self) -> bytes:
        size = 1 + (self.type > LARGEST_TYPE) if self.type else 0
        prefix, body = self.raw[:size], self.raw[size:]
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
    """Decode a signed transaction; its sender is recovered from the signature.

    Raises `MalformedTransaction`, `UnsupportedTransactionType` or `WrongChainId`.
    """
    if raw[:1] and raw[0] in TYPE_NAMES and raw[0] not in rules.transaction_types:
        refuse_type(raw[0], rules)
    if not raw or (raw[0] not in TYPE_NAMES and raw[0] < FIRST_LIST_BYTE):
        raise MalformedTransaction("not a signed transaction: want the RLP encoding of one")
    if raw[0] >= FIRST_LIST_BYTE and (legacy := decode_legacy(raw, rules)):
        return from_signed(legacy, chain_id, rules)
    if raw[0] == DYNAMIC_FEE and (plain := decode_dynamic_fee(raw, rules)):
        return from_signed(plain, chain_id, rules)
    try:
        signed = rules.vm_class.get_transaction_builder().decode(raw)
    except (RLPException, ValidationError, ValueError, TypeError, RecursionError) as error:
        raise MalformedTransaction(
            f"not an RLP-encoded transaction: {_describe_malformed(raw)}"
        ) from error
    if signed.encode() != raw:
        raise MalformedTransaction("not an RLP-encoded transaction: not in its canonical form")
    _check_chain_id(signed, chain_id)
    _check_numbers(signed, _max_gas_price(signed))
    sender = _recover_sender(signed, rules)
    return from_signed(SignedTransaction(signed, raw, sender), chain_id, rules)


def from_signed(decoded: SignedTransaction, chain_id: int, rules: Rules) -> Transaction:
    """Check the fields of a py-evm transaction and freeze them into a `Transaction`."""
    tx, raw, sender = decoded
    _check_chain_id(tx, chain_id)
    price = _max_gas_price(tx)
    _check_numbers(tx, price)
    # py-evm would recover the sender and check the signature at every access.
    tx.sender = sender
    tx.check_signature_validity = lambda: None
    if rules.is_free(tx.to, sender, chain_id):
        tx.intrinsic_gas = 0
    kind = tx.type_id or LEGACY
    # The other numbers and the signature have been checked, as has the length of the recipient.
    is_plain = kind == LEGACY or (
        kind == DYNAMIC_FEE
        and tx.max_priority_fee_per_gas <= MAX_UINT256
        and tx.nonce < MAX_UINT64
        and not tx.access_list
    )
    if not is_plain:
        try:
            tx.validate()
        except ValidationError as error:
            raise MalformedTransaction(
                f"not a valid transaction of type {kind}: {_first_line(error)}"
            ) from error
    return Transaction(
        hash=Hash32(keccak(raw)),
        sender=sender,
        nonce=tx.nonce,
        gas_price=price,
        gas=tx.gas,
        to=Address(tx.to) if tx.to else None,
        value=tx.value,
        data=tx.data,
        v=tx.y_parity if kind else tx.v,
        r=tx.r,
        s=tx.s,
        raw=raw,
        signed=tx,
        type=kind,
        intrinsic_gas=rules.intrinsic_gas(tx),
    )


def _max_gas_price(tx: Any) -> int:
    has_cap = tx.type_id in DYNAMIC_FEE_TYPES and not isinstance(tx, RootstockTypedTransaction)
    return int(tx.max_fee_per_gas if has_cap else tx.gas_price)


def _check_chain_id(tx: Any, chain_id: int) -> None:
    if tx.chain_id not in (None, chain_id):
        raise WrongChainId(
            f"transaction is signed for chain id {tx.chain_id}, this chain is {chain_id}",
            wanted=chain_id,
            got=tx.chain_id,
        )


def _recover_sender(tx: Any, rules: Rules) -> Address:
    if tx.type_id:
        sender = recover(keccak(tx.get_message_for_signing()), tx.y_parity, tx.r, tx.s)
        if sender is not None:
            return sender
    try:
        tx.check_signature_validity()
        if tx.s > HALF_ORDER and not rules.accepts_high_s:
            raise ValidationError("s is in the upper half of the curve order")
        return cast(Address, tx.sender)
    except (ValidationError, BadSignature, PyEVMError, ValueError) as error:
        raise MalformedTransaction(f"the signature is not valid: {_first_line(error)}") from error


def _check_numbers(tx: Any, price: int) -> None:
    if (
        tx.nonce <= MAX_UINT64
        and tx.gas <= MAX_UINT64
        and price <= MAX_UINT256
        and tx.value <= MAX_UINT256
        and (tx.chain_id or 0) <= MAX_UINT64
    ):
        return
    limits = {
        "nonce": (tx.nonce, MAX_UINT64),
        "gas": (tx.gas, MAX_UINT64),
        "gas price": (price, MAX_UINT256),
        "value": (tx.value, MAX_UINT256),
        "chain id": (tx.chain_id or 0, MAX_UINT64),
    }
    for name, (value, limit) in limits.items():
        if value > limit:
            raise MalformedTransaction(f"{name} is larger than {limit.bit_length()} bits hold")


def with_sender(tx: Transaction, sender: Address, chain_id: int, rules: Rules) -> Transaction:
    """The transaction with another sender, impersonated; `tx` must not be used any more."""
    signed = SignedTransaction(tx.signed, tx.raw, sender)
    return replace(from_signed(signed, chain_id, rules), is_impersonated=True)


def refuse_type(kind: int, rules: Rules) -> NoReturn:
    name = TYPE_NAMES.get(kind, "unknown")
    others = sorted(rules.transaction_types - {LEGACY})
    typed = f", or type {' or '.join(map(str, others))}" if others else " (--legacy in cast, forge)"
    if rules.has_merged_mining and kind != BLOB:
        typed += ", or try --hardfork next"
    raise UnsupportedTransactionType(
        f"transaction type {kind} ({name}) is not supported: "
        f"use a legacy transaction, type 0{typed}"
    )


def _describe_malformed(raw: bytes) -> str:
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


def decode_legacy(raw: bytes, rules: Rules) -> SignedTransaction | None:
    items = _strings(raw, FIELD_COUNTS[LEGACY])
    if items is None or len(items[3]) not in ADDRESS_SIZES:
        return None
    numbers = [item for place, item in enumerate(items) if place not in (3, 5)]
    if any(item[:1] == b"\0" for item in numbers):
        return None
    nonce, price, gas, value, v, r, s = (int.from_bytes(item, "big") for item in numbers)
    signed = legacy_class(rules.vm_class)(nonce, price, gas, items[3], value, items[5], v, r, s)
    y_parity = v - FIRST_V if signed.chain_id is None else 1 - v % 2
    unsigned = b"".join(map(encode_bytes, items[:SIGNED_FIELDS]))
    sender = recover(signing_hash(unsigned, signed.chain_id), y_parity, r, s)
    return None if sender is None else SignedTransaction(signed, raw, sender)


def decode_dynamic_fee(raw: bytes, rules: Rules) -> SignedTransaction | None:
    """Decode a valid transaction of type 2 (EIP-1559) without an access list, else None."""
    items = _strings(raw[1:], FIELD_COUNTS[DYNAMIC_FEE], access_list=8)
    if items is None:
        return None
    unsigned = b"".join(map(encode_bytes, items[:UNSIGNED_FIELDS])) + NO_ACCESS_LIST
    to, data = items.pop(5), items.pop(6)
    if len(to) not in ADDRESS_SIZES or any(item[:1] == b"\0" for item in items):
        return None
    chain_id, nonce, tip, cap, gas, value, y_parity, r, s = (
        int.from_bytes(item, "big") for item in items
    )
    sender = recover(keccak(DYNAMIC_FEE_BYTE + wrap(unsigned)), y_parity, r, s)
    if sender is None:
        return None
    fields = chain_id, nonce, tip, cap, gas, to, value, data
    signed = dynamic_fee_transaction(rules, fields, y_parity, r, s)
    return SignedTransaction(signed, raw, sender)


def _strings(encoded: bytes, count: int, access_list: int | None = None) -> list[bytes] | None:
    # The fields of a transaction but an empty access list.
    try:
        items: Any = rlp.decode(encoded)
    except (RLPException, RecursionError):
        return None
    if not isinstance(items, list) or len(items) != count:
        return None
    if access_list is not None and items.pop(access_list) != []:
        return None
    return items if all(isinstance(item, bytes) for item in items) else None


def dynamic_fee_transaction(rules: Rules, fields: Sequence[Any], *signature: int) -> Any:
    """py-evm's transaction of type 2, from the fields before its access list, which is empty."""
    inner: Any = DynamicFeeTransaction
    builder = rules.vm_class.get_transaction_builder()
    return builder.typed_transaction(DYNAMIC_FEE, inner(*fields, (), *signature))


def signing_hash(unsigned: bytes, chain_id: int | None, prefix: bytes = b"") -> bytes:
    """The hash that is signed: of the RLP fields before the signature, and of a chain id.

    `prefix` are the bytes before them of one of Rootstock's own types (RSKIP543).
    """
    # A chain id is followed by two zeros.
    suffix = b"" if chain_id is None else encode_int(chain_id) + b"\x80\x80"
    return keccak(prefix + wrap(unsigned + suffix))


@lru_cache
def legacy_class(vm_class: Any) -> Any:
    """py-evm's class of legacy transactions; since Berlin its builder has others beside it."""
    builder = vm_class.get_transaction_builder()
    return getattr(builder, "legacy_signed", builder)


# ECDSA on secp256k1, through coincurve


def recover(digest: bytes, y_parity: int, r: int, s: int) -> Address | None:
    """The signer of a digest; None if the signature is invalid or s in the upper half (EIP-2)."""
    if y_parity not in (0, 1) or not 0 < r < ORDER or not 0 < s <= HALF_ORDER:
        return None
    signature = r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([y_parity])
    try:
        key = PublicKey.from_signature_and_message(signature, digest, hasher=None)
    except Exception:  # noqa: BLE001  # coincurve raises no class of its own
        return None
    return address_of_key(key)


def sign_digest(digest: bytes, private_key: bytes) -> tuple[Signature, Address]:
    key, account = _load_key(private_key)
    signature = key.sign_recoverable(digest, hasher=None)
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:64], "big")
    return (signature[64], r, s), account


@lru_cache(maxsize=64)
def _load_key(private_key: bytes) -> tuple[PrivateKey, Address]:
    key = PrivateKey(private_key)
    return key, address_of_key(key.public_key)


def address_of_key(key: PublicKey) -> Address:
    return Address(keccak(key.format(compressed=False)[1:])[12:])
