"""`devchain.rpc.methods.block`"""

from __future__ import annotations

import pytest

from devchain.client.http import LocalClient
from devchain.node import Node
from devchain.rpc.methods.block import (
    get_transaction_at,
    get_transaction_by_hash,
)
from devchain.types import Hash32, Tag
from tests.accounts import ALICE_HEX, BOB, BOB_HEX
from tests.actions import send

BY_NONCE = "eth_getTransactionBySenderAndNonce"
TRANSFER = {"from": ALICE_HEX, "to": BOB_HEX}


@pytest.fixture
def hashes(node: Node) -> list[Hash32]:
    """Two transactions in block 1, one that waits and one that lacks a nonce before it."""
    node.miner.running = False
    mined = [send(node, BOB, value=value) for value in (1, 2)]
    node.miner.mine()
    waiting = [send(node, BOB, value=3), send(node, BOB, value=4, nonce=9)]
    return [Hash32(each) for each in (*mined, *waiting)]


class TestGetTransactionByBlockNumberAndIndex:
    def test_pending(self, node: Node, hashes: list[Hash32]) -> None:
        """The transactions of the pending block have no position."""
        actual = get_transaction_at(node, Tag.PENDING, 0)

        assert actual == get_transaction_by_hash(node, hashes[2])


class TestGetTransactionBySenderAndNonce:
    def test_mined(self, client: LocalClient) -> None:
        """A mined transaction is found, with its place, by the sender and the nonce it had."""
        sent = [client.call("eth_sendTransaction", TRANSFER) for _ in range(3)]

        found = [client.call(BY_NONCE, ALICE_HEX, nonce) for nonce in ("0x0", 1, "0x02")]

        assert found == [client.call("eth_getTransactionByHash", each) for each in sent]
        assert [each["blockNumber"] for each in found] == ["0x1", "0x2", "0x3"]

    def test_pending(self, client: LocalClient) -> None:
        """So is one that waits, also behind a gap."""
        client.call("evm_setAutomine", False)
        sent = client.call("eth_sendTransaction", {**TRANSFER, "nonce": "0x7"})

        found = client.call(BY_NONCE, ALICE_HEX, "0x7")

        assert (found["hash"], found["blockHash"]) == (sent, None)

    @pytest.mark.parametrize("sender", [ALICE_HEX, BOB_HEX])
    def test_none(self, client: LocalClient, sender: str) -> None:
        """Null for a nonce that is not used, and for who has sent nothing."""
        client.call("eth_sendTransaction", TRANSFER)

        assert client.call(BY_NONCE, sender, "0x1") is None
