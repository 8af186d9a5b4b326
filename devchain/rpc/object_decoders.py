"""Decoders of structured parameters: calls, overrides, log filters, trace options.

Each turns a JSON object (or one of the forms the parameter may have) into a value of
`devchain.types` or `devchain.tracing.options`. Error messages name the member that is wrong:
`gasPrice: -1 is negative`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from itertools import islice
from typing import Any, cast

from devchain.chain.block import Log
from devchain.errors import (
    ContradictoryMembers,
    InvalidBlock,
    InvalidHashLength,
    InvalidParams,
    InvalidTraceWindow,
)
from devchain.rpc.block_parameter import block_ref
from devchain.rpc.scalar_decoders import (
    MAX_HEX_DIGITS,
    DecodeContext,
    Decoder,
    address,
    array_of,
    boolean,
    data,
    flag,
    hash32,
    json_object,
    known_members,
    loose,
    member,
    named,
    present_members,
    quantity,
    quoted,
    tuple_of,
    uint64,
    unique_keys,
)
from devchain.text import misspelt
from devchain.tracing.options import MUX, STRUCT_LOGS, TRACERS, TraceOptions, TraceQuery
from devchain.types import (
    NO_BLOCK_OVERRIDE,
    Address,
    Authorization,
    BlockOverride,
    BlockRequest,
    Hash32,
    LogQuery,
    MineRequest,
    PlacedTransaction,
    SimulateRequest,
    StateOverride,
    StateOverrides,
    Tag,
    Topics,
    TransactionRequest,
)

# Calls and transactions

TYPE_BY_MEMBER = {
    "authorizationList": 4,
    "blobVersionedHashes": 3,
    "maxFeePerGas": 2,
    "maxPriorityFeePerGas": 2,
    "accessList": 1,
}
"""Transaction type (EIP-2718) that a member implies, highest type first."""
Y_PARITIES = {0: 0, 1: 1, 27: 0, 28: 1}
"""Parity of y by the number in the JSON; some libraries write 27 and 28."""


def transaction_request(value: object, context: DecodeContext) -> TransactionRequest:
    """A call object; unknown members are ignored, as all nodes do, unless they are misspelt."""
    members = present_members(value)
    for name in context.preset.ignored_call_members:
        members.pop(name, None)
    fields = {}
    name, has_unknown = "", False
    try:
        for name, each in members.items():
            decoded_by = CALL_MEMBERS.get(name)
            if decoded_by:
                field, decode = decoded_by
                fields[field] = decode(each, context)
            elif name not in OTHER_CALL_MEMBERS:
                has_unknown = True
    except InvalidParams as error:
        raise error.within(name) from error
    if has_unknown:
        refuse_misspelt(members, ALL_CALL_MEMBERS, OTHER_CALL_MEMBERS, context)
    if "gas" not in members and "gasLimit" in members:
        fields["gas"] = named("gasLimit", quantity, members["gasLimit"], context)
    if "input" in members:
        _merge_data(fields, named("input", data, members["input"], context), context)
    if "type" not in members and not members.keys().isdisjoint(TYPE_BY_MEMBER):
        implied = (kind for name, kind in TYPE_BY_MEMBER.items() if members.get(name))
        fields["type"] = next(implied, None)
    return TransactionRequest(**fields)


def _recipient(to: object, context: DecodeContext) -> Address | None:
    return None if to == "0x" else address(to, context)


def _merge_data(fields: dict[str, Any], given: bytes, context: DecodeContext) -> None:
    if context.preset.data_must_equal_input and fields.get("data", given) != given:
        raise ContradictoryMembers("data and input differ: give one of them")
    fields["data"] = given


def _access_list_entry(value: object, context: DecodeContext) -> tuple[Address, tuple[int, ...]]:
    members = json_object(value)
    keys = members.get("storageKeys") or []
    slots = array_of(partial(named, "storageKeys", quantity), keys, context)
    return named("address", address, members.get("address"), context), tuple(slots)


def _authorization(value: object, context: DecodeContext) -> Authorization:
    members = json_object(value)
    parity = "yParity" if members.get("yParity") is not None else "v"
    return Authorization(
        chain_id=named("chainId", quantity, members.get("chainId"), context),
        address=named("address", address, members.get("address"), context),
        nonce=named("nonce", uint64, members.get("nonce"), context),
        y_parity=named(parity, _y_parity, members.get(parity), context),
        r=named("r", quantity, members.get("r"), context),
        s=named("s", quantity, members.get("s"), context),
    )


def _y_parity(value: object, _context: DecodeContext) -> int:
    number = quantity(value)
    if number not in Y_PARITIES:
        raise InvalidParams(f"want 0 or 1, got {number}")
    return Y_PARITIES[number]


CALL_MEMBERS: dict[str, tuple[str, Decoder]] = {
    "from": ("sender", address),
    "to": ("to", _recipient),
    "data": ("data", data),
    "type": ("type", quantity),
    "gas": ("gas", quantity),
    "gasPrice": ("gas_price", quantity),
    "value": ("value", quantity),
    "nonce": ("nonce", uint64),
    "chainId": ("chain_id", quantity),
    "maxFeePerGas": ("max_fee_per_gas", quantity),
    "maxPriorityFeePerGas": ("max_priority_fee_per_gas", quantity),
    "accessList": ("access_list", tuple_of(_access_list_entry)),
    "authorizationList": ("authorizations", tuple_of(_authorization)),
}
"""Members of a call object: field of `TransactionRequest` and decoder."""
READ_APART = ("to", "data", "input", "type", "gasLimit")
ALL_CALL_MEMBERS = frozenset({*CALL_MEMBERS, *READ_APART})
OTHER_CALL_MEMBERS = frozenset(
    {
        *READ_APART,
        # what transactions have besides, those of blobs and those that nodes return
        *("blobVersionedHashes", "maxFeePerBlobGas", "maxFeePerDataGas", "maxFeesPerBlobGas"),
        *(
            "blobs",
            "kzg",
            "kzgCommitments",
            "commitments",
            "proofs",
            "sidecars",
            "blobWrapperVersion",
        ),
        *("blockHash", "blockNumber", "blockTimestamp", "transactionIndex", "hash", "creates"),
        *("v", "r", "s", "yParity", "publicKey", "raw", "standardV", "condition", "signature"),
        # what clients add for themselves, or for other chains
        *("blockTag", "ccipReadEnabled", "enableCcipRead", "customData", "dataSuffix", "txType"),
        *("chain", "chainID", "common", "hardfork", "networkId", "privateFor", "privateFrom"),
        *("nonceKey", "nonceManager", "feeCurrency", "gatewayFee", "gasPerPubdata", "eip712Meta"),
    }
)
"""Members of call objects that are read apart, or that clients send and that change nothing."""
MAX_CHECKED = 16
"""Unknown members of an object that are compared with the known ones."""


def refuse_misspelt(
    members: Collection[str],
    known: Collection[str],
    others: Collection[str],
    context: DecodeContext,
) -> None:
    """Raise `InvalidParams` for an unknown member that is a known one, misspelt.

    It would count as absent; `others` are known to be used with another meaning.
    """
    if not context.preset.misspelt_members_are_refused:
        return
    unknown = (each for each in members if each not in known and each not in others)
    for name in islice(unknown, MAX_CHECKED):
        if meant := misspelt(name, known):
            raise InvalidParams(f"unknown member {quoted(name)}: did you mean {meant}?")


def placed_transaction(value: object, context: DecodeContext) -> PlacedTransaction:
    """A pair of a transaction, as raw DATA or as call object, and the new block it goes into."""
    if not isinstance(value, list) or len(value) != 2:
        raise InvalidParams(
            "want a pair: a transaction and the number of the new block it goes into"
        )
    transaction, block = value
    decode = data if isinstance(transaction, str) else transaction_request
    return PlacedTransaction(decode(transaction, context), loose(block))


# State and block overrides, simulated blocks

STATE_OVERRIDE_MEMBERS = (
    "balance",
    "nonce",
    "code",
    "state",
    "stateDiff",
    "movePrecompileToAddress",
)
BLOCK_OVERRIDE_MEMBERS = (
    "number",
    "time",
    "gasLimit",
    "feeRecipient",
    "coinbase",
    "prevRandao",
    "random",
    "baseFeePerGas",
    "baseFee",
    "difficulty",
    "blockHash",
)
SIMULATE_MEMBERS = ("blockStateCalls", "validation", "traceTransfers", "returnFullTransactions")


def state_overrides(value: object, context: DecodeContext) -> StateOverrides:
    """A state override set: the changes to each account, by address."""
    return unique_keys(address, _state_override, value, context)


def _state_override(value: object, context: DecodeContext) -> StateOverride:
    if context.preset.override_members_are_known:
        members = known_members(value, STATE_OVERRIDE_MEMBERS)
    else:
        members = present_members(value)
    if "movePrecompileToAddress" in members:
        raise InvalidParams("movePrecompileToAddress is not supported: leave it out")
    if "state" in members and "stateDiff" in members:
        raise ContradictoryMembers("state and stateDiff exclude each other: give one of them")
    return StateOverride(
        balance=member(quantity, members, "balance", context),
        nonce=member(uint64, members, "nonce", context),
        code=member(data, members, "code", context),
        state=member(_slots, members, "state", context),
        state_diff=member(_slots, members, "stateDiff", context),
    )


def _slots(value: object, context: DecodeContext) -> dict[int, int]:
    return unique_keys(_word, _word, value, context)


def _word(value: object, context: DecodeContext) -> int:
    if isinstance(value, str) and len(value) > len("0x") + MAX_HEX_DIGITS:
        raise InvalidParams(f"want at most 32 bytes, got {quoted(value)}")
    return quantity(value, context)


def block_override(value: object, context: DecodeContext) -> BlockOverride:
    """A block override set, its members under geth's present or older names."""
    members = known_members(value, BLOCK_OVERRIDE_MEMBERS)

    def either(decode: Decoder, name: str, old_name: str) -> Any:
        return member(decode, members, name if name in members else old_name, context)

    return BlockOverride(
        number=member(uint64, members, "number", context),
        timestamp=member(uint64, members, "time", context),
        gas_limit=member(uint64, members, "gasLimit", context),
        coinbase=either(address, "feeRecipient", "coinbase"),
        random=either(hash32, "prevRandao", "random"),
        base_fee=either(quantity, "baseFeePerGas", "baseFee"),
        difficulty=member(quantity, members, "difficulty", context),
        hashes=member(partial(unique_keys, uint64, hash32), members, "blockHash", context) or {},
    )


