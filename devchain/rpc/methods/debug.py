"""`debug_` methods: what happened inside transactions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from devchain.chain.calls import call_block
from devchain.errors import (
    BlockNotFound,
    ExecutionTimedOut,
    InvalidInput,
    LimitExceeded,
    TransactionNotFound,
    VmError,
)
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.trace_objects import block_entry, trace_object
from devchain.tracing import replay
from devchain.tracing.options import Budget, TraceOptions
from devchain.tracing.trace import Session
from devchain.types import Address, BlockHash, BlockRef, Hash32, Tag, TransactionRequest

STRUCT_LOGS = TraceOptions()


@rpc("debug_traceTransaction", raises=(TransactionNotFound, LimitExceeded, ExecutionTimedOut))
def trace_transaction(
    node: Node, transaction_hash: Hash32, options: TraceOptions = STRUCT_LOGS
) -> dict[str, Any] | list[dict[str, Any]]:
    """What a mined transaction did, opcode by opcode or as a tracer shows it.

    Without `tracer` it is geth's struct logs; `disableStack`, `disableStorage`, `enableMemory`,
    `enableReturnData` and `limit` (opcodes, 0 for all) say what they have. Tracers: `callTracer`
    (`onlyTopCall`, `withLog`), `prestateTracer` (`diffMode`, `disableCode`, `disableStorage`,
    `includeEmpty`), `4byteTracer`, `flatCallTracer` (`includePrecompiles`,
    `convertParityErrors`), `rskTracer`; their options stand in `tracerConfig` or beside it.
    `muxTracer` runs several at once: its `tracerConfig` has the options of each by its name.
    The shapes are geth's, `rskTracer`'s the real node's with the true results. Error -32000 for a
    transaction that is not mined, -32602 for an unknown tracer, -32012 when the trace grows larger
    than `--max-trace-size`. The trace of a transaction that
    closes a block for REMASC is that of a transfer: no code runs in it.
    """
    budget = Budget(node.config.max_trace_size)
    trace = replay.trace_transaction(node.chain, transaction_hash, options, budget)
    if trace is None:
        msg = "transaction not found"
        raise TransactionNotFound(msg)
    return trace_object(trace)


@rpc("debug_traceBlockByHash", raises=(BlockNotFound, LimitExceeded, ExecutionTimedOut))
def trace_block_by_hash(
    node: Node, block_hash: Hash32, options: TraceOptions = STRUCT_LOGS
) -> list[dict[str, Any]]:
    """What every transaction of a block did: `{txHash, result}` for each.

    The traces of `rskTracer` come bare, as the real node's do. Takes the options of
    `debug_traceTransaction`. The genesis block has none; error -32000 for an unknown block.
    """
    return trace_block_by_number(node, BlockHash(block_hash), options)


@rpc("debug_traceBlockByNumber", raises=(BlockNotFound, LimitExceeded, ExecutionTimedOut))
def trace_block_by_number(
    node: Node, block: BlockRef, options: TraceOptions = STRUCT_LOGS
) -> list[dict[str, Any]]:
    """What every transaction of a block did, `pending` included: as `debug_traceBlockByHash`."""
    budget = Budget(node.config.max_trace_size)
    traces = replay.trace_block(node.chain, node.chain.block(block), options, budget=budget)
    return [block_entry(each) for each in traces]


@rpc("debug_traceCall", raises=(BlockNotFound, VmError, LimitExceeded, ExecutionTimedOut))
def trace_call(
    node: Node,
    request: TransactionRequest,
    block: BlockRef = Tag.LATEST,
    options: TraceOptions = STRUCT_LOGS,
) -> dict[str, Any] | list[dict[str, Any]]:
    """What a call would do on the state a block left; nothing of it stays.

    Takes the options of `debug_traceTransaction`, and `stateOverrides` and `blockOverrides` in the
    shape `eth_call` takes them. Gas, balance and fees are treated as there too; that the call
    reverts or fails is no error here.
    """
    found = node.chain.block(block)
    if options.overrides and not node.config.state_overrides:
        msg = "state override is not allowed: the node runs with --no-state-overrides"
        raise InvalidInput(msg)
    capped = replace(request, gas=node.call_gas(request, found))
    under = call_block(node.chain, node.chain.header_of(found), options.block_override)
    session = Session(options, Budget(node.config.max_trace_size))
    trace = replay.trace_call(node.chain, under, capped, options.overrides or {}, session)
    return trace_object(trace)


@rpc("debug_wireProtocolQueueSize")
def wire_protocol_queue_size(node: Node) -> int:
    """Messages from peers that wait to be read: 0, since the node has no peers."""
    return 0


@rpc("debug_accountTransactionQuota")
def account_transaction_quota(node: Node, address: Address) -> None:
    """What the real node's spam guard still lets an account send: null, there is no quota here.

    The real node answers null too for an account that it has no quota of.
    """
