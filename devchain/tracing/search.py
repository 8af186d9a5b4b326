"""Which frames of the chain a query finds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from devchain.chain.block import Block, Receipt
from devchain.chain.chain import Chain
from devchain.errors import InvalidInput
from devchain.evm import deadline
from devchain.tracing.budget import Budget
from devchain.tracing.options import TraceOptions, TraceQuery
from devchain.tracing.parity import FlatFrame, flatten
from devchain.tracing.replay import trace_block
from devchain.types import BlockRef, Tag

BLOCKS_A_CHECK = 64
"""Blocks searched between two looks at the deadline."""

CALLS = TraceOptions("callTracer")
Found = tuple[Block, Receipt, FlatFrame]


def search(chain: Chain, query: TraceQuery, budget: Budget | None = None) -> Iterator[Found]:
    """The frames of the transactions that match, in order of the chain; `query.count` at most.

    Raises `InvalidInput` when the first block is after the last, `BlockNotFound` for a hash that
    is no block's.
    """
    first, last = _number(chain, query.from_block), _number(chain, query.to_block)
    if first > last:
        msg = "fromBlock cannot be greater than toBlock"
        raise InvalidInput(msg)
    allowed = budget or Budget()
    numbers = deadline.checked(range(first, min(last, chain.height) + 1), BLOCKS_A_CHECK)
    blocks = (chain.block(number) for number in numbers)
    found = (each for block in blocks for each in _in_block(chain, block, query, allowed))
    end = None if query.count is None else query.after + query.count
    return islice(found, query.after, end)


def _number(chain: Chain, ref: BlockRef) -> int:
    if isinstance(ref, int):
        return ref
    return chain.height if ref is Tag.PENDING else chain.block(ref).number


def _in_block(chain: Chain, block: Block, query: TraceQuery, budget: Budget) -> Iterator[Found]:
    wanted = {receipt.index for receipt in block.receipts if _matches(receipt, query)}
    traces = trace_block(chain, block, CALLS, wanted, budget)
    for index, trace in zip(sorted(wanted), traces, strict=True):
        for flat in flatten(trace.top):
            yield block, block.receipts[index], flat


def _matches(receipt: Receipt, query: TraceQuery) -> bool:
    tx = receipt.transaction
    from_any = not query.senders or tx.sender in query.senders
    return from_any and (not query.receivers or tx.to in query.receivers)
