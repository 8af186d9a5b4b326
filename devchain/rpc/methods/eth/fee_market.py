"""`eth_` methods about what gas costs."""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.method import rpc


@rpc("eth_gasPrice", hosted=True)
def gas_price(node: Node) -> int:
    """A gas price that will be accepted, in wei: the minimum gas price and a tenth, rounded up.

    Under Ethereum's rules it is the next block's base fee and one gwei.
    """
    return node.gas_price()