def simulate_request(value: object, context: DecodeContext) -> SimulateRequest:
    """The options of `eth_simulateV1`: blocks with overrides and calls, and how to run them."""
    members = known_members(value, SIMULATE_MEMBERS)
    return SimulateRequest(
        blocks=member(tuple_of(_simulated_block), members, "blockStateCalls", context) or (),
        validation=bool(member(boolean, members, "validation", context)),
        transfers=bool(member(boolean, members, "traceTransfers", context)),
        full=bool(member(boolean, members, "returnFullTransactions", context)),
    )


def _simulated_block(value: object, context: DecodeContext) -> BlockRequest:
    members = known_members(value, ("blockOverrides", "stateOverrides", "calls"))
    header = member(block_override, members, "blockOverrides", context) or NO_BLOCK_OVERRIDE
    if header.hashes:
        raise InvalidParams(
            "blockOverrides: blockHash is not supported here: simulated blocks have their own"
        )
    return BlockRequest(
        header=header,
        state=member(state_overrides, members, "stateOverrides", context) or {},
        calls=member(tuple_of(transaction_request), members, "calls", context) or (),
    )


# Log filters

MAX_TOPICS = 4
LOG_QUERY_MEMBERS = frozenset({"fromBlock", "toBlock", "blockHash", "address", "topics"})


