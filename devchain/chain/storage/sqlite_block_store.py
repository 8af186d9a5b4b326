"""The blocks of a chain in an SQLite file: read on demand, written before they become visible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, cast

from devchain.chain.block import Block, MinedLog, Receipt
from devchain.chain.receipts import has_own_roots
from devchain.chain.storage.block_encoding import BlockDecoder, encode_block
from devchain.chain.storage.block_store import BaseBlocks, is_indexed, matching
from devchain.chain.storage.sqlite_file import SqliteFile
from devchain.errors import InvalidInput, StoreFailed
from devchain.evm import deadline
from devchain.state.state_database import FastDatabase, RetainedState
from devchain.state.trie_database import StoredPart
from devchain.types import Hash32, LogQuery

CACHED_BLOCKS = 1_024
INDEXED_BLOCKS = 4_096  # how many blocks are looked up in the index of logs at a time
ANY_LOG = b""


class SqliteBlocks(Sequence[Block]):
    """The blocks of a file by number, after those of a base; the ones read last are cached."""

    def __init__(
        self, file: SqliteFile, states: FastDatabase, decoder: BlockDecoder, base: BaseBlocks
    ) -> None:
        self._file = file
        self._states = states
        self._decoder = decoder
        self._base = base
        self.first = len(base)
        self._cache: dict[int, Block] = {}
        self._head: Block | None = None
        self._count = 0
        self.reload()

    def reload(self) -> None:
        newest = self._file.row("SELECT number FROM blocks ORDER BY number DESC LIMIT 1")
        self._count = newest[0] + 1 if newest else self.first
        self._cache.clear()
        self._head = None

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            numbers = range(*index.indices(self._count))
            if numbers and min(numbers) < self.first:
                self._base.load(numbers)
            return [self._block(number) for number in numbers]
        number = index + self._count if index < 0 else index
        if not 0 <= number < self._count:
            raise IndexError(f"there is no block {index}")
        return self._block(number)

    def _block(self, number: int) -> Block:
        if number == self._count - 1 and self._head is not None:
            return self._head
        block = self._cache.get(number)
        if block is None:
            if number < self.first:
                before: Block = self._base[number]
                return before
            row = self._file.row("SELECT hash, body FROM blocks WHERE number = ?", (number,))
            try:
                block = self._decoder.decode_block(row[1]) if row else None
            except InvalidInput:
                block = None
            wanted = (row[0], number) if row else None
            if block is None or (block.hash, block.number) != wanted or not has_own_roots(block):
                raise StoreFailed(f"{self._file.path} is damaged: block {number} cannot be read")
            block = replace(block, state=self._states.retain_state(block.state_root))
            self._add_to_cache(block)
            if number == self._count - 1:
                self._head = block
        return block

    def _add_to_cache(self, block: Block) -> None:
        self._cache[block.number] = block
        if len(self._cache) > CACHED_BLOCKS:
            del self._cache[next(iter(self._cache))]

    def append(self, block: Block) -> None:
        self._count += 1
        self._head = block
        self._add_to_cache(block)

    def truncate(self, height: int) -> None:
        if self._count - height - 1 > len(self._cache):
            self._cache.clear()
        for number in range(height + 1, self._count):
            self._cache.pop(number, None)
        self._count = min(self._count, height + 1)
        self._head = None


class SqliteBlockStore:
    """A `MemoryBlockStore`'s methods on an SQLite file, after the blocks of a fork's base."""

    def __init__(
        self,
        file: SqliteFile,
        states: FastDatabase,
        decoder: BlockDecoder,
        base: BaseBlocks | None = None,
    ) -> None:
        self._file = file
        self._states = states
        self._base = base or BaseBlocks()
        self._transaction = 0
        self._marked: list[StoredPart] = []  # as stored, in that transaction
        self.blocks = SqliteBlocks(file, states, decoder, self._base)
        self.edited: dict[Hash32, RetainedState] = {}
        self._read_edits()

    def _read_edits(self) -> None:
        self.edited.clear()
        self.edited.update({key: RetainedState(root) for key, root in self._stored_edits()})

    def _stored_edits(self) -> Iterator[tuple[Hash32, Hash32]]:
        query = "SELECT block, hash, root FROM edits LEFT JOIN blocks ON block = number"
        for number, block_hash, root in self._file.rows(query):
            if number < self.blocks.first:
                yield self._base[number].hash, Hash32(root)
            elif block_hash is not None:
                yield Hash32(block_hash), Hash32(root)

    def reload(self) -> None:
        for part in self._marked:
            part.is_stored = False
        self._marked = []
        self.blocks.reload()
        self._read_edits()

    def find(self, block_hash: Hash32) -> Block | None:
        row = self._file.row("SELECT number FROM blocks WHERE hash = ?", (block_hash,))
        return self._base.find(block_hash) if row is None else self.blocks[row[0]]

    def receipt(
        self, transaction_hash: Hash32, *, own: bool = False
    ) -> tuple[Block, Receipt] | None:
        query = "SELECT block FROM transactions WHERE hash = ? AND block < ? ORDER BY block DESC"
        for (number,) in self._file.rows(query, (transaction_hash, len(self.blocks))):
            block = self.blocks[number]
            for receipt in block.receipts:
                if receipt.transaction.hash == transaction_hash:
                    return block, receipt
        return None if own else self._base.receipt(transaction_hash)

    def search(self, query: LogQuery) -> Iterator[MinedLog | None]:
        """As `MemoryBlockStore`; only blocks that contain the rarest of the words are searched."""
        yield from self._base.search(query)
        last = min(cast(int, query.to_block), len(self.blocks) - 1)
        for start in range(cast(int, query.from_block), last + 1, INDEXED_BLOCKS):
            end = min(start + INDEXED_BLOCKS - 1, last)
            for number in self._candidates(replace(query, from_block=start, to_block=end)):
                deadline.check()
                yield from matching(self.blocks[number], query)
                yield None
            deadline.check()
            yield None

    def _candidates(self, query: LogQuery) -> list[int]:
        # The blocks that meet the most selective of the query's conditions, in order.
        # For logs of address A (in blocks 3, 7 and 9) with first topic T (in 7 and 8) that is T: 7
        # and 8 are searched for logs that match both.
        words = [query.addresses or None, *query.topics]
        conditions = [
            {number for word in options for number in self._blocks_with(word, place, query)}
            for place, options in enumerate(words)
            if is_indexed(options)
        ]
        return sorted(
            min(conditions, key=len) if conditions else self._blocks_with(ANY_LOG, 0, query)
        )

    def _blocks_with(self, word: bytes, place: int, query: LogQuery) -> list[int]:
        wanted = (
            "SELECT block FROM log_words WHERE word = ? AND place = ? AND block BETWEEN ? AND ?"
        )
        first, last = query.from_block, query.to_block
        return [row[0] for row in self._file.rows(wanted, (word, place, first, last))]

    # Writing

    def append(self, block: Block) -> None:
        number = block.number
        with self._file.atomic():
            self._write_state(block.state_root)
            self._file.write(
                "INSERT INTO blocks VALUES (?, ?, ?)", (number, block.hash, encode_block(block))
            )
            self._file.write_many(
                "INSERT OR IGNORE INTO transactions VALUES (?, ?)",
                [(tx.hash, number) for tx in block.transactions],
            )
            logs = [log for receipt in block.receipts for log in receipt.logs]
            words = {(log.address, 0) for log in logs} | ({(ANY_LOG, 0)} if logs else set())
            words |= {(topic, place) for log in logs for place, topic in enumerate(log.topics, 1)}
            self._file.write_many(
                "INSERT OR IGNORE INTO log_words VALUES (?, ?, ?)",
                [(word, place, number) for word, place in words],
            )
        self.blocks.append(block)

    def _write_state(self, root: Hash32) -> None:
        rows = list(self._states.unstored(root))
        if rows:
            self._file.write_many("INSERT OR IGNORE INTO nodes VALUES (?, ?)", rows)
            if self._transaction != self._file.transaction:
                self._transaction, self._marked = self._file.transaction, []
            self._marked += self._states.mark_stored(root)

    def truncate(self, height: int) -> None:
        height = max(height, self.blocks.first - 1)
        with self._file.atomic():
            self._file.write("DELETE FROM edits WHERE block > ?", (height,))
            self._file.write("DELETE FROM blocks WHERE number > ?", (height,))
        if self.edited:
            for block_hash in self.edited.keys() - dict(self._stored_edits()).keys():
                del self.edited[block_hash]
        self.blocks.truncate(height)

    def edit(self, block_hash: Hash32, state: RetainedState | None) -> None:
        block = self.find(block_hash)
        assert block is not None  # noqa: S101  # a block of this chain
        with self._file.atomic():
            if state is None:
                self._file.write("DELETE FROM edits WHERE block = ?", (block.number,))
            else:
                self._write_state(state.root)
                self._file.write("REPLACE INTO edits VALUES (?, ?)", (block.number, state.root))
        if state is None:
            self.edited.pop(block_hash, None)
        else:
            self.edited[block_hash] = state

    def atomic(self) -> AbstractContextManager[None]:
        return self._file.atomic()
