"""`devchain.chain.receipts`"""

from __future__ import annotations

import pytest
import rlp

from devchain.chain.receipts import encode, prove
from devchain.config import Config
from devchain.node import Node
from tests import merkle
from tests.accounts import ADDRESSES, BOB
from tests.actions import deploy, run, send
from tests.bytecode import EMIT, word
from tests.conftest import GENESIS_TIME

PRICE = 10**10


class TestEncode:
    def test_list(self, node: Node) -> None:
        """A receipt is a list of status, cumulative gas, bloom and logs."""
        emitter = deploy(node, EMIT)

        receipt = run(node, emitter, word(1) + word(2))

        (log,) = receipt.logs
        assert rlp.decode(encode(receipt)) == [
            b"\x01",
            receipt.cumulative_gas_used.to_bytes(2, "big"),
            receipt.bloom.to_bytes(256, "big"),
            [[emitter, list(log.topics), log.data]],
        ]

    @pytest.mark.parametrize(("hardfork", "kind"), [("berlin", 1), ("london", 2)])
    def test_typed(self, hardfork: str, kind: int) -> None:
        """That of a typed transaction begins with the type, and its block's root holds it so."""
        node = Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME))
        fee = {"gas_price": PRICE} if kind == 1 else {"max_fee_per_gas": PRICE}

        receipt = run(node, BOB, type=kind, **fee)

        assert encode(receipt)[0] == kind
        assert node.chain.head.header.receipt_root == merkle.root_of_list([encode(receipt)])


class TestProve:
    @pytest.mark.parametrize("count", [1, 2, 40])
    def test_every_index(self, count: int) -> None:
        """The nodes of each receipt lead from the root to it and to no other."""
        node = Node(Config(mining=False, fixed_clock=GENESIS_TIME))
        for index in range(count):
            send(node, BOB, sender=ADDRESSES[index % 4], value=1, gas=21_000)
        block = node.miner.mine()

        for receipt in block.receipts:
            key, nodes = rlp.encode(receipt.index), prove(block, receipt.index)
            assert merkle.prove(block.header.receipt_root, key, nodes) == encode(receipt)
        assert len(block.receipts) == count
