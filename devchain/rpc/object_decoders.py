"""Structured parameters, each described once: its members, their types, and with them its schema.

Error messages name the member that is wrong: `gasPrice: -1 is negative`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from typing import Any, NamedTuple

from devchain import errors
from devchain.chain.block import Log
from devchain.chain.transaction import DYNAMIC_FEE
from devchain.evm.rootstock.vm import LARGEST_TYPE
from devchain.rpc import schemas
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
    named,
    present_members,
    quantity,
    quoted,
    text,
    tuple_of,
    uint64,
    unique_keys,
)
from devchain.rpc.schemas import Schema, array, either, nullable, ref
from devchain.text import misspelt
from devchain.tracing.options import MUX, STRUCT_LOGS, TRACERS, TraceOptions, TraceQuery
from devchain.types import (
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
    Topics,
    TracedCall,
    TransactionRequest,
)


class Kind(NamedTuple):
    """A type of members: how they are decoded and their schema."""

    decode: Decoder
    schema: Schema


@dataclass(frozen=True)
class Structure:
    """A JSON object: the types of its members, and the fields of the Python value they become.

    The field of `gasPrice` is `gas_price` unless `fields` says otherwise. Members that are not
    `required` may be null. `others` are the schemas of members that are decoded apart.
    """

    kinds: Mapping[str, Kind]
    fields: Mapping[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    others: Mapping[str, Schema] = field(default_factory=dict)

    @cached_property
    def decoders(self) -> dict[str, tuple[str, Decoder]]:
        return {
            name: (self.fields.get(name) or CAPITAL.sub(r"_\g<0>", name).lower(), kind.decode)
            for name, kind in self.kinds.items()
        }

    @property
    def schema(self) -> Schema:
        properties = {
            name: kind.schema if name in self.required else nullable(kind.schema)
            for name, kind in self.kinds.items()
        }
        schema: Schema = {"type": "object", "properties": {**properties, **self.others}}
        return schema | {"required": list(self.required)} if self.required else schema

    def decode(self, members: dict[str, Any], context: DecodeContext) -> dict[str, Any]:
        """The fields of those members that are not null; unknown members are ignored.

        Where two members are for one field, the later one in `kinds` counts.
        """
        return {
            field: named(name, decode, members.get(name), context)
            for name, (field, decode) in self.decoders.items()
            if members.get(name) is not None or name in self.required
        }

    def decode_known(self, value: object, context: DecodeContext) -> dict[str, Any]:
        return self.decode(known_members(value, self.kinds), context)


CAPITAL = re.compile("[A-Z]")
NUMBER = Kind(quantity, schemas.LAX_QUANTITY)
NUMBER_64 = Kind(uint64, schemas.LAX_QUANTITY)
LOOSE_NUMBER = Kind(loose, ref("LooseNumber"))
BYTES = Kind(data, schemas.DATA)
BYTES_32 = Kind(hash32, schemas.HASH)
ACCOUNT = Kind(address, schemas.ADDRESS)
TRUTH = Kind(boolean, schemas.BOOLEAN)
LAX_TRUTH = Kind(flag, schemas.FLAG)
BLOCK = Kind(block_ref, ref("BlockParameter"))


def _several(kind: Kind) -> Kind:
    return Kind(tuple_of(kind.decode), array(kind.schema))


# Calls and transactions

TYPE_BY_MEMBER = {
    "authorizationList": 4,
    "blobVersionedHashes": 3,
    "maxFeePerGas": 2,
    "maxPriorityFeePerGas": 2,
    "accessList": 1,
}
"""Transaction type (EIP-2718) that a member implies, highest type first."""
Y_PARITIES = {0: 0, 1: 1, 27: 0, 28: 1}  # by the number in JSON; some libraries write 27 and 28


def _access_list_entry(value: object, context: DecodeContext) -> tuple[Address, tuple[int, ...]]:
    fields = ACCESS.decode(json_object(value), context)
    return fields["address"], fields.get("storage_keys", ())


def _authorization(value: object, context: DecodeContext) -> Authorization:
    members = json_object(value)
    fields = AUTHORIZATION.decode(members, context)
    parity = "yParity" if members.get("yParity") is not None else "v"
    y_parity = named(parity, _y_parity, members.get(parity), context)
    return Authorization(y_parity=y_parity, **fields)


def _y_parity(value: object, _context: DecodeContext) -> int:
    number = quantity(value)
    if number not in Y_PARITIES:
        raise errors.InvalidParams(f"want 0 or 1, got {number}")
    return Y_PARITIES[number]


ACCESS = Structure({"address": ACCOUNT, "storageKeys": _several(NUMBER)}, required=("address",))
AUTHORIZATION = Structure(
    {"chainId": NUMBER, "address": ACCOUNT, "nonce": NUMBER_64, "r": NUMBER, "s": NUMBER},
    required=("chainId", "address", "nonce", "r", "s"),
    others={"yParity": schemas.LAX_QUANTITY},
)
CALL = Structure(
    {
        "from": ACCOUNT,
        "to": Kind(
            lambda to, context: None if to == "0x" else address(to, context),
            either(schemas.ADDRESS, {"const": "0x"}),
        ),
        **dict.fromkeys(("data", "input"), BYTES),
        **dict.fromkeys(("type", "gas", "gasLimit", "gasPrice", "value", "chainId"), NUMBER),
        **dict.fromkeys(("maxFeePerGas", "maxPriorityFeePerGas"), NUMBER),
        "nonce": NUMBER_64,
        "rskSubtype": NUMBER,
        "accessList": _several(Kind(_access_list_entry, ACCESS.schema)),
        "authorizationList": _several(Kind(_authorization, AUTHORIZATION.schema)),
    },
    {"from": "sender", "authorizationList": "authorizations"},
)
OTHER_CALL_MEMBERS = frozenset(
    {
        # what transactions have besides, those of blobs and those that nodes return
        *("blobVersionedHashes", "maxFeePerBlobGas", "maxFeePerDataGas", "maxFeesPerBlobGas"),
        *("blobs", "kzg", "kzgCommitments", "commitments", "proofs", "sidecars"),
        *("blobWrapperVersion", "blockHash", "blockNumber", "blockTimestamp"),
        *("transactionIndex", "hash", "creates"),
        *("v", "r", "s", "yParity", "publicKey", "raw", "standardV", "condition", "signature"),
        # what clients add for themselves, or for other chains
        *("blockTag", "ccipReadEnabled", "enableCcipRead", "customData", "dataSuffix", "txType"),
        *("chain", "chainID", "common", "hardfork", "networkId", "privateFor", "privateFrom"),
        *("nonceKey", "nonceManager", "feeCurrency", "gatewayFee", "gasPerPubdata", "eip712Meta"),
    }
)
"""Members of call objects that clients send and that change nothing."""
MAX_CHECKED = 16  # unknown members of an object that are compared with the known ones


def transaction_request(value: object, context: DecodeContext) -> TransactionRequest:  # noqa: C901
    """A call object; unknown members are ignored, as all nodes do, unless they are misspelt."""
    members = present_members(value)
    for name in context.preset.ignored_call_members:
        members.pop(name, None)
    if "gasPrice" in members and not context.preset.gas_price_excludes_caps:
        members.pop("maxFeePerGas", None)
        members.pop("maxPriorityFeePerGas", None)
    fields: dict[str, Any] = {}
    name, has_unknown, decoders = "", False, CALL.decoders
    try:  # as `Structure.fields`, in half the time
        for name, member_value in members.items():
            decoded_by = decoders.get(name)
            if decoded_by:
                field, decode = decoded_by
                fields[field] = decode(member_value, context)
            elif name not in OTHER_CALL_MEMBERS:
                has_unknown = True
    except errors.InvalidParams as error:
        raise error.within(name) from error
    if has_unknown:
        refuse_misspelt(members, CALL.kinds, OTHER_CALL_MEMBERS, context)
    if "gas_limit" in fields:
        gas_limit = fields.pop("gas_limit")
        fields.setdefault("gas", gas_limit)
    if "input" in fields:
        given = fields.pop("input")
        if context.preset.data_must_equal_input and fields.get("data", given) != given:
            raise errors.ContradictoryMembers("data and input differ: give one of them")
        fields["data"] = given
    if "type" not in members and not members.keys().isdisjoint(TYPE_BY_MEMBER):
        implied = (kind for name, kind in TYPE_BY_MEMBER.items() if members.get(name))
        fields["type"] = next(implied, None)
    if "rsk_subtype" in fields:
        fields["type"] = _own_type(fields.get("type"), fields.pop("rsk_subtype"))
    return TransactionRequest(**fields)


def _own_type(kind: int | None, subtype: int) -> int:
    # One of Rootstock's own types (RSKIP543) as a number of two bytes.
    if kind != DYNAMIC_FEE or subtype > LARGEST_TYPE:
        raise errors.InvalidParams("rskSubtype is at most 0x7f, and goes with type 0x2")
    return DYNAMIC_FEE << 8 | subtype


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
    unknown = (name for name in members if name not in known and name not in others)
    for name in islice(unknown, MAX_CHECKED):
        if meant := misspelt(name, known):
            raise errors.InvalidParams(f"unknown member {quoted(name)}: did you mean {meant}?")


def placed_transaction(value: object, context: DecodeContext) -> PlacedTransaction:
    """A pair of a transaction, as raw DATA or as call object, and the new block it goes into."""
    if not isinstance(value, list) or len(value) != 2:
        raise errors.InvalidParams(
            "want a pair: a transaction and the number of the new block it goes into"
        )
    transaction, block = value
    decode = data if isinstance(transaction, str) else transaction_request
    return PlacedTransaction(decode(transaction, context), loose(block))


def traced_call(value: object, context: DecodeContext) -> TracedCall:
    """A pair of a call object and the types of its traces."""
    if not isinstance(value, list) or len(value) != len(TracedCall._fields):
        raise errors.InvalidParams('want a pair: a call object and trace types such as ["trace"]')
    call, kinds = value
    return TracedCall(transaction_request(call, context), array_of(text, kinds, context))


# State and block overrides, simulated blocks


def _word(value: object, context: DecodeContext) -> int:
    if isinstance(value, str) and len(value) > len("0x") + MAX_HEX_DIGITS:
        raise errors.InvalidParams(f"want at most 32 bytes, got {quoted(value)}")
    return quantity(value, context)


def _by(key: Decoder, kind: Kind) -> Kind:
    schema = {"type": "object", "additionalProperties": kind.schema}
    return Kind(partial(unique_keys, key, kind.decode), schema)


WORD = Kind(_word, schemas.LAX_QUANTITY)
STATE_OVERRIDE = Structure(
    {
        "balance": NUMBER,
        "nonce": NUMBER_64,
        "code": BYTES,
        **dict.fromkeys(("state", "stateDiff"), _by(_word, WORD)),
    }
)
MOVE_PRECOMPILE = "movePrecompileToAddress"
BLOCK_OVERRIDE = Structure(
    {
        **dict.fromkeys(("number", "time", "gasLimit"), NUMBER_64),
        **dict.fromkeys(("coinbase", "feeRecipient"), ACCOUNT),
        **dict.fromkeys(("random", "prevRandao"), BYTES_32),
        **dict.fromkeys(("baseFee", "baseFeePerGas", "blobBaseFee", "difficulty"), NUMBER),
        "blockHash": _by(uint64, BYTES_32),
    },
    {
        "time": "timestamp",
        "feeRecipient": "coinbase",
        "prevRandao": "random",
        "baseFeePerGas": "base_fee",
        "blockHash": "hashes",
    },
)
"""Two names for one field are geth's older and its present one, in that order."""


