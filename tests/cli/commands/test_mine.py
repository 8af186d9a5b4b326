"""`devchain.cli.commands.mine`"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from devchain import Config, connect
from devchain.cli.commands import mine
from devchain.errors import RpcFailure
from devchain.node import Node
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import Script, ScriptedClient, Terminal
from tests.conftest import GENESIS_TIME


class TestMine:
    def test_one(self, devchain: Runner) -> None:
        """Without a number one block is mined."""
        assert devchain("mine") == Result(0, "Mined 1 block; the head is block 1.\n", "")

    def test_many(self, devchain: Runner) -> None:
        """Any number can be mined; without a terminal no progress is shown."""
        assert devchain("mine", "250") == Result(
            0, "Mined 250 blocks; the head is block 250.\n", ""
        )

    def test_chunks(self, run_on: Callable[..., Result]) -> None:
        """Many blocks are mined in about a hundred requests; a single one without parameters."""
        node = ScriptedClient(evm_mine="0x0", eth_blockNumber="0x0")
        run_on(node, "mine", "100001")

        blocks = [call[1]["blocks"] if call[1:] else 1 for call in node.calls[1:-1]]
        assert sum(blocks) == 100_001
        assert len(blocks) <= 101

    def test_interrupted(
        self, run_on: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Ctrl-C says how many blocks are mined, those too that the node ends after it."""
        clock = SimpleNamespace(monotonic=lambda: 0.0, sleep=lambda _: None)
        monkeypatch.setattr(mine, "time", clock)
        node = ScriptedClient(
            evm_mine=Script(["0x0", KeyboardInterrupt()]),
            eth_blockNumber=Script(["0x5", "0x700", "0x7d5", "0x7d5"]),
        )

        assert run_on(node, "mine", "99999999") == Result(
            130, "", "Interrupted: mined 2,000 of 99,999,999 blocks; the head is block 2,005.\n"
        )

    def test_far_too_many(
        self, run_on: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Requests are made one after the other, however many there would be."""
        monkeypatch.setattr(mine, "time", SimpleNamespace(monotonic=lambda: 0.0))
        node = ScriptedClient(
            evm_mine=Script(["0x0", RpcFailure(-32000, "the disk is full")]),
            eth_blockNumber=Script(["0x5", "0x3ed"]),
        )

        assert run_on(node, "mine", str(10**15)) == Result(
            1,
            "",
            "Failed: mined 1,000 of 1,000,000,000,000,000 blocks; the head is block 1,005.\n"
            "error: the disk is full (code -32000)\n",
        )

    def test_announced(
        self, run_on: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What takes long is announced after the first request."""
        seconds = iter([10.0, 12.5])
        monkeypatch.setattr(mine, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
        node = ScriptedClient(evm_mine="0x0", eth_blockNumber="0x0")

        assert run_on(node, "mine", "100000").err == (
            "100,000 blocks will take about 4 min 10 s: Ctrl-C ends it, what is mined stays\n"
        )

    def test_progress(self, devchain: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
        """On a terminal a progress bar is shown and removed at the end."""
        terminal = Terminal()
        monkeypatch.setattr("sys.stderr", terminal)
        result = devchain("mine", "250")

        assert result.out == "Mined 250 blocks; the head is block 250.\n"
        assert "250/250" in terminal.getvalue()

    def test_timestamp(self, devchain: Runner, node: Node) -> None:
        """--timestamp sets the time of the first block."""
        devchain("mine", "--timestamp", str(GENESIS_TIME + 100))
        devchain("mine", "2", "--timestamp", str(GENESIS_TIME + 200))

        times = [node.chain.block(number).header.timestamp for number in (1, 2)]
        assert times == [GENESIS_TIME + 100, GENESIS_TIME + 200]

    def test_without_parameters(self, run_on: Callable[..., Result]) -> None:
        """A node whose `evm_mine` takes no parameters mines that many blocks all the same."""
        node = Node(Config(like="rskj", fixed_clock=GENESIS_TIME))
        head = node.chain.head.number

        result = run_on(connect(node), "mine", "130")

        assert result == Result(0, f"Mined 130 blocks; the head is block {head + 130}.\n", "")

    def test_timestamp_without_parameters(self, run_on: Callable[..., Result]) -> None:
        """Such a node refuses a timestamp, and nothing is mined."""
        node = Node(Config(like="rskj", fixed_clock=GENESIS_TIME))
        head = node.chain.head.number

        result = run_on(connect(node), "mine", "2", "--timestamp", str(GENESIS_TIME + 100))

        assert (result.code, node.chain.head.number) == (1, head)
        assert "parameters" in result.err
