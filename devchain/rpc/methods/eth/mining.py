"""`eth_` methods about mining."""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.types import Address


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
    """Hashes a second: 0, sealing a block here takes one."""
    return 0
