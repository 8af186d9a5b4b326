"""`eth_` methods that read blocks, their transactions, receipts and uncles."""

from __future__ import annotations

from devchain.chain.slices import Slices
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import (
    BlockObject,
    JsonObject,
    ReceiptObject,
    TransactionObject,
    block_object,
    receipt_object,
    transaction_object,
)
from devchain.rpc.scalar_decoders import Loose
from devchain.types import Address, BlockRef, Hash32

NOT_IN_HEADERS = ("transactions", "uncles", "withdrawals")


@rpc("eth_getBlockByNumber", by_hash="eth_getBlockByHash", hosted=True, hosted_pending=False)
def get_block(node: Node, block: BlockRef, full: bool = False) -> BlockObject | None:
    """A block with transaction hashes, or with transaction objects if `full`. Null if unknown.

    A pending block has null for `number`, `hash`, `nonce` and `logsBloom` under Rootstock's rules,
    as the specification says. ethers and cast cannot read that; with `--like anvil` all have
    values.
    """
    found = node.chain.find_block(block)
    return block_object(found, full=full) if found else None


@rpc("eth_getHeaderByNumber", "erigon_getHeaderByNumber", by_hash="eth_getHeaderByHash")
def get_header(node: Node, block: BlockRef) -> JsonObject | None:
    """A block without transactions, uncles and withdrawals. Null if unknown."""
    found = node.chain.find_block(block)
    members = block_object(found, full=False) if found else None
    return members and {
        name: value for name, value in members.items() if name not in NOT_IN_HEADERS
    }


@rpc("eth_getBlocksByNumber", slow=True)
def get_blocks_by_number(node: Node, number: Loose) -> list[JsonObject]:
    """The blocks at a height: at most one here, since there are no uncles."""
    block = node.chain.find_block(number)
    if block is None:
        return []
    return [{"hash": block.hash, "totalDifficulty": block.total_difficulty, "inMainChain": True}]


@rpc(
    "eth_getBlockTransactionCountByNumber",
    by_hash="eth_getBlockTransactionCountByHash",
    hosted=True,
)
def get_block_transaction_count(node: Node, block: BlockRef) -> int | None:
    """The number of transactions in a block. Null if the block is unknown."""
    found = node.chain.find_block(block)
    return len(found.transactions) if found else None


@rpc("eth_getBlockReceipts", slow=True)
def get_block_receipts(node: Node, block: BlockRef) -> list[ReceiptObject] | None:
    """The receipts of a block's transactions, in order. Null if the block is unknown."""
    found = node.chain.find_block(block)
    return [receipt_object(found, receipt) for receipt in found.receipts] if found else None


@rpc(
    "eth_getUncleCountByBlockNumber",
    by_hash="eth_getUncleCountByBlockHash",
    hosted=True,
    hosted_pending=False,
)
def get_uncle_count(node: Node, block: BlockRef) -> int | None:
    """The number of uncles of a block: 0 for blocks mined here. Null if the block is unknown."""
    found = node.chain.find_block(block)
    return len(found.uncles) if found else None


@rpc(
    "eth_getUncleByBlockNumberAndIndex",
    by_hash="eth_getUncleByBlockHashAndIndex",
    hosted_pending=False,
)
def get_uncle(node: Node, block: BlockRef, index: int) -> BlockObject | None:
    """An uncle of a block, without transactions. Null if there is none, as in blocks mined here."""
    found = node.chain.find_block(block)
    uncle = found.uncle(index) if found else None
    return block_object(uncle, full=False) if uncle else None


# Transactions


@rpc("eth_getTransactionByHash", hosted=True)
def get_transaction_by_hash(node: Node, transaction_hash: Hash32) -> TransactionObject | None:
    """A mined or pending transaction. Null if unknown."""
    mined = node.chain.receipt(transaction_hash)
    if mined:
        block, receipt = mined
        return transaction_object(receipt.transaction, block, receipt.index)
    waiting = node.mempool.find(transaction_hash)
    return transaction_object(waiting) if waiting else None


@rpc("eth_getTransactionBySenderAndNonce", slow=True)
def get_transaction_by_sender_and_nonce(
    node: Node, sender: Address, nonce: Loose
) -> Slices[TransactionObject | None]:
    """A mined or pending transaction. Null if unknown.

    On a fork, transactions before the fork block are not found.
    """
    for waiting in node.mempool.transactions(sender):
        if waiting.nonce == nonce:
            return transaction_object(waiting)
    sent = yield from node.address_history.sent_in_slices(sender, nonce)
    return get_transaction_by_hash(node, sent.transaction.hash) if sent else None


@rpc("eth_getTransactionReceipt", hosted=True)
def get_transaction_receipt(node: Node, transaction_hash: Hash32) -> ReceiptObject | None:
    """The receipt of a mined transaction. Null if it is pending or unknown."""
    mined = node.chain.receipt(transaction_hash)
    return receipt_object(*mined) if mined else None


@rpc(
    "eth_getTransactionByBlockNumberAndIndex",
    by_hash="eth_getTransactionByBlockHashAndIndex",
    hosted=True,
    hosted_pending=False,
)
def get_transaction_at(node: Node, block: BlockRef, index: int) -> TransactionObject | None:
    """A transaction by its block and its index there. Null if unknown."""
    found = node.chain.find_block(block)
    if found is None or index >= len(found.transactions):
        return None
    return transaction_object(found.transactions[index], found, index)


@rpc("eth_getRawTransactionByHash", "debug_getRawTransaction")
def get_raw_transaction_by_hash(node: Node, transaction_hash: Hash32) -> bytes | None:
    """The bytes of a mined or pending transaction. Null if unknown."""
    mined = node.chain.receipt(transaction_hash)
    tx = mined[1].transaction if mined else node.mempool.find(transaction_hash)
    return tx.raw or None if tx else None


@rpc(
    "eth_getRawTransactionByBlockNumberAndIndex",
    by_hash="eth_getRawTransactionByBlockHashAndIndex",
)
def get_raw_transaction_at(node: Node, block: BlockRef, index: int) -> bytes | None:
    """The bytes of a transaction by its block and its index there. Null if unknown."""
    found = node.chain.find_block(block)
    if found is None or index >= len(found.transactions):
        return None
    return found.transactions[index].raw or None
