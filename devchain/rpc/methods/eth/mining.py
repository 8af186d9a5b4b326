"""`eth_` methods about mining."""

from __future__ import annotations

from devchain.errors import RootstockOnly
from devchain.node import Node
from devchain.node.mining_work import hash_of
from devchain.rpc.errors import InvalidParams
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.objects import JsonObject
from devchain.types import Address, Hash32, TransactionRequest

NO_SEED = bytes(32)
HIGHEST = 2**256 - 1
NONCE_BYTES = 8
BRIDGE = Address(bytes.fromhex("0000000000000000000000000000000001000006"))
BEST_HEIGHT = bytes.fromhex("14c89c01")
"""The selector of `getBtcBlockchainBestChainHeight()`."""


@rpc("eth_coinbase")
def coinbase(node: Node) -> Address:
    """Address that earns the fees of mined blocks."""
    return node.miner.coinbase


@rpc("eth_mining")
def mining(node: Node) -> bool:
    """Whether the node mines on its own, at once or by interval."""
    return node.miner.running


@rpc("eth_hashrate")
def hashrate(node: Node) -> int:
    """Hashes a second of the miners that told of theirs with `eth_submitHashrate`, in all.

    The node itself adds nothing: sealing a block here takes a hash or two. What a miner told
    counts until it tells something else.
    """
    return node.work.rate()


@rpc("eth_netHashrate")
def net_hashrate(node: Node) -> Number:
    """Hashes a second of the whole network, from the last hour's difficulty; a JSON number.

    It is 0 as long as the difficulties of an hour's blocks add up to less than 3600.
    """
    return Number(node.work.network_rate())


@rpc("eth_getWork")
def get_work(node: Node) -> list[bytes]:
    """The block to be sealed now: header hash, seed hash and boundary, 32 bytes each.

    The hash is `hashForMergedMining`, or the header's own under Ethereum's rules. The seed is zero,
    for there is no Ethash; the boundary is 2^256 / difficulty, cut to 32 bytes.
    """
    block, _ = node.work.hand_out()
    boundary = min(2**256 // max(block.header.difficulty, 1), HIGHEST)
    return [hash_of(block), NO_SEED, boundary.to_bytes(32, "big")]


@rpc("eth_submitWork")
def submit_work(node: Node, nonce: bytes, header_hash: Hash32, mix_digest: Hash32) -> bool:
    """Seal and import the block of a header hash from `eth_getWork`; whether that was done.

    Any nonce of 8 bytes and any digest will do: the node mines the bitcoin block that Rootstock
    wants itself. False for a hash that was not handed out, or whose parent is no longer the head.
    """
    if len(nonce) != NONCE_BYTES:
        msg = f"argument nonce: want {NONCE_BYTES} bytes, got {len(nonce)}"
        raise InvalidParams(msg)
    return node.work.seal(header_hash)


@rpc("eth_submitHashrate")
def submit_hashrate(node: Node, rate: int, client: Hash32) -> bool:
    """Tell how many hashes a second a miner makes; false if that is more than 64 bits hold.

    `eth_hashrate` is the sum for the last 100 miners that told of theirs.
    """
    return node.work.tell_rate(client, rate)


@rpc("eth_bridgeState", raises=(RootstockOnly,))
def bridge_state(node: Node) -> JsonObject:
    """What the Bridge knows: releases that wait for signatures, and bitcoin's best height.

    Nobody uses the peg of a development chain, so that nothing waits. The height is what the
    precompiled contract answers, a JSON number. -32601 under Ethereum's rules.
    """
    node.chain.rules.require_rootstock("eth_bridgeState")
    answer = node.call(TransactionRequest(to=BRIDGE, data=BEST_HEIGHT))
    return {
        "rskTxsWaitingForSignatures": [],
        "btcBlockchainBestChainHeight": Number(int.from_bytes(answer, "big")),
    }
