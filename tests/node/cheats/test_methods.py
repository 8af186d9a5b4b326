"""`devchain.node.cheats.methods`: the cheats as methods of a node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from eth_utils.crypto import keccak

from devchain.errors import AccountUnknown, InsufficientFunds, InvalidInput
from devchain.node import Node
from devchain.types import Tag
from tests.accounts import ALICE, BOB
from tests.actions import deploy
from tests.bytecode import assemble
from tests.contracts.vault import VAULT

STRANGER = bytes.fromhex("5e" * 20)
RBTC = 10**18


class TestImpersonate:
    """`Node.impersonate`"""

    def test_until_the_block_ends(self, node: Node) -> None:
        """Inside `with` the account sends, afterwards no longer."""
        node.set_balance(STRANGER, RBTC)

        with node.impersonate("0x" + STRANGER.hex()) as stranger:
            mined = node.transact(to=BOB, value=1, sender=stranger)

        assert mined.receipt.transaction.sender == STRANGER
        with pytest.raises(AccountUnknown):
            node.transact(to=BOB, value=1, sender=STRANGER)

    def test_for_good(self, node: Node) -> None:
        """Without `with` it goes on; an inner `with` does not end what began outside."""
        node.set_balance(STRANGER, RBTC)
        node.impersonate(STRANGER)

        with node.impersonate(STRANGER):
            pass

        assert node.transact(to=BOB, sender=STRANGER).receipt.succeeded

    def test_a_contract(self, node: Node) -> None:
        """A contract's object is both an address to impersonate and a sender."""
        wallet = node.deploy(VAULT, 100)
        node.set_balance(wallet, RBTC)

        with node.impersonate(wallet):
            vault = node.deploy(VAULT, 5, sender=wallet)
            vault.deposit(value=3, sender=wallet)

        assert vault.owner() == wallet.address
        assert vault.deposits(wallet) == 3

    def test_pays_for_its_gas(self, node: Node) -> None:
        """Without funds it can send no value."""
        with node.impersonate(STRANGER), pytest.raises(InsufficientFunds):
            node.transact(to=BOB, value=1, sender=STRANGER)


class TestTimeTravel:
    """`Node.time_travel`"""

    def test_by_seconds(self, node: Node) -> None:
        """Calls and the next block see the new time; the vault opens."""
        vault = node.deploy(VAULT, 1_000)
        vault.deposit(value=5)
        before = node.clock.now()

        there = node.time_travel(1_000)

        assert there == before + 1_000 == node.chain.head.timestamp
        assert vault.withdraw.call() is None

    def test_to_a_timestamp(self, node: Node) -> None:
        """To exactly that second, whatever is ordered of coming blocks."""
        wanted = node.chain.head.timestamp + 86_400
        node.clock.step = 7

        assert node.time_travel(to=wanted) == wanted
        assert node.chain.block(Tag.LATEST).timestamp == wanted

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({}, "say how far"),
            ({"seconds": 1, "to": 2}, "in one way"),
            ({"seconds": 0}, "by 0 seconds"),
            ({"seconds": -5}, "give 1 or more"),
            ({"to": 5}, "timestamp 5 is not after"),
            ({"seconds": 2**64}, "too large"),
        ],
        ids=str,
    )
    def test_impossible(self, node: Node, options: dict[str, int], words: str) -> None:
        """Times that cannot be are refused, and nothing has changed."""
        with pytest.raises(InvalidInput, match=words):
            node.time_travel(**options)

        assert node.chain.height == 0


class TestEdits:
    """Accounts edited by hand."""

    def test_are_seen(self, node: Node) -> None:
        """Balance, nonce, code and storage are what they are set to; no block is made."""
        node.set_balance(BOB, 5)
        node.add_balance(BOB, 2)
        node.set_nonce(BOB, 9)
        node.set_code(STRANGER, b"\x60\x00")
        node.set_storage(STRANGER, 3, 4)

        now = node.at()
        assert (now.balance(BOB), now.nonce(BOB)) == (7, 9)
        assert (now.code(STRANGER), now.storage(STRANGER, 3)) == (b"\x60\x00", 4)
        assert node.chain.height == 0

    def test_a_snapshot_takes_them_back(self, node: Node) -> None:
        """Edits are undone like everything else."""
        before = node.at().balance(BOB)
        with node.snapshot():
            node.set_balance(BOB, 5)

        assert node.at().balance(BOB) == before

    def test_tokens(self, node: Node) -> None:
        """A token says what it is told to say."""
        body = "4 CALLDATALOAD 0 MSTORE 32 0 KECCAK256 SLOAD 0 MSTORE 32 0 RETURN"
        token = deploy(node, assemble(body))

        node.deal(token, BOB, 50)

        slot = int.from_bytes(keccak(BOB.rjust(32, b"\0")), "big")
        assert node.at().storage(token, slot) == 50

    def test_rollback(self, node: Node) -> None:
        """Blocks are taken back."""
        node.mine(3)
        node.rollback(2)

        assert node.chain.height == 1

    @pytest.mark.parametrize(
        "edit",
        [
            lambda node: node.set_balance(BOB, -1),
            lambda node: node.set_balance(BOB, 2**256),
            lambda node: node.set_balance(BOB, 1.5),
            lambda node: node.add_balance(BOB, "5"),
            lambda node: node.set_nonce(BOB, 2**64),
            lambda node: node.set_storage(BOB, -1, 0),
            lambda node: node.set_storage(BOB, 0, 2**256),
            lambda node: node.deal(ALICE, BOB, -1),
        ],
        ids=range(8),
    )
    def test_numbers_that_do_not_fit(self, node: Node, edit: Callable[[Node], Any]) -> None:
        """They are named and refused."""
        with pytest.raises(InvalidInput, match="is out of range: give a whole number"):
            edit(node)
