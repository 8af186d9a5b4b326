"""`devchain.cli.commands.inspect.gas`"""

from __future__ import annotations

import json

from devchain.node import Node
from tests.actions import deploy, send
from tests.bytecode import assemble
from tests.cli.conftest import Runner
from tests.contracts.till import TILL


class TestGas:
    def test_tables(self, devchain: Runner, node: Node) -> None:
        """Functions, lines with their text, and storage by name; rows fit into 80 columns."""
        till = node.deploy(TILL)
        sent = till.setRate(3)

        result = devchain("inspect", "gas", f"0x{sent.hash.hex()}")

        assert result.code == 0
        assert result.out.startswith(f"Gas {sent.gas_used:,}")
        assert "calls  function\n" in result.out
        assert "Till.setRate\n" in result.out
        assert "Till.sol:" in result.out
        assert all(len(line) <= 80 for line in result.out.splitlines())

    def test_all(self, devchain: Runner, node: Node) -> None:
        """Only the first rows are shown, --all shows the others."""
        code = "".join(f"1 {slot} SSTORE " for slot in range(12))
        tx_hash = f"0x{send(node, deploy(node, assemble(code)), gas=500_000).hex()}"

        short, whole = (
            devchain("inspect", "gas", tx_hash, *options) for options in ((), ("--all",))
        )

        assert short.out.count("slot 0x") == 10
        assert "2 more: --all shows them" in short.err
        assert whole.out.count("slot 0x") == 12

    def test_hashed_slots(self, devchain: Runner, node: Node) -> None:
        """The number of a slot that is a hash is shortened, and whole in JSON."""
        slot = "ab" * 32
        sent = send(node, deploy(node, assemble(f"1 0x{slot} SSTORE")))

        shown, written = (
            devchain("inspect", "gas", f"0x{sent.hex()}", *options) for options in ((), ("--json",))
        )

        assert "slot 0xabababab…abab" in shown.out
        assert slot in written.out

    def test_json(self, devchain: Runner, node: Node) -> None:
        """The node's result."""
        tx_hash = f"0x{send(node, deploy(node, assemble('1 0 SSTORE'))).hex()}"

        result = devchain("inspect", "gas", tx_hash, "--json")

        assert json.loads(result.out)["storage"][0]["writes"] == "0x1"

    def test_unknown(self, devchain: Runner) -> None:
        """A transaction that is not mined is an error."""
        result = devchain("inspect", "gas", f"0x{'00' * 32}")

        assert result.code == 1
        assert "is not mined" in result.err
