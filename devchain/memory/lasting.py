"""What of a node lasts beyond its process: a folder it lives in, files it is carried away in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from devchain.chain.disk import Disk
from devchain.errors import ConfigError, InvalidInput, LimitExceeded
from devchain.memory import dump, foreign
from devchain.memory.keeper import Keeper
from devchain.memory.packing import check_place, pack, read_file, save
from devchain.memory.rooms import Rooms


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
