"""`eth_` methods that search logs, and filters for new blocks, transactions and logs."""

from __future__ import annotations

from typing import Any

from devchain.chain.block import MinedLog
from devchain.errors import BlockNotFound, FilterNotFound, LimitExceeded
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import LogObject, log_object
from devchain.types import Hash32, LogQuery


@rpc("eth_getLogs", hosted=True, raises=(BlockNotFound, LimitExceeded))
def get_logs(node: Node, query: LogQuery) -> list[LogObject]:
    """Logs of a range of blocks, or of one block, by address and topics.

    Without `fromBlock`, `toBlock` and `blockHash` the logs of the latest block. A range of more
    than 2,000 blocks returns at most 10,000 logs: with more it is error -32012. A range that is
    reversed or past the head gives `[]`, and so does an unknown `blockHash`, which under Ethereum's
    rules is error -32000.
    """
    return [log_object(log) for log in node.logs(query)]


@rpc("eth_newFilter", raises=(LimitExceeded,))
def new_filter(node: Node, query: LogQuery) -> int:
    """Install a log filter; its id.

    With a `fromBlock` in the past the first poll returns the logs from that block on. A filter that
    is not polled for `--filter-timeout` seconds is removed.
    """
    return node.search.install_filter(query)


@rpc("eth_newBlockFilter", raises=(LimitExceeded,))
def new_block_filter(node: Node) -> int:
    """Install a filter for new blocks; its id."""
    return node.filters.watch_blocks()


@rpc("eth_newPendingTransactionFilter", raises=(LimitExceeded,))
def new_pending_transaction_filter(node: Node) -> int:
    """Install a filter for new pending transactions; its id."""
    return node.filters.watch_pending()


@rpc("eth_uninstallFilter")
def uninstall_filter(node: Node, filter_id: int) -> bool:
    """Remove a filter; false if it does not exist."""
    return node.filters.uninstall(filter_id)


@rpc("eth_getFilterChanges", raises=(FilterNotFound,))
def get_filter_changes(node: Node, filter_id: int) -> list[Any]:
    """What is new since the last poll of a filter: logs, block hashes or transaction hashes.

    Logs that were returned before and whose block was since removed, by a revert or a
    reorganization, are returned again with `removed` true.
    """
    return [_shown(each) for each in node.filters.changes(filter_id)]


@rpc("eth_getFilterLogs", raises=(FilterNotFound, LimitExceeded))
def get_filter_logs(node: Node, filter_id: int) -> list[LogObject]:
    """All logs that match a log filter, whether polled or not.

    Without a `fromBlock` in the past these are the logs since it was installed, as on the real
    node; geth returns those of the latest block.
    """
    return [_shown(each) for each in node.search.filter_logs(filter_id)]


def _shown(found: MinedLog | Hash32) -> Any:
    return log_object(found) if isinstance(found, MinedLog) else found
