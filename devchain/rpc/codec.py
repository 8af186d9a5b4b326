"""Between JSON and Python: a decoder for each type hint, an encoding for each value."""

from __future__ import annotations

import functools
import operator
import types
import typing
from typing import Any, cast

from devchain.node import Node
from devchain.rpc import decoders as values
from devchain.rpc import request_decoders as requests
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


class Number(int):
    """An integer that leaves as a JSON number rather than a QUANTITY."""


def encode(value: object) -> Any:
    """The JSON form of a result: int -> minimal hex, bytes -> hex, the rest inside out."""
    if type(value) is int:  # most results are: nothing else has to be asked
        return hex(value)
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if value is None or isinstance(value, bool | str | float):
        return value
    if isinstance(value, int):
        return int(value) if isinstance(value, Number) else hex(value)
    if isinstance(value, dict):
        return {key: encode(each) for key, each in value.items()}
    return [encode(each) for each in cast("list[object]", value)]


DECODERS: dict[Any, values.Decoder] = {
    int: values.quantity,
    bytes: values.data,
    bool: values.boolean,
    str: values.text,
    values.Loose: values.loose,
    values.Amount: values.amount,
    values.Percentile: values.percentile,
    values.TypedData: values.typed_data,
    values.Milliseconds: values.milliseconds,
    values.JsonMap: values.json_map,
    PlacedTransaction: requests.placed_transaction,
    Address: values.address,
    Hash32: values.hash32,
    BlockRef: requests.block_ref,
    TransactionRequest: requests.transaction_request,
    StateOverrides: requests.state_overrides,
    BlockOverride: requests.block_override,
    LogQuery: requests.log_query,
    LogQuery | bool: requests.log_query_or_flag,
    SimulateRequest: requests.simulate_request,
    MineRequest: requests.mine_request,
}


def decoder_for(hint: Any) -> values.Decoder:
    """The decoder of a type hint; a hint without one is a `TypeError`."""
    if hint in DECODERS:
        return DECODERS[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union) and types.NoneType in arguments:
        rest = [each for each in arguments if each is not types.NoneType]
        return decoder_for(functools.reduce(operator.or_, rest))
    if origin is list:
        return _list_of(decoder_for(arguments[0]))
    msg = f"no decoder for parameters of type {hint!r}"
    raise TypeError(msg)


def _list_of(decode: values.Decoder) -> values.Decoder:
    def decode_list(value: object, node: Node) -> list[Any]:
        if not isinstance(value, list):
            raise values.wrong_kind("an array", value)
        return [decode(each, node) for each in value]

    return decode_list
