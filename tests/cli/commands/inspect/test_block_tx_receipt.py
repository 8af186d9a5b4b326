"""`devchain.cli.commands.inspect.block_tx_receipt`"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure, VmError
from devchain.node import Node
from tests.accounts import ALICE, ALICE_HEX, BOB, BOB_HEX
from tests.actions import deploy, run, send
from tests.bytecode import (
    EMIT,
    INVALID,
    LOOP,
    NOT_PAYABLE,
    REVERT,
    STORE,
    error_payload,
    init_code,
    word,
)
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient
from tests.conftest import GENESIS_TIME
from tests.contracts.till import TILL

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


class TestBlockTransactions:
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


TX = {"hash": f"0x{'ab' * 32}", "from": ALICE_HEX, "to": BOB_HEX, "gas": "0x64", "input": "0x"}
FAILED = {"status": "0x0", "blockNumber": "0x5", "gasUsed": "0x64"}


class TestTx:
    def test_mined(self, devchain: Runner, node: Node) -> None:
        """A mined transaction has its block, time, cost and logs."""
        tx_hash = send(node, deploy(node, EMIT), word(1) + word(2) + b"hi")
        result = devchain("inspect", "tx", f"0x{tx_hash.hex()}")

        assert result.code == 0
        assert result.out.startswith(
            f"Transaction ok\nHash          0x{tx_hash.hex()}\nBlock         2"
        )
        assert "Time          2023-11-14 22:13:22 UTC · " in result.out
        assert f"Input         66 bytes\n              0x{word(1).hex()}\n" in result.out
        assert "Log 0\nAddress       0x" in result.out
        assert f"Topic 1       0x{word(2).hex()}\nData          0x6869\n" in result.out

    def test_call(self, devchain: Runner, node: Node) -> None:
        """Input that looks like a call is split into selector and arguments."""
        tx_hash = send(node, deploy(node, EMIT), bytes.fromhex("12345678") + word(1) + word(2))
        result = devchain("inspect", "tx", f"0x{tx_hash.hex()}")

        assert (
            f"Input         0x12345678 · 68 bytes\n              0x{word(1).hex()}\n" in result.out
        )

    def test_source(self, devchain: Runner, node: Node) -> None:
        """Below the reason is the place in the source; the calls have it too."""
        till = node.deploy(TILL, sender=BOB)
        with pytest.raises(VmError) as caught:
            till.setRate(3, sender=ALICE)
        tx_hash = f"0x{(caught.value.transaction_hash or b'').hex()}"

        for command in ("tx", "receipt"):
            lines = devchain("inspect", command, tx_hash).out.splitlines()
            assert lines[1:3] == [
                "Reason        not the owner ✋",
                "At            contracts/Till.sol:27",
            ]
        shown = devchain("inspect", "tx", tx_hash).out
        assert shown.endswith(
            "Calls\n"
            "  ✗ Till.setRate(to=3) [21,998 gas]  contracts/Till.sol:67\n"
            "  ├─ in modifier Owned.onlyOwner     contracts/Till.sol:27\n"
            "  └─ ✗ reverted: not the owner ✋\n"
            "       26 │ modifier onlyOwner() {\n"
            '     > 27 │     require(msg.sender == owner, unicode"not the owner ✋");\n'
        )

    def test_out_of_gas(self, devchain: Runner, node: Node) -> None:
        """A transaction that used all its gas is reported as out of gas."""
        tx_hash = send(node, deploy(node, LOOP), word(10**9), gas=50_000)
        result = devchain("inspect", "tx", f"0x{tx_hash.hex()}")

        assert "Reason        out of gas\n" in result.out

    @pytest.mark.parametrize(
        ("used", "answer", "reason"),
        [
            ("0x64", "0x", "out of gas"),
            ("0x63", "0x", "unknown: the same call on the parent block succeeds"),
            ("0x63", RpcFailure(-32000, "header not found"), "header not found"),
        ],
    )
    def test_unknown_reason(
        self, run_on: Callable[..., Result], used: str, answer: object, reason: str
    ) -> None:
        """Without a reproducible revert the reason is out of gas or unknown."""
        node = ScriptedClient(
            eth_getTransactionByHash=TX,
            eth_getTransactionReceipt={**FAILED, "gasUsed": used},
            eth_call=answer,
        )
        result = run_on(node, "inspect", "tx", TX["hash"])

        assert f"Reason        {reason}\n" in result.out
        [at] = [call[2] for call in node.calls if call[0] == "eth_call"]
        assert at == "0x4"

    def test_before_byzantium(self, run_on: Callable[..., Result]) -> None:
        """A receipt without status is shown as mined."""
        receipt = {"root": "0xcd", "blockNumber": "0x5", "gasUsed": "0x1"}
        node = ScriptedClient(eth_getTransactionByHash=TX, eth_getTransactionReceipt=receipt)

        assert run_on(node, "inspect", "tx", TX["hash"]).out.startswith("Transaction mined\n")

    def test_long_input(self, devchain: Runner, node: Node) -> None:
        """Only the beginning of a long input is shown."""
        tx_hash = send(node, deploy(node, EMIT), bytes(32 * 20))
        result = devchain("inspect", "tx", f"0x{tx_hash.hex()}")

        assert "… 12 more words; --json shows them" in result.out

    def test_json(self, devchain: Runner, client: LocalClient, node: Node) -> None:
        """--json prints the transaction and the receipt as the node returned them."""
        tx_hash = f"0x{send(node, None, b'').hex()}"
        found = json.loads(devchain("inspect", "tx", tx_hash, "--json").out)

        assert found == {
            "transaction": client.call("eth_getTransactionByHash", tx_hash),
            "receipt": client.call("eth_getTransactionReceipt", tx_hash),
        }

    def test_unknown(self, devchain: Runner) -> None:
        """An unknown transaction is an error."""
        tx_hash = f"0x{'ab' * 32}"

        assert devchain("inspect", "tx", tx_hash) == Result(
            1, "", f"error: no transaction {tx_hash} on this node\n"
        )


class TestPending:
    @pytest.fixture
    def config(self) -> Config:
        """A node that mines only on request."""
        return Config(network="test", mining=False, fixed_clock=GENESIS_TIME)

    def test_block(self, devchain: Runner) -> None:
        """The pending block shows pending transactions, without receipts."""
        devchain("send", BOB_HEX, "--no-wait")
        result = devchain("inspect", "block", "pending")

        assert result.out.startswith("Pending block · 1 transaction\n")
        assert "pending   0x" in result.out
        assert "gas limit 21,000" in result.out

    def test_waiting(self, devchain: Runner) -> None:
        """A pending transaction has no receipt."""
        tx_hash = devchain("send", BOB_HEX, "--no-wait").out.strip()

        assert devchain("inspect", "tx", tx_hash).out.startswith("Transaction pending\n")
        result = devchain("inspect", "receipt", tx_hash)
        assert (result.code, result.out) == (1, "")
        assert "is not mined yet" in result.err


class TestReceipt:
    def test_creation(self, devchain: Runner, node: Node) -> None:
        """The receipt of a creation shows the contract's address."""
        tx_hash = send(node, None, init_code(STORE))
        result = devchain("inspect", "receipt", f"0x{tx_hash.hex()}")

        assert result.out.startswith("Receipt ok\n")
        assert "Created       0x" in result.out
        assert "\nTo " not in result.out


class TestLatest:
    @pytest.mark.parametrize("command", ["tx", "receipt"])
    def test_newest(self, devchain: Runner, client: LocalClient, command: str) -> None:
        """`latest` is the newest transaction, though blocks without any were mined after it."""
        devchain("send", BOB_HEX)
        sent = devchain("send", BOB_HEX, "--no-wait").out.strip()
        devchain("mine", "2")

        assert sent in devchain("inspect", command, "latest").out

    def test_none(self, devchain: Runner) -> None:
        """A chain without transactions has none."""
        result = devchain("inspect", "tx", "latest")

        assert result == Result(1, "", "error: no transaction is mined: give the hash of another\n")


class TestLatestOfRootstock:
    @pytest.fixture
    def config(self) -> Config:
        """A chain whose blocks end with a transaction to REMASC."""
        return Config(network="test", remasc=True, fixed_clock=GENESIS_TIME)

    def test_remasc(self, devchain: Runner) -> None:
        """REMASC's transaction is not the newest one."""
        sent = devchain("send", BOB_HEX, "--no-wait").out.strip()
        devchain("mine")

        assert sent in devchain("inspect", "tx", "latest").out
