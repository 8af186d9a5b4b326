"""Methods that take transactions out of the mempool."""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.types import Address, Hash32


@rpc("hardhat_dropTransaction", "anvil_dropTransaction")
def drop_transaction(node: Node, transaction_hash: Hash32) -> bool:
    """Take a waiting transaction out of the mempool; whether there was one of that hash."""
    waiting = node.mempool.find(transaction_hash)
    if waiting:
        node.mempool.drop(waiting)
    return waiting is not None


@rpc("anvil_dropAllTransactions", "hardhat_dropAllTransactions")
def drop_all_transactions(node: Node) -> bool:
    """Take every waiting transaction out of the mempool; true."""
    for tx in node.mempool.waiting():
        node.mempool.drop(tx)
    return True


@rpc("anvil_removePoolTransactions")
def remove_pool_transactions(node: Node, address: Address) -> bool:
    """Take an account's waiting transactions out of the mempool; true."""
    for tx in node.mempool.waiting(address):
        node.mempool.drop(tx)
    return True
