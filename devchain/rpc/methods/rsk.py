"""`rsk_` methods: encoded headers and receipts, and Merkle proofs of receipts."""

from __future__ import annotations

from functools import partial

from devchain.chain import receipts
from devchain.evm.rootstock.precompiles.bridge.storage import read_bytes, slot_on_fork
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.methods.client import PROTOCOL_VERSION
from devchain.types import Address, BlockRef, Hash32, Tag

EMPTY_SLOT = "0x0"


@rpc("rsk_protocolVersion")
def protocol_version(node: Node) -> int:
    """The version of Rootstock's wire protocol, 0x3e."""
    return PROTOCOL_VERSION


@rpc("rsk_getRawBlockHeaderByNumber", "debug_getRawHeader", by_hash="rsk_getRawBlockHeaderByHash")
def get_raw_block_header(node: Node, block: BlockRef) -> bytes | None:
    """The RLP of a block header, whose Keccak-256 is the block hash. Null if unknown."""
    found = node.chain.find_block(block)
    return found.raw_header if found else None


@rpc("debug_getRawBlock", slow=True)
def get_raw_block(node: Node, block: BlockRef) -> bytes | None:
    """The RLP of a block: header, transactions, uncles, withdrawals. Null if unknown."""
    found = node.chain.find_block(block)
    return found.raw if found else None


@rpc("debug_getRawReceipts", slow=True)
def get_raw_receipts(node: Node, block: BlockRef) -> list[bytes] | None:
    """The encoded receipts of a block, which `receiptsRoot` commits to. Null if unknown."""
    found = node.chain.find_block(block)
    return [receipts.encode(each, found.header) for each in found.receipts] if found else None


@rpc("rsk_getRawTransactionReceiptByHash")
def get_raw_transaction_receipt_by_hash(node: Node, transaction_hash: Hash32) -> bytes | None:
    """The RLP of a mined transaction's receipt, which `receiptsRoot` commits to. Null if unknown.

    The list has status, cumulative gas, bloom and logs. On Rootstock gas used and status follow.
    """
    mined = node.chain.receipt(transaction_hash)
    return receipts.encode(mined[1], mined[0].header) if mined else None


@rpc("rsk_getTransactionReceiptNodesByHash", slow=True)
def get_transaction_receipt_nodes_by_hash(
    node: Node, block_hash: Hash32, transaction_hash: Hash32
) -> list[bytes] | None:
    """The trie nodes that prove a receipt under the block's `receiptsRoot`, from leaf to root.

    They are nodes of a Merkle-Patricia trie, not of rskj's binary trie. The key is the RLP of the
    transaction's index. Null if the transaction is not in that block.
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
    """The value of a storage slot without leading zeros. `0x0` if it is empty, as on rskj.

    Values of the Bridge may have any length. On a fork the Bridge is read from the upstream node.
    """
    state = node.chain.state_at(block)
    if node.chain.rules.stores_bytes(address):
        upstream = getattr(state.accounts, "upstream", None)
        if upstream is None or not upstream.is_of_rskj:
            return read_bytes(partial(state.storage, address), slot) or EMPTY_SLOT
        own = slot_on_fork(slot)
        if state.accounts.has_own_slot(address, own):
            return read_bytes(partial(state.storage, address), own) or EMPTY_SLOT
        if not state.accounts.has_own_slot(address, slot):
            return upstream.storage_bytes(address, slot) or EMPTY_SLOT
    value = state.storage(address, slot)
    return value.to_bytes((value.bit_length() + 7) // 8, "big") or EMPTY_SLOT
