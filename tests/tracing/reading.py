"""Helpers that return traces in their JSON form."""

from __future__ import annotations

from typing import Any

from devchain.config import Config
from devchain.node import Node
from devchain.rpc.json_codec import encode
from devchain.rpc.methods.trace import trace_transaction
from devchain.tracing.options import TraceOptions
from devchain.types import Hash32
from tests.conftest import GENESIS_TIME


def traced(node: Node, tx_hash: bytes, tracer: str = "structLogs", **options: Any) -> Any:
    """The trace of a transaction in its JSON form."""
    return encode(trace_transaction(node, Hash32(tx_hash), TraceOptions(tracer, **options)))


def frames(call: Any) -> list[Any]:
    """A call frame and all below it, in the order in which they began."""
    return [call, *(each for inner in call.get("calls", []) for each in frames(inner))]


def new_node(hardfork: str, **given: Any) -> Node:
    """A node with two accounts under the rules of a hardfork."""
    return Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME, accounts=2, **given))