def state_overrides(value: object, context: DecodeContext) -> StateOverrides:
    return unique_keys(address, _state_override, value, context)


def _state_override(value: object, context: DecodeContext) -> StateOverride:
    if context.preset.override_members_are_known:
        members = known_members(value, {*STATE_OVERRIDE.kinds, MOVE_PRECOMPILE})
    else:
        members = present_members(value)
    if MOVE_PRECOMPILE in members:
        raise errors.InvalidParams(f"{MOVE_PRECOMPILE} is not supported: leave it out")
    if "state" in members and "stateDiff" in members:
        raise errors.ContradictoryMembers(
            "state and stateDiff exclude each other: give one of them"
        )
    return StateOverride(**STATE_OVERRIDE.decode(members, context))


def block_override(value: object, context: DecodeContext) -> BlockOverride:
    return BlockOverride(**BLOCK_OVERRIDE.decode_known(value, context))


def _simulated_block(value: object, context: DecodeContext) -> BlockRequest:
    request = BlockRequest(**SIMULATED_BLOCK.decode_known(value, context))
    if request.header.hashes:
        raise errors.InvalidParams(
            "blockOverrides: blockHash is not supported here: simulated blocks have their own"
        )
    return request


SIMULATED_BLOCK = Structure(
    {
        "blockOverrides": Kind(block_override, ref("BlockOverrides")),
        "stateOverrides": Kind(state_overrides, ref("StateOverrides")),
        "calls": _several(Kind(transaction_request, ref("Call"))),
    },
    {"blockOverrides": "header", "stateOverrides": "state"},
)
CALL_BUNDLE = Structure(
    {
        "transactions": _several(Kind(transaction_request, ref("Call"))),
        "blockOverride": Kind(block_override, ref("BlockOverrides")),
    },
    {"transactions": "calls", "blockOverride": "header"},
)


