"""`eth_` methods that search logs, and filters and subscriptions for new ones and for blocks."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from devchain.chain.block import MinedLog
from devchain.chain.slices import SLOW, Slices
from devchain.node import Node
from devchain.rpc.json_codec import Converted
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import LogObject, log_object
from devchain.rpc.subscriptions import Subscriptions
from devchain.types import Hash32, LogQuery


@rpc("eth_getLogs", hosted=True)
def get_logs(node: Node, query: LogQuery) -> Slices[Collection[LogObject]]:
    """The logs of a range of blocks, or of one block, by address and topics.

    By default it searches the latest block. A range of more than 2,000 blocks returns at most
    10,000 logs; error -32012: there are more. A range that is reversed or beyond the head has no
    logs. An unknown `blockHash` has none either; under Ethereum's rules it is error -32000.
    """
    return Converted(log_object, (yield from node.search.logs_in_slices(query)))


@rpc("eth_newFilter")
def new_filter(node: Node, query: LogQuery) -> Slices[int]:
    """Install a log filter and return its id.

    If `fromBlock` is in the past, the first poll returns the logs since then. A filter that is not
    polled for `--filter-timeout` seconds is removed.
    """
    return (yield from node.search.install_filter(query))


@rpc("eth_newBlockFilter")
def new_block_filter(node: Node) -> int:
    """Install a filter for new blocks and return its id."""
    return node.filters.watch_blocks()


@rpc("eth_newPendingTransactionFilter")
def new_pending_transaction_filter(node: Node) -> int:
    """Install a filter for new pending transactions and return its id."""
    return node.filters.watch_pending()


@rpc("eth_uninstallFilter")
def uninstall_filter(node: Node, filter_id: int) -> bool:
    """Remove a filter. False if it does not exist."""
    return node.filters.uninstall(filter_id)


@rpc("eth_getFilterChanges")
def get_filter_changes(node: Node, filter_id: int) -> Slices[Collection[Any]]:
    """The logs, block hashes or transaction hashes that are new since the last poll of a filter.

    Logs that were returned and whose block was removed later are returned again with `removed`
    true.
    """
    if node.config.preset.polling_mines and node.miner.automatic:
        yield SLOW
        node.mine()
    return Converted(_shown, (yield from node.filters.changes_in_slices(filter_id)))


@rpc("eth_getFilterLogs")
def get_filter_logs(node: Node, filter_id: int) -> Slices[Collection[LogObject]]:
    """All logs that match a log filter, polled or not.

    They begin at the filter's `fromBlock`, or when it was installed.
    """
    return Converted(_shown, (yield from node.search.filter_logs_in_slices(filter_id)))


def _shown(change: MinedLog | Hash32) -> Any:
    return log_object(change) if isinstance(change, MinedLog) else change


# Subscriptions, over persistent connections


@rpc("eth_subscribe", subscribes=True)
def subscribe(
    subscriptions: Subscriptions, kind: str, options: LogQuery | bool | None = None
) -> str:
    """Subscribe to `newHeads`, `logs`, `newPendingTransactions` or `syncing`, and return the id.

    Notifications are `eth_subscription` requests, over WebSocket and IPC. `options` of `logs` have
    `address` and `topics`; logs of removed blocks are sent again with `removed` true. With
    `options` true `newPendingTransactions` sends transaction objects instead of hashes.
    """
    return subscriptions.subscribe(kind, options)


@rpc("eth_unsubscribe", subscribes=True)
def unsubscribe(subscriptions: Subscriptions, subscription: str) -> bool:
    """End a subscription of this connection. False if it does not exist."""
    return subscriptions.unsubscribe(subscription)
