"""Finding logs: blooms to skip blocks, then an exact match."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import cast

from eth_bloom.bloom import BloomFilter

from devchain.chain.block import Block, Log, MinedLog
from devchain.evm import deadline
from devchain.types import Address, Hash32, LogQuery, Topics

BLOCKS_A_CHECK = 64
"""Blocks searched between two looks at the deadline."""


class LogIndex:
    """The numbers of the blocks that have logs, in order."""

    def __init__(self) -> None:
        """Start empty."""
        self._numbers: list[int] = []

    def append(self, block: Block) -> None:
        """Take note of a new block."""
        if block.bloom:
            self._numbers.append(block.number)

    def truncate(self, height: int) -> None:
        """Forget the blocks above that height."""
        del self._numbers[bisect_right(self._numbers, height) :]

    def search(self, blocks: Sequence[Block], query: LogQuery) -> Iterator[MinedLog]:
        """Logs that match, in the order of the chain; the query's bounds are numbers."""
        first = bisect_left(self._numbers, cast("int", query.from_block))
        last = bisect_right(self._numbers, cast("int", query.to_block))
        masks = _masks(query)
        for number in deadline.checked(self._numbers[first:last], BLOCKS_A_CHECK):
            block = blocks[number]
            if all(any(block.bloom & mask == mask for mask in options) for options in masks):
                yield from matching(block, query)


def matching(block: Block, query: LogQuery) -> Iterator[MinedLog]:
    """The logs of one block that match the query's addresses and topics."""
    for receipt in block.receipts:
        for position, log in enumerate(receipt.logs):
            if _matches(log, query):
                yield MinedLog(log, block, receipt, receipt.first_log_index + position)


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


def _masks(query: LogQuery) -> list[list[int]]:
    """For each condition, the bloom bits of each value that would fulfil it."""
    conditions: list[frozenset[Address] | frozenset[Hash32]] = []
    if query.addresses:
        conditions.append(query.addresses)
    conditions.extend(options for options in query.topics if options)
    return [[int(BloomFilter.from_iterable([value])) for value in each] for each in conditions]
