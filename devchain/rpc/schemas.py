"""JSON schemas of parameters and results, the `components` of the OpenRPC document."""

from __future__ import annotations

from typing import Any

from devchain.rpc.object_decoders import TRACE_FLAGS, TRACE_QUERY_MEMBERS
from devchain.tracing.options import MUX, TRACERS
from devchain.types import Tag

Schema = dict[str, Any]

ANY: Schema = {}
NULL: Schema = {"type": "null"}
BOOLEAN: Schema = {"type": "boolean"}
FLAG: Schema = {"enum": [True, False, "true", "false"]}
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}
OBJECT: Schema = {"type": "object"}


def ref(name: str) -> Schema:
    """A reference to one of the `COMPONENTS`."""
    return {"$ref": f"#/components/schemas/{name}"}


def either(*schemas: Schema) -> Schema:
    """A value of one of the schemas."""
    return schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}


def array(items: Schema) -> Schema:
    """An array of values of that schema."""
    return {"type": "array", "items": items}


def nullable(schema: Schema) -> Schema:
    """A value of that schema, or null."""
    return either(schema, NULL)


def _hex(digits: str, description: str) -> Schema:
    return {"type": "string", "pattern": f"^0x{digits}$", "description": description}


def _bytes(length: int) -> Schema:
    return _hex(f"[0-9a-fA-F]{{{2 * length}}}", f"DATA, {length} bytes")


