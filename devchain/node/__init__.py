"""The node: chain, mempool, miner, accounts, filters and snapshots as one object."""

from devchain.node.node import Node, version

__all__ = ["Node", "version"]
