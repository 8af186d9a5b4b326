"""`eth_` methods about what gas costs."""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.method import rpc


@rpc("eth_gasPrice", hosted=True)
def gas_price(node: Node) -> int:
    """A gas price that will be accepted, in wei: the minimum gas price and a tenth, rounded up."""
    minimum: int = node.chain.head.header.minimum_gas_price
    return -(-minimum * 11 // 10)
