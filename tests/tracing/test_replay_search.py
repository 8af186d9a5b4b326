"""`devchain.tracing.replay`"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.errors import BlockNotFound, InvalidInput
from devchain.node import Node
from devchain.tracing.options import TraceQuery
from devchain.tracing.replay import search
from devchain.types import BlockHash, Hash32, Tag
from tests.accounts import ALICE, BOB, CAROL
from tests.actions import send
from tests.tracing.programs import Program, call, place


@pytest.fixture
def node(node: Node) -> Node:
    """Blocks 1 and 2 have ALICE's and BOB's transfers, 3 to 5 two contracts and a call of both."""
    send(node, BOB, value=1, gas=21_000)
    send(node, CAROL, value=2, gas=21_000, sender=BOB)
    send(node, place(node, Program((call("CALL", Program((), "stop")),), "stop")))
    return node


def found(node: Node, **query: Any) -> list[tuple[int, tuple[int, ...]]]:
    """Block and path of each frame that a query finds."""
    return [(block.number, flat.path) for block, _, flat in search(node.chain, TraceQuery(**query))]


EVERYTHING = [(1, ()), (2, ()), (3, ()), (4, ()), (5, ()), (5, (0,))]


class TestSearch:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({}, EVERYTHING),
            ({"from_block": 4}, EVERYTHING[3:]),
            ({"to_block": 2}, EVERYTHING[:2]),
            ({"to_block": 99}, EVERYTHING),
            ({"from_block": 98, "to_block": 99}, []),
            ({"from_block": 98, "to_block": Tag.LATEST}, None),
            ({"to_block": Tag.PENDING}, EVERYTHING),
            ({"senders": frozenset({BOB})}, [(2, ())]),
            ({"receivers": frozenset({BOB, CAROL})}, [(1, ()), (2, ())]),
            ({"senders": frozenset({ALICE}), "receivers": frozenset({CAROL})}, []),
            ({"after": 1, "count": 2}, EVERYTHING[1:3]),
            ({"after": 5}, EVERYTHING[5:]),
            ({"after": 6}, []),
            ({"count": 0}, []),
        ],
    )
    def test_found(self, node: Node, query: Any, expected: Any) -> None:
        """Blocks, senders, receivers and a window choose; the frames below come along."""
        if expected is None:
            with pytest.raises(InvalidInput, match="fromBlock cannot be greater than toBlock"):
                found(node, **query)
        else:
            assert found(node, **query) == expected

    def test_unknown_block(self, node: Node) -> None:
        """A hash that is no block's is refused."""
        with pytest.raises(BlockNotFound):
            found(node, from_block=BlockHash(Hash32(bytes(32))))
