"""`devchain.cli.commands.inspect.transaction`"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure, VmError
from devchain.node import Node
from tests.accounts import ALICE, ALICE_HEX, BOB, BOB_HEX
from tests.actions import deploy, send
from tests.bytecode import EMIT, LOOP, STORE, init_code, word
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient
from tests.conftest import GENESIS_TIME
from tests.contracts.till import TILL

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
