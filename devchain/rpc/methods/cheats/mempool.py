"""Methods that remove transactions from the mempool."""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.types import Address, Hash32


@rpc("hardhat_dropTransaction", "anvil_dropTransaction")
def drop_transaction(node: Node, transaction_hash: Hash32) -> bool:
    """Remove a transaction from the mempool; whether it was there."""
    waiting = node.mempool.find(transaction_hash)
    if waiting:
        node.mempool.drop(waiting)
    return waiting is not None


@rpc("anvil_dropAllTransactions", "hardhat_dropAllTransactions")
def drop_all_transactions(node: Node) -> bool:
    """Remove all transactions from the mempool; true."""
    for tx in node.mempool.transactions():
        node.mempool.drop(tx)
    return True


@rpc("anvil_removePoolTransactions")
def remove_pool_transactions(node: Node, address: Address) -> bool:
    """Remove all transactions of an account from the mempool; true."""
    for tx in node.mempool.transactions(address):
        node.mempool.drop(tx)
    return True
