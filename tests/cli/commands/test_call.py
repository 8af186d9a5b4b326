"""`devchain.cli.commands.call`"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.types import checksum
from tests.accounts import ALICE_HEX, BOB, BOB_HEX
from tests.actions import deploy
from tests.bytecode import (
    COUNTER,
    ECHO,
    ENVIRONMENT,
    ERC1967_SLOT,
    INVALID,
    PROXY,
    REVERT,
    error_payload,
    word,
)
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient
from tests.contracts.till import TILL, WHERE
from tests.contracts.vault import FILE, VAULT

NO_ACCOUNTS: list[dict[str, Any]] = [{}, {"eth_accounts": []}]


@pytest.fixture
def echo(node: Node) -> str:
    """A contract that returns its calldata."""
    return f"0x{deploy(node, ECHO).hex()}"


@pytest.mark.parametrize("file", ["rates.json", "old_rates.json"])
class TestDecimals:
    """Decimals of Vyper since 0.4 and before are taken as they are shown."""

    def test_round_trip(self, devchain: Runner, node: Node, file: str) -> None:
        """Arguments of constructors and functions are numbers, in arrays and structs too."""
        path = Path(__file__).parents[2] / "contracts" / file
        created = devchain("send", "--create", str(path), "1.5", "--json").out
        to = json.loads(created)["contractAddress"]
        node.artifacts.load(path)

        assert devchain("call", to, "rate").out == "1.5\n"
        assert devchain("send", to, "set", "2").code == 0
        assert devchain("call", to, "rate").out == "2.0\n"
        assert devchain("call", to, "half", "-2.5").out == "-1.25\n"
        share, pairs = devchain("call", to, "echo", f"[{BOB_HEX}, 2.5]", "[[1, -0.1]]").out.split(
            "\n"
        )[:2]
        assert (share, pairs) == (f"(who={checksum(BOB)}, part=2.5)", "[[1.0, -0.1]]")
        assert "argument 1 (rate): '1.23456789012' is not" in (
            devchain("send", to, "set", "1.23456789012").err
        )

    def test_signature(self, devchain: Runner, node: Node, file: str) -> None:
        """In a signature `decimal` is the type since 0.4; `int168` has the integers of the ABI."""
        to = f"0x{node.deploy(Path(__file__).parents[2] / 'contracts' / file, 0).address.hex()}"
        kind = "decimal" if file == "rates.json" else "fixed168x10"

        assert devchain("call", to, f"half({kind})({kind})", "3").out == "1.5\n"
        if kind == "decimal":
            assert devchain("call", to, "half(int168)(int168)", "3").out == "1\n"


class TestCall:
    def test_hex(self, devchain: Runner, echo: str) -> None:
        """Call data in hex gives a result in hex."""
        assert devchain("call", echo, "0xabcd") == Result(0, "0xabcd\n", "")

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
            assert ("eth_call", {"to": BOB_HEX, "data": "0x"}, "latest") in scripted.calls

    def test_argument_by_number(self, devchain: Runner, node: Node) -> None:
        """So may an address among the arguments of a function."""
        vault = node.deploy(VAULT, 100)
        vault.deposit(value=7, sender=BOB)

        assert devchain("call", f"0x{vault.address.hex()}", "deposits", "1").out == "7\n"
        assert "there is no account 10: " in (
            devchain("call", f"0x{vault.address.hex()}", "deposits", "10").err
        )

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

        assert devchain("call", vault, "0x9af9bec0").err.splitlines()[:3] == [
            "error: the call failed: no reason given",
            "hint: Vault has no function with the selector 0x9af9bec0",
            "  at Vault.0x9af9bec0()  Vault.sol:5 (checks of the compiler, before the function)",
        ]
        assert run_on(scripted, "call", vault, "nam()(string)").err == (
            "error: the call failed: no reason given; the contract may have no function nam()\n"
        )
        scripted = ScriptedClient(eth_call=RpcFailure(3, "execution reverted"), eth_accounts=[])
        assert run_on(scripted, "call", vault, "0x12345678").err.endswith("no reason given\n")

    def test_missing_function(self, devchain: Runner, node: Node) -> None:
        """A function that the known contract does not have is answered by those of that name."""
        vault = f"0x{node.deploy(VAULT, 1).address.hex()}"

        assert devchain("call", vault, "nam()(string)").err == (
            "error: the call failed: Vault has no function nam(); "
            "it has deposit, deposits, opensAt, owner, withdraw\n"
        )
        assert devchain("call", vault, "deposits(uint256)(uint256)", "1").err == (
            "error: the call failed: Vault has no function deposits(uint256); "
            "did you mean deposits(address)?\n"
        )

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

    def test_by_name(self, devchain: Runner, node: Node) -> None:
        """The name alone calls a function of a contract that the node knows, decoded by its ABI."""
        vault = node.deploy(VAULT, 100)
        vault.deposit(sender=BOB, value=5)
        at = f"0x{vault.address.hex()}"

        assert devchain("call", at, "deposits", BOB_HEX) == Result(0, "5\n", "")
        assert devchain("call", at, "deposits(address)", BOB_HEX) == Result(0, "5\n", "")
        assert devchain("call", at, "owner").out.lower() == f"{ALICE_HEX}\n"
        assert devchain("call", at, "deposits").err.endswith("takes 1 argument, got 0\n")
        assert devchain("call", at, "depositz").err.endswith(
            "error: Vault has no function depositz; did you mean deposit?\n"
        )
        assert devchain("call", at, "x").err.endswith(
            "error: Vault has no function x; it has deposit, deposits, opensAt, owner, withdraw\n"
        )

    def test_proxy(self, devchain: Runner, node: Node) -> None:
        """A name is looked up in the contract behind a proxy, too."""
        vault = node.deploy(VAULT, 100)
        proxy = deploy(node, PROXY)
        node.set_storage(proxy, ERC1967_SLOT, int.from_bytes(vault.address))

        outcome = devchain("call", f"0x{proxy.hex()}", "opensAt")

        assert outcome == Result(0, f"{vault.opensAt()}\n", "")

    def test_overloads(self, devchain: Runner, client: LocalClient, echo: str) -> None:
        """Of several functions the number of arguments decides, or they are named."""
        described = [
            {"type": "function", "name": "pay", "inputs": [{"type": kind} for kind in kinds]}
            for kinds in (["uint256"], ["address"], ["uint256", "bool"])
        ]
        client.call("devchain_addArtifacts", {"contractName": "Till", "abi": described}, echo)

        assert devchain("call", echo, "pay", "7", "true").out.startswith("0x")
        assert devchain("call", echo, "pay", "7").err.endswith(
            "error: Till has several functions pay: write 'pay(uint256)' or 'pay(address)'\n"
        )

    def test_project_here(
        self, run_on: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of a contract that the node does not know the project in the folder is asked."""
        (tmp_path / "hardhat.config.js").touch()
        (tmp_path / "artifacts").mkdir()
        shutil.copy(FILE, tmp_path / "artifacts")
        monkeypatch.chdir(tmp_path)
        code = f"0x{VAULT.runtime.template.hex()}"
        scripted = ScriptedClient(
            eth_getCode=code, eth_chainId="0x1f", eth_accounts=[], eth_call=f"0x{word(7).hex()}"
        )

        assert run_on(scripted, "call", BOB_HEX, "deposits", ALICE_HEX) == Result(0, "7\n", "")

    @pytest.mark.parametrize(
        ("code", "reason"),
        [
            ("0x", f"there is no contract at {BOB_HEX}: it has no code"),
            ("0x00", "'get' is not a signature; write it like 'balanceOf(address)(uint256)'"),
        ],
        ids=["account", "unknown"],
    )
    def test_unknown_contract(self, run_on: Callable[..., Result], code: str, reason: str) -> None:
        """Without an ABI the name alone does not do."""
        outcome = run_on(ScriptedClient(eth_getCode=code), "call", BOB_HEX, "get")

        assert outcome.code == 2
        assert reason in outcome.err

    @pytest.mark.parametrize(
        "words",
        [["get"], ["get(uint256)"], ["0xab", "1"], ["get()", "--value", "much"]],
        ids=" ".join,
    )
    def test_wrong_usage(self, devchain: Runner, words: list[str]) -> None:
        """A wrong signature, or arguments that do not match it, are wrong usage."""
        assert devchain("call", BOB_HEX, *words).code == 2
