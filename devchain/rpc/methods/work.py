"""`eth_` and `mnr_` methods about mining, and the work of external miners, merged mining too."""

from __future__ import annotations

import re

import rlp

from devchain.chain import merged_mining
from devchain.errors import InvalidParams, WorkRefused
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.evm.rootstock.precompiles.native_contract import decode
from devchain.node import Node
from devchain.node.external_mining import work_hash
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject
from devchain.types import Address, Hash32, TransactionRequest

ZERO_SEED = bytes(32)
MAX_BOUNDARY = 2**256 - 1
NONCE_LENGTH = 8
RELEASES_SELECTOR = bytes.fromhex("c4fbca20")  # `getStateForBtcReleaseClient()`
NO_RELEASES = rlp.encode([[]])
BEST_HEIGHT_SELECTOR = bytes.fromhex("14c89c01")  # `getBtcBlockchainBestChainHeight()`


@rpc("eth_coinbase")
def coinbase(node: Node) -> Address:
    """The address that receives the fees of mined blocks."""
    return node.miner.coinbase


@rpc("eth_mining")
def mining(node: Node) -> bool:
    """Whether the node mines by itself, for each transaction or by interval."""
    return not node.miner.on_request


@rpc("eth_hashrate")
def hashrate(node: Node) -> int:
    """The sum of the hash rates that miners submitted, in hashes per second.

    The node's own mining does not count.
    """
    return node.work.hashrate()


@rpc("eth_netHashrate")
def net_hashrate(node: Node) -> Number:
    """The hash rate of the network, as a JSON number.

    It is the difficulty of the last hour's blocks divided by 3600 seconds.
    """
    return Number(node.work.network_hashrate())


@rpc("eth_getWork", slow=True)
def get_work(node: Node) -> list[bytes]:
    """The next block to seal: header hash, seed hash and boundary condition, 32 bytes each.

    The hash is `hashForMergedMining`, under Ethereum's rules the header's own. The seed is zero.
    The boundary is 2^256 / difficulty, at most 2^256 - 1.
    """
    block, _ = node.work.get_work()
    boundary = min(2**256 // max(block.header.difficulty, 1), MAX_BOUNDARY)
    return [work_hash(block), ZERO_SEED, boundary.to_bytes(32, "big")]


@rpc("eth_submitWork", slow=True)
def submit_work(node: Node, nonce: bytes, header_hash: Hash32, mix_digest: Hash32) -> bool:
    """Seal and import a block by its header hash from `eth_getWork`. True if it was imported.

    Any nonce and mix digest are accepted. The result is false for an unknown hash, and if the head
    has changed.
    """
    if len(nonce) != NONCE_LENGTH:
        raise InvalidParams(f"argument nonce: want {NONCE_LENGTH} bytes, got {len(nonce)}")
    return node.work.submit_work(header_hash)


@rpc("eth_submitHashrate")
def submit_hashrate(node: Node, rate: int, client: Hash32) -> bool:
    """Submit the hash rate of a miner, in hashes per second. False if it has more than 64 bits.

    `eth_hashrate` sums the rates of the last 100 miners.
    """
    return node.work.submit_hashrate(client, rate)


@rpc("eth_bridgeState", slow=True)
def bridge_state(node: Node) -> JsonObject:
    """The state of the Bridge: the best bitcoin block's height, and releases to be signed.

    A release is named by the hash of a Rootstock transaction, without 0x. Error -32601 under
    Ethereum's rules.
    """
    node.chain.rules.require_rootstock("eth_bridgeState")
    height, state = (
        node.call(TransactionRequest(to=BRIDGE, data=selector))
        for selector in (BEST_HEIGHT_SELECTOR, RELEASES_SELECTOR)
    )
    (releases,) = rlp.decode(decode(("bytes",), state)[0] or NO_RELEASES)
    return {
        "rskTxsWaitingForSignatures": [rsk_hash.hex() for rsk_hash in releases[::2]],
        "btcBlockchainBestChainHeight": Number(int.from_bytes(height, "big")),
    }


# Merged mining by external bitcoin miners

BYTES = re.compile(r"(?:0x)?((?:[0-9a-fA-F]{2})*)")
COUNT = re.compile(r"(?:0x)?[0-9a-fA-F]{1,8}")


@rpc("mnr_getWork", slow=True)
def get_merged_mining_work(node: Node) -> JsonObject:
    """The work for a bitcoin miner: hash to commit to, target, and fees of the next block.

    The bitcoin coinbase must contain `RSKBLOCK:` and `blockHashForMergedMining`. The hash of the
    bitcoin header must not exceed `target`. `feesPaidToMiner` is decimal text in wei. `notify` is
    true if parent or transactions changed since the last call. The last 20 works can be submitted;
    `evm_revert` and `evm_reset` discard them. Error -32601 under Ethereum's rules.
    """
    node.chain.rules.require_rootstock("mnr_getWork")
    block, is_new = node.work.get_work()
    return {
        "blockHashForMergedMining": work_hash(block),
        "target": merged_mining.target(block.header.difficulty).to_bytes(32, "big"),
        "feesPaidToMiner": str(block.header.paid_fees),
        "notify": is_new,
        "parentBlockHash": block.parent_hash,
    }


@rpc("mnr_submitBitcoinBlock", slow=True)
def submit_bitcoin_block(node: Node, block: str) -> JsonObject:
    """Submit a mined bitcoin block: the import result, hash and number of the block that it seals.

    The bitcoin block is hex with or without 0x. `blockImportedResult` is ASCII as DATA:
    `IMPORTED_BEST`, `EXIST`, or `IMPORTED_NOT_BEST` if another block came first. Error -33000: the
    work is unknown or its proof invalid. Error -32602: the bytes are no block with a merged mining
    tag.
    """
    return _submit(node, merged_mining.from_bitcoin_block(_bytes("block", block)))


@rpc("mnr_submitBitcoinBlockTransactions", slow=True)
def submit_bitcoin_block_transactions(
    node: Node, block_hash: str, header: str, coinbase: str, hashes: str
) -> JsonObject:
    """Submit a mined bitcoin block as header, coinbase transaction and hashes of all transactions.

    The hashes are hex in bitcoin's display order, separated by spaces, the coinbase's first.
    `block_hash` is ignored. Result and errors are those of `mnr_submitBitcoinBlock`.
    """
    parts = _bytes("header", header), _bytes("coinbase", coinbase)
    return _submit(node, merged_mining.from_transaction_hashes(*parts, _hashes(hashes)))


@rpc("mnr_submitBitcoinBlockPartialMerkle", slow=True)
def submit_bitcoin_block_partial_merkle(
    node: Node, block_hash: str, header: str, coinbase: str, hashes: str, count: str
) -> JsonObject:
    """Submit a mined bitcoin block as header, coinbase transaction and its Merkle branch.

    The hashes are hex in the order of hashing, separated by spaces, the coinbase's first.
    `block_hash` and `count` are ignored. Result and errors are those of `mnr_submitBitcoinBlock`.
    """
    branch = _hashes(hashes)
    if not branch:
        raise WorkRefused("The list of merkle hashes can't be empty")
    if not COUNT.fullmatch(count):
        raise InvalidParams("argument count: want the number of transactions in hex")
    parts = _bytes("header", header), _bytes("coinbase", coinbase)
    return _submit(node, merged_mining.from_merkle_hashes(*parts, branch))


def _submit(node: Node, submission: merged_mining.Submission) -> JsonObject:
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