def call_bundle(value: object, context: DecodeContext) -> BlockRequest:
    """A bundle of `eth_callMany`: calls, and changes to the block they run in."""
    return BlockRequest(**CALL_BUNDLE.decode_known(value, context))


SIMULATION = Structure(
    {
        "blockStateCalls": _several(Kind(_simulated_block, SIMULATED_BLOCK.schema)),
        **dict.fromkeys(("validation", "traceTransfers", "returnFullTransactions"), TRUTH),
    },
    {"blockStateCalls": "blocks", "traceTransfers": "transfers", "returnFullTransactions": "full"},
)


def simulate_request(value: object, context: DecodeContext) -> SimulateRequest:
    return SimulateRequest(**SIMULATION.decode_known(value, context))


# Log filters

MAX_TOPICS = 4


def _topics(value: object, context: DecodeContext) -> Topics:
    positions = [_as_list(position) for position in _as_list(value)]
    if context.preset.trailing_null_topics_match:
        while positions and all(item is None for item in positions[-1]):
            positions.pop()
        positions = [[item for item in position if item is not None] for position in positions]
    elif len(positions) > MAX_TOPICS:
        raise errors.InvalidParams(f"a log has at most {MAX_TOPICS} topics, got {len(positions)}")
    return tuple(_topic(position, context) for position in positions)


