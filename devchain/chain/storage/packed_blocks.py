"""A growing list of blocks in memory, of which those without transactions are packed in columns.

A block without transactions takes 700 bytes as objects, most of them overhead and values that its
neighbours have too. Of 256 blocks in a row one object keeps the values of each field together, in
the shortest form that they fit in:

    number      1 2 3 …                    range(1, 257)
    gas limit   6800000 6800000 …          Repeated(6800000)
    timestamp   100 101 105 …              array("Q"), 8 bytes each
    hash        8f…, 03…, d1…              Joined: one byte string without the common prefix
    parent                                 the hash of the block before

About 120 bytes of a Rootstock block are left. A packed block is made anew when it is read, in a few
microseconds. Blocks with transactions stay objects: the receipt and log indices refer to them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

from devchain.chain.block import Block
from devchain.evm.rules import field_reader
from devchain.state.state_database import RetainedState
from devchain.state.state_runs import StateRun
from devchain.types import Hash32

CHUNK = 256
"""Blocks that are packed together; after that as many, or up to twice as many, are objects."""
BUCKETS = 1_024
TAG = 2**64 - 2**32
"""The half of a word that has the first bits of a hash; the other half has a number."""
WORD_LIMIT = 2**64
PARENT = "parent_hash"

Column = Sequence[Any]


class Repeated(Sequence[Any]):
    """The same value at every index."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __getitem__(self, index: Any) -> Any:
        return self.value

    def __len__(self) -> int:
        return CHUNK


class Joined(Sequence[Any]):
    """Byte strings of one length, stored once as far as they start alike."""

    __slots__ = ("_prefix", "_rest", "_size")

    def __init__(self, values: Sequence[bytes]) -> None:
        low, high = min(values), max(values)  # what these two share, all between them share
        differing = (i for i, (a, b) in enumerate(zip(low, high, strict=True)) if a != b)
        self._prefix = prefix = low[: next(differing, len(low))]
        self._size = len(values[0]) - len(prefix)
        self._rest = b"".join([each[len(prefix) :] for each in values])

    def __getitem__(self, index: Any) -> Any:
        start = index * self._size
        return self._prefix + self._rest[start : start + self._size]

    def __len__(self) -> int:
        return len(self._rest) // self._size


def column(values: Sequence[Any]) -> Column:
    """Those values in the shortest form of a sequence."""
    first = values[0]
    if values.count(first) == len(values):
        return Repeated(first)
    types = set(map(type, values))
    if types == {int}:
        return _numbers(values)
    if types == {bytes} and len(set(map(len, values))) == 1:
        return Joined(values)
    return tuple(values)


def _numbers(values: Sequence[int]) -> Column:
    first, step = values[0], values[1] - values[0]
    if step and all(
        map(int.__eq__, values, steps := range(first, first + step * len(values), step))
    ):
        return steps
    return array("Q", values) if min(values) >= 0 and max(values) < WORD_LIMIT else tuple(values)


class RunStates(Sequence[Any]):
    """The states of blocks in a row that are in one run, by their indices there."""

    __slots__ = ("_first", "_run")

    def __init__(self, run: StateRun, first: int) -> None:
        self._run = run
        self._first = first

    def __getitem__(self, index: Any) -> Any:
        return RetainedState(self._run.root(self._first + index), run=self._run)

    def __len__(self) -> int:
        return CHUNK


def _states(blocks: Sequence[Block]) -> Column:
    states = [each.state for each in blocks]
    first = states[0]
    if first is None or None in states:
        return tuple(states)
    if first.run is not None:
        run, start = first.run, first.run.find(first.root)
        if start is not None and all(
            each.run is run and run.root(index) == each.root
            for index, each in enumerate(states, start)
            if each is not None
        ):
            return RunStates(run, start)
    elif first.trie is not None and all(each and each.trie is first.trie for each in states):
        return Repeated(first)
    return tuple(states)


def _can_be_packed(block: Block) -> bool:
    return not (block.transactions or block.receipts) and (
        type(block) is Block and block.sealed and block.proof is None and block.answered is None
    )


class PackedBlocks:
    """Blocks in a row that never change, those without transactions in columns."""

    __slots__ = (
        "_difficulties",
        "_fields",
        "_hashes",
        "_header_class",
        "_kept",
        "_last",
        "_parents",
        "_places",
        "_shared",
        "_states",
    )

    def __init__(self, blocks: Sequence[Block]) -> None:
        """Pack those blocks."""
        packed = [each for each in blocks if _can_be_packed(each)]
        self._kept: dict[int, Block] = {}
        if len(packed) < len(blocks):
            self._kept = {i: each for i, each in enumerate(blocks) if not _can_be_packed(each)}
        self._places = list(self._kept)
        self._last: tuple[int, Block] | None = None  # the block read last
        if packed:
            self._pack(packed)

    def _pack(self, blocks: list[Block]) -> None:
        headers = [each.header for each in blocks]
        self._header_class = type(headers[0])
        names, read = field_reader(headers[0])
        values = dict(zip(names, zip(*map(read, headers), strict=True), strict=True))
        hashes = [each.hash for each in blocks]
        parents = values.pop(PARENT)
        self._parents = parents[:1] if parents[1:] == tuple(hashes[:-1]) else column(parents)
        self._hashes = column(hashes)
        self._difficulties = column([each.total_difficulty for each in blocks])
        self._states = _states(blocks)
        columns = {name: column(each) for name, each in values.items()}
        self._shared = {k: each.value for k, each in columns.items() if type(each) is Repeated}
        self._fields = {k: each for k, each in columns.items() if k not in self._shared}

    def __getitem__(self, index: int) -> Block:
        found = self._kept.get(index)
        if found is not None:
            return found
        last = self._last
        if last is None or last[0] != index:
            last = self._last = index, self._read(self._row(index))
        return last[1]

    def _row(self, index: int) -> int:
        return index - bisect_left(self._places, index) if self._places else index

    def _read(self, row: int) -> Block:
        fields = {name: each[row] for name, each in self._fields.items()}
        chained = row and len(self._parents) == 1
        fields[PARENT] = self._hashes[row - 1] if chained else self._parents[row]
        return Block(
            self._header_class(**fields, **self._shared),
            Hash32(self._hashes[row]),
            self._difficulties[row],
            state=self._states[row],
        )

    def hash(self, index: int) -> bytes:
        """The hash of a block, without making the block."""
        kept = self._kept.get(index)
        found: bytes = kept.hash if kept else self._hashes[self._row(index)]
        return found

    def kept(self) -> Iterator[tuple[int, Block]]:
        """The blocks that stayed objects, as all blocks with transactions do, by index."""
        return iter(self._kept.items())


