"""Transactions to be signed: a request with its gaps filled becomes py-evm's unsigned object."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from eth_keys.datatypes import PrivateKey

from devchain.chain.transaction import (
    CREATION,
    DYNAMIC_FEE_TYPES,
    Transaction,
    decode,
    from_signed,
    refuse_type,
    sign_legacy,
)
from devchain.errors import InvalidInput
from devchain.evm.rules import Rules
from devchain.types import TransactionRequest

LEGACY, ACCESS_LIST, DYNAMIC_FEE, SET_CODE = 0, 1, 2, 4
ROOM_FOR_BASE_FEE = 2
"""A fee cap that nobody gave covers this many times the base fee, as wallets have it."""


def unsigned_transaction(request: TransactionRequest, chain_id: int, rules: Rules) -> Any:
    """The unsigned transaction of a complete request; its `type` says which kind.

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
    listed = _authorizations(request)
    return builder.new_unsigned_set_code_transaction(authorization_list=listed, **typed)


def _authorizations(request: TransactionRequest) -> list[dict[str, Any]]:
    """What a type 4 transaction authorizes; raises `InvalidInput` if the request cannot be one."""
    if request.to is None:
        msg = "a type 4 transaction (EIP-7702) creates no contract: give to"
        raise InvalidInput(msg)
    if not request.authorizations:
        msg = "a type 4 transaction (EIP-7702) needs an authorizationList that is not empty"
        raise InvalidInput(msg)
    return [asdict(each) for each in request.authorizations]


def sign(
    request: TransactionRequest, private_key: bytes, chain_id: int, rules: Rules
) -> Transaction:
    """The signed transaction of a complete request; raises as `unsigned_transaction` does."""
    if not request.type:
        return from_signed(sign_legacy(request, private_key, chain_id, rules), chain_id, rules)
    unsigned = unsigned_transaction(request, chain_id, rules)
    signed = unsigned.as_signed_transaction(PrivateKey(private_key), chain_id=chain_id)
    # Read anew: py-evm signs some types as a class that its later blocks do not take.
    return decode(signed.encode(), chain_id, rules)


def kind_of(request: TransactionRequest, rules: Rules) -> int:
    """The type a request becomes: fee caps where the rules have them, unless it says otherwise."""
    if request.type is not None:
        return request.type
    has_caps = DYNAMIC_FEE in rules.transaction_types
    return DYNAMIC_FEE if has_caps and request.gas_price is None else LEGACY


def with_fees(request: TransactionRequest, lowest: int, tip: int) -> TransactionRequest:
    """The request with the fees it leaves open.

    `lowest` is what a unit of gas has to pay, `tip` what the miner gets on top, both in wei.
    Raises `InvalidInput` for a gas price beside fee caps.
    """
    if request.type not in DYNAMIC_FEE_TYPES:
        price = lowest + tip if request.gas_price is None else request.gas_price
        return replace(request, gas_price=price)
    refuse_mixed_fees(request)
    wanted = request.max_priority_fee_per_gas
    cap = request.gas_price if request.max_fee_per_gas is None else request.max_fee_per_gas
    if cap is None:
        cap = ROOM_FOR_BASE_FEE * lowest + (tip if wanted is None else wanted)
    tip = min(tip, cap) if wanted is None else wanted
    return replace(request, max_fee_per_gas=cap, max_priority_fee_per_gas=tip)


def refuse_mixed_fees(request: TransactionRequest) -> None:
    """Raise `InvalidInput` for a gas price beside fee caps: only one of them can be meant."""
    caps = (request.max_fee_per_gas, request.max_priority_fee_per_gas)
    if request.gas_price is not None and caps != (None, None):
        msg = "gasPrice excludes maxFeePerGas and maxPriorityFeePerGas: give one kind of fee"
        raise InvalidInput(msg)
