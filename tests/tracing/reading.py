"""Traces as tests read them: as a client gets them."""

from __future__ import annotations

from typing import Any

from devchain.config import Config
from devchain.node import Node
from devchain.rpc.json_codec import encode
from devchain.rpc.methods.debug import trace_transaction
from devchain.tracing.options import TraceOptions
from devchain.types import Hash32
from tests.conftest import GENESIS_TIME


def traced(node: Node, tx_hash: bytes, tracer: str = "structLogs", **options: Any) -> Any:
    """A trace as a client gets it."""
    return encode(trace_transaction(node, Hash32(tx_hash), TraceOptions(tracer, **options)))


def frames(call: Any) -> list[Any]:
    """A call and all below it, in the order they began."""
    return [call, *(each for inner in call.get("calls", []) for each in frames(inner))]


def under(hardfork: str, **given: Any) -> Node:
    """A node under those rules."""
    return Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME, accounts=2, **given))