def log_query(value: object, context: DecodeContext) -> LogQuery:
    """Log filter options: `fromBlock`, `toBlock`, `blockHash`, `address`, `topics`.

    Others are ignored, unless they are misspelt.
    """
    members = present_members(value)
    if not members.keys() <= LOG_QUERY_MEMBERS:
        refuse_misspelt(members, LOG_QUERY_MEMBERS, (), context)
    if not context.preset.null_log_blocks_are_absent:
        _refuse_null_blocks(json_object(value))
    if "blockHash" in members and ("fromBlock" in members or "toBlock" in members):
        raise ContradictoryMembers(
            "cannot specify both blockHash and fromBlock/toBlock: choose one or the other"
        )
    return LogQuery(
        from_block=member(block_ref, members, "fromBlock", context),
        to_block=member(block_ref, members, "toBlock", context),
        block_hash=member(hash32, members, "blockHash", context),
        addresses=member(_addresses, members, "address", context) or frozenset(),
        topics=member(_topics, members, "topics", context) or (),
    )


def _refuse_null_blocks(members: dict[str, Any]) -> None:
    for name in ("fromBlock", "toBlock", "blockHash"):
        if members.get(name, ...) is None:
            kind = InvalidHashLength if name == "blockHash" else InvalidBlock
            raise kind("want a block, got null: leave it out", None).within(name)


