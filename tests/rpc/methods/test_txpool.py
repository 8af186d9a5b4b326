"""`devchain.rpc.methods.txpool`"""

from __future__ import annotations

import pytest

from devchain.node import Node
from devchain.rpc.methods.txpool import inspect
from tests.accounts import ALICE_HEX, BOB, BOB_HEX
from tests.actions import send


@pytest.fixture
def waiting(node: Node) -> Node:
    """A node with two pending transactions of ALICE's, one of BOB's and a queued one."""
    node.miner.running = False
    send(node, BOB, value=1, gas=21_000)
    send(node, None, b"\0", gas=60_000, gas_price=2)
    send(node, BOB, value=3, gas=21_000, nonce=5)
    send(node, BOB, sender=BOB, gas=21_000)
    return node


class TestInspect:
    def test_lines(self, waiting: Node) -> None:
        """Each transaction is a line of text."""
        assert inspect(waiting) == {
            "pending": {
                ALICE_HEX: {
                    "0": f"{BOB_HEX}: 1 wei + 21000 gas x 0 wei",
                    "1": "contract creation: 0 wei + 60000 gas x 2 wei",
                },
                BOB_HEX: {"0": f"{BOB_HEX}: 0 wei + 21000 gas x 0 wei"},
            },
            "queued": {ALICE_HEX: {"5": f"{BOB_HEX}: 3 wei + 21000 gas x 0 wei"}},
        }
