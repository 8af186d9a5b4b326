"""Header fields that follow from earlier blocks: difficulty, gas limit, gas price, fork data."""

from __future__ import annotations

from collections.abc import Sequence

from devchain.chain.block import Block
from devchain.evm.rootstock.precompiles.bitcoin import double_sha256
from devchain.types import Hash32

# Difficulty: the rule of local networks, for every network; a developer's machine could not mine
# at the difficulty of the others.
DIFFICULTY_DIVISOR = 2048
TARGET_BLOCK_TIME = 10
DIFFICULTY_RESET_TIME = 600
MIN_DIFFICULTY = 1

GAS_LIMIT_DIVISOR = 1024


def next_difficulty(parent: int, elapsed: int) -> int:
    """The difficulty of a block `elapsed` seconds after its parent.

    A block within the target time raises it by its 2048th part, a later one lowers it; a gap of
    ten minutes resets it to the minimum (RSKIP97).
    """
    if elapsed >= DIFFICULTY_RESET_TIME:
        return MIN_DIFFICULTY
    if elapsed == TARGET_BLOCK_TIME or elapsed < 0:
        return parent
    step = parent // DIFFICULTY_DIVISOR
    return max(MIN_DIFFICULTY, parent + step if elapsed < TARGET_BLOCK_TIME else parent - step)


def next_gas_limit(parent: int, target: int) -> int:
    """The gas limit of a block: its parent's, moved towards the target by its 1024th part."""
    return _move_towards(target, parent, parent // GAS_LIMIT_DIVISOR)


def next_minimum_gas_price(parent: int, target: int) -> int:
    """The parent's, in wei, moved towards the target by one percent at most (RSKIP09)."""
    return _move_towards(target, parent, parent // 100 or 1)


def _move_towards(target: int, current: int, step: int) -> int:
    return min(max(target, current - step), current + step)


# Fork detection data (RSKIP110)

STEP = 64
STEPS = 7
FIRST_BLOCK = STEP * STEPS + 1  # with enough mined blocks before it; genesis is not mined


class ForkDetection:
    """Computes the 12 bytes of fork detection data that end a block's hash for merged mining."""

    def __init__(self, blocks: Sequence[Block], first: int = 0) -> None:
        """Read those blocks; the ones up to the `first` were not mined here."""
        self._first = first
        self._blocks = blocks
        self._newest: tuple[Hash32, bytes] | None = None

    def next_data(self) -> bytes:
        """The data of the block after the head; empty while the chain is too short.

        For block 520: the last bytes of the bitcoin hashes behind blocks 512, 448, … 128; a 0 for
        no uncles; and 520 in four bytes.
        """
        number = len(self._blocks)
        if number < self._first + FIRST_BLOCK:
            return b""
        start = (number - 1) // STEP * STEP
        newest = self._blocks[start].hash
        if self._newest is None or self._newest[0] != newest:
            headers = [
                self._blocks[mined].header for mined in range(start, start - STEP * STEPS, -STEP)
            ]
            hashes = [double_sha256(header.bitcoin_merged_mining_header) for header in headers]
            self._newest = newest, bytes(bitcoin_hash[0] for bitcoin_hash in hashes)
        return self._newest[1] + bytes(1) + number.to_bytes(4, "big")
