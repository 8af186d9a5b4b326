"""`devchain.tracing.tracers`"""

from __future__ import annotations

from typing import Any

import pytest
from eth_hash.auto import keccak

from devchain.node import Node
from tests.accounts import ALICE_HEX, BOB, BOB_HEX, FUNDS, UNFUNDED, UNFUNDED_HEX
from tests.actions import deploy, send
from tests.bytecode import COUNTER
from tests.tracing.programs import Program, call, create, place
from tests.tracing.reading import new_node, traced

pytestmark = pytest.mark.filterwarnings("ignore:SELFDESTRUCT opcode")  # py-evm's advice

SLOT = "0x" + "00" * 32


def word(number: int) -> str:
    """A storage word as it is shown."""
    return f"0x{number:064x}"


@pytest.fixture
def node() -> Node:
    """A node under the newest of Rootstock's rules, where gas is free."""
    return new_node("vetiver")


def seen(node: Node, tx_hash: bytes, **options: Any) -> Any:
    """What the prestate tracer shows."""
    return traced(node, tx_hash, "prestateTracer", **options)


class TestBefore:
    def test_transfer(self, node: Node) -> None:
        """Sender and receiver are shown as before, unless they did not exist."""
        there = send(node, BOB, value=3, gas=21_000)
        absent = send(node, UNFUNDED, value=3, gas=21_000)

        assert seen(node, there) == {
            ALICE_HEX: {"balance": hex(FUNDS)},
            BOB_HEX: {"balance": hex(FUNDS)},
        }
        assert seen(node, absent) == {ALICE_HEX: {"balance": hex(FUNDS - 3), "nonce": 1}}

    def test_include_empty(self, node: Node) -> None:
        """`includeEmpty` also shows accounts that did not exist: receiver and miner."""
        tx_hash = send(node, UNFUNDED, value=3, gas=21_000)

        shown = seen(node, tx_hash, include_empty=True)

        assert set(shown) == {ALICE_HEX, UNFUNDED_HEX, f"0x{node.miner.coinbase.hex()}"}
        assert shown[UNFUNDED_HEX] == {"balance": "0x0"}

    def test_contract(self, node: Node) -> None:
        """A contract has its code, and the slots that were read or written."""
        counter = deploy(node, COUNTER)
        send(node, counter)
        tx_hash = send(node, counter)

        assert seen(node, tx_hash)[f"0x{counter.hex()}"] == {
            "balance": "0x0",
            "code": f"0x{COUNTER.hex()}",
            "codeHash": f"0x{keccak(COUNTER).hex()}",
            "storage": {SLOT: word(1)},
        }
        shown = seen(node, tx_hash, disable_code=True, disable_storage=True)
        assert set(shown[f"0x{counter.hex()}"]) == {"balance", "codeHash"}


class TestDifference:
    def test_transfer(self, node: Node) -> None:
        """Only what changed is shown, before and after."""
        tx_hash = send(node, BOB, value=3, gas=21_000)

        assert seen(node, tx_hash, diff_mode=True) == {
            "pre": {ALICE_HEX: {"balance": hex(FUNDS)}, BOB_HEX: {"balance": hex(FUNDS)}},
            "post": {
                ALICE_HEX: {"balance": hex(FUNDS - 3), "nonce": 1},
                BOB_HEX: {"balance": hex(FUNDS + 3)},
            },
        }

    def test_storage(self, node: Node) -> None:
        """A slot is left out on the side where it is zero."""
        counter = deploy(node, COUNTER)
        address = f"0x{counter.hex()}"
        first, second = send(node, counter), send(node, counter)

        one = seen(node, first, diff_mode=True)
        two = seen(node, second, diff_mode=True)

        assert "storage" not in one["pre"][address]
        assert one["post"][address] == {"storage": {SLOT: word(1)}}
        assert two["pre"][address]["storage"] == {SLOT: word(1)}
        assert two["post"][address] == {"storage": {SLOT: word(2)}}

    def test_creation(self, node: Node) -> None:
        """A contract created by a contract is in `post` alone."""
        program = Program((create("CREATE", Program((), "return")),), "stop")
        tx_hash = send(node, place(node, program))
        (made,) = traced(node, tx_hash, "callTracer")["calls"]

        changes = seen(node, tx_hash, diff_mode=True)

        code = made["output"]
        assert made["to"] not in changes["pre"]
        assert changes["post"][made["to"]] == {
            "code": code,
            "codeHash": f"0x{keccak(bytes.fromhex(code[2:])).hex()}",
            "nonce": 1,
        }

    @pytest.mark.parametrize("hardfork", ["vetiver", "cancun"])
    def test_destroyed(self, hardfork: str) -> None:
        """A destroyed account is not in `post`; since Cancun it only loses its balance."""
        node = new_node(hardfork)
        contract = place(node, Program((), "destroy", value=5))
        address = f"0x{contract.hex()}"

        changes = seen(node, send(node, contract), diff_mode=True)

        assert changes["pre"][address]["balance"] == "0x5"
        assert int(changes["post"][BOB_HEX]["balance"], 16) == FUNDS + 5
        after = {"vetiver": None, "cancun": {"balance": "0x0"}}
        assert changes["post"].get(address) == after[hardfork]

    def test_reverted(self, node: Node) -> None:
        """Reverted changes are not shown."""
        inner = Program((), "revert")
        tx_hash = send(node, place(node, Program((call("CALL", inner),), "revert")))

        changes = seen(node, tx_hash, diff_mode=True)

        assert set(changes["pre"]) == set(changes["post"]) == {ALICE_HEX}
        assert set(changes["post"][ALICE_HEX]) == {"nonce"}
