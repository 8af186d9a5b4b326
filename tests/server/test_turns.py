"""`devchain.server.turns`"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from devchain.server import limits
from devchain.server.turns import Share, TurnScheduler, answer_in_turns


class Clock:
    """A clock that stands still while nothing is done."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Job:
    """A worker with a number of steps, each of which takes its time on the clock."""

    has_input = is_held = is_queued = False

    def __init__(self, clock: Clock, log: list[str], name: str, *seconds: float) -> None:
        self.share = Share()
        self._clock, self._log, self._name = clock, log, name
        self.seconds = list(seconds)
        self.failures: list[Exception] = []
        self.has_input = True

    def step(self) -> bool:
        self._log.append(self._name)
        self._clock.now += self.seconds.pop(0)
        self.has_input = bool(self.seconds)
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
def turns(clock: Clock) -> TurnScheduler:
    """A scheduler on that clock."""
    return TurnScheduler(clock)


@pytest.fixture
def log() -> list[str]:
    """The names of the jobs, one for each step."""
    return []


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns of ten seconds on the clock; no pause after them."""
    monkeypatch.setattr(limits, "TURN_SECONDS", 10)
    monkeypatch.setattr(limits, "CREDIT_SECONDS", 100)
    monkeypatch.setattr(limits, "YIELD_SECONDS", 0)


def run(turns: TurnScheduler, *steps: Callable[[], object]) -> None:
    """Call each, then let the loop go round until all work is done."""

    async def main() -> None:
        for each in steps:
            each()
        for _ in range(200):
            await asyncio.sleep(0)

    asyncio.run(main())


class TestTurnScheduler:
    def test_at_once(self, turns: TurnScheduler, clock: Clock, log: list[str]) -> None:
        """Work is done at once while the loop is free."""
        job = Job(clock, log, "a", 1, 1)

        async def main() -> None:
            turns.run(job)
            assert log == ["a", "a"]

        asyncio.run(main())
        assert not job.is_held

    def test_turn(self, turns: TurnScheduler, clock: Clock, log: list[str]) -> None:
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

    def test_least_used_first(self, turns: TurnScheduler, clock: Clock, log: list[str]) -> None:
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

    def test_single_steps(self, turns: TurnScheduler, clock: Clock, log: list[str]) -> None:
        """Clients that repeat one long step each delay another by one of them, not by all."""
        heavy = [Job(clock, log, name, 50) for name in "abcdef"]
        victim = Job(clock, log, "V", 1, 1)

        def again() -> Iterator[Callable[[], None]]:
            for each in heavy:
                each.seconds.append(50)
                yield lambda each=each: turns.run(each)  # type: ignore[misc]

        async def main() -> None:
            for each in heavy:
                turns.run(each)
            for _ in range(200):
                await asyncio.sleep(0)
            for start in again():
                start()
            turns.run(victim)
            log.append("|")
            for _ in range(200):
                await asyncio.sleep(0)

        asyncio.run(main())

        _, _, after = "".join(log).partition("|")
        assert after.index("V") <= 1

    def test_many_short_turns(self, turns: TurnScheduler, clock: Clock, log: list[str]) -> None:
        """Turns in one round of the loop count together: later ones wait in the queue."""
        jobs = [Job(clock, log, "a", 6) for _ in range(10)]

        async def main() -> int:
            for each in jobs:
                turns.run(each)
            return len(log)

        assert asyncio.run(main()) == 2

    def test_credit(self, turns: TurnScheduler, clock: Clock, log: list[str]) -> None:
        """A client that has been quiet for long does not get all of the time it has not used."""
        busy, quiet = Job(clock, log, "a", *[11] * 60), Job(clock, log, "b", *[11] * 30)

        async def main() -> None:
            turns.run(busy)
            for _ in range(400):
                await asyncio.sleep(0)
                if log.count("a") == 40:
                    turns.run(quiet)

        asyncio.run(main())

        first, last = log.index("b"), len(log) - log[::-1].index("b")
        assert "a" in log[first:last]
        assert log[first : first + 9] == ["b"] * 9

    def test_a_bug(self, turns: TurnScheduler, clock: Clock, log: list[str]) -> None:
        """A step that raises ends its worker alone."""
        broken, other = Job(clock, log, "a"), Job(clock, log, "b", 1)

        run(turns, lambda: turns.run(broken), lambda: turns.run(other))

        assert [type(each) for each in broken.failures] == [IndexError]
        assert log == ["a", "b"]

    def test_own_step(self, turns: TurnScheduler, clock: Clock, log: list[str]) -> None:
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
    def test_by_address(self, turns: TurnScheduler, peer: str | None, is_shared: bool) -> None:
        """The connections of another machine share the time of one client; local ones do not."""
        first, second = turns.share_of(peer), turns.share_of(peer)

        assert (first is second) is is_shared


class TestAnswerInTurns:
    def test_answer(self, turns: TurnScheduler) -> None:
        """The answer is what the steps return, an error what they raise."""

        def steps(end: bytes | None) -> Iterator[None]:
            yield
            if end is None:
                raise ZeroDivisionError
            return end

        async def main() -> bytes | None:
            answer = await answer_in_turns(turns, steps(b"{}"), None)  # type: ignore[arg-type]
            with pytest.raises(ZeroDivisionError):
                await answer_in_turns(turns, steps(None), None)  # type: ignore[arg-type]
            return answer

        assert asyncio.run(main()) == b"{}"

    def test_cancelled(self, turns: TurnScheduler, clock: Clock) -> None:
        """The steps of a cancelled request are not done."""
        done: list[int] = []

        def steps() -> Iterator[None]:
            for number in range(100):
                done.append(number)
                clock.now += 11
                yield

        async def main() -> None:
            task = asyncio.ensure_future(answer_in_turns(turns, steps(), None))  # type: ignore[arg-type]
            await asyncio.sleep(0)
            task.cancel()
            for _ in range(50):
                await asyncio.sleep(0)

        asyncio.run(main())

        assert len(done) < 5
