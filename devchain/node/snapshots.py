"""Snapshots: numbered bundles of what every room remembers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from devchain.errors import DevchainError, SnapshotNotFound


class Room(Protocol):
    """A room with a memory."""

    def checkpoint(self) -> Any:
        """A token for `restore`."""

    def restore(self, state: Any) -> None:
        """Come back to a token."""


class Snapshots:
    """Bundles by id; ids count from 1 and are never used twice."""

    def __init__(self, rooms: Mapping[str, Room]) -> None:
        """Bundle those rooms, restored in the order given."""
        self._rooms = rooms
        self._taken: dict[int, dict[str, Any]] = {}
        self._last_id = 0

    def take(self) -> int:
        """Remember everything as it is now; the snapshot's id."""
        self._last_id += 1
        self._taken[self._last_id] = self.tokens()
        return self._last_id

    @property
    def last_id(self) -> int:
        """The id given out last, 0 before the first."""
        return self._last_id

    def put_back(self, taken: Mapping[int, dict[str, Any]], last_id: int) -> None:
        """Take the place of what there is with snapshots of an earlier process."""
        self._taken, self._last_id = dict(taken), max(last_id, self._last_id)

    def taken(self) -> Mapping[int, Mapping[str, Any]]:
        """The tokens of every snapshot by id."""
        return self._taken

    def tokens(self) -> dict[str, Any]:
        """What to give to `restore` to come back to everything as it is now."""
        return {name: room.checkpoint() for name, room in self._rooms.items()}

    def restore(self, tokens: Mapping[str, Any]) -> None:
        """Bring every room back to where those tokens come from."""
        for name, room in self._rooms.items():
            room.restore(tokens[name])

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Bring every room back when what is done inside is refused halfway."""
        tokens = self.tokens()
        try:
            yield
        except DevchainError:
            self.restore(tokens)
            raise

    def find(self, snapshot_id: int) -> Mapping[str, Any]:
        """The tokens of a snapshot by room; raises `SnapshotNotFound`."""
        try:
            return self._taken[snapshot_id]
        except KeyError:
            msg = f"no snapshot has the id {snapshot_id}"
            raise SnapshotNotFound(msg) from None

    def revert(self, snapshot_id: int) -> None:
        """Bring every room back; later snapshots are gone, this one stays."""
        self.restore(self.find(snapshot_id))
        while next(reversed(self._taken)) > snapshot_id:
            self._taken.popitem()

    def drop(self, snapshot_id: int) -> None:
        """Forget a snapshot, if it is still there."""
        self._taken.pop(snapshot_id, None)

    def clear(self) -> None:
        """Drop every snapshot."""
        self._taken.clear()
