"""Log search: `eth_getLogs` and log filters, within the configured limits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from devchain.chain.block import MinedLog
from devchain.chain.chain import Chain
from devchain.chain.log_index import matching
from devchain.chain.slices import QUICK, Slices, finish
from devchain.config import Config
from devchain.errors import InvalidInput, LogRangeTooWide, TooManyLogs, option_names
from devchain.node.filters import FilterRegistry, check_values
from devchain.types import BlockHash, BlockRef, Hash32, LogQuery, Tag

OPEN_ENDED = (None, Tag.LATEST, Tag.PENDING, Tag.SAFE, Tag.FINALIZED)
"""Bounds that move with the head."""

FIRST_PART, LARGEST_PART = 64, 4_096
"""Blocks searched in the first slice, and at most in one."""
DENSE = 2_000
"""Logs found in a slice after which the next one searches fewer blocks."""


class LogSearch:
    """Finds logs by queries with bounds as callers give them: numbers, tags or a block hash."""

    def __init__(self, config: Config, chain: Chain, filters: FilterRegistry) -> None:
        """Search that chain, and install filters in that registry."""
        self._config = config
        self._chain = chain
        self._filters = filters

    def logs(self, query: LogQuery) -> list[MinedLog]:
        """The logs that match; raises `LimitExceeded` when there are more than may be returned."""
        return finish(self.logs_in_slices(query))

    def logs_in_slices(self, query: LogQuery) -> Slices[list[MinedLog]]:
        """As `logs`; it begins anew when blocks of the range are removed between two slices."""
        check_values(query, self._config.max_log_values)
        while True:
            numbered = self._with_numbers(query)
            first, last = _number(numbered.from_block), _number(numbered.to_block)
            newest = self._hash_of(last)
            most, found = self._most(numbered), list[MinedLog]()
            start, size = first, FIRST_PART
            while start <= last and newest == self._hash_of(last):
                # What is before a fork is one search of the upstream.
                end = min(max(start + size - 1, self._chain.first), last)
                part = replace(numbered, from_block=start, to_block=end)
                count = len(found)
                found.extend(self._limited(most, self._chain.logs(part), count))
                start = end + 1
                is_dense = len(found) - count > DENSE
                size = max(size // 2, 1) if is_dense else min(size * 2, LARGEST_PART)
                if start <= last:
                    yield QUICK
            if newest == self._hash_of(last):
                break
        if query.to_block is Tag.PENDING and first <= self._chain.height + 1:
            found.extend(matching(self._chain.pending(), numbered))
        return found

    def _hash_of(self, number: int) -> Hash32 | None:
        if number < self._chain.first:
            return None
        block = self._chain.find_block(number)
        return block.hash if block else None

    def _most(self, numbered: LogQuery) -> float:
        max_blocks, max_logs = self._config.max_log_blocks, self._config.max_logs
        width = _number(numbered.to_block) - _number(numbered.from_block) + 1
        is_wide = bool(max_blocks) and width > max_blocks
        are_one = self._config.preset.log_limits_are_one
        if is_wide and not are_one:
            raise LogRangeTooWide(
                f"query spans more than {max_blocks} blocks ({option_names('max_log_blocks')}): "
                "ask for fewer",
                max_blocks,
            )
        return max_logs if max_logs and (is_wide or not are_one) else math.inf

    def _limited(self, most: float, logs: Iterator[MinedLog], count: int) -> Iterator[MinedLog]:
        for position, log in enumerate(logs, count):
            if position == most:
                raise TooManyLogs(
                    f"query returned more than {most} logs over a range of more than "
                    f"{self._config.max_log_blocks} blocks: ask for fewer blocks or narrow the "
                    "filter",
                    self._config.max_logs,
                )
            yield log

    def install_filter(self, query: LogQuery) -> int:
        """Install a log filter; its id. Raises `LimitExceeded` as `logs` does.

        With an explicit first block it starts there, else with the blocks from now on.
        """
        check_values(query, self._config.max_log_values)
        numbered = self._with_numbers(query)
        if self._most(numbered) < math.inf:
            self.logs(query)
        from_now = query.block_hash is None and query.from_block in OPEN_ENDED
        cursor = self._chain.height if from_now else _number(numbered.from_block) - 1
        is_endless = query.block_hash is not None or query.to_block in OPEN_ENDED
        watched = replace(
            query,
            from_block=cursor + 1,
            to_block=None if is_endless else self._number_of(query.to_block),
        )
        return self._filters.watch_logs(watched, cursor, from_now=from_now)

    def filter_logs(self, filter_id: int) -> list[MinedLog] | list[Hash32]:
        """Every log a log filter matches, read or not; raises `FilterNotFound`.

        For another filter `InvalidInput`, unless the preset has every hash it has found.
        """
        return finish(self.filter_logs_in_slices(filter_id))

    def filter_logs_in_slices(self, filter_id: int) -> Slices[list[MinedLog] | list[Hash32]]:
        """As `filter_logs`, as `logs_in_slices` does."""
        query = self._filters.find(filter_id).query
        if query is not None:
            return (yield from self.logs_in_slices(query))
        if self._config.preset.filter_logs_of_every_kind:
            return self._filters.since_installation(filter_id)
        raise InvalidInput("not a log filter: use eth_getFilterChanges")

    def _with_numbers(self, query: LogQuery) -> LogQuery:
        if query.block_hash is not None:
            first, last = self._bounds_of_block(BlockHash(query.block_hash))
            return replace(query, block_hash=None, from_block=first, to_block=last)
        last = min(self._number_of(query.to_block), self._chain.height)
        return replace(query, from_block=self._number_of(query.from_block), to_block=last)

    def _bounds_of_block(self, ref: BlockHash) -> tuple[int, int]:
        if self._chain.rules.unknown_block_has_no_logs and self._chain.find_block(ref) is None:
            return 0, -1
        number = self._chain.block(ref).number
        return number, number

    def _number_of(self, ref: BlockRef | None) -> int:
        return ref if isinstance(ref, int) else self._chain.block(ref or Tag.LATEST).number


def _number(bound: BlockRef | None) -> int:
    return cast(int, bound)
