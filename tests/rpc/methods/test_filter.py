"""`devchain.rpc.methods.filter`"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from devchain.chain.slices import finish
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.methods import filter as methods
from devchain.rpc.methods.filter import subscribe, unsubscribe
from devchain.rpc.subscriptions import Subscriptions
from devchain.types import Address, LogQuery
from tests.accounts import BOB
from tests.actions import deploy, run, send
from tests.bytecode import EMIT, EMIT_MANY, word

FIRST, SECOND, OTHER = (word(number).hex() for number in (1, 2, 3))


@pytest.fixture
def emitter(node: Node) -> Address:
    """A contract that emits the two words given as topics, and the rest as data."""
    return deploy(node, EMIT)


@pytest.fixture
def logs(node: Node, emitter: Address) -> Node:
    """A node with logs of topics (1, 2), (1, 3) and (2, 2) in blocks 2, 3 and 4."""
    for first, second in ((1, 2), (1, 3), (2, 2)):
        run(node, emitter, word(first) + word(second) + b"\x01")
    return node


def get_logs(node: Node, query: LogQuery) -> list[Any]:
    """The result of `eth_getLogs`."""
    return list(finish(methods.get_logs(node, query)))


def get_filter_logs(node: Node, filter_id: int) -> list[Any]:
    """The result of `eth_getFilterLogs`."""
    return list(finish(methods.get_filter_logs(node, filter_id)))


def get_filter_changes(node: Node, filter_id: int) -> list[Any]:
    """The result of `eth_getFilterChanges`."""
    return list(finish(methods.get_filter_changes(node, filter_id)))


def numbers(found: list[dict[str, Any]]) -> list[object]:
    """The blocks the logs are in."""
    return [log["blockNumber"] for log in found]


def refusal(client: LocalClient, method: str, *params: object) -> tuple[int, str]:
    """Code and message with which a call is refused."""
    with pytest.raises(RpcFailure) as caught:
        client.call(method, *params)
    return caught.value.code, caught.value.message


EVERYWHERE = {"fromBlock": "earliest"}


@pytest.mark.usefixtures("logs")
class TestGetLogs:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({}, ["0x4"]),
            ({"fromBlock": None, "toBlock": None}, ["0x4"]),
            ({"fromBlock": "0x0"}, ["0x2", "0x3", "0x4"]),
            ({"fromBlock": 0, "toBlock": 3}, ["0x2", "0x3"]),
            ({"fromBlock": "0x3", "toBlock": "0x3"}, ["0x3"]),
            ({"fromBlock": "earliest", "toBlock": "latest"}, ["0x2", "0x3", "0x4"]),
            ({"fromBlock": "latest"}, ["0x4"]),
            ({"fromBlock": "safe", "toBlock": "finalized"}, ["0x4"]),
            ({"toBlock": "0x3"}, []),
            ({"fromBlock": "0x4", "toBlock": "0x2"}, []),
            ({"fromBlock": "0x5"}, []),
            ({"fromBlock": "0x5", "toBlock": "0xffffffff"}, []),
            ({"fromBlock": "0x2", "toBlock": "0xffffffffffffffff"}, ["0x2", "0x3", "0x4"]),
            ({"fromBlock": "pending", "toBlock": "pending"}, []),
        ],
        ids=str,
    )
    def test_range(
        self, client: LocalClient, query: dict[str, object], expected: list[str]
    ) -> None:
        """Bounds default to the latest block; a reversed or future range is empty."""
        assert numbers(client.call("eth_getLogs", query)) == expected

    @pytest.mark.parametrize(
        ("topics", "expected"),
        [
            ([], ["0x2", "0x3", "0x4"]),
            ([None], ["0x2", "0x3", "0x4"]),
            ([None, None], ["0x2", "0x3", "0x4"]),
            ([[]], ["0x2", "0x3", "0x4"]),
            (["0x" + FIRST], ["0x2", "0x3"]),
            ("0x" + FIRST, ["0x2", "0x3"]),
            ([None, "0x" + SECOND], ["0x2", "0x4"]),
            (["0x" + FIRST, "0x" + OTHER], ["0x3"]),
            ([["0x" + FIRST, "0x" + SECOND], ["0x" + OTHER]], ["0x3"]),
            (["0x" + OTHER], []),
            (["0x" + FIRST, None, "0x" + FIRST], []),
            ([None, None, None], []),
        ],
        ids=str,
    )
    def test_topics(self, client: LocalClient, topics: object, expected: list[str]) -> None:
        """Order counts, null is anything, a list is any of it, more topics than a log has miss."""
        assert numbers(client.call("eth_getLogs", {**EVERYWHERE, "topics": topics})) == expected

    @pytest.mark.parametrize("number", [1, 2])
    def test_block_hash(self, client: LocalClient, node: Node, number: int) -> None:
        """A block's hash restricts the search to it."""
        query = {"blockHash": "0x" + node.chain.block(number).hash.hex()}

        assert numbers(client.call("eth_getLogs", query)) == [hex(number)] * (number - 1)

    def test_unknown_block_hash(self, client: LocalClient) -> None:
        """A hash that no block has gives no logs, in a filter neither."""
        query = {"blockHash": "0x" + "ab" * 32}

        assert client.call("eth_getLogs", query) == []
        installed = client.call("eth_newFilter", query)
        client.call("evm_mine")
        assert client.call("eth_getFilterLogs", installed) == []
        assert client.call("eth_getFilterChanges", installed) == []

    @pytest.mark.parametrize("method", ["eth_getLogs", "eth_newFilter"])
    def test_unknown_block_hash_of_ethereum(self, method: str) -> None:
        """Under Ethereum's rules it is an error."""
        ethereum = LocalClient(Node(Config(hardfork="prague", accounts=0)))

        code, message = refusal(ethereum, method, {"blockHash": "0x" + "ab" * 32})

        assert (code, message[:17]) == (-32000, "header not found:")

    def test_pending(self, node: Node, client: LocalClient, emitter: Address) -> None:
        """Up to `pending`, what waits is found too, in no block yet."""
        node.miner.running = False
        send(node, emitter, word(7) + word(8))

        actual = client.call("eth_getLogs", {"fromBlock": "0x4", "toBlock": "pending"})

        assert numbers(actual) == ["0x4", None]

    def test_unknown_members(self, client: LocalClient) -> None:
        """Unknown members are ignored."""
        assert numbers(client.call("eth_getLogs", {"from": "0x0"})) == ["0x4"]


