"""`eth_` methods that read blocks, their receipts and their uncles."""

from __future__ import annotations

from devchain.chain.block import Block
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import (
    BlockObject,
    JsonObject,
    ReceiptObject,
    block_object,
    receipt_object,
)
from devchain.rpc.scalar_decoders import Loose
from devchain.types import BlockHash, BlockRef, Hash32


@rpc("eth_getBlockByHash", hosted=True)
def get_block_by_hash(
    node: Node,
    block_hash: Hash32,
    full: bool = False,
) -> BlockObject | None:
    """A block by its hash, with transaction objects if `full`; null if it does not exist.

    Without `full`, `transactions` has their hashes.
    """
    block = node.chain.find_block(BlockHash(block_hash))
    return block_object(block, full=full) if block else None


@rpc("eth_getBlockByNumber", hosted=True, hosted_pending=False)
def get_block_by_number(
    node: Node,
    block: BlockRef,
    full: bool = False,
) -> BlockObject | None:
    """A block by its number or tag, with transaction objects if `full`; null if it does not exist.

    Without `full`, `transactions` has their hashes. In the pending block `number` is null on
    Rootstock, besides `hash`, `nonce` and `logsBloom`: the specification of its JSON-RPC service
    says "null when pending". ethers and cast read it with `--like anvil`, where it has them all.
    """
    found = node.chain.find_block(block)
    return block_object(found, full=full) if found else None


@rpc("eth_getBlocksByNumber", slow=True)
def get_blocks_by_number(node: Node, number: Loose) -> list[JsonObject]:
    """The blocks of that height, of which there is one: hash, total difficulty, `inMainChain`.

    Empty beyond the newest block. The real node lists its uncles too.
    """
    block = node.chain.find_block(number)
    if block is None:
        return []
    return [{"hash": block.hash, "totalDifficulty": block.total_difficulty, "inMainChain": True}]


@rpc("eth_getBlockTransactionCountByHash", hosted=True)
def get_block_transaction_count_by_hash(node: Node, block_hash: Hash32) -> int | None:
    """The number of transactions in a block; null if the block does not exist."""
    block = node.chain.find_block(BlockHash(block_hash))
    return len(block.transactions) if block else None


@rpc("eth_getBlockTransactionCountByNumber", hosted=True)
def get_block_transaction_count_by_number(node: Node, block: BlockRef) -> int | None:
    """The number of transactions in a block; null if the block does not exist."""
    found = node.chain.find_block(block)
    return len(found.transactions) if found else None


@rpc("eth_getBlockReceipts", slow=True)
def get_block_receipts(node: Node, block: BlockRef) -> list[ReceiptObject] | None:
    """The receipts of all transactions of a block, in order; null if the block does not exist."""
    found = node.chain.find_block(block)
    return [receipt_object(found, receipt) for receipt in found.receipts] if found else None


@rpc("eth_getUncleCountByBlockHash", hosted=True)
def get_uncle_count_by_block_hash(node: Node, block_hash: Hash32) -> int | None:
    """The number of uncles of a block, 0 of any mined here; null if the block does not exist."""
    block = node.chain.find_block(BlockHash(block_hash))
    return len(block.uncles) if block else None


@rpc("eth_getUncleCountByBlockNumber", hosted=True, hosted_pending=False)
def get_uncle_count_by_block_number(node: Node, block: BlockRef) -> int | None:
    """The number of uncles of a block, 0 of any mined here; null if the block does not exist."""
    found = node.chain.find_block(block)
    return len(found.uncles) if found else None


@rpc("eth_getUncleByBlockHashAndIndex")
def get_uncle_by_block_hash_and_index(
    node: Node, block_hash: Hash32, index: int
) -> BlockObject | None:
    """An uncle of a block, without transactions; null if there is none, as of any mined here."""
    return _uncle(node.chain.find_block(BlockHash(block_hash)), index)


@rpc("eth_getUncleByBlockNumberAndIndex", hosted_pending=False)
def get_uncle_by_block_number_and_index(
    node: Node, block: BlockRef, index: int
) -> BlockObject | None:
    """An uncle of a block, without transactions; null if there is none, as of any mined here."""
    return _uncle(node.chain.find_block(block), index)


def _uncle(block: Block | None, index: int) -> BlockObject | None:
    uncle = block.uncle(index) if block else None
    return block_object(uncle, full=False) if uncle else None
