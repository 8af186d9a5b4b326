"""Writes what the rooms remember beside the chain's blocks, as far as it has changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from devchain.chain.storage.data_dir import Disk
from devchain.chain.transaction import Transaction
from devchain.errors import ConfigError, InvalidInput, LimitExceeded
from devchain.node.keystore import Keystore
from devchain.node.persistence import dump
from devchain.node.persistence import dump as foreign
from devchain.node.persistence.components import Present, Rooms
from devchain.node.persistence.dump_file import check_place, pack, read_file, save
from devchain.types import Hash32

Pool = dict[Hash32, Transaction]


class Keeper:
    """The memory of a node on disk."""

    def __init__(self, disk: Disk, rooms: Rooms) -> None:
        """Have the rooms remember what is on the disk; keep that up to date from then on."""
        self._disk = disk
        self._file = disk.file
        self._rooms = rooms
        self._present: Present | None = None
        self._pool_version = -1
        self._pool: Pool = {}
        self._snapshots: set[int] = set()
        # A hosted node holds no keys.
        self._keys = None if rooms.config.hosted else Keystore(disk.folder / "keystore")
        self._remember()

    def keep(self) -> None:
        """Write what has changed since the last time, as a whole; raises `StoreFailed`."""
        rooms = self._rooms
        present = rooms.present()
        has_moved = self._pool_version != rooms.mempool.version
        taken = rooms.snapshots.taken().keys()
        if present == self._present and not has_moved and taken == self._snapshots:
            return
        with self._file.atomic():
            if present != self._present:
                self._write_present(present)
            if has_moved:
                self._write_pool()
            if taken != self._snapshots:
                self._write_snapshots()

    def _write_present(self, present: Present) -> None:
        before = self._present.accounts.stored if self._present else None
        if self._keys and present.accounts.stored != before:
            self._keys.sync(self._rooms.accounts.made_here())
        text = json.dumps(self._rooms.write(present))
        self._file.write("REPLACE INTO facts VALUES ('memory', ?)", (text,))
        self._present = present

    def _write_pool(self) -> None:
        waiting: Pool = {tx.hash: tx for tx in self._rooms.mempool.waiting()}
        gone: AbstractSet[Hash32] = self._pool.keys() - waiting.keys()
        kept = [each for each in self._pool if each in waiting]
        if kept != list(waiting)[: len(kept)]:
            gone, kept = self._pool.keys(), []
        self._file.write_many("DELETE FROM pool WHERE hash = ?", [(each,) for each in gone])
        new = list(waiting.values())[len(kept) :]
        rows = [(tx.hash, tx.sender, tx.raw) for tx in new]
        self._file.write_many("INSERT INTO pool VALUES (?, ?, ?)", rows)
        self._pool = waiting
        self._pool_version = self._rooms.mempool.version

    def _write_snapshots(self) -> None:
        taken = self._rooms.snapshots.taken()
        for each in self._snapshots - taken.keys():
            self._file.write("DELETE FROM snapshots WHERE id = ?", (each,))
        for each in taken.keys() - self._snapshots:
            text = json.dumps(self._rooms.tokens.write(taken[each]))
            self._file.write("INSERT INTO snapshots VALUES (?, ?)", (each, text))
        self._snapshots = set(taken)

    # Remembering

    def _remember(self) -> None:
        rooms = self._rooms
        if self._keys:
            rooms.accounts.put_back(self._keys.found)
        rooms.set_clock(rooms.clock.checkpoint())
        memory = self._file.row("SELECT value FROM facts WHERE name = 'memory'")
        if memory is not None:
            value = json.loads(memory[0])
            rooms.read(value)
            self._remember_snapshots(value["last_snapshot"])
        rows = self._file.rows("SELECT raw, sender FROM pool ORDER BY rowid")
        waiting = [rooms.tokens.transaction([raw.hex(), sender.hex()]) for raw, sender in rows]
        self._pool = {tx.hash: tx for tx in waiting}
        rooms.fill_pool(waiting)
        self.keep()

    def _remember_snapshots(self, last_id: int) -> None:
        rows = self._file.rows("SELECT id, memory FROM snapshots ORDER BY id")
        taken = {each: self._rooms.tokens.read(json.loads(text)) for each, text in rows}
        self._rooms.snapshots.put_back(taken, last_id)
        self._snapshots = set(taken)


class Lasting:
    """A node's rooms, kept on a disk if there is one; dumps of them."""

    def __init__(self, rooms: Rooms, disk: Disk | None) -> None:
        """Have the rooms remember what is on the disk."""
        self._rooms = rooms
        self._disk = disk
        self._keeper = Keeper(disk, rooms) if disk else None
        self._dump_to: Path | None = None

    def begin(self, load: Callable[[bytes], None]) -> None:
        """Load the dump that the node is to begin with, if any, and see to the one for the end.

        Raises `ConfigError`.
        """
        given, wanted = self._rooms.config.load_state, self._rooms.config.dump_state
        if wanted:
            check_place(Path(wanted))
            self._dump_to = Path(wanted)
        if not given:
            return
        if self._rooms.chain.height or len(self._rooms.mempool):
            msg = f"the chain in {self._rooms.config.data_dir} has begun: leave --load-state out"
            raise ConfigError(msg)
        try:
            load(read_file(Path(given)))
        except (InvalidInput, LimitExceeded) as error:
            msg = f"load-state {given}: {error}"
            raise ConfigError(msg) from error

    def keep(self) -> None:
        """Write down what has changed, if there is a disk."""
        if self._keeper:
            self._keeper.keep()

    def dump(self) -> bytes:
        """All the rooms remember."""
        return pack(dump.write(self._rooms))

    def check_kind(self, value: dict[str, Any]) -> None:
        """Raise `InvalidInput` for one of our dumps that is of another kind of chain."""
        dump.check_kind(self._rooms, value)

    def take_over(self, value: dict[str, Any], *, thoroughly: bool = False) -> None:
        """Have the rooms remember what a dump says; raises what a broken one makes them raise."""
        if dump.MARK not in value:
            foreign.load(self._rooms, value)
            return
        dump.read(self._rooms, value)
        if thoroughly:
            dump.check_states(self._rooms)

    def close(self) -> None:
        """Write down what is left and the dump for the end, and let go of the disk."""
        keeper, disk, dump_to = self._keeper, self._disk, self._dump_to
        self._keeper = self._disk = self._dump_to = None
        try:
            if keeper:
                keeper.keep()
            if dump_to:
                save(dump_to, self.dump())
        finally:
            if disk:
                disk.close()
