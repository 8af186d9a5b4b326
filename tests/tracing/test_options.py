"""`devchain.tracing.options`"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import LimitExceeded, RpcFailure
from devchain.node import Node
from devchain.tracing.options import Budget, TraceOptions
from devchain.tracing.replay import trace_block
from tests.accounts import ALICE
from tests.actions import deploy, send
from tests.bytecode import assemble
from tests.conftest import GENESIS_TIME

LOGGING = "0x1000 0 LOG0 STOP"
LARGE_OUTPUT = "0x1000 0 RETURN"


class TestBudget:
    def test_edge(self) -> None:
        """Spending more than the last word raises `LimitExceeded`."""
        budget = Budget(10)
        budget.spend(6)
        budget.spend_bytes(bytes(64), bytes(64))

        with pytest.raises(
            LimitExceeded,
            match=r"larger than 10 words \(--max-trace-size or Config.max_trace_size\)",
        ):
            budget.spend(1)


def least(trace: Callable[[Budget], object]) -> int:
    """The smallest budget with which a trace can be made, in words."""
    refused, enough = 0, 1_000_000
    while enough - refused > 1:
        middle = (refused + enough) // 2
        try:
            trace(Budget(middle))
            enough = middle
        except LimitExceeded:
            refused = middle
    return enough


def block_trace(node: Node, options: TraceOptions) -> Callable[[Budget], object]:
    """A function that traces the newest block within a budget."""
    return lambda budget: list(trace_block(node.chain, node.chain.head, options, budget=budget))


class TestTraces:
    @pytest.mark.parametrize(
        ("options", "source", "words"),
        [
            (TraceOptions("callTracer"), "STOP", 8),
            (TraceOptions("callTracer"), LARGE_OUTPUT, 8 + 128),
            (TraceOptions("callTracer"), LOGGING, 8 + 8 + 128),
            (TraceOptions(), "STOP", 8 + 8),
            (TraceOptions(), "1 2 STOP", 8 + 8 + (8 + 1) + (8 + 2)),
            (TraceOptions(disable_stack=True), "1 2 STOP", 8 + 3 * 8),
            (TraceOptions(enable_memory=True), "1 0 MSTORE STOP", 8 + 4 * 8 + 1 + 2 + 1),
            (TraceOptions(limit=1), "1 2 3 4 STOP", 8 + 8),
            (
                TraceOptions("muxTracer", parts=(TraceOptions(), TraceOptions("callTracer"))),
                "STOP",
                8 + 8,
            ),
        ],
    )
    def test_weight(self, node: Node, options: TraceOptions, source: str, words: int) -> None:
        """Frames, logs, steps and their data count, but only what the options show."""
        send(node, deploy(node, assemble(source)), gas=200_000)

        assert least(block_trace(node, options)) == words

    def test_together(self, node: Node) -> None:
        """The traces of a block share a budget."""
        contract = deploy(node, assemble("STOP"))
        node.miner.running = False
        for _ in range(3):
            send(node, contract, gas=100_000)
        node.miner.mine()

        assert least(block_trace(node, TraceOptions("callTracer"))) == 3 * 8


class TestOnTheWire:
    CONFIG = Config(network="test", fixed_clock=GENESIS_TIME, accounts=1)

    @pytest.fixture
    def config(self) -> Config:
        """A node with small limits on traces."""
        return replace(self.CONFIG, max_trace_size=1_000, max_traces=3)

    @pytest.mark.parametrize("method", ["trace_block", "trace_filter", "trace_transaction"])
    def test_parity(self, node: Node, client: LocalClient, method: str) -> None:
        """Parity traces have the same limit."""
        contract = deploy(node, assemble("0x8000 0 RETURN"))
        tx_hash = send(node, contract, gas=200_000)
        where: Any = {
            "trace_block": "latest",
            "trace_filter": {},
            "trace_transaction": f"0x{tx_hash.hex()}",
        }[method]

        with pytest.raises(RpcFailure, match=r"larger than 1000 words"):
            client.call(method, where)

    def test_window(self, node: Node, client: LocalClient) -> None:
        """`--max-traces` limits both `count` and `after` of `trace_filter`."""
        for _ in range(5):
            send(node, ALICE, value=1, gas=21_000)

        assert len(client.call("trace_filter", {})) == 3
        assert len(client.call("trace_filter", {"count": 3, "after": 3})) == 2
        for window in ({"count": 4}, {"after": 4}):
            with pytest.raises(RpcFailure, match="Maximum 3 traces allowed"):
                client.call("trace_filter", window)
