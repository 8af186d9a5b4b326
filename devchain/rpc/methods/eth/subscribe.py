"""`eth_` methods of connections that last: what is new comes by itself."""

from __future__ import annotations

import types
from typing import TypeVar

from devchain.errors import LimitExceeded
from devchain.rpc.errors import InvalidParams
from devchain.rpc.method import rpc
from devchain.rpc.subscriptions import Subscriptions
from devchain.types import LogQuery

KINDS = ("newHeads", "logs", "newPendingTransactions", "syncing")
TAKEN = {
    "logs": "an object with address and topics",
    "newPendingTransactions": "true for whole transactions",
}
Options = TypeVar("Options")


@rpc("eth_subscribe", subscribes=True, raises=(LimitExceeded,))
def subscribe(
    subscriptions: Subscriptions, kind: str, options: LogQuery | bool | None = None
) -> str:
    """Subscribe to `newHeads`, `logs`, `newPendingTransactions` or `syncing`; the id.

    News come as `eth_subscription` notifications over WebSocket and IPC. `logs` takes an object
    with `address` and `topics`; logs of blocks that a revert takes back come again with
    `removed`. `newPendingTransactions` takes true for whole transactions instead of hashes.
    Ends with the connection.
    """
    if kind not in KINDS:
        msg = f"no subscription is called {kind[:40]!a}: there are {', '.join(KINDS)}"
        raise InvalidParams(msg)
    if kind == "logs":
        return subscriptions.to_logs(_options(kind, options, LogQuery) or LogQuery())
    if kind == "newPendingTransactions":
        return subscriptions.to_pending(full=bool(_options(kind, options, bool)))
    _options(kind, options, types.NoneType)
    return subscriptions.to_heads() if kind == "newHeads" else subscriptions.to_syncing()


def _options(kind: str, given: object, wanted: type[Options]) -> Options | None:
    if given is not None and not isinstance(given, wanted):
        msg = f"argument options: {kind} takes {TAKEN.get(kind, 'none')}"
        raise InvalidParams(msg)
    return given


@rpc("eth_unsubscribe", subscribes=True)
def unsubscribe(subscriptions: Subscriptions, subscription: str) -> bool:
    """End a subscription of this connection; false if there is none of that id."""
    return subscriptions.remove(subscription)
