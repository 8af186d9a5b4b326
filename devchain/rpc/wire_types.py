"""The table of wire types: how values of each Python type hint are written in JSON-RPC.

`Method` takes the decoders of its parameters from here, `openrpc` the JSON schemas, `docs/rpc.md`
the labels.
"""

from __future__ import annotations

import functools
import operator
import types
import typing
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from devchain.chain.block import Log
from devchain.rpc import block_parameter, object_decoders, schemas
from devchain.rpc import result_objects as objects
from devchain.rpc import scalar_decoders as scalars
from devchain.rpc.json_codec import Number
from devchain.rpc.schemas import Schema, array, either, ref
from devchain.tracing.options import TraceOptions, TraceQuery
from devchain.types import (
    Address,
    BlockHash,
    BlockOverride,
    BlockRef,
    BlockRequest,
    Hash32,
    LogQuery,
    MineRequest,
    PlacedTransaction,
    SimulateRequest,
    StateOverrides,
    StateRef,
    TracedCall,
    TransactionRequest,
)


@dataclass(frozen=True, slots=True)
class WireType:
    """How values of one type hint are written in JSON; `label` is the type's name in the docs.

    `strict_schema` is the schema of results where it differs: a QUANTITY has no leading zeros.
    """

    label: str
    schema: Schema
    decode: scalars.Decoder | None = field(default=None, repr=False)
    strict_schema: Schema | None = None

    @property
    def result_schema(self) -> Schema:
        return self.schema if self.strict_schema is None else self.strict_schema


LOOSE = ref("LooseNumber")
LOOSE_LABEL = "NUMBER"

WIRE_TYPES: dict[Any, WireType] = {
    # Parameters and results
    int: WireType("QUANTITY", schemas.LAX_QUANTITY, scalars.quantity, schemas.QUANTITY),
    bytes: WireType("DATA", schemas.DATA, scalars.data),
    bool: WireType("boolean", schemas.BOOLEAN, scalars.boolean),
    str: WireType("string", schemas.TEXT, scalars.text),
    Address: WireType("ADDRESS", schemas.ADDRESS, scalars.address),
    Hash32: WireType("HASH", schemas.HASH, scalars.hash32),
    # Parameters
    scalars.Loose: WireType(LOOSE_LABEL, LOOSE, scalars.loose),
    scalars.Amount: WireType(LOOSE_LABEL, either(LOOSE, {"const": "0x"}), scalars.amount),
    scalars.Milliseconds: WireType(
        f"{LOOSE_LABEL} or [NUMBER, NUMBER]",
        either(LOOSE, array(LOOSE)),
        scalars.milliseconds,
    ),
    scalars.Percentile: WireType(
        "number from 0 to 100",
        {"type": "number", "description": "from 0 to 100"},
        scalars.percentile,
    ),
    scalars.StorageKey: WireType("QUANTITY", schemas.LAX_QUANTITY, scalars.storage_key),
    scalars.JsonMap: WireType("object", schemas.OBJECT, scalars.json_object),
    scalars.TypedData: WireType(
        "EIP-712 object or its JSON text",
        either(schemas.OBJECT, schemas.TEXT),
        scalars.typed_data,
    ),
    BlockHash: WireType("HASH", schemas.HASH, block_parameter.block_hash),
    BlockRef: WireType("BLOCK", ref("BlockParameter"), block_parameter.block_ref),
    StateRef: WireType("STATE", ref("StateParameter"), block_parameter.state_ref),
    TransactionRequest: WireType("Call", ref("Call"), object_decoders.transaction_request),
    PlacedTransaction: WireType(
        "[Call or DATA, NUMBER]",
        {"type": "array", "prefixItems": [either(ref("Call"), schemas.DATA), LOOSE]},
        object_decoders.placed_transaction,
    ),
    TracedCall: WireType(
        "[Call, list of string]",
        {"type": "array", "prefixItems": [ref("Call"), array(schemas.TEXT)]},
        object_decoders.traced_call,
    ),
    BlockRequest: WireType(
        "{transactions, blockOverride}",
        object_decoders.CALL_BUNDLE.schema,
        object_decoders.call_bundle,
    ),
    StateOverrides: WireType(
        "StateOverrides", ref("StateOverrides"), object_decoders.state_overrides
    ),
    BlockOverride: WireType(
        "BlockOverrides", ref("BlockOverrides"), object_decoders.block_override
    ),
    SimulateRequest: WireType(
        "SimulateOptions", ref("SimulateOptions"), object_decoders.simulate_request
    ),
    Log: WireType("Log", ref("LogRead"), object_decoders.log),
    LogQuery: WireType("LogFilter", ref("LogFilter"), object_decoders.log_query),
    scalars.Addresses: WireType(
        "ADDRESS or list of ADDRESS",
        either(schemas.ADDRESS, array(schemas.ADDRESS)),
        scalars.addresses,
    ),
    LogQuery | bool: WireType(
        "LogFilter or boolean",
        either(ref("LogFilter"), schemas.BOOLEAN),
        object_decoders.log_query_or_boolean,
    ),
    MineRequest: WireType(
        "NUMBER or {blocks, timestamp}", ref("MineOptions"), object_decoders.mine_request
    ),
    TraceOptions: WireType("TraceOptions", ref("TraceOptions"), object_decoders.trace_options),
    TraceQuery: WireType("TraceFilter", ref("TraceFilter"), object_decoders.trace_query),
    # Results
    types.NoneType: WireType("null", schemas.NULL),
    Number: WireType("number", schemas.NUMBER),
    objects.BlockObject: WireType("Block", ref("Block")),
    objects.TransactionObject: WireType("Transaction", ref("Transaction")),
    objects.ReceiptObject: WireType("Receipt", ref("Receipt")),
    objects.LogObject: WireType("Log", ref("Log")),
    objects.ProofObject: WireType("Proof", ref("Proof")),
    Any: WireType("any", schemas.ANY),
}


@functools.cache
def wire_type(hint: Any) -> WireType:
    """The wire type of a hint, or of a list, union or dict of hints; raises `TypeError`."""
    if hint in WIRE_TYPES:
        return WIRE_TYPES[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in {list, Collection}:
        return _list_of(wire_type(arguments[0]))
    if origin in {types.UnionType, typing.Union}:
        return _union_of(arguments)
    if origin is dict:
        key, value = map(wire_type, arguments)
        decode = None
        if key.decode and value.decode:
            decode = functools.partial(scalars.unique_keys, key.decode, value.decode)
        return WireType("object", schemas.OBJECT, decode)
    raise TypeError(f"no wire type for the hint {hint!r}: add it to WIRE_TYPES")


def _list_of(item: WireType) -> WireType:
    return WireType(
        label=f"list of {item.label}",
        schema=array(item.schema),
        decode=functools.partial(scalars.array_of, item.decode) if item.decode else None,
        strict_schema=array(item.result_schema),
    )


def _union_of(hints: tuple[Any, ...]) -> WireType:
    members = [hint for hint in hints if hint is not types.NoneType]
    alternatives = [wire_type(member) for member in members]
    if len(members) == 1:
        decode = alternatives[0].decode
    else:
        row = WIRE_TYPES.get(functools.reduce(operator.or_, members))
        decode = row.decode if row else None
    if types.NoneType in hints:
        alternatives.append(WIRE_TYPES[types.NoneType])
    return WireType(
        label=" or ".join(alternative.label for alternative in alternatives),
        schema=either(*(alternative.schema for alternative in alternatives)),
        decode=decode,
        strict_schema=either(*(alternative.result_schema for alternative in alternatives)),
    )
