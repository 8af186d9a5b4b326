"""`mnr_` methods: merged mining by outside bitcoin miners."""

from __future__ import annotations

import re

from devchain.chain.merged_mining import (
    Submission,
    from_bitcoin_block,
    from_merkle_hashes,
    from_transaction_hashes,
    target,
)
from devchain.errors import RootstockOnly, WorkRefused
from devchain.node import Node
from devchain.node.mining_work import hash_of
from devchain.rpc.errors import InvalidParams
from devchain.rpc.method import rpc
from devchain.rpc.objects import JsonObject

BYTES = re.compile(r"(?:0x)?((?:[0-9a-fA-F]{2})*)")
COUNT = re.compile(r"(?:0x)?[0-9a-fA-F]{1,8}")


@rpc("mnr_getWork", raises=(RootstockOnly,))
def get_work(node: Node) -> JsonObject:
    """The block to be mined now, as a bitcoin miner needs it: hash to commit to, and target.

    The bitcoin coinbase has to carry `RSKBLOCK:` and `blockHashForMergedMining`; the bitcoin
    header's hash may be `target` at most. `feesPaidToMiner` is in wei, decimal text; `notify` is
    true when parent or transactions are new since the last read. The last 20 works can be
    submitted; `evm_revert` and `evm_reset` take them back. -32601 under Ethereum's rules.
    """
    node.chain.rules.require_rootstock("mnr_getWork")
    block, is_news = node.work.hand_out()
    return {
        "blockHashForMergedMining": hash_of(block),
        "target": target(block.header.difficulty).to_bytes(32, "big"),
        "feesPaidToMiner": str(block.header.paid_fees),
        "notify": is_news,
        "parentBlockHash": block.parent_hash,
    }


@rpc("mnr_submitBitcoinBlock", raises=(WorkRefused,))
def submit_bitcoin_block(node: Node, block: str) -> JsonObject:
    """Seal the block that a bitcoin block commits to; what became of it, its hash and number.

    The bitcoin block is hex with or without 0x. `blockImportedResult` is ASCII as DATA:
    `IMPORTED_BEST`; `IMPORTED_NOT_BEST` when another block came first, and then this one is not
    kept; or `EXIST`. -33000 for a hash that was not handed out and for a proof that does not hold,
    -32602 for what is no bitcoin block with a tag.
    """
    return _submit(node, from_bitcoin_block(_bytes("block", block)))


@rpc("mnr_submitBitcoinBlockTransactions", raises=(WorkRefused,))
def submit_bitcoin_block_transactions(
    node: Node, block_hash: str, header: str, coinbase: str, hashes: str
) -> JsonObject:
    """Seal a block, given the bitcoin header, coinbase and hashes of all transactions.

    The hashes, the coinbase's first, are hex in the order bitcoin displays, with white space
    between. `block_hash` is not looked at: the coinbase names it. Answers as
    `mnr_submitBitcoinBlock` does.
    """
    parts = _bytes("header", header), _bytes("coinbase", coinbase)
    return _submit(node, from_transaction_hashes(*parts, _hashes(hashes)))


@rpc("mnr_submitBitcoinBlockPartialMerkle", raises=(WorkRefused,))
def submit_bitcoin_block_partial_merkle(
    node: Node, block_hash: str, header: str, coinbase: str, hashes: str, count: str
) -> JsonObject:
    """Seal a block, given the bitcoin header, coinbase and its branch of the Merkle tree.

    The hashes, the coinbase's own first, are hex in the order they are hashed in, with white space
    between. `block_hash` is not looked at, and `count`, hex, says nothing that the branch does not
    say. Answers as `mnr_submitBitcoinBlock` does.
    """
    branch = _hashes(hashes)
    if not branch:
        raise WorkRefused("The list of merkle hashes can't be empty")
    if not COUNT.fullmatch(count):
        raise InvalidParams("argument count: want the number of transactions in hex")
    parts = _bytes("header", header), _bytes("coinbase", coinbase)
    return _submit(node, from_merkle_hashes(*parts, branch))


def _submit(node: Node, submission: Submission) -> JsonObject:
    block, result = node.work.submit(submission)
    return {
        "blockImportedResult": result.encode(),
        "blockHash": block.hash,
        "blockIncludedHeight": block.number,
    }


def _hashes(text: str) -> list[bytes]:
    return [_bytes("hashes", each) for each in text.split()]


def _bytes(name: str, text: str) -> bytes:
    """Bytes as bitcoin's tools write them, without 0x, or as ours do."""
    found = BYTES.fullmatch(text)
    if found is None:
        msg = f"argument {name}: want an even number of hex digits, with or without 0x"
        raise InvalidParams(msg)
    return bytes.fromhex(found[1])
