"""`devchain.node.cheats.tokens`"""

from __future__ import annotations

import pytest

from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.node.cheats import state, tokens
from devchain.types import Address, TransactionRequest
from tests.accounts import ALICE, BOB, NOBODY
from tests.bytecode import LOOP, REVERT, assemble, word

# balanceOf and allowance: the slot is the hash of the arguments; slot 0 is read before, as a
# paused flag would be.
TOKEN = assemble(
    "0 SLOAD POP 4 CALLDATASIZE SUB DUP1 4 0 CALLDATACOPY 0 KECCAK256 SLOAD 0 MSTORE 32 0 RETURN"
)
# The same with the storage of another contract, as a proxy has it.
PROXY = assemble(
    "CALLDATASIZE 0 0 CALLDATACOPY 32 0 CALLDATASIZE 0 0x7070707070707070707070707070707070707070"
    " GAS DELEGATECALL POP 32 0 RETURN"
)
# Twice what is in the slot: a balance that is calculated.
REBASING = assemble("0 SLOAD 2 MUL 0 MSTORE 32 0 RETURN")
PLAIN = Address(b"\x70" * 20)
OTHER = Address(b"\x71" * 20)


def balance(node: Node, token: Address, owner: Address) -> int:
    """What the token says the owner has."""
    data = tokens.BALANCE_OF + bytes(12) + owner
    return int.from_bytes(node.call(TransactionRequest(to=token, data=data)), "big")


class TestDeal:
    def test_token(self, node: Node) -> None:
        """The owner has the amount, nobody else anything; a later amount takes its place."""
        state.set_code(node, PLAIN, TOKEN)
        tokens.deal(node, PLAIN, ALICE, 2**255)
        tokens.deal(node, PLAIN, ALICE, 10)

        assert (balance(node, PLAIN, ALICE), balance(node, PLAIN, BOB)) == (10, 0)

    def test_proxy(self, node: Node) -> None:
        """A proxy's own storage is written, not that of the code it runs."""
        state.set_code(node, PLAIN, TOKEN)
        state.set_code(node, OTHER, PROXY)
        tokens.deal(node, OTHER, ALICE, 10)

        assert (balance(node, OTHER, ALICE), balance(node, PLAIN, ALICE)) == (10, 0)

    @pytest.mark.parametrize("code", [b"", REBASING, REVERT, LOOP + word(1)])
    def test_no_token(self, node: Node, code: bytes) -> None:
        """Without a slot that decides the answer there is nothing to write."""
        state.set_code(node, PLAIN, code)
        before = node.chain.state_root(node.chain.head)

        with pytest.raises(InvalidInput, match="no slot of its own"):
            tokens.deal(node, PLAIN, ALICE, 11)
        assert node.chain.state_root(node.chain.head) == before


class TestAllow:
    def test_pair(self, node: Node) -> None:
        """The allowance is that of the pair, in that order."""
        state.set_code(node, PLAIN, TOKEN)
        tokens.allow(node, PLAIN, ALICE, NOBODY, 10)

        data = [tokens.ALLOWANCE + word(int.from_bytes(one, "big")) for one in (ALICE, NOBODY)]
        there = node.call(TransactionRequest(to=PLAIN, data=data[0] + bytes(12) + NOBODY))
        back = node.call(TransactionRequest(to=PLAIN, data=data[1] + bytes(12) + ALICE))
        assert (there, back) == (word(10), word(0))
