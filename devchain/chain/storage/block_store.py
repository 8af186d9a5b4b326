"""Storage of a chain's blocks with its indices, in memory."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from heapq import merge
from itertools import chain as concat
from operator import attrgetter
from typing import Any, TypeGuard, cast

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


class BaseBlocks(Sequence[Block]):
    """The blocks before those of a store: none, or of a fork `UpstreamBlocks`."""

    def __len__(self) -> int:
        return 0

    def __getitem__(self, index: Any) -> Any:
        raise IndexError(index)

    def load(self, numbers: range) -> None:
        """Prepare reading those blocks one by one."""

    def find(self, block_hash: Hash32) -> Block | None:  # noqa: ARG002
        return None

    def receipt(self, transaction_hash: Hash32) -> tuple[Block, Receipt] | None:  # noqa: ARG002
        return None

    def search(self, query: LogQuery) -> Iterator[MinedLog]:  # noqa: ARG002
        return iter(())


class BlocksAfterBase(Sequence[Block]):
    """The blocks of a base by number, then those of a list."""

    def __init__(self, base: BaseBlocks, own: list[Block]) -> None:
        self._base, self._own, self._first = base, own, len(base)

    def __len__(self) -> int:
        return self._first + len(self._own)

    def __getitem__(self, index: Any) -> Any:
        own, first = self._own, self._first
        if not isinstance(index, slice):
            number = index + len(self) if index < 0 else index
            if number < 0:
                raise IndexError(index)
            return own[number - first] if number >= first else self._base[number]
        start, end, step = index.indices(len(self))
        self._base.load(range(start, min(end, first), step))
        return [self[number] for number in range(start, end, step)]


class MemoryBlockStore:
    """The blocks of a chain; they are appended and truncated, and never change.

    `edited` are the states that replace those which blocks left, by the block's hash.
    """

    def __init__(self, base: BaseBlocks | None = None) -> None:
        self._base: BaseBlocks = base or BaseBlocks()
        self._own: list[Block] = []
        self._by_hash: dict[Hash32, Block] = {}
        self._receipts: dict[Hash32, tuple[Block, Receipt]] = {}
        self._logs = LogIndex()
        self.blocks: Sequence[Block] = BlocksAfterBase(base, self._own) if base else self._own
        self.edited: dict[Hash32, RetainedState] = {}

    def copy(self) -> MemoryBlockStore:
        copied = MemoryBlockStore(self._base)
        for block in self._own:
            copied.append(block)
        copied.edited.update(self.edited)
        return copied

    def find(self, block_hash: Hash32) -> Block | None:
        return self._by_hash.get(block_hash) or self._base.find(block_hash)

    def receipt(
        self, transaction_hash: Hash32, *, own: bool = False
    ) -> tuple[Block, Receipt] | None:
        """A mined transaction's receipt and its block; with `own` not of one before a fork."""
        mined = self._receipts.get(transaction_hash)
        return mined if mined or own else self._base.receipt(transaction_hash)

    def search(self, query: LogQuery) -> Iterator[MinedLog | None]:
        """The logs that match a query with numbers, in order; None where it may pause."""
        yield from self._base.search(query)
        yield from self._logs.search(query)

    def append(self, block: Block) -> None:
        self._own.append(block)
        self._by_hash[block.hash] = block
        self._logs.append(block)
        for receipt in block.receipts:
            self._receipts[receipt.transaction.hash] = (block, receipt)

    def truncate(self, height: int) -> None:
        kept = max(height + 1 - len(self._base), 0)
        for block in self._own[kept:]:
            del self._by_hash[block.hash]
            self.edited.pop(block.hash, None)
            for tx in block.transactions:
                self._receipts.pop(tx.hash, None)
        del self._own[kept:]
        self._logs.truncate(height)

    def edit(self, block_hash: Hash32, state: RetainedState | None) -> None:
        if state is None:
            self.edited.pop(block_hash, None)
        else:
            self.edited[block_hash] = state

    def atomic(self) -> AbstractContextManager[None]:
        return nullcontext()

    def reload(self) -> None:
        """Nothing is on disk."""