def _object(members: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    schema: Schema = {"type": "object", "properties": members | (optional or {})}
    return schema | {"required": list(members)} if members else schema


QUANTITY, LAX_QUANTITY, DATA, ADDRESS, HASH, BLOOM = map(
    ref, ("Quantity", "GivenQuantity", "Data", "Address", "Hash", "Bloom")
)
SLOTS: Schema = {"type": "object", "additionalProperties": LAX_QUANTITY}
SLOT_AS_WRITTEN = _hex("[0-9a-fA-F]+", "A slot: QUANTITY, or as the request writes it")
ADDRESSES = either(ADDRESS, array(ADDRESS))
TOPIC = either(NULL, HASH, array(nullable(HASH)))

POSITION = {
    "blockHash": nullable(HASH),
    "blockNumber": nullable(QUANTITY),
    "transactionIndex": nullable(QUANTITY),
}

COMPONENTS: dict[str, Schema] = {
    "Quantity": _hex("(0|[1-9a-f][0-9a-f]*)", "QUANTITY: a number without leading zeros"),
    "GivenQuantity": either(
        _hex("[0-9a-fA-F]+", "QUANTITY; leading zeros are allowed"),
        {"type": "integer", "description": "A JSON integer of at most 64 bits, not negative"},
    ),
    "Data": _hex("([0-9a-fA-F]{2})*", "DATA: bytes"),
    "Address": _bytes(20),
    "Hash": _bytes(32),
    "Bloom": _bytes(256),
    "Tag": {"type": "string", "enum": [str(tag.value) for tag in Tag]},
    "BlockParameter": either(
        ref("Tag"),
        LAX_QUANTITY,
        HASH,
        _object({}, {"blockHash": HASH, "blockNumber": LAX_QUANTITY, "requireCanonical": FLAG}),
    ),
    "StateParameter": either(
        ref("BlockParameter"),
        _object(
            {"transactionIndex": LAX_QUANTITY},
            {"blockHash": HASH, "blockNumber": LAX_QUANTITY, "requireCanonical": FLAG},
        ),
    ),
    "Call": _object(
        {},
        {
            "from": ADDRESS,
            "to": nullable(either(ADDRESS, {"const": "0x"})),
            **dict.fromkeys(("gas", "gasPrice", "value", "nonce", "chainId", "type"), LAX_QUANTITY),
            **dict.fromkeys(("maxFeePerGas", "maxPriorityFeePerGas"), LAX_QUANTITY),
            **dict.fromkeys(("data", "input"), DATA),
            "accessList": array(
                _object({"address": ADDRESS}, {"storageKeys": array(LAX_QUANTITY)})
            ),
            "authorizationList": array(
                _object(
                    {
                        "address": ADDRESS,
                        **dict.fromkeys(("chainId", "nonce", "r", "s"), LAX_QUANTITY),
                    },
                    {"yParity": LAX_QUANTITY},
                )
            ),
        },
    ),
    "StateOverrides": {
        "type": "object",
        "propertyNames": {"pattern": "^0x[0-9a-fA-F]{40}$"},
        "additionalProperties": _object(
            {},
            {
                "balance": LAX_QUANTITY,
                "nonce": LAX_QUANTITY,
                "code": DATA,
                "state": SLOTS,
                "stateDiff": SLOTS,
            },
        ),
    },
    "BlockOverrides": _object(
        {},
        {
            **dict.fromkeys(("number", "time", "gasLimit", "difficulty"), nullable(LAX_QUANTITY)),
            **dict.fromkeys(("baseFeePerGas", "baseFee"), nullable(LAX_QUANTITY)),
            **dict.fromkeys(("feeRecipient", "coinbase"), nullable(ADDRESS)),
            **dict.fromkeys(("prevRandao", "random"), nullable(HASH)),
            "blockHash": nullable({"type": "object", "additionalProperties": HASH}),
        },
    ),
    "SimulateOptions": _object(
        {
            "blockStateCalls": array(
                _object(
                    {},
                    {
                        "blockOverrides": nullable(ref("BlockOverrides")),
                        "stateOverrides": nullable(ref("StateOverrides")),
                        "calls": nullable(array(ref("Call"))),
                    },
                )
            )
        },
        dict.fromkeys(("validation", "traceTransfers", "returnFullTransactions"), BOOLEAN),
    ),
    "LogRead": _object({"address": ADDRESS}, {"topics": array(HASH), "data": DATA}),
    "LogFilter": _object(
        {},
        {
            "fromBlock": nullable(ref("BlockParameter")),
            "toBlock": nullable(ref("BlockParameter")),
            "blockHash": nullable(HASH),
            "address": nullable(ADDRESSES),
            "topics": nullable(array(TOPIC)),
        },
    ),
    "MineOptions": either(
        ref("LooseNumber"),
        _object({}, {"blocks": ref("LooseNumber"), "timestamp": ref("LooseNumber")}),
    ),
    "LooseNumber": either(LAX_QUANTITY, {"type": "string", "pattern": "^[0-9]+$"}),
    "TraceOptions": _object(
        {},
        {
            "tracer": nullable(
                {"type": "string", "description": f"one of {', '.join((*TRACERS, MUX))}"}
            ),
            "tracerConfig": nullable(OBJECT),
            "limit": nullable(LAX_QUANTITY),
            "stateOverrides": nullable(ref("StateOverrides")),
            "blockOverrides": nullable(ref("BlockOverrides")),
            "txIndex": nullable(LAX_QUANTITY),
            **dict.fromkeys(TRACE_FLAGS, FLAG),
        },
    ),
    "TraceFilter": {
        "type": "object",
        "propertyNames": {"enum": list(TRACE_QUERY_MEMBERS)},
        "properties": {
            **dict.fromkeys(("fromBlock", "toBlock"), nullable(ref("BlockParameter"))),
            **dict.fromkeys(("fromAddress", "toAddress"), nullable(ADDRESSES)),
            **dict.fromkeys(("after", "count"), nullable(LAX_QUANTITY)),
        },
    },
    "Log": _object(
        {
            "removed": BOOLEAN,
            "logIndex": nullable(QUANTITY),
            "transactionHash": nullable(HASH),
            **POSITION,
            "address": ADDRESS,
            "data": DATA,
            "topics": array(HASH),
        }
    ),
    "Transaction": _object(
        {
            "hash": HASH,
            **POSITION,
            "from": ADDRESS,
            "to": nullable(ADDRESS),
            "input": DATA,
            **dict.fromkeys(("nonce", "gas", "gasPrice", "value", "v", "r", "s", "type"), QUANTITY),
        }
    ),
    "Receipt": _object(
        {
            "transactionHash": HASH,
            "blockHash": HASH,
            "from": ADDRESS,
            "to": nullable(ADDRESS),
            "contractAddress": nullable(ADDRESS),
            "logs": array(ref("Log")),
            "logsBloom": BLOOM,
            **dict.fromkeys(("transactionIndex", "blockNumber", "cumulativeGasUsed"), QUANTITY),
            **dict.fromkeys(("gasUsed", "effectiveGasPrice", "type"), QUANTITY),
        },
        {"status": {"enum": ["0x0", "0x1"]}, "root": HASH},
    ),
    "Block": _object(
        {
            "number": nullable(QUANTITY),
            "hash": nullable(HASH),
            "nonce": nullable(_bytes(8)),
            "logsBloom": nullable(BLOOM),
            **dict.fromkeys(("parentHash", "mixHash", "sha3Uncles", "transactionsRoot"), HASH),
            **dict.fromkeys(("stateRoot", "receiptsRoot"), HASH),
            "miner": ADDRESS,
            "extraData": DATA,
            **dict.fromkeys(("difficulty", "totalDifficulty", "size", "timestamp"), QUANTITY),
            **dict.fromkeys(("gasLimit", "gasUsed"), QUANTITY),
            "transactions": either(array(HASH), array(ref("Transaction"))),
            "uncles": array(HASH),
        },
        {
            **dict.fromkeys(("minimumGasPrice", "paidFees", "cumulativeDifficulty"), QUANTITY),
            "bitcoinMergedMiningHeader": DATA,
            "bitcoinMergedMiningCoinbaseTransaction": DATA,
            "bitcoinMergedMiningMerkleProof": DATA,
            "hashForMergedMining": HASH,
            "rskPteEdges": nullable(array(NUMBER)),
            "baseEvent": nullable(DATA),
            "baseFeePerGas": QUANTITY,
        },
    ),
    "Proof": _object(
        {
            "address": ADDRESS,
            "balance": QUANTITY,
            "nonce": QUANTITY,
            "codeHash": HASH,
            "storageHash": HASH,
            "accountProof": array(DATA),
            "storageProof": array(
                _object({"key": SLOT_AS_WRITTEN, "value": QUANTITY, "proof": array(DATA)})
            ),
        }
    ),
}
