"""`eth_` methods about mining, and mining work for external miners."""

from __future__ import annotations

from devchain.errors import InvalidParams, RootstockOnly
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.node import Node
from devchain.node.external_mining import work_hash
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject
from devchain.types import Address, Hash32, TransactionRequest

ZERO_SEED = bytes(32)
MAX_BOUNDARY = 2**256 - 1
NONCE_LENGTH = 8
BEST_HEIGHT_SELECTOR = bytes.fromhex("14c89c01")
"""The selector of `getBtcBlockchainBestChainHeight()`."""


@rpc("eth_coinbase")
def coinbase(node: Node) -> Address:
    """The address that receives the fees of mined blocks."""
    return node.miner.coinbase


@rpc("eth_mining")
def mining(node: Node) -> bool:
    """Whether the node mines automatically, on every transaction or by interval."""
    return not node.miner.on_request


@rpc("eth_hashrate")
def hashrate(node: Node) -> int:
    """The sum of the hash rates that miners have submitted, in hashes per second.

    A submitted rate counts until the same miner submits another. The node's own mining does not
    count: it needs one or two hashes a block.
    """
    return node.work.hashrate()


@rpc("eth_netHashrate")
def net_hashrate(node: Node) -> Number:
    """The estimated hash rate of the network, in hashes per second, as a JSON number.

    It is the difficulty of the last hour's blocks divided by 3600 seconds, rounded down.
    """
    return Number(node.work.network_hashrate())


@rpc("eth_getWork", slow=True)
def get_work(node: Node) -> list[bytes]:
    """The block to be sealed next: header hash, seed hash and boundary condition, 32 bytes each.

    The hash is `hashForMergedMining`, or under Ethereum's rules the header's own. The seed is zero,
    since there is no Ethash; the boundary is 2^256 / difficulty, at most 2^256 - 1.
    """
    block, _ = node.work.get_work()
    boundary = min(2**256 // max(block.header.difficulty, 1), MAX_BOUNDARY)
    return [work_hash(block), ZERO_SEED, boundary.to_bytes(32, "big")]


@rpc("eth_submitWork", slow=True)
def submit_work(node: Node, nonce: bytes, header_hash: Hash32, mix_digest: Hash32) -> bool:
    """Seal and import a block by its header hash from `eth_getWork`; whether it was imported.

    Any nonce of 8 bytes and any mix digest are accepted: the node itself mines the bitcoin block
    that Rootstock needs. False for an unknown hash, and if the block's parent is no longer the
    head.
    """
    if len(nonce) != NONCE_LENGTH:
        raise InvalidParams(f"argument nonce: want {NONCE_LENGTH} bytes, got {len(nonce)}")
    return node.work.submit_work(header_hash)


@rpc("eth_submitHashrate")
def submit_hashrate(node: Node, rate: int, client: Hash32) -> bool:
    """Submit the hash rate of a miner, in hashes per second; false if it has more than 64 bits.

    `eth_hashrate` is the sum of the rates of the last 100 miners.
    """
    return node.work.submit_hashrate(client, rate)


@rpc("eth_bridgeState", slow=True, raises=(RootstockOnly,))
def bridge_state(node: Node) -> JsonObject:
    """State of the Bridge: releases waiting for signatures, and the best bitcoin block's height.

    The list is empty, since no federation creates peg-outs here. The height, a JSON number, is read
    from the precompiled contract. Error -32601 under Ethereum's rules.
    """
    node.chain.rules.require_rootstock("eth_bridgeState")
    answer = node.call(TransactionRequest(to=BRIDGE, data=BEST_HEIGHT_SELECTOR))
    return {
        "rskTxsWaitingForSignatures": [],
        "btcBlockchainBestChainHeight": Number(int.from_bytes(answer, "big")),
    }
