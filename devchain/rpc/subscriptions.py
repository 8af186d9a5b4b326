"""What one connection has subscribed to, and the notifications it is owed."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from devchain.chain.block import Block
from devchain.errors import LimitExceeded
from devchain.node import Node
from devchain.rpc.json_codec import encode
from devchain.rpc.objects import JsonObject, block_object, log_object, transaction_object
from devchain.types import BlockHash, Hash32, LogQuery

MOST = 1_000
"""How many subscriptions one connection may have."""

BODY = {"size", "totalDifficulty", "transactions", "uncles", "withdrawals"}
MERGED_MINING = {
    "bitcoinMergedMiningHeader",
    "bitcoinMergedMiningCoinbaseTransaction",
    "bitcoinMergedMiningMerkleProof",
    "hashForMergedMining",
    "paidFees",
    "cumulativeDifficulty",
}


@dataclass(frozen=True, slots=True)
class Subscription:
    """One subscription: the filter that keeps its cursor, if any, and how its news are shown."""

    filter_id: int | None
    show: Callable[[Any], object]


class Subscriptions:
    """A connection's subscriptions by id; `news` tells what they have not been told yet."""

    def __init__(self, node: Node) -> None:
        """Subscribe to what happens on that node."""
        self._node = node
        self._by_id: dict[str, Subscription] = {}

    def __len__(self) -> int:
        """How many there are."""
        return len(self._by_id)

    # Subscribing

    def to_heads(self) -> str:
        """Tell of new blocks; the subscription's id."""
        return self._add(self._head, self._node.filters.watch_blocks)

    def to_logs(self, query: LogQuery) -> str:
        """Tell of logs by address and topics, and of those a revert takes back; the id."""
        wanted = LogQuery(addresses=query.addresses, topics=query.topics)
        watch = partial(
            self._node.filters.watch_logs, wanted, self._node.chain.height, from_now=True
        )
        return self._add(log_object, watch)

    def to_pending(self, *, full: bool) -> str:
        """Tell of transactions that become pending, by hash or in full; the id."""
        show = self._transaction if full else encode
        return self._add(show, self._node.filters.watch_pending)

    def to_syncing(self) -> str:
        """Tell when syncing begins or ends, which on this chain never happens; the id."""
        return self._add(encode, None)

    def _add(self, show: Callable[[Any], object], watch: Callable[..., int] | None) -> str:
        if len(self._by_id) >= MOST:
            msg = f"a connection may have {MOST} subscriptions: end some with eth_unsubscribe"
            raise LimitExceeded(msg)
        name = "0x" + secrets.token_hex(16)
        filter_id = watch(for_subscription=True) if watch else None
        self._by_id[name] = Subscription(filter_id, show)
        return name

    def remove(self, name: str) -> bool:
        """End a subscription; whether there was one of that id."""
        found = self._by_id.pop(name, None)
        if found is not None and found.filter_id is not None:
            self._node.filters.uninstall(found.filter_id)
        return found is not None

    def close(self) -> None:
        """End every subscription."""
        for name in list(self._by_id):
            self.remove(name)

    # Telling

    @property
    def moment(self) -> tuple[int, int, int]:
        """What is the same for as long as there is no news."""
        return self._node.filters.moment

    def behind(self) -> int:
        """How many blocks and transactions of news there are, counted for each subscription."""
        filters = self._node.filters
        ids = [each.filter_id for each in self._by_id.values()]
        return sum(filters.unread(each) for each in ids if each is not None)

    def news(self) -> Iterator[JsonObject]:
        """Notifications of what is new since the last time, subscription by subscription."""
        for name, each in list(self._by_id.items()):
            if each.filter_id is None or name not in self._by_id:
                continue
            for new in self._node.filters.changes(each.filter_id):
                result = each.show(new)
                if result is not None:
                    yield _notification(name, encode(result))

    def _head(self, block_hash: Hash32) -> JsonObject | None:
        """A block's header; None if a revert has taken the block back before it was told."""
        found = self._node.chain.find_block(BlockHash(block_hash))
        return head_object(found) if found else None

    def _transaction(self, transaction_hash: Hash32) -> JsonObject | None:
        """A transaction as it was while it waited; None if it is gone without a trace."""
        waiting = self._node.mempool.find(transaction_hash)
        mined = self._node.chain.receipt(transaction_hash)
        found = waiting or (mined[1].transaction if mined else None)
        return transaction_object(found) if found else None


def head_object(block: Block) -> JsonObject:
    """A block's header as `newHeads` shows it: the block object without what is no header."""
    shown = block_object(block, full=False)
    return {name: value for name, value in shown.items() if name not in BODY | MERGED_MINING}


def _notification(name: str, result: object) -> JsonObject:
    params = {"subscription": name, "result": result}
    return {"jsonrpc": "2.0", "method": "eth_subscription", "params": params}