def _topic(alternatives: list[object], context: DecodeContext) -> frozenset[Hash32] | None:
    if not alternatives or None in alternatives:
        return None
    return frozenset(hash32(alternative, context) for alternative in alternatives)


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


ACCOUNTS = Kind(
    lambda value, context: frozenset(address(item, context) for item in _as_list(value)),
    either(schemas.ADDRESS, array(schemas.ADDRESS)),
)
TOPIC = either(schemas.NULL, schemas.HASH, array(nullable(schemas.HASH)))
LOG_QUERY = Structure(
    {
        **dict.fromkeys(("fromBlock", "toBlock"), BLOCK),
        "blockHash": BYTES_32,
        "address": ACCOUNTS,
        "topics": Kind(_topics, array(TOPIC)),
    },
    {"address": "addresses"},
)
LOG = Structure({"address": ACCOUNT, "topics": _several(BYTES_32), "data": BYTES})


def log_query(value: object, context: DecodeContext) -> LogQuery:
    """Log filter options; members other than the table's are ignored, unless they are misspelt."""
    members = present_members(value)
    if not members.keys() <= LOG_QUERY.kinds.keys():
        refuse_misspelt(members, LOG_QUERY.kinds, (), context)
    for name in ("fromBlock", "toBlock", "blockHash"):
        is_null = name in json_object(value) and name not in members
        if is_null and not context.preset.null_log_blocks_are_absent:
            kind = errors.InvalidHashLength if name == "blockHash" else errors.InvalidBlock
            raise kind("want a block, got null: leave it out", None).within(name)
    if "blockHash" in members and ("fromBlock" in members or "toBlock" in members):
        raise errors.ContradictoryMembers(
            "cannot specify both blockHash and fromBlock/toBlock: choose one or the other"
        )
    return LogQuery(**LOG_QUERY.decode(members, context))


def log(value: object, context: DecodeContext) -> Log:
    fields = LOG.decode(json_object(value), context)
    if "address" not in fields:
        raise errors.InvalidParams("want a log with the address that emitted it")
    return Log(**{"topics": (), "data": b"", **fields})


def log_query_or_boolean(value: object, context: DecodeContext) -> LogQuery | bool:
    return value if isinstance(value, bool) else log_query(value, context)


# Mining

MINE = Structure(dict.fromkeys(("blocks", "timestamp"), LOOSE_NUMBER))


def mine_request(value: object, context: DecodeContext) -> MineRequest:
    """The parameter of `evm_mine`: a timestamp, or `{blocks, timestamp}`."""
    if not isinstance(value, dict):
        return MineRequest(timestamp=loose(value))
    return MineRequest(**MINE.decode_known(value, context))


# Traces

