"""`devchain.rpc.methods.eth.subscribe`"""

from __future__ import annotations

import json
from typing import Any

import pytest

from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.methods.eth.subscribe import subscribe, unsubscribe
from devchain.rpc.subscriptions import Subscriptions
from devchain.types import LogQuery
from tests.accounts import BOB
from tests.actions import send


@pytest.fixture
def subscriptions(node: Node) -> Subscriptions:
    """The subscriptions of one connection."""
    return Subscriptions(node)


@pytest.fixture
def dispatcher(node: Node, subscriptions: Subscriptions) -> Dispatcher:
    """The dispatcher of that connection."""
    return Dispatcher(node, subscriptions=subscriptions)


def ask(dispatcher: Dispatcher, method: str, *params: object) -> dict[str, Any]:
    """The response to one request."""
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer: dict[str, Any] = json.loads(dispatcher.serve_now(json.dumps(request).encode()) or b"")
    return answer


class TestSubscribe:
    @pytest.mark.parametrize(
        ("kind", "options"),
        [
            ("newHeads", None),
            ("logs", None),
            ("logs", LogQuery()),
            ("newPendingTransactions", None),
            ("newPendingTransactions", False),
            ("syncing", None),
        ],
    )
    def test_kinds(
        self, subscriptions: Subscriptions, kind: str, options: LogQuery | bool | None
    ) -> None:
        """There are four kinds, some of which take options."""
        name = subscribe(subscriptions, kind, options)

        assert unsubscribe(subscriptions, name)

    def test_full(self, node: Node, subscriptions: Subscriptions) -> None:
        """With true, notifications have transaction objects."""
        subscribe(subscriptions, "newPendingTransactions", True)
        send(node, BOB, value=1)

        assert [each["params"]["result"]["value"] for each in subscriptions.notifications()] == [
            "0x1"
        ]

    def test_on_the_wire(
        self, node: Node, dispatcher: Dispatcher, subscriptions: Subscriptions
    ) -> None:
        """Options are a filter object, addresses and topics as in eth_getLogs."""
        answer = ask(dispatcher, "eth_subscribe", "logs", {"address": "0x" + BOB.hex()})

        assert ask(dispatcher, "eth_unsubscribe", answer["result"])["result"] is True
        assert ask(dispatcher, "eth_unsubscribe", answer["result"])["result"] is False

    @pytest.mark.parametrize(
        ("params", "words"),
        [
            (["heads"], "known are newHeads, logs, newPendingTransactions, syncing"),
            (["newHeads", True], "newHeads takes none"),
            (["newHeads", {}], "newHeads takes none"),
            (["logs", True], "logs takes an object with address and topics"),
            (["newPendingTransactions", {}], "takes true for whole transactions"),
            (["logs", {"address": "0x12"}], "argument options: address: want 20 bytes"),
            ([], "eth_subscribe takes (kind, options?): got 0 arguments"),
        ],
    )
    def test_refusals(self, dispatcher: Dispatcher, params: list[object], words: str) -> None:
        """An unknown kind and wrong options are refused; the message lists the valid ones."""
        error = ask(dispatcher, "eth_subscribe", *params)["error"]

        assert error["code"] == -32602
        assert words in error["message"]