def log(value: object, context: DecodeContext) -> Log:
    """A log object, of which `address`, `topics` and `data` are read."""
    members = present_members(value)
    emitter = member(address, members, "address", context)
    if emitter is None:
        raise InvalidParams("want a log with the address that emitted it")
    topics = member(tuple_of(hash32), members, "topics", context) or ()
    return Log(emitter, topics, member(data, members, "data", context) or b"")


def log_query_or_boolean(value: object, context: DecodeContext) -> LogQuery | bool:
    """The options of `eth_subscribe`: log filter options or a boolean."""
    return value if isinstance(value, bool) else log_query(value, context)


def _addresses(value: object, context: DecodeContext) -> frozenset[Address]:
    return frozenset(address(alternative, context) for alternative in _as_list(value))


def _topics(value: object, context: DecodeContext) -> Topics:
    positions = _as_list(value)
    if context.preset.trailing_null_topics_match:
        return _without_trailing_nulls(_topic_or_null(position, context) for position in positions)
    if len(positions) > MAX_TOPICS:
        raise InvalidParams(f"a log has at most {MAX_TOPICS} topics, got {len(positions)}")
    return tuple(_topic(position, context) for position in positions)


def _topic_or_null(value: object, context: DecodeContext) -> frozenset[Hash32] | None:
    return _topic(
        [alternative for alternative in _as_list(value) if alternative is not None], context
    )


def _without_trailing_nulls(topics: Iterable[frozenset[Hash32] | None]) -> Topics:
    kept = list(topics)
    while kept and kept[-1] is None:
        kept.pop()
    return tuple(kept)


def _topic(value: object, context: DecodeContext) -> frozenset[Hash32] | None:
    alternatives = _as_list(value)
    if not alternatives or None in alternatives:
        return None
    return frozenset(hash32(alternative, context) for alternative in alternatives)


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


# Mining


def mine_request(value: object, context: DecodeContext) -> MineRequest:
    """The parameter of `evm_mine`: a timestamp, or `{blocks, timestamp}`."""
    if not isinstance(value, dict):
        return MineRequest(timestamp=loose(value))
    members = known_members(value, ("blocks", "timestamp"))
    blocks = member(loose, members, "blocks", context)
    return MineRequest(
        blocks=1 if blocks is None else blocks,
        timestamp=member(loose, members, "timestamp", context),
    )


# Traces

