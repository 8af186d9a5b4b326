"""`debug_` and `trace_` methods: execution traces, and calls in the shape of Parity.

Few runs trace anything: the functions import what traces.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import rlp
from eth_hash.auto import keccak
from rlp.exceptions import RLPException

from devchain.chain.block import Block, Receipt
from devchain.chain.eth_call import CallBlock, call_block
from devchain.chain.signing import request_of
from devchain.errors import InvalidInput, NotFound, TransactionNotFound
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.tracing.options import Budget, TraceOptions, TraceQuery
from devchain.types import (
    Address,
    BeforeTransaction,
    BlockHash,
    BlockRef,
    Hash32,
    StateRef,
    Tag,
    TracedCall,
    TransactionRequest,
)

# Geth's methods

STRUCT_LOGS = TraceOptions()


def _options(node: Node, options: TraceOptions) -> TraceOptions:
    preset = node.config.preset
    if options is STRUCT_LOGS and preset.default_tracer:  # no options were given
        options = TraceOptions(preset.default_tracer)
    if preset.full_steps and options.tracer == STRUCT_LOGS.tracer:
        options = replace(options, full_steps=True, enable_memory=True)
    return node.explainer.with_sources(options)


@rpc("debug_traceTransaction", slow=True)
def trace_transaction(
    node: Node, transaction_hash: Hash32, options: TraceOptions = STRUCT_LOGS
) -> dict[str, Any] | list[dict[str, Any]] | None:
    """Trace a mined transaction: geth's struct logs by default, or the result of another tracer.

    Struct logs take `disableStack`, `disableStorage`, `enableMemory`, `enableReturnData` and
    `limit`. Tracers, with their `tracerConfig`:

    - `callTracer`: `onlyTopCall`, `withLog`
    - `prestateTracer`: `diffMode`, `disableCode`, `disableStorage`, `includeEmpty`
    - `flatCallTracer`: `includePrecompiles`, `convertParityErrors`
    - `4byteTracer`; `rskTracer`, in rskj's format
    - `sourceTracer`: the `sourceTrace` of `devchain_explainTransaction`
    - `muxTracer`: several at once; maps tracers to their options

    Error -32000: the transaction is not mined. Error -32602: the tracer is unknown. Error -32012:
    the trace is larger than `--max-trace-size`.
    """
    from devchain.rpc.trace_objects import trace_object
    from devchain.tracing import replay

    budget = Budget(node.config.max_trace_size)
    options = _options(node, options)
    trace = replay.trace_transaction(node.chain, transaction_hash, options, budget)
    if trace is None:
        raise TransactionNotFound("transaction not found")
    return trace_object(trace)


@rpc("debug_traceBlockByNumber", by_hash="debug_traceBlockByHash", slow=True)
def trace_block(
    node: Node, block: BlockRef, options: TraceOptions = STRUCT_LOGS
) -> list[dict[str, Any]]:
    """Trace all transactions of a block: a list of `{txHash, result}`.

    With `rskTracer` it is a list of results. Options are those of `debug_traceTransaction`. Error
    -32000: the block is unknown, or under Ethereum's rules the genesis block.
    """
    from devchain.rpc.trace_objects import block_trace_object
    from devchain.tracing import replay

    budget = Budget(node.config.max_trace_size)
    options = _options(node, options)
    found = node.chain.block(block)
    if found.number == 0 and node.chain.rules.follows_geth:
        raise NotFound("genesis is not traceable")
    traces = replay.trace_block(node.chain, found, options, budget=budget)
    return [block_trace_object(trace) for trace in traces]


@rpc("debug_traceBlock", slow=True)
def trace_raw_block(
    node: Node, block: bytes, options: TraceOptions = STRUCT_LOGS
) -> list[dict[str, Any]]:
    """Trace a block that is given as RLP, as `debug_getRawBlock` returns it.

    The result is that of `debug_traceBlockByNumber`. Error -32000: the chain has no such block.
    """
    try:
        header, *_ = rlp.decode(block)
        block_hash = Hash32(keccak(rlp.encode(header)))
    except (RLPException, ValueError, TypeError) as error:
        raise InvalidInput("block: want the RLP of a block") from error
    return trace_block(node, BlockHash(block_hash), options)


@rpc("debug_traceCall", slow=True)
def trace_call(
    node: Node,
    request: TransactionRequest,
    block: StateRef = Tag.LATEST,
    options: TraceOptions = STRUCT_LOGS,
) -> dict[str, Any] | list[dict[str, Any]] | None:
    """Trace a call on the state of a block, without a transaction. A failure is no error here.

    Options are those of `debug_traceTransaction`, with `stateOverrides` and `blockOverrides` as in
    `eth_call`. With `txIndex` the call runs on the state before the transaction at that index.
    """
    from devchain.rpc.trace_objects import trace_object
    from devchain.tracing import replay

    if options.tx_index is not None:
        if isinstance(block, BeforeTransaction):
            raise InvalidInput("give txIndex in the options or transactionIndex in the block")
        block = BeforeTransaction(block, options.tx_index)
    found, header = node.chain.block_for_calls(block)
    node.check_overrides(options.overrides)
    capped = request._replace(gas=node.call_gas(request, found))
    context = call_block(node.chain, header, options.block_override)
    options = _options(node, options)
    size = node.config.max_trace_size
    return trace_object(replay.trace_call(node.chain, context, capped, options, size))


@rpc("debug_wireProtocolQueueSize")
def wire_protocol_queue_size(node: Node) -> int:
    """The number of unread messages from peers. Always 0."""
    return 0


@rpc("debug_accountTransactionQuota")
def account_transaction_quota(node: Node, address: Address) -> None:
    """The remaining transaction quota of an account. Always null: there are no quotas."""


# Parity's methods

CALLS = TraceOptions("callTracer")


@rpc("trace_transaction", slow=True)
def transaction_traces(node: Node, transaction_hash: Hash32) -> list[dict[str, Any]] | None:
    """The calls, creations and self-destructs of a mined transaction. Null if it is not mined.

    They are in execution order, and `traceAddress` is the position in the call tree. Calls of
    precompiled contracts are left out.
    """
    mined = node.chain.receipt(transaction_hash)
    return _traces(node, mined[0], [mined[1]]) if mined else None


@rpc("trace_block", slow=True)
def block_traces(node: Node, block: BlockRef) -> list[dict[str, Any]] | None:
    """The traces of all transactions of a block. Null if the block is unknown."""
    found = node.chain.find_block(block)
    return _traces(node, found, found.receipts) if found else None


def _traces(node: Node, block: Block, receipts: Sequence[Receipt]) -> list[dict[str, Any]]:
    from devchain.rpc.trace_objects import parity_object
    from devchain.tracing import replay
    from devchain.tracing.frames import flatten

    budget = Budget(node.config.max_trace_size)
    indexes = {receipt.index for receipt in receipts}
    traces = replay.trace_block(node.chain, block, CALLS, indexes, budget)
    return [
        parity_object(block, receipt, flat)
        for receipt, trace in zip(receipts, traces, strict=True)
        for flat in flatten(trace.top)
    ]


# Parity's traces with changes of the state

STATE_DIFF = TraceOptions("prestateTracer", diff_mode=True)
KINDS = {"trace": CALLS, "stateDiff": STATE_DIFF}
"""Types of traces, with the tracer that records what they need: each records the calls."""


def _options_for(kinds: Collection[str]) -> TraceOptions:
    for kind in kinds:
        if kind == "vmTrace":
            raise InvalidInput("vmTrace is not supported: debug_traceTransaction has every opcode")
        if kind not in KINDS:
            raise InvalidInput(f"unknown trace type {kind!r:.50}; want {' or '.join(KINDS)}")
    return STATE_DIFF if "stateDiff" in kinds else CALLS


@rpc("trace_call", slow=True)
def parity_call(
    node: Node, request: TransactionRequest, trace_types: list[str], block: StateRef = Tag.LATEST
) -> dict[str, Any]:
    """Trace a call on the state of a block in Parity's shape. A failure is no error here.

    Trace types:

    - `trace`: the calls, creations and self-destructs
    - `stateDiff`: the changed accounts; a member is `=`, `{"+": new}`, `{"-": old}` or
      `{"*": {from, to}}`

    Error -32602: the type is unknown, or `vmTrace`, which is not supported.
    """
    return parity_calls(node, [TracedCall(request, trace_types)], block)[0]


@rpc("trace_callMany", slow=True)
def parity_calls(
    node: Node, calls: list[TracedCall], block: StateRef = Tag.LATEST
) -> list[dict[str, Any]]:
    """Trace calls as `trace_call`, each on the state that the one before it left."""
    from devchain.rpc.trace_objects import parity_results
    from devchain.tracing import replay

    found, header = node.chain.block_for_calls(block)
    requests = [
        (call.request._replace(gas=node.call_gas(call.request, found)), _options_for(call.kinds))
        for call in calls
    ]
    size = node.config.max_trace_size
    traces = replay.trace_calls(node.chain, CallBlock(header), requests, size)
    return [parity_results(trace, call.kinds) for trace, call in zip(traces, calls, strict=True)]


@rpc("trace_rawTransaction", slow=True)
def parity_raw_transaction(
    node: Node, transaction: bytes, trace_types: list[str], block: StateRef = Tag.LATEST
) -> dict[str, Any]:
    """Trace a signed transaction as `trace_call` does, unsent. Any nonce is accepted."""
    return parity_call(node, request_of(node.decode(transaction)), trace_types, block)


@rpc("trace_replayTransaction", slow=True)
def replay_transaction(
    node: Node, transaction_hash: Hash32, trace_types: list[str]
) -> dict[str, Any] | None:
    """The traces of a mined transaction, as `trace_call` has them. Null if it is not mined."""
    mined = node.chain.receipt(transaction_hash)
    return _replayed(node, mined[0], [mined[1]], trace_types)[0] if mined else None


@rpc("trace_replayBlockTransactions", slow=True)
def replay_block_transactions(
    node: Node, block: BlockRef, trace_types: list[str]
) -> list[dict[str, Any]] | None:
    """The traces of a block's transactions, each as `trace_call` has them. Null if unknown."""
    found = node.chain.find_block(block)
    if found is None:
        return None
    results = _replayed(node, found, found.receipts, trace_types)
    return [
        {**result, "transactionHash": receipt.transaction.hash}
        for result, receipt in zip(results, found.receipts, strict=True)
    ]


