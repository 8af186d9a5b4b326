"""`txpool_` methods: the transactions in the mempool.

The shapes are geth's: addresses with 0x, one transaction per nonce, amounts as QUANTITY.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devchain.chain.transaction import Transaction
from devchain.node import Node
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject, pool_transaction_object
from devchain.types import Address, Hash32


@rpc("txpool_content", slow=True)
def content(node: Node) -> JsonObject:
    """The pending and queued transactions, by sender and nonce."""
    return _content(node, pool_transaction_object)


@rpc("txpool_contentFrom", slow=True)
def content_from(node: Node, address: Address) -> JsonObject:
    """The pending and queued transactions of an account, by nonce."""
    own = f"0x{address.hex()}"
    return {name: pool.get(own, {}) for name, pool in content(node).items()}


@rpc("txpool_inspect", slow=True)
def inspect(node: Node) -> JsonObject:
    """The pending and queued transactions, by sender and nonce, as one line of text each."""
    return _content(node, _summary)


@rpc("txpool_status")
def status(node: Node) -> JsonObject:
    """The numbers of pending and queued transactions, as JSON numbers.

    Under Ethereum's rules they are QUANTITY, as in geth.
    """
    written = int if node.chain.rules.follows_geth else Number
    return {
        "pending": written(len(node.mempool.pending())),
        "queued": written(len(node.mempool.queued())),
    }


def _content(node: Node, show: Callable[[Transaction], Any]) -> JsonObject:
    return {
        "pending": _by_sender(node.mempool.pending(), show),
        "queued": _by_sender(node.mempool.queued(), show),
    }


def _by_sender(transactions: list[Transaction], show: Callable[[Transaction], Any]) -> JsonObject:
    grouped: JsonObject = {}
    for tx in transactions:
        grouped.setdefault(f"0x{tx.sender.hex()}", {})[str(tx.nonce)] = show(tx)
    return grouped


def _summary(tx: Transaction) -> str:
    to = "contract creation" if tx.to is None else f"0x{tx.to.hex()}"
    return f"{to}: {tx.value} wei + {tx.gas} gas x {tx.gas_price} wei"


# Removing


@rpc("hardhat_dropTransaction", "anvil_dropTransaction")
def drop_transaction(node: Node, transaction_hash: Hash32) -> bool:
    """Remove a transaction from the mempool. False if it was not there."""
    waiting = node.mempool.find(transaction_hash)
    if waiting:
        node.mempool.drop(waiting)
    return waiting is not None


@rpc("anvil_dropAllTransactions", "hardhat_dropAllTransactions")
def drop_all_transactions(node: Node) -> bool:
    """Remove all transactions from the mempool."""
    for tx in node.mempool.transactions():
        node.mempool.drop(tx)
    return True


@rpc("anvil_removePoolTransactions")
def remove_pool_transactions(node: Node, address: Address) -> bool:
    """Remove all transactions of an account from the mempool."""
    for tx in node.mempool.transactions(address):
        node.mempool.drop(tx)
    return True
