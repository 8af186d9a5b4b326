"""`devchain.cli.commands.call`"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from devchain.errors import RpcFailure
from devchain.node import Node
from tests.accounts import ALICE_HEX, BOB, BOB_HEX
from tests.actions import deploy
from tests.bytecode import COUNTER, ECHO, ENVIRONMENT, INVALID, REVERT, error_payload, word
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient
from tests.contracts.till import TILL, WHERE
from tests.contracts.vault import VAULT

NO_ACCOUNTS: list[dict[str, Any]] = [{}, {"eth_accounts": []}]


@pytest.fixture
def echo(node: Node) -> str:
    """A contract that returns its calldata."""
    return f"0x{deploy(node, ECHO).hex()}"


class TestCall:
    def test_hex(self, devchain: Runner, echo: str) -> None:
        """Call data in hex gives a result in hex."""
        assert devchain("call", echo, "0xabcd") == Result(0, "0xabcd\n", "")

    def test_nothing(self, devchain: Runner, echo: str) -> None:
        """Without a signature the call data is empty."""
        assert devchain("call", echo).out == "0x\n"

    def test_signature_without_result(self, devchain: Runner, echo: str) -> None:
        """Without return types the result is hex."""
        outcome = devchain("call", echo, "set(uint256)", "7")

        assert outcome.out == f"0x60fe47b1{word(7).hex()}\n"

    def test_decoded(self, devchain: Runner, node: Node) -> None:
        """With return types each value has a line; the state does not change."""
        counter = f"0x{deploy(node, COUNTER).hex()}"
        for _ in range(2):
            assert devchain("call", counter, "next()(uint256)").out == "1\n"

    def test_request(self, devchain: Runner, node: Node) -> None:
        """The sender, the value, the gas and the block can be chosen."""
        environment = f"0x{deploy(node, ENVIRONMENT).hex()}"
        types = ",".join(["uint256"] * 7 + ["address"] * 2)
        options = ["--from", BOB_HEX, "--gas", "1000000", "--block", "1", "--value", "1gwei"]
        outcome = devchain("call", environment, f"all()({types})", *options)

        assert outcome.out.splitlines()[-1].lower() == BOB_HEX
        assert outcome.out.splitlines()[0] == "1"

    def test_sender(self, devchain: Runner, node: Node, run_on: Callable[..., Result]) -> None:
        """The sender is the node's first account, as of `send`, or the node's choice."""
        environment = f"0x{deploy(node, ENVIRONMENT).hex()}"
        types = ",".join(["uint256"] * 7 + ["address"] * 2)
        outcome = devchain("call", environment, f"all()({types})", "--gas", "1000000")

        assert outcome.out.splitlines()[-1].lower() == ALICE_HEX
        for answers in NO_ACCOUNTS:
            scripted = ScriptedClient(eth_call="0x", **answers)
            run_on(scripted, "call", BOB_HEX)
            assert scripted.calls[-1] == ("eth_call", {"to": BOB_HEX, "data": "0x"}, "latest")

    def test_json(self, devchain: Runner, echo: str) -> None:
        """--json prints the node's result."""
        assert devchain("call", echo, "0xabcd", "--json").out == '"0xabcd"\n'

    def test_revert(self, devchain: Runner, node: Node) -> None:
        """A revert shows the contract's reason."""
        reverting = f"0x{deploy(node, REVERT).hex()}"
        outcome = devchain("call", reverting, f"0x{error_payload('not yours').hex()}")

        assert outcome == Result(1, "", "error: the call failed: not yours\n")

    def test_no_function(self, devchain: Runner, node: Node, run_on: Callable[..., Result]) -> None:
        """A revert without a reason is explained; it may be a function that is not there."""
        vault = f"0x{node.deploy(VAULT, 100).address.hex()}"
        scripted = ScriptedClient(
            eth_call=RpcFailure(3, "execution reverted"), eth_chainId="0x1f", eth_accounts=[]
        )

        assert devchain("call", vault, "nam()(string)").err.splitlines() == [
            "error: the call failed: no reason given",
            "hint: Vault has no function with the selector 0x9af9bec0",
            "  at Vault.0x9af9bec0()",
        ]
        assert run_on(scripted, "call", vault, "nam()(string)").err == (
            "error: the call failed: no reason given; the contract may have no function nam()\n"
        )
        scripted = ScriptedClient(eth_call=RpcFailure(3, "execution reverted"), eth_accounts=[])
        assert run_on(scripted, "call", vault, "0x12345678").err.endswith("no reason given\n")

    def test_source(self, devchain: Runner, node: Node) -> None:
        """A call that fails in a contract whose source is known shows where."""
        till = f"0x{node.deploy(TILL, sender=BOB).address.hex()}"

        assert devchain("call", till, "setRate(uint256)", "3").err.splitlines() == [
            "error: the call failed: not the owner ✋",
            *WHERE,
        ]

    def test_other_failure(self, devchain: Runner, node: Node) -> None:
        """A failure without a payload shows the node's message."""
        invalid = f"0x{deploy(node, INVALID).hex()}"

        assert "invalid opcode" in devchain("call", invalid).err

    def test_no_contract(self, devchain: Runner) -> None:
        """Calling an account without code is explained."""
        outcome = devchain("call", ALICE_HEX, "get()(uint256)")

        assert outcome.code == 1
        assert "is there a contract with that function at that address?" in outcome.err

    @pytest.mark.parametrize(
        "words",
        [["get"], ["get(uint256)"], ["0xab", "1"], ["get()", "--value", "much"]],
        ids=" ".join,
    )
    def test_wrong_usage(self, devchain: Runner, words: list[str]) -> None:
        """A wrong signature, or arguments that do not match it, are wrong usage."""
        assert devchain("call", BOB_HEX, *words).code == 2
