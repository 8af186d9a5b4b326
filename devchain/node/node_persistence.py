"""Persistence of a node: what its data dir keeps beside the blocks, and dumps at start and exit."""

from __future__ import annotations

import json
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING

from devchain.chain.transaction import Transaction
from devchain.config import Config
from devchain.errors import ConfigError, InvalidInput, LimitExceeded, StoreFailed
from devchain.node import dump
from devchain.node.keystore import Keystore
from devchain.node.node_codec import NodeCodec, NodeSettings
from devchain.node.snapshots import NodeComponents, SnapshotStore
from devchain.types import Hash32

if TYPE_CHECKING:
    from devchain.chain.storage.data_dir import DataDir  # which imports SQLite


class NodePersistence:
    """Keeps the data dir of a node, if it has one, up to date; writes and loads dumps.

    Blocks and states are written as they are mined, by the chain's block store. `persist` writes
    the rest (settings, mempool, snapshots, keys), as far as it has changed since the last time.
    The mocks that a block was mined with are written in the same transaction as the block.
    """

    def __init__(
        self,
        config: Config,
        node: NodeComponents,
        snapshots: SnapshotStore,
        data_dir: DataDir | None = None,
    ) -> None:
        self._config = config
        self.codec = NodeCodec(config, node, snapshots)
        self._data_dir = data_dir
        self._dump_path: Path | None = None
        # What the data dir holds at present.
        self._arrivals = 0
        self._settings: NodeSettings | None = None
        self._mempool: dict[Hash32, Transaction] = {}
        self._mempool_version = -1
        self._snapshot_ids: set[int] = set()
        self._bitcoin_blocks: set[bytes] = set()
        self._keystore: Keystore | None = None
        if data_dir:
            if not config.hosted:  # a hosted node holds no keys
                self._keystore = Keystore(data_dir.folder / "keystore")
            node.clock.restore(self.codec.clock_from_head(node.clock.checkpoint()))
            self._restore(data_dir)
            self.persist()
            data_dir.file.on_rollback.append(self._roll_back)
            node.chain.mock_listeners.append(self._write_mocks)

    def _restore(self, data_dir: DataDir) -> None:
        codec, file = self.codec, data_dir.file
        if self._keystore:
            codec.node.accounts.load_keystores(self._keystore.keystores)
        row = file.row("SELECT value FROM settings WHERE name = 'memory'")
        if row is not None:
            settings = json.loads(row[0])
            self._read_bitcoin(data_dir)
            codec.restore_settings(settings)
            rows = file.rows("SELECT id, memory FROM snapshots ORDER BY id")
            snapshots = {number: codec.read_snapshot(json.loads(text)) for number, text in rows}
            codec.snapshots.load(snapshots, settings["last_snapshot"])
            self._snapshot_ids = set(snapshots)
        rows = file.rows("SELECT raw, sender FROM pool ORDER BY rowid")
        waiting = [codec.read_transaction([raw.hex(), sender.hex()]) for raw, sender in rows]
        self._mempool = {tx.hash: tx for tx in waiting}
        codec.restore_mempool(waiting, self._arrivals)
        self._mempool_version = codec.node.mempool.version

    def _read_bitcoin(self, data_dir: DataDir) -> None:
        file, self._bitcoin_blocks = data_dir.file, set()
        if file.row("SELECT 1 FROM sqlite_master WHERE name = 'bitcoin'") is None:
            return
        rows = file.rows("SELECT hash, raw FROM bitcoin ORDER BY rowid")
        try:
            self.codec.load_bitcoin_blocks(raw for _, raw in rows)
        except Exception as error:
            raise StoreFailed(f"{file.path} is damaged: its blocks of Bitcoin, {error}") from error
        self._bitcoin_blocks = {block_hash for block_hash, _ in rows}

    def _roll_back(self) -> None:
        # What was answered with an error has not happened: the node goes on from its file, as one
        # that is started again, but for its filters.
        if self._data_dir and self._settings:
            node = self.codec.node
            node.chain.reload()
            node.accounts.reset()
            node.work.discard_work()
            self.codec.snapshots.last_id = 0
            self._restore(self._data_dir)
            self._settings = self.codec.settings()

    def persist(self) -> None:
        """Write what has changed since the last time, atomically; raises `StoreFailed`."""
        if self._data_dir is None:
            return
        settings, mempool = self.codec.settings(), self.codec.node.mempool
        mempool_changed = self._mempool_version != mempool.version
        snapshots_changed = self.codec.snapshots.all().keys() != self._snapshot_ids
        if settings != self._settings or mempool_changed or snapshots_changed:
            with self._data_dir.file.atomic():
                if settings != self._settings:
                    self._write_settings(self._data_dir, settings)
                if mempool_changed:
                    self._write_mempool(self._data_dir)
                if snapshots_changed:
                    self._write_snapshots(self._data_dir)
        if not self._data_dir.file.is_writing:  # it cannot be rolled back any more
            self._arrivals = len(mempool.arrivals)

    def _write_settings(self, data_dir: DataDir, settings: NodeSettings) -> None:
        written = self._settings.accounts.stored if self._settings else None
        if self._keystore and settings.accounts.stored != written:
            self._keystore.sync(self.codec.node.accounts.added_keys())
        before = self._settings.bitcoin if self._settings else None
        if settings.bitcoin and settings.bitcoin is not before:
            self._write_bitcoin(data_dir)
        text = json.dumps(self.codec.write_settings(settings))
        data_dir.file.write("REPLACE INTO settings VALUES ('memory', ?)", (text,))
        self._settings = settings

    def _write_bitcoin(self, data_dir: DataDir) -> None:
        blocks = dict(self.codec.bitcoin_blocks())
        new = [(each, raw) for each, raw in blocks.items() if each not in self._bitcoin_blocks]
        # A table that files of earlier versions lack.
        table = "bitcoin (hash BLOB NOT NULL UNIQUE, raw BLOB NOT NULL)"
        data_dir.file.write(f"CREATE TABLE IF NOT EXISTS {table}", ())
        data_dir.file.write_many("INSERT INTO bitcoin VALUES (?, ?)", new)
        self._bitcoin_blocks = self._bitcoin_blocks | blocks.keys()

    def _write_mocks(self) -> None:
        if self._data_dir:
            self._write_settings(self._data_dir, self.codec.settings())

    def _write_mempool(self, data_dir: DataDir) -> None:
        # Rows are read back in the order of their insertion, so when the order of those that stay
        # has changed all are written anew.
        mempool = self.codec.node.mempool
        waiting = {tx.hash: tx for tx in mempool.transactions()}
        gone: AbstractSet[Hash32] = self._mempool.keys() - waiting.keys()
        kept = [tx_hash for tx_hash in self._mempool if tx_hash in waiting]
        if kept != list(waiting)[: len(kept)]:
            gone, kept = self._mempool.keys(), []
        data_dir.file.write_many(
            "DELETE FROM pool WHERE hash = ?", [(tx_hash,) for tx_hash in gone]
        )
        new = list(waiting.values())[len(kept) :]
        rows = [(tx.hash, tx.sender, tx.raw) for tx in new]
        data_dir.file.write_many("INSERT INTO pool VALUES (?, ?, ?)", rows)
        self._mempool, self._mempool_version = waiting, mempool.version

    def _write_snapshots(self, data_dir: DataDir) -> None:
        snapshots = self.codec.snapshots.all()
        for snapshot in self._snapshot_ids - snapshots.keys():
            data_dir.file.write("DELETE FROM snapshots WHERE id = ?", (snapshot,))
        for snapshot_id in snapshots.keys() - self._snapshot_ids:
            text = json.dumps(self.codec.write_snapshot(snapshots[snapshot_id]))
            data_dir.file.write("INSERT INTO snapshots VALUES (?, ?)", (snapshot_id, text))
        self._snapshot_ids = set(snapshots)

    def start(self, load: Callable[[bytes], None]) -> None:
        """Load `--load-state`, check that `--dump-state` can be written; raises `ConfigError`."""
        config = self._config
        if config.dump_state:
            dump.check_path(Path(config.dump_state))
            self._dump_path = Path(config.dump_state)
        if not config.load_state:
            return
        chain = self.codec.node.chain
        if chain.height != chain.first or len(self.codec.node.mempool):
            raise ConfigError(
                f"the chain in {config.data_dir} is not empty: leave --load-state out"
            )
        try:
            load(dump.read_file(Path(config.load_state)))
        except (InvalidInput, LimitExceeded) as error:
            raise ConfigError(f"load-state {config.load_state}: {error}") from error

    def take_over(self, other: NodePersistence) -> None:
        """Write the dump of `--dump-state` in place of the persistence of another chain."""
        self._dump_path, other._dump_path = other._dump_path, None

    def close(self) -> None:
        """Write what has changed and the dump of `--dump-state`, and release the data dir."""
        data_dir, dump_path = self._data_dir, self._dump_path
        try:
            self.persist()
            if dump_path:
                dump.write_file(dump_path, dump.write_dump(self.codec))
        finally:
            self._data_dir = self._dump_path = None
            if data_dir:
                data_dir.close()
