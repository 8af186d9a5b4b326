"""`devchain.rpc.methods.txpool`"""

from __future__ import annotations

import pytest

from devchain.client.http import LocalClient
from devchain.node import Node
from devchain.rpc.methods.txpool import content, inspect, status
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


class TestContent:
    def test_empty(self, node: Node) -> None:
        """An empty mempool has both parts."""
        assert content(node) == {"pending": {}, "queued": {}}

    def test_grouped(self, client: LocalClient, waiting: Node) -> None:
        """Transactions are found by sender and nonce."""
        actual = client.call("txpool_content")

        nonces = {
            part: {sender: list(each) for sender, each in senders.items()}
            for part, senders in actual.items()
        }
        assert nonces == {
            "pending": {ALICE_HEX: ["0", "1"], BOB_HEX: ["0"]},
            "queued": {ALICE_HEX: ["5"]},
        }

    def test_transaction(self, client: LocalClient, waiting: Node) -> None:
        """Each is a transaction object in no block."""
        actual = client.call("txpool_content")["queued"][ALICE_HEX]["5"]

        assert (actual["nonce"], actual["value"], actual["to"]) == ("0x5", "0x3", BOB_HEX)
        assert (actual["blockHash"], actual["blockNumber"]) == ("0x" + "00" * 32, None)


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


class TestStatus:
    def test_empty(self, node: Node) -> None:
        """An empty mempool counts zero."""
        assert status(node) == {"pending": 0, "queued": 0}

    def test_on_the_wire(self, client: LocalClient, waiting: Node) -> None:
        """The counts are JSON numbers, as the real node's."""
        assert client.call("txpool_status") == {"pending": 3, "queued": 1}
