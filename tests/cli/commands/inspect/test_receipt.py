"""`devchain.cli.commands.inspect.receipt`"""

from __future__ import annotations

import json

from devchain.client.http import LocalClient
from devchain.node import Node
from tests.actions import send
from tests.bytecode import STORE, init_code
from tests.cli.conftest import Runner


class TestReceipt:
    def test_creation(self, devchain: Runner, node: Node) -> None:
        """The receipt of a creation names the contract."""
        tx_hash = send(node, None, init_code(STORE))
        ran = devchain("inspect", "receipt", f"0x{tx_hash.hex()}")

        assert ran.out.startswith("Receipt ok\n")
        assert "Created       0x" in ran.out
        assert "\nTo " not in ran.out

    def test_json(self, devchain: Runner, client: LocalClient, node: Node) -> None:
        """--json is the receipt exactly as the node answered it."""
        tx_hash = f"0x{send(node, None, init_code(STORE)).hex()}"
        found = json.loads(devchain("inspect", "receipt", tx_hash, "--json").out)

        assert found == client.call("eth_getTransactionReceipt", tx_hash)

    def test_unknown(self, devchain: Runner) -> None:
        """A transaction that is not there is an error."""
        assert devchain("inspect", "receipt", f"0x{'ab' * 32}").code == 1
