"""`devchain.server.scheduler`"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from devchain.chain.slices import QUICK
from devchain.server import limits
from devchain.server.scheduler import Scheduler, Share, answer_in_slices


class Clock:
    """A clock that stands still while nothing is done."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Job:
    """A worker with a number of steps, each of which takes its time on the clock.

    Slow ones are announced by a step that takes no time, and is not logged.
    """

    has_input = is_held = is_queued = is_slow = False

    def __init__(
        self, clock: Clock, log: list[str], name: str, *seconds: float, slow: bool = False
    ) -> None:
        self.share = Share()
        self._clock, self._log, self._name = clock, log, name
        self.seconds = list(seconds)
        self.failures: list[Exception] = []
        self.has_input = True
        self._slow = slow

    def step(self) -> bool:
        if self._slow and not self.is_slow:
            self.is_slow = True
            return True
        self._log.append(self._name)
        self._clock.now += self.seconds.pop(0)
        self.has_input = bool(self.seconds)
        self.is_slow = False
        return bool(self.seconds)

    def hold(self) -> None:
        self.is_held = self.has_input

    def fail(self, error: Exception) -> None:
        self.failures.append(error)


@pytest.fixture
def clock() -> Clock:
    """A clock that the work moves."""
    return Clock()


@pytest.fixture
def turns(clock: Clock) -> Scheduler:
    """A scheduler on that clock."""
    return Scheduler(clock)


