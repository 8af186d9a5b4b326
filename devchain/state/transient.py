"""Transient storage (EIP-1153): slots that last as long as a transaction."""

from __future__ import annotations

from typing import Any

from eth.abc import TransientStorageAPI

from devchain.types import Address

NOTHING = b""


class TransientSlots(TransientStorageAPI):
    """The transient slots of every account, with a journal of what was there before."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._values: dict[tuple[Address, int], bytes] = {}
        self._journal: list[Any] = []

    def get_transient_storage(self, address: Address, slot: int) -> bytes:
        """A slot, empty if nothing was written to it."""
        return self._values.get((address, slot), NOTHING)

    def set_transient_storage(self, address: Address, slot: int, value: bytes) -> None:
        """Change a slot."""
        key = (address, slot)
        self._journal.append((key, self._values.get(key, NOTHING)))
        self._values[key] = value

    def record(self, checkpoint: Any) -> None:
        """Remember a checkpoint."""
        self._journal.append(checkpoint)

    def commit(self, checkpoint: Any) -> None:
        """Keep what has changed since a checkpoint: there is nothing to do."""

    def discard(self, checkpoint: Any) -> None:
        """Come back to a checkpoint."""
        journal = self._journal
        while journal:
            entry = journal.pop()
            if entry.__class__ is not int:
                key, old = entry
                self._values[key] = old
            elif entry == checkpoint:
                return

    def clear(self) -> None:
        """End a transaction: all is forgotten, and nothing of it can be undone."""
        self._values.clear()
        self._journal.clear()
