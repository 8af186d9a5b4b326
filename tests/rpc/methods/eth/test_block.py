"""`devchain.rpc.methods.eth.block`"""

from __future__ import annotations

import pytest

from devchain.node import Node
from devchain.rpc.methods.eth.block import (
    get_block_by_number,
    get_block_transaction_count_by_number,
)
from devchain.types import Tag
from tests.accounts import BOB
from tests.actions import send


@pytest.fixture
def mined(node: Node) -> Node:
    """A node with a block of two transactions."""
    node.miner.running = False
    send(node, BOB, value=1)
    send(node, BOB, value=2)
    node.miner.mine()
    return node


class TestGetBlockByNumber:
    def test_pending(self, mined: Node) -> None:
        """The pending block is the one that would be mined now on the newest."""
        send(mined, BOB, value=3)

        actual = get_block_by_number(mined, Tag.PENDING, full=True)

        assert actual is not None
        assert actual["parentHash"] == mined.chain.head.hash
        assert [tx["value"] for tx in actual["transactions"]] == [3]


class TestGetBlockTransactionCountByNumber:
    @pytest.mark.parametrize(("block", "expected"), [(0, 0), (1, 2), (Tag.LATEST, 2), (2, None)])
    def test_count(self, mined: Node, block: int | Tag, expected: int | None) -> None:
        """The transactions of a block are counted; an unknown block is null."""
        assert get_block_transaction_count_by_number(mined, block) == expected

    def test_pending(self, mined: Node) -> None:
        """Those that would be mined now are counted for `pending`."""
        send(mined, BOB)

        assert get_block_transaction_count_by_number(mined, Tag.PENDING) == 1
