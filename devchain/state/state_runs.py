"""States of blocks in a row that only write to known contracts, kept as these writes.

Since Cancun a block without transactions writes its timestamp and its beacon root, since Prague its
parent's hash too, to slots that are used in turn. As tries each such state has twenty nodes of its
own, about 6 KB. A run keeps the state before the first block and the last state as tries, and what
each block wrote in columns, 84 bytes beside the roots. With empty blocks 8, 9 and 10 after block 7:

    base      the trie of block 7
    roots     of the states after 8, 9, 10
    columns   slot 15 = time of 8, slot 16 = time of 9, slot 17 = time of 10; ...

The state after block 9 is the base with the first two rows. It is opened without writing them: its
accounts are those of the base but for the contracts'. Slots of these are looked up in the columns;
their storage as a trie (`LateStorage`) is made when it is needed, for a proof or a change, from the
one that was made last if that is of an earlier block.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ReferenceType, ref

from devchain.state.account import Account
from devchain.state.account_database import account_key, encode_value, new_slot_key
from devchain.state.trie import HASH_BYTES, Trie, new_nibbles
from devchain.types import WORD_SIZE, Address, Hash32

if TYPE_CHECKING:
    from devchain.state.trie_database import TrieDatabase

MAX_BLOCKS = 2**15
"""The length of a run: to open any of its states takes no longer than writing so many blocks."""
SLOT_LIMIT = 2**32
NUMBER_LIMIT = 2**64


class SlotWrites(NamedTuple):
    """The slots of a contract that a block writes, with their values, if it has that code."""

    address: Address
    code: bytes
    slots: tuple[tuple[int, int], ...]


class _Column:
    """What the blocks of a run wrote in one place: a slot and a value each."""

    __slots__ = ("_slots", "_values")

    def __init__(self) -> None:
        self._slots = array("I")
        self._values: array[int] | bytearray = array("Q")

    def append(self, slot: int, value: int) -> None:
        values = self._values
        if isinstance(values, array):
            if value < NUMBER_LIMIT:
                values.append(value)
            else:
                words = b"".join([each.to_bytes(WORD_SIZE) for each in values])
                self._values = bytearray(words + value.to_bytes(WORD_SIZE))
        else:
            values += value.to_bytes(WORD_SIZE)
        self._slots.append(slot)

    def row(self, index: int) -> tuple[int, int]:
        return self._slots[index], self._value(index)

    def _value(self, index: int) -> int:
        values = self._values
        if isinstance(values, array):
            return values[index]
        start = index * WORD_SIZE
        return int.from_bytes(values[start : start + WORD_SIZE])

    def last(self, slot: int, index: int) -> tuple[int, int]:
        if slot >= SLOT_LIMIT:
            return -1, 0
        slots = memoryview(self._slots).cast("B")
        size = self._slots.itemsize
        found = bytes(slots[: (index + 1) * size])
        wanted = array("I", [slot]).tobytes()
        place = found.rfind(wanted)
        while place >= 0 and place % size:  # the end of one slot and the start of the next
            place = found.rfind(wanted, 0, place + size - 1)
        return (-1, 0) if place < 0 else (place // size, self._value(place // size))


class StateRun:
    """The states after blocks in a row, each with a root; only the store of the blocks appends."""

    __slots__ = (
        "__weakref__",
        "_base",
        "_columns",
        "_database",
        "_made",
        "_newest",
        "_places",
        "_roots",
        "_storage_roots",
    )

    def __init__(self, database: TrieDatabase, base: Trie) -> None:
        """Start after a state, without blocks."""
        self._database = database
        self._base = base
        self._newest: Trie | None = None
        self._roots = bytearray()
        self._places: list[tuple[Address, int]] = []
        self._storage_roots = bytearray()
        self._columns: dict[Address, list[_Column]] = {}
        self._made: dict[bytes, ReferenceType[LateStorage]] = {}

    def __len__(self) -> int:
        return len(self._roots) // HASH_BYTES

    def can_append(self, root: Hash32, writes: Iterable[SlotWrites]) -> bool:
        """Whether writes follow on the state of that root, the last one, in the same places."""
        if not self._roots.endswith(root) or len(self) >= MAX_BLOCKS:
            return False
        return self._places == [(address, len(slots)) for address, _, slots in writes]

    def append(
        self, trie: Trie, writes: Iterable[SlotWrites], storage_roots: Iterable[Hash32]
    ) -> None:
        """Append the state that those writes led to, and keep its trie instead of the last one.

        `storage_roots` are those of the contracts that were written to.
        """
        if not self._roots:
            self._places = [(address, len(slots)) for address, _, slots in writes]
            self._columns = {each.address: [_Column() for _ in each.slots] for each in writes}
        for address, _, slots in writes:
            for column, (slot, value) in zip(self._columns[address], slots, strict=True):
                column.append(slot, value)
        for root in storage_roots:
            self._storage_roots += root
        self._roots += trie.root_hash
        self._newest = trie

    def release(self) -> None:
        """Do not keep the trie of the last state any more: another run goes on before it."""
        self._newest = None

    def root(self, index: int) -> Hash32:
        """The root of a state."""
        start = index * HASH_BYTES
        return Hash32(bytes(self._roots[start : start + HASH_BYTES]))

    def find(self, root: Hash32) -> int | None:
        """The index of the state of a root, None if it has none."""
        start = self._roots.find(root)
        while start % HASH_BYTES and start > 0:  # the end of one root and the start of the next
            start = self._roots.find(root, start + 1)
        return start // HASH_BYTES if start >= 0 else None

    def trie(self, index: int) -> Trie:
        """The trie of a state."""
        changes = []
        start = index * len(self._places) * HASH_BYTES
        for address, _ in self._places:
            root = Hash32(bytes(self._storage_roots[start : start + HASH_BYTES]))
            storage = LateStorage(self, address, index, root)
            changes.append((account_key(address), self._account(address).with_storage(storage)))
            start += HASH_BYTES
        return Trie(self._base.update(changes).node, self.root(index))

    def _account(self, address: Address) -> Account:
        return self._database.account(self._base.get(account_key(address)))

    def slot(self, wanted: LateStorage, slot: int, key: bytes) -> Any:
        """The value of a contract's slot in a state, encoded, without making its storage."""
        rows = [each.last(slot, wanted.index) for each in self._columns[wanted.address]]
        newest = max(rows, key=itemgetter(0))
        if newest[0] < 0:
            return self._account(wanted.address).storage.get_slot(slot, key)
        return encode_value(newest[1]) or None

    def storage(self, wanted: LateStorage) -> Any:
        """The root node of a contract's storage in a state."""
        address, index = wanted.address, wanted.index
        found = self._made.get(address)
        made = found() if found else None
        if made is None or made.index > index:
            start, storage = 0, self._account(address).storage
        else:
            start, storage = made.index + 1, made
        node = storage.update(self._writes(address, range(start, index + 1)), new_nibbles).node
        self._made[address] = ref(wanted)
        return node

    def _writes(self, address: Address, rows: range) -> Iterator[tuple[bytes, bytes]]:
        values: dict[int, int] = {}
        for index in rows:
            values.update(column.row(index) for column in self._columns[address])
        return ((new_slot_key(slot), encode_value(value)) for slot, value in values.items())


class LateStorage(Trie):
    """The storage of a contract in a state of a run, made when it is first read as a trie."""

    __slots__ = ("_run", "address", "index")

    def __init__(self, run: StateRun, address: Address, index: int, root_hash: Hash32) -> None:
        """The storage of that root after the block of that index in a run."""
        self._root_hash = root_hash
        self._run = run
        self.address = address
        self.index = index

    def __getattr__(self, name: str) -> Any:
        """The root node, which is not set before it is needed."""
        if name != "node":
            raise AttributeError(name)
        self.node = self._run.storage(self)
        return self.node

    def get_slot(self, slot: int, key: bytes) -> Any:
        return self._run.slot(self, slot, key)
