"""Installed filters: what is new since a client last polled, by a cursor on chain or mempool."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from devchain.chain.block import MinedLog
from devchain.chain.chain import Chain
from devchain.clock import Clock
from devchain.config import Config
from devchain.errors import FilterNotFound
from devchain.node.mempool import Mempool
from devchain.types import Hash32, LogQuery


@dataclass(frozen=True, slots=True)
class Filter:
    """An installed filter: what it selects, and up to where its client has read.

    `kind` is "logs", "blocks" or "transactions". `query` is set for a log filter; with `from_now`
    its first block is the head at its installation, not one the client named. `cursor` is a block
    number, for transactions a position in the mempool's arrivals. `removed` are logs the client has
    read whose blocks have been reverted since. A filter `for_subscription` belongs to an open
    connection: it does not expire and is not in snapshots.
    """

    kind: str
    cursor: int
    last_poll: float
    query: LogQuery | None = None
    from_now: bool = False
    removed: tuple[MinedLog, ...] = ()
    for_subscription: bool = False


@dataclass(frozen=True, slots=True)
class FiltersCheckpoint:
    """The part of a snapshot that restores `FilterRegistry`."""

    installed: dict[int, Filter]


class FilterRegistry:
    """Filters by id; ids count from 1 and are never used twice."""

    def __init__(self, config: Config, chain: Chain, mempool: Mempool, clock: Clock) -> None:
        """Filter the blocks of that chain and the transactions of that mempool."""
        self._timeout = config.filter_timeout
        self._chain = chain
        self._mempool = mempool
        self._clock = clock
        self._installed: dict[int, Filter] = {}
        self._last_id = 0
        self._oldest_poll = -math.inf
        self._reverts = 0

    # Installing

    def watch_logs(
        self, query: LogQuery, cursor: int, *, from_now: bool, for_subscription: bool = False
    ) -> int:
        """Install a filter of the logs that match, in blocks after `cursor`; its id.

        The query's bounds are block numbers; without `to_block` the filter has no last block.
        `from_now`: the first block is the head at installation, not one that the client named.
        """
        return self._install(
            Filter(
                kind="logs",
                cursor=cursor,
                last_poll=self._clock.monotonic(),
                query=query,
                from_now=from_now,
                for_subscription=for_subscription,
            )
        )

    def watch_blocks(self, *, for_subscription: bool = False) -> int:
        """Install a filter of new blocks; its id."""
        now = self._clock.monotonic()
        return self._install(
            Filter("blocks", self._chain.height, now, for_subscription=for_subscription)
        )

    def watch_pending(self, *, for_subscription: bool = False) -> int:
        """Install a filter of transactions that become pending; its id."""
        now, cursor = self._clock.monotonic(), len(self._mempool.arrivals)
        return self._install(Filter("transactions", cursor, now, for_subscription=for_subscription))

    def _install(self, installed: Filter) -> int:
        self._expire()
        self._last_id += 1
        self._installed[self._last_id] = installed
        return self._last_id

    def uninstall(self, filter_id: int) -> bool:
        """Remove a filter; whether there was one of that id."""
        self._expire()
        return self._installed.pop(filter_id, None) is not None

    # Reading

    def find(self, filter_id: int) -> Filter:
        """The filter of that id; raises `FilterNotFound`."""
        self._expire()
        found = self._installed.get(filter_id)
        if found is None:
            raise FilterNotFound("filter not found")
        return found

    def changes(self, filter_id: int) -> list[Hash32] | list[MinedLog]:
        """What is new since the last call: hashes or logs, by the filter's kind."""
        found = self.find(filter_id)
        new: list[Hash32] | list[MinedLog]
        if found.kind == "transactions":
            cursor = len(self._mempool.arrivals)
            new = self._mempool.arrivals[found.cursor :]
        else:
            cursor = max(found.cursor, self._chain.height)
            if found.query is None:
                new = [block.hash for block in self._chain.blocks_after(found.cursor)]
            else:
                new = [*found.removed, *self._logs(found.query, found.cursor, cursor)]
        self._installed[filter_id] = replace(
            found, cursor=cursor, last_poll=self._clock.monotonic(), removed=()
        )
        return new

    def unread(self, filter_id: int) -> int:
        """How many blocks or transactions the client has not read."""
        found = self.find(filter_id)
        if found.kind == "transactions":
            return len(self._mempool.arrivals) - found.cursor
        return max(self._chain.height - found.cursor, 0)

    def _logs(self, query: LogQuery, after: int, last: int) -> Iterator[MinedLog]:
        """The logs a query matches in the blocks after one and up to another."""
        first = max(after + 1, _first_block(query))
        end = min(last, query.to_block) if isinstance(query.to_block, int) else last
        part = replace(query, from_block=first, to_block=end, block_hash=None)
        only = query.block_hash
        return (log for log in self._chain.logs(part) if only in (None, log.block.hash))

    @property
    def version(self) -> tuple[int, int, int]:
        """A value that stays equal for as long as no filter has anything new."""
        return self._reverts, self._chain.height, len(self._mempool.arrivals)

    # Expiring

    def _expire(self) -> None:
        """Remove the filters that have not been polled for the configured time.

        `_oldest_poll` is no later than the last poll of any filter, so that thousands of filters
        are not searched each time one is read.
        """
        expired = self._clock.monotonic() - self._timeout
        if self._oldest_poll >= expired:
            return
        self._installed = {
            key: each
            for key, each in self._installed.items()
            if each.for_subscription or each.last_poll >= expired
        }
        polls = [each.last_poll for each in self._installed.values() if not each.for_subscription]
        self._oldest_poll = min(polls, default=self._clock.monotonic())

    # Reverting

    def retract_blocks(self, height: int) -> None:
        """Move cursors back to that height, before the blocks above it are removed.

        Logs in these blocks that a client has read are kept, to be read once more as removed.
        """
        self._reverts += 1
        self._installed = {
            filter_id: found if found.kind == "transactions" else self._moved_back(found, height)
            for filter_id, found in self._installed.items()
        }

    def _moved_back(self, found: Filter, height: int) -> Filter:
        query, removed = found.query, found.removed
        if query is not None:
            logs = list(self._logs(query, height, found.cursor))
            removed += tuple(replace(log, removed=True) for log in reversed(logs))
            if found.from_now:  # blocks after the new head are new to the client
                query = replace(query, from_block=min(_first_block(query), height + 1))
        return replace(found, cursor=min(found.cursor, height), query=query, removed=removed)

    def installed(self) -> dict[int, Filter]:
        """Every filter by id, those of subscriptions too."""
        return dict(self._installed)

    def undo_retraction(self, before: Mapping[int, Filter]) -> None:
        """Return to the filters `installed` before `retract_blocks`, when the blocks stay."""
        self._reverts += 1
        self._installed = dict(before)
        self._oldest_poll = -math.inf

    def clear(self) -> None:
        """Remove every filter but those of subscriptions, which continue from genesis."""
        self._installed = {
            key: each for key, each in self._installed.items() if each.for_subscription
        }
        self.retract_blocks(0)
        self._limit_cursors(0)

    def _limit_cursors(self, arrivals: int) -> None:
        """Move cursors on the mempool's arrivals back to that position."""
        for filter_id, found in self._installed.items():
            if found.kind == "transactions":
                cursor = min(found.cursor, arrivals)
                self._installed[filter_id] = replace(found, cursor=cursor)

    # Snapshots

    def checkpoint(self) -> FiltersCheckpoint:
        """The present state, for `restore`."""
        return FiltersCheckpoint(
            {key: each for key, each in self._installed.items() if not each.for_subscription}
        )

    def restore(self, checkpoint: FiltersCheckpoint) -> None:
        """Restore a checkpoint; filters installed since then stay."""
        self._reverts += 1
        now = self._clock.monotonic()
        for filter_id, found in checkpoint.installed.items():
            current = self._installed.get(filter_id)
            removed = current.removed if current else ()
            self._installed[filter_id] = replace(found, last_poll=now, removed=removed)
        self._limit_cursors(len(self._mempool.arrivals))


def _first_block(query: LogQuery) -> int:
    return query.from_block if isinstance(query.from_block, int) else 0
