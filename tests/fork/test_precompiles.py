"""Precompiled contracts on a fork: what they answer of the time before it, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from devchain.client.http import connect
from devchain.node import Node
from devchain.types import TransactionRequest
from tests.bytecode import word
from tests.evm.rootstock.precompiles.calling import BLOCK_HEADER, address, selector, unpack
from tests.fork.upstreams import fork_of


@pytest.fixture
def upstream() -> Iterator[Node]:
    """A node to fork."""
    with Node(fixed_clock=1_700_000_000) as node:
        yield node


class TestBlockHeader:
    def test_an_ancestor_is_read_alone(self, upstream: Node) -> None:
        """The blocks between it and the head are not asked for."""
        upstream.mine(300)
        fork, asked = fork_of(upstream)
        fork.mine(2)
        before = asked.requests
        data = selector("getBlockHash(int256)") + word(281)
        answer = fork.call(TransactionRequest(to=address(BLOCK_HEADER), data=data))
        assert unpack(answer) == upstream.chain.block(20).hash
        methods = [each.method for batch in asked.asked for each in batch][before:]
        assert methods.count("eth_getBlockByNumber") == 1

    def test_depths_end_at_genesis(self, upstream: Node) -> None:
        """There is no block before the first of the upstream chain."""
        upstream.mine(3)
        fork, _ = fork_of(upstream)
        for depth, found in ((0, 2), (2, 0), (3, None)):
            data = selector("getBlockHash(int256)") + word(depth)
            answer = fork.call(TransactionRequest(to=address(BLOCK_HEADER), data=data))
            assert unpack(answer) == (b"" if found is None else upstream.chain.block(found).hash)

    def test_simulated_blocks_have_the_ancestors_of_the_chain(self, upstream: Node) -> None:
        """On the upstream and on its fork alike."""
        upstream.mine(3)
        fork, _ = fork_of(upstream)
        data = f"0x{(selector('getBlockHash(int256)') + word(1)).hex()}"
        call = {"to": f"0x{address(BLOCK_HEADER).hex()}", "input": data}
        blocks = {"blockStateCalls": [{"calls": [call]}, {"calls": [call]}]}
        answers = [
            [
                block["calls"][0]["returnData"]
                for block in connect(node).call("eth_simulateV1", blocks, "latest")
            ]
            for node in (upstream, fork)
        ]
        assert answers[0] == answers[1]
        assert upstream.chain.block(2).hash.hex() in answers[0][0]
