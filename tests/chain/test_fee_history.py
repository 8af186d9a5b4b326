"""`devchain.chain.fee_history`"""

from __future__ import annotations

import pytest

from devchain.chain.fee_history import fee_history
from devchain.config import Config
from devchain.networks import GWEI
from devchain.node import Node
from devchain.types import MineRequest, Tag
from tests.accounts import BOB
from tests.actions import send
from tests.conftest import GENESIS_TIME


@pytest.fixture
def ethereum() -> Node:
    """A node under Ethereum's rules without automatic mining."""
    return Node(Config(hardfork="prague", fixed_clock=GENESIS_TIME, mining=False))


class TestFeeHistory:
    def test_base_fees(self, ethereum: Node) -> None:
        """Base fees are those of the blocks, and of the block after them, mined or not."""
        ethereum.mine(MineRequest(4))
        fees = [block.header.base_fee_per_gas for block in ethereum.chain.blocks_after(-1)]

        older = fee_history(ethereum.chain, ethereum.chain.block(2), 2, ())
        newest = fee_history(ethereum.chain, ethereum.chain.head, 1, ())
        assert (older.oldest, list(older.base_fees)) == (1, fees[1:4])
        assert newest.base_fees == (fees[4], ethereum.chain.lowest_gas_price())

    def test_pending(self, ethereum: Node) -> None:
        """The history up to the pending block ends with the base fee of the block after it."""
        send(ethereum, BOB, gas=21_000)
        pending = ethereum.chain.block(Tag.PENDING)
        ethereum_fees = fee_history(ethereum.chain, pending, 1, ())
        ethereum.mine(MineRequest(2))

        mined = tuple(block.header.base_fee_per_gas for block in ethereum.chain.blocks_after(0))
        assert (ethereum_fees.oldest, ethereum_fees.base_fees) == (1, mined)
        assert ethereum_fees.used == (21_000 / pending.gas_limit,)

    def test_rewards(self, ethereum: Node) -> None:
        """A reward is the tip at that percentile of the gas used, by ascending tip."""
        for nonce, (tip, gas) in enumerate([(3, 21_000), (1, 21_000), (2, 21_000)]):
            fees = {"max_priority_fee_per_gas": tip * GWEI, "max_fee_per_gas": 10 * GWEI}
            send(ethereum, BOB, gas=gas, nonce=nonce, **fees)
        ethereum.mine(MineRequest())

        history = fee_history(ethereum.chain, ethereum.chain.head, 1, (0, 33, 34, 66, 67, 100))
        assert [each // GWEI for each in history.rewards[0]] == [1, 1, 2, 2, 3, 3]

    def test_rootstock(self) -> None:
        """On Rootstock base fees are 0, and rewards are whole gas prices."""
        node = Node(Config(fixed_clock=GENESIS_TIME, min_gas_price=10))
        send(node, BOB, gas=21_000, gas_price=12)

        history = fee_history(node.chain, node.chain.head, 2, (50,))
        assert (history.base_fees, history.rewards) == ((0, 0, 0), ((0,), (12,)))

    def test_most(self, node: Node) -> None:
        """The history has at most 1024 blocks, and not more than the chain."""
        node.mine(MineRequest(1_100))

        assert len(fee_history(node.chain, node.chain.head, 10**6, ()).used) == 1_024
        assert len(fee_history(node.chain, node.chain.block(3), 10**6, ()).used) == 4
