"""Snapshots of a node: what `evm_snapshot` saves and `evm_revert` restores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from devchain.chain.chain import Chain, ChainCheckpoint
from devchain.clock import Clock, ClockCheckpoint
from devchain.errors import LimitExceeded, option_names
from devchain.node.accounts import Accounts, AccountsCheckpoint
from devchain.node.bitcoin import BitcoinComponent
from devchain.node.expected_calls import ExpectedCalls, Open
from devchain.node.external_mining import MiningWork
from devchain.node.filters import FilterRegistry, Positions
from devchain.node.mempool import Mempool, MempoolCheckpoint
from devchain.node.miner import Miner, MinerCheckpoint

if TYPE_CHECKING:  # which imports btclib
    from devchain.bitcoin.bitcoin_node import BitcoinCheckpoint


@dataclass(frozen=True, slots=True)
class NodeSnapshot:
    """The checkpoints of a node's components, taken at one moment."""

    chain: ChainCheckpoint
    mempool: MempoolCheckpoint
    clock: ClockCheckpoint
    bitcoin: BitcoinCheckpoint | None
    miner: MinerCheckpoint
    accounts: AccountsCheckpoint
    filters: Positions
    expected_calls: tuple[Open, ...]


@dataclass(frozen=True, slots=True)
class NodeComponents:
    """The components of a node that a snapshot covers.

    Checkpoints hold references to immutable values (blocks, states) and copies of small tables, so
    taking one costs the same for any length of chain.
    """

    chain: Chain
    mempool: Mempool
    clock: Clock
    bitcoin: BitcoinComponent
    miner: Miner
    accounts: Accounts
    filters: FilterRegistry
    work: MiningWork
    expected_calls: ExpectedCalls

    def checkpoint(self) -> NodeSnapshot:
        return NodeSnapshot(**{name: getattr(self, name).checkpoint() for name in NAMES})

    def have_changed_since(self, snapshot: NodeSnapshot) -> bool:
        return replace(self.checkpoint(), filters=snapshot.filters) != snapshot

    def restore(self, snapshot: NodeSnapshot) -> None:
        """Restore every component in their order: the others read the chain.

        Filters bound their cursors by the mempool's arrivals. Work may be of a block that is gone.
        """
        for name in NAMES:
            getattr(self, name).restore(getattr(snapshot, name))
        self.work.discard_work()


NAMES = tuple(field.name for field in fields(NodeSnapshot))

ENTRIES_PER_SNAPSHOT = 10  # transactions and filters; with more it counts as two


class SnapshotStore:
    """The snapshots of a node by id; ids count from 1 and are never used twice."""

    def __init__(self, components: NodeComponents, limit: int) -> None:
        self._components = components
        self._limit = limit
        self._snapshots: dict[int, NodeSnapshot] = {}
        self._sizes: dict[int, int] = {}
        self.last_id = 0

    def take(self) -> int:
        """Take a snapshot of the components; its id. Raises `LimitExceeded`."""
        taken = self._components.checkpoint()
        size = self._size_of(taken)
        if sum(self._sizes.values()) + size > self._limit:
            raise LimitExceeded(
                f"at most {self._limit} snapshots can be kept ({option_names('max_snapshots')}), "
                f"and one counts again for every {ENTRIES_PER_SNAPSHOT} filters, and transactions "
                "that have changed: revert to an early one, which drops those after it"
            )
        self.last_id += 1
        self._snapshots[self.last_id], self._sizes[self.last_id] = taken, size
        return self.last_id

    def _size_of(self, taken: NodeSnapshot) -> int:
        # Snapshots share the mempool's checkpoint for as long as it has not changed.
        newest = next(reversed(self._snapshots.values()), None)
        entries = len(taken.filters)
        if newest is None or newest.mempool is not taken.mempool:
            entries += sum(map(len, taken.mempool.by_sender.values()))
        return 1 + entries // ENTRIES_PER_SNAPSHOT

    def find(self, snapshot_id: int) -> NodeSnapshot | None:
        return self._snapshots.get(snapshot_id)

    def all(self) -> Mapping[int, NodeSnapshot]:
        return self._snapshots

    def drop(self, snapshot_id: int) -> None:
        self._snapshots.pop(snapshot_id, None)
        self._sizes.pop(snapshot_id, None)

    def drop_after(self, snapshot_id: int) -> None:
        """Remove the snapshots taken after that one, which are the last: ids only grow."""
        for later in list(takewhile(lambda taken: taken > snapshot_id, reversed(self._snapshots))):
            self.drop(later)

    def clear(self) -> None:
        self._snapshots.clear()
        self._sizes.clear()

    def load(self, snapshots: Mapping[int, NodeSnapshot], last_id: int) -> None:
        self.clear()
        self.last_id = max(last_id, self.last_id)
        for snapshot_id, taken in sorted(snapshots.items()):
            self._sizes[snapshot_id] = self._size_of(taken)
            self._snapshots[snapshot_id] = taken
