"""`devchain.rpc.methods.block`"""

from __future__ import annotations

import pytest

from devchain.node import Node
from devchain.rpc.methods.block import (
    get_transaction_at,
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


class TestGetTransactionByBlockNumberAndIndex:
    def test_pending(self, node: Node, hashes: list[Hash32]) -> None:
        """The transactions of the pending block have no position."""
        actual = get_transaction_at(node, Tag.PENDING, 0)

        assert actual == get_transaction_by_hash(node, hashes[2])
