"""What a chain has gathered: blocks by number and hash, receipts, logs, edited states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Protocol, cast

from devchain.chain.block import Block, MinedLog, Receipt
from devchain.chain.storage.layers import Blocks, BlocksByHash, Layer
from devchain.state.database import RetainedState
from devchain.types import Hash32, LogQuery


class BlockStore(Protocol):
    """Grows and shrinks at its end; only `edit` changes what is in it."""

    @property
    def blocks(self) -> Sequence[Block]:
        """The blocks by number; the same object for good."""

    @property
    def by_hash(self) -> Mapping[Hash32, Block]:
        """The blocks by hash; the same object for good."""

    @property
    def edited(self) -> Mapping[Hash32, RetainedState]:
        """The states that stand for those which blocks left, by the block's hash."""

    def receipt(self, transaction_hash: Hash32) -> tuple[Block, Receipt] | None:
        """A mined transaction's receipt and its block, or None."""

    def logs(self, query: LogQuery) -> Iterator[MinedLog]:
        """The logs that match, in the order of the chain; the query's bounds are numbers."""

    def append(self, block: Block) -> None:
        """Take a block in, after the newest one."""

    def truncate(self, height: int) -> None:
        """Forget the blocks above that height, and that their states were edited."""

    def edit(self, block_hash: Hash32, state: RetainedState | None) -> None:
        """Have a state stand for the one a block left; None takes that back."""

    def atomic(self) -> AbstractContextManager[None]:
        """Make what is done inside last as a whole or not at all."""


class MemoryBlockStore:
    """A store that is gone with its process.

    Copies share blocks and indices: a copy costs the same however long the chain is.
    """

    def __init__(self, top: Layer | None = None) -> None:
        """Start empty, or on a layer."""
        self.blocks = Blocks(top or Layer())
        self.by_hash = BlocksByHash(self.blocks)
        self.edited: dict[Hash32, RetainedState] = {}

    def copy(self) -> MemoryBlockStore:
        """One that begins as this and goes on by itself."""
        top, size = self.blocks.top, len(self.blocks)
        if top.blocks:
            top = self.blocks.top = Layer(top.settled(), size)
        twin = MemoryBlockStore(Layer(top.base, size))
        twin.edited.update(self.edited)
        return twin

    def receipt(self, transaction_hash: Hash32) -> tuple[Block, Receipt] | None:
        """A mined transaction's receipt and its block, or None."""
        for layer, size in self.blocks.layers():
            found = layer.receipts.get(transaction_hash)
            if found is not None and found[0].number < size:
                return found
        return None

    def logs(self, query: LogQuery) -> Iterator[MinedLog]:
        """The logs that match."""
        for layer, size in reversed(list(self.blocks.layers())):
            last = min(cast(int, query.to_block), size - 1)
            yield from layer.logs.search(replace(query, to_block=last))

    def append(self, block: Block) -> None:
        """Take a block in."""
        self.blocks.top.append(block)

    def truncate(self, height: int) -> None:
        """Forget the blocks above that height."""
        for block in self.blocks[height + 1 :]:
            self.edited.pop(block.hash, None)
        self.blocks.top.truncate(height)

    def edit(self, block_hash: Hash32, state: RetainedState | None) -> None:
        """Have a state stand for the one a block left."""
        if state is None:
            self.edited.pop(block_hash, None)
        else:
            self.edited[block_hash] = state

    def atomic(self) -> AbstractContextManager[None]:
        """Nothing lasts here."""
        return nullcontext()
