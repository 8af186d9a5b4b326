"""`devchain.chain.fork_detection`"""

from __future__ import annotations

from hashlib import sha256

import pytest

from devchain.chain.merged_mining import verify
from devchain.config import Config
from devchain.node import Node
from devchain.types import MineRequest
from tests.conftest import GENESIS_TIME


def bitcoin_id(node: Node, number: int) -> bytes:
    """The hash of the bitcoin block behind a block, as bitcoin displays it."""
    header = node.chain.block(number).header.bitcoin_merged_mining_header
    return sha256(sha256(header).digest()).digest()[::-1]


@pytest.fixture(scope="module")
def node() -> Node:
    """A chain of 520 blocks."""
    node = Node(Config(engine="fast", fixed_clock=GENESIS_TIME))
    node.mine(MineRequest(blocks=520))
    return node


class TestData:
    def test_before(self, node: Node) -> None:
        """A block with too few behind it tells nothing."""
        assert {node.chain.block(number).header.fork_data for number in range(449)} == {b""}

    @pytest.mark.parametrize(
        ("number", "newest"), [(449, 448), (450, 448), (512, 448), (513, 512), (520, 512)]
    )
    def test_contents(self, node: Node, number: int, newest: int) -> None:
        """It tells of seven bitcoin blocks, no uncles, and the block's number."""
        told = [bitcoin_id(node, newest - 64 * step)[-1] for step in range(7)]

        assert node.chain.block(number).header.fork_data == bytes(
            [*told, 0, 0, 0, *divmod(number, 256)]
        )

    def test_is_committed_to(self, node: Node) -> None:
        """The bitcoin coinbase carries it behind the hash of the header."""
        block = node.chain.block(500)
        tagged = block.header.hash_for_merged_mining

        assert tagged.endswith(block.header.fork_data)
        assert block.merged_mining is not None
        verify(tagged, block.header.difficulty, block.merged_mining)

    def test_after_a_revert(self) -> None:
        """It tells of the blocks that are there, not of ones a revert has taken back."""
        node = Node(Config(engine="fast", fixed_clock=GENESIS_TIME))
        node.mine(MineRequest(blocks=440))
        taken = node.snapshots.take()
        node.mine(MineRequest(blocks=20))
        before = node.chain.head.header.fork_data
        node.revert(taken)
        node.mine(MineRequest(blocks=20, timestamp=GENESIS_TIME + 10_000))

        data = node.chain.head.header.fork_data

        assert data[0] == bitcoin_id(node, 448)[-1]
        assert data[1:] == before[1:]
        assert data[0] != before[0]
