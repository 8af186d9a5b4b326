"""Making transactions from requests: their type, their fees, and the signature."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from eth.vm.forks.spurious_dragon.transactions import SpuriousDragonTransaction
from eth_keys.datatypes import PrivateKey

from devchain.chain.transaction import (
    ACCESS_LIST,
    CREATION,
    DYNAMIC_FEE,
    DYNAMIC_FEE_BYTE,
    DYNAMIC_FEE_TYPES,
    FIRST_CHAIN_ID_V,
    FIRST_V,
    LEGACY,
    NO_ACCESS_LIST,
    SET_CODE,
    SignedTransaction,
    Transaction,
    decode,
    dynamic_fee_transaction,
    from_signed,
    legacy_class,
    refuse_type,
    sign_digest,
    signing_hash,
)
from devchain.errors import InvalidInput
from devchain.evm.rootstock.vm import LARGEST_TYPE
from devchain.evm.rules import Rules
from devchain.state.keccak import keccak
from devchain.state.rlp import encode_bytes, encode_int, wrap
from devchain.types import Address, Authorization, TransactionRequest


def unsigned_transaction(request: TransactionRequest, chain_id: int, rules: Rules) -> Any:
    """py-evm's unsigned transaction of a request whose fields, `type` included, are all set.

    Raises `UnsupportedTransactionType` for a type the rules do not have, `InvalidInput` for one of
    type 4 (EIP-7702) without a recipient or authorizations.
    """
    kind = request.type or LEGACY
    if kind not in rules.transaction_types:
        refuse_type(kind, rules)
    builder = rules.vm_class.get_transaction_builder()
    common = {
        "nonce": request.nonce,
        "gas": request.gas,
        "to": CREATION if request.to is None else request.to,
        "value": request.value,
        "data": request.data,
    }
    if kind == LEGACY:
        return builder.create_unsigned_transaction(gas_price=request.gas_price, **common)
    typed = {**common, "chain_id": chain_id, "access_list": request.access_list}
    if kind == ACCESS_LIST:
        return builder.new_unsigned_access_list_transaction(gas_price=request.gas_price, **typed)
    typed["max_fee_per_gas"] = request.max_fee_per_gas
    typed["max_priority_fee_per_gas"] = request.max_priority_fee_per_gas
    if kind == DYNAMIC_FEE:
        return builder.new_unsigned_dynamic_fee_transaction(**typed)
    if request.to is None:
        raise InvalidInput("a type 4 transaction (EIP-7702) creates no contract: give to")
    if not request.authorizations:
        raise InvalidInput(
            "a type 4 transaction (EIP-7702) needs an authorizationList that is not empty"
        )
    listed = [asdict(authorization) for authorization in request.authorizations]
    return builder.new_unsigned_set_code_transaction(authorization_list=listed, **typed)


def sign(
    request: TransactionRequest, private_key: bytes, chain_id: int, rules: Rules
) -> Transaction:
    """Sign a request whose fields are all set; raises as `unsigned_transaction` does."""
    if not request.type or (request.type > LARGEST_TYPE and has_own_types(rules)):
        signed = sign_legacy(request, private_key, chain_id, rules)
        return from_signed(signed, chain_id, rules)
    if request.type == DYNAMIC_FEE in rules.transaction_types and not request.access_list:
        signed = sign_dynamic_fee(request, private_key, chain_id, rules)
        return from_signed(signed, chain_id, rules)
    unsigned = unsigned_transaction(request, chain_id, rules)
    raw = unsigned.as_signed_transaction(PrivateKey(private_key), chain_id=chain_id).encode()
    # Decoded again: py-evm signs some types as a class that the blocks of later forks refuse.
    return decode(raw, chain_id, rules)


def has_own_types(rules: Rules) -> bool:
    """Whether there are transactions of Rootstock's own types (RSKIP543)."""
    return not rules.follows_geth and DYNAMIC_FEE in rules.transaction_types


