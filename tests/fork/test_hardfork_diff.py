"""What another hardfork changes in transactions of a fork's upstream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.node import Node
from devchain.types import Address
from tests.actions import deploy, run, send
from tests.bytecode import assemble
from tests.conftest import GENESIS_TIME
from tests.fork.upstreams import fork_of

LOGGER = assemble("0 SLOAD 1 ADD 0 SSTORE 0 0 LOG0")


@pytest.fixture
def upstream() -> Iterator[Node]:
    with Node(Config(network="test", fixed_clock=GENESIS_TIME)) as node:
        yield node


def test_one(upstream: Node) -> None:
    """A transaction of the upstream is executed on the state before it, behind others there."""
    logger = deploy(upstream, LOGGER)
    upstream.miner.set_automine(on=False)
    hashes = [send(upstream, logger, gas=100_000) for _ in range(3)]
    upstream.mine()
    used = [receipt.gas_used for receipt in upstream.chain.head.receipts]
    fork, _ = fork_of(upstream)
    with fork:
        client = LocalClient(fork)
        rows = [
            client.call("devchain_compareHardforks", f"0x{each.hex()}", "next")[name_of(logger)]
            for each in hashes
        ]

    assert [row["gas"] for row in rows] == used
    assert [row["newGas"] - row["gas"] for row in rows] == [1_900, *[1_900 - 2_100] * 2]


def name_of(contract: Address) -> str:
    """A function without a name."""
    return f"0x{contract.hex()}.0x"


def test_since(upstream: Node) -> None:
    """With a block those that left logs from there on are compared, up to the count."""
    logger, silent = deploy(upstream, LOGGER), deploy(upstream, assemble("STOP"))
    for _ in range(3):
        run(upstream, logger)
        run(upstream, silent)
    fork, _ = fork_of(upstream)
    with fork:
        run(fork, logger)
        client = LocalClient(fork)

        def calls(contract: Address, *given: str) -> Any:
            rows = client.call("devchain_compareHardforks", f"0x{contract.hex()}", "next", *given)
            return sum(row["calls"] for row in rows.values())

        counts = [calls(logger), calls(logger, "0x64", "0x1"), calls(logger, "0x64", "0x6")]
        fewer, none = calls(logger, "0x2", "0x1"), calls(silent, "0x64", "0x1")

    assert counts == [1, 4, 2]
    assert (fewer, none) == (2, 0)
