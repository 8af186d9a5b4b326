"""Log search: an index of logs by address and topic, kept in memory.

Postings of a chain whose logs 0 and 2 were emitted by A with topic T, and log 1 by B:

    by address   A: [0, 2]   B: [1]
    by topic 0   T: [0, 2]

A query for A and T between two blocks cuts each list to the blocks' range of positions, takes the
shortest list as candidates, and matches these exactly.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain as concat
from operator import attrgetter
from typing import cast

from devchain.chain.block import Block, Log, MinedLog, mined_logs
from devchain.evm import deadline
from devchain.types import LogQuery

LOGS_PER_CHECK = 1024
"""Logs matched between two checks of the deadline."""
MAX_TOPICS = 4

BLOCK_NUMBER = attrgetter("block.number")
Postings = dict[bytes, "array[int]"]
"""For each value, the positions of the logs that have it, in order."""


class LogIndex:
    """Every log of the chain in order, with postings for addresses and topics.

    The cost of a search depends on the logs that have the rarest of its values, not on the length
    of the chain.
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

    def search(self, query: LogQuery) -> Iterator[MinedLog]:
        """Logs that match, in the order of the chain; the query's bounds are numbers."""
        first = bisect_left(self._logs, cast("int", query.from_block), key=BLOCK_NUMBER)
        last = bisect_right(self._logs, cast("int", query.to_block), key=BLOCK_NUMBER)
        for position in deadline.checked(self._candidates(query, first, last), LOGS_PER_CHECK):
            mined = self._logs[position]
            if log_matches(mined.log, query):
                yield mined

    def _candidates(self, query: LogQuery, first: int, last: int) -> Iterable[int]:
        # Positions from `first` to below `last` that fulfil the rarest condition, in order.
        criteria: list[tuple[Postings, Iterable[bytes] | None]] = [
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
            if options is not None
        ]
        if not conditions:
            return range(first, last)
        rarest = min(conditions, key=lambda runs: sum(map(len, runs)))
        return rarest[0] if len(rarest) == 1 else sorted(concat.from_iterable(rarest))


def matching(block: Block, query: LogQuery) -> Iterator[MinedLog]:
    """The logs of one block that match the query's addresses and topics."""
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
