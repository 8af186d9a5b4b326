"""Transactions and calls of blocks before a fork, executed here on the upstream's states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from devchain.client.http import connect
from devchain.errors import RpcFailure, UpstreamStatePruned
from devchain.node import Node
from devchain.types import Address
from devchain.upstream.queries import UpstreamQuery
from tests.accounts import ALICE
from tests.actions import deploy, run, send
from tests.bytecode import COUNTER, word
from tests.chain.upstream import NodeUpstream
from tests.evm.rootstock.precompiles.calling import BRIDGE, forwarder
from tests.fork.test_precompiles import HEIGHT, Rskj
from tests.fork.upstreams import fork_of

STATE = {"eth_getBalance", "eth_getTransactionCount", "eth_getCode", "eth_getStorageAt", "eth_call"}


class Pruned(NodeUpstream):
    """A node that has the states of its newest blocks alone."""

    oldest = 0

    def _answer(self, wanted: UpstreamQuery) -> Any:
        number = wanted.block_number
        if wanted.method in STATE and number is not None and number < self.oldest:
            return UpstreamStatePruned(
                f"the node does not have {wanted.in_words()} any more", -32000, "pruned"
            )
        return super()._answer(wanted)


@pytest.fixture
def upstream() -> Iterator[Node]:
    """A node to fork."""
    with Node(fixed_clock=1_700_000_000) as node:
        yield node


@pytest.fixture
def counter(upstream: Node) -> Address:
    """A counter on that node, which is at 3."""
    address = deploy(upstream, COUNTER)
    for _ in range(3):
        run(upstream, address)
    return address


REPLAYS: list[tuple[str, list[Any]]] = [
    ("debug_traceTransaction", []),
    ("debug_traceTransaction", [{"tracer": "callTracer"}]),
    ("debug_traceTransaction", [{"tracer": "prestateTracer"}]),
    ("debug_traceTransaction", [{"tracer": "prestateTracer", "tracerConfig": {"diffMode": True}}]),
    ("trace_transaction", []),
]


@pytest.mark.parametrize(("method", "more"), REPLAYS, ids=str)
def test_replays_are_those_of_the_upstream(
    upstream: Node, counter: Address, method: str, more: list[Any]
) -> None:
    """Of a transaction two blocks before the fork."""
    sent = f"0x{send(upstream, counter).hex()}"
    run(upstream, counter)
    fork, _ = fork_of(upstream)
    client = connect(fork)
    assert client.call(method, sent, *more) == connect(upstream).call(method, sent, *more)


def test_calls_are_run_at_any_block(upstream: Node, counter: Address) -> None:
    """And balances, nonces and slots read."""
    height = upstream.chain.height
    fork, _ = fork_of(upstream)
    run(fork, counter)
    client = connect(fork)
    slots = [
        int(client.call("eth_getStorageAt", f"0x{counter.hex()}", "0x0", hex(number)), 16)
        for number in range(height - 3, height + 2)
    ]
    assert slots == [0, 1, 2, 3, 4]


def test_states_that_the_upstream_has_dropped(upstream: Node, counter: Address) -> None:
    """The error says what is missing; blocks and the state of the fork block are there."""
    sent = f"0x{send(upstream, counter).hex()}"
    upstream.mine(2)
    height = upstream.chain.height
    pruned = Pruned(upstream)
    pruned.oldest = height
    fork, _ = fork_of(upstream, pruned)
    client = connect(fork)
    call = {"to": f"0x{counter.hex()}"}
    for method, *params in (
        ("debug_traceTransaction", sent),
        ("trace_transaction", sent),
        ("eth_call", call, hex(height - 2)),
        ("eth_getBalance", f"0x{counter.hex()}", hex(height - 2)),
    ):
        with pytest.raises(RpcFailure, match=r"does not have .* at block \d+ any more"):
            client.call(method, *params)
    assert client.call("eth_getTransactionReceipt", sent)["status"] == "0x1"
    assert run(fork, counter).succeeded


def test_replays_read_the_bridge_before_their_block(upstream: Node) -> None:
    """A call at a block reads it after that block."""
    reader = deploy(upstream, forwarder(BRIDGE))
    sent = f"0x{send(upstream, reader, HEIGHT).hex()}"
    number = upstream.chain.height
    upstream.mine(2)
    rskj = Rskj(upstream)
    rskj.outputs[HEIGHT] = word(900_000)
    fork, _ = fork_of(upstream, rskj)
    client = connect(fork)
    trace = client.call("debug_traceTransaction", sent, {"tracer": "callTracer"})
    assert int(trace["calls"][0]["output"], 16) == 900_000
    client.call("eth_call", {"to": f"0x{reader.hex()}", "data": f"0x{HEIGHT.hex()}"}, hex(number))
    assert [at for _, at in rskj.calls()] == [hex(number - 1), hex(number)]


def test_simulated_blocks_before_the_fork_follow_one_another(
    upstream: Node, counter: Address
) -> None:
    """Each begins with the state that the one before it left, not with the upstream's."""
    upstream.mine(3)
    fork, _ = fork_of(upstream)
    call = {"from": f"0x{ALICE.hex()}", "to": f"0x{counter.hex()}"}
    blocks = {"blockStateCalls": [{"calls": [call, call]}] * 3}
    outputs = [
        [
            int(each["returnData"], 16)
            for block in connect(node).call("eth_simulateV1", blocks, "0x2")
            for each in block["calls"]
        ]
        for node in (upstream, fork)
    ]
    assert outputs == [[2, 3, 4, 5, 6, 7]] * 2
