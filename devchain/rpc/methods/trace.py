"""`trace_` methods: calls, creations and self-destructs in the shape of Parity.

Few runs trace anything: the functions import what traces.
"""

from __future__ import annotations

from typing import Any

from devchain.errors import ExecutionTimedOut, InvalidInput, LimitExceeded
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.tracing.options import Budget, TraceOptions, TraceQuery
from devchain.types import BlockRef, Hash32

CALLS = TraceOptions("callTracer")


@rpc("trace_transaction", slow=True, raises=(LimitExceeded, ExecutionTimedOut))
def trace_transaction(node: Node, transaction_hash: Hash32) -> list[dict[str, Any]] | None:
    """The calls, creations and self-destructs of a mined transaction; null if it is not mined.

    They are in execution order, each with its position in the call tree (`traceAddress`). Calls of
    precompiled contracts are omitted. Unlike on the real node, which shows the transaction's data
    as the input of every call and no output of the top call, inputs and outputs are those of each
    call.
    """
    from devchain.rpc.trace_objects import parity_object
    from devchain.tracing import replay
    from devchain.tracing.frames import flatten

    mined = node.chain.receipt(transaction_hash)
    if mined is None:
        return None
    block, receipt = mined
    budget = Budget(node.config.max_trace_size)
    trace = next(replay.trace_block(node.chain, block, CALLS, {receipt.index}, budget))
    return [parity_object(block, receipt, flat) for flat in flatten(trace.top)]


@rpc("trace_block", slow=True, raises=(LimitExceeded, ExecutionTimedOut))
def trace_block(node: Node, block: BlockRef) -> list[dict[str, Any]] | None:
    """The traces of all transactions of a block; null if the block does not exist."""
    from devchain.rpc.trace_objects import parity_object
    from devchain.tracing import replay
    from devchain.tracing.frames import flatten

    found = node.chain.find_block(block)
    if found is None:
        return None
    budget = Budget(node.config.max_trace_size)
    traces = replay.trace_block(node.chain, found, CALLS, budget=budget)
    return [
        parity_object(found, receipt, flat)
        for receipt, trace in zip(found.receipts, traces, strict=True)
        for flat in flatten(trace.top)
    ]


@rpc("trace_filter", slow=True, raises=(LimitExceeded, ExecutionTimedOut))
def trace_filter(node: Node, query: TraceQuery) -> list[dict[str, Any]]:
    """The traces of all matching transactions, at most `--max-traces`.

    `fromBlock` (default `earliest`) and `toBlock` (default `latest`; a higher number means the
    head) limit the blocks; a range that is reversed or past the head gives `[]`. `fromAddress` and
    `toAddress`, an address or an array, match the transaction's sender and recipient; the first
    `after` traces are skipped and at most `count` returned. Error -32602 if `after` or `count` is
    too large, -32012 if the traces get larger than `--max-trace-size`.
    """
    from devchain.rpc.trace_objects import parity_object
    from devchain.tracing import replay

    budget = Budget(node.config.max_trace_size)
    return [parity_object(*found) for found in replay.search(node.chain, query, budget)]


@rpc("trace_get", slow=True, raises=(LimitExceeded, ExecutionTimedOut))
def trace_get(node: Node, transaction_hash: Hash32, positions: list[int]) -> dict[str, Any] | None:
    """One trace of a transaction by its position in `trace_transaction`; null if it does not exist.

    `positions` must have exactly one number. The real node counts the traces of the whole block
    instead.
    """
    if len(positions) != 1:
        wrong = "accepts only one index" if positions else "cannot be null or empty"
        raise InvalidInput(f"'positions' {wrong}")
    traces = trace_transaction(node, transaction_hash) or []
    return traces[positions[0]] if positions[0] < len(traces) else None
