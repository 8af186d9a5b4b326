"""`txpool_` methods: what waits in the mempool.

The shapes are geth's, which clients can read: addresses with 0x, one transaction a nonce,
amounts as QUANTITY. The real node leaves the 0x out and writes amounts with leading zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devchain.chain.transaction import Transaction
from devchain.node import Node
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.objects import JsonObject, waiting_object


@rpc("txpool_content")
def content(node: Node) -> JsonObject:
    """Waiting transactions, pending and queued, by sender and nonce."""
    return _pool(node, waiting_object)


@rpc("txpool_inspect")
def inspect(node: Node) -> JsonObject:
    """Waiting transactions, pending and queued, by sender and nonce, a line of text each."""
    return _pool(node, _line)


@rpc("txpool_status")
def status(node: Node) -> JsonObject:
    """Numbers of pending and queued transactions, as JSON numbers."""
    return {
        "pending": Number(len(node.mempool.pending())),
        "queued": Number(len(node.mempool.queued())),
    }


def _pool(node: Node, show: Callable[[Transaction], Any]) -> JsonObject:
    return {
        "pending": _by_sender(node.mempool.pending(), show),
        "queued": _by_sender(node.mempool.queued(), show),
    }


def _by_sender(waiting: list[Transaction], show: Callable[[Transaction], Any]) -> JsonObject:
    grouped: JsonObject = {}
    for tx in waiting:
        grouped.setdefault(f"0x{tx.sender.hex()}", {})[str(tx.nonce)] = show(tx)
    return grouped


def _line(tx: Transaction) -> str:
    to = "contract creation" if tx.to is None else f"0x{tx.to.hex()}"
    return f"{to}: {tx.value} wei + {tx.gas} gas x {tx.gas_price} wei"
