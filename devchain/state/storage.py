"""The storage of one account while a block is open."""

from __future__ import annotations

from functools import lru_cache

from eth_utils.exceptions import ValidationError
from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.encoding import encode_int
from devchain.state.nodes import EMPTY_STRING
from devchain.state.trie import EMPTY_TRIE, Trie

WORD, WORD_BITS = 32, 256
KEYS_KEPT = 8_192


@lru_cache(KEYS_KEPT)
def slot_key(slot: int) -> bytes:
    """Where a slot is in its trie."""
    key: bytes = keccak_256(slot.to_bytes(WORD, "big")).digest()
    return key


class Storage:
    """Slots read and written since the trie they come from.

    `values` are the slots as they are now, `original` those that the open transaction has
    written, as they were before it. `_settled` are those that earlier transactions have written.
    """

    __slots__ = ("_changed", "_settled", "_trie", "original", "values")

    def __init__(self, trie: Trie = EMPTY_TRIE) -> None:
        """Read from that trie."""
        self._trie = trie
        self._changed: set[int] = set()
        self._settled: set[int] = set()
        self.values: dict[int, int] = {}
        self.original: dict[int, int] = {}

    def load(self, slot: int) -> int:
        """Read a slot that is not among `values` yet."""
        if slot >> WORD_BITS:
            msg = f"a storage slot is a number of 256 bits, got {slot}"
            raise ValidationError(msg)
        value = decode_value(self._trie.get(slot_key(slot))) if self._trie is not EMPTY_TRIE else 0
        self.values[slot] = value
        return value

    def write(self, slot: int, value: int, old: int) -> None:
        """Change a slot from its old value."""
        self.original.setdefault(slot, old)
        self._changed.add(slot)
        self.values[slot] = value

    def settle(self) -> None:
        """Begin a transaction: what the one before has written stays."""
        self._settled.update(self.original)
        self.original.clear()

    def cleared(self) -> Storage:
        """Empty storage in place of this.

        As in py-evm the open transaction has found there what earlier ones of its block wrote,
        but nothing of what is in the trie.
        """
        empty = Storage()
        for slot in self._settled:
            empty.original[slot] = self.original.get(slot, self.values.get(slot, 0))
        return empty

    def trie(self) -> Trie:
        """The trie with everything written so far, which has to be settled."""
        self._settled.clear()
        if self._changed:
            values = self.values
            self._trie = self._trie.update(
                (slot_key(slot), encode_value(values[slot])) for slot in self._changed
            )
            self._changed.clear()
        return self._trie


def encode_value(value: int) -> bytes:
    """A slot's value as its leaf holds it; zero is no value."""
    return encode_int(value) if value else b""


def decode_value(encoded: bytes | None) -> int:
    """What a leaf's value says; a slot without a leaf is zero."""
    if not encoded:
        return 0
    return int.from_bytes(encoded if encoded < EMPTY_STRING else encoded[1:], "big")
