"""`mnr_` methods: merged mining by external bitcoin miners."""

from __future__ import annotations

import re

from devchain.chain.merged_mining import (
    Submission,
    from_bitcoin_block,
    from_merkle_hashes,
    from_transaction_hashes,
    target,
)
from devchain.errors import InvalidParams, RootstockOnly, WorkRefused
from devchain.node import Node
from devchain.node.external_mining import work_hash
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject

BYTES = re.compile(r"(?:0x)?((?:[0-9a-fA-F]{2})*)")
COUNT = re.compile(r"(?:0x)?[0-9a-fA-F]{1,8}")


@rpc("mnr_getWork", slow=True, raises=(RootstockOnly,))
def get_work(node: Node) -> JsonObject:
    """The work for a bitcoin miner: hash to commit to, target, and fees of the block to be mined.

    The bitcoin coinbase must contain `RSKBLOCK:` followed by `blockHashForMergedMining`; the hash
    of the bitcoin header must not exceed `target`. `feesPaidToMiner` is in wei, as decimal text;
    `notify` is true if the parent or the transactions changed since the last call. The last 20
    works can be submitted; `evm_revert` and `evm_reset` invalidate them. Error -32601 under
    Ethereum's rules.
    """
    node.chain.rules.require_rootstock("mnr_getWork")
    block, is_new = node.work.get_work()
    return {
        "blockHashForMergedMining": work_hash(block),
        "target": target(block.header.difficulty).to_bytes(32, "big"),
        "feesPaidToMiner": str(block.header.paid_fees),
        "notify": is_new,
        "parentBlockHash": block.parent_hash,
    }


@rpc("mnr_submitBitcoinBlock", slow=True, raises=(WorkRefused,))
def submit_bitcoin_block(node: Node, block: str) -> JsonObject:
    """Submit a mined bitcoin block; the import result, hash and number of the block it seals.

    The bitcoin block is hex with or without 0x. `blockImportedResult` is ASCII as DATA:
    `IMPORTED_BEST`; `IMPORTED_NOT_BEST` if another block was imported first, and this one is
    discarded; or `EXIST`. Error -33000 if the hash was not returned by `mnr_getWork` or the proof
    of work is invalid, -32602 if the bytes are not a bitcoin block with a merged mining tag.
    """
    return _submit(node, from_bitcoin_block(_bytes("block", block)))


@rpc("mnr_submitBitcoinBlockTransactions", slow=True, raises=(WorkRefused,))
def submit_bitcoin_block_transactions(
    node: Node, block_hash: str, header: str, coinbase: str, hashes: str
) -> JsonObject:
    """Submit a mined bitcoin block as header, coinbase transaction and hashes of all transactions.

    The hashes, that of the coinbase first, are hex in bitcoin's display order, separated by white
    space. `block_hash` is ignored: the coinbase has it. Result and errors are those of
    `mnr_submitBitcoinBlock`.
    """
    parts = _bytes("header", header), _bytes("coinbase", coinbase)
    return _submit(node, from_transaction_hashes(*parts, _hashes(hashes)))


@rpc("mnr_submitBitcoinBlockPartialMerkle", slow=True, raises=(WorkRefused,))
def submit_bitcoin_block_partial_merkle(
    node: Node, block_hash: str, header: str, coinbase: str, hashes: str, count: str
) -> JsonObject:
    """Submit a mined bitcoin block as header, coinbase transaction and its Merkle branch.

    The hashes, that of the coinbase first, are hex in the order of hashing, separated by white
    space. `block_hash` is ignored, and so is `count` (hex), which the branch implies. Result and
    errors are those of `mnr_submitBitcoinBlock`.
    """
    branch = _hashes(hashes)
    if not branch:
        raise WorkRefused("The list of merkle hashes can't be empty")
    if not COUNT.fullmatch(count):
        raise InvalidParams("argument count: want the number of transactions in hex")
    parts = _bytes("header", header), _bytes("coinbase", coinbase)
    return _submit(node, from_merkle_hashes(*parts, branch))


def _submit(node: Node, submission: Submission) -> JsonObject:
    block, result = node.work.submit_block(submission)
    return {
        "blockImportedResult": result.encode(),
        "blockHash": block.hash,
        "blockIncludedHeight": block.number,
    }


def _hashes(text: str) -> list[bytes]:
    return [_bytes("hashes", word) for word in text.split()]


def _bytes(name: str, text: str) -> bytes:
    match = BYTES.fullmatch(text)
    if match is None:
        raise InvalidParams(
            f"argument {name}: want an even number of hex digits, with or without 0x"
        )
    return bytes.fromhex(match[1])
