"""The block parameter, the same for every method; its forms are in `test_block_parameter`."""

from __future__ import annotations

from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from tests.accounts import ALICE_HEX, BOB, BOB_HEX
from tests.actions import run

UNKNOWN_HASH = "0x" + "ab" * 32
HEIGHT = 3

READING = {
    "eth_getBalance": [ALICE_HEX],
    "eth_getCode": [ALICE_HEX],
    "eth_getStorageAt": [ALICE_HEX, "0x0"],
    "eth_getTransactionCount": [ALICE_HEX],
    "eth_getProof": [ALICE_HEX, []],
    "eth_call": [{"to": BOB_HEX}],
    "eth_estimateGas": [{"to": BOB_HEX}],
}
"""Methods that read a state, with what comes before the block; an unknown block is an error."""

FINDING = {
    "eth_getBlockByNumber": [],
    "eth_getBlockTransactionCountByNumber": [],
    "eth_getUncleCountByBlockNumber": [],
    "eth_getTransactionByBlockNumberAndIndex": ["0x0"],
    "eth_getUncleByBlockNumberAndIndex": ["0x0"],
}
"""Methods that look a block up, with what comes after it; an unknown block is null."""

UNKNOWN = ["0x4", UNKNOWN_HASH, {"blockNumber": "0x4"}, {"blockHash": UNKNOWN_HASH}]


@pytest.fixture
def config() -> Config:
    """A node with one account, which is made in no time."""
    return Config(network="test", accounts=1)


@pytest.fixture
def chain(node: Node) -> Node:
    """A node with three blocks, a transaction in each."""
    for value in range(HEIGHT):
        run(node, BOB, value=value)
    return node


def with_block(method: str, block: object) -> list[Any]:
    """The parameters of a call of that method at that block."""
    if method in READING:
        return [*READING[method], block]
    return [block, *FINDING[method]]


def refusal(client: LocalClient, method: str, block: object) -> RpcFailure:
    """The error that method answers for that block."""
    with pytest.raises(RpcFailure) as caught:
        client.call(method, *with_block(method, block))
    return caught.value


@pytest.mark.usefixtures("chain")
class TestBlockParameter:
    @pytest.mark.parametrize("wrap", [False, True], ids=["text", "map"])
    @pytest.mark.parametrize("method", [*READING, *FINDING])
    def test_hash(self, client: LocalClient, chain: Node, method: str, wrap: bool) -> None:
        """A block's hash names it, as text and in a map; the answer is that of its number."""
        block_hash = "0x" + chain.chain.block(2).hash.hex()
        block = {"blockHash": block_hash, "requireCanonical": True} if wrap else block_hash

        actual = client.call(method, *with_block(method, block))

        assert actual == client.call(method, *with_block(method, "0x2"))

    @pytest.mark.parametrize("block", UNKNOWN, ids=str)
    @pytest.mark.parametrize("method", READING)
    def test_unknown_state(self, client: LocalClient, method: str, block: object) -> None:
        """There is no state of a block that does not exist."""
        actual = refusal(client, method, block)

        assert actual.code == -32000
        assert actual.message.startswith("header not found: ")
        assert actual.message.endswith("; the newest block is 3")

    @pytest.mark.parametrize("block", UNKNOWN, ids=str)
    @pytest.mark.parametrize("method", FINDING)
    def test_unknown_block(self, client: LocalClient, method: str, block: object) -> None:
        """A block that does not exist is null where a block is looked up."""
        assert client.call(method, *with_block(method, block)) is None

    @pytest.mark.parametrize("method", [*READING, *FINDING])
    def test_malformed(self, client: LocalClient, method: str) -> None:
        """What names no block is refused with the parameter's name."""
        actual = refusal(client, method, "newest")

        assert actual.code == -32602
        assert actual.message.startswith("argument block: ")

    @pytest.mark.parametrize("absent", [[], [None]], ids=["absent", "null"])
    @pytest.mark.parametrize("method", [name for name in READING if name != "eth_estimateGas"])
    def test_default(self, client: LocalClient, method: str, absent: list[None]) -> None:
        """Where a state is read the block is optional: it is the latest."""
        actual = client.call(method, *READING[method], *absent)

        assert actual == client.call(method, *with_block(method, "latest"))

    @pytest.mark.parametrize("method", FINDING)
    def test_required(self, client: LocalClient, method: str) -> None:
        """Where a block is looked up it has to be named."""
        actual = refusal(client, method, None)

        assert actual.code == -32602


class TestRevertedBlock:
    @pytest.mark.parametrize("canonical", [True, False, "true", "false"])
    def test_gone(self, client: LocalClient, chain: Node, canonical: object) -> None:
        """A block that a revert has removed is unknown, with `requireCanonical` and without."""
        snapshot = client.call("evm_snapshot")
        client.call("evm_mine")
        block = {"blockHash": "0x" + chain.chain.head.hash.hex(), "requireCanonical": canonical}
        client.call("evm_revert", snapshot)

        actual = refusal(client, "eth_getBalance", block)

        assert actual.code == -32000
