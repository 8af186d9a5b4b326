"""`devchain.chain.logs`"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.chain.block import MinedLog
from devchain.node import Node
from devchain.types import Address, Hash32, LogQuery, MineRequest, Topics, TransactionRequest
from tests.accounts import ALICE
from tests.actions import deploy, run
from tests.contracts import EMIT, EMIT_MANY, assemble, word

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
    """Where the logs were mined."""
    return [each.block.number for each in logs]


def some(*topics: Hash32) -> frozenset[Hash32]:
    """One position that any of those topics fits."""
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
        """Order counts, None fits anything that is there, and a set is an OR."""
        assert blocks_of(node.logs(LogQuery(0, 100, topics=topics))) == blocks

    def test_bloom_is_not_trusted(self, node: Node, emitters: tuple[Address, Address]) -> None:
        """A topic in the wrong position is in the bloom and still does not match."""
        query = LogQuery(0, 100, addresses=frozenset({emitters[0]}), topics=(some(TWO),))

        assert blocks_of(node.logs(query)) == [7]


class TestAddresses:
    @pytest.mark.parametrize(
        ("which", "blocks"), [([0], [4, 7]), ([1], [5]), ([0, 1], [4, 5, 7]), ([], [4, 5, 7, 8])]
    )
    def test_any_of(
        self, node: Node, emitters: tuple[Address, Address], which: list[int], blocks: list[int]
    ) -> None:
        """A log of any of the addresses matches; no address means every address."""
        wanted = frozenset(emitters[each] for each in which)

        assert blocks_of(node.logs(LogQuery(0, 100, addresses=wanted))) == blocks

    def test_stranger(self, node: Node, emitters: tuple[Address, Address]) -> None:
        """An address that emitted nothing has no logs."""
        assert node.logs(LogQuery(0, 100, addresses=frozenset({ALICE}))) == []

    def test_with_topics(self, node: Node, emitters: tuple[Address, Address]) -> None:
        """Address and topics have to fit both."""
        query = LogQuery(0, 100, addresses=frozenset({emitters[0]}), topics=(some(ONE),))

        assert blocks_of(node.logs(query)) == [4]


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

    def test_of_one_block(self, node: Node, emitters: Any) -> None:
        """A block hash stands for just that block."""
        query = LogQuery(block_hash=node.chain.block(5).hash)

        assert blocks_of(node.logs(query)) == [5]

    def test_after_truncation(self, node: Node, emitters: Any) -> None:
        """Logs of blocks that are gone are gone, and those below stay."""
        node.chain.truncate(5)

        assert blocks_of(node.logs(LogQuery(0, 100))) == [4, 5]


class TestPlaces:
    def test_index_in_the_block(self, node: Node) -> None:
        """Logs count through the block over all its transactions."""
        contract = deploy(node, EMIT_MANY)
        node.miner.running = False
        for count in (2, 0, 3):
            node.send(_emitting(contract, count))
        node.mine(MineRequest())

        found = node.logs(LogQuery())

        assert [each.index for each in found] == [0, 1, 2, 3, 4]
        assert [each.receipt.index for each in found] == [0, 0, 2, 2, 2]
        assert [each.log.topics for each in found] == [
            (Hash32(word(number)),) for number in (2, 1, 3, 2, 1)
        ]
        assert not any(each.removed for each in found)


def _emitting(contract: Address, count: int) -> TransactionRequest:
    return TransactionRequest(ALICE, contract, gas=100_000, data=word(count))
