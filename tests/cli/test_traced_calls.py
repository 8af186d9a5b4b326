"""`devchain.client.rpc_trace`"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.client.rpc_trace import MAX_DEPTH, explain_traced
from devchain.errors import VmError
from devchain.node import Node
from tests.accounts import ALICE_HEX
from tests.actions import deploy, run
from tests.bytecode import REVERT
from tests.cli.conftest import Result
from tests.cli.scripted import ScriptedClient
from tests.cli.test_view_rows import OtherNode
from tests.contracts.till import FILE, TILL

TX = "0x" + "11" * 32


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, without a project."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def add_project(folder: Path) -> None:
    """Make the folder a Foundry project with Till."""
    (folder / "foundry.toml").write_text("[profile.default]\n")
    (folder / "out").mkdir()
    shutil.copy(FILE, folder / "out")


def newest(node: Node) -> str:
    """The hash of the transaction mined last."""
    return f"0x{node.chain.head.transactions[0].hash.hex()}"


class TestCalls:
    @pytest.mark.parametrize("count", [2, 40], ids=["sale", "failure"])
    def test_as_devchain_explains(self, node: Node, folder: Path, count: int) -> None:
        """With the project here calls and reason are those of `devchain_explainTransaction`."""
        add_project(folder)
        till = node.deploy(TILL)
        if count == 2:
            till.sell(count)
        else:
            with pytest.raises(VmError):
                till.sell(count)
        client = LocalClient(node)
        explained = client.call("devchain_explainTransaction", newest(node))
        found = explain_traced(client, newest(node))

        assert found["failure"] == explained["failure"]
        [first, *rest] = found["callTree"]
        assert explained["callTree"][0].startswith(first)
        assert all(any(each in line for line in explained["callTree"]) for each in rest)
        assert len(rest) == 1

    def test_out_of_gas(self, node: Node) -> None:
        """What failed without a revert has the node's words."""
        client = LocalClient(node)
        request = {"from": ALICE_HEX, "data": "0x5b600056", "gas": "0x10000"}  # a loop
        client.call("eth_sendTransaction", request)

        assert explain_traced(client, newest(node))["failure"] == "out of gas"

    def test_on_the_screen(self, node: Node, run_on: Callable[..., Result]) -> None:
        """The page of a transaction on another node has its calls."""
        contract = deploy(node, REVERT)
        run(node, contract, bytes.fromhex("12345678"), gas=200_000)
        text = run_on(OtherNode(node), "inspect", "tx", newest(node)).out

        assert "\nReason        custom error 0x12345678\n" in text
        assert "\nCalls\n  ✗ " in text


def nested(depth: int) -> dict[str, Any]:
    """Calls nested so deep."""
    top: dict[str, Any] = {"type": "CALL"}
    for _ in range(depth):
        top = {"type": "CALL", "calls": [top]}
    return top


class TestWrongAnswers:
    @pytest.mark.parametrize(
        "found",
        [
            None,
            [],
            {},
            {"structLogs": []},
            {"type": "CALL", "calls": [1]},
            {"type": "CALL", "calls": 7},
            {"type": "CALL", "logs": ["x"]},
            {"type": "CALL", "to": "0xzz"},
            {"type": "CALL", "input": {"x": 1}},
            nested(MAX_DEPTH + 1),
        ],
        ids=str,
    )
    def test_no_calls(self, found: object) -> None:
        """A node that returns something else is as one that does not trace."""
        node = ScriptedClient(debug_traceTransaction=found, eth_chainId="0x1")

        assert explain_traced(node, TX) == {}

    @pytest.mark.parametrize(
        "found", [{"type": "CALL"}, {"type": 7}, {"type": "CALL", "value": "x"}, nested(MAX_DEPTH)]
    )
    def test_few_members(self, found: dict[str, Any]) -> None:
        """Members that are missing leave the calls that there are."""
        node = ScriptedClient(debug_traceTransaction=found, eth_chainId="0x1", eth_getCode="0x")

        assert explain_traced(node, TX)["callTree"][0].endswith(" [0 gas]")


def test_gas_profile(node: Node, run_on: Callable[..., Result]) -> None:
    """Another node's missing gas profiles are named as such."""
    result = run_on(OtherNode(node), "inspect", "gas", TX)

    assert result.code == 1
    assert "this node makes no gas profiles" in result.err


@pytest.mark.parametrize("members", [{"number": None}, {"number": "0xb", "hash": TX}])
def test_pending_block(
    client: LocalClient, run_on: Callable[..., Result], members: dict[str, Any]
) -> None:
    """The pending block is called so, also where it has a number or a hash (Hardhat, anvil)."""
    pending = {**client.call("eth_getBlockByNumber", "latest", True), **members}
    node = ScriptedClient(eth_getBlockByNumber=pending, eth_chainId="0x1f")

    assert run_on(node, "inspect", "block", "pending").out.startswith("Pending block · ")
