"""`devchain.cli.commands.inspect.code`"""

from __future__ import annotations

from devchain.node import Node
from tests.accounts import ALICE_HEX
from tests.actions import deploy
from tests.bytecode import STORE
from tests.cli.conftest import Ran, Runner


class TestCode:
    def test_contract(self, devchain: Runner, node: Node) -> None:
        """The code is one line of hex; as JSON in quotes."""
        address = f"0x{deploy(node, STORE).hex()}"

        assert devchain("inspect", "code", address).out == f"0x{STORE.hex()}\n"
        assert devchain("inspect", "code", address, "--json").out == f'"0x{STORE.hex()}"\n'

    def test_none(self, devchain: Runner) -> None:
        """An account without code has 0x."""
        assert devchain("inspect", "code", ALICE_HEX) == Ran(0, "0x\n", "")

    def test_unknown_block(self, devchain: Runner) -> None:
        """A block that is not there is an error."""
        assert devchain("inspect", "code", ALICE_HEX, "--block", "9").code == 1
