"""`devchain watch` where there is no terminal"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from devchain.cli.chain_follower import follow
from devchain.cli.commands.watch import EventLines
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import ConnectionFailed, ExecutionReverted, RpcFailure
from devchain.node import Node
from devchain.types import checksum
from tests.accounts import ALICE, ALICE_HEX, BOB, BOB_HEX
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient, Terminal
from tests.cli.tui.chains import STEPS, ChangingChain
from tests.conftest import GENESIS_TIME
from tests.contracts.vault import VAULT

PLACE = "Vault.sol:27"
"""The line of `withdraw` that fails."""


def events(text: str) -> list[dict[str, Any]]:
    """The objects in lines of JSON."""
    return [json.loads(each) for each in text.splitlines()]


class TestJson:
    @given(STEPS)
    @settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_drawn_chains(
        self, capsys: pytest.CaptureFixture[str], steps: list[tuple[str, int]]
    ) -> None:
        """Who reads the lines has every block and transaction of the chain, after any changes."""
        with Node(Config(network="test", fixed_clock=GENESIS_TIME)) as node:
            client = LocalClient(node)
            chain, lines = ChangingChain(client), EventLines(client, count=1_000, as_json=True)
            blocks: list[str] = []
            transactions: dict[str, str] = {}
            for step, count in [*steps, ("poll", 0)]:
                chain.do(step, count)
                if step != "poll":
                    continue
                lines.write_new()
                for each in events(capsys.readouterr().out):
                    if each["event"] == "removed":
                        assert blocks.pop() == each["hash"]
                    elif each["event"] == "block":
                        blocks.append(each["hash"])
                        left = each["transactions"]
                    else:
                        transactions[each["hash"]] = blocks[-1]
                        left -= 1

                assert blocks == chain.hashes()
                mined = [node.chain.block(each) for each in range(len(blocks))]
                assert [f"0x{tx.hash.hex()}" for block in mined for tx in block.transactions] == [
                    tx for tx, block in transactions.items() if block in blocks
                ]

    def test_members(self, node: Node, devchain: Runner) -> None:
        """A transaction has what the log of a node has of it."""
        vault = node.deploy(VAULT, 100)
        with pytest.raises(ExecutionReverted):
            vault.withdraw(sender=BOB)
        block, failed = events(devchain("watch", "--once", "--json").out)[-2:]

        assert block == {
            "event": "block",
            "number": 2,
            "hash": f"0x{node.chain.head.hash.hex()}",
            "timestamp": node.chain.head.timestamp,
            "transactions": 1,
            "gasUsed": node.chain.head.gas_used,
            "gasLimit": node.chain.head.header.gas_limit,
        }
        assert failed == {
            "event": "transaction",
            "hash": f"0x{node.chain.head.transactions[0].hash.hex()}",
            "blockNumber": 2,
            "from": BOB_HEX,
            "to": f"0x{vault.address.hex()}",
            "contractAddress": None,
            "value": "0x0",
            "gas": node.chain.head.transactions[0].gas,
            "gasUsed": node.chain.head.gas_used,
            "succeeded": False,
            "failure": f"custom error NotOwner(caller={checksum(BOB)})",
            "called": "Vault.withdraw()",
            "places": [PLACE],
        }


class TestText:
    def test_lines(self, node: Node, devchain: Runner) -> None:
        """Each block and transaction is a line, with names, values and reasons."""
        vault = node.deploy(VAULT, 100)
        vault.deposit(value=5)
        with pytest.raises(ExecutionReverted):
            vault.withdraw(sender=BOB)
        lines = devchain("watch", "--once").out.splitlines()
        hashes = [f"0x{node.chain.block(each).transactions[0].hash.hex()}" for each in (1, 2, 3)]
        gas = [f"{node.chain.block(each).gas_used:,}" for each in (1, 2, 3)]

        assert lines[0].startswith("block 0 0x")
        assert lines[1].endswith(f" · 1 transaction · gas {gas[0]} of 6,800,000")
        assert lines[2] == (
            f"  ok {hashes[0]} · {checksum(ALICE)} → new Vault(secondsLocked=100) at "
            f"{checksum(vault.address)} · gas {gas[0]}"
        )
        assert lines[4] == (
            f"  ok {hashes[1]} · {checksum(ALICE)} → Vault.deposit() · 5 wei · gas {gas[1]}"
        )
        assert lines[6] == (
            f"  failed {hashes[2]} · {checksum(BOB)} → Vault.withdraw() · gas {gas[2]} · "
            f"custom error NotOwner(caller={checksum(BOB)}) · {PLACE}"
        )

    def test_many_at_once(self, client: LocalClient, capsys: pytest.CaptureFixture[str]) -> None:
        """However many blocks are mined at once, each has its line."""
        lines = EventLines(client, count=0, as_json=False)
        lines.write_new()
        client.call("hardhat_mine", hex(997))
        lines.write_new()
        written = capsys.readouterr().out.splitlines()

        assert [each.split()[1] for each in written] == [f"{each:,}" for each in range(1, 998)]

    def test_taken_back(self, client: LocalClient, capsys: pytest.CaptureFixture[str]) -> None:
        """Blocks taken back have lines, the newest first."""
        lines = EventLines(client, count=5, as_json=False)
        snapshot = client.call("evm_snapshot")
        client.call("hardhat_mine", "0x2")
        head = client.call("eth_getBlockByNumber", "latest", False)["hash"]
        lines.write_new()
        client.call("evm_revert", snapshot)
        capsys.readouterr()
        lines.write_new()
        written = capsys.readouterr().out.splitlines()

        assert written[0] == f"block 2 {head} taken back"
        assert written[1].startswith("block 1 ")
        assert len(written) == 2

    def test_without_names(self, client: LocalClient, devchain: Runner) -> None:
        """What no artifact has anything of is shown by address and selector."""
        request = {"from": ALICE_HEX, "to": BOB_HEX, "data": "0x12345678", "gas": "0x9c40"}
        client.call("eth_sendTransaction", request)
        client.call("eth_sendTransaction", {"from": ALICE_HEX, "data": "0x00", "gas": "0xffff"})
        call, creation = devchain("watch", "--once").out.splitlines()[2::2]

        assert f" → {checksum(BOB)} 0x12345678 · gas " in call
        assert " → a new contract at 0x" in creation


class Stop(Exception):
    """The end of following, in place of Ctrl-C."""


class TestFollow:
    def run(self, lines: Any, polls: int) -> None:
        """Follow for so many polls."""
        left = [None] * (polls - 1)

        def sleep(_: float) -> None:
            if not left:
                raise Stop
            left.pop()

        with pytest.raises(Stop):
            follow(lines.write_new, "http://127.0.0.1:4444", 0.5, sleep=sleep)

    def test_waits(self, client: LocalClient, capsys: pytest.CaptureFixture[str]) -> None:
        """A node that does not answer is waited for, with one note, also at first."""
        gone = ConnectionFailed("no node answers at http://127.0.0.1:4444")
        lines = Interrupted(client, [gone, gone, None, gone, None])
        self.run(lines, 5)
        result = capsys.readouterr()

        waiting = "waiting for node at http://127.0.0.1:4444"
        answers = "the node at http://127.0.0.1:4444 answers"
        assert result.err.splitlines() == [waiting, answers, waiting, answers]
        assert [each.split()[1] for each in result.out.splitlines()] == ["0"]

    def test_passing_error(self, client: LocalClient, capsys: pytest.CaptureFixture[str]) -> None:
        """An error after the first poll is noted, and the next poll goes on."""
        lines = Interrupted(client, [None, RpcFailure(-32005, "too many requests"), None])
        self.run(lines, 3)

        assert "too many requests" in capsys.readouterr().err

    def test_refused(self) -> None:
        """An error of the first poll is raised."""
        with pytest.raises(RpcFailure, match="does not exist"):
            follow(EventLines(ScriptedClient(), count=1, as_json=False).write_new, "x", 1)


class Interrupted(EventLines):
    """Lines whose writing fails with each of some errors in turn."""

    def __init__(self, client: LocalClient, errors: list[Exception | None]) -> None:
        super().__init__(client, count=5, as_json=False)
        self._errors = errors

    def write_new(self) -> None:
        """Write, or fail."""
        if error := self._errors.pop(0):
            raise error
        super().write_new()


def test_without_textual(devchain: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal without Textual lines are written, after a note what to install."""
    monkeypatch.setattr("devchain.cli.commands.watch.find_spec", lambda _: None)
    monkeypatch.setattr("devchain.cli.commands.watch.follow", lambda write, *_: write())
    out, err = Terminal(), Terminal()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    devchain("watch")

    assert out.getvalue().startswith("block 0 0x")
    assert err.getvalue() == 'for a screen instead of lines: pip install "devchain[tui]"\n'


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--account", "0x12", "is not an address"),
        ("--count", "-1", "-1 is out of range: give 0 to 10,000"),
        ("--count", "10001", "out of range"),
        ("--interval", "0", "greater than or equal to 0.1"),
        ("--url", "ftp://x", "is not the URL of a node"),
    ],
)
def test_wrong_options(
    run_on: Callable[..., Result], client: LocalClient, option: str, value: str, reason: str
) -> None:
    """A wrong value of an option is refused in a sentence."""
    from devchain.cli.main import main

    arguments = ["watch", "--once", option, value]
    if option == "--url":
        assert main(arguments) == 1
        return
    result = run_on(client, *arguments)

    assert result.code == 2
    assert reason in " ".join(result.err.split())
