"""`devchain.chain.storage.block_store`"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain.chain.block import Log, MinedLog
from devchain.chain.storage.block_store import LogIndex, matching
from devchain.node import Node
from devchain.types import Address, Hash32, LogQuery, MineRequest, Topics
from tests.actions import deploy, run
from tests.bytecode import EMIT, assemble, word

ONE, TWO, THREE = (Hash32(word(number)) for number in (1, 2, 3))
NO_TOPICS = assemble("0 0 LOG0 STOP")
"""emits a log without topics or data"""


@pytest.fixture
def emitters(node: Node) -> tuple[Address, Address]:
    """Two emitting contracts after some blocks with logs.

    Block 4: first(1, 2); 5: second(1, 3); 6: none; 7: first(2, 1); 8: third's log has no topics.
    """
    first, second, third = deploy(node, EMIT), deploy(node, EMIT), deploy(node, NO_TOPICS)
    run(node, first, word(1) + word(2) + b"4")
    run(node, second, word(1) + word(3) + b"5")
    node.mine(MineRequest())
    run(node, first, word(2) + word(1) + b"7")
    run(node, third)
    return first, second


def blocks_of(logs: list[MinedLog]) -> list[int]:
    """The block numbers of the logs."""
    return [each.block.number for each in logs]


def some(*topics: Hash32) -> frozenset[Hash32]:
    """A condition on one position: any of those topics."""
    return frozenset(topics)


class TestTopics:
    @pytest.mark.parametrize(
        ("topics", "blocks"),
        [
            ((), [4, 5, 7, 8]),
            ((None,), [4, 5, 7]),
            ((None, None), [4, 5, 7]),
            ((None, None, None), []),
            ((some(ONE),), [4, 5]),
            ((some(ONE, TWO),), [4, 5, 7]),
            ((None, some(ONE)), [7]),
            ((None, some(TWO, THREE)), [4, 5]),
            ((some(ONE), some(THREE)), [5]),
            ((some(ONE), None), [4, 5]),
            ((some(ONE), None, None), []),
            ((some(TWO), some(TWO)), []),
            ((some(THREE),), []),
            ((some(ONE, THREE), some(ONE, TWO)), [4]),
        ],
    )
    def test_positions(
        self, node: Node, emitters: tuple[Address, Address], topics: Topics, blocks: list[int]
    ) -> None:
        """Topics match by position; None matches any topic, a set any of its members."""
        assert blocks_of(node.logs(LogQuery(0, 100, topics=topics))) == blocks


class TestRange:
    @pytest.mark.parametrize(
        ("bounds", "blocks"),
        [
            ((4, 4), [4]),
            ((5, 7), [5, 7]),
            ((6, 6), []),
            ((7, 5), []),
            ((9, 99), []),
            ((8, 99), [8]),
        ],
    )
    def test_bounds(
        self, node: Node, emitters: Any, bounds: tuple[int, int], blocks: list[int]
    ) -> None:
        """Both bounds belong to the range; a reversed or future one is empty."""
        assert blocks_of(node.logs(LogQuery(*bounds))) == blocks


VALUES = st.integers(0, 3)
BLOCKS = st.lists(
    st.lists(st.tuples(VALUES, st.lists(VALUES, max_size=4)), max_size=4), max_size=12
)
OPTIONS = st.none() | st.sets(VALUES, max_size=2)


def block_of(number: int, emitted: list[tuple[int, list[int]]]) -> Any:
    """A block with those logs, each in its own transaction; numbers become addresses and topics."""
    receipts = [
        SimpleNamespace(
            logs=(
                Log(Address(word(address)[12:]), tuple(Hash32(word(each)) for each in topics), b""),
            ),
            first_log_index=index,
            index=index,
            transaction=SimpleNamespace(hash=word(index)),
        )
        for index, (address, topics) in enumerate(emitted)
    ]
    return SimpleNamespace(number=number, receipts=receipts)


class TestIndex:
    @given(
        BLOCKS,
        st.integers(-1, 12),
        BLOCKS,
        st.lists(OPTIONS, max_size=5),
        st.sets(VALUES),
        st.data(),
    )
    def test_finds_what_a_scan_finds(
        self,
        blocks: list[Any],
        height: int,
        later: list[Any],
        wanted: list[set[int] | None],
        addresses: set[int],
        data: st.DataObject,
    ) -> None:
        """After appending, truncating and appending the index finds the same logs as a scan."""
        index, kept = LogIndex(), []
        for emitted in blocks:
            kept.append(block_of(len(kept), emitted))
            index.append(kept[-1])
        index.truncate(height)
        del kept[height + 1 :]
        for emitted in later:
            kept.append(block_of(len(kept), emitted))
            index.append(kept[-1])
        first, last = data.draw(st.tuples(st.integers(0, 25), st.integers(0, 25)))
        query = LogQuery(
            first,
            last,
            addresses=frozenset(Address(word(each)[12:]) for each in addresses),
            topics=tuple(
                None if each is None else frozenset(Hash32(word(value)) for value in each)
                for each in wanted
            ),
        )

        found = list(index.search(query))

        scanned = [each for block in kept[first : last + 1] for each in matching(block, query)]
        assert found == scanned
