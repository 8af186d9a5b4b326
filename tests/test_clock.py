"""`devchain.clock`"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from devchain.clock import MAX_TIMESTAMP, Clock
from devchain.errors import InvalidInput
from tests.clocks import Stopwatch

START = 1_700_000_000


@pytest.fixture
def wall() -> Stopwatch:
    """A wall clock that the tests set."""
    return Stopwatch(START)


@pytest.fixture
def clock(wall: Stopwatch) -> Clock:
    """A chain clock that follows `wall`."""
    return Clock(source=wall)


class TestNow:
    def test_follows_the_wall(self, clock: Clock, wall: Stopwatch) -> None:
        """Chain time is the wall clock's, in whole seconds."""
        wall.seconds += 5.9

        assert (clock.now(), clock.offset) == (START + 5, 0)

    def test_fixed(self) -> None:
        """A fixed clock stands still, also at zero."""
        assert [Clock(fixed=moment).now() for moment in (0, 7)] == [0, 7]

    def test_frozen(self, wall: Stopwatch, monkeypatch: pytest.MonkeyPatch) -> None:
        """Only callers and new heads move a frozen clock, a fork's beginning too."""
        monkeypatch.setattr("devchain.clock.time.time", wall)
        clock = Clock.frozen(None)
        wall.seconds += 60

        assert (clock.now(), clock.copy().now()) == (START, START)
        clock.advance(10)
        assert clock.now() == START + 10
        clock.continue_from(START - 100)
        assert clock.now() == START - 100
        assert Clock.frozen(7).now() == 7

    def test_never_before_the_head(self, clock: Clock) -> None:
        """Chain time is never before the head, which may be ahead of the wall clock."""
        clock.on_new_head(START + 10)

        assert (clock.now(), clock.offset) == (START + 10, 0)

    def test_wall_set_back(self, clock: Clock, wall: Stopwatch) -> None:
        """A wall clock set back does not take the chain below its head."""
        clock.on_new_head(START)
        wall.seconds -= 3_600

        assert clock.now() == START


class TestAdvance:
    def test_adds_up(self, clock: Clock, wall: Stopwatch) -> None:
        """Advances add up, on top of the wall clock."""
        assert [clock.advance(seconds) for seconds in (10, 0, 5)] == [10, 10, 15]

        wall.seconds += 1
        assert clock.now() == START + 16

    def test_counts_from_the_head(self, clock: Clock) -> None:
        """After blocks that ran ahead, an advance counts from the newest one."""
        clock.on_new_head(START + 50)
        clock.advance(10)

        assert clock.block_time(START + 50) == START + 60

    @pytest.mark.parametrize("seconds", [-1, 2**63, 2**300, MAX_TIMESTAMP - START + 1])
    def test_refused(self, clock: Clock, seconds: int) -> None:
        """Time does not go backwards, nor past 63 bits; a refusal changes nothing."""
        with pytest.raises(InvalidInput, match="invalid number of seconds"):
            clock.advance(seconds)
        assert (clock.now(), clock.offset) == (START, 0)

    def test_to_the_end(self, clock: Clock) -> None:
        """The last second that fits can be reached."""
        clock.advance(MAX_TIMESTAMP - START)

        assert clock.now() == MAX_TIMESTAMP

    def test_blocks_after_the_latest_time(self, clock: Clock) -> None:
        """From there on billions of blocks still have timestamps of 63 bits."""
        clock.jump(MAX_TIMESTAMP)

        assert clock.block_time(MAX_TIMESTAMP + 10**9) < 2**63


class TestJump:
    @pytest.mark.parametrize("by", [-100, 0, 100])
    def test_runs_on_from_there(self, clock: Clock, wall: Stopwatch, by: int) -> None:
        """After a jump the clock continues with the wall clock."""
        clock.jump(START + by)
        wall.seconds += 3

        assert (clock.now(), clock.offset) == (START + by + 3, by)

    def test_too_far(self, clock: Clock) -> None:
        """A timestamp of more than 63 bits is refused."""
        with pytest.raises(InvalidInput, match="too large"):
            clock.jump(MAX_TIMESTAMP + 1)
        assert clock.now() == START


class TestBlockTime:
    @pytest.mark.parametrize(
        ("parent", "expected"),
        [(START - 10, START), (START - 1, START), (START, START + 1), (START + 5, START + 6)],
    )
    def test_after_the_parent(self, clock: Clock, parent: int, expected: int) -> None:
        """A block has the present time, but is always later than its parent."""
        assert clock.block_time(parent) == expected


class TestMonotonic:
    def test_is_another_clock(self) -> None:
        """Durations are measured by a clock that chain time does not move."""
        ticks: Iterator[float] = iter([1.5, 2.5])
        clock = Clock(fixed=START, monotonic=lambda: next(ticks))

        first = clock.monotonic()
        clock.advance(1_000)

        assert clock.monotonic() - first == 1.0

    def test_default(self) -> None:
        """Without another source it never goes backwards."""
        clock = Clock()

        assert clock.monotonic() <= clock.monotonic()


class TestCheckpoint:
    def test_restores(self, clock: Clock, wall: Stopwatch) -> None:
        """A checkpoint restores the added seconds, not the wall clock."""
        clock.advance(5)
        state = clock.checkpoint()
        clock.jump(START + 500)
        clock.on_new_head(START + 500)
        wall.seconds += 2

        clock.restore(state)

        assert (clock.now(), clock.offset) == (START + 7, 5)

    def test_reset(self, clock: Clock) -> None:
        """A reset undoes every adjustment."""
        clock.advance(5)
        clock.on_new_head(START + 99)

        clock.reset()

        assert (clock.now(), clock.offset) == (START, 0)


class TestOrder:
    def test_exact(self, clock: Clock, wall: Stopwatch) -> None:
        """The next block has that time whenever it is mined; time continues from there."""
        clock.set_next_timestamp(START + 100)
        wall.seconds += 50

        assert clock.block_time(START) == START + 100
        clock.on_new_head(START + 100)
        wall.seconds += 3
        assert (clock.now(), clock.block_time(START + 100)) == (START + 103, START + 103)

    def test_in_the_past(self, clock: Clock, wall: Stopwatch) -> None:
        """It may lie before the clock, and the clock goes back to it."""
        wall.seconds += 500
        clock.set_next_timestamp(START + 100)
        clock.on_new_head(START + 100)

        assert clock.now() == START + 100

    def test_snapshot(self, clock: Clock) -> None:
        """A restored clock has the next block's timestamp and the step between blocks."""
        state = clock.checkpoint()
        clock.set_next_timestamp(START + 100)
        clock.step = 5
        clock.restore(state)

        assert (clock.step, clock.block_time(START)) == (None, START + 1)


class TestStep:
    def test_steps(self, clock: Clock, wall: Stopwatch) -> None:
        """Blocks are that far apart, whatever the wall clock says."""
        clock.step = 12
        wall.seconds += 500

        assert clock.block_time(START) == START + 12


class TestSet:
    @pytest.mark.parametrize(("time", "moved"), [(START + 50, 50), (START - 50, -50), (START, 0)])
    def test_moved(self, clock: Clock, time: int, moved: int) -> None:
        """The clock shows that time; the move is returned, the sum added is never negative."""
        assert clock.set(time) == moved
        assert (clock.now(), clock.offset) == (time, max(0, moved))

    def test_not_before_the_head(self, clock: Clock) -> None:
        """It is never before the newest block."""
        clock.on_new_head(START + 10)

        assert clock.set(START - 50) == 0
        assert clock.now() == START + 10
