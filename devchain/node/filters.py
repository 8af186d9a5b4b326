"""Log search, and installed filters: what is new since a client last polled.

A filter keeps a cursor on the chain or on the mempool's arrivals. When blocks are removed it moves
back; the logs in them that its client has read are reported as removed when it is next polled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

from devchain import errors
from devchain.chain.block import Block, MinedLog
from devchain.chain.chain import Chain
from devchain.chain.slices import QUICK, Slices, finish
from devchain.chain.storage.block_store import matching
from devchain.clock import Clock
from devchain.config import Config
from devchain.node.mempool import Mempool
from devchain.types import BlockHash, BlockRef, Hash32, LogQuery, Tag

VALUES_PER_FILTER = 10  # in one filter; with more it counts as two in the limits, and so on

OPEN_ENDED = (None, Tag.LATEST, Tag.PENDING, Tag.SAFE, Tag.FINALIZED)  # they move with the head


class Removal(NamedTuple):
    """Blocks that are about to be removed: those with logs, in order, and the new height."""

    height: int
    blocks: tuple[Block, ...]


@dataclass(slots=True, eq=False)
class Filter:
    """An installed filter: what it selects, and up to where its client has read.

    `kind` is "logs", "blocks" or "transactions"; `cursor` a block number, for transactions a
    position in the mempool's arrivals, `start` where it was at the installation. `first` is the
    first block of a log filter; with `from_now` it was the head then, not one the client named.
    `reported` is the range of blocks whose logs the client has read. `removals` are those of such
    blocks since the last poll, each with the range that had been read. A filter `for_subscription`
    belongs to an open connection: it does not expire and is not in snapshots. `client` is the
    address it was installed from, `size` what it counts in the limits.
    """

    kind: str
    cursor: int
    selects: LogQuery | None = None
    first: int = 0
    from_now: bool = False
    for_subscription: bool = False
    client: str | None = None
    last_poll: float = 0
    size: int = 1
    start: int = 0
    reported: tuple[int, int] = (0, -1)
    removals: list[tuple[Removal, int, int]] = field(default_factory=list)

    def removed_logs(self, query: LogQuery) -> Iterator[MinedLog]:
        """The logs that the client has read and that were removed since, newest first."""
        end = query.to_block if isinstance(query.to_block, int) else math.inf
        for removal, first, last in self.removals:
            for block in reversed(removal.blocks):
                if first <= block.number <= min(last, end) and (
                    query.block_hash in (None, block.hash)
                ):
                    for log in reversed(list(matching(block, query))):
                        yield replace(log, removed=True)


Positions = Mapping[int, tuple[int, int]]  # of filters in a snapshot: cursor and first block


class FilterRegistry:
    """Filters by id; ids count from 1 and are never used twice.

    `client` is the address of the client whose request is being answered, None if it has none.
    """

    def __init__(self, config: Config, chain: Chain, mempool: Mempool, clock: Clock) -> None:
        self.client: str | None = None
        self._config = config
        self._chain = chain
        self._mempool = mempool
        self._clock = clock
        self._polled: dict[int, Filter] = {}  # in the order of the last polls
        self._subscribed: dict[int, Filter] = {}
        self._last_id = 0
        self._reverts = 0

    # Installing

    def watch_logs(
        self, query: LogQuery, cursor: int, *, from_now: bool, for_subscription: bool = False
    ) -> int:
        """Install a filter of the logs that match, in blocks after `cursor`; its id.

        The query's bounds are block numbers. Raises `LimitExceeded`, as the other two do.
        """
        check_values(query, self._config.max_log_values)
        first = query.from_block if isinstance(query.from_block, int) else 0
        return self._install(Filter("logs", cursor, query, first, from_now, for_subscription))

    def watch_blocks(self, *, for_subscription: bool = False) -> int:
        height = self._chain.height
        if self._config.preset.block_filters_begin_with_head and not for_subscription:
            height -= 1
        return self._install(Filter("blocks", height, for_subscription=for_subscription))

    def watch_pending(self, *, for_subscription: bool = False) -> int:
        cursor = len(self._mempool.arrivals)
        return self._install(Filter("transactions", cursor, for_subscription=for_subscription))

    def _install(self, installed: Filter) -> int:
        self._expire()
        query = installed.selects
        values = 0
        if query:
            values = len(query.addresses) + sum(len(topic or ()) for topic in query.topics)
        installed.size += values // VALUES_PER_FILTER
        installed.client, installed.start = self.client, installed.cursor
        installed.last_poll = self._clock.monotonic()
        self._check_limits(installed)
        self._last_id += 1
        filters = self._subscribed if installed.for_subscription else self._polled
        filters[self._last_id] = installed
        return self._last_id

    def _check_limits(self, wanted: Filter) -> None:
        limit, client_limit = self._config.max_filters, self._config.max_client_filters
        advice = (
            f"and one counts again for every {VALUES_PER_FILTER} of its addresses and topics: "
            "remove some with eth_uninstallFilter"
        )
        if wanted.size + sum(other.size for other in self._all()) > limit:
            raise errors.LimitExceeded(
                f"at most {limit} filters and subscriptions can be installed (--max-filters), "
                f"{advice}"
            )
        if wanted.for_subscription or wanted.client is None:
            return
        own = [polled.size for polled in self._polled.values() if polled.client == wanted.client]
        if wanted.size + sum(own) > client_limit:
            raise errors.LimitExceeded(
                f"a client can install at most {client_limit} filters (--max-client-filters), "
                f"{advice}"
            )

    def uninstall(self, filter_id: int) -> bool:
        self._expire()
        removed = self._polled.pop(filter_id, None) or self._subscribed.pop(filter_id, None)
        return removed is not None

    # Reading

    def find(self, filter_id: int) -> Filter:
        self._expire()
        installed = self._polled.get(filter_id) or self._subscribed.get(filter_id)
        if installed is None:
            raise errors.FilterNotFound("filter not found")
        return installed

    def changes(self, filter_id: int) -> list[Hash32] | list[MinedLog]:
        """What is new since the last call: hashes or logs, by the filter's kind."""
        return finish(self.changes_in_slices(filter_id))

    def changes_in_slices(self, filter_id: int) -> Slices[list[Hash32] | list[MinedLog]]:
        """As `changes`; it begins anew when the filter is read or blocks are removed meanwhile."""
        while True:
            read, height = self.find(filter_id), self._chain.height
            begun = self._reverts, read.cursor
            new: list[Hash32] | list[MinedLog]
            if read.kind == "transactions":
                cursor = len(self._mempool.arrivals)
                new = self._mempool.arrivals[read.cursor :]
            else:
                cursor = max(read.cursor, height)
                if read.selects is None:
                    new = [block.hash for block in self._chain.blocks_after(read.cursor)]
                else:
                    first, last = max(read.cursor + 1, read.first), cursor
                    if isinstance(read.selects.to_block, int):
                        last = min(last, read.selects.to_block)
                    new = [*read.removed_logs(read.selects)]
                    part = replace(read.selects, from_block=first, to_block=last)
                    yield from append_logs(self._chain, part, new)
            if self.find(filter_id) is read and begun == (self._reverts, read.cursor):
                break
        read.cursor, read.reported = cursor, (read.first, min(cursor, height))
        read.removals.clear()
        if not read.for_subscription:
            read.last_poll = self._clock.monotonic()
            self._polled[filter_id] = self._polled.pop(filter_id)
        return new

    def since_installation(self, filter_id: int) -> list[Hash32]:
        """Every hash that a filter of blocks or transactions has found, read or not."""
        read = self.find(filter_id)
        if read.kind == "transactions":
            return list(self._mempool.arrivals[read.start :])
        return [block.hash for block in self._chain.blocks_after(read.start)]

    def unread(self, filter_id: int) -> int:
        read = self.find(filter_id)
        if read.kind == "transactions":
            return len(self._mempool.arrivals) - read.cursor
        return max(self._chain.height - read.cursor, 0)

    @property
    def version(self) -> tuple[int, int, int]:
        """A value that stays equal for as long as no filter has anything new."""
        return self._reverts, self._chain.height, len(self._mempool.arrivals)

    def _expire(self) -> None:
        earliest = self._clock.monotonic() - self._config.filter_timeout
        while self._polled:
            filter_id, oldest = next(iter(self._polled.items()))
            if oldest.last_poll >= earliest:
                return
            del self._polled[filter_id]

    # Reverting

    def _all(self) -> Iterator[Filter]:
        yield from self._polled.values()
        yield from self._subscribed.values()

    def removal_above(self, height: int) -> Removal:
        """What filters have to know of the blocks above that height, before they are removed."""
        reported = [watched.reported for watched in self._all() if watched.reported[1] > height]
        first = max(height + 1, min((low for low, _ in reported), default=0))
        last = max((high for _, high in reported), default=height)
        logs = self._chain.logs(LogQuery(first, last)) if first <= last else ()
        return Removal(height, tuple({log.block.number: log.block for log in logs}.values()))

    def remove(self, removal: Removal) -> None:
        """Move cursors back to the new height, now that the blocks above it are removed."""
        self._reverts += 1
        height = removal.height
        for watched in self._all():
            if watched.kind == "transactions":
                continue
            watched.cursor = min(watched.cursor, height)
            first, last = watched.reported
            if last > height:
                watched.removals.append((removal, first, last))
                watched.reported = first, height
            if watched.from_now:  # blocks after the new head are new to the client
                watched.first = min(watched.first, height + 1)

    def clear(self) -> None:
        """Remove every filter but subscriptions', which restart; called before a reset."""
        self._polled.clear()
        self.remove(self.removal_above(self._chain.first))
        for watched in self._subscribed.values():
            if watched.kind == "transactions":
                watched.cursor = 0

    def move_to(self, config: Config, chain: Chain, mempool: Mempool) -> None:
        """Remove every filter but those of subscriptions, which go on from another chain's head."""
        self._polled.clear()
        self._reverts += 1
        self._config, self._chain, self._mempool = config, chain, mempool
        for watched in self._subscribed.values():
            is_of_pool = watched.kind == "transactions"
            watched.cursor = len(mempool.arrivals) if is_of_pool else chain.height
            watched.first, watched.reported = chain.height + 1, (chain.height + 1, chain.height)
            watched.removals.clear()

    # Snapshots

    def checkpoint(self) -> Positions:
        return {number: (watched.cursor, watched.first) for number, watched in self._polled.items()}

    def restore(self, checkpoint: Positions) -> None:
        """Restore a checkpoint, once the mempool has been; which filters there are stays."""
        self._reverts += 1
        for filter_id, position in checkpoint.items():
            if watched := self._polled.get(filter_id):
                watched.cursor, watched.first = position
        for watched in self._all():
            if watched.kind == "transactions":
                watched.cursor = min(watched.cursor, len(self._mempool.arrivals))


