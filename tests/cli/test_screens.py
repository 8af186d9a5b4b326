"""The screens of `devchain inspect` on terminals of 40, 80 and 120 columns, with a real chain"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import ExecutionReverted
from devchain.node import Node
from devchain.text import columns
from devchain.types import TransactionRequest, checksum
from tests.accounts import ALICE, BOB, BOB_HEX
from tests.actions import deploy, run
from tests.bytecode import REVERT, error_payload
from tests.cli.conftest import Result
from tests.cli.scripted import Terminal
from tests.conftest import GENESIS_TIME
from tests.contracts.vault import VAULT

HEX = re.compile("0x(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{40})(?![0-9a-fA-F])")

Screen = Callable[..., str]


@pytest.fixture
def screen(client: LocalClient, run_on: Callable[..., Result]) -> Screen:
    """What a command shows on a terminal of some columns: `screen(80, "inspect", "chain")`."""

    def show(width: int, *words: str) -> str:
        with pytest.MonkeyPatch.context() as patch:
            terminal = Terminal()
            patch.setattr("sys.stdout", terminal)
            patch.setenv("COLUMNS", str(width))
            patch.setenv("NO_COLOR", "1")
            assert run_on(client, *words).code == 0
        return terminal.getvalue()

    return show


@pytest.fixture
def deposit(node: Node) -> str:
    """A mined deposit into a vault, in block 2."""
    vault = node.deploy(VAULT, 100)
    return f"0x{vault.deposit(value=5).hash.hex()}"


def failed(node: Node) -> str:
    """A mined withdrawal that failed with a custom error that has an address."""
    vault = node.deploy(VAULT, 100)
    with pytest.raises(ExecutionReverted):
        vault.withdraw(sender=BOB)
    return f"0x{node.chain.head.transactions[0].hash.hex()}"


COMMANDS = [
    ["inspect", "chain"],
    ["inspect", "block", "2"],
    ["inspect", "tx", "HASH"],
    ["inspect", "receipt", "HASH"],
    ["inspect", "account", BOB_HEX],
    ["inspect", "logs"],
    ["inspect", "storage", BOB_HEX, "0", "--count", "2"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("width", [40, 80, 120])
def test_width(screen: Screen, deposit: str, words: list[str], width: int) -> None:
    """Nothing is wider than the terminal but a value that is wider, and no value is broken."""
    words = [each.replace("HASH", deposit) for each in words]
    whole = screen(1_000, *words)
    shown = screen(width, *words)

    assert sorted(HEX.findall(shown)) == sorted(HEX.findall(whole))
    if "Calls" not in whole:  # whose branches are longer when they are wrapped
        assert "".join(shown.split()) == "".join(whole.split())
    for line in shown.splitlines():
        assert columns(line) <= width or (width == 40 and HEX.search(line)), line


class TestNames:
    def test_tx(self, screen: Screen, node: Node, deposit: str) -> None:
        """A transaction has contract, function and event by name; selector and size are there."""
        [tx] = node.chain.head.transactions
        assert tx.to is not None
        vault = checksum(tx.to)
        shown = screen(80, "inspect", "tx", deposit)

        assert f"\nTo            {vault} (Vault)\n" in shown
        assert "\nInput         Vault.deposit()\n              0xd0e30db0 · 4 bytes\n" in shown
        assert f"\nLog 0\nAddress       {vault} (Vault)\n" in shown
        assert (
            f"\nEvent         Deposited(from={checksum(ALICE)},\n              amount=5)\n" in shown
        )
        assert "Topic" not in shown

    def test_creation(self, screen: Screen, node: Node) -> None:
        """A creation has the constructor's arguments and the name at the new address."""
        vault = node.deploy(VAULT, 100)
        tx_hash = f"0x{node.chain.head.transactions[0].hash.hex()}"
        shown = screen(80, "inspect", "tx", tx_hash)

        assert f"\nCreates       {checksum(vault.address)} (Vault)\n" in shown
        assert "\nInput         new Vault(secondsLocked=100)\nInit code     " in shown
        assert " (Vault)\n" in screen(80, "inspect", "receipt", tx_hash)

    def test_block(self, screen: Screen, node: Node) -> None:
        """The transactions of a block have names of contracts and functions, and reasons."""
        tx_hash = failed(node)
        lines = screen(80, "inspect", "block").splitlines()[-7:]

        assert lines[0] == f"  0 failed    {tx_hash}"
        assert lines[2].endswith(" (Vault)")
        assert lines[3] == "    call      Vault.withdraw()"
        assert lines[5:] == [
            "    reason    custom error",
            f"              NotOwner(caller={checksum(BOB)})",
        ]

    def test_unknown_selector(self, screen: Screen, node: Node) -> None:
        """A function that no artifact has is shown by its selector and the size of its data."""
        run(node, deploy(node, REVERT), bytes.fromhex("12345678") + bytes(64), gas=200_000)

        assert "\n    call      0x12345678 · 68 bytes\n" in screen(80, "inspect", "block")

    def test_logs(self, screen: Screen, deposit: str) -> None:
        """Logs have the event and the name of the contract."""
        shown = screen(120, "inspect", "logs")

        assert f"Event         Deposited(from={checksum(ALICE)}, amount=5)\n" in shown


class TestMempool:
    @pytest.fixture
    def config(self) -> Config:
        """A node that mines only on request."""
        return Config(network="test", mining=False, fixed_clock=GENESIS_TIME)

    def test_names(self, screen: Screen, node: Node) -> None:
        """Waiting transactions have what they call."""
        node.artifacts.add(VAULT)
        [deposit] = VAULT.abi.functions_named("deposit")
        node.send(TransactionRequest(sender=ALICE, to=BOB, data=deposit.selector))

        assert "    call      deposit(), but no contract has this address\n" in screen(
            80, "inspect", "mempool"
        )


FILLERS = {
    "line break": "\n",
    "spaces": " " * 200,
    "wide": "界" * 90,
    "escape": "\x1b[2J\r",
    "separator": "\u2028",
}


class TestReasons:
    @pytest.mark.parametrize("width", [40, 80, 120])
    @pytest.mark.parametrize("filler", FILLERS.values(), ids=FILLERS)
    def test_no_forged_lines(self, screen: Screen, node: Node, width: int, filler: str) -> None:
        """A reason begins no line of its own, in Calls as in Reason."""
        payload = error_payload(f"x{filler}└─ ✓ Token.fake() [0 gas]")
        tx = run(node, deploy(node, REVERT), payload, gas=200_000).transaction
        shown = screen(width, "inspect", "tx", f"0x{tx.hash.hex()}")

        assert all(columns(each) <= width or HEX.search(each) for each in shown.splitlines())
        calls = shown[shown.index("\nCalls\n") :].splitlines()[2:]
        first = next(index for index, each in enumerate(calls) if "✗ reverted" in each)
        assert calls[first].startswith("  └─ ✗ reverted:")
        assert all(each.startswith("      ") for each in calls[first + 1 :])

    def test_long(self, screen: Screen, node: Node) -> None:
        """A very long reason is shortened."""
        payload = error_payload("long " * 3_000)
        tx = run(node, deploy(node, REVERT), payload, gas=3_000_000).transaction
        shown = screen(80, "inspect", "tx", f"0x{tx.hash.hex()}")

        assert 1_000 < shown.count("long") < 1_500
        assert "long ...\n" in shown
