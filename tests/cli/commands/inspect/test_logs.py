"""`devchain.cli.commands.inspect.logs`"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from eth_hash.auto import keccak

from devchain.cli.commands.inspect.logs import LogLines
from devchain.client.http import LocalClient
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.types import checksum
from tests.accounts import ALICE, ALICE_HEX
from tests.actions import deploy, run
from tests.bytecode import EMIT, word
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient
from tests.contracts.vault import VAULT


@pytest.fixture
def emitter(node: Node) -> str:
    """A contract that has emitted topics (1, 2) in block 2 and (1, 3) in block 3."""
    address = deploy(node, EMIT)
    for second in (2, 3):
        run(node, address, word(1) + word(second))
    return f"0x{address.hex()}"


def titles(result: Result) -> list[str]:
    """The first lines of the logs shown."""
    return [line for line in result.out.splitlines() if line.startswith("Log")]


def topic(number: int) -> str:
    """A topic as 32 bytes in hex."""
    return f"0x{word(number).hex()}"


class TestLogs:
    def test_newest(self, devchain: Runner, emitter: str) -> None:
        """Without a range the newest logs of the chain are shown, the newest last."""
        devchain("mine", "2")
        result = devchain("inspect", "logs")

        assert titles(result) == ["Log 0 · block 2", "Log 0 · block 3"]
        assert f"Topic 1       {topic(3)}\n" in result.out
        assert result.err == ""

    def test_count(self, devchain: Runner, emitter: str) -> None:
        """--count limits them, and a note says so; in a range, too."""
        for options in ([], ["--from", "0"]):
            result = devchain("inspect", "logs", "--count", "1", *options)

            assert titles(result) == ["Log 0 · block 3"]
            assert result.err.startswith("these are the newest 1 ")

    def test_up_to(self, devchain: Runner, emitter: str) -> None:
        """With --to alone they are the newest up to that block."""
        assert titles(devchain("inspect", "logs", "--to", "2")) == ["Log 0 · block 2"]

    def test_events(self, devchain: Runner, node: Node) -> None:
        """Logs of contracts with an artifact have event, arguments and names, no topics."""
        vault = node.deploy(VAULT, 100)
        vault.deposit(value=5)
        lines = devchain("inspect", "logs").out.splitlines()

        assert lines[2].startswith("Address       0x")
        assert lines[2].endswith(" (Vault)")
        assert lines[3] == f"Event         Deposited(from={checksum(ALICE)}, amount=5)"
        assert lines[4:] == [""]

    @pytest.mark.parametrize(
        ("options", "blocks"),
        [
            (["--from", "0"], [2, 3]),
            (["--from", "0", "--to", "2"], [2]),
            (["--from", "0", "--address", ALICE_HEX], []),
            ([ALICE_HEX], []),
            (["--from", "0", "--topic", topic(1), "--topic", topic(3)], [3]),
            (["--from", "0", "--topic", "*", "--topic", f"{topic(2)},{topic(3)}"], [2, 3]),
        ],
        ids=["from", "to", "--address", "address", "topics", "alternatives"],
    )
    def test_query(
        self, devchain: Runner, emitter: str, options: list[str], blocks: list[int]
    ) -> None:
        """Logs are filtered by range, addresses and topics."""
        found = json.loads(devchain("inspect", "logs", "--json", *options).out)

        assert [int(each["blockNumber"], 16) for each in found] == blocks

    def test_event(self, devchain: Runner, node: Node) -> None:
        """A topic may be an event's signature, also beside other topics."""
        event = keccak(b"Paid(address,uint256)")
        address = deploy(node, EMIT)
        run(node, address, event + word(1))
        run(node, address, word(1) + word(2))

        for topics, found in (
            ("Paid(address,uint256)", 1),
            (f"{topic(1)},Paid(address,uint256)", 2),
            ("Paid(address)", 0),
        ):
            out = devchain("inspect", "logs", "--json", "--from", "0", "--topic", topics).out
            assert len(json.loads(out)) == found

    def test_block_hash(self, devchain: Runner, client: LocalClient, emitter: str) -> None:
        """A block hash selects only that block."""
        block_hash = client.call("eth_getBlockByNumber", "0x2", False)["hash"]
        result = devchain("inspect", "logs", "--from", block_hash)

        assert result.out.startswith("Log 0 · block 2\n")

    @pytest.mark.parametrize(
        ("options", "code", "message"),
        [
            (["--from", "3", "--to", "2"], 2, "the range is reversed: --from is block 3, --to is"),
            (["--from", "latest", "--to", "0"], 2, "--from is block 3, --to is block 0"),
            (["--from", "1,234"], 1, "block 1,234 is not mined yet: the newest is block 3"),
            (["--address", "0x12"], 2, "'--address': '0x12' is not an address: give 0x and 40 hex"),
            (["--topic", f"{topic(1)},0x12"], 2, "'0x12' is not a hash: give 0x and 64 hex digits"),
            (["--topic", "Transfer"], 2, "such as 'Transfer(address,uint256)'"),
            (["--topic", "Paid(address"], 2, "'Paid(address' is not a signature"),
            (["--count", "0"], 2, "'--count': 0 is out of range: give at least 1"),
            (["--follow", "--to", "2"], 2, "--follow has no end"),
            (["--interval", "99"], 2, "Invalid value for '--interval': "),
            (["--interval", "x"], 2, "Invalid value for '--interval': "),
        ],
        ids=str,
    )
    def test_wrong(
        self, devchain: Runner, emitter: str, options: list[str], code: int, message: str
    ) -> None:
        """Wrong ranges, addresses and topics are refused in plain words."""
        result = devchain("inspect", "logs", *options)

        assert (result.code, result.out) == (code, "")
        assert message in result.err
        assert "code -32" not in result.err


