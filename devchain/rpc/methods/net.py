"""`net_` methods: the network, seen from a node that is alone on it."""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.method import rpc


@rpc("net_version", hosted=True)
def version(node: Node) -> str:
    """Network id as decimal text: the chain id."""
    return str(node.config.effective_chain_id)


@rpc("net_listening")
def listening(node: Node) -> bool:
    """Whether the node listens for connections: always."""
    return True


@rpc("net_peerCount")
def peer_count(node: Node) -> int:
    """Number of connected peers: none."""
    return 0


@rpc("net_peerList")
def peer_list(node: Node) -> list[str]:
    """Known peers, one text each: none."""
    return []
