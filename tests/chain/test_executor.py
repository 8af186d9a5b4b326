"""`devchain.chain.executor`: py-evm's own blocks are what the lean machine's have to be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from devchain.chain.block import Block
from devchain.config import Config
from devchain.networks import ETHEREUM, HARDFORKS
from devchain.node import Node
from devchain.types import MineRequest
from tests.accounts import ALICE, BOB, CAROL, NOBODY
from tests.actions import run, send
from tests.bytecode import COUNTER, DESTROY, EMIT, EMIT_MANY, REVERT, init_code, word
from tests.conftest import GENESIS_TIME

LONDON = ETHEREUM.index("london")


def both(
    tell: Callable[[Node], object], hardfork: str, *, remasc: bool = False
) -> list[list[Block]]:
    """The blocks of both engines after the same story."""
    chains = []
    for engine in ("fast", "reference"):
        config = Config(engine=engine, hardfork=hardfork, remasc=remasc, fixed_clock=GENESIS_TIME)
        with Node(config) as node:
            tell(node)
            chains.append(list(node.chain.blocks_after(-1)))
    return chains


def mixed(node: Node) -> None:
    """Creations, calls, logs, reverts and transfers, several to a block; empty blocks between."""
    price = 10**10
    codes = (EMIT, EMIT_MANY, COUNTER, REVERT, DESTROY)
    created = [run(node, None, init_code(code), gas_price=price) for code in codes]
    emit, many, counter, refuse, destroy = (each.contract_address for each in created)
    node.miner.running = False
    node.mine(MineRequest(blocks=2))
    for turn in range(18):
        sender = (ALICE, BOB, CAROL)[turn % 3]
        send(
            node, emit, word(turn) + word(2) + b"data", gas=200_000, sender=sender, gas_price=price
        )
        send(node, NOBODY, value=turn, gas=21_000, sender=sender, gas_price=price)
    node.mine(MineRequest())
    send(node, many, word(5), gas=500_000, gas_price=price)
    send(node, refuse, b"\x01\x02", gas=100_000, sender=BOB, gas_price=price)
    send(node, counter, gas=30_000, sender=CAROL, gas_price=price)
    send(node, destroy, gas=100_000, sender=CAROL, gas_price=price)
    node.mine(MineRequest(blocks=3))


class TestAgreement:
    @pytest.mark.parametrize("hardfork", HARDFORKS)
    def test_empty_blocks(self, hardfork: str) -> None:
        """Blocks without transactions are the same on both engines, rewards and all."""
        lean, stock = both(lambda node: node.mine(MineRequest(blocks=3)), hardfork)

        assert [each.hash for each in lean] == [each.hash for each in stock]
        assert lean == stock

    @pytest.mark.filterwarnings("ignore:SELFDESTRUCT")  # as py-evm says under newer rules
    @pytest.mark.parametrize(
        "hardfork", ["orchid", "iris", "vetiver", "homestead", "byzantium", "london", "prague"]
    )
    def test_mixed(self, hardfork: str) -> None:
        """So are blocks of creations, calls, logs and failures: headers, receipts and sizes."""
        lean, stock = both(mixed, hardfork)

        assert [each.raw_header for each in lean] == [each.raw_header for each in stock]
        assert [each.size for each in lean] == [each.size for each in stock]
        assert [each.receipts for each in lean] == [each.receipts for each in stock]
        assert any(each.bloom for each in lean)

    def test_remasc(self) -> None:
        """So are blocks that REMASC's transaction ends, also when it pays."""

        def tell(node: Node) -> None:
            mixed(node)
            node.mine(MineRequest(blocks=20))

        lean, stock = both(tell, "vetiver", remasc=True)

        assert [each.hash for each in lean] == [each.hash for each in stock]
        assert [each.receipts for each in lean] == [each.receipts for each in stock]
        assert lean[-1].receipts[-1].logs


class TestFreeBlocks:
    @pytest.mark.parametrize(
        ("options", "is_free"),
        [
            ({}, True),
            ({"engine": "reference"}, False),
            ({"remasc": True}, False),
            ({"hardfork": "shanghai"}, True),
            ({"hardfork": "london"}, False),
            ({"hardfork": "cancun"}, False),
        ],
        ids=str,
    )
    def test_empty(self, options: dict[str, Any], *, is_free: bool) -> None:
        """An empty block costs only its header where nothing else happens in it."""
        with Node(Config(**{"engine": "fast", "fixed_clock": GENESIS_TIME, **options})) as node:
            node.mine(MineRequest())

            assert node.chain.head_was_free == is_free

    def test_with_a_transaction(self) -> None:
        """A block with a transaction is not free."""
        with Node(Config(engine="fast", fixed_clock=GENESIS_TIME)) as node:
            send(node, NOBODY, value=1)

            assert not node.chain.head_was_free
