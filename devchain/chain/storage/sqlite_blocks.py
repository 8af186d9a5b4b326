"""A store on disk: blocks are read when somebody asks for them, and written before they count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import overload

from devchain.chain.block import Block, Log, MinedLog, Receipt
from devchain.chain.log_index import matching
from devchain.chain.storage.block_encoding import BlockReader, encode_block
from devchain.chain.storage.sqlite import Database
from devchain.errors import InvalidInput, StoreFailed
from devchain.evm import deadline
from devchain.state.database import FastDatabase, RetainedState
from devchain.types import Hash32, LogQuery

BLOCKS_KEPT = 1_024
BLOCKS_A_CHECK = 64
"""Blocks searched for logs between two looks at the deadline."""
ANY_LOG = b""

Words = set[tuple[bytes, int]]
"""Addresses (place 0) and topics (1 to 4) of logs."""


class StoredBlocks(Sequence[Block]):
    """The blocks of a file by number; the newest, and those read last, are kept in memory."""

    def __init__(self, file: Database, states: FastDatabase, reader: BlockReader) -> None:
        """Read from that file; what blocks left is in those states."""
        self._file = file
        self._states = states
        self._reader = reader
        self._kept: dict[int, Block] = {}
        self._head: Block | None = None
        newest = file.row("SELECT number FROM blocks ORDER BY number DESC LIMIT 1")
        self._count: int = newest[0] + 1 if newest else 0

    def __len__(self) -> int:
        """How many there are."""
        return self._count

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> list[Block]: ...
    def __getitem__(self, index: int | slice) -> Block | list[Block]:
        """One of them, or several."""
        if isinstance(index, slice):
            return [self._block(number) for number in range(*index.indices(self._count))]
        number = index + self._count if index < 0 else index
        if not 0 <= number < self._count:
            msg = f"there is no block {index}"
            raise IndexError(msg)
        return self._block(number)

    def _block(self, number: int) -> Block:
        if number == self._count - 1 and self._head is not None:
            return self._head
        found = self._kept.get(number)
        if found is None:
            found = self._read(number)
            self._keep(found)
            if number == self._count - 1:
                self._head = found
        return found

    def _keep(self, block: Block) -> None:
        self._kept[block.number] = block
        if len(self._kept) > BLOCKS_KEPT:
            del self._kept[next(iter(self._kept))]

    def _read(self, number: int) -> Block:
        row = self._file.row("SELECT hash, body FROM blocks WHERE number = ?", (number,))
        if row is None:
            raise _damaged(number)
        try:
            block = self._reader.read(row[1])
        except InvalidInput as error:
            raise _damaged(number) from error
        if block.hash != row[0] or block.number != number:
            raise _damaged(number)
        return replace(block, state=self._states.retain_state(block.state_root))

    def append(self, block: Block) -> None:
        """Take note of a block that has been written."""
        self._count += 1
        self._head = block
        self._keep(block)

    def truncate(self, height: int) -> None:
        """Take note that blocks have been taken off."""
        if self._count - height - 1 > len(self._kept):
            self._kept.clear()
        for number in range(height + 1, self._count):
            self._kept.pop(number, None)
        self._count = min(self._count, height + 1)
        self._head = None


class StoredHashes(Mapping[Hash32, Block]):
    """The blocks of a file by hash."""

    def __init__(self, file: Database, blocks: StoredBlocks) -> None:
        """Look hashes up in that file."""
        self._file = file
        self._blocks = blocks

    def __getitem__(self, block_hash: Hash32) -> Block:
        """The block of that hash."""
        found = self._file.row("SELECT number FROM blocks WHERE hash = ?", (block_hash,))
        if found is None:
            raise KeyError(block_hash)
        number: int = found[0]
        return self._blocks[number]

    def __iter__(self) -> Iterator[Hash32]:
        """Every hash, in the order of the chain."""
        rows = self._file.rows("SELECT hash FROM blocks ORDER BY number")
        return (Hash32(each) for (each,) in rows)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._blocks)


class SqliteBlockStore:
    """A store in a file; what it has taken in is there before anything else sees it."""

    def __init__(self, file: Database, states: FastDatabase, reader: BlockReader) -> None:
        """Go on with what is in the file; the states are those it has the nodes of."""
        self._file = file
        self._states = states
        self.blocks = StoredBlocks(file, states, reader)
        self.by_hash = StoredHashes(file, self.blocks)
        self.edited: dict[Hash32, RetainedState] = {
            Hash32(block_hash): RetainedState(Hash32(root))
            for block_hash, root in file.rows(
                "SELECT hash, root FROM edits JOIN blocks ON block = number"
            )
        }

    def receipt(self, transaction_hash: Hash32) -> tuple[Block, Receipt] | None:
        """A mined transaction's receipt and its block, or None."""
        query = "SELECT block FROM transactions WHERE hash = ? AND block < ? ORDER BY block DESC"
        for (number,) in self._file.rows(query, (transaction_hash, len(self.blocks))):
            block = self.blocks[number]
            for receipt in block.receipts:
                if receipt.transaction.hash == transaction_hash:
                    return block, receipt
        return None

    def logs(self, query: LogQuery) -> Iterator[MinedLog]:
        """The logs that match; the cost is that of the blocks with the rarest word asked for."""
        numbers = deadline.checked(self._candidates(query), BLOCKS_A_CHECK)
        return (log for number in numbers for log in matching(self.blocks[number], query))

    def _candidates(self, query: LogQuery) -> list[int]:
        """Blocks within the query's bounds that may have what the rarest condition asks for."""
        asked = [query.addresses or None, *query.topics]
        conditions = [
            {number for word in options for number in self._with(word, place, query)}
            for place, options in enumerate(asked)
            if options is not None
        ]
        return sorted(min(conditions, key=len) if conditions else self._with(ANY_LOG, 0, query))

    def _with(self, word: bytes, place: int, query: LogQuery) -> list[int]:
        wanted = (
            "SELECT block FROM log_words WHERE word = ? AND place = ? AND block BETWEEN ? AND ?"
        )
        first, last = query.from_block, query.to_block
        last = min(last, len(self.blocks) - 1) if isinstance(last, int) else last
        return [row[0] for row in self._file.rows(wanted, (word, place, first, last))]

    # Writing

    def append(self, block: Block) -> None:
        """Write a block and the state it left, and take it in."""
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
            words = {word for each in block.receipts for log in each.logs for word in _words(log)}
            self._file.write_many(
                "INSERT OR IGNORE INTO log_words VALUES (?, ?, ?)",
                [(word, place, number) for word, place in words],
            )
        self.blocks.append(block)

    def _write_state(self, root: Hash32) -> None:
        rows = list(self._states.unstored(root))
        if rows:
            self._file.write_many("INSERT OR IGNORE INTO nodes VALUES (?, ?)", rows)
            self._states.mark_stored(root)

    def truncate(self, height: int) -> None:
        """Take the blocks above that height off the file."""
        with self._file.atomic():
            for table, column in (("edits", "block"), ("blocks", "number")):
                self._file.write(f"DELETE FROM {table} WHERE {column} > ?", (height,))  # noqa: S608  # ours
        if self.edited:
            gone = self.edited.keys() - self._still_edited()
            for block_hash in gone:
                del self.edited[block_hash]
        self.blocks.truncate(height)

    def _still_edited(self) -> set[Hash32]:
        rows = self._file.rows("SELECT hash FROM edits JOIN blocks ON block = number")
        return {Hash32(each) for (each,) in rows}

    def edit(self, block_hash: Hash32, state: RetainedState | None) -> None:
        """Have a state stand for the one a block left."""
        number = self.by_hash[block_hash].number
        with self._file.atomic():
            if state is None:
                self._file.write("DELETE FROM edits WHERE block = ?", (number,))
            else:
                self._write_state(state.root)
                self._file.write("REPLACE INTO edits VALUES (?, ?)", (number, state.root))
        if state is None:
            self.edited.pop(block_hash, None)
        else:
            self.edited[block_hash] = state

    def atomic(self) -> AbstractContextManager[None]:
        """Write what is done inside as a whole or not at all."""
        return self._file.atomic()


def _words(log: Log) -> Words:
    places = {(topic, place) for place, topic in enumerate(log.topics, 1)}
    return {(ANY_LOG, 0), (log.address, 0)} | places


def _damaged(number: int) -> StoreFailed:
    return StoreFailed(f"block {number} cannot be read from the data directory: it is damaged")
