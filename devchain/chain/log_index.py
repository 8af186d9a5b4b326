"""Finding logs: an index by address and topic, then an exact match."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain as concat
from typing import cast

from devchain.chain.block import Block, Log, MinedLog
from devchain.evm import deadline
from devchain.types import Hash32, LogQuery, Topics

LOGS_A_CHECK = 1024
"""Logs looked at between two looks at the deadline."""
MOST_TOPICS = 4

Postings = dict[bytes, "array[int]"]
"""For each value, the positions of the logs that have it, in order."""


class LogIndex:
    """Every log of the chain in order, and where each address and each topic is found.

    A search costs by the logs that have the rarest value it asks for, however long the chain is.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._logs: list[MinedLog] = []
        self._by_address: Postings = {}
        self._by_topic: tuple[Postings, ...] = tuple({} for _ in range(MOST_TOPICS))

    def append(self, block: Block) -> None:
        """Take note of a new block."""
        for mined in _logs_of(block):
            position = len(self._logs)
            self._logs.append(mined)
            for postings, value in self._places(mined.log):
                postings.setdefault(value, array("Q")).append(position)

    def truncate(self, height: int) -> None:
        """Forget the blocks above that height, at the cost of what they hold."""
        while self._logs and self._logs[-1].block.number > height:
            for postings, value in self._places(self._logs.pop().log):
                postings[value].pop()
                if not postings[value]:
                    del postings[value]

    def _places(self, log: Log) -> Iterator[tuple[Postings, bytes]]:
        yield self._by_address, log.address
        yield from zip(self._by_topic, log.topics, strict=False)

    def search(self, query: LogQuery) -> Iterator[MinedLog]:
        """Logs that match, in the order of the chain; the query's bounds are numbers."""
        first = bisect_left(self._logs, cast("int", query.from_block), key=_number)
        last = bisect_right(self._logs, cast("int", query.to_block), key=_number)
        for position in deadline.checked(self._candidates(query, first, last), LOGS_A_CHECK):
            mined = self._logs[position]
            if _matches(mined.log, query):
                yield mined

    def _candidates(self, query: LogQuery, first: int, last: int) -> Iterable[int]:
        """Positions from `first` to below `last` that the rarest condition leaves, in order."""
        asked: list[tuple[Postings, Iterable[bytes] | None]] = [
            (self._by_address, query.addresses or None),
            *zip(self._by_topic, query.topics, strict=False),
        ]
        conditions = [
            _within(postings, options, first, last)
            for postings, options in asked
            if options is not None
        ]
        if not conditions:
            return range(first, last)
        rarest = min(conditions, key=lambda runs: sum(map(len, runs)))
        return rarest[0] if len(rarest) == 1 else sorted(concat.from_iterable(rarest))


def _within(
    postings: Postings, options: Iterable[bytes], first: int, last: int
) -> list[Sequence[int]]:
    """The positions in a range at which the log has one of those values, a run for each value."""
    found = [postings[value] for value in options if value in postings]
    return [each[bisect_left(each, first) : bisect_left(each, last)] for each in found]


def _number(mined: MinedLog) -> int:
    return mined.block.number


def _logs_of(block: Block) -> Iterator[MinedLog]:
    for receipt in block.receipts:
        for position, log in enumerate(receipt.logs, receipt.first_log_index):
            yield MinedLog(log, block, receipt, position)


def matching(block: Block, query: LogQuery) -> Iterator[MinedLog]:
    """The logs of one block that match the query's addresses and topics."""
    return (mined for mined in _logs_of(block) if _matches(mined.log, query))


def _matches(log: Log, query: LogQuery) -> bool:
    if query.addresses and log.address not in query.addresses:
        return False
    return _topics_match(log.topics, query.topics)


def _topics_match(topics: tuple[Hash32, ...], wanted: Topics) -> bool:
    """Order counts, None matches anything, and a log may have more topics than are asked for."""
    if len(wanted) > len(topics):
        return False
    return all(
        options is None or topic in options for topic, options in zip(topics, wanted, strict=False)
    )
