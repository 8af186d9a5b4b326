"""`devchain.cli.commands.inspect.state`"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from eth_hash.auto import keccak

from devchain.client.http import LocalClient
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.types import Address, checksum
from tests.accounts import ALICE_HEX, BOB, BOB_HEX
from tests.actions import deploy, run
from tests.bytecode import ERC1967_SLOT, PROXY, STORE, STORE_AT, word
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient
from tests.contracts.vault import VAULT


class EthereumOnly(LocalClient):
    """A client of a node that has no methods of devchain's."""

    def call(self, method: str, *params: object) -> Any:
        """The result of the method, an error for one of another namespace."""
        if not method.startswith("eth_"):
            raise RpcFailure(-32601, f"the method {method} does not exist")
        return super().call(method, *params)


class TestAccount:
    def test_funded(self, devchain: Runner) -> None:
        """An account has its checksummed address, balance and nonce."""
        assert devchain("inspect", "account", ALICE_HEX) == Result(
            0,
            "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 · account · at latest\n"
            "Balance       10,000 RBTC · 10,000,000,000,000,000,000,000 wei\n"
            "Nonce         0\n"
            "Code          none\n",
            "",
        )

    def test_number(self, devchain: Runner) -> None:
        """An account may be written as its number in the banner."""
        by_address = devchain("inspect", "account", ALICE_HEX)

        assert devchain("inspect", "account", "0") == by_address
        assert "no account 10: the node has 10 accounts" in devchain("inspect", "account", "10").err
        assert devchain("inspect", "account", "12345").code == 2

    def test_contract(self, devchain: Runner, node: Node) -> None:
        """A contract has the size and the hash of its code."""
        result = devchain("inspect", "account", f"0x{deploy(node, STORE).hex()}")

        assert " · contract · " in result.out
        assert f"Code          {len(STORE)} bytes\nCode hash     0x" in result.out

    def test_json(self, devchain: Runner) -> None:
        """--json prints the node's results unchanged."""
        found = json.loads(devchain("inspect", "account", ALICE_HEX, "--json").out)

        assert found == {
            "address": ALICE_HEX,
            "balance": "0x21e19e0c9bab2400000",
            "nonce": "0x0",
            "code": "0x",
        }

    def test_bad_address(self, devchain: Runner) -> None:
        """An invalid address is wrong usage, found before the node is called."""
        result = devchain("inspect", "account", "0x12")

        assert result.code == 2
        assert result.err.endswith(
            "'ADDRESS': '0x12' is not an address: give 0x and 40 hex digits, not 2\n"
        )

    def test_contract_name(self, devchain: Runner, node: Node) -> None:
        """A contract has the name of its artifact, and the block its number with commas."""
        vault = node.deploy(VAULT, 100)
        node.mine(1_000)
        title = devchain("inspect", "account", f"0x{vault.address.hex()}", "--block", "1,000")

        assert title.out.split("\n")[0].endswith(" · Vault · at block 1,000")

    @pytest.mark.parametrize("chain_id", [None, 31])
    def test_checksum(self, devchain: Runner, chain_id: int | None) -> None:
        """Both checksums are right, as are letters of one case; others give a warning."""
        right = checksum(BOB, chain_id)
        wrong = right.replace("C", "c", 1)
        result = devchain("inspect", "account", wrong)

        for each in (right, BOB_HEX, f"0x{BOB_HEX[2:].upper()}"):
            assert devchain("inspect", "account", each).err == ""
        assert result.code == 0
        assert result.err.startswith(f"warning: the letter case of {wrong} is not that of its")


class TestCode:
    def test_contract(self, devchain: Runner, node: Node) -> None:
        """The code is one line of hex; as JSON in quotes."""
        address = f"0x{deploy(node, STORE).hex()}"

        assert devchain("inspect", "code", address).out == f"0x{STORE.hex()}\n"
        assert devchain("inspect", "code", address, "--json").out == f'"0x{STORE.hex()}"\n'

    def test_unknown_block(self, devchain: Runner) -> None:
        """An unknown block is an error."""
        assert devchain("inspect", "code", ALICE_HEX, "--block", "9").code == 1


FAR = 2**200


@pytest.fixture
def store(node: Node) -> str:
    """A contract with 7 in slot 1 and 9 in slot 2**200."""
    address = deploy(node, STORE_AT)
    run(node, address, word(1) + word(7))
    run(node, address, word(FAR) + word(9))
    return f"0x{address.hex()}"


