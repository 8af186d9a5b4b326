"""Installed filters, each with a cursor of its own on the chain or the mempool."""

from __future__ import annotations

import math
from collections.abc import Iterator
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
    """What is watched, and up to where its owner has read.

    `query` is set for a log filter; with `from_now` its first block is not one its owner named
    but the head it was installed at. `cursor` is a block number, or for a pending-transaction
    filter a position in the mempool's arrivals. `retracted` are logs the owner has read whose
    blocks a revert has taken back. One
    `for_subscription` belongs to an open connection: it does not expire and no snapshot holds it.
    """

    kind: str
    cursor: int
    last_poll: float
    query: LogQuery | None = None
    from_now: bool = False
    retracted: tuple[MinedLog, ...] = ()
    for_subscription: bool = False


@dataclass(frozen=True, slots=True)
class FiltersCheckpoint:
    """What a snapshot keeps of the filters."""

    installed: dict[int, Filter]


class FilterRegistry:
    """Filters by id; ids are small and never used twice."""

    def __init__(self, config: Config, chain: Chain, mempool: Mempool, clock: Clock) -> None:
        """Watch that chain and that mempool."""
        self._timeout = config.filter_timeout
        self._chain = chain
        self._mempool = mempool
        self._clock = clock
        self._installed: dict[int, Filter] = {}
        self._last_id = 0
        self._polled_since = -math.inf
        self._turns = 0

    # Installing

    def watch_logs(
        self, query: LogQuery, cursor: int, *, from_now: bool, for_subscription: bool = False
    ) -> int:
        """Watch the logs that match, from the block after `cursor` on; the id.

        The query's bounds are block numbers, an absent `to_block` never ends. `from_now` says
        that the first of them is only where the head is.
        """
        now = self._clock.monotonic()
        return self._install(
            Filter("logs", cursor, now, query, from_now, for_subscription=for_subscription)
        )

    def watch_blocks(self, *, for_subscription: bool = False) -> int:
        """Watch for new blocks; the id."""
        now = self._clock.monotonic()
        return self._install(
            Filter("blocks", self._chain.height, now, for_subscription=for_subscription)
        )

    def watch_pending(self, *, for_subscription: bool = False) -> int:
        """Watch for transactions that become pending; the id."""
        now, cursor = self._clock.monotonic(), len(self._mempool.arrivals)
        return self._install(Filter("transactions", cursor, now, for_subscription=for_subscription))

    def _install(self, installed: Filter) -> int:
        self._expire()
        self._last_id += 1
        self._installed[self._last_id] = installed
        return self._last_id

    def uninstall(self, filter_id: int) -> bool:
        """Stop watching; whether there was such a filter."""
        self._expire()
        return self._installed.pop(filter_id, None) is not None

    # Reading

    def find(self, filter_id: int) -> Filter:
        """The filter of that id; raises `FilterNotFound`."""
        self._expire()
        found = self._installed.get(filter_id)
        if found is None:
            msg = "filter not found"
            raise FilterNotFound(msg)
        return found

    def changes(self, filter_id: int) -> list[Hash32] | list[MinedLog]:
        """What is new since the last reading: hashes or logs, by the filter's kind."""
        found = self.find(filter_id)
        new, cursor = self._unread(found)
        self._installed[filter_id] = replace(
            found, cursor=cursor, last_poll=self._clock.monotonic(), retracted=()
        )
        return new

    def _unread(self, found: Filter) -> tuple[list[Hash32] | list[MinedLog], int]:
        """What the owner has not read, and the cursor after reading it."""
        if found.kind == "transactions":
            arrivals = self._mempool.arrivals
            return arrivals[found.cursor :], len(arrivals)
        cursor = max(found.cursor, self._chain.height)
        if found.query is None:
            return [block.hash for block in self._chain.blocks_after(found.cursor)], cursor
        return [*found.retracted, *self._logs(found.query, found.cursor, cursor)], cursor

    def _logs(self, query: LogQuery, after: int, last: int) -> Iterator[MinedLog]:
        """The logs a filter covers above a height and up to another."""
        first = max(after + 1, _first(query))
        end = min(last, query.to_block) if isinstance(query.to_block, int) else last
        part = replace(query, from_block=first, to_block=end, block_hash=None)
        only = query.block_hash
        return (log for log in self._chain.logs(part) if only in (None, log.block.hash))

    def unread(self, filter_id: int) -> int:
        """How many blocks or transactions its owner has not read."""
        found = self.find(filter_id)
        if found.kind == "transactions":
            return len(self._mempool.arrivals) - found.cursor
        return max(self._chain.height - found.cursor, 0)

    def _expire(self) -> None:
        """Remove the filters nobody has read for too long."""
        oldest = self._clock.monotonic() - self._timeout
        if self._polled_since >= oldest:
            return  # thousands of filters need not be looked at for every one that is read
        idle = [key for key, each in self._expiring() if each.last_poll < oldest]
        for filter_id in idle:
            del self._installed[filter_id]
        polled = [each.last_poll for _, each in self._expiring()]
        self._polled_since = min(polled, default=self._clock.monotonic())

    def _expiring(self) -> Iterator[tuple[int, Filter]]:
        return (pair for pair in self._installed.items() if not pair[1].for_subscription)

    @property
    def moment(self) -> tuple[int, int, int]:
        """What is the same for as long as no filter has anything new."""
        return self._turns, self._chain.height, len(self._mempool.arrivals)

    # Reverting

    def retract_blocks(self, height: int) -> None:
        """The blocks above that height are about to go: note the logs that have been read."""
        self._turns += 1
        self._installed = {
            filter_id: found if found.kind == "transactions" else self._retracted(found, height)
            for filter_id, found in self._installed.items()
        }

    def _retracted(self, found: Filter, height: int) -> Filter:
        """The filter with its cursor not above that height, and the logs that this takes back."""
        logs = list(self._logs(found.query, height, found.cursor)) if found.query else []
        return replace(
            found,
            cursor=min(found.cursor, height),
            query=_lowered(found, height),
            retracted=(*found.retracted, *(replace(log, removed=True) for log in reversed(logs))),
        )

    def checkpoint(self) -> FiltersCheckpoint:
        """What `restore` needs to return to the present state."""
        kept = {key: each for key, each in self._installed.items() if not each.for_subscription}
        return FiltersCheckpoint(kept)

    def restore(self, checkpoint: FiltersCheckpoint) -> None:
        """Restore a checkpoint; a filter installed since goes on from here."""
        self._turns += 1
        now = self._clock.monotonic()
        for filter_id, found in checkpoint.installed.items():
            current = self._installed.get(filter_id)
            retracted = current.retracted if current else ()
            self._installed[filter_id] = replace(found, last_poll=now, retracted=retracted)
        for filter_id, found in self._installed.items():
            if found.kind == "transactions":
                cursor = min(found.cursor, len(self._mempool.arrivals))
                self._installed[filter_id] = replace(found, cursor=cursor)

    def undo_retraction(self, state: FiltersCheckpoint) -> None:
        """Take a retraction back: have the filters as they were, those installed since gone."""
        self._turns += 1
        self._installed = dict(state.installed)
        self._polled_since = -math.inf

    def clear(self) -> None:
        """Remove every filter but those of subscriptions, which go on from genesis."""
        self._installed = {
            key: each for key, each in self._installed.items() if each.for_subscription
        }
        self.retract_blocks(0)
        for filter_id, found in self._installed.items():
            if found.kind == "transactions":
                self._installed[filter_id] = replace(found, cursor=0)


def _lowered(found: Filter, height: int) -> LogQuery | None:
    """The filter's query; one from now on goes on after that height when the head goes back."""
    if found.query is None or not found.from_now:
        return found.query
    return replace(found.query, from_block=min(_first(found.query), height + 1))


def _first(query: LogQuery) -> int:
    return query.from_block if isinstance(query.from_block, int) else 0