def test_default_blocks(run_on: Callable[..., Result]) -> None:
    """Without a range the newest blocks are searched, and a note says which."""
    node = ScriptedClient(eth_getBlockByNumber={"number": hex(10**7)}, eth_getLogs=[])
    result = run_on(node, "inspect", "logs")

    assert node.calls[-1] == ("eth_getLogs", {"fromBlock": hex(9_990_001)})
    assert result.err == ("no logs in blocks 9,990,001 to 10,000,000: --from looks further back\n")


def emit(node: Node, *topics: int) -> None:
    """A new contract emits (1, topic) for each topic."""
    address = deploy(node, EMIT)
    for second in topics:
        run(node, address, word(1) + word(second))


def new(lines: LogLines) -> list[int]:
    """The second topics of the new logs, negative of those that were taken back."""
    logs = lines.read_new()
    return [int(log["topics"][1], 16) * (-1 if log.get("removed") else 1) for log in logs]


class TestFollow:
    def test_from(self, node: Node, client: LocalClient) -> None:
        """With --from the existing logs come first, then new ones, each once."""
        emit(node, 1)
        lines = LogLines(client, {"fromBlock": "0x0"}, as_json=False)
        followed = [new(lines), new(lines)]
        emit(node, 2, 3)

        assert [*followed, new(lines), new(lines)] == [[1], [], [2, 3], []]

    def test_later(self, node: Node, client: LocalClient) -> None:
        """A --from that is not mined yet is waited for."""
        lines = LogLines(client, {"fromBlock": "0x4"}, as_json=False)
        assert new(lines) == []
        emit(node, 1, 2, 3)

        assert new(lines) == [3]

    def test_revert_and_reset(self, node: Node, client: LocalClient) -> None:
        """Logs of blocks taken back come again as removed; a lost filter gets a successor."""
        emit(node, 1)
        lines = LogLines(client, {}, as_json=False)
        followed = [new(lines)]
        snapshot = client.call("evm_snapshot")
        emit(node, 2)
        followed.append(new(lines))
        client.call("evm_revert", snapshot)
        emit(node, 3)
        followed.append(new(lines))
        client.call("hardhat_reset")
        with pytest.raises(RpcFailure, match="filter not found"):
            new(lines)
        followed.append(new(lines))
        emit(node, 4)
        followed += [new(lines), new(lines)]

        assert followed == [[], [2], [-2, 3], [], [4], []]

    @pytest.mark.parametrize(
        ("options", "shown"),
        [([], "Log 0 · block 2\n"), (["--json"], '{"removed": false, "logIndex": ')],
        ids=["text", "json"],
    )
    def test_command(
        self,
        run_on: Callable[..., Result],
        node: Node,
        client: LocalClient,
        options: list[str],
        shown: str,
    ) -> None:
        """Logs are shown as they come until Ctrl-C, with --json one in each line."""
        vault = node.deploy(VAULT, 100)
        vault.deposit(value=5)
        words = ["--follow", "--from", "0", "--interval", "0.1", *options]
        result = run_on(Interrupted(client), "inspect", "logs", *words)

        assert (result.code, result.err) == (130, "")
        assert result.out.startswith(shown)


class Interrupted:
    """A client with Ctrl-C when a filter is polled."""

    def __init__(self, client: LocalClient) -> None:
        self._client = client
        self.batch = client.batch

    def call(self, method: str, *params: object) -> Any:
        """One call."""
        if method == "eth_getFilterChanges":
            raise KeyboardInterrupt
        return self._client.call(method, *params)
