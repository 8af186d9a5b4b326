"""The `eth_subscribe` subscriptions of one connection and their notifications."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any

from devchain.chain.block import Block, MinedLog
from devchain.config import Limit
from devchain.errors import InvalidParams, LimitExceeded
from devchain.node import Node
from devchain.rpc.json_codec import encode
from devchain.rpc.result_objects import JsonObject, block_object, log_object, transaction_object
from devchain.rpc.result_shapes import SHAPES
from devchain.types import BlockHash, Hash32, LogQuery

MAX_SUBSCRIPTIONS: Annotated[
    int, Limit("Connections", "Subscriptions of a connection.", "No more are made: error -32012.")
] = 1_000

NOT_IN_HEADS = {
    *("size", "totalDifficulty", "transactions", "uncles", "withdrawals"),
    *("bitcoinMergedMiningHeader", "bitcoinMergedMiningCoinbaseTransaction"),
    *("bitcoinMergedMiningMerkleProof", "hashForMergedMining", "paidFees", "cumulativeDifficulty"),
    *("rskPteEdges", "baseEvent"),
}
"""Members of block objects that `newHeads` notifications do not have."""

KINDS: dict[str, tuple[type, str]] = {
    "newHeads": (NoneType, "none"),
    "logs": (LogQuery, "an object with address and topics"),
    "newPendingTransactions": (bool, "true for whole transactions"),
    "syncing": (NoneType, "none"),
}
"""The kinds of subscriptions: the type of their options, and how these are described."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """A subscription: its filter, and the function that makes a notification's result of a change.

    `encode` returns None for a block or transaction that no longer exists. `syncing` has no filter.
    """

    filter_id: int | None
    encode: Callable[[Any], object]


class Subscriptions:
    """The subscriptions of one connection by id; `notifications` returns what is new to send.

    A subscription is a filter of the node: blocks, logs and transactions are found when the
    connection asks for its notifications, not when they arise.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        shapes = node.config.preset.notification_shapes
        self._shapes = {name: SHAPES[shape] for name, shape in shapes.items()}
        self._by_id: dict[str, Subscription] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    def subscribe(self, kind: str, options: object = None) -> str:
        """Notify of changes of a kind from now on; the id of the subscription.

        Raises `InvalidParams` for an unknown kind and for options that it does not have.
        """
        if kind not in KINDS:
            raise InvalidParams(f"unknown subscription {kind[:40]!a}: known are {', '.join(KINDS)}")
        expected, described = KINDS[kind]
        if options is not None and not isinstance(options, expected):
            raise InvalidParams(f"argument options: {kind} takes {described}")
        if len(self._by_id) >= MAX_SUBSCRIPTIONS:
            raise LimitExceeded(
                f"a connection may have {MAX_SUBSCRIPTIONS} subscriptions:"
                " end some with eth_unsubscribe"
            )
        filters = self._node.filters
        filter_id: int | None = None
        show: Callable[[Any], object] = encode  # nothing is ever notified of `syncing`
        if kind == "newHeads":
            filter_id, show = filters.watch_blocks(for_subscription=True), self._head
        elif kind == "logs":
            query = options if isinstance(options, LogQuery) else LogQuery()
            query = LogQuery(addresses=query.addresses, topics=query.topics)
            height = self._node.chain.height
            filter_id = filters.watch_logs(query, height, from_now=True, for_subscription=True)
            show = self._log
        elif kind == "newPendingTransactions":
            filter_id = filters.watch_pending(for_subscription=True)
            show = self._transaction if options else encode
        subscription_id = "0x" + secrets.token_hex(16)
        self._by_id[subscription_id] = Subscription(filter_id, show)
        return subscription_id

    def unsubscribe(self, subscription_id: str) -> bool:
        subscription = self._by_id.pop(subscription_id, None)
        if subscription is not None and subscription.filter_id is not None:
            self._node.filters.uninstall(subscription.filter_id)
        return subscription is not None

    def close(self) -> None:
        for subscription_id in list(self._by_id):
            self.unsubscribe(subscription_id)

    # Notifying

    @property
    def version(self) -> tuple[int, int, int]:
        return self._node.filters.version

    def unread_count(self) -> int:
        """The number of blocks and transactions not yet read, summed over the subscriptions."""
        return sum(
            self._node.filters.unread(subscription.filter_id)
            for subscription in self._by_id.values()
            if subscription.filter_id is not None
        )

    def notifications(self) -> Iterator[JsonObject]:
        """The notifications of what is new since the last call, subscription by subscription."""
        for subscription_id, subscription in list(self._by_id.items()):
            # The connection may end a subscription while it sends the notifications of another.
            if subscription.filter_id is None or subscription_id not in self._by_id:
                continue
            for change in self._node.filters.changes(subscription.filter_id):
                result = subscription.encode(change)
                if result is not None:
                    params = {"subscription": subscription_id, "result": encode(result)}
                    yield {"jsonrpc": "2.0", "method": "eth_subscription", "params": params}

    def _head(self, block_hash: Hash32) -> JsonObject | None:
        block = self._node.chain.find_block(BlockHash(block_hash))
        return self._shaped("newHeads", head_object(block)) if block else None

    def _log(self, mined: MinedLog) -> JsonObject:
        return self._shaped("logs", log_object(mined))

    def _shaped(self, kind: str, result: JsonObject) -> JsonObject:
        shape = self._shapes.get(kind)
        shaped: JsonObject = shape(self._node, (), result) if shape else result
        return shaped

    def _transaction(self, transaction_hash: Hash32) -> JsonObject | None:
        mined = self._node.chain.receipt(transaction_hash, own=True)
        tx = mined[1].transaction if mined else self._node.mempool.find(transaction_hash)
        return transaction_object(tx) if tx else None


def head_object(block: Block) -> JsonObject:
    members = block_object(block, full=False)
    return {name: value for name, value in members.items() if name not in NOT_IN_HEADS}
