"""`devchain.cli.commands.inspect.account`"""

from __future__ import annotations

import json

from devchain.node import Node
from tests.accounts import ALICE_HEX
from tests.actions import deploy
from tests.bytecode import STORE
from tests.cli.conftest import Ran, Runner


class TestAccount:
    def test_funded(self, devchain: Runner) -> None:
        """An account has its checksummed address, balance and nonce."""
        assert devchain("inspect", "account", ALICE_HEX) == Ran(
            0,
            "0xf39FD6e51AAd88F6f4cE6Ab8827279CfFFB92266 · account · at latest\n"
            "Balance       10,000 RBTC · 10000000000000000000000 wei\n"
            "Nonce         0\n"
            "Code          none\n",
            "",
        )

    def test_contract(self, devchain: Runner, node: Node) -> None:
        """A contract has the size and the hash of its code."""
        ran = devchain("inspect", "account", f"0x{deploy(node, STORE).hex()}")

        assert " · contract · " in ran.out
        assert f"Code          {len(STORE)} bytes\nCode hash     0x" in ran.out

    def test_past(self, devchain: Runner) -> None:
        """--block looks at the past."""
        devchain("send", ALICE_HEX)

        assert "Nonce         1\n" in devchain("inspect", "account", ALICE_HEX).out
        assert "Nonce         0\n" in devchain("inspect", "account", ALICE_HEX, "--block", "0").out

    def test_json(self, devchain: Runner) -> None:
        """--json has the node's answers unchanged."""
        found = json.loads(devchain("inspect", "account", ALICE_HEX, "--json").out)

        assert found == {
            "address": ALICE_HEX,
            "balance": "0x21e19e0c9bab2400000",
            "nonce": "0x0",
            "code": "0x",
        }

    def test_bad_address(self, devchain: Runner) -> None:
        """The node refuses what is no address."""
        assert devchain("inspect", "account", "0x12").code == 1
