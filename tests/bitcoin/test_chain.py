"""`devchain.bitcoin.chain`"""

from __future__ import annotations

import pytest
from btclib.block.block_context import BlockContext

from devchain.bitcoin.bitcoin_node import BitcoinNode
from devchain.bitcoin.chain import BITS, RULES, SATOSHIS
from devchain.clock import Clock
from devchain.config import MNEMONIC
from devchain.errors import InvalidInput

NOW = 1_700_000_000


@pytest.fixture
def node() -> BitcoinNode:
    return BitcoinNode(MNEMONIC, Clock(NOW))


class TestMine:
    def test_valid(self, node: BitcoinNode) -> None:
        """Blocks satisfy the rules that btclib has of Bitcoin Core's validation.cpp."""
        fees = [node.mempool.entries[node.send(node.new_address(), SATOSHIS)].fee for _ in range(2)]
        node.mine(200)

        for block in node.chain.active[1:]:
            median = node.chain.median_time(block.height - 1)
            moment = block.block.header.time
            block.block.assert_valid(BITS)
            context = BlockContext(block.height, moment, RULES, median, BITS)
            block.block.assert_valid_contextual(context)
        rewards = [
            sum(out.value for out in node.block(height).block.transactions[0].vout)
            for height in (111, 149, 150)
        ]
        assert rewards == [50 * SATOSHIS + sum(fees), 50 * SATOSHIS, 25 * SATOSHIS]

    def test_time(self, node: BitcoinNode) -> None:
        """A block is later than the median of eleven also when the clock stands."""
        node.mine(20)

        times = [block.time for block in node.chain.active]
        assert all(times[at] > sorted(times[at - 11 : at])[5] for at in range(11, len(times)))

    def test_end_of_time(self) -> None:
        node = BitcoinNode(MNEMONIC, Clock(2**32))

        with pytest.raises(InvalidInput, match="2106"):
            node.mine()


class TestDisconnect:
    def test_outputs(self, node: BitcoinNode) -> None:
        """Outputs are those of before, also with a spend within the lost block."""
        before = dict(node.chain.coins)
        first = node.send(node.new_address(), 40 * SATOSHIS)
        for _ in range(12):
            node.send(node.new_address(), 40 * SATOSHIS)
        (block_hash,) = node.mine()
        spent = {one.prev_out.tx_id for tx in node.block(111).block.transactions for one in tx.vin}

        node.invalidate(block_hash)

        assert first in spent
        assert node.chain.coins == before
        assert len(node.mempool.entries) == 13
