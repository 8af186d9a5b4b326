"""How often a fork asks its upstream for contracts that call one another: each HTTP request waits.

An oracle names a pair in its storage, and the pair a token: what is needed next is in an answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from devchain.client.http import connect
from devchain.node import Node, cheats
from tests.accounts import ALICE_HEX
from tests.actions import deploy, send
from tests.bytecode import assemble
from tests.fork.upstreams import fork_of

HOP = assemble(
    # slot 0 names the next contract, slot 1 a slot that is read too
    "1 SLOAD SLOAD POP 32 0 0 0 0 SLOAD GAS STATICCALL POP 0 MLOAD 1 ADD 0 MSTORE 32 0 RETURN"
)
TOKEN = assemble("1 SLOAD SLOAD 0 MSTORE 32 0 RETURN")
BUYER = assemble("1 SLOAD SLOAD POP 32 0 0 0 0 0 SLOAD GAS CALL POP 0 MLOAD 1 ADD 5 SSTORE STOP")


class Market(NamedTuple):
    """A node, its contracts, and a transaction that the buyer was called by."""

    node: Node
    buyer: str
    oracle: str
    sent: str


@pytest.fixture
def market() -> Iterator[Market]:
    """A buyer that calls an oracle, which calls a pair, which calls a token."""
    with Node(fixed_clock=1_700_000_000) as node:
        token, pair, oracle, buyer = (deploy(node, code) for code in (TOKEN, HOP, HOP, BUYER))
        for each, called in ((token, None), (pair, token), (oracle, pair), (buyer, oracle)):
            cheats.set_storage(node, each, 1, 9)
            cheats.set_storage(node, each, 9, 100)
            if called:
                cheats.set_storage(node, each, 0, int.from_bytes(called))
        node.mine()
        sent = send(node, buyer)
        node.mine()
        yield Market(node, f"0x{buyer.hex()}", f"0x{oracle.hex()}", f"0x{sent.hex()}")


@pytest.mark.parametrize(
    ("method", "options", "most"),
    [
        ("eth_call", ["latest"], 9),
        ("eth_estimateGas", ["latest"], 9),
        ("eth_createAccessList", ["latest"], 9),
        ("debug_traceCall", ["latest", {"tracer": "callTracer"}], 9),
        ("debug_traceCall", ["latest", {"tracer": "prestateTracer"}], 10),
    ],
)
def test_of_a_call(market: Market, method: str, options: list[Any], most: int) -> None:
    """A traced call takes as many round trips as one that is not."""
    fork, asked = fork_of(market.node)
    before = asked.round_trips
    connect(fork).call(method, {"from": ALICE_HEX, "to": market.buyer}, *options)
    assert asked.round_trips - before <= most


def test_of_a_simulation(market: Market) -> None:
    """It takes as many as a call."""
    fork, asked = fork_of(market.node)
    before = asked.round_trips
    blocks = [{"calls": [{"from": ALICE_HEX, "to": market.buyer}]}]
    connect(fork).call("eth_simulateV1", {"blockStateCalls": blocks}, "latest")
    assert asked.round_trips - before <= 9


@pytest.mark.parametrize("tracer", ["callTracer", "prestateTracer", "structLogs"])
def test_of_a_replay(market: Market, tracer: str) -> None:
    """Three more are for the transaction, its receipt and the blocks; a tracer needs none."""
    fork, asked = fork_of(market.node)
    before = asked.round_trips
    options = {} if tracer == "structLogs" else {"tracer": tracer}
    connect(fork).call("debug_traceTransaction", market.sent, options)
    assert asked.round_trips - before <= 12
