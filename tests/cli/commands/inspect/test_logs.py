"""`devchain.cli.commands.inspect.logs`"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

from devchain.cli.commands.inspect.logs import follow_logs
from devchain.client.http import LocalClient
from devchain.errors import ConnectionFailed, RpcFailure
from devchain.node import Node
from tests.accounts import ALICE_HEX
from tests.actions import deploy, run
from tests.bytecode import EMIT, word
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import Script, ScriptedClient

LOG = {
    "logIndex": "0x0",
    "blockNumber": "0x1",
    "transactionHash": "0xab",
    "topics": [],
    "data": "0x",
}


@pytest.fixture
def emitter(node: Node) -> str:
    """A contract that has emitted topics (1, 2) in block 2 and (1, 3) in block 3."""
    address = deploy(node, EMIT)
    for second in (2, 3):
        run(node, address, word(1) + word(second))
    return f"0x{address.hex()}"


def topic(number: int) -> str:
    """A topic as 32 bytes in hex."""
    return f"0x{word(number).hex()}"


class TestLogs:
    def test_latest(self, devchain: Runner, emitter: str) -> None:
        """Without a range the logs of the latest block are shown."""
        result = devchain("inspect", "logs")

        assert result.out.count("Log 0 · block 3\n") == 1
        assert f"Topic 1       {topic(3)}\n" in result.out

    @pytest.mark.parametrize(
        ("options", "blocks"),
        [
            (["--from", "0"], [2, 3]),
            (["--from", "0", "--to", "2"], [2]),
            (["--from", "0", "--address", ALICE_HEX], []),
            (["--from", "0", "--topic", topic(1), "--topic", topic(3)], [3]),
            (["--from", "0", "--topic", "*", "--topic", f"{topic(2)},{topic(3)}"], [2, 3]),
        ],
        ids=["from", "to", "address", "topics", "alternatives"],
    )
    def test_query(
        self, devchain: Runner, emitter: str, options: list[str], blocks: list[int]
    ) -> None:
        """Logs are filtered by range, addresses and topics."""
        found = json.loads(devchain("inspect", "logs", "--json", *options).out)

        assert [int(each["blockNumber"], 16) for each in found] == blocks

    def test_addresses(self, devchain: Runner, emitter: str) -> None:
        """Several addresses are alternatives."""
        options = ["--from", "0", "--address", ALICE_HEX, "--address", emitter]

        assert devchain("inspect", "logs", *options).out.count("Log 0") == 2

    def test_block_hash(self, devchain: Runner, client: LocalClient, emitter: str) -> None:
        """A block hash selects only that block."""
        block_hash = client.call("eth_getBlockByNumber", "0x2", False)["hash"]
        result = devchain("inspect", "logs", "--from", block_hash)

        assert result.out.startswith("Log 0 · block 2\n")

    def test_none(self, devchain: Runner) -> None:
        """No logs is not an error."""
        assert devchain("inspect", "logs") == Result(0, "", "no logs\n")


class TestFollow:
    def follow(self, run_on: Callable[..., Result], changes: list[Any], *options: str) -> Result:
        """Follow logs until Ctrl-C; `changes` are the results of eth_getFilterChanges."""
        self.node = ScriptedClient(
            eth_newFilter="0x7",
            eth_getFilterLogs=[{**LOG, "blockNumber": "0x9"}],
            eth_getFilterChanges=Script([*changes, KeyboardInterrupt()]),
            eth_uninstallFilter=True,
        )
        return run_on(self.node, "inspect", "logs", "--follow", "--interval", "0.1", *options)

    def test_follow_logs(self, run_on: Callable[..., Result]) -> None:
        """New logs are shown as they come; Ctrl-C ends it cleanly and removes the filter."""
        result = self.follow(run_on, [[], [LOG], [{**LOG, "removed": True}]])

        assert (result.code, result.err) == (130, "")
        assert "Log 0 · block 1\n" in result.out
        assert "Log 0 · block 1 · removed by a revert\n" in result.out
        assert self.node.calls[-1] == ("eth_uninstallFilter", "0x7")

    def test_past(self, run_on: Callable[..., Result]) -> None:
        """With --from the existing logs come first, each log once."""
        past = {**LOG, "blockNumber": "0x9"}
        result = self.follow(run_on, [[past, LOG]], "--from", "0")

        assert [line for line in result.out.splitlines() if line.startswith("Log")] == [
            "Log 0 · block 9",
            "Log 0 · block 1",
        ]

    def test_json(self, run_on: Callable[..., Result]) -> None:
        """With --json each log has a line."""
        result = self.follow(run_on, [[LOG, LOG]], "--json")

        assert [json.loads(line) for line in result.out.splitlines()] == [LOG, LOG]


LATEST = {"number": "0x0", "hash": "0x00"}


def emit(node: Node, *topics: int) -> None:
    """A new contract emits (1, topic) for each topic."""
    address = deploy(node, EMIT)
    for each in topics:
        run(node, address, word(1) + word(each))


def shown(logs: list[dict[str, Any]]) -> list[int]:
    """The second topics of some logs."""
    return [int(each["topics"][1], 16) for each in logs]


class TestFollowLogs:
    def test_reset(self, node: Node, client: LocalClient) -> None:
        """After a reset the filter is installed again, and all logs of the new chain are new."""
        emit(node, 1)
        looks = follow_logs(client, {}, 0)
        seen = [shown(next(looks)), shown(next(looks))]
        emit(node, 2)
        seen.append(shown(next(looks)))
        client.call("evm_reset")
        emit(node, 3, 4)
        seen += [shown(next(looks)), shown(next(looks))]
        emit(node, 5)
        seen.append(shown(next(looks)))

        assert seen == [[], [], [2], [3, 4], [], [5]]

    def test_lost_filter(self, node: Node, client: LocalClient) -> None:
        """When only the filter is lost, logs are not returned twice."""
        emit(node, 1)
        looks = follow_logs(client, {"fromBlock": "0x0"}, 0)
        assert shown(next(looks)) == [1]
        assert shown(next(looks)) == []
        for number in range(1, 9):
            client.call("eth_uninstallFilter", hex(number))
        emit(node, 2)

        assert shown(next(looks)) == [2]
        assert shown(next(looks)) == []

    def test_end(self, client: LocalClient) -> None:
        """Closing the generator removes the filter."""
        looks = follow_logs(client, {}, 0)
        next(looks)
        next(looks)
        looks.close()

        with pytest.raises(RpcFailure, match="filter not found"):
            client.call("eth_getFilterChanges", "0x1")

    def test_polling(self, capsys: pytest.CaptureFixture[str]) -> None:
        """While the node does not answer, polling continues and one message is shown."""
        gone = ConnectionFailed("no node answers")
        node = ScriptedClient(
            eth_newFilter="0x1",
            eth_getBlockByNumber=LATEST,
            eth_getFilterChanges=Script([[], gone, gone, []]),
        )
        seen = list(itertools.islice(follow_logs(node, {}, 0), 5))

        assert seen == [[]] * 5
        assert capsys.readouterr().err == "waiting: no node answers\n"

    def test_refused(self) -> None:
        """A node without filters is an error that ends the command."""
        lost = RpcFailure(-32000, "filter not found")
        node = ScriptedClient(
            eth_newFilter="0x1",
            eth_getBlockByNumber=LATEST,
            eth_getFilterChanges=lost,
            eth_getFilterLogs=lost,
        )
        looks = follow_logs(node, {}, 0)
        next(looks)

        with pytest.raises(RpcFailure, match="filter not found"):
            next(looks)
