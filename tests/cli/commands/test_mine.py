"""`devchain.cli.commands.mine`: `mine`, `snapshot`, `revert`"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devchain import Config, connect
from devchain.errors import RpcFailure
from devchain.node import Node
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import Script, ScriptedClient
from tests.conftest import GENESIS_TIME


class TestMine:
    def test_one(self, devchain: Runner) -> None:
        """Without a number one block is mined."""
        assert devchain("mine") == Result(0, "Mined 1 block; the head is block 1.\n", "")

    def test_many(self, devchain: Runner) -> None:
        """Any number can be mined, in several requests."""
        assert devchain("mine", "1250") == Result(
            0, "Mined 1,250 blocks; the head is block 1,250.\n", ""
        )

    @pytest.mark.parametrize(
        ("failure", "event", "rest"),
        [
            (KeyboardInterrupt(), "Interrupted", ""),
            (RpcFailure(-32000, "the disk is full"), "Failed", "error: the disk is full"),
        ],
        ids=["Ctrl-C", "failure"],
    )
    def test_far_too_many(
        self, run_on: Callable[..., Result], failure: BaseException, event: str, rest: str
    ) -> None:
        """Requests are made one after the other; at the end it says how many blocks are mined."""
        node = ScriptedClient(
            evm_mine=Script(["0x0", failure]), eth_blockNumber=Script(["0x5", "0x3ed"])
        )
        result = run_on(node, "mine", str(10**15))
        note, _, error = result.err.partition("\n")

        assert node.calls[1] == ("evm_mine", {"blocks": 1_000})
        assert note == (
            f"{event}: mined 1,000 of 1,000,000,000,000,000 blocks; the head is block 1,005."
        )
        assert error.startswith(rest)

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


class TestSnapshot:
    def test_id(self, devchain: Runner) -> None:
        """The id is printed to stdout, a hint how to use it to stderr."""
        result = devchain("snapshot")

        assert result == Result(0, "0x1\n", "revert to it with `devchain revert 0x1`\n")


class TestRevert:
    @pytest.mark.parametrize("written", ["0x1", "1"])
    def test_back(self, devchain: Runner, written: str) -> None:
        """The chain is reverted; the id may be hex or decimal."""
        devchain("snapshot")
        devchain("mine", "3")
        result = devchain("revert", written)

        assert result == Result(0, "Reverted to snapshot 0x1; the head is block 0.\n", "")

    def test_unknown(self, devchain: Runner) -> None:
        """A snapshot that does not exist is an error, with its id as it was written."""
        assert devchain("revert", "99") == Result(1, "", "error: no snapshot 99 on this node\n")
        assert devchain("revert", "0x7") == Result(1, "", "error: no snapshot 0x7 on this node\n")

    def test_no_number(self, devchain: Runner) -> None:
        """An id that is not a number is wrong usage."""
        assert devchain("revert", "last").code == 2
