"""`devchain.rpc.methods.eth.subscribe`"""

from __future__ import annotations

import json
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.methods.eth.subscribe import subscribe, unsubscribe
from devchain.rpc.subscriptions import Subscriptions
from devchain.types import LogQuery
from tests.accounts import BOB
from tests.actions import send


@pytest.fixture
def owner(node: Node) -> Subscriptions:
    """A connection's subscriptions."""
    return Subscriptions(node)


@pytest.fixture
def dispatcher(node: Node, owner: Subscriptions) -> Dispatcher:
    """What answers that connection."""
    return Dispatcher(node, subscriptions=owner)


def ask(dispatcher: Dispatcher, method: str, *params: object) -> dict[str, Any]:
    """The answer to one call."""
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
    def test_kinds(self, owner: Subscriptions, kind: str, options: LogQuery | bool | None) -> None:
        """There are four kinds, some of which take options."""
        name = subscribe(owner, kind, options)

        assert unsubscribe(owner, name)

    def test_full(self, node: Node, owner: Subscriptions) -> None:
        """With true, pending transactions come in full."""
        subscribe(owner, "newPendingTransactions", True)
        send(node, BOB, value=1)

        assert [each["params"]["result"]["value"] for each in owner.news()] == ["0x1"]

    def test_on_the_wire(self, node: Node, dispatcher: Dispatcher, owner: Subscriptions) -> None:
        """Options are a filter object, addresses and topics as in eth_getLogs."""
        answer = ask(dispatcher, "eth_subscribe", "logs", {"address": "0x" + BOB.hex()})

        assert ask(dispatcher, "eth_unsubscribe", answer["result"])["result"] is True
        assert ask(dispatcher, "eth_unsubscribe", answer["result"])["result"] is False

    @pytest.mark.parametrize(
        ("params", "words"),
        [
            (["heads"], "there are newHeads, logs, newPendingTransactions, syncing"),
            (["newHeads", True], "newHeads takes none"),
            (["newHeads", {}], "newHeads takes none"),
            (["logs", True], "logs takes an object with address and topics"),
            (["newPendingTransactions", {}], "takes true for whole transactions"),
            (["logs", {"address": "0x12"}], "argument options: address: want 20 bytes"),
            ([], "eth_subscribe takes (kind, options?): got 0 arguments"),
        ],
    )
    def test_refusals(self, dispatcher: Dispatcher, params: list[object], words: str) -> None:
        """What cannot be subscribed to is refused with what can."""
        error = ask(dispatcher, "eth_subscribe", *params)["error"]

        assert error["code"] == -32602
        assert words in error["message"]

    @pytest.mark.parametrize("method", ["eth_subscribe", "eth_unsubscribe"])
    def test_over_http(self, client: LocalClient, method: str) -> None:
        """A connection that does not last cannot subscribe, and is told what can."""
        with pytest.raises(RpcFailure, match="use WebSocket") as caught:
            client.call(method, "newHeads")

        assert caught.value.code == -32601
