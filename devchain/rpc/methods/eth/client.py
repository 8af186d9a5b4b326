"""`eth_` methods about the node itself: chain id, block number, accounts, protocol version."""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.types import Address

PROTOCOL_VERSION = 0x3E


@rpc("eth_chainId", hosted=True)
def chain_id(node: Node) -> int:
    """The chain id that signatures commit to: 30 main, 31 test, 32 dev, 33 local."""
    return node.config.effective_chain_id


@rpc("eth_blockNumber", hosted=True)
def block_number(node: Node) -> int:
    """The number of the latest block."""
    return node.chain.height


@rpc("eth_accounts", hosted=True)
def accounts(node: Node) -> list[Address]:
    """Addresses of the accounts whose keys the node has, locked ones included.

    On the hosted service the list is always empty.
    """
    return node.accounts.addresses()


@rpc("eth_protocolVersion", hosted=True)
def protocol_version(node: Node) -> int:
    """The version of the Rootstock wire protocol, 0x3e."""
    return PROTOCOL_VERSION


@rpc("eth_syncing")
def syncing(node: Node) -> bool:
    """Whether the node is synchronizing: always false, it has no peers."""
    return False