ALL_TRACERS = (*TRACERS, MUX)
TRACE_OPTIONS = Structure(
    {
        **dict.fromkeys(("limit", "txIndex"), NUMBER),
        "stateOverrides": Kind(state_overrides, ref("StateOverrides")),
        "blockOverrides": Kind(block_override, ref("BlockOverrides")),
        **dict.fromkeys(("disableStack", "disableStorage", "enableMemory"), LAX_TRUTH),
        **dict.fromkeys(("disableMemory", "enableReturnData", "onlyTopCall"), LAX_TRUTH),
        **dict.fromkeys(("withLog", "diffMode", "disableCode", "includeEmpty"), LAX_TRUTH),
        **dict.fromkeys(("includePrecompiles", "convertParityErrors"), LAX_TRUTH),
    },
    {"stateOverrides": "overrides", "blockOverrides": "block_override"},
    others={
        "tracer": nullable({**schemas.TEXT, "description": f"one of {', '.join(ALL_TRACERS)}"}),
        "tracerConfig": nullable(schemas.OBJECT),
    },
)
TRACER_BY_LOWERCASE_NAME = {name.lower(): name for name in TRACERS}
TRACE_QUERY = Structure(
    {
        **dict.fromkeys(("fromBlock", "toBlock"), BLOCK),
        **dict.fromkeys(("fromAddress", "toAddress"), ACCOUNTS),
        **dict.fromkeys(("after", "count"), NUMBER),
    },
    {"fromAddress": "senders", "toAddress": "receivers"},
)


def trace_options(value: object, context: DecodeContext) -> TraceOptions:
    """Trace options, in `tracerConfig` or beside it; unknown members are ignored, as in geth."""
    members = json_object(value)
    config = json_object(members.get("tracerConfig") or {})
    tracer = _tracer_name(members.get("tracer") or context.preset.default_tracer)
    if tracer == MUX:
        return TraceOptions(
            MUX, parts=_mux_parts(config, context), **TRACE_OPTIONS.decode(members, context)
        )
    fields = TRACE_OPTIONS.decode(members | config, context)
    if fields.get("diff_mode") and fields.get("include_empty"):
        raise errors.InvalidParams("diffMode and includeEmpty exclude each other: give one of them")
    return TraceOptions(tracer, **fields)


def _mux_parts(config: dict[str, Any], context: DecodeContext) -> tuple[TraceOptions, ...]:
    if not config:
        raise errors.InvalidParams(
            'muxTracer: name its tracers as in {"tracerConfig": {"callTracer": {}}}'
        )
    parts = {_known_tracer(name, ", ".join(TRACERS)): part for name, part in config.items()}
    return tuple(
        trace_options({"tracer": name, "tracerConfig": part}, context)
        for name, part in parts.items()
    )


def _tracer_name(value: object) -> str:
    if value is None or value == "":
        return STRUCT_LOGS
    if str(value).lower() == MUX.lower():
        return MUX
    return _known_tracer(value, f"{', '.join(TRACERS)} and {MUX}; leave it out for struct logs")


def _known_tracer(value: object, known: str) -> str:
    name = TRACER_BY_LOWERCASE_NAME.get(value.lower()) if isinstance(value, str) else None
    if name is None:
        raise errors.InvalidParams(f"unknown tracer {quoted(value)}: known are {known}")
    return name


def trace_query(value: object, context: DecodeContext) -> TraceQuery:
    """The options of `trace_filter`: blocks, senders, receivers, and a window of the result."""
    try:
        members = known_members(value, TRACE_QUERY.kinds)
    except errors.InvalidParams as error:
        reason = str(error)
        raise errors.InvalidParams(
            f"Invalid trace_filter parameters. {reason[0].upper()}{reason[1:]}"
        ) from error
    for name in ("after", "count"):
        if isinstance(members.get(name), int) and members[name] < 0:
            _refuse_window(f"{name.capitalize()} value cannot be negative.")
    most = context.max_traces
    query = TraceQuery(**{"count": most, **TRACE_QUERY.decode(members, context)})
    for name, number in (("After", query.after), ("Count", query.count)):
        if number is not None and number > most:
            _refuse_window(f"{name} value too big. Maximum {most} traces allowed.")
    return query


def _refuse_window(reason: str) -> None:
    raise errors.InvalidTraceWindow(reason, reason)


COMPONENTS: dict[str, Schema] = {
    "Call": CALL.schema,
    "StateOverrides": {
        "type": "object",
        "propertyNames": {"pattern": "^0x[0-9a-fA-F]{40}$"},
        "additionalProperties": STATE_OVERRIDE.schema,
    },
    "BlockOverrides": BLOCK_OVERRIDE.schema,
    "SimulateOptions": SIMULATION.schema,
    "LogRead": LOG.schema,
    "LogFilter": LOG_QUERY.schema,
    "MineOptions": either(LOOSE_NUMBER.schema, MINE.schema),
    "TraceOptions": TRACE_OPTIONS.schema,
    "TraceFilter": TRACE_QUERY.schema,
}
"""Schemas of structured parameters by the names that the OpenRPC document has for them."""
