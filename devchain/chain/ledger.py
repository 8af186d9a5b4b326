"""What a chain has gathered: blocks by number and hash, receipts, logs, edited states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from devchain.chain.block import Block, MinedLog, Receipt
from devchain.chain.logs import LogIndex
from devchain.state.database import HeldState
from devchain.types import Hash32, LogQuery


class Ledger(Protocol):
    """Grows and shrinks at its end; only `edit` changes what is in it."""

    @property
    def blocks(self) -> Sequence[Block]:
        """The blocks by number; the same object for good."""

    @property
    def by_hash(self) -> Mapping[Hash32, Block]:
        """The blocks by hash; the same object for good."""

    @property
    def edited(self) -> Mapping[Hash32, HeldState]:
        """The states that stand for those which blocks left, by the block's hash."""

    def receipt(self, transaction_hash: Hash32) -> tuple[Block, Receipt] | None:
        """A mined transaction's receipt and its block, or None."""

    def logs(self, query: LogQuery) -> Iterator[MinedLog]:
        """The logs that match, in the order of the chain; the query's bounds are numbers."""

    def append(self, block: Block) -> None:
        """Take a block in, after the newest one."""

    def truncate(self, height: int) -> None:
        """Forget the blocks above that height, and that their states were edited."""

    def edit(self, block_hash: Hash32, state: HeldState | None) -> None:
        """Have a state stand for the one a block left; None takes that back."""

    def together(self) -> AbstractContextManager[None]:
        """Make what is done inside last as a whole or not at all."""


class MemoryLedger:
    """A ledger that is gone with its process."""

    def __init__(self) -> None:
        """Start empty."""
        self.blocks: list[Block] = []
        self.by_hash: dict[Hash32, Block] = {}
        self.edited: dict[Hash32, HeldState] = {}
        self._receipts: dict[Hash32, tuple[Block, Receipt]] = {}
        self._logs = LogIndex()

    def receipt(self, transaction_hash: Hash32) -> tuple[Block, Receipt] | None:
        """A mined transaction's receipt and its block, or None."""
        return self._receipts.get(transaction_hash)

    def logs(self, query: LogQuery) -> Iterator[MinedLog]:
        """The logs that match."""
        return self._logs.search(query)

    def append(self, block: Block) -> None:
        """Take a block in."""
        self.blocks.append(block)
        self.by_hash[block.hash] = block
        self._logs.append(block)
        for receipt in block.receipts:
            self._receipts[receipt.transaction.hash] = (block, receipt)

    def truncate(self, height: int) -> None:
        """Forget the blocks above that height."""
        for block in self.blocks[height + 1 :]:
            del self.by_hash[block.hash]
            self.edited.pop(block.hash, None)
            for tx in block.transactions:
                self._receipts.pop(tx.hash, None)
        del self.blocks[height + 1 :]
        self._logs.truncate(height)

    def edit(self, block_hash: Hash32, state: HeldState | None) -> None:
        """Have a state stand for the one a block left."""
        if state is None:
            self.edited.pop(block_hash, None)
        else:
            self.edited[block_hash] = state

    def together(self) -> AbstractContextManager[None]:
        """Nothing lasts here."""
        return nullcontext()
