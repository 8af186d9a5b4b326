"""`eth_` methods that subscribe to notifications, over persistent connections."""

from __future__ import annotations

import types
from typing import TypeVar

from devchain.errors import InvalidParams, LimitExceeded
from devchain.rpc.method import rpc
from devchain.rpc.subscriptions import Subscriptions
from devchain.types import LogQuery

KINDS = ("newHeads", "logs", "newPendingTransactions", "syncing")
OPTIONS_BY_KIND = {
    "logs": "an object with address and topics",
    "newPendingTransactions": "true for whole transactions",
}
Options = TypeVar("Options")


@rpc("eth_subscribe", subscribes=True, raises=(LimitExceeded,))
def subscribe(
    subscriptions: Subscriptions, kind: str, options: LogQuery | bool | None = None
) -> str:
    """Subscribe to `newHeads`, `logs`, `newPendingTransactions` or `syncing`; the id.

    Notifications are `eth_subscription` requests, over WebSocket and IPC. `logs` takes an object
    with `address` and `topics`; logs of blocks that a revert removes are sent again with `removed`
    true. `newPendingTransactions` takes true for transaction objects instead of hashes. A
    subscription ends with its connection.
    """
    if kind not in KINDS:
        raise InvalidParams(f"unknown subscription {kind[:40]!a}: known are {', '.join(KINDS)}")
    if kind == "logs":
        return subscriptions.subscribe_to_logs(_options(kind, options, LogQuery) or LogQuery())
    if kind == "newPendingTransactions":
        return subscriptions.subscribe_to_pending(full=bool(_options(kind, options, bool)))
    _options(kind, options, types.NoneType)
    if kind == "newHeads":
        return subscriptions.subscribe_to_heads()
    return subscriptions.subscribe_to_syncing()


def _options(kind: str, options: object, expected: type[Options]) -> Options | None:
    if options is not None and not isinstance(options, expected):
        raise InvalidParams(f"argument options: {kind} takes {OPTIONS_BY_KIND.get(kind, 'none')}")
    return options


@rpc("eth_unsubscribe", subscribes=True)
def unsubscribe(subscriptions: Subscriptions, subscription: str) -> bool:
    """End a subscription of this connection; false if it does not exist."""
    return subscriptions.unsubscribe(subscription)
