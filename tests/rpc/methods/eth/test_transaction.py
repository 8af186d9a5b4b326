"""`devchain.rpc.methods.eth.transaction`"""

from __future__ import annotations

import pytest

from devchain.node import Node
from devchain.rpc.methods.eth.transaction import (
    get_transaction_by_block_hash_and_index,
    get_transaction_by_block_number_and_index,
    get_transaction_by_hash,
)
from devchain.types import Hash32, Tag
from tests.accounts import BOB
from tests.actions import send


@pytest.fixture
def hashes(node: Node) -> list[Hash32]:
    """Two transactions in block 1, one that waits and one that lacks a nonce before it."""
    node.miner.running = False
    mined = [send(node, BOB, value=value) for value in (1, 2)]
    node.miner.mine()
    waiting = [send(node, BOB, value=3), send(node, BOB, value=4, nonce=9)]
    return [Hash32(each) for each in (*mined, *waiting)]


class TestGetTransactionByBlockHashAndIndex:
    def test_found(self, node: Node, hashes: list[Hash32]) -> None:
        """A transaction is found by its index; there is no `_id`."""
        actual = get_transaction_by_block_hash_and_index(node, node.chain.head.hash, 1)

        assert actual == get_transaction_by_hash(node, hashes[1])
        assert "_id" not in (actual or {})

    @pytest.mark.parametrize("index", [2, 2**64, 2**256 - 1])
    def test_past_the_last(self, node: Node, hashes: list[Hash32], index: int) -> None:
        """An unknown index is null."""
        assert get_transaction_by_block_hash_and_index(node, node.chain.head.hash, index) is None


class TestGetTransactionByBlockNumberAndIndex:
    def test_pending(self, node: Node, hashes: list[Hash32]) -> None:
        """The transactions of the pending block have no position."""
        actual = get_transaction_by_block_number_and_index(node, Tag.PENDING, 0)

        assert actual == get_transaction_by_hash(node, hashes[2])

    @pytest.mark.parametrize(("block", "index"), [(1, 2), (2, 0), (0, 0)])
    def test_nothing_there(self, node: Node, hashes: list[Hash32], block: int, index: int) -> None:
        """An unknown block and an unknown index are null."""
        assert get_transaction_by_block_number_and_index(node, block, index) is None
