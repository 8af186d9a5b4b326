"""Shapes of results under `Preset.result_shapes`, each made from devchain's own.

A shape is a function of the node, the method's arguments and its result before it is encoded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devchain.chain.block import Block
from devchain.chain.remasc import is_closing
from devchain.chain.transaction import Transaction
from devchain.node import Node
from devchain.rpc.json_codec import Number
from devchain.rpc.result_objects import BLOOM_LENGTH, JsonObject, block_object
from devchain.types import Tag

Arguments = tuple[Any, ...]
Shape = Callable[[Node, Arguments, Any], Any]

# Blocks and transactions of rskj

NO_BYTES = b"\0"  # what rskj shows for no bytes in pool, notifications, genesis' proof
PROOF_MEMBERS = (
    "bitcoinMergedMiningHeader",
    "bitcoinMergedMiningCoinbaseTransaction",
    "bitcoinMergedMiningMerkleProof",
)
HEAD_MEMBERS = (
    *("difficulty", "extraData", "gasLimit", "gasUsed", "logsBloom", "miner", "number"),
    *("parentHash", "receiptsRoot", "sha3Uncles", "stateRoot", "timestamp", "transactionsRoot"),
    "hash",
)


def rskj_block(node: Node, _arguments: Arguments, block: JsonObject | None) -> JsonObject | None:
    """A block: the nonce is never null, and the edges of parallel execution are shown.

    The pending block has no miner and no total difficulty, but its transactions have their places.
    """
    if block is None:
        return None
    pending = node.chain.pending() if block["hash"] is None else None
    found = pending or node.chain.block(block["number"])
    count = _count_without_remasc(found)
    # All but REMASC's are in one list: devchain executes them one after the other.
    edges = [Number(count)] * (count > 0) if found.number else None
    members = {**block, "nonce": bytes(8), "rskPteEdges": edges}
    if pending:
        transactions = [_placed(indexed, pending) for indexed in enumerate(block["transactions"])]
        members |= {"miner": None, "totalDifficulty": 0, "transactions": transactions}
    elif found.number == 0:
        members |= dict.fromkeys(PROOF_MEMBERS, NO_BYTES)
    return members


# The pending block of Hardhat, anvil and ganache


def hardhat_block(node: Node, _arguments: Arguments, block: JsonObject | None) -> JsonObject | None:
    """A block; the pending one has hash and bloom, but neither number, nonce nor mix hash."""
    if block is None or block["hash"] is not None:
        return block
    nulls = dict.fromkeys(("number", "nonce", "mixHash"))
    return {**block, **_pending_hashes(node.chain.pending()), **nulls}


def anvil_block(node: Node, _arguments: Arguments, block: JsonObject | None) -> JsonObject | None:
    """A block; the pending one has every member, and its transactions have their places."""
    if block is None or block["hash"] is not None:
        return block
    pending = node.chain.pending()
    transactions = [_placed(indexed, pending) for indexed in enumerate(block["transactions"])]
    members = {"number": pending.number, "nonce": bytes(8), "transactions": transactions}
    return {**block, **_pending_hashes(pending), **members}


def anvil_receipts(node: Node, _arguments: Arguments, found: Any) -> Any:
    """A receipt or several: with the price of blob gas where blocks have it."""
    if isinstance(found, list):
        return [anvil_receipts(node, (), each) for each in found]
    has_blobs = hasattr(node.chain.head.header, "excess_blob_gas")
    return {**found, "blobGasPrice": 1} if found and has_blobs else found


def ganache_block(node: Node, arguments: Arguments, block: JsonObject | None) -> JsonObject | None:
    """A block; the newest one instead of the pending one."""
    if block is None or block["hash"] is not None:
        return block
    return block_object(node.chain.block(Tag.LATEST), full=arguments[1:2] == (True,))


def _pending_hashes(pending: Block) -> JsonObject:
    bloom = pending.bloom.to_bytes(BLOOM_LENGTH, "big")
    return {"hash": pending.hash, "logsBloom": bloom}


def _count_without_remasc(block: Block) -> int:
    transactions = block.transactions
    return len(transactions) - bool(transactions and is_closing(transactions[-1]))


def _placed(indexed: tuple[int, Any], pending: Block) -> Any:
    index, tx = indexed
    if not isinstance(tx, dict):
        return tx
    place = {"blockHash": pending.hash, "blockNumber": pending.number, "transactionIndex": index}
    return {**tx, **place}


def rskj_transaction_count(node: Node, arguments: Arguments, count: int | None) -> int | None:
    """The number of transactions of a block; in the pending block REMASC's does not count."""
    if arguments[0] is Tag.PENDING:
        return _count_without_remasc(node.chain.pending())
    return count


