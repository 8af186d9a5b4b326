"""`eth_` methods that read transactions and their receipts."""

from __future__ import annotations

from devchain.chain.block import Block
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import (
    ReceiptObject,
    TransactionObject,
    receipt_object,
    transaction_object,
)
from devchain.types import BlockHash, BlockRef, Hash32


@rpc("eth_getTransactionByHash", hosted=True)
def get_transaction_by_hash(node: Node, transaction_hash: Hash32) -> TransactionObject | None:
    """A mined or pending transaction by its hash; null if it does not exist."""
    mined = node.chain.receipt(transaction_hash)
    if mined:
        block, receipt = mined
        return transaction_object(receipt.transaction, block, receipt.index)
    waiting = node.mempool.find(transaction_hash)
    return transaction_object(waiting) if waiting else None


@rpc("eth_getTransactionReceipt", hosted=True)
def get_transaction_receipt(node: Node, transaction_hash: Hash32) -> ReceiptObject | None:
    """The receipt of a mined transaction; null if it is pending or does not exist."""
    mined = node.chain.receipt(transaction_hash)
    return receipt_object(*mined) if mined else None


@rpc("eth_getTransactionByBlockHashAndIndex", hosted=True)
def get_transaction_by_block_hash_and_index(
    node: Node, block_hash: Hash32, index: int
) -> TransactionObject | None:
    """A transaction by its block's hash and its index; null if it does not exist."""
    return _at(node.chain.find_block(BlockHash(block_hash)), index)


@rpc("eth_getTransactionByBlockNumberAndIndex", hosted=True, hosted_pending=False)
def get_transaction_by_block_number_and_index(
    node: Node, block: BlockRef, index: int
) -> TransactionObject | None:
    """A transaction by its block's number or tag and its index; null if it does not exist."""
    return _at(node.chain.find_block(block), index)


@rpc("eth_getRawTransactionByHash", "debug_getRawTransaction")
def get_raw_transaction_by_hash(node: Node, transaction_hash: Hash32) -> bytes | None:
    """The encoded mined or pending transaction of a hash; null if it does not exist."""
    mined = node.chain.receipt(transaction_hash)
    found = mined[1].transaction if mined else node.mempool.find(transaction_hash)
    return found.raw or None if found else None


@rpc("eth_getRawTransactionByBlockHashAndIndex")
def get_raw_transaction_by_block_hash_and_index(
    node: Node, block_hash: Hash32, index: int
) -> bytes | None:
    """The encoded transaction by its block's hash and its index; null if it does not exist."""
    return _raw_at(node.chain.find_block(BlockHash(block_hash)), index)


@rpc("eth_getRawTransactionByBlockNumberAndIndex")
def get_raw_transaction_by_block_number_and_index(
    node: Node, block: BlockRef, index: int
) -> bytes | None:
    """The encoded transaction by its block's number and its index; null if it does not exist."""
    return _raw_at(node.chain.find_block(block), index)


def _raw_at(block: Block | None, index: int) -> bytes | None:
    if block is None or index >= len(block.transactions):
        return None
    return block.transactions[index].raw or None


def _at(block: Block | None, index: int) -> TransactionObject | None:
    if block is None or index >= len(block.transactions):
        return None
    return transaction_object(block.transactions[index], block, index)
