"""JSON schemas of what goes over the wire, by the type hints that dispatch decodes by."""

from __future__ import annotations

import types
import typing
from typing import Any

from devchain.rpc.codec import Number
from devchain.rpc.decoders import Amount, JsonMap, Loose, Milliseconds, Percentile, TypedData
from devchain.rpc.objects import (
    BlockObject,
    LogObject,
    ProofObject,
    ReceiptObject,
    TransactionObject,
)
from devchain.rpc.schemas import (
    ADDRESS,
    ANY,
    BOOLEAN,
    DATA,
    GIVEN,
    HASH,
    NULL,
    NUMBER,
    OBJECT,
    QUANTITY,
    TEXT,
    Schema,
    array,
    either,
    ref,
)
from devchain.tracing.options import TraceOptions, TraceQuery
from devchain.types import (
    Address,
    BlockOverride,
    BlockRef,
    Hash32,
    LogQuery,
    MineRequest,
    PlacedTransaction,
    SimulateRequest,
    StateOverrides,
    TransactionRequest,
)

OWN: dict[Any, Schema] = {
    bool: BOOLEAN,
    str: TEXT,
    bytes: DATA,
    types.NoneType: NULL,
    Number: NUMBER,
    Address: ADDRESS,
    Hash32: HASH,
    Loose: ref("LooseNumber"),
    Milliseconds: either(ref("LooseNumber"), array(ref("LooseNumber"))),
    Amount: either(ref("LooseNumber"), {"const": "0x"}),
    JsonMap: OBJECT,
    Percentile: {"type": "number", "description": "from 0 to 100"},
    TypedData: either(OBJECT, TEXT),
    PlacedTransaction: {
        "type": "array",
        "prefixItems": [either(ref("Call"), DATA), ref("LooseNumber")],
    },
    BlockRef: ref("BlockParameter"),
    TransactionRequest: ref("Call"),
    StateOverrides: ref("StateOverrides"),
    BlockOverride: ref("BlockOverrides"),
    LogQuery: ref("LogFilter"),
    MineRequest: ref("MineOptions"),
    SimulateRequest: ref("SimulateOptions"),
    TraceOptions: ref("TraceOptions"),
    TraceQuery: ref("TraceFilter"),
    BlockObject: ref("Block"),
    TransactionObject: ref("Transaction"),
    ReceiptObject: ref("Receipt"),
    LogObject: ref("Log"),
    ProofObject: ref("Proof"),
}


def given(hint: Any) -> Schema:
    """The schema of a parameter; what may be left out may be null instead."""
    return _of(hint, GIVEN)


def answered(hint: Any) -> Schema:
    """The schema of a result."""
    return _of(hint, QUANTITY)


def _of(hint: Any, number: Schema) -> Schema:
    if hint is int:
        return number
    if hint in OWN:
        return OWN[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is list:
        return array(_of(arguments[0], number))
    if origin in {types.UnionType, typing.Union}:
        return either(*(_of(each, number) for each in _members(arguments)))
    return OBJECT if origin is dict else ANY


def _members(arguments: tuple[Any, ...]) -> list[Any]:
    """The members of a union; those of a block reference are one."""
    block = set(typing.get_args(BlockRef))
    if not block <= set(arguments):
        return list(arguments)
    return [BlockRef, *(each for each in arguments if each not in block)]
