"""`devchain.server.scheduler`"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Future

import pytest

from devchain.chain.slices import QUICK, SLOW, wait_for
from devchain.server import limits
from devchain.server.scheduler import Scheduler, Share, Task, Work, answer_in_slices


class Clock:
    """A clock that stands still while nothing is done."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Job(Task):
    """A task with a number of steps, each of which takes its time on the clock."""

    def __init__(
        self, clock: Clock, log: list[str], name: str, *seconds: float, slow: bool = False
    ) -> None:
        self.seconds = list(seconds)
        self.failures: list[Exception] = []
        super().__init__(self._steps(clock, log, name, slow), Share(), self.failures.append)

    def _steps(self, clock: Clock, log: list[str], name: str, slow: bool) -> Work:
        while True:
            if slow:
                yield SLOW
            log.append(name)
            clock.now += self.seconds.pop(0)
            yield QUICK if self.seconds else None


@pytest.fixture
def clock() -> Clock:
    """A clock that the work moves."""
    return Clock()


@pytest.fixture
def scheduler(clock: Clock) -> Scheduler:
    """A scheduler on that clock."""
    return Scheduler(clock)


@pytest.fixture
def log() -> list[str]:
    """The names of the jobs, one for each step."""
    return []


@pytest.fixture(autouse=True)
def slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of ten seconds on the clock."""
    monkeypatch.setattr(limits, "SLICE_SECONDS", 10)


def run(scheduler: Scheduler, *steps: Callable[[], object]) -> None:
    """Call each, then let the loop go round until all work is done."""

    async def main() -> None:
        for each in steps:
            each()
        for _ in range(200):
            await asyncio.sleep(0)

    asyncio.run(main())


class TestScheduler:
    @pytest.mark.parametrize("slow", [False, True])
    def test_at_once(self, scheduler: Scheduler, clock: Clock, log: list[str], slow: bool) -> None:
        """Work is done at once while the loop is free, slow steps too."""
        job = Job(clock, log, "a", 3, 3, slow=slow)

        async def main() -> None:
            scheduler.run(job)
            assert log == ["a", "a"]

        asyncio.run(main())

    def test_slice(self, scheduler: Scheduler, clock: Clock, log: list[str]) -> None:
        """A slice ends when its time is over; others come before the next."""
        long, short = Job(clock, log, "a", *[6] * 6), Job(clock, log, "b", 1)

        run(scheduler, lambda: scheduler.run(long), lambda: scheduler.run(short))

        assert "".join(log) == "aabaaaa"

    def test_least_used_first(self, scheduler: Scheduler, clock: Clock, log: list[str]) -> None:
        """The client that has used the least time goes first, whenever it came."""
        floods = [Job(clock, log, name, *[11] * 9) for name in "abc"]
        victim = Job(clock, log, "V", 1)

        run(
            scheduler,
            *[lambda each=each: scheduler.run(each) for each in floods],  # type: ignore[misc]
            lambda: scheduler.run(victim),
        )

        assert log.index("V") <= 3
        assert {log.count(each) for each in "abc"} == {9}
        # None of the others is ahead of another by more than a slice.
        counts = [[log[:end].count(each) for each in "abc"] for end in range(len(log))]
        assert all(max(each) - min(each) <= 1 for each in counts)

    def test_slow_steps(self, scheduler: Scheduler, clock: Clock, log: list[str]) -> None:
        """Slow steps begin when no other step waits, in whatever order they came."""
        slow = [Job(clock, log, name, 50, slow=True) for name in "abc"]
        quick = [Job(clock, log, name, 1) for name in "ABC"]

        run(scheduler, *[lambda each=each: scheduler.run(each) for each in slow + quick])  # type: ignore[misc]

        assert "".join(log) == "aABCbc"

    def test_batch(self, scheduler: Scheduler, clock: Clock, log: list[str]) -> None:
        """The slow steps of one client alternate with those of others, and with quick ones."""
        batch = Job(clock, log, "a", 50, 50, 50, slow=True)
        other = Job(clock, log, "b", 50, 50, slow=True)
        flood = Job(clock, log, ".", *[1] * 4)

        run(scheduler, *[lambda each=each: scheduler.run(each) for each in (batch, other, flood)])  # type: ignore[misc]

        assert "".join(log) == "a....baba"

    def test_slow_after_reading(self, scheduler: Scheduler, clock: Clock, log: list[str]) -> None:
        """Before a slow step all connections that have arrived are accepted and read."""
        slow = [Job(clock, log, name, 50, slow=True) for name in "ab"]
        late = Job(clock, log, "V", 1)

        async def main() -> None:
            for each in slow:
                scheduler.run(each)
            for _ in range(20):  # others before it are accepted, one in each round
                scheduler.accept()
                await asyncio.sleep(0)
            await asyncio.sleep(0)  # in the round after its own the first request is read
            scheduler.run(late)
            for _ in range(20):
                await asyncio.sleep(0)

        asyncio.run(main())

        assert "".join(log) == "aVb"

    def test_slow_in_time(self, scheduler: Scheduler, clock: Clock, log: list[str]) -> None:
        """Slow steps have a quarter of the time although others always have something to do."""
        slow = Job(clock, log, "S", *[50] * 10, slow=True)
        floods = [Job(clock, log, ".", *[1] * 5_000) for _ in range(2)]

        async def main() -> None:
            for each in (*floods, slow):
                scheduler.run(each)
            for _ in range(1_000):
                if clock.now < 1_000:
                    await asyncio.sleep(0)

        asyncio.run(main())

        assert 4 <= log.count("S") <= 6

    def test_many_short_slices(self, scheduler: Scheduler, clock: Clock, log: list[str]) -> None:
        """Slices in one round of the loop count together: later ones wait in the queue."""
        jobs = [Job(clock, log, "a", 6) for _ in range(10)]

        async def main() -> int:
            for each in jobs:
                scheduler.run(each)
            return len(log)

        assert asyncio.run(main()) == 2

    def test_quiet_client(self, scheduler: Scheduler, clock: Clock, log: list[str]) -> None:
        """A client that has been quiet for long is not ahead: the other one has had its slices."""
        busy, quiet = Job(clock, log, "a", *[11] * 60), Job(clock, log, "b", *[11] * 30)

        async def main() -> None:
            scheduler.run(busy)
            for _ in range(400):
                await asyncio.sleep(0)
                if log.count("a") == 40:
                    scheduler.run(quiet)

        asyncio.run(main())

        first = log.index("b")
        assert "".join(log[first : first + 8]) in {"babababa", "bbababab"}

    def test_busy_client(self, scheduler: Scheduler, clock: Clock, log: list[str]) -> None:
        """One that has done much while it was alone is not behind those that come then."""
        busy = Job(clock, log, "V", *[50] * 9)
        floods = [Job(clock, log, name, *[11] * 20) for name in "ab"]

        async def main() -> None:
            scheduler.run(busy)
            for _ in range(100):
                await asyncio.sleep(0)
            for each in floods:
                scheduler.run(each)
            busy.seconds.append(1)
            scheduler.run(busy)
            log.append("|")
            for _ in range(100):
                await asyncio.sleep(0)

        asyncio.run(main())

        _, _, after = "".join(log).partition("|")
        assert after.index("V") <= 3

    def test_a_bug(self, scheduler: Scheduler, clock: Clock, log: list[str]) -> None:
        """A step that raises ends its task alone."""
        broken, other = Job(clock, log, "a"), Job(clock, log, "b", 1)

        run(scheduler, lambda: scheduler.run(broken), lambda: scheduler.run(other))

        assert [type(each) for each in broken.failures] == [IndexError]
        assert log == ["a", "b"]

    def test_future(self, scheduler: Scheduler) -> None:
        """A task that waits for another thread goes on when that is done, and not before."""
        waiting, log = Future[str](), list[str]()

        def work() -> Work:
            log.append((yield from wait_for(waiting)))

        async def main() -> None:
            task = Task(work(), Share(), log.append)
            scheduler.run(task)
            scheduler.run(task)
            assert log == []
            waiting.set_result("done")
            for _ in range(20):
                await asyncio.sleep(0)

        asyncio.run(main())

        assert log == ["done"]


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
    def test_by_address(self, scheduler: Scheduler, peer: str | None, is_shared: bool) -> None:
        """The connections of another machine share the time of one client; local ones do not."""
        first, second = scheduler.share_of(peer), scheduler.share_of(peer)

        assert (first is second) is is_shared


class TestAnswerInSlices:
    def test_answer(self, scheduler: Scheduler) -> None:
        """The answer is what the steps return, an error what they raise."""

        def steps(end: bytes | None) -> Iterator[bool]:
            yield QUICK
            if end is None:
                raise ZeroDivisionError
            return end

        async def main() -> bytes | None:
            answer = await answer_in_slices(scheduler, steps(b"{}"), None)  # type: ignore[arg-type]
            with pytest.raises(ZeroDivisionError):
                await answer_in_slices(scheduler, steps(None), None)  # type: ignore[arg-type]
            return answer

        assert asyncio.run(main()) == b"{}"

    def test_cancelled(self, scheduler: Scheduler, clock: Clock) -> None:
        """The steps of a cancelled request are not done."""
        done: list[int] = []

        def steps() -> Iterator[bool]:
            for number in range(100):
                done.append(number)
                clock.now += 11
                yield QUICK

        async def main() -> None:
            task = asyncio.ensure_future(answer_in_slices(scheduler, steps(), None))  # type: ignore[arg-type]
            await asyncio.sleep(0)
            task.cancel()
            for _ in range(50):
                await asyncio.sleep(0)

        asyncio.run(main())

        assert len(done) < 5
