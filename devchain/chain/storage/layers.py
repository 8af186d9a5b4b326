"""Blocks in layers, so that copies of a chain share what they have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast, overload

from devchain.chain.block import Block, Receipt
from devchain.chain.log_index import LogIndex
from devchain.types import Hash32

MERGED_UP_TO = 2
"""Blocks are joined with those below unless these are more than so many times as many."""


@dataclass(slots=True)
class Layer:
    """Some blocks and what finds them, on top of the first `start` blocks of another layer.

    Only the layer on top is written to. What one below it knows counts if its block's number is
    lower than where the next layer starts.
    """

    base: Layer | None = None
    start: int = 0
    blocks: list[Block] = field(default_factory=list)
    by_hash: dict[Hash32, Block] = field(default_factory=dict)
    receipts: dict[Hash32, tuple[Block, Receipt]] = field(default_factory=dict)
    logs: LogIndex = field(default_factory=LogIndex)

    def append(self, block: Block) -> None:
        """Put a block on top."""
        self.blocks.append(block)
        self.by_hash[block.hash] = block
        self.logs.append(block)
        for receipt in block.receipts:
            self.receipts[receipt.transaction.hash] = (block, receipt)

    def truncate(self, height: int) -> None:
        """Take off the blocks above that height, here and of what is below."""
        own = max(height + 1 - self.start, 0)
        for block in self.blocks[own:]:
            del self.by_hash[block.hash]
            for tx in block.transactions:
                self.receipts.pop(tx.hash, None)
        del self.blocks[own:]
        self.logs.truncate(height)
        self.start = min(self.start, height + 1)
        while self.base and self.base.start >= self.start:
            self.base = self.base.base  # nothing of its own is left

    def settled(self) -> Layer:
        """What other layers can stand on, low enough that nothing in it takes long to find."""
        settled = self
        while (base := settled.base) and len(base.blocks) <= MERGED_UP_TO * len(settled.blocks):
            settled = _joined(base, settled)
        return settled


def _joined(base: Layer, top: Layer) -> Layer:
    """Both as one, on what the base stands on; neither is changed."""
    joined = Layer(base.base, min(base.start, top.start))
    shared = max(top.start - base.start, 0)
    for block in (*base.blocks[:shared], *top.blocks):
        joined.append(block)
    return joined


class Blocks(Sequence[Block]):
    """The blocks by number, as a list would have them; `top` is the layer that is written to."""

    def __init__(self, top: Layer) -> None:
        """Read from that layer down."""
        self.top = top

    def __len__(self) -> int:
        return self.top.start + len(self.top.blocks)

    @overload
    def __getitem__(self, place: int) -> Block: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Block]: ...

    def __getitem__(self, place: int | slice) -> Block | Sequence[Block]:
        layer = self.top
        if place == -1 and layer.blocks:  # what is asked for most
            return layer.blocks[-1]
        if isinstance(place, slice):
            return self._part(place)
        number = place + len(self) if place < 0 else place
        if number < 0:
            raise IndexError(place)
        while number < layer.start:
            layer = cast(Layer, layer.base)
        return layer.blocks[number - layer.start]

    def _part(self, part: slice) -> Sequence[Block]:
        first, end, step = part.indices(len(self))
        start = self.top.start
        if first >= start and step == 1:
            return self.top.blocks[first - start : end - start]
        return [self[number] for number in range(first, end, step)]

    def layers(self) -> Iterator[tuple[Layer, int]]:
        """Every layer from the top down; blocks count whose numbers are below the size."""
        layer: Layer | None = self.top
        size = len(self)
        while layer is not None:
            yield layer, size
            size = min(size, layer.start)
            layer = layer.base


class BlocksByHash(Mapping[Hash32, Block]):
    """The same blocks by hash."""

    def __init__(self, blocks: Blocks) -> None:
        """Look up what is among those blocks."""
        self._blocks = blocks

    def __getitem__(self, block_hash: Hash32) -> Block:
        for layer, size in self._blocks.layers():
            found = layer.by_hash.get(block_hash)
            if found is not None and found.number < size:
                return found
        raise KeyError(block_hash)

    def __iter__(self) -> Iterator[Hash32]:
        return (block.hash for block in self._blocks)

    def __len__(self) -> int:
        return len(self._blocks)
