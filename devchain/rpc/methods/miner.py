"""`miner_` methods: the miner's mode and what it writes into headers, as in ganache.

Scripts for ganache and for geth use them; the methods of "Chain control" and "Mining control" do
the same and more.
"""

from __future__ import annotations

from devchain.errors import InvalidInput
from devchain.evm.rules import MAX_EXTRA_DATA
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.scalar_decoders import Amount, Loose
from devchain.types import Address


@rpc("miner_start", slow=True)
def start(node: Node, threads: Loose | None = None) -> bool:
    """Start mining as `evm_startMining` does; true. The number of threads has no effect."""
    node.start_mining()
    return True


@rpc("miner_stop")
def stop(node: Node) -> bool:
    """Stop automatic and interval mining; `evm_mine` still works; true."""
    node.miner.running = False
    return True


@rpc("miner_setEtherbase")
def set_etherbase(node: Node, address: Address) -> bool:
    """Set the address that receives the fees of the next blocks; true."""
    node.miner.coinbase = address
    return True


@rpc("miner_setGasPrice")
def set_gas_price(node: Node, price: Amount) -> bool:
    """Set the gas price of transactions that name none, in wei, and the minimum of others; true.

    On Rootstock it is the minimum gas price of the next blocks. Under Ethereum's rules since
    London, where the base fee is the minimum, it is the priority fee of transactions that name
    none, and what `eth_maxPriorityFeePerGas` returns.
    """
    node.chain.set_next_block(minimum_gas_price=price)
    return True


@rpc("miner_setExtra")
def set_extra(node: Node, extra: bytes) -> bool:
    """Set the `extraData` of the next blocks; true. Error -32602 for more than 32 bytes."""
    if len(extra) > MAX_EXTRA_DATA:
        raise InvalidInput(
            f"extra exceeds max length: {len(extra)} bytes, a header has at most {MAX_EXTRA_DATA}"
        )
    node.chain.set_next_block(extra_data=extra)
    return True
