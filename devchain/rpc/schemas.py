"""JSON schemas of scalars and results; `object_decoders` has those of structured parameters."""

from __future__ import annotations

from typing import Any

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
    return {"$ref": f"#/components/schemas/{name}"}


def either(*schemas: Schema) -> Schema:
    return schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}


def array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def nullable(schema: Schema) -> Schema:
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
SLOT_AS_WRITTEN = _hex("[0-9a-fA-F]+", "A slot: QUANTITY, or as the request writes it")
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
    "LooseNumber": either(LAX_QUANTITY, {"type": "string", "pattern": "^[0-9]+$"}),
    "Log": _object(
        {
            "removed": BOOLEAN,
            "logIndex": nullable(QUANTITY),
            "transactionHash": nullable(HASH),
            **POSITION,
            "address": ADDRESS,
            "data": DATA,
            "topics": array(HASH),
        },
        {"blockTimestamp": nullable(QUANTITY)},
    ),
    "Transaction": _object(
        {
            "hash": HASH,
            **POSITION,
            "from": ADDRESS,
            "to": nullable(ADDRESS),
            "input": DATA,
            **dict.fromkeys(("nonce", "gas", "gasPrice", "value", "v", "r", "s", "type"), QUANTITY),
        },
        {"blockTimestamp": nullable(QUANTITY)},
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