@pytest.fixture
def log() -> list[str]:
    """The names of the jobs, one for each step."""
    return []


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of ten seconds on the clock; no pause after them."""
    monkeypatch.setattr(limits, "TURN_SECONDS", 10)
    monkeypatch.setattr(limits, "SLICE_SECONDS", 10)
    monkeypatch.setattr(limits, "YIELD_SECONDS", 0)


def run(turns: Scheduler, *steps: Callable[[], object]) -> None:
    """Call each, then let the loop go round until all work is done."""

    async def main() -> None:
        for each in steps:
            each()
        for _ in range(200):
            await asyncio.sleep(0)

    asyncio.run(main())


class TestScheduler:
    def test_at_once(self, turns: Scheduler, clock: Clock, log: list[str]) -> None:
        """Work is done at once while the loop is free."""
        job = Job(clock, log, "a", 1, 1)

        async def main() -> None:
            turns.run(job)
            assert log == ["a", "a"]

        asyncio.run(main())
        assert not job.is_held

    def test_turn(self, turns: Scheduler, clock: Clock, log: list[str]) -> None:
        """A turn ends when its time is over; others come before the next, and input is held."""
        long, short = Job(clock, log, "a", *[6] * 6), Job(clock, log, "b", 1)
        held: list[bool] = []

        run(
            turns,
            lambda: turns.run(long),
            lambda: held.append(long.is_held),
            lambda: turns.run(short),
        )

        assert "".join(log) == "aabaaaa"
        assert held == [True]
        assert not long.is_held

    def test_least_used_first(self, turns: Scheduler, clock: Clock, log: list[str]) -> None:
        """The worker that has used the least time goes first, whenever it came."""
        floods = [Job(clock, log, name, *[11] * 9) for name in "abc"]
        victim = Job(clock, log, "V", 1)

        run(
            turns,
            *[lambda each=each: turns.run(each) for each in floods],  # type: ignore[misc]
            lambda: turns.run(victim),
        )

        assert log.index("V") <= 3
        assert {log.count(each) for each in "abc"} == {9}
        # None of the others is ahead of another by more than a turn.
        counts = [[log[:end].count(each) for each in "abc"] for end in range(len(log))]
        assert all(max(each) - min(each) <= 1 for each in counts)

    def test_slow_steps(self, turns: Scheduler, clock: Clock, log: list[str]) -> None:
        """Slow steps begin when no other step waits, in whatever order they came."""
        slow = [Job(clock, log, name, 50, slow=True) for name in "abc"]
        quick = [Job(clock, log, name, 1) for name in "ABC"]

        run(turns, *[lambda each=each: turns.run(each) for each in slow + quick])  # type: ignore[misc]

        assert "".join(log) == "aABCbc"

    def test_batch(self, turns: Scheduler, clock: Clock, log: list[str]) -> None:
        """The slow steps of one client alternate with those of others, and with quick ones."""
        batch = Job(clock, log, "a", 50, 50, 50, slow=True)
        other = Job(clock, log, "b", 50, 50, slow=True)
        flood = Job(clock, log, ".", *[1] * 4)

        run(turns, *[lambda each=each: turns.run(each) for each in (batch, other, flood)])  # type: ignore[misc]

        assert "".join(log) == "a....baba"

    def test_slow_after_reading(self, turns: Scheduler, clock: Clock, log: list[str]) -> None:
        """Before a slow step all connections that have arrived are accepted and read."""
        slow = [Job(clock, log, name, 50, slow=True) for name in "ab"]
        late = Job(clock, log, "V", 1)

        async def main() -> None:
            for each in slow:
                turns.run(each)
            for _ in range(20):  # others before it are accepted, one in each round
                turns.accept()
                await asyncio.sleep(0)
            await asyncio.sleep(0)  # in the round after its own the first request is read
            turns.run(late)
            for _ in range(20):
                await asyncio.sleep(0)

        asyncio.run(main())

        assert "".join(log) == "aVb"

    def test_slow_in_time(self, turns: Scheduler, clock: Clock, log: list[str]) -> None:
        """Slow steps have a quarter of the time although others always have something to do."""
        slow = Job(clock, log, "S", *[50] * 10, slow=True)
        floods = [Job(clock, log, ".", *[1] * 5_000) for _ in range(2)]

        async def main() -> None:
            for each in (*floods, slow):
                turns.run(each)
            for _ in range(1_000):
                if clock.now < 1_000:
                    await asyncio.sleep(0)

        asyncio.run(main())

        assert 4 <= log.count("S") <= 6

    def test_quick_alone(self, turns: Scheduler, clock: Clock, log: list[str]) -> None:
        """A slow step begins at once while no other worker waits."""
        job = Job(clock, log, "a", 3, 3, slow=True)

        async def main() -> None:
            turns.run(job)
            assert log == ["a", "a"]

        asyncio.run(main())

    def test_many_short_turns(self, turns: Scheduler, clock: Clock, log: list[str]) -> None:
        """Slices in one round of the loop count together: later ones wait in the queue."""
        jobs = [Job(clock, log, "a", 6) for _ in range(10)]

        async def main() -> int:
            for each in jobs:
                turns.run(each)
            return len(log)

        assert asyncio.run(main()) == 2

    @pytest.mark.parametrize(("connections", "at_once"), [(1, 10), (2, 2)])
    def test_connections(
        self, turns: Scheduler, clock: Clock, log: list[str], connections: int, at_once: int
    ) -> None:
        """They do not count while one connection is open, after others have closed too."""
        jobs = [Job(clock, log, "a", 6) for _ in range(10)]

        async def main() -> int:
            for _ in range(3):
                turns.accept()
            for _ in range(3 - connections):
                turns.leave()
            for _ in range(20):
                await asyncio.sleep(0)
            for each in jobs:
                turns.run(each)
            return len(log)

        assert asyncio.run(main()) == at_once

    def test_quiet_client(self, turns: Scheduler, clock: Clock, log: list[str]) -> None:
        """A client that has been quiet for long is not ahead: the other one has had its turns."""
        busy, quiet = Job(clock, log, "a", *[11] * 60), Job(clock, log, "b", *[11] * 30)

        async def main() -> None:
            turns.run(busy)
            for _ in range(400):
                await asyncio.sleep(0)
                if log.count("a") == 40:
                    turns.run(quiet)

        asyncio.run(main())

        first = log.index("b")
        assert "".join(log[first : first + 8]) in {"babababa", "bbababab"}

    def test_busy_client(self, turns: Scheduler, clock: Clock, log: list[str]) -> None:
        """One that has done much while it was alone is not behind those that come then."""
        busy = Job(clock, log, "V", *[50] * 9)
        floods = [Job(clock, log, name, *[11] * 20) for name in "ab"]

        async def main() -> None:
            turns.run(busy)
            for _ in range(100):
                await asyncio.sleep(0)
            for each in floods:
                turns.run(each)
            busy.seconds.append(1)
            turns.run(busy)
            log.append("|")
            for _ in range(100):
                await asyncio.sleep(0)

        asyncio.run(main())

        _, _, after = "".join(log).partition("|")
        assert after.index("V") <= 3

    def test_a_bug(self, turns: Scheduler, clock: Clock, log: list[str]) -> None:
        """A step that raises ends its worker alone."""
        broken, other = Job(clock, log, "a"), Job(clock, log, "b", 1)

        run(turns, lambda: turns.run(broken), lambda: turns.run(other))

        assert [type(each) for each in broken.failures] == [IndexError]
        assert log == ["a", "b"]

    def test_own_step(self, turns: Scheduler, clock: Clock, log: list[str]) -> None:
        """Work that a step of the worker itself adds is done in the same turn."""
        job = Job(clock, log, "a", 1, 1)
        step = job.step

        def step_and_run() -> bool:
            turns.run(job)
            return step()

        job.step = step_and_run  # type: ignore[method-assign]
        run(turns, lambda: turns.run(job))

        assert log == ["a", "a"]


class TestShares:
    @pytest.mark.parametrize(
        ("peer", "is_shared"),
        [
            ("192.0.2.1", True),
            ("2001:db8::1", True),
            ("fe80::1%eth0", True),
            ("127.0.0.1", False),
            ("::1", False),
            (None, False),
        ],
    )
    def test_by_address(self, turns: Scheduler, peer: str | None, is_shared: bool) -> None:
        """The connections of another machine share the time of one client; local ones do not."""
        first, second = turns.share_of(peer), turns.share_of(peer)

        assert (first is second) is is_shared


class TestAnswerInTurns:
    def test_answer(self, turns: Scheduler) -> None:
        """The answer is what the steps return, an error what they raise."""

        def steps(end: bytes | None) -> Iterator[bool]:
            yield QUICK
            if end is None:
                raise ZeroDivisionError
            return end

        async def main() -> bytes | None:
            answer = await answer_in_slices(turns, steps(b"{}"), None)  # type: ignore[arg-type]
            with pytest.raises(ZeroDivisionError):
                await answer_in_slices(turns, steps(None), None)  # type: ignore[arg-type]
            return answer

        assert asyncio.run(main()) == b"{}"

    def test_cancelled(self, turns: Scheduler, clock: Clock) -> None:
        """The steps of a cancelled request are not done."""
        done: list[int] = []

        def steps() -> Iterator[bool]:
            for number in range(100):
                done.append(number)
                clock.now += 11
                yield QUICK

        async def main() -> None:
            task = asyncio.ensure_future(answer_in_slices(turns, steps(), None))  # type: ignore[arg-type]
            await asyncio.sleep(0)
            task.cancel()
            for _ in range(50):
                await asyncio.sleep(0)

        asyncio.run(main())

        assert len(done) < 5