def check_values(query: LogQuery, limit: int) -> None:
    """Raise `LimitExceeded` for a query with too many addresses or topics; 0 is no limit."""
    counts = [(len(query.addresses), "addresses")]
    for position, topic in enumerate(query.topics):
        counts.append((len(topic or ()), f"topics at position {position}"))
    for count, what in counts:
        if limit and count > limit:
            raise errors.LimitExceeded(
                f"the query has {count} {what}: at most {limit} are allowed (--max-log-values)"
            )


def append_logs(
    chain: Chain, query: LogQuery, logs: list[MinedLog], most: float = math.inf
) -> Slices[bool]:
    """Append matching logs, at most one more than `most`; False if blocks are removed meanwhile."""
    last = cast(int, query.to_block)
    newest = _own_hash(chain, last)
    for log in chain.search(query):
        if log is None:
            yield QUICK
            if newest != _own_hash(chain, last):
                return False
        elif query.block_hash in (None, log.block.hash):
            logs.append(log)
            if len(logs) > most:
                break
    return True


def _own_hash(chain: Chain, number: int) -> Hash32 | None:
    block = chain.find_block(number) if number >= chain.first else None
    return block.hash if block else None


class LogSearch:
    """Finds logs by queries with bounds as callers give them: numbers, tags or a block hash."""

    def __init__(self, config: Config, chain: Chain, filters: FilterRegistry) -> None:
        self._config = config
        self._chain = chain
        self._filters = filters

    def logs_in_slices(self, query: LogQuery) -> Slices[list[MinedLog]]:
        """The logs that match; raises `LimitExceeded` when there are more than may be returned.

        It begins anew when blocks of the range are removed between two slices.
        """
        while True:
            numbered, first, last = self._with_numbers(query)
            most, logs = self._most(first, last), list[MinedLog]()
            if (yield from append_logs(self._chain, numbered, logs, most)):
                break
        if len(logs) > most:
            raise errors.TooManyLogs(
                f"query returned more than {most} logs over a range of more than "
                f"{self._config.max_log_blocks} blocks: ask for fewer blocks or narrow the filter",
                limit=self._config.max_logs,
            )
        if query.to_block is Tag.PENDING and first <= self._chain.height + 1:
            logs.extend(matching(self._chain.pending(), numbered))
        return logs

    def _most(self, first: int, last: int) -> float:
        max_blocks, max_logs = self._config.max_log_blocks, self._config.max_logs
        is_wide = bool(max_blocks) and last - first + 1 > max_blocks
        are_one = self._config.preset.log_limits_are_one
        if is_wide and not are_one:
            raise errors.LogRangeTooWide(
                f"query spans more than {max_blocks} blocks "
                f"({errors.option_names('max_log_blocks')}): ask for fewer",
                limit=max_blocks,
            )
        return max_logs if max_logs and (is_wide or not are_one) else math.inf

    def install_filter(self, query: LogQuery) -> Slices[int]:
        """Install a log filter, from now on if no first block is named; its id."""
        check_values(query, self._config.max_log_values)
        _, first, last = self._with_numbers(query)
        if self._most(first, last) < math.inf:
            yield from self.logs_in_slices(query)
            _, first, _ = self._with_numbers(query)
        from_now = query.block_hash is None and query.from_block in OPEN_ENDED
        cursor = self._chain.height if from_now else first - 1
        is_endless = query.block_hash is not None or query.to_block in OPEN_ENDED
        watched = replace(
            query,
            from_block=cursor + 1,
            to_block=None if is_endless else self._number_of(query.to_block),
        )
        return self._filters.watch_logs(watched, cursor, from_now=from_now)

    def filter_logs_in_slices(self, filter_id: int) -> Slices[list[MinedLog] | list[Hash32]]:
        """Every log a log filter matches, read or not, in slices; raises `FilterNotFound`."""
        read = self._filters.find(filter_id)
        if read.selects:
            query = replace(read.selects, from_block=read.first)
            return (yield from self.logs_in_slices(query))
        if self._config.preset.filter_logs_of_every_kind:
            return self._filters.since_installation(filter_id)
        raise errors.InvalidInput("not a log filter: use eth_getFilterChanges")

    def _with_numbers(self, query: LogQuery) -> tuple[LogQuery, int, int]:
        if query.block_hash is not None:
            ref = BlockHash(query.block_hash)
            first, last = 0, -1
            if self._chain.rules.follows_geth or self._chain.find_block(ref):
                first = last = self._chain.block(ref).number
        else:
            first = self._number_of(query.from_block)
            last = min(self._number_of(query.to_block), self._chain.height)
        return replace(query, block_hash=None, from_block=first, to_block=last), first, last

    def _number_of(self, ref: BlockRef | None) -> int:
        return ref if isinstance(ref, int) else self._chain.block(ref or Tag.LATEST).number
