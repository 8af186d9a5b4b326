"""`devchain.rpc.methods.eth.block`"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.rpc.methods.eth.block import (
    get_block_by_hash,
    get_block_by_number,
    get_block_transaction_count_by_hash,
    get_block_transaction_count_by_number,
    get_blocks_by_number,
    get_uncle_by_block_hash_and_index,
    get_uncle_by_block_number_and_index,
    get_uncle_count_by_block_hash,
    get_uncle_count_by_block_number,
)
from devchain.rpc.scalar_decoders import Loose
from devchain.types import Hash32, Tag
from tests.accounts import BOB
from tests.actions import send

UNKNOWN = Hash32(b"\xab" * 32)


@pytest.fixture
def mined(node: Node) -> Node:
    """A node with a block of two transactions."""
    node.miner.running = False
    send(node, BOB, value=1)
    send(node, BOB, value=2)
    node.miner.mine()
    return node


class TestGetBlockByHash:
    def test_found(self, mined: Node) -> None:
        """A block is found by its hash, with the hashes of its transactions."""
        head = mined.chain.head

        actual = get_block_by_hash(mined, head.hash)

        assert actual is not None
        assert actual["number"] == 1
        assert actual["transactions"] == [tx.hash for tx in head.transactions]

    def test_full(self, mined: Node) -> None:
        """With `full` the block has transaction objects."""
        actual = get_block_by_hash(mined, mined.chain.head.hash, full=True)

        assert actual is not None
        assert [tx["value"] for tx in actual["transactions"]] == [1, 2]

    def test_unknown(self, node: Node) -> None:
        """An unknown hash is null."""
        assert get_block_by_hash(node, UNKNOWN) is None

    @pytest.mark.parametrize("more", [[], [None], [False]], ids=["absent", "null", "false"])
    def test_on_the_wire(self, client: LocalClient, mined: Node, more: list[Any]) -> None:
        """By default the block has transaction hashes."""
        actual = client.call("eth_getBlockByHash", "0x" + mined.chain.head.hash.hex(), *more)

        assert {type(each) for each in actual["transactions"]} == {str}

    @pytest.mark.parametrize("value", ["0x", "0x" + "00" * 31, "0x" + "00" * 33, "latest", 1])
    def test_not_a_hash(self, client: LocalClient, value: object) -> None:
        """A hash is 32 bytes."""
        with pytest.raises(RpcFailure, match="argument block_hash: want ") as caught:
            client.call("eth_getBlockByHash", value)

        assert caught.value.code == -32602

    @pytest.mark.parametrize("value", ["true", 1, 0, []])
    def test_not_a_boolean(self, client: LocalClient, value: object) -> None:
        """`full` is a JSON boolean."""
        with pytest.raises(RpcFailure, match="argument full: want true or false, got "):
            client.call("eth_getBlockByHash", "0x" + "00" * 32, value)


class TestGetBlockByNumber:
    def test_number(self, mined: Node) -> None:
        """A block is found by its number."""
        actual = get_block_by_number(mined, 1)

        assert actual is not None
        assert actual["hash"] == mined.chain.head.hash

    def test_full(self, mined: Node) -> None:
        """With `full` the block has transaction objects."""
        actual = get_block_by_number(mined, Tag.LATEST, full=True)

        assert actual is not None
        assert [tx["transactionIndex"] for tx in actual["transactions"]] == [0, 1]

    def test_past_the_head(self, node: Node) -> None:
        """A block that does not exist yet is null."""
        assert get_block_by_number(node, 1) is None

    def test_pending(self, mined: Node) -> None:
        """The pending block is the one that would be mined now on the newest."""
        send(mined, BOB, value=3)

        actual = get_block_by_number(mined, Tag.PENDING, full=True)

        assert actual is not None
        assert actual["parentHash"] == mined.chain.head.hash
        assert [tx["value"] for tx in actual["transactions"]] == [3]

    @pytest.mark.parametrize("more", [[], [None], [False]], ids=["absent", "null", "false"])
    def test_on_the_wire(self, client: LocalClient, more: list[Any]) -> None:
        """The number is a QUANTITY."""
        assert client.call("eth_getBlockByNumber", "latest", *more)["number"] == "0x0"


class TestGetBlockTransactionCountByHash:
    def test_count(self, mined: Node) -> None:
        """The transactions of a block are counted."""
        assert get_block_transaction_count_by_hash(mined, mined.chain.head.hash) == 2

    def test_unknown(self, node: Node) -> None:
        """An unknown hash is null."""
        assert get_block_transaction_count_by_hash(node, UNKNOWN) is None

    def test_on_the_wire(self, client: LocalClient, mined: Node) -> None:
        """The count is a QUANTITY."""
        block_hash = "0x" + mined.chain.head.hash.hex()

        assert client.call("eth_getBlockTransactionCountByHash", block_hash) == "0x2"


class TestGetBlockTransactionCountByNumber:
    @pytest.mark.parametrize(("block", "expected"), [(0, 0), (1, 2), (Tag.LATEST, 2), (2, None)])
    def test_count(self, mined: Node, block: int | Tag, expected: int | None) -> None:
        """The transactions of a block are counted; an unknown block is null."""
        assert get_block_transaction_count_by_number(mined, block) == expected

    def test_pending(self, mined: Node) -> None:
        """Those that would be mined now are counted for `pending`."""
        send(mined, BOB)

        assert get_block_transaction_count_by_number(mined, Tag.PENDING) == 1


class TestGetUncleCountByBlockHash:
    def test_count(self, mined: Node) -> None:
        """No block has uncles."""
        assert get_uncle_count_by_block_hash(mined, mined.chain.head.hash) == 0

    def test_unknown(self, node: Node) -> None:
        """An unknown hash is null."""
        assert get_uncle_count_by_block_hash(node, UNKNOWN) is None


class TestGetBlocksByNumber:
    def test_one(self, mined: Node) -> None:
        """There is one block of each height, in the main chain."""
        head = mined.chain.head

        assert get_blocks_by_number(mined, Loose(head.number)) == [
            {"hash": head.hash, "totalDifficulty": head.total_difficulty, "inMainChain": True}
        ]

    def test_beyond_the_head(self, node: Node) -> None:
        """No block has a height above the head's."""
        assert get_blocks_by_number(node, Loose(1)) == []


class TestGetUncleCountByBlockNumber:
    @pytest.mark.parametrize(("block", "expected"), [(0, 0), (Tag.PENDING, 0), (1, None)])
    def test_count(self, node: Node, block: int | Tag, expected: int | None) -> None:
        """No block has uncles; an unknown block is null."""
        assert get_uncle_count_by_block_number(node, block) == expected


class TestGetUncleByBlockHashAndIndex:
    def test_none(self, mined: Node) -> None:
        """There are no uncles to be found."""
        assert get_uncle_by_block_hash_and_index(mined, mined.chain.head.hash, 0) is None

    @pytest.mark.parametrize("index", ["0", -1, True, None, "latest"])
    def test_bad_index(self, client: LocalClient, index: object) -> None:
        """The index is a QUANTITY."""
        with pytest.raises(RpcFailure) as caught:
            client.call("eth_getUncleByBlockHashAndIndex", "0x" + "00" * 32, index)

        assert caught.value.code == -32602


class TestGetUncleByBlockNumberAndIndex:
    def test_none(self, mined: Node) -> None:
        """There are no uncles to be found."""
        assert get_uncle_by_block_number_and_index(mined, 1, 0) is None
