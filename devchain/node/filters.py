"""Installed filters: what is new since a client last polled, by a cursor on chain or mempool.

A revert touches no filter. It closes the open `Rewind` and opens another one; a filter applies
those that it has not seen when it is next read:

    rewind: to block 7  →  rewind: to a snapshot  →  the open one
      ↑ filter A was last read before both             ↑ filter B has been read since

Only filters refer to the older ones, so that a rewind is freed when no filter needs it any more.

A snapshot copies no filter. It ends a *moment*, and a filter that moves in a later moment keeps its
position of the earlier one, for as long as there is a snapshot of it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from weakref import WeakValueDictionary

from devchain.chain.block import Block, MinedLog
from devchain.chain.chain import Chain
from devchain.chain.log_index import matching
from devchain.clock import Clock
from devchain.config import Config
from devchain.errors import FilterNotFound, LimitExceeded
from devchain.node.mempool import Mempool
from devchain.types import Hash32, LogQuery

VALUES_PER_FILTER = 10
"""A filter with so many addresses and topics counts as two in the limits, and so on."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far a client had read at the end of a moment.

    `cursor` is a block number, for transactions a position in the mempool's arrivals. `query` is
    that of a log filter. A filter that was uninstalled stays for the snapshots that have it.
    """

    moment: int
    cursor: int
    query: LogQuery | None = None
    is_installed: bool = True


@dataclass(frozen=True, slots=True)
class Removal:
    """Blocks that are about to be removed: those with logs, in order, and the new height."""

    height: int
    blocks: tuple[Block, ...]


@dataclass(slots=True, eq=False)
class Rewind:
    """What a removal of blocks or a restored snapshot does to the filters read before it.

    `restored` are the moments of snapshots that were restored one after the other. Cursors on the
    mempool's arrivals are at most `arrivals`. `moment` is the one in which it happened. The open
    one has no `next` yet.
    """

    moment: int = 0
    removal: Removal | None = None
    restored: list[int] = field(default_factory=list)
    arrivals: float = math.inf
    next: Rewind | None = None


@dataclass(slots=True, eq=False)
class Filter:
    """An installed filter: what it selects, and up to where its client has read.

    `kind` is "logs", "blocks" or "transactions". With `from_now` the query's first block is the
    head at its installation, not one the client named. `positions` are in order; the last one is
    in force. `rewind` is the first that was not applied. `removed` are logs the client has read
    whose blocks have been reverted since. A filter `for_subscription` belongs to an open
    connection: it does not expire and is not in snapshots. `client` is the address it was
    installed from, `size` what it counts in the limits, `start` the cursor at its installation.
    """

    kind: str
    positions: list[Position]
    last_poll: float
    rewind: Rewind
    from_now: bool = False
    for_subscription: bool = False
    client: str | None = None
    size: int = 1
    start: int = 0
    removed: list[MinedLog] = field(default_factory=list)

    @property
    def cursor(self) -> int:
        """Up to where the client has read: a block number or a position in the arrivals."""
        return self.positions[-1].cursor

    @property
    def query(self) -> LogQuery | None:
        """What a log filter selects."""
        return self.positions[-1].query

    @property
    def is_installed(self) -> bool:
        """False if it has been uninstalled, and only snapshots have it."""
        return self.positions[-1].is_installed


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class FiltersCheckpoint:
    """The part of a snapshot that restores `FilterRegistry`: the moment that it ended."""

    moment: int


BEFORE_ALL = FiltersCheckpoint(-1)
"""A checkpoint without filters, of a snapshot that was read from a file."""


class FilterRegistry:
    """Filters by id; ids count from 1 and are never used twice.

    `client` is the address of the client whose request is being answered, None if it has none.
    """

    def __init__(self, config: Config, chain: Chain, mempool: Mempool, clock: Clock) -> None:
        """Filter the blocks of that chain and the transactions of that mempool."""
        self.client: str | None = None
        self._config = config
        self._chain = chain
        self._mempool = mempool
        self._clock = clock
        self._polled: dict[int, Filter] = {}  # in the order of the last polls
        self._subscribed: dict[int, Filter] = {}
        self._last_id = 0
        self._sizes: Counter[str | None] = Counter()
        self._size = 0
        self._reverts = 0
        self._moment = self._last_move = 0
        self._checkpoints: WeakValueDictionary[int, FiltersCheckpoint] = WeakValueDictionary()
        self._open = Rewind()
        self._closed: Rewind | None = None  # the newest that is not open
        self._is_open_used = False  # whether a filter has applied every closed one
        # Bounds of what filters have read: what lies beyond can be removed without telling them.
        self._highest_block = self._highest_arrival = 0
        self._lowest_block: float = math.inf

    # Installing

    def watch_logs(
        self, query: LogQuery, cursor: int, *, from_now: bool, for_subscription: bool = False
    ) -> int:
        """Install a filter of the logs that match, in blocks after `cursor`; its id.

        The query's bounds are block numbers; without `to_block` the filter has no last block.
        `from_now`: the first block is the head at installation, not one that the client named.
        Raises `LimitExceeded`, as the other two do.
        """
        check_values(query, self._config.max_log_values)
        found = self._new("logs", cursor, query, for_subscription=for_subscription)
        found.from_now = from_now
        self._lowest_block = min(self._lowest_block, _first_block(query))
        return self._install(found)

    def watch_blocks(self, *, for_subscription: bool = False) -> int:
        """Install a filter of new blocks; its id."""
        height = self._chain.height
        if self._config.preset.block_filters_begin_with_head and not for_subscription:
            height -= 1
        return self._install(self._new("blocks", height, for_subscription=for_subscription))

    def watch_pending(self, *, for_subscription: bool = False) -> int:
        """Install a filter of transactions that become pending; its id."""
        cursor = len(self._mempool.arrivals)
        return self._install(self._new("transactions", cursor, for_subscription=for_subscription))

    def _new(
        self, kind: str, cursor: int, query: LogQuery | None = None, *, for_subscription: bool
    ) -> Filter:
        return Filter(
            kind=kind,
            positions=[Position(self._moment, cursor, query)],
            last_poll=self._clock.monotonic(),
            rewind=self._open,
            for_subscription=for_subscription,
            client=self.client,
            size=filter_size(query),
            start=cursor,
        )

    def _install(self, found: Filter) -> int:
        self._expire()
        try:
            self._check_limits(found)
        except LimitExceeded:
            self._discard_uninstalled()
            self._check_limits(found)
        self._last_id += 1
        self._filters_like(found)[self._last_id] = found
        self._count(found, found.size)
        self._is_open_used = True
        self._raise_bounds()
        return self._last_id

    def _filters_like(self, found: Filter) -> dict[int, Filter]:
        return self._subscribed if found.for_subscription else self._polled

    def _check_limits(self, found: Filter) -> None:
        limit, client_limit = self._config.max_filters, self._config.max_client_filters
        if self._size + found.size > limit:
            raise LimitExceeded(
                f"at most {limit} filters and subscriptions can be installed (--max-filters), and "
                f"one counts again for every {VALUES_PER_FILTER} of its addresses and topics: "
                "remove some with eth_uninstallFilter"
            )
        if found.for_subscription or found.client is None:
            return
        if self._sizes[found.client] + found.size > client_limit:
            raise LimitExceeded(
                f"a client can install at most {client_limit} filters (--max-client-filters), and "
                f"one counts again for every {VALUES_PER_FILTER} of its addresses and topics: "
                "remove some with eth_uninstallFilter"
            )

    def _count(self, found: Filter, size: int) -> None:
        self._size += size
        if not found.for_subscription:
            self._sizes[found.client] += size
            if not self._sizes[found.client]:
                del self._sizes[found.client]

    def uninstall(self, filter_id: int) -> bool:
        """Remove a filter; whether there was one of that id."""
        found = self._find(filter_id)
        if found is None:
            return False
        self._move(found, replace(found.positions[-1], is_installed=False))
        self._forget_positions(found)
        found.removed.clear()
        if len(found.positions) == 1:  # no snapshot has it
            self._discard(filter_id, found)
        return True

    def _discard_uninstalled(self) -> None:
        for filter_id, found in [*self._polled.items()]:
            if not found.is_installed:
                self._discard(filter_id, found)

    def _discard(self, filter_id: int, found: Filter) -> None:
        del self._filters_like(found)[filter_id]
        self._count(found, -found.size)

    # Reading

    def find(self, filter_id: int) -> Filter:
        """The filter of that id; raises `FilterNotFound`."""
        found = self._find(filter_id)
        if found is None:
            raise FilterNotFound("filter not found")
        return found

    def _find(self, filter_id: int) -> Filter | None:
        self._expire()
        found = self._polled.get(filter_id) or self._subscribed.get(filter_id)
        if found is None:
            return None
        self._apply_rewinds(found)
        if len(found.positions) > 2 * (len(self._checkpoints) + 1):  # each keeps one at most
            self._forget_positions(found)
        return found if found.is_installed else None

    def changes(
        self, filter_id: int, check: Callable[[Sequence[Hash32 | MinedLog]], None] | None = None
    ) -> list[Hash32] | list[MinedLog]:
        """What is new since the last call: hashes or logs, by the filter's kind.

        If `check` raises for it, it stays new.
        """
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
        if check is not None:
            check(new)
        found.removed.clear()
        self._move(found, replace(found.positions[-1], cursor=cursor))
        self._raise_bounds()
        if not found.for_subscription:
            found.last_poll = self._clock.monotonic()
            self._polled[filter_id] = self._polled.pop(filter_id)
        return new

    def since_installation(self, filter_id: int) -> list[Hash32]:
        """Every hash that a filter of blocks or transactions has found, read or not."""
        found = self.find(filter_id)
        if found.kind == "transactions":
            return list(self._mempool.arrivals[found.start :])
        return [block.hash for block in self._chain.blocks_after(found.start)]

    def unread(self, filter_id: int) -> int:
        """How many blocks or transactions the client has not read."""
        found = self.find(filter_id)
        if found.kind == "transactions":
            return len(self._mempool.arrivals) - found.cursor
        return max(self._chain.height - found.cursor, 0)

    def _logs(self, query: LogQuery, after: int, last: int) -> Iterator[MinedLog]:
        first = max(after + 1, _first_block(query))
        end = min(last, query.to_block) if isinstance(query.to_block, int) else last
        part = replace(query, from_block=first, to_block=end, block_hash=None)
        only = query.block_hash
        return (log for log in self._chain.logs(part) if only in (None, log.block.hash))

    @property
    def version(self) -> tuple[int, int, int]:
        """A value that stays equal for as long as no filter has anything new."""
        return self._reverts, self._chain.height, len(self._mempool.arrivals)

    # Moving

    def _move(self, found: Filter, position: Position, moment: int | None = None) -> None:
        # Put a filter at a position since that moment, by default the present one.
        position = replace(position, moment=self._moment if moment is None else moment)
        self._last_move = max(self._last_move, position.moment)
        last = found.positions[-1]
        if found.for_subscription or last.moment == position.moment:
            found.positions[-1] = position
            return
        found.positions.append(position)

    def _forget_positions(self, found: Filter) -> None:
        taken = sorted(self._checkpoints)
        found.positions = [
            position
            for position, later in pairwise(found.positions)
            if bisect_left(taken, position.moment) < bisect_left(taken, later.moment)
        ] + found.positions[-1:]

    def _raise_bounds(self) -> None:
        self._highest_block = max(self._highest_block, self._chain.height)
        self._highest_arrival = max(self._highest_arrival, len(self._mempool.arrivals))

    # Expiring

    def _expire(self) -> None:
        earliest = self._clock.monotonic() - self._config.filter_timeout
        while self._polled:
            filter_id, found = next(iter(self._polled.items()))
            if found.last_poll >= earliest:
                return
            self._discard(filter_id, found)

    # Reverting

    def removal_above(self, height: int) -> Removal:
        """What filters have to know of the blocks above that height, before they are removed.

        Raises `ExecutionTimedOut`.
        """
        first = max(height + 1, self._lowest_block)
        last = min(self._highest_block, self._chain.height)
        logs = self._chain.logs(LogQuery(int(first), last)) if first <= last else ()
        return Removal(height, tuple({log.block.number: log.block for log in logs}.values()))

    def remove(self, removal: Removal) -> None:
        """Move cursors back to the new height, now that the blocks above it are removed.

        Logs in these blocks that a client has read are kept, to be read once more as removed.
        """
        self._reverts += 1
        if self._highest_block > removal.height:
            self._close(removal=removal)
            self._highest_block = removal.height
            self._lowest_block = min(self._lowest_block, removal.height + 1)
            self._last_move = self._moment

    def clear(self) -> None:
        """Remove every filter but those of subscriptions, which continue from the first block.

        It is called before the chain is reset.
        """
        self._forget_polled()
        first = self._chain.first
        self._close(removal=self.removal_above(first), arrivals=0)
        self._highest_block, self._highest_arrival = first, 0

    def _forget_polled(self) -> None:
        self._polled.clear()
        self._sizes.clear()
        self._size = sum(subscribed.size for subscribed in self._subscribed.values())
        self._reverts += 1

    def move_to(self, config: Config, chain: Chain, mempool: Mempool) -> None:
        """Remove every filter but those of subscriptions, which continue from another chain's head.

        What they had not read of the chain before is not sent any more.
        """
        self._forget_polled()
        self._config, self._chain, self._mempool = config, chain, mempool
        self._open, self._closed, self._is_open_used = Rewind(), None, True
        self._highest_block, self._highest_arrival = chain.height, len(mempool.arrivals)
        self._lowest_block = math.inf
        self._checkpoints.clear()
        for found in self._subscribed.values():
            found.rewind = self._open
            found.removed.clear()
            position, query = found.positions[-1], found.query
            if query is not None:
                query = replace(query, from_block=chain.height + 1)
                self._lowest_block = chain.height + 1
            is_of_pool = found.kind == "transactions"
            cursor = len(mempool.arrivals) if is_of_pool else chain.height
            found.positions = [replace(position, cursor=cursor, query=query)]

    def _close(
        self,
        *,
        removal: Removal | None = None,
        restored: int | None = None,
        arrivals: float = math.inf,
    ) -> None:
        closed = self._closed = self._open
        closed.moment = self._moment
        closed.removal, closed.arrivals = removal, arrivals
        closed.restored = [] if restored is None else [restored]
        closed.next = self._open = Rewind()
        self._is_open_used = False

    def _apply_rewinds(self, found: Filter) -> None:
        while (following := found.rewind.next) is not None:
            rewind, found.rewind = found.rewind, following
            if rewind.removal and found.kind != "transactions":
                self._apply_removal(found, rewind.removal, rewind.moment)
            if not found.for_subscription:
                for snapshot in rewind.restored:
                    _apply_snapshot(found, snapshot)
            if found.kind == "transactions" and found.cursor > rewind.arrivals:
                position = replace(found.positions[-1], cursor=int(rewind.arrivals))
                self._move(found, position, rewind.moment)
        self._is_open_used = True

    def _apply_removal(self, found: Filter, removal: Removal, moment: int) -> None:
        position, query = found.positions[-1], found.query
        if query is not None:
            if found.is_installed:
                found.removed += _removed_logs(removal.blocks, query, position.cursor)
            if found.from_now:  # blocks after the new head are new to the client
                query = replace(query, from_block=min(_first_block(query), removal.height + 1))
        cursor = min(position.cursor, removal.height)
        self._move(found, replace(position, cursor=cursor, query=query), moment)

    # Snapshots

    def checkpoint(self) -> FiltersCheckpoint:
        """The present state, for `restore`."""
        taken = self._checkpoints[self._moment] = FiltersCheckpoint(self._moment)
        self._moment += 1
        return taken

    def restore(self, checkpoint: FiltersCheckpoint) -> None:
        """Restore a checkpoint, once the mempool has been; filters installed since then stay.

        A filter that was uninstalled since then is installed again, one that has expired is not.
        """
        self._reverts += 1
        snapshot, arrivals = checkpoint.moment, len(self._mempool.arrivals)
        if self._last_move <= snapshot and self._highest_arrival <= arrivals:
            return
        self._last_move = min(self._last_move, snapshot)
        self._highest_arrival = min(self._highest_arrival, arrivals)
        last = self._closed
        if last and not self._is_open_used and not last.removal:
            # No filter was read since the last revert, so that both are one.
            if snapshot < last.restored[-1]:
                last.restored.append(snapshot)
            last.arrivals = min(last.arrivals, arrivals)
            return
        self._close(restored=snapshot, arrivals=arrivals)


def _apply_snapshot(found: Filter, snapshot: int) -> None:
    kept = [position for position in found.positions if position.moment <= snapshot]
    if kept:
        found.positions = kept


def _removed_logs(blocks: tuple[Block, ...], query: LogQuery, cursor: int) -> Iterator[MinedLog]:
    first, last = _first_block(query), query.to_block
    last = min(cursor, last) if isinstance(last, int) else cursor
    for block in reversed(blocks):
        if first <= block.number <= last and query.block_hash in (None, block.hash):
            for log in reversed(list(matching(block, query))):
                yield replace(log, removed=True)


def filter_size(query: LogQuery | None) -> int:
    """What a filter counts in the limits of filters."""
    return 1 + (count_values(query) // VALUES_PER_FILTER if query else 0)


def count_values(query: LogQuery) -> int:
    return len(query.addresses) + sum(len(topic) for topic in query.topics if topic)


def check_values(query: LogQuery, limit: int) -> None:
    """Raise `LimitExceeded` for a query with too many addresses or topics; 0 is no limit."""
    counts = [
        (len(query.addresses), "addresses"),
        *(
            (len(topic), f"topics at position {place}")
            for place, topic in enumerate(query.topics)
            if topic
        ),
    ]
    for count, what in counts:
        if limit and count > limit:
            raise LimitExceeded(
                f"the query has {count} {what}: at most {limit} are allowed (--max-log-values)"
            )


def _first_block(query: LogQuery) -> int:
    return query.from_block if isinstance(query.from_block, int) else 0