class HashIndex:
    """The numbers of blocks by hash, in buckets of 64-bit words: 32 bits of the hash, the number.

    Numbers are added in order, and the last ones are removed first.
    """

    __slots__ = ("_buckets",)

    def __init__(self) -> None:
        """Start empty."""
        self._buckets: list[array[int] | None] = [None] * BUCKETS

    def add(self, hashes: Iterable[bytes], first: int) -> None:
        """Add the hashes of blocks in a row from that number."""
        buckets = self._buckets
        for number, block_hash in enumerate(hashes, first):
            word = int.from_bytes(block_hash[:8], "big")
            bucket = buckets[word % BUCKETS]
            if bucket is None:
                bucket = buckets[word % BUCKETS] = array("Q")
            bucket.append(word & TAG | number)

    def remove_last(self, block_hash: bytes) -> None:
        """Remove the number that was added last, given its hash."""
        bucket = self._bucket(block_hash)
        if bucket:
            bucket.pop()

    def candidates(self, block_hash: bytes) -> Iterator[int]:
        """The few numbers whose hashes may be that one."""
        tag = int.from_bytes(block_hash[:8], "big") & TAG
        return (each ^ tag for each in self._bucket(block_hash) or () if each & TAG == tag)

    def _bucket(self, block_hash: bytes) -> array[int] | None:
        return self._buckets[int.from_bytes(block_hash[:8], "big") % BUCKETS]


class BlockList(Sequence[Block]):
    """Blocks by index and by hash; old ones are packed as the list grows."""

    __slots__ = ("_by_hash", "_chunks", "_index", "recent")

    def __init__(self) -> None:
        """Start empty."""
        self.recent: list[Block] = []
        """The blocks at the end, as objects."""
        self._by_hash: dict[Hash32, Block] = {}
        self._chunks: list[PackedBlocks] = []
        self._index: HashIndex | None = None

    def __len__(self) -> int:
        return CHUNK * len(self._chunks) + len(self.recent)

    @overload
    def __getitem__(self, index: int) -> Block: ...

    @overload
    def __getitem__(self, index: slice) -> list[Block]: ...

    def __getitem__(self, index: int | slice) -> Block | list[Block]:
        packed = CHUNK * len(self._chunks)
        if isinstance(index, slice):
            first, end, step = index.indices(packed + len(self.recent))
            if packed <= first <= end:
                return self.recent[first - packed : end - packed : step]
            return [self[each] for each in range(first, end, step)]
        number = index + packed + len(self.recent) if index < 0 else index
        if number >= packed:
            return self.recent[number - packed]
        if number < 0:
            raise IndexError(index)
        return self._chunks[number // CHUNK][number % CHUNK]

    def find(self, block_hash: Hash32) -> Block | None:
        """The block of a hash."""
        found = self._by_hash.get(block_hash)
        if found is None and self._index:
            for index in self._index.candidates(block_hash):
                chunk, place = divmod(index, CHUNK)
                if self._chunks[chunk].hash(place) == block_hash:
                    return self._chunks[chunk][place]
        return found

    def append(self, block: Block) -> None:
        """Append a block."""
        self.recent.append(block)
        self._by_hash[block.hash] = block
        if len(self.recent) >= 2 * CHUNK:
            self._pack()

    def _pack(self) -> None:
        blocks, self.recent = self.recent[:CHUNK], self.recent[CHUNK:]
        if self._index is None:
            self._index = HashIndex()
        self._index.add([each.hash for each in blocks], CHUNK * len(self._chunks))
        for block in blocks:
            del self._by_hash[block.hash]
        self._chunks.append(PackedBlocks(blocks))

    def truncate(self, length: int) -> list[Block]:
        """Remove all blocks but the first ones; those removed that had transactions."""
        removed: list[Block] = []
        while CHUNK * len(self._chunks) > length:
            self._drop(self.recent, removed)
            self.recent = self._unpack(max(length - CHUNK * (len(self._chunks) - 1), 0), removed)
        keep = length - CHUNK * len(self._chunks)
        self._drop(self.recent[keep:], removed)
        del self.recent[keep:]
        return removed

    def _drop(self, blocks: list[Block], removed: list[Block]) -> None:
        for block in blocks:
            del self._by_hash[block.hash]
            if block.transactions:
                removed.append(block)

    def _unpack(self, count: int, removed: list[Block]) -> list[Block]:
        chunk = self._chunks.pop()
        if self._index:
            for place in reversed(range(CHUNK)):
                self._index.remove_last(chunk.hash(place))
        removed += [each for place, each in chunk.kept() if place >= count and each.transactions]
        blocks = [chunk[place] for place in range(count)]
        self._by_hash.update((each.hash, each) for each in blocks)
        return blocks
