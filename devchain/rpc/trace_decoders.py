"""What callers ask of traces: the options of `debug_` methods, the query of `trace_filter`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from devchain.node import Node
from devchain.rpc import codec
from devchain.rpc import decoders as values
from devchain.rpc import request_decoders as requests
from devchain.rpc.errors import InvalidParams
from devchain.tracing.options import MUX, STRUCT_LOGS, TRACERS, TraceOptions, TraceQuery
from devchain.types import Address, Tag

FLAGS = {
    "disableStack": "disable_stack",
    "disableStorage": "disable_storage",
    "enableMemory": "enable_memory",
    "disableMemory": "disable_memory",
    "enableReturnData": "enable_return_data",
    "onlyTopCall": "only_top_call",
    "withLog": "with_log",
    "diffMode": "diff_mode",
    "disableCode": "disable_code",
    "includeEmpty": "include_empty",
    "includePrecompiles": "include_precompiles",
    "convertParityErrors": "convert_parity_errors",
}
BOOLEANS = {True: True, False: False, "true": True, "false": False}
QUERY = ("fromBlock", "toBlock", "fromAddress", "toAddress", "after", "count")
BAD_QUERY = "Invalid trace_filter parameters."


def trace_options(value: object, node: Node) -> TraceOptions:
    """Options of a trace; those of `tracerConfig` count as if they stood beside it.

    Members nobody knows are ignored, as geth and the real node do.
    """
    given = _object(value)
    if str(given.get("tracer")).lower() == MUX.lower():
        return TraceOptions(MUX, parts=_parts(given, node), **_changes(given, node))
    given |= _object(given.get("tracerConfig") or {})
    flags: dict[str, Any] = {
        field: _flag(name, given[name]) for name, field in FLAGS.items() if name in given
    }
    if flags.get("diff_mode") and flags.get("include_empty"):
        msg = "diffMode and includeEmpty exclude each other: give one of them"
        raise InvalidParams(msg)
    return TraceOptions(
        tracer=_tracer(given.get("tracer")),
        limit=_count("limit", given.get("limit") or 0),
        **_changes(given, node),
        **flags,
    )


def _changes(given: dict[str, Any], node: Node) -> dict[str, Any]:
    """What is changed before a call runs: the state, the block."""
    overrides, block = given.get("stateOverrides"), given.get("blockOverrides")
    return {
        "overrides": None if overrides is None else requests.state_overrides(overrides, node),
        "block_override": None if block is None else requests.block_override(block, node),
    }


def _parts(given: dict[str, Any], node: Node) -> tuple[TraceOptions, ...]:
    """The options of each tracer of a `muxTracer`, by its name."""
    parts = _object(given.get("tracerConfig") or {})
    if not parts:
        msg = 'muxTracer: name its tracers as in {"tracerConfig": {"callTracer": {}}}'
        raise InvalidParams(msg)
    named = {_named(name, ", ".join(TRACERS)): each for name, each in parts.items()}
    return tuple(
        trace_options({"tracer": name, "tracerConfig": each}, node) for name, each in named.items()
    )


def _tracer(value: object) -> str:
    if value is None or value == "":
        return STRUCT_LOGS
    return _named(value, f"{', '.join(TRACERS)} and {MUX}; leave it out for struct logs")


def _named(value: object, choice: str) -> str:
    known = {name.lower(): name for name in TRACERS}
    if isinstance(value, str) and value.lower() in known:
        return known[value.lower()]
    msg = f"unknown tracer {_shown(value)}: known are {choice}"
    raise InvalidParams(msg)


def _flag(name: str, value: object) -> bool:
    if value is None:
        return False
    if isinstance(value, bool | str) and value in BOOLEANS:
        return BOOLEANS[value]
    msg = f"{name}: want true or false, got {_shown(value)}"
    raise InvalidParams(msg)


def trace_query(value: object, node: Node) -> TraceQuery:
    """What `trace_filter` takes; an address may stand alone or in a list."""
    given = {name: each for name, each in _object(value, BAD_QUERY).items() if each is not None}
    unknown = sorted(set(given) - set(QUERY))
    if unknown:
        msg = f"{BAD_QUERY} Unknown member {_shown(unknown[0])}: known are {', '.join(QUERY)}"
        raise InvalidParams(msg)
    return TraceQuery(
        from_block=requests.block_ref(given.get("fromBlock", Tag.EARLIEST), node),
        to_block=requests.block_ref(given.get("toBlock", Tag.LATEST), node),
        senders=_addresses(given.get("fromAddress"), node),
        receivers=_addresses(given.get("toAddress"), node),
        after=_capped("After", given.get("after", 0), node),
        count=_capped("Count", given.get("count", node.config.max_traces), node),
    )


def _addresses(value: object, node: Node) -> frozenset[Address]:
    if value is None:
        return frozenset()
    listed: Iterable[object] = value if isinstance(value, list) else [value]
    return frozenset(values.address(each, node) for each in listed)


def _capped(name: str, value: object, node: Node) -> int:
    if isinstance(value, int) and value < 0:
        msg = f"{name} value cannot be negative."
        raise InvalidParams(msg)
    number, most = _count(name.lower(), value), node.config.max_traces
    if number > most:
        msg = f"{name} value too big. Maximum {most} traces allowed."
        raise InvalidParams(msg)
    return number


def _count(name: str, value: object) -> int:
    try:
        return values.quantity(value)
    except InvalidParams as error:
        msg = f"{name}: {error}"
        raise InvalidParams(msg) from error


def _object(value: object, otherwise: str = "") -> dict[str, Any]:
    if isinstance(value, dict):
        return dict(value)
    msg = f"{otherwise} Want an object".lstrip() + f", got {_shown(value)}"
    raise InvalidParams(msg)


def _shown(value: object, width: int = 80) -> str:
    quoted = ascii(value)
    return quoted if len(quoted) <= width else quoted[: width - 3] + "..."


codec.DECODERS |= {TraceOptions: trace_options, TraceQuery: trace_query}