TRACE_FLAGS = {
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
"""Boolean options of tracers: field of `TraceOptions`."""
TRACER_BY_LOWERCASE_NAME = {name.lower(): name for name in TRACERS}
TRACE_QUERY_MEMBERS = ("fromBlock", "toBlock", "fromAddress", "toAddress", "after", "count")
BAD_TRACE_QUERY = "Invalid trace_filter parameters."


def trace_options(value: object, context: DecodeContext) -> TraceOptions:
    """Trace options, in `tracerConfig` or beside it.

    Unknown members are ignored, as geth and the real node do.
    """
    members = dict(json_object(value))
    config = json_object(members.get("tracerConfig") or {})
    if str(members.get("tracer")).lower() == MUX.lower():
        parts = _mux_parts(config, context)
        return TraceOptions(MUX, parts=parts, **_trace_overrides(members, context))
    members |= config
    flags: dict[str, Any] = {
        field: bool(member(flag, members, name, context)) for name, field in TRACE_FLAGS.items()
    }
    if flags.get("diff_mode") and flags.get("include_empty"):
        raise InvalidParams("diffMode and includeEmpty exclude each other: give one of them")
    return TraceOptions(
        tracer=_tracer(members.get("tracer") or context.preset.default_tracer),
        limit=named("limit", quantity, members.get("limit") or 0, context),
        **_trace_overrides(members, context),
        **flags,
    )


def _trace_overrides(members: dict[str, Any], context: DecodeContext) -> dict[str, Any]:
    return {
        "overrides": member(state_overrides, members, "stateOverrides", context),
        "block_override": member(block_override, members, "blockOverrides", context),
        "tx_index": member(quantity, members, "txIndex", context),
    }


def _mux_parts(config: dict[str, Any], context: DecodeContext) -> tuple[TraceOptions, ...]:
    if not config:
        raise InvalidParams(
            'muxTracer: name its tracers as in {"tracerConfig": {"callTracer": {}}}'
        )
    by_name = {_tracer_name(name, ", ".join(TRACERS)): part for name, part in config.items()}
    return tuple(
        trace_options({"tracer": name, "tracerConfig": part}, context)
        for name, part in by_name.items()
    )


def _tracer(value: object) -> str:
    if value is None or value == "":
        return STRUCT_LOGS
    return _tracer_name(value, f"{', '.join(TRACERS)} and {MUX}; leave it out for struct logs")


def _tracer_name(value: object, known: str) -> str:
    name = TRACER_BY_LOWERCASE_NAME.get(value.lower()) if isinstance(value, str) else None
    if name is None:
        raise InvalidParams(f"unknown tracer {quoted(value)}: known are {known}")
    return name


def trace_query(value: object, context: DecodeContext) -> TraceQuery:
    """The options of `trace_filter`: blocks, senders, receivers, and a window of the result."""
    try:
        members = known_members(value, TRACE_QUERY_MEMBERS)
    except InvalidParams as error:
        reason = str(error)
        raise InvalidParams(f"{BAD_TRACE_QUERY} {reason[0].upper()}{reason[1:]}") from error
    return TraceQuery(
        from_block=block_ref(members.get("fromBlock", Tag.EARLIEST), context),
        to_block=block_ref(members.get("toBlock", Tag.LATEST), context),
        senders=member(_addresses, members, "fromAddress", context) or frozenset(),
        receivers=member(_addresses, members, "toAddress", context) or frozenset(),
        after=_trace_count("After", members.get("after", 0), context),
        count=_trace_count("Count", members.get("count", context.max_traces), context),
    )


def _trace_count(name: str, value: object, context: DecodeContext) -> int:
    if isinstance(value, int) and value < 0:
        reason = f"{name} value cannot be negative."
        raise InvalidTraceWindow(reason, reason)
    number = cast(int, named(name.lower(), quantity, value, context))
    if number > context.max_traces:
        reason = f"{name} value too big. Maximum {context.max_traces} traces allowed."
        raise InvalidTraceWindow(reason, reason)
    return number
