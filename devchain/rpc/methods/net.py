"""`net_` methods: network id and peers."""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.method import rpc


@rpc("net_version", hosted=True)
def version(node: Node) -> str:
    """The network id as decimal text; it equals the chain id."""
    return str(node.config.effective_chain_id)


@rpc("net_listening")
def listening(node: Node) -> bool:
    """Whether the node accepts connections: always true."""
    return True


@rpc("net_peerCount")
def peer_count(node: Node) -> int:
    """The number of connected peers: 0, the node has none."""
    return 0


@rpc("net_peerList")
def peer_list(node: Node) -> list[str]:
    """The known peers: none."""
    return []
