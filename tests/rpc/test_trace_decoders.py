"""`devchain.rpc.trace_decoders`"""

from __future__ import annotations

from dataclasses import replace

import pytest

from devchain.config import Config
from devchain.node import Node
from devchain.rpc.trace_decoders import trace_options, trace_query
from devchain.tracing.options import TRACERS, TraceOptions, TraceQuery
from devchain.types import StateOverride, Tag
from tests.accounts import ALICE, ALICE_HEX, BOB, BOB_HEX
from tests.rpc.refusals import refusal


@pytest.fixture
def config() -> Config:
    """Decoding asks a node for its options alone; without accounts it is made in no time."""
    return Config(network="test", accounts=0)


def mux(**parts: object) -> dict[str, object]:
    """Options for several tracers at once."""
    return {"tracer": "muxTracer", "tracerConfig": parts}


class TestOptions:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({}, TraceOptions()),
            ({"tracer": None, "tracerConfig": None, "limit": None}, TraceOptions()),
            ({"tracer": ""}, TraceOptions()),
            ({"tracer": "RSKtracer"}, TraceOptions("rskTracer")),
            ({"disableStack": True, "limit": 5}, TraceOptions(disable_stack=True, limit=5)),
            ({"limit": "0x5", "enableMemory": "true"}, TraceOptions(enable_memory=True, limit=5)),
            ({"timeout": "5s", "reexec": 3, "disableStack": "false"}, TraceOptions()),
            (
                {"tracer": "callTracer", "tracerConfig": {"withLog": True}},
                TraceOptions("callTracer", with_log=True),
            ),
            (
                mux(callTracer={"withLog": True}, prestateTracer=None),
                TraceOptions(
                    "muxTracer",
                    parts=(
                        TraceOptions("callTracer", with_log=True),
                        TraceOptions("prestateTracer"),
                    ),
                ),
            ),
            (
                {"tracer": "callTracer", "onlyTopCall": True},
                TraceOptions("callTracer", only_top_call=True),
            ),
            ({"disableCode": None}, TraceOptions()),
            (
                {"stateOverrides": {ALICE_HEX: {"balance": "0x1"}}},
                TraceOptions(overrides={ALICE: StateOverride(balance=1)}),
            ),
        ],
    )
    def test_read(self, node: Node, given: object, expected: TraceOptions) -> None:
        """Options are read as clients of geth and of the real node write them."""
        assert trace_options(given, node) == expected

    @pytest.mark.parametrize("name", TRACERS)
    def test_tracers(self, node: Node, name: str) -> None:
        """Each tracer goes by its name."""
        assert trace_options({"tracer": name}, node).tracer == name

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ([], "Want an object, got []"),
            ({"tracer": "{step: function() {}}"}, "unknown tracer '{step: function() {}}': known"),
            ({"tracer": "noTracer"}, "known are callTracer, prestateTracer, 4byteTracer"),
            ({"tracer": "muxTracer"}, 'name its tracers as in {"tracerConfig": {"callTracer"'),
            (mux(muxTracer=mux(callTracer={})), "unknown tracer 'muxTracer'"),
            (mux(noTracer={}), "unknown tracer 'noTracer'"),
            (mux(callTracer=5), "Want an object, got 5"),
            ({"tracer": 5}, "unknown tracer 5"),
            ({"tracerConfig": 5}, "Want an object, got 5"),
            ({"limit": -1}, "limit: -1 is negative"),
            ({"withLog": 1}, "withLog: want true or false, got 1"),
            ({"withLog": "yes"}, "withLog: want true or false, got 'yes'"),
            ({"diffMode": True, "includeEmpty": True}, "diffMode and includeEmpty exclude"),
            ({"blockOverrides": {"height": 1}}, "unknown member 'height'"),
            ({"tracer": "x" * 1000}, "xxx...: known are"),
        ],
    )
    def test_refused(self, node: Node, given: object, expected: str) -> None:
        """What makes no sense is refused, and what would make sense is named."""
        assert expected in refusal(trace_options, given, node)


class TestQuery:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({}, TraceQuery()),
            ({"fromBlock": None, "count": None}, TraceQuery()),
            ({"fromBlock": "0x2", "toBlock": "latest"}, TraceQuery(2, Tag.LATEST)),
            ({"fromAddress": ALICE_HEX}, TraceQuery(senders=frozenset({ALICE}))),
            ({"toAddress": [ALICE_HEX, BOB_HEX]}, TraceQuery(receivers=frozenset({ALICE, BOB}))),
            ({"after": 3, "count": "0x2"}, TraceQuery(after=3, count=2)),
            ({"after": 10_000, "count": 10_000}, TraceQuery(after=10_000, count=10_000)),
        ],
    )
    def test_read(self, node: Node, given: object, expected: TraceQuery) -> None:
        """Bounds, accounts and a window, each optional."""
        most = node.config.max_traces
        assert trace_query(given, node) == replace(
            expected, count=most if expected.count is None else expected.count
        )

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ("0x0", "Invalid trace_filter parameters. Want an object, got '0x0'"),
            ({"address": 1}, "Invalid trace_filter parameters. Unknown member 'address'"),
            ({"count": 10_001}, "Count value too big. Maximum 10000 traces allowed."),
            ({"after": 10_001}, "After value too big. Maximum 10000 traces allowed."),
            ({"after": -1}, "After value cannot be negative."),
            ({"count": "many"}, "count: want a QUANTITY"),
            ({"fromAddress": ["0x12"]}, "want 20 bytes, got 1"),
        ],
    )
    def test_refused(self, node: Node, given: object, expected: str) -> None:
        """The real node's sentences, where it has one."""
        assert expected in refusal(trace_query, given, node)
