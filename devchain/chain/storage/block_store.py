"""Storage of a chain's blocks with its indices, in memory.

The blocks lie in layers, so that copies of a chain share what they have in common. A chain of
blocks 0 to 4 is copied, then each of the two mines a block of its own; when the copy goes back to
block 2, its layer C starts at 3, and of layer A only blocks 0 to 2 are visible:

    layer A: blocks 0 1 2 3 4          (shared, never written to again)
      ├── layer B, start 5: block 5    (the original writes here)
      └── layer C, start 5: block 5'   (the copy writes here)
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import chain as concat
from operator import attrgetter
from typing import ClassVar, TypeGuard, cast, overload

from devchain.chain.block import Block, Log, MinedLog, Receipt, mined_logs
from devchain.evm import deadline
from devchain.state.state_database import RetainedState
from devchain.types import Hash32, LogQuery

# Log search

LOGS_PER_CHECK = 512
MAX_TOPICS = 4
MAX_INDEXED_VALUES = 1_000  # longer conditions are compared with logs that meet the others
BLOCK_NUMBER = attrgetter("block.number")
Postings = dict[bytes, "array[int]"]  # positions of the logs with a value, in order


class LogIndex:
    """Every log of the chain in order, with postings for addresses and topics.

    A search takes the shortest of its postings, cut to the range of blocks, as candidates.
    """

    def __init__(self) -> None:
        self._logs: list[MinedLog] = []
        self._by_address: Postings = {}
        self._by_topic: tuple[Postings, ...] = tuple({} for _ in range(MAX_TOPICS))

    def append(self, block: Block) -> None:
        for receipt in block.receipts:
            for mined in mined_logs(block, receipt):
                position = len(self._logs)
                self._logs.append(mined)
                for postings, value in self._postings_of(mined.log):
                    postings.setdefault(value, array("Q")).append(position)

    def truncate(self, height: int) -> None:
        while self._logs and self._logs[-1].block.number > height:
            for postings, value in self._postings_of(self._logs.pop().log):
                postings[value].pop()
                if not postings[value]:
                    del postings[value]

    def _postings_of(self, log: Log) -> Iterator[tuple[Postings, bytes]]:
        yield self._by_address, log.address
        yield from zip(self._by_topic, log.topics, strict=False)

    def search(self, query: LogQuery) -> Iterator[MinedLog | None]:
        first = bisect_left(self._logs, cast("int", query.from_block), key=BLOCK_NUMBER)
        last = bisect_right(self._logs, cast("int", query.to_block), key=BLOCK_NUMBER)
        for count, position in enumerate(self._candidates(query, first, last), 1):
            mined = self._logs[position]
            if log_matches(mined.log, query):
                yield mined
            if count % LOGS_PER_CHECK == 0:
                deadline.check()
                yield None

    def _candidates(self, query: LogQuery, first: int, last: int) -> Iterable[int]:
        # Positions from `first` to below `last` that fulfil the rarest condition, in order.
        criteria: list[tuple[Postings, Collection[bytes] | None]] = [
            (self._by_address, query.addresses or None),
            *zip(self._by_topic, query.topics, strict=False),
        ]
        conditions = [
            [
                positions[bisect_left(positions, first) : bisect_left(positions, last)]
                for value in options
                if (positions := postings.get(value))
            ]
            for postings, options in criteria
            if is_indexed(options)
        ]
        if not conditions:
            return range(first, last)
        rarest = min(conditions, key=lambda runs: sum(map(len, runs)))
        return rarest[0] if len(rarest) == 1 else merge(*rarest)


def is_indexed(options: Collection[bytes] | None) -> TypeGuard[Collection[bytes]]:
    return options is not None and len(options) <= MAX_INDEXED_VALUES


def matching(block: Block, query: LogQuery) -> Iterator[MinedLog]:
    return (
        mined
        for mined in concat.from_iterable(mined_logs(block, receipt) for receipt in block.receipts)
        if log_matches(mined.log, query)
    )


def log_matches(log: Log, query: LogQuery) -> bool:
    if query.addresses and log.address not in query.addresses:
        return False
    return len(query.topics) <= len(log.topics) and all(
        options is None or topic in options
        for topic, options in zip(log.topics, query.topics, strict=False)
    )


# Blocks


MERGE_FACTOR = 2
"""A layer is merged into the one below unless that is more than so many times as long.

