"""`rsk_` methods: encoded headers and receipts, and Merkle proofs of receipts."""

from __future__ import annotations

from functools import partial

from devchain.chain import receipts
from devchain.evm.rootstock.precompiles.bridge.storage import read_bytes
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.methods.client import PROTOCOL_VERSION
from devchain.types import Address, BlockRef, Hash32, Tag

EMPTY_SLOT = "0x0"


@rpc("rsk_protocolVersion")
def protocol_version(node: Node) -> int:
    """The version of the Rootstock wire protocol, 0x3e."""
    return PROTOCOL_VERSION


@rpc("rsk_getRawBlockHeaderByNumber", "debug_getRawHeader", by_hash="rsk_getRawBlockHeaderByHash")
def get_raw_block_header(node: Node, block: BlockRef) -> bytes | None:
    """The RLP of a block header, whose keccak-256 is the block hash; null if it does not exist."""
    found = node.chain.find_block(block)
    return found.raw_header if found else None


@rpc("debug_getRawBlock", slow=True)
def get_raw_block(node: Node, block: BlockRef) -> bytes | None:
    """The RLP of a block: header, transactions, uncles, withdrawals; null if it does not exist."""
    found = node.chain.find_block(block)
    return found.raw if found else None


@rpc("debug_getRawReceipts", slow=True)
def get_raw_receipts(node: Node, block: BlockRef) -> list[bytes] | None:
    """The encoded receipts of a block, as `receiptsRoot` commits to them; null if unknown."""
    found = node.chain.find_block(block)
    return [receipts.encode(each, found.header) for each in found.receipts] if found else None


@rpc("rsk_getRawTransactionReceiptByHash")
def get_raw_transaction_receipt_by_hash(node: Node, transaction_hash: Hash32) -> bytes | None:
    """The RLP of a mined transaction's receipt, as `receiptsRoot` commits to it; null if unknown.

    The list has status (0x01, or empty if it failed), cumulative gas, bloom and logs; on Rootstock
    then gas used and the status once more.
    """
    mined = node.chain.receipt(transaction_hash)
    return receipts.encode(mined[1], mined[0].header) if mined else None


@rpc("rsk_getTransactionReceiptNodesByHash", slow=True)
def get_transaction_receipt_nodes_by_hash(
    node: Node, block_hash: Hash32, transaction_hash: Hash32
) -> list[bytes] | None:
    """The trie nodes that prove a receipt under the block's `receiptsRoot`, leaf first, root last.

    They are RLP nodes of Ethereum's Merkle-Patricia trie, not of the real node's binary trie; the
    key is the RLP of the transaction's index. Null if the transaction is not in that block.
    """
    mined = node.chain.receipt(transaction_hash)
    if mined is None or mined[0].hash != block_hash:
        return None
    block, receipt = mined
    return list(reversed(receipts.prove(block, receipt.index)))


@rpc("rsk_getStorageBytesAt")
def get_storage_bytes_at(
    node: Node, address: Address, slot: int, block: BlockRef = Tag.LATEST
) -> bytes | str:
    """The value of a storage slot of an account without leading zeros; `0x0` if it is empty.

    The Bridge keeps byte strings of any length, which are returned whole. `0x0`, which is not valid
    DATA, is the real node's. On a fork of its chain the Bridge is read upstream, where the node
    that is asked offers the method.
    """
    state = node.chain.state_at(block)
    if node.chain.rules.stores_bytes(address):
        upstream = getattr(state.accounts, "upstream", None)
        if upstream is None or not upstream.is_of_rskj:
            return read_bytes(partial(state.storage, address), slot) or EMPTY_SLOT
        if not state.accounts.has_own_slot(address, slot):
            return upstream.storage_bytes(address, slot) or EMPTY_SLOT
    value = state.storage(address, slot)
    return value.to_bytes((value.bit_length() + 7) // 8, "big") or EMPTY_SLOT