class TestLogLimits:
    @pytest.fixture
    def config(self, config: Config) -> Config:
        """A node with small limits."""
        return replace(config, max_log_blocks=2, max_logs=5)

    @pytest.fixture
    def many(self, node: Node) -> Node:
        """A node with six logs in block 2, none in blocks 3 and 4."""
        contract = deploy(node, EMIT_MANY)
        run(node, contract, word(6))
        node.miner.mine()
        node.miner.mine()
        return node

    @pytest.mark.parametrize(("first", "last"), [(1, 2), (2, 2), (2, 3)])
    def test_narrow(self, many: Node, first: int, last: int) -> None:
        """A range within the first limit has no cap on logs."""
        assert len(get_logs(many, LogQuery(from_block=first, to_block=last))) == 6

    @pytest.mark.parametrize(("first", "last"), [(0, 2), (2, 4), (0, 4)])
    @pytest.mark.parametrize("method", ["eth_getLogs", "eth_newFilter"])
    def test_wide(
        self, client: LocalClient, many: Node, method: str, first: int, last: int
    ) -> None:
        """A wider one may not bring more logs than the second; the figures are in the sentence."""
        actual = refusal(client, method, {"fromBlock": first, "toBlock": last})

        assert actual == (
            -32012,
            (
                "query returned more than 5 logs over a range of more than 2 blocks: "
                "ask for fewer blocks or narrow the filter"
            ),
        )

    def test_wide_but_few(self, many: Node) -> None:
        """A wide range with few logs is answered."""
        narrowed = LogQuery(from_block=0, to_block=4, topics=(frozenset({word(1)}),))  # type: ignore[arg-type]  # 32 bytes

        assert len(get_logs(many, narrowed)) == 1

    def test_past_the_head(self, many: Node) -> None:
        """Blocks that do not exist do not make a range wide."""
        assert len(get_logs(many, LogQuery(from_block=3, to_block=10**6))) == 0

    def test_of_a_filter(self, client: LocalClient, node: Node) -> None:
        """`eth_getFilterLogs` has the same limits."""
        installed = client.call("eth_newFilter", {"fromBlock": "0x0"})
        run(node, deploy(node, EMIT_MANY), word(6))

        assert refusal(client, "eth_getFilterLogs", installed)[0] == -32012


@pytest.mark.parametrize("off", [{"max_logs": 0}, {"max_log_blocks": 0}], ids=str)
class TestNoLogLimits:
    def test_off(self, config: Config, off: dict[str, int]) -> None:
        """Zero turns a limit off."""
        node = Node(replace(config, **{"max_log_blocks": 1, "max_logs": 2, **off}))
        run(node, deploy(node, EMIT_MANY), word(6))

        assert len(get_logs(node, LogQuery(from_block=0))) == 6


class TestNewFilter:
    def test_ids(self, client: LocalClient) -> None:
        """Ids are small QUANTITYs, one series for all kinds."""
        actual = [
            client.call("eth_newFilter", {}),
            client.call("eth_newBlockFilter"),
            client.call("eth_newPendingTransactionFilter"),
        ]

        assert actual == ["0x1", "0x2", "0x3"]


class TestBlockFiltersBeginWithHead:
    """With the presets of Hardhat and ganache a block filter begins with the head, once."""

    @pytest.mark.parametrize(
        ("like", "is_first"),
        [("hardhat", True), ("ganache", True), ("anvil", False), (None, False)],
    )
    def test_first_poll(self, like: str | None, *, is_first: bool) -> None:
        """A client that sends and then waits for a block finds that of its transaction."""
        with Node(Config(like=like)) as node:
            asking = LocalClient(node)
            genesis = asking.call("eth_newBlockFilter")
            first = asking.call("eth_getFilterChanges", genesis)
            asking.call("evm_mine")
            head = asking.call("eth_getBlockByNumber", "latest", False)

            installed = asking.call("eth_newBlockFilter")

            assert (first != []) == is_first
            assert asking.call("eth_getFilterChanges", installed) == [head["hash"]] * is_first
            assert asking.call("eth_getFilterChanges", installed) == []
            assert asking.call("eth_getFilterChanges", genesis) == [head["hash"]]

    def test_subscription(self) -> None:
        """A subscription begins with the next block."""
        with Node(Config(like="hardhat")) as node:
            installed = node.filters.watch_blocks(for_subscription=True)

            assert node.filters.changes(installed) == []


class TestGetFilterLogs:
    @pytest.mark.parametrize("method", ["eth_newBlockFilter", "eth_newPendingTransactionFilter"])
    def test_other_kinds(self, client: LocalClient, method: str) -> None:
        """Filters of other kinds have no logs."""
        installed = client.call(method)

        assert refusal(client, "eth_getFilterLogs", installed) == (
            -32602,
            "not a log filter: use eth_getFilterChanges",
        )


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