So a chain that is copied after each block has about as many layers as its length has binary digits.
"""


@dataclass(slots=True)
class Layer:
    """Some blocks and the indices over them, on top of the first `start` blocks of a base layer.

    Only the top layer is written to. An entry of a lower layer is valid only if its block's
    number is below the start of the layer above. The blocks of a fixed layer, the lowest, are not
    in memory: it is not merged, and its blocks are not removed.
    """

    base: Layer | None = None
    start: int = 0
    blocks: list[Block] = field(default_factory=list)
    by_hash: dict[Hash32, Block] = field(default_factory=dict)
    receipts: dict[Hash32, tuple[Block, Receipt]] = field(default_factory=dict)
    logs: LogIndex = field(default_factory=LogIndex)
    is_fixed: ClassVar[bool] = False

    def load(self, numbers: range) -> None:
        """Prepare reading those blocks one by one; nothing to do for blocks in memory."""

    def find(self, block_hash: Hash32) -> Block | None:
        return self.by_hash.get(block_hash)

    def receipt(self, transaction_hash: Hash32) -> tuple[Block, Receipt] | None:
        return self.receipts.get(transaction_hash)

    def search(self, query: LogQuery) -> Iterator[MinedLog | None]:
        return self.logs.search(query)

    def append(self, block: Block) -> None:
        self.blocks.append(block)
        self.by_hash[block.hash] = block
        self.logs.append(block)
        for receipt in block.receipts:
            self.receipts[receipt.transaction.hash] = (block, receipt)

    def truncate(self, height: int) -> None:
        own = max(height + 1 - self.start, 0)
        for block in self.blocks[own:]:
            del self.by_hash[block.hash]
            for tx in block.transactions:
                self.receipts.pop(tx.hash, None)
        del self.blocks[own:]
        self.logs.truncate(height)
        self.start = min(self.start, height + 1)
        while self.base and self.base.start >= self.start:
            self.base = self.base.base  # no block of its own is visible any more

    def merged(self) -> Layer:
        """A layer to build on, merged with short ones below, so that lookups stay cheap."""
        merged = self
        while (base := merged.base) and not base.is_fixed:
            if len(base.blocks) > MERGE_FACTOR * len(merged.blocks):
                break
            top, merged = merged, Layer(base.base, min(base.start, merged.start))
            visible = max(top.start - base.start, 0)
            for block in concat(base.blocks[:visible], top.blocks):
                merged.append(block)
        return merged


class LayeredBlocks(Sequence[Block]):
    """The blocks of a stack of layers by number; `top` is the layer that is written to."""

    def __init__(self, top: Layer) -> None:
        self.top = top

    def __len__(self) -> int:
        return self.top.start + len(self.top.blocks)

    @overload
    def __getitem__(self, index: int) -> Block: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Block]: ...

    def __getitem__(self, index: int | slice) -> Block | Sequence[Block]:
        layer = self.top
        if index == -1 and layer.blocks:  # the head, which is read most
            return layer.blocks[-1]
        if isinstance(index, slice):
            return self._slice(index)
        number = index + len(self) if index < 0 else index
        if number < 0:
            raise IndexError(index)
        while number < layer.start:
            layer = cast(Layer, layer.base)
        return layer.blocks[number - layer.start]

    def _slice(self, part: slice) -> Sequence[Block]:
        first, end, step = part.indices(len(self))
        start = self.top.start
        if first >= start and step == 1:
            return self.top.blocks[first - start : end - start]
        for layer, size in self.layers():
            layer.load(range(first, min(end, size), step))
        return [self[number] for number in range(first, end, step)]

    def layers(self) -> Iterator[tuple[Layer, int]]:
        """Every layer from the top down, with the number below which its blocks are visible."""
        layer: Layer | None = self.top
        size = len(self)
        while layer is not None:
            yield layer, size
            size = min(size, layer.start)
            layer = layer.base


class MemoryBlockStore:
    """The blocks of a chain; they are appended and truncated, and never change.

    `edited` are the states that replace those which blocks left, by the block's hash. Copies share
    blocks and indices: a copy costs the same for any length of chain.
    """

    def __init__(self, top: Layer | None = None) -> None:
        self.blocks = LayeredBlocks(top or Layer())
        self.edited: dict[Hash32, RetainedState] = {}
        self._fixed = sum(len(layer.blocks) for layer, _ in self.blocks.layers() if layer.is_fixed)

    def copy(self) -> MemoryBlockStore:
        top, size = self.blocks.top, len(self.blocks)
        if top.blocks:
            top = self.blocks.top = Layer(top.merged(), size)
        copy = MemoryBlockStore(Layer(top.base, size))
        copy.edited.update(self.edited)
        return copy

    def find(self, block_hash: Hash32) -> Block | None:
        for layer, size in self.blocks.layers():
            block = layer.find(block_hash)
            if block is not None and block.number < size:
                return block
        return None

    def receipt(
        self, transaction_hash: Hash32, *, own: bool = False
    ) -> tuple[Block, Receipt] | None:
        """A mined transaction's receipt and its block; with `own` not of one before a fork."""
        top = self.blocks.top
        if (newest := top.receipts.get(transaction_hash)) and not top.is_fixed:
            return newest
        for layer, size in self.blocks.layers():
            mined = None if own and layer.is_fixed else layer.receipt(transaction_hash)
            if mined is not None and mined[0].number < size:
                return mined
        return None

    def search(self, query: LogQuery) -> Iterator[MinedLog | None]:
        """The logs that match a query with numbers, in order; None where it may pause."""
        for layer, size in reversed(list(self.blocks.layers())):
            last = min(cast(int, query.to_block), size - 1)
            yield from layer.search(replace(query, to_block=last))

    def append(self, block: Block) -> None:
        self.blocks.top.append(block)

    def truncate(self, height: int) -> None:
        height = max(height, self._fixed - 1)
        for block in self.blocks[height + 1 :] if self.edited else ():
            self.edited.pop(block.hash, None)
        self.blocks.top.truncate(height)

    def edit(self, block_hash: Hash32, state: RetainedState | None) -> None:
        if state is None:
            self.edited.pop(block_hash, None)
        else:
            self.edited[block_hash] = state

    def atomic(self) -> AbstractContextManager[None]:
        return nullcontext()

    def reload(self) -> None:
        """Nothing is on disk."""