def _replayed(
    node: Node, block: Block, receipts: Sequence[Receipt], kinds: list[str]
) -> list[dict[str, Any]]:
    from devchain.rpc.trace_objects import parity_results
    from devchain.tracing import replay

    budget, options = Budget(node.config.max_trace_size), _options_for(kinds)
    indexes = {receipt.index for receipt in receipts}
    traces = replay.trace_block(node.chain, block, options, indexes, budget)
    return [parity_results(trace, kinds) for trace in traces]


@rpc("trace_filter", slow=True)
def trace_filter(node: Node, query: TraceQuery) -> list[dict[str, Any]]:
    """The traces of all matching transactions, at most `--max-traces`.

    `fromBlock` and `toBlock` limit the blocks. `fromAddress` and `toAddress` are one address or a
    list, for sender and recipient of the transaction. `after` skips traces, `count` limits them.
    Error -32602: `after` or `count` is too large. Error -32012: the traces exceed
    `--max-trace-size`.
    """
    from devchain.rpc.trace_objects import parity_object
    from devchain.tracing import replay

    budget = Budget(node.config.max_trace_size)
    return [parity_object(*matching) for matching in replay.search(node.chain, query, budget)]


@rpc("trace_get", slow=True)
def trace_get(node: Node, transaction_hash: Hash32, positions: list[int]) -> dict[str, Any] | None:
    """One trace of a transaction by its position in `trace_transaction`. Null if there is none.

    `positions` has exactly one number. rskj counts the traces of the whole block instead.
    """
    if len(positions) != 1:
        wrong = "accepts only one index" if positions else "cannot be null or empty"
        raise InvalidInput(f"'positions' {wrong}")
    traces = transaction_traces(node, transaction_hash) or []
    return traces[positions[0]] if positions[0] < len(traces) else None
