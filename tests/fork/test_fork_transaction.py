"""A fork at a transaction: its block is mined again up to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import ConfigError
from devchain.node import Node
from tests.accounts import ALICE_HEX, BOB_HEX, CAROL_HEX
from tests.fork.upstreams import fork_of

REVERTS = "0x60006000fd"
RULES = pytest.mark.parametrize("upstream", ["vetiver", "prague"], indirect=True)


@pytest.fixture
def upstream(request: pytest.FixtureRequest) -> Iterator[Node]:
    """A node with a block of three transactions, the last of which fails, and one after it."""
    options: dict[str, Any] = {"hardfork": request.param, "fixed_clock": 1_700_000_000}
    with Node(mining=False, **options) as node:
        client = LocalClient(node)
        client.call("evm_mine")
        for request_ in (
            {"from": BOB_HEX, "to": CAROL_HEX, "value": "0x1"},
            {"from": ALICE_HEX, "to": CAROL_HEX, "value": "0x2"},
            {"from": BOB_HEX, "data": REVERTS},
        ):
            client.call("eth_sendTransaction", {**request_, "gas": "0x186a0"})
        client.call("evm_mine")
        client.call("evm_mine")
        yield node


def hashes(node: Node, number: int) -> list[str]:
    """The hashes of a block's transactions."""
    block = LocalClient(node).call("eth_getBlockByNumber", hex(number), False)
    return list(block["transactions"])


def fork_at(upstream: Node, transaction_hash: str) -> Node:
    """A fork of that node at a transaction, with its rules."""
    hardfork = upstream.config.hardfork
    return fork_of(upstream, fork_transaction_hash=transaction_hash, hardfork=hardfork)[0]


@RULES
@pytest.mark.parametrize("index", range(3))
def test_block_up_to_the_transaction(upstream: Node, index: int) -> None:
    """The first block of the fork has the transactions up to the named one, in their order."""
    wanted = hashes(upstream, 2)[: index + 1]

    fork = fork_at(upstream, wanted[-1])

    client = LocalClient(fork)
    assert hashes(fork, 2) == wanted
    assert (fork.chain.first, fork.chain.height) == (1, 2)
    own, others = (
        [
            peer.call("eth_getBlockByNumber", "0x2", False)["timestamp"],
            *(peer.call("eth_getTransactionReceipt", each)["status"] for each in wanted),
        ]
        for peer in (client, LocalClient(upstream))
    )
    assert own == others
    fork.close()


@RULES
def test_chain_goes_on(upstream: Node) -> None:
    """The next block is mined on it, and a reset goes back to the block before."""
    fork = fork_at(upstream, hashes(upstream, 2)[0])
    client = LocalClient(fork)

    client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": CAROL_HEX, "gas": "0x5208"})

    assert fork.chain.height == 3
    fork.reset()
    assert fork.chain.height == 1
    fork.close()


@pytest.mark.parametrize("upstream", ["vetiver"], indirect=True)
def test_unknown(upstream: Node) -> None:
    """A transaction that the upstream has not mined is refused."""
    with pytest.raises(ConfigError, match="has not mined the transaction 0x1212"):
        fork_at(upstream, "0x" + "12" * 32)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "--fork-transaction-hash needs --fork-url"),
        ({"fork_transaction_hash": "0x12"}, "invalid fork-transaction-hash '0x12'"),
    ],
)
def test_contradictions(options: dict[str, Any], problem: str) -> None:
    """It needs a node to ask, which names the block."""
    with pytest.raises(ConfigError, match=problem):
        Config(**{"fork_transaction_hash": "0x" + "12" * 32, **options})
