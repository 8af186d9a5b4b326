"""Snapshots of a node: what `evm_snapshot` saves and `evm_revert` restores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from devchain.chain.chain import Chain, ChainCheckpoint
from devchain.clock import Clock, ClockCheckpoint
from devchain.errors import DevchainError
from devchain.node.accounts import Accounts, AccountsCheckpoint
from devchain.node.external_mining import MiningWork, WorkCheckpoint
from devchain.node.filters import FilterRegistry, FiltersCheckpoint
from devchain.node.mempool import Mempool, MempoolCheckpoint
from devchain.node.miner import Miner, MinerCheckpoint


@dataclass(frozen=True, slots=True)
class NodeSnapshot:
    """The checkpoints of a node's components, taken at one moment."""

    chain: ChainCheckpoint
    mempool: MempoolCheckpoint
    clock: ClockCheckpoint
    miner: MinerCheckpoint
    accounts: AccountsCheckpoint
    filters: FiltersCheckpoint
    work: WorkCheckpoint


@dataclass(frozen=True, slots=True)
class NodeComponents:
    """The components of a node that a snapshot covers.

    Checkpoints hold references to immutable values (blocks, states) and copies of small tables, so
    taking one costs the same for any length of chain.
    """

    chain: Chain
    mempool: Mempool
    clock: Clock
    miner: Miner
    accounts: Accounts
    filters: FilterRegistry
    work: MiningWork

    def checkpoint(self) -> NodeSnapshot:
        """The checkpoint of every component."""
        return NodeSnapshot(
            chain=self.chain.checkpoint(),
            mempool=self.mempool.checkpoint(),
            clock=self.clock.checkpoint(),
            miner=self.miner.checkpoint(),
            accounts=self.accounts.checkpoint(),
            filters=self.filters.checkpoint(),
            work=self.work.checkpoint(),
        )

    def restore(self, snapshot: NodeSnapshot) -> None:
        """Restore every component: the chain first, since the others read it."""
        self.chain.restore(snapshot.chain)
        self.mempool.restore(snapshot.mempool)
        self.clock.restore(snapshot.clock)
        self.miner.restore(snapshot.miner)
        self.accounts.restore(snapshot.accounts)
        self.filters.restore(snapshot.filters)  # bounds its cursors by the mempool's arrivals
        self.work.restore(snapshot.work)

    @contextmanager
    def restored_on_error(self) -> Iterator[None]:
        """Restore every component if the block of code raises a `DevchainError`."""
        before = self.checkpoint()
        try:
            yield
        except DevchainError:
            self.restore(before)
            raise


class SnapshotStore:
    """The snapshots of a node by id; ids count from 1 and are never used twice."""

    def __init__(self, components: NodeComponents) -> None:
        """Start without snapshots."""
        self._components = components
        self._snapshots: dict[int, NodeSnapshot] = {}
        self.last_id = 0

    def take(self) -> int:
        """Take a snapshot of the components; its id."""
        self.last_id += 1
        self._snapshots[self.last_id] = self._components.checkpoint()
        return self.last_id

    def find(self, snapshot_id: int) -> NodeSnapshot | None:
        """The snapshot of that id, or None."""
        return self._snapshots.get(snapshot_id)

    def all(self) -> Mapping[int, NodeSnapshot]:
        """Every snapshot by id, oldest first."""
        return self._snapshots

    def drop(self, snapshot_id: int) -> None:
        """Remove a snapshot, if there is one of that id."""
        self._snapshots.pop(snapshot_id, None)

    def drop_after(self, snapshot_id: int) -> None:
        """Remove the snapshots taken after that one."""
        for later in [each for each in self._snapshots if each > snapshot_id]:
            del self._snapshots[later]

    def clear(self) -> None:
        """Remove every snapshot."""
        self._snapshots.clear()

    def load(self, snapshots: Mapping[int, NodeSnapshot], last_id: int) -> None:
        """Replace every snapshot with those of a data dir or a dump."""
        self._snapshots, self.last_id = dict(snapshots), max(last_id, self.last_id)
