"""`devchain.cli.commands.inspect.block`"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.node import Node
from tests.accounts import BOB_HEX
from tests.actions import deploy, run
from tests.bytecode import INVALID, NOT_PAYABLE, REVERT, error_payload
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient
from tests.conftest import GENESIS_TIME

CHECKSUMMED_ALICE = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"

ETHEREUM_BLOCK = {
    "number": "0x10",
    "hash": f"0x{'ab' * 32}",
    "timestamp": "0x6553f100",
    "gasLimit": "0x1c9c380",
    "gasUsed": "0x0",
    "baseFeePerGas": "0x7",
    "transactions": [],
}


class TestHeader:
    def test_latest(self, devchain: Runner, client: LocalClient) -> None:
        """The latest block is the default."""
        devchain("mine", "2")
        result = devchain("inspect", "block")

        block = client.call("eth_getBlockByNumber", "0x2", True)
        assert result.code == 0
        assert result.out.startswith(f"Block 2 · 0 transactions\nHash          {block['hash']}\n")
        assert f"Parent        {block['parentHash']}\n" in result.out
        assert "2023-11-14 22:13:22 UTC · " in result.out
        assert "Minimum price 0 wei\n" in result.out

    @pytest.mark.parametrize("name", ["1", "0x1", "hash", "earliest"])
    def test_named(self, devchain: Runner, client: LocalClient, name: str) -> None:
        """A block is selected by number, decimal or hex, by hash or by tag."""
        devchain("mine")
        block_hash = client.call("eth_getBlockByNumber", "0x1", False)["hash"]
        result = devchain("inspect", "block", block_hash if name == "hash" else name)

        assert result.out.startswith(f"Block {0 if name == 'earliest' else 1} ·")

    @pytest.mark.parametrize("name", ["99", f"0x{'ab' * 32}"])
    def test_unknown(self, devchain: Runner, name: str) -> None:
        """An unknown block is an error."""
        result = devchain("inspect", "block", name)

        assert result == Result(1, "", f"error: no block {name} on this node: the newest is 0\n")

    def test_json(self, devchain: Runner, client: LocalClient) -> None:
        """--json prints the block as the node returned it."""
        devchain("send", BOB_HEX)
        found = json.loads(devchain("inspect", "block", "1", "--json").out)

        assert found == client.call("eth_getBlockByNumber", "0x1", True)

    def test_other_node(self, run_on: Callable[..., Result]) -> None:
        """Fields that another node does not return are left out; its base fee is shown."""
        node = ScriptedClient(eth_chainId="0x1", eth_getBlockByNumber=ETHEREUM_BLOCK)
        result = run_on(node, "inspect", "block")

        assert result.code == 0
        assert "Base fee      7 wei\n" in result.out
        assert "Minimum price" not in result.out


class TestTransactions:
    def test_value(self, devchain: Runner) -> None:
        """A transfer has status, sender, recipient, amount, gas and fee."""
        devchain("send", BOB_HEX, "--value", "1.5rbtc", "--gas-price", "1gwei")
        lines = devchain("inspect", "block").out.splitlines()[-4:]

        assert lines[0].startswith("  0 ok        0x")
        assert lines[1:] == [
            f"    from      {CHECKSUMMED_ALICE}",
            "    to        0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
            "              1.5 RBTC · gas 21,000 of 21,000 · fee 0.000021 RBTC",
        ]

    def test_creation(self, devchain: Runner, node: Node) -> None:
        """A creation shows the address of the new contract."""
        deploy(node, REVERT)

        assert "    creates   0x" in devchain("inspect", "block").out

    @pytest.mark.parametrize(
        ("runtime", "value", "data", "reason"),
        [
            (REVERT, 0, error_payload("not yours"), "not yours"),
            (REVERT, 0, bytes.fromhex("12345678"), "custom error 0x12345678"),
            (NOT_PAYABLE, 1, b"", "no reason given"),
            (INVALID, 0, b"", "invalid opcode"),
        ],
        ids=["text", "custom", "silent", "opcode"],
    )
    def test_failed(
        self, devchain: Runner, node: Node, runtime: bytes, value: int, data: bytes, reason: str
    ) -> None:
        """A failed transaction shows the reason."""
        run(node, deploy(node, runtime), data, value=value)
        lines = devchain("inspect", "block").out.splitlines()

        assert lines[-(6 if data else 5)].startswith("  0 failed    0x")
        assert lines[-1] == f"    reason    {reason}"

    def test_failed_creation(self, devchain: Runner, node: Node) -> None:
        """A failed creation shows no address, even if its receipt has one."""
        run(node, None, bytes.fromhex("60006000fd"))
        block = devchain("inspect", "block").out
        tx_hash = f"0x{node.chain.head.transactions[0].hash.hex()}"

        assert "    to        a new contract\n" in block
        assert "creates" not in block
        assert "Creates" not in devchain("inspect", "tx", tx_hash).out
        assert "Created" not in devchain("inspect", "receipt", tx_hash).out


class TestPending:
    @pytest.fixture
    def config(self) -> Config:
        """A node that mines only on request."""
        return Config(network="test", mining=False, fixed_clock=GENESIS_TIME)

    def test_transactions(self, devchain: Runner) -> None:
        """The pending block shows pending transactions, without receipts."""
        devchain("send", BOB_HEX, "--no-wait")
        result = devchain("inspect", "block", "pending")

        assert result.out.startswith("Pending block · 1 transaction\n")
        assert "pending   0x" in result.out
        assert "gas limit 21,000" in result.out