def sign_legacy(
    request: TransactionRequest, private_key: bytes, chain_id: int, rules: Rules
) -> SignedTransaction:
    """A legacy transaction, or one of Rootstock's own types, which has the same fields."""
    filled: Any = request  # none of its fields is None
    nonce, price, gas, value = filled.nonce, filled.gas_price, filled.gas, filled.value
    to, data = filled.to or CREATION, filled.data
    unsigned = _encode(nonce, price, gas, to, value, data)
    prefix = request.type.to_bytes(2) if request.type else b""
    kind = legacy_class(rules.vm_class)
    if prefix:
        kind = rules.vm_class.get_transaction_builder().namespaced
    has_chain_id = issubclass(kind, SpuriousDragonTransaction)
    digest = signing_hash(unsigned, chain_id if has_chain_id else None, prefix)
    (y_parity, r, s), sender = sign_digest(digest, private_key)
    v = y_parity + (2 * chain_id + FIRST_CHAIN_ID_V if has_chain_id else FIRST_V)
    raw = prefix + wrap(unsigned + _encode(v, r, s))
    signed = kind(nonce, price, gas, to, value, data, v, r, s)
    if prefix:
        signed.type_id = request.type
    return SignedTransaction(signed, raw, sender)


def sign_dynamic_fee(
    request: TransactionRequest, private_key: bytes, chain_id: int, rules: Rules
) -> SignedTransaction:
    filled: Any = request  # none of its fields is None
    nonce, gas, value = filled.nonce, filled.gas, filled.value
    tip, cap = filled.max_priority_fee_per_gas, filled.max_fee_per_gas
    to, data = filled.to or CREATION, filled.data
    fields = chain_id, nonce, tip, cap, gas, to, value, data
    unsigned = _encode(*fields) + NO_ACCESS_LIST
    (y_parity, r, s), sender = sign_digest(keccak(DYNAMIC_FEE_BYTE + wrap(unsigned)), private_key)
    signature = _encode(y_parity, r, s)
    signed = dynamic_fee_transaction(rules, fields, y_parity, r, s)
    return SignedTransaction(signed, DYNAMIC_FEE_BYTE + wrap(unsigned + signature), sender)


def _encode(*fields: int | bytes) -> bytes:
    return b"".join(
        [encode_bytes(field) if isinstance(field, bytes) else encode_int(field) for field in fields]
    )


# Filling in what requests leave out


def transaction_type(request: TransactionRequest, rules: Rules) -> int:
    if request.type is not None:
        return request.type
    has_caps = DYNAMIC_FEE in rules.transaction_types
    wants_caps = request.max_fee_per_gas is not None or request.max_priority_fee_per_gas is not None
    is_default = rules.follows_geth and request.gas_price is None
    return DYNAMIC_FEE if has_caps and (wants_caps or is_default) else LEGACY


def fill_fees(
    request: TransactionRequest, lowest: int, tip: int, cap: int | None = None, **others: Any
) -> TransactionRequest:
    """The request with the fees that it leaves out, and with other fields, all changed at once.

    `lowest` is the lowest gas price of the next block, `tip` what the miner gets on top, `cap` the
    fee cap, by default twice the base fee and the tip, as wallets have it, in wei. Raises
    `InvalidInput` for a gas price beside fee caps.
    """
    if others.get("type", request.type) not in DYNAMIC_FEE_TYPES:
        price = lowest + tip if request.gas_price is None else request.gas_price
        return request._replace(gas_price=price, **others)
    check_fee_fields(request)
    wanted = request.max_priority_fee_per_gas
    given = request.gas_price if request.max_fee_per_gas is None else request.max_fee_per_gas
    if given is not None:
        cap = given
    elif cap is None:
        cap = 2 * lowest + (tip if wanted is None else wanted)
    tip = min(tip, cap) if wanted is None else wanted
    return request._replace(max_fee_per_gas=cap, max_priority_fee_per_gas=tip, **others)


def check_fee_fields(request: TransactionRequest) -> None:
    caps = (request.max_fee_per_gas, request.max_priority_fee_per_gas)
    if request.gas_price is not None and caps != (None, None):
        raise InvalidInput(
            "gasPrice excludes maxFeePerGas and maxPriorityFeePerGas: give one kind of fee"
        )


def request_of(tx: Transaction) -> TransactionRequest:
    """The call that does what the transaction does."""
    signed = tx.signed
    request = TransactionRequest(tx.sender, tx.to, tx.gas, tx.gas_price, tx.value, tx.data)
    if LEGACY < tx.type <= LARGEST_TYPE:
        listed = tuple((Address(address), tuple(slots)) for address, slots in signed.access_list)
        request = request._replace(access_list=listed)
    if tx.type in DYNAMIC_FEE_TYPES:
        request = request._replace(gas_price=None, max_fee_per_gas=tx.gas_price)
        request = request._replace(max_priority_fee_per_gas=tx.priority_fee)
    if tx.type == SET_CODE:
        authorizations = tuple(Authorization(*each) for each in signed.authorization_list)
        request = request._replace(authorizations=authorizations)
    return request
