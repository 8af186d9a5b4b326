"""`devchain.cli.commands.call`"""

from __future__ import annotations

import pytest

from devchain.node import Node
from tests.accounts import ALICE_HEX, BOB_HEX
from tests.actions import deploy
from tests.bytecode import COUNTER, ECHO, ENVIRONMENT, INVALID, REVERT, error_payload, word
from tests.cli.conftest import Ran, Runner


@pytest.fixture
def echo(node: Node) -> str:
    """A contract that returns its calldata."""
    return f"0x{deploy(node, ECHO).hex()}"


class TestCall:
    def test_hex(self, devchain: Runner, echo: str) -> None:
        """Data in hex is answered in hex."""
        assert devchain("call", echo, "0xabcd") == Ran(0, "0xabcd\n", "")

    def test_nothing(self, devchain: Runner, echo: str) -> None:
        """Without data the contract is called with none."""
        assert devchain("call", echo).out == "0x\n"

    def test_signature_without_result(self, devchain: Runner, echo: str) -> None:
        """Without returned types the answer is hex."""
        ran = devchain("call", echo, "set(uint256)", "7")

        assert ran.out == f"0x60fe47b1{word(7).hex()}\n"

    def test_decoded(self, devchain: Runner, node: Node) -> None:
        """With returned types each value has its line; the state does not change."""
        counter = f"0x{deploy(node, COUNTER).hex()}"
        for _ in range(2):
            assert devchain("call", counter, "next()(uint256)").out == "1\n"

    def test_request(self, devchain: Runner, node: Node) -> None:
        """The sender, the value, the gas and the block can be chosen."""
        environment = f"0x{deploy(node, ENVIRONMENT).hex()}"
        types = ",".join(["uint256"] * 7 + ["address"] * 2)
        options = ["--from", BOB_HEX, "--gas", "1000000", "--block", "1", "--value", "1gwei"]
        ran = devchain("call", environment, f"all()({types})", *options)

        assert ran.out.splitlines()[-1].lower() == BOB_HEX
        assert ran.out.splitlines()[0] == "1"

    def test_json(self, devchain: Runner, echo: str) -> None:
        """--json is what the node answered."""
        assert devchain("call", echo, "0xabcd", "--json").out == '"0xabcd"\n'

    def test_revert(self, devchain: Runner, node: Node) -> None:
        """A revert is told in the contract's words."""
        reverting = f"0x{deploy(node, REVERT).hex()}"
        ran = devchain("call", reverting, f"0x{error_payload('not yours').hex()}")

        assert ran == Ran(1, "", "error: the call failed: not yours\n")

    def test_other_failure(self, devchain: Runner, node: Node) -> None:
        """A failure without a payload is told in the node's words."""
        invalid = f"0x{deploy(node, INVALID).hex()}"

        assert "invalid opcode" in devchain("call", invalid).err

    def test_no_contract(self, devchain: Runner) -> None:
        """Asking an account without code is explained."""
        ran = devchain("call", ALICE_HEX, "get()(uint256)")

        assert ran.code == 1
        assert "is there a contract at that address?" in ran.err

    @pytest.mark.parametrize(
        "words",
        [["get"], ["get(uint256)"], ["0xab", "1"], ["get()", "--value", "much"]],
        ids=" ".join,
    )
    def test_wrong_usage(self, devchain: Runner, words: list[str]) -> None:
        """A wrong signature, or arguments that do not fit it, are wrong usage."""
        assert devchain("call", BOB_HEX, *words).code == 2
