"""`devchain.chain.genesis`"""

from __future__ import annotations

import pytest
from eth_hash.auto import keccak

from devchain.config import Config
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.node import Node
from tests.accounts import ADDRESSES, FUNDS
from tests.conftest import GENESIS_TIME
from tests.merkle import EMPTY_ROOT


class TestGenesis:
    def test_first_block(self, node: Node) -> None:
        """Block zero has no parent and no transactions, and the configured gas limit."""
        block = node.chain.block(0)

        assert (block.number, block.parent_hash, block.transactions) == (0, bytes(32), ())
        assert (block.timestamp, block.gas_limit) == (GENESIS_TIME, 6_800_000)
        assert block.total_difficulty == block.header.difficulty
        assert keccak(block.raw_header) == block.hash

    def test_funds(self, node: Node) -> None:
        """The configured accounts start with the configured balance."""
        state = node.chain.state_at(0)

        assert {state.balance(address) for address in ADDRESSES} == {FUNDS}

    @pytest.mark.parametrize(
        ("hardfork", "balance"),
        [("orchid", 21_000_000 * 10**18), ("vetiver", 21_000_000 * 10**18), ("osaka", 0)],
    )
    def test_bridge(self, hardfork: str, balance: int) -> None:
        """The Bridge starts with all RBTC that there will be, as in rskj's `rsk-dev.json`."""
        node = Node(Config(hardfork=hardfork, accounts=0))

        assert node.chain.state_at(0).balance(BRIDGE) == balance

    def test_without_accounts(self) -> None:
        """An Ethereum chain without accounts starts with the empty state."""
        node = Node(Config(hardfork="london", accounts=0))

        assert node.chain.head.state_root == EMPTY_ROOT

    def test_options(self) -> None:
        """Genesis and the next block have the configured gas limit and minimum gas price."""
        node = Node(Config(gas_limit=3_000_000, min_gas_price=7, fixed_clock=GENESIS_TIME))
        node.miner.mine()

        headers = [node.chain.block(number).header for number in (0, 1)]

        assert [each.gas_limit for each in headers] == [3_000_000] * 2
        assert [each.minimum_gas_price for each in headers] == [7] * 2
