"""The only reader of the wall clock; chain time is wall time plus an offset."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from devchain.errors import InvalidInput

MAX_TIMESTAMP = 2**63 - 1


@dataclass(frozen=True, slots=True)
class ClockState:
    """What a snapshot keeps of the clock."""

    offset: int
    frozen_at: int | None


class Clock:
    """Seconds since 1970 as the chain sees them.

    A fixed clock stands still unless it is moved, so that two runs give equal blocks.
    """

    def __init__(self, fixed: int | None = None, source: Callable[[], float] = time.time) -> None:
        """Follow `source`, or stand still at `fixed` seconds."""
        self._source = source
        self._frozen_at = fixed
        self._offset = 0

    @property
    def offset(self) -> int:
        """Seconds by which the chain runs ahead of the wall clock."""
        return self._offset

    def now(self) -> int:
        """The chain's time in whole seconds."""
        base = int(self._source()) if self._frozen_at is None else self._frozen_at
        return base + self._offset

    def monotonic(self) -> float:
        """Seconds for measuring durations; never goes backwards."""
        return time.monotonic()

    def advance(self, seconds: int) -> int:
        """Move chain time ahead for good; the total offset in seconds."""
        if seconds < 0 or self.now() + seconds > MAX_TIMESTAMP:
            msg = f"invalid number of seconds {seconds}: give 0 or more, below 2^63 in all"
            raise InvalidInput(msg)
        self._offset += seconds
        return self._offset

    def jump(self, timestamp: int) -> None:
        """Move chain time to a timestamp; it runs on from there."""
        self._offset += timestamp - self.now()

    def block_time(self, parent: int) -> int:
        """The timestamp of a block built now on a parent of that timestamp."""
        return max(self.now(), parent + 1)

    def checkpoint(self) -> ClockState:
        """What to give to `restore` to come back here."""
        return ClockState(self._offset, self._frozen_at)

    def restore(self, state: ClockState) -> None:
        """Come back to a checkpoint."""
        self._offset = state.offset
        self._frozen_at = state.frozen_at

    def reset(self) -> None:
        """Forget every adjustment."""
        self._offset = 0
