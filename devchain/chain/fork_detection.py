"""Fork detection data (RSKIP110): what a block's bitcoin coinbase tells of the chain behind it."""

from __future__ import annotations

from collections.abc import Sequence

from devchain.chain.bitcoin import double_sha256
from devchain.chain.block import Block
from devchain.types import Hash32

JUMP = 64
JUMPS = 7
FIRST_BLOCK = JUMP * JUMPS + 1
"""The first block with enough blocks behind it; genesis, which was not mined, is none of them."""


class ForkDetection:
    """Makes the twelve bytes that take the end of a hash for merged mining."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        """Tell of that chain, as it is when asked."""
        self._blocks = blocks
        self._newest: tuple[Hash32, bytes] | None = None

    def data_of_next(self) -> bytes:
        """That of the block after the head; empty as long as there are too few behind it.

        One byte of the bitcoin hash of every 64th block, newest first; the uncles of the last 32
        blocks, of which there are none; and the block's own number.
        """
        number = len(self._blocks)
        if number < FIRST_BLOCK:
            return b""
        return self._vector((number - 1) // JUMP * JUMP) + bytes(1) + number.to_bytes(4, "big")

    def _vector(self, start: int) -> bytes:
        newest = self._blocks[start].hash
        if self._newest is None or self._newest[0] != newest:
            numbers = range(start, start - JUMP * JUMPS, -JUMP)
            self._newest = newest, bytes(self._last_byte(number) for number in numbers)
        return self._newest[1]

    def _last_byte(self, number: int) -> int:
        """The last byte, as bitcoin displays it, of the hash of the bitcoin header of a block."""
        return double_sha256(self._blocks[number].header.bitcoin_merged_mining_header)[0]
