"""`devchain.state.state_view`"""

from __future__ import annotations

from devchain.node import Node
from devchain.types import Tag
from tests.accounts import ALICE, BOB, FUNDS, UNFUNDED
from tests.actions import deploy, run
from tests.bytecode import STORE_AT, word


class TestStateView:
    def test_funded_account(self, node: Node) -> None:
        """A funded account has its balance, no nonce and no code."""
        view = node.chain.state_at(0)

        assert (view.balance(ALICE), view.nonce(ALICE), view.code(ALICE)) == (FUNDS, 0, b"")
        assert view.exists(ALICE)

    def test_unknown_account(self, node: Node) -> None:
        """An unknown account reads as empty everywhere."""
        view = node.chain.state_at(0)

        assert (view.balance(UNFUNDED), view.nonce(UNFUNDED), view.code(UNFUNDED)) == (0, 0, b"")
        assert view.storage(UNFUNDED, 2**256 - 1) == 0
        assert not view.exists(UNFUNDED)

    def test_contract(self, node: Node) -> None:
        """A contract has code and the slots it wrote."""
        contract = deploy(node, STORE_AT)
        run(node, contract, word(2**256 - 1) + word(5))
        view = node.chain.state_at(Tag.LATEST)

        assert view.code(contract) == STORE_AT
        assert (view.storage(contract, 2**256 - 1), view.storage(contract, 0)) == (5, 0)

    def test_is_immutable(self, node: Node) -> None:
        """A view does not change when new blocks are mined."""
        view = node.chain.state_at(Tag.LATEST)
        run(node, BOB, value=1)

        assert (view.balance(BOB), view.nonce(ALICE)) == (FUNDS, 0)
        assert node.chain.state_at(Tag.LATEST).balance(BOB) == FUNDS + 1