class TestStorage:
    def test_slot(self, devchain: Runner, store: str) -> None:
        """A slot is shown as hex and as a number."""
        result = devchain("inspect", "storage", store, "1")

        assert result.out == f"Slot 1        0x{word(7).hex()}\n              7\n"

    @pytest.mark.parametrize(
        ("value", "meaning"),
        [
            (b"hello" + bytes(26) + bytes([10]), '"hello"'),
            ("é".encode() * 15 + bytes([0, 60]), f'"{"é" * 15}"'),
            (b"\x1b[2J" + bytes(27) + bytes([8]), None),
            (b"hello" + bytes(25) + b"x" + bytes([10]), None),
            (word(0), "0"),
            (word(10**65), str(10**65)),
            (word(10**66), None),
            (word(2**256 - 1), None),
        ],
    )
    def test_meaning(
        self, run_on: Callable[..., Result], value: bytes, meaning: str | None
    ) -> None:
        """A short string is shown as text, any other word as a number if that fits a line."""
        shown = run_on(
            ScriptedClient(eth_getStorageAt=f"0x{value.hex()}"), "inspect", "storage", BOB_HEX
        )

        rest = "" if meaning is None else f"              {meaning}\n"
        assert shown.out == f"Slot 0        0x{value.hex()}\n{rest}"

    def test_far_slot(self, devchain: Runner, store: str) -> None:
        """A slot with a long number has its label on a line of its own."""
        result = devchain("inspect", "storage", store, hex(FAR))

        assert result.out == f"Slot {hex(FAR)}\n              0x{word(9).hex()}\n              9\n"

    def test_no_slot(self, devchain: Runner, store: str) -> None:
        """A slot beyond 256 bits is wrong usage."""
        for slot in (str(2**256), "9" * 90, "1_0", "٣", "-1"):
            assert devchain("inspect", "storage", store, "--", slot).code == 2

    def test_last_slots(self, devchain: Runner, store: str) -> None:
        """Reading ends at the last slot, 2**256 - 1."""
        result = devchain("inspect", "storage", store, hex(2**256 - 1), "--count", "5", "--json")

        assert list(json.loads(result.out)) == [hex(2**256 - 1)]

    def test_variables(self, devchain: Runner, node: Node) -> None:
        """Without a slot the variables are shown that artifacts and transactions name."""
        vault = node.deploy(VAULT, 100)
        vault.deposit(value=5, sender=BOB)
        address = f"0x{vault.address.hex()}"
        slot = f"{int.from_bytes(keccak(word(int.from_bytes(BOB)) + word(0))):#x}"

        shown = devchain("inspect", "storage", address)
        asked = devchain("inspect", "storage", address, slot)
        written = json.loads(devchain("inspect", "storage", address, "--json").out)

        named = f"uint256 deposits[{checksum(BOB)}] = 5"
        assert shown == asked == Result(0, f"Slot {slot}\n              {named}\n", "")
        assert written[0]["variables"][0]["value"] == "5"

    def test_without_layout(self, devchain: Runner, node: Node) -> None:
        """Slots of a known contract without names say what its artifact may lack."""
        vault = node.deploy(replace(VAULT, storage_layout=None, file="", project=""), 100)
        vault.deposit(value=5, sender=BOB)
        address = f"0x{vault.address.hex()}"

        shown = devchain("inspect", "storage", address)

        assert shown.out.startswith("Slot ")
        assert shown.err == (
            "No variable of Vault is known: its artifact may lack the compiler's storageLayout, "
            'which Foundry writes with extra_output = ["storageLayout"], Hardhat 2 with '
            'outputSelection: { "*": { "*": ["storageLayout"] } }.\n'
        )
        assert not devchain("inspect", "storage", address, "7").err

    def test_proxy_without_layout(self, devchain: Runner, node: Node) -> None:
        """Of a proxy the note is about the implementation; slots of standards are no variables."""
        vault = node.deploy(replace(VAULT, storage_layout=None, file="", project=""), 100)
        proxy = deploy(node, PROXY)
        node.set_storage(proxy, ERC1967_SLOT, int.from_bytes(vault.address))

        shown = devchain("inspect", "storage", f"0x{proxy.hex()}")

        implementation = f"{checksum(Address(vault.address))} (Vault)"
        assert f"address EIP-1967 implementation = {implementation}" in shown.out
        assert shown.err.startswith("No variable of Vault is known")