def rskj_transaction(
    node: Node, arguments: Arguments, transaction: JsonObject | None
) -> JsonObject | None:
    """A transaction; a queued one is not found."""
    (transaction_hash,) = arguments
    is_queued = any(tx.hash == transaction_hash for tx in node.mempool.queued())
    return None if is_queued else transaction


# Logs of rskj

LOG_MEMBERS = (
    *("logIndex", "blockNumber", "blockHash", "transactionHash", "transactionIndex", "address"),
    *("data", "topics"),
)


def rskj_logs(_node: Node, _arguments: Arguments, found: list[Any]) -> list[Any]:
    """Logs, or the hashes of another filter: without `removed`, so without those removed."""
    return [
        _rskj_log(each) if isinstance(each, dict) else each
        for each in found
        if not isinstance(each, dict) or not each["removed"]
    ]


def _rskj_log(log: JsonObject) -> JsonObject:
    return {name: log[name] for name in LOG_MEMBERS}


def rskj_log_notification(_node: Node, _arguments: Arguments, log: JsonObject) -> JsonObject:
    """A `logs` notification, which has `removed`; no data is one zero byte."""
    return {**_rskj_log(log), "data": log["data"] or NO_BYTES, "removed": log["removed"]}


# The pool of rskj

POOL_MEMBERS = (
    *("blockHash", "blockNumber", "transactionIndex", "from", "gas", "gasPrice", "hash", "input"),
    *("nonce", "to", "value"),
)


def rskj_pool_content(_node: Node, _arguments: Arguments, content: JsonObject) -> JsonObject:
    """The pool: addresses without 0x, a list for each nonce, amounts as bytes, no signatures."""
    return {
        group: {
            sender.removeprefix("0x"): {
                nonce: [_rskj_pool_transaction(tx)] for nonce, tx in by_nonce.items()
            }
            for sender, by_nonce in by_sender.items()
        }
        for group, by_sender in content.items()
    }


def rskj_pool_summary(node: Node, _arguments: Arguments, content: JsonObject) -> JsonObject:
    """The pool as text, in the same groups."""
    del content
    return {
        "pending": _summaries(node.mempool.pending()),
        "queued": _summaries(node.mempool.queued()),
    }


def _rskj_pool_transaction(transaction: JsonObject) -> JsonObject:
    members = {name: transaction[name] for name in POOL_MEMBERS}
    for name in ("gasPrice", "value"):  # as Java has numbers, with a bit for the sign
        members[name] = members[name].to_bytes(members[name].bit_length() // 8 + 1)
    return {**members, "to": transaction["to"] or NO_BYTES}


def _summaries(transactions: list[Transaction]) -> JsonObject:
    grouped: JsonObject = {}
    for tx in transactions:
        to = tx.to.hex() if tx.to else ""
        text = f"{to}: {tx.value} wei + {tx.gas} x {tx.gas_price} gas"
        grouped.setdefault(tx.sender.hex(), {})[str(tx.nonce)] = [text]
    return grouped


SHAPES: dict[str, Shape] = {
    "decimal_text": lambda _node, _arguments, amount: str(amount),
    "first_as_decimal": lambda _node, arguments, _result: str(arguments[0]),
    "number": lambda _node, _arguments, amount: Number(amount),
    "hardhat_block": hardhat_block,
    "anvil_block": anvil_block,
    "anvil_receipts": anvil_receipts,
    "ganache_block": ganache_block,
    "rskj_block": rskj_block,
    "rskj_transaction_count": rskj_transaction_count,
    "rskj_transaction": rskj_transaction,
    "rskj_pending_transactions": lambda _node, _arguments, transactions: [
        {**tx, "blockHash": None} for tx in transactions
    ],
    "rskj_head": lambda _node, _arguments, head: {
        **{name: head[name] for name in HEAD_MEMBERS},
        "baseEvent": NO_BYTES,
    },
    "rskj_logs": rskj_logs,
    "rskj_receipt": lambda _node, _arguments, receipt: (
        receipt and {**receipt, "logs": [_rskj_log(log) for log in receipt["logs"]]}
    ),
    "rskj_log_notification": rskj_log_notification,
    "rskj_pool_content": rskj_pool_content,
    "rskj_pool_summary": rskj_pool_summary,
}
"""The shapes by the names that presets have for them."""
