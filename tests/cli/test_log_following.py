"""`devchain.cli.log_following`"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from devchain.cli.log_following import new_logs
from devchain.client.http import LocalClient
from devchain.errors import ConnectionFailed, RpcFailure
from devchain.node import Node
from tests.actions import deploy, run
from tests.bytecode import EMIT, word
from tests.cli.scripted import Script, ScriptedClient

LATEST = {"number": "0x0", "hash": "0x00"}


def emit(node: Node, *topics: int) -> None:
    """A new contract logs (1, topic) for each topic."""
    address = deploy(node, EMIT)
    for each in topics:
        run(node, address, word(1) + word(each))


def shown(logs: list[dict[str, Any]]) -> list[int]:
    """The second topics of some logs."""
    return [int(each["topics"][1], 16) for each in logs]


class TestNewLogs:
    def test_reset(self, node: Node, client: LocalClient) -> None:
        """After a reset the filter is installed anew, and all logs of the new chain are told."""
        emit(node, 1)
        looks = new_logs(client, {}, 0)
        seen = [shown(next(looks)), shown(next(looks))]
        emit(node, 2)
        seen.append(shown(next(looks)))
        client.call("evm_reset")
        emit(node, 3, 4)
        seen += [shown(next(looks)), shown(next(looks))]
        emit(node, 5)
        seen.append(shown(next(looks)))

        assert seen == [[], [], [2], [3, 4], [], [5]]

    def test_forgotten(self, node: Node, client: LocalClient) -> None:
        """When only the filter is lost, logs told before are not told again."""
        emit(node, 1)
        looks = new_logs(client, {"fromBlock": "0x0"}, 0)
        assert shown(next(looks)) == [1]
        assert shown(next(looks)) == []
        for number in range(1, 9):
            client.call("eth_uninstallFilter", hex(number))
        emit(node, 2)

        assert shown(next(looks)) == [2]
        assert shown(next(looks)) == []

    def test_end(self, client: LocalClient) -> None:
        """Whoever stops reading leaves no filter behind."""
        looks = new_logs(client, {}, 0)
        next(looks)
        next(looks)
        looks.close()

        with pytest.raises(RpcFailure, match="filter not found"):
            client.call("eth_getFilterChanges", "0x1")

    def test_waits(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A node that is away is waited for, which is said once."""
        gone = ConnectionFailed("no node answers")
        node = ScriptedClient(
            eth_newFilter="0x1",
            eth_getBlockByNumber=LATEST,
            eth_getFilterChanges=Script([[], gone, gone, []]),
        )
        seen = list(itertools.islice(new_logs(node, {}, 0), 5))

        assert seen == [[]] * 5
        assert capsys.readouterr().err == "waiting: no node answers\n"

    def test_refused(self) -> None:
        """A node that has no filters is an error, not asked for ever."""
        lost = RpcFailure(-32000, "filter not found")
        node = ScriptedClient(
            eth_newFilter="0x1",
            eth_getBlockByNumber=LATEST,
            eth_getFilterChanges=lost,
            eth_getFilterLogs=lost,
        )
        looks = new_logs(node, {}, 0)
        next(looks)

        with pytest.raises(RpcFailure, match="filter not found"):
            next(looks)
