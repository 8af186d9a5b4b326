"""Chain time: the wall clock, or a fixed one, plus the seconds that callers have added."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from devchain.errors import InvalidInput

MAX_TIMESTAMP = 2**63 - 2**32  # that callers may set: 2^32 blocks from there stay below 2^63


@dataclass(frozen=True, slots=True)
class ClockCheckpoint:
    """The part of a snapshot that restores `Clock`; the names of its fields are those on disk.

    `ahead` is the distance to the wall clock, `added` the part of it that callers have added,
    `floor` the newest block's timestamp, `due` the next one's, `step` the time between blocks.
    """

    ahead: int = 0
    added: int = 0
    floor: int = 0
    due: int | None = None
    step: int | None = None


class Clock:
    """Seconds since 1970 as the chain sees them; never before the newest block's timestamp.

    A fixed clock stands still unless it is moved, so that two runs give equal blocks. `step` is
    the number of seconds between blocks, if callers have set one.
    """

    def __init__(
        self,
        fixed: int | None = None,
        source: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        cpu_time: Callable[[], float] = time.thread_time,
    ) -> None:
        """Follow `source`, or stand still at `fixed`; `monotonic` and `cpu_time` measure."""
        self._source = source
        self.monotonic = monotonic
        self.cpu_time = cpu_time
        self._fixed = fixed
        self._ahead = 0
        self._added = 0
        self._floor = 0
        self._due: int | None = None
        self.step: int | None = None

    @classmethod
    def frozen(cls, fixed: int | None) -> Clock:
        """A clock that stands still, at the present time if none is given."""
        now = time.time()
        return cls(fixed, source=lambda: now)

    def copy(self) -> Clock:
        copied = Clock(self._fixed, self._source, self.monotonic, self.cpu_time)
        copied.restore(self.checkpoint())
        return copied

    @property
    def offset(self) -> int:
        """Seconds that callers have added, in all."""
        return self._added

    def now(self) -> int:
        """The chain's time in whole seconds."""
        return max(self._wall() + self._ahead, self._floor)

    def _wall(self) -> int:
        return int(self._source()) if self._fixed is None else self._fixed

    def advance(self, seconds: int) -> int:
        """Move chain time ahead; the seconds added in all. Raises `InvalidInput`.

        Blocks mined quickly may be ahead of the wall clock: what is added counts from there.
        """
        if seconds < 0 or self.now() + seconds > MAX_TIMESTAMP:
            raise InvalidInput(
                f"invalid number of seconds {seconds}: "
                f"give 0 or more, at most {MAX_TIMESTAMP} in all"
            )
        if seconds:
            self.jump(self.now() + seconds)
        return self._added

    def jump(self, timestamp: int) -> None:
        """Set chain time to a timestamp; it continues from there. Raises `InvalidInput`."""
        self._check(timestamp)
        self._added += timestamp - self.now()
        self._ahead = timestamp - self._wall()

    def block_time(self, parent: int) -> int:
        """The timestamp of a block mined now on a parent of that timestamp."""
        if self._due is not None:
            return max(self._due, parent + 1)
        return max(self.now(), parent + 1) if self.step is None else parent + self.step

    def set_next_timestamp(self, timestamp: int) -> None:
        """Set the next block's timestamp; time continues from there. Raises `InvalidInput`."""
        self._check(timestamp)
        self._due = timestamp

    def set(self, timestamp: int) -> int:
        """Set chain time, at least to the newest block's timestamp; the change in seconds."""
        self._check(timestamp)
        moved = max(timestamp, self._floor) - self.now()
        self._added = max(0, self._added + moved)
        self._ahead = timestamp - self._wall()
        return moved

    def _check(self, timestamp: int) -> None:
        if timestamp > MAX_TIMESTAMP:
            raise InvalidInput(f"timestamp {timestamp} is too large: give at most {MAX_TIMESTAMP}")

    def on_new_head(self, timestamp: int) -> None:
        """Keep chain time from now on at or after the timestamp of a new head."""
        if self._due is not None:
            self._due = None
            self.jump(timestamp)
        self._floor = timestamp

    def checkpoint(self) -> ClockCheckpoint:
        return ClockCheckpoint(self._ahead, self._added, self._floor, self._due, self.step)

    def restore(self, checkpoint: ClockCheckpoint) -> None:
        self._ahead, self._added, self._floor = checkpoint.ahead, checkpoint.added, checkpoint.floor
        self._due, self.step = checkpoint.due, checkpoint.step

    def continue_from(self, timestamp: int) -> None:
        """Undo every adjustment, and go on from the timestamp of the block that a fork begins at.

        A fixed clock stays where it is unless that is earlier.
        """
        ahead = timestamp - self._wall() if self._fixed is None else 0
        self.restore(ClockCheckpoint(ahead=ahead, floor=timestamp))

    def reset(self) -> None:
        self.restore(ClockCheckpoint())
