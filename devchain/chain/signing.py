"""Transactions to be signed: a request with its gaps filled becomes py-evm's unsigned object."""

from __future__ import annotations

from typing import Any

from devchain.chain.transaction import CREATION, TYPE_NAMES, refuse_type
from devchain.errors import UnsupportedTransactionType
from devchain.evm.rules import Rules
from devchain.types import TransactionRequest

LEGACY, ACCESS_LIST, DYNAMIC_FEE = 0, 1, 2


def unsigned_transaction(request: TransactionRequest, chain_id: int, rules: Rules) -> Any:
    """The unsigned transaction of a complete request; its `type` says which kind.

    Raises `UnsupportedTransactionType` for a type the rules do not have, or one that only its
    sender's own tools can sign.
    """
    kind = request.type or LEGACY
    if kind not in rules.transaction_types:
        refuse_type(kind)
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
    if kind == DYNAMIC_FEE:
        return builder.new_unsigned_dynamic_fee_transaction(**_fee_caps(request), **typed)
    msg = f"a node cannot sign type {kind} ({TYPE_NAMES[kind]}): sign it and send it raw"
    raise UnsupportedTransactionType(msg)


def _fee_caps(request: TransactionRequest) -> dict[str, int | None]:
    """The caps that are given; the others follow from the gas price."""
    cap = request.max_fee_per_gas
    tip = request.max_priority_fee_per_gas
    cap = request.gas_price if cap is None else cap
    return {"max_fee_per_gas": cap, "max_priority_fee_per_gas": 0 if tip is None else tip}
