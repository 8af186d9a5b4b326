"""`devchain.chain.header_rules`"""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain.chain.header_rules import next_difficulty, next_gas_limit, next_minimum_gas_price
from devchain.config import Config
from devchain.node import Node
from devchain.types import MineRequest
from tests.conftest import GENESIS_TIME


class TestNextDifficulty:
    @pytest.mark.parametrize(
        ("elapsed", "difficulty"),
        [
            (0, 10_004),
            (9, 10_004),
            (10, 10_000),
            (11, 9_996),
            (599, 9_996),
            (600, 1),
            (-1, 10_000),
        ],
    )
    def test_by_time(self, elapsed: int, difficulty: int) -> None:
        """A block before 10 s raises it, a later one lowers it, a gap of ten minutes resets it."""
        assert next_difficulty(10_000, elapsed) == difficulty

    @given(st.integers(1, 10**30), st.integers(0, 10**6))
    def test_bounded(self, parent: int, elapsed: int) -> None:
        """The difficulty is never below the minimum, nor more than a step above the parent's."""
        assert 1 <= next_difficulty(parent, elapsed) <= parent + parent // 2048


class TestNextGasLimit:
    def test_local_network(self) -> None:
        """The real local node falls from 10,000,000 to its 7,500,000 in 295 blocks."""
        limits = [10_000_000]
        while limits[-1] != 7_500_000:
            limits.append(next_gas_limit(limits[-1], 7_500_000))

        assert limits[1:4] == [9_990_235, 9_980_479, 9_970_733]
        assert len(limits) - 1 == 295

    @pytest.mark.parametrize(
        ("parent", "wanted", "limit"),
        [
            (6_800_000, 6_800_000, 6_800_000),
            (3_000_000, 6_800_000, 3_002_929),
            (3_000_000, 3_000_001, 3_000_001),
            (3_000_002, 3_000_001, 3_000_001),
            (2_000_000, 1_000_000, 1_998_047),
            (13_600_000, 6_800_000, 13_586_719),
        ],
    )
    def test_steps(self, parent: int, wanted: int, limit: int) -> None:
        """A step is a 1024th of the parent's limit, and ends at the target."""
        assert next_gas_limit(parent, wanted) == limit


class TestNextMinimumGasPrice:
    @pytest.mark.parametrize(
        ("parent", "wanted", "price"),
        [
            (1000, 2000, 1010),
            (1000, 900, 990),
            (1000, 995, 995),
            (1000, 1000, 1000),
            (0, 1000, 1),
            (1, 0, 0),
            (0, 0, 0),
            (99, 200, 100),
            (199, 300, 200),
            (200, 300, 202),
        ],
    )
    def test_steps(self, parent: int, wanted: int, price: int) -> None:
        """A step is at most one percent, but at least one wei until the target is reached."""
        assert next_minimum_gas_price(parent, wanted) == price


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


class TestForkDetection:
    def test_before(self, node: Node) -> None:
        """The first 448 blocks have no fork detection data."""
        assert {node.chain.block(number).header.fork_data for number in range(449)} == {b""}

    @pytest.mark.parametrize(
        ("number", "newest"), [(449, 448), (450, 448), (512, 448), (513, 512), (520, 512)]
    )
    def test_contents(self, node: Node, number: int, newest: int) -> None:
        """The data has a byte of each of seven bitcoin hashes, no uncles, and the block number."""
        hashes = [bitcoin_id(node, newest - 64 * step)[-1] for step in range(7)]

        assert node.chain.block(number).header.fork_data == bytes(
            [*hashes, 0, 0, 0, *divmod(number, 256)]
        )

    def test_after_a_revert(self) -> None:
        """After a revert the data is computed from the present blocks, not the removed ones."""
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
