"""`debug_` methods: execution traces of transactions, blocks and calls.

Few runs trace anything: the functions import what traces.
"""

from __future__ import annotations

from typing import Any

from devchain.chain.eth_call import call_block
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
from devchain.tracing.options import Budget, TraceOptions
from devchain.types import (
    Address,
    BeforeTransaction,
    BlockHash,
    BlockRef,
    Hash32,
    StateRef,
    Tag,
    TransactionRequest,
)

STRUCT_LOGS = TraceOptions()


@rpc(
    "debug_traceTransaction",
    slow=True,
    raises=(TransactionNotFound, LimitExceeded, ExecutionTimedOut),
)
def trace_transaction(
    node: Node, transaction_hash: Hash32, options: TraceOptions = STRUCT_LOGS
) -> dict[str, Any] | list[dict[str, Any]] | None:
    """Trace a mined transaction: struct logs of every opcode, or the result of another tracer.

    Without `tracer` the result is geth's struct logs; `disableStack`, `disableStorage`,
    `enableMemory`, `enableReturnData` and `limit` (number of opcodes, 0 for all) control their
    content. Tracers are `callTracer` (`onlyTopCall`, `withLog`), `prestateTracer` (`diffMode`,
    `disableCode`, `disableStorage`, `includeEmpty`), `4byteTracer`, `flatCallTracer`
    (`includePrecompiles`, `convertParityErrors`), `rskTracer` and `sourceTracer`; their options are
    in `tracerConfig` or beside it. `muxTracer` runs several at once: its `tracerConfig` has the
    options of each by tracer name.

    `sourceTracer` has the `sourceTrace` of `devchain_explainTransaction`, null for a transaction
    that succeeded.

    Results have geth's shapes, those of `rskTracer` the real node's, with correct values. Error
    -32000 if the transaction is not mined, -32602 for an unknown tracer, -32012 if the trace gets
    larger than `--max-trace-size`. The transaction that REMASC adds to a block is traced as a
    transfer: it executes no code.
    """
    from devchain.rpc.trace_objects import trace_object
    from devchain.tracing import replay

    budget = Budget(node.config.max_trace_size)
    options = node.explainer.with_sources(options)
    trace = replay.trace_transaction(node.chain, transaction_hash, options, budget)
    if trace is None:
        raise TransactionNotFound("transaction not found")
    return trace_object(trace)


@rpc("debug_traceBlockByHash", slow=True, raises=(BlockNotFound, LimitExceeded, ExecutionTimedOut))
def trace_block_by_hash(
    node: Node, block_hash: Hash32, options: TraceOptions = STRUCT_LOGS
) -> list[dict[str, Any]]:
    """Trace all transactions of a block: an array of `{txHash, result}`.

    With `rskTracer` the array has the bare results, as on the real node. Takes the options of
    `debug_traceTransaction`. Empty for the genesis block; error -32000 if the block does not exist.
    """
    return trace_block_by_number(node, BlockHash(block_hash), options)


@rpc(
    "debug_traceBlockByNumber", slow=True, raises=(BlockNotFound, LimitExceeded, ExecutionTimedOut)
)
def trace_block_by_number(
    node: Node, block: BlockRef, options: TraceOptions = STRUCT_LOGS
) -> list[dict[str, Any]]:
    """Trace all transactions of a block by number or tag, `pending` included.

    Options, result and errors are those of `debug_traceBlockByHash`.
    """
    from devchain.rpc.trace_objects import block_trace_object
    from devchain.tracing import replay

    budget = Budget(node.config.max_trace_size)
    options = node.explainer.with_sources(options)
    traces = replay.trace_block(node.chain, node.chain.block(block), options, budget=budget)
    return [block_trace_object(trace) for trace in traces]


@rpc(
    "debug_traceCall", slow=True, raises=(BlockNotFound, VmError, LimitExceeded, ExecutionTimedOut)
)
def trace_call(
    node: Node,
    request: TransactionRequest,
    block: StateRef = Tag.LATEST,
    options: TraceOptions = STRUCT_LOGS,
) -> dict[str, Any] | list[dict[str, Any]] | None:
    """Trace a call executed on the state of a block, without a transaction.

    Takes the options of `debug_traceTransaction`, and `stateOverrides` and `blockOverrides` in the
    shape of `eth_call`. With `txIndex` the call runs on the state before the transaction at that
    index of the block. Gas, balance and fees are treated as in `eth_call`, but a call that reverts
    or fails is not an error here.
    """
    from devchain.rpc.trace_objects import trace_object
    from devchain.tracing import replay
    from devchain.tracing.replay import TraceSession

    if options.tx_index is not None:
        if isinstance(block, BeforeTransaction):
            raise InvalidInput("give txIndex in the options or transactionIndex in the block")
        block = BeforeTransaction(block, options.tx_index)
    found, header = node.chain.block_for_calls(block)
    node.check_overrides(options.overrides)
    capped = request._replace(gas=node.call_gas(request, found))
    context = call_block(node.chain, header, options.block_override)
    options = node.explainer.with_sources(options)

    def session() -> TraceSession:
        return TraceSession(options, Budget(node.config.max_trace_size))

    trace = replay.trace_call(node.chain, context, capped, options.overrides or {}, session)
    return trace_object(trace)


@rpc("debug_wireProtocolQueueSize")
def wire_protocol_queue_size(node: Node) -> int:
    """The number of messages from peers that wait to be read: 0, the node has no peers."""
    return 0


@rpc("debug_accountTransactionQuota")
def account_transaction_quota(node: Node, address: Address) -> None:
    """The remaining transaction quota of an account: always null, there are no quotas here.

    The real node also answers null for an account without a quota.
    """
