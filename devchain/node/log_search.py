"""Logs that match a query, at once or by a filter that is installed, within the limits."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from devchain.chain.block import MinedLog
from devchain.chain.chain import Chain
from devchain.chain.log_index import matching
from devchain.config import Config
from devchain.errors import InvalidInput, LimitExceeded
from devchain.node.filters import FilterRegistry
from devchain.types import BlockHash, BlockRef, LogQuery, Tag

OPEN_ENDED = (None, Tag.LATEST, Tag.PENDING, Tag.SAFE, Tag.FINALIZED)


class LogSearch:
    """Finds logs in the chain and in the pending block; bounds are what callers name them by."""

    def __init__(self, config: Config, chain: Chain, filters: FilterRegistry) -> None:
        """Search that chain, and let those filters watch it."""
        self._config = config
        self._chain = chain
        self._filters = filters

    def logs(self, query: LogQuery) -> list[MinedLog]:
        """The logs that match; raises `LimitExceeded` when there are more than may be returned."""
        bounded = self._bound(query)
        capped = self._is_capped(bounded)
        found: list[MinedLog] = []
        for log in self._chain.logs(bounded):
            found.append(log)
            if capped and len(found) > self._config.max_logs:
                raise LimitExceeded(self._too_many_logs())
        if query.to_block is Tag.PENDING and _number(bounded.from_block) <= self._chain.height + 1:
            found.extend(matching(self._chain.pending(), bounded))
        return found

    def _bound(self, query: LogQuery) -> LogQuery:
        """The query with its bounds as block numbers; an absent bound is the latest block."""
        if query.block_hash is not None:
            only = self._chain.block(BlockHash(query.block_hash)).number
            return replace(query, block_hash=None, from_block=only, to_block=only)
        last = min(self._height_of(query.to_block), self._chain.height)
        return replace(query, from_block=self._height_of(query.from_block), to_block=last)

    def _height_of(self, ref: BlockRef | None) -> int:
        return ref if isinstance(ref, int) else self._chain.block(ref or Tag.LATEST).number

    def _is_capped(self, bounded: LogQuery) -> bool:
        width = _number(bounded.to_block) - _number(bounded.from_block) + 1
        most = self._config.max_log_blocks
        return bool(self._config.max_logs and most and width > most)

    def _too_many_logs(self) -> str:
        return (
            f"query returned more than {self._config.max_logs} logs over a range of more than "
            f"{self._config.max_log_blocks} blocks: ask for fewer blocks or narrow the filter"
        )

    def watch(self, query: LogQuery) -> int:
        """Install a log filter; its id. Raises `LimitExceeded` as `logs` does.

        With an explicit first block reading starts there, else with what comes from now on.
        """
        self.logs(query)
        bounded = self._bound(query)
        starts_now = query.block_hash is None and query.from_block in OPEN_ENDED
        cursor = self._chain.height if starts_now else _number(bounded.from_block) - 1
        first = cursor + 1 if starts_now else bounded.from_block
        end = self._end(query)
        watched = replace(bounded, from_block=first, to_block=end, block_hash=query.block_hash)
        return self._filters.watch_logs(watched, cursor, from_now=starts_now)

    def _end(self, query: LogQuery) -> int | None:
        """The last block a filter watches, past the head if so asked; None if there is no last."""
        if query.block_hash is not None or query.to_block in OPEN_ENDED:
            return None
        return self._height_of(query.to_block)

    def of_filter(self, filter_id: int) -> list[MinedLog]:
        """Every log a log filter matches, read or not; raises `FilterNotFound`."""
        query = self._filters.find(filter_id).query
        if query is None:
            msg = "not a log filter: use eth_getFilterChanges"
            raise InvalidInput(msg)
        return self.logs(query)


def _number(bound: BlockRef | None) -> int:
    """A bound that has been made a number."""
    return cast(int, bound)
