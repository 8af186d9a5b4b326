"""`devchain.rpc.methods.eth.transaction`"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.rpc.methods.eth.transaction import (
    get_transaction_by_block_hash_and_index,
    get_transaction_by_block_number_and_index,
    get_transaction_by_hash,
    get_transaction_receipt,
)
from devchain.types import Hash32, Tag
from tests.accounts import BOB
from tests.actions import send

UNKNOWN = Hash32(b"\xab" * 32)


@pytest.fixture
def hashes(node: Node) -> list[Hash32]:
    """Two transactions in block 1, one that waits and one that lacks a nonce before it."""
    node.miner.running = False
    mined = [send(node, BOB, value=value) for value in (1, 2)]
    node.miner.mine()
    waiting = [send(node, BOB, value=3), send(node, BOB, value=4, nonce=9)]
    return [Hash32(each) for each in (*mined, *waiting)]


class TestGetTransactionByHash:
    def test_mined(self, node: Node, hashes: list[Hash32]) -> None:
        """A mined transaction is found, with its position."""
        actual = get_transaction_by_hash(node, hashes[1])

        assert actual is not None
        assert (actual["value"], actual["blockNumber"], actual["transactionIndex"]) == (2, 1, 1)

    @pytest.mark.parametrize("index", [2, 3], ids=["pending", "queued"])
    def test_waiting(self, node: Node, hashes: list[Hash32], index: int) -> None:
        """A pending transaction is found, without a position."""
        actual = get_transaction_by_hash(node, hashes[index])

        assert actual is not None
        assert actual["hash"] == hashes[index]
        assert [actual[key] for key in ("blockHash", "blockNumber", "transactionIndex")] == [
            None
        ] * 3

    def test_unknown(self, client: LocalClient) -> None:
        """An unknown hash is null."""
        assert client.call("eth_getTransactionByHash", "0x" + UNKNOWN.hex()) is None

    @pytest.mark.parametrize("value", ["0x", "0x" + "00" * 31, 1, None, "latest", {}])
    def test_not_a_hash(self, client: LocalClient, value: object) -> None:
        """A hash is 32 bytes."""
        with pytest.raises(RpcFailure) as caught:
            client.call("eth_getTransactionByHash", value)

        assert caught.value.code == -32602


class TestGetTransactionReceipt:
    def test_mined(self, node: Node, hashes: list[Hash32]) -> None:
        """A mined transaction has a receipt."""
        actual = get_transaction_receipt(node, hashes[0])

        assert actual is not None
        assert (actual["transactionHash"], actual["status"]) == (hashes[0], 1)

    @pytest.mark.parametrize("index", [2, 3], ids=["pending", "queued"])
    def test_waiting(self, node: Node, hashes: list[Hash32], index: int) -> None:
        """A pending transaction has no receipt."""
        assert get_transaction_receipt(node, hashes[index]) is None

    def test_unknown(self, client: LocalClient) -> None:
        """An unknown hash is null."""
        assert client.call("eth_getTransactionReceipt", "0x" + UNKNOWN.hex()) is None


class TestGetTransactionByBlockHashAndIndex:
    def test_found(self, node: Node, hashes: list[Hash32]) -> None:
        """A transaction is found by its index; there is no `_id`."""
        actual = get_transaction_by_block_hash_and_index(node, node.chain.head.hash, 1)

        assert actual == get_transaction_by_hash(node, hashes[1])
        assert "_id" not in (actual or {})

    @pytest.mark.parametrize("index", [2, 2**64, 2**256 - 1])
    def test_past_the_last(self, node: Node, hashes: list[Hash32], index: int) -> None:
        """An unknown index is null."""
        assert get_transaction_by_block_hash_and_index(node, node.chain.head.hash, index) is None

    def test_unknown(self, node: Node) -> None:
        """An unknown block is null."""
        assert get_transaction_by_block_hash_and_index(node, UNKNOWN, 0) is None

    @pytest.mark.parametrize("index", ["1", -1, 1.0, True, None])
    def test_bad_index(self, client: LocalClient, index: Any) -> None:
        """The index is a QUANTITY."""
        with pytest.raises(RpcFailure) as caught:
            client.call("eth_getTransactionByBlockHashAndIndex", "0x" + "00" * 32, index)

        assert caught.value.code == -32602


class TestGetTransactionByBlockNumberAndIndex:
    def test_found(self, node: Node, hashes: list[Hash32]) -> None:
        """A transaction is found by its index."""
        actual = get_transaction_by_block_number_and_index(node, 1, 0)

        assert actual == get_transaction_by_hash(node, hashes[0])

    def test_pending(self, node: Node, hashes: list[Hash32]) -> None:
        """The transactions of the pending block have no position."""
        actual = get_transaction_by_block_number_and_index(node, Tag.PENDING, 0)

        assert actual == get_transaction_by_hash(node, hashes[2])

    @pytest.mark.parametrize(("block", "index"), [(1, 2), (2, 0), (0, 0)])
    def test_nothing_there(self, node: Node, hashes: list[Hash32], block: int, index: int) -> None:
        """An unknown block and an unknown index are null."""
        assert get_transaction_by_block_number_and_index(node, block, index) is None
