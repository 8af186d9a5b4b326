"""The one rule by which clients share the event loop's thread: work is done in slices.

The work of a connection, and an answer of the Quart application, is a `Task`: a generator that
yields between two steps (it parses input, runs one call, sends one notification). A task that has
worked for `SLICE_SECONDS` waits in a queue, from which the client that has used the least time goes
first. After each slice the event loop looks at its sockets.

Before a step that may take longer, since it runs a contract, the task yields `SLOW` and waits in a
queue of its own. That step begins when no other task waits and every connection that has arrived
meanwhile was accepted and read: a client with one small request waits for one slow step at most.
A has sent 200,000 pings, B and C an endless `eth_call` each; D asks for the block number:

    A 1 ms | A 1 ms | ... | B until its deadline | D | A 1 ms | ... | C until its deadline | ...

Slow steps have their part of the time, too: one may begin, though others wait, once these have had
`SLOW_PAUSE` times as much as the slow step before it.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import suppress
from heapq import heappop, heappush
from ipaddress import ip_address
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

from devchain.chain.slices import QUICK, SLOW, ClientWait
from devchain.server import limits

Result = TypeVar("Result")

AnyFuture = Future[Any] | asyncio.Future[Any]
Pause = bool | AnyFuture | None
Work = Generator[Pause, None, None]
"""What a task does. It yields `QUICK` or `SLOW` before a step, a future that it waits for, or None
until it is run again."""


class Share:
    """The time that a client has used, in seconds, on the clocks of the two queues."""

    __slots__ = ("__weakref__", "slow", "used")

    def __init__(self) -> None:
        self.used = 0.0
        self.slow = 0.0  # by slow steps


class Task:
    """Work of a client; `on_error` gets an exception that ends it, which is a bug."""

    __slots__ = ("is_queued", "is_slow", "on_error", "share", "work")

    def __init__(self, work: Work, share: Share, on_error: Callable[[Exception], object]) -> None:
        self.work = work
        self.share = share
        self.on_error = on_error
        self.is_queued = False  # or waits for a future
        self.is_slow = False


class _Queue:
    """Tasks that wait: the one of the client that has used the least time is the first.

    The clock is the time that each of those who wait would have used, were it divided equally. New
    clients begin with it, and one that was quiet for long is not ahead of the others.
    """

    def __init__(self) -> None:
        self.waiting: list[tuple[float, int, Task]] = []  # a heap
        self._order = itertools.count()
        self._clock = 0.0

    def push(self, used: float, task: Task) -> None:
        task.is_queued = True
        used = min(max(used, self._clock), self._clock + limits.SLICE_SECONDS)
        heappush(self.waiting, (used, next(self._order), task))

    def pop(self) -> Task:
        used, _, task = heappop(self.waiting)
        self._clock = max(self._clock, used)
        task.is_queued = False
        return task

    def charge(self, used: float, elapsed: float) -> float:
        start = max(used, self._clock)
        self._clock = self._clock + elapsed / (len(self.waiting) + 1) if self.waiting else start
        return start + elapsed


class Scheduler:
    """Gives tasks their slices; `now` is the clock, in seconds.

    Work that arrives while the loop is free is done at once. The time of such slices counts
    together until the loop has looked at its sockets again: many connections cannot fill a round
    of it with a slice each.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self.time = now()
        """When the slice under way began."""
        self._queue, self._slow_queue = _Queue(), _Queue()
        self._current: Task | None = None
        self._round: asyncio.Handle | None = None
        self._spent = 0.0  # since the loop has looked at its sockets
        self._limit = limits.SLICE_SECONDS  # of that; no more than a step while it accepts
        self._is_accepting = False  # a connection was accepted since then
        self._unread = 0  # rounds of the loop until all that has arrived was read
        self._slow_from = 0.0  # when a slow step may begin though others wait
        self._shares: WeakValueDictionary[str, Share] = WeakValueDictionary()

    @property
    def is_idle(self) -> bool:
        return not (self._queue.waiting or self._slow_queue.waiting)

    def share_of(self, peer: str | None) -> Share:
        """The share of a client: that of its address; of its own on this machine."""
        if peer is None or ip_address(peer.partition("%")[0]).is_loopback:
            return Share()
        return self._shares.setdefault(peer, Share())

    def accept(self) -> None:
        """Note that a connection was accepted: the loop accepts one in each of its rounds."""
        self._is_accepting = True
        self._unread = limits.ROUNDS_TO_READ
        self._limit = 0.0
        self._schedule_round()

    def run(self, task: Task) -> None:
        """Go on with a task: at once if the loop is free, else when its turn comes."""
        if task.is_queued or task is self._current:
            return
        if (
            self._current is not None
            or self._spent > self._limit
            or (self._is_accepting and self._queue.waiting)
        ):
            self._queue.push(task.share.used, task)
        else:
            self._advance(task)
            while self._queue.waiting and not (self._spent or self._is_accepting):
                self._advance(self._queue.pop())  # what this one has begun
        if self._spent or self._queue.waiting or self._slow_queue.waiting:
            self._schedule_round()

    def end(self, task: Task) -> None:
        """Do no more of a task; one whose step is under way has to end by itself."""
        if task is not self._current:
            task.work.close()

    def _advance(self, task: Task) -> None:
        self._current = task
        self.time = started = now = self.now()
        was_slow = task.is_slow
        task.is_slow = False
        pause: Any = None
        work = task.work
        try:
            while True:
                pause = next(work)
                now = self.now()
                if pause is QUICK:
                    if now - started <= self._limit:
                        continue
                elif pause is SLOW and self._may_begin_slow(now - started):
                    was_slow = True
                    continue
                break
        except StopIteration:
            pause, now = None, self.now()
        except Exception as error:  # noqa: BLE001  # a bug: the other tasks must go on
            pause, now = None, self.now()
            task.on_error(error)
        finally:
            self._current = None
        elapsed = now - started
        if elapsed > limits.UNCOUNTED_SECONDS:
            self._charge(task.share, elapsed, is_slow=was_slow)
        if pause is not None:
            self._put_back(task, pause, now)

    def _put_back(self, task: Task, pause: object, now: float) -> None:
        if pause is QUICK:
            self._queue.push(task.share.used, task)
        elif pause is SLOW:
            task.is_slow = True
            if not self._slow_queue.waiting:
                self._slow_from = max(self._slow_from, now + limits.SLICE_SECONDS)
            self._slow_queue.push(task.share.slow, task)
        else:
            self._wait(task, cast(AnyFuture, pause))

    def _wait(self, task: Task, future: AnyFuture) -> None:
        loop = asyncio.get_running_loop()
        task.is_queued = True

        def go_on() -> None:
            task.is_queued = False
            self.run(task)

        def done(_: object) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(go_on)

        future.add_done_callback(done)
        if isinstance(future, ClientWait):
            loop.call_later(future.seconds, future.end)

    def _may_begin_slow(self, spent: float = 0.0) -> bool:
        others_wait = self._queue.waiting or self._unread
        return not others_wait and self._spent + spent <= limits.SLICE_SECONDS

    def _charge(self, share: Share, elapsed: float, *, is_slow: bool) -> None:
        self._spent += elapsed
        if is_slow:
            share.slow = self._slow_queue.charge(share.slow, elapsed)
            self._slow_from = self.now() + limits.SLOW_PAUSE * elapsed
        else:
            share.used = self._queue.charge(share.used, elapsed)
        if elapsed > limits.SLICE_SECONDS:  # connections may have arrived meanwhile
            self._unread = limits.ROUNDS_TO_READ

    def _schedule_round(self) -> None:
        if self._round is None:
            self._round = asyncio.get_running_loop().call_soon(self._run_round)

    def _run_round(self) -> None:
        self._round = None
        self._spent = 0.0
        self._limit = 0.0 if self._is_accepting else limits.SLICE_SECONDS
        self._is_accepting = False
        end = self.now() + self._limit
        while self._queue.waiting:
            self._advance(self._queue.pop())
            if self.now() >= end:
                break
        if self._slow_queue.waiting and (self._may_begin_slow() or self.now() >= self._slow_from):
            self._advance(self._slow_queue.pop())
        self._unread = max(self._unread - 1, 0)
        if self._spent or self._unread or not self.is_idle:
            self._schedule_round()


async def answer_in_slices(
    scheduler: Scheduler, slices: Generator[Pause, None, Result], peer: str | None
) -> Result:
    """The result of work in slices, such as an answer, for a client at that address."""
    done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()

    def work() -> Work:
        result = yield from slices
        if not done.done():
            done.set_result(result)

    task = Task(work(), scheduler.share_of(peer), done.set_exception)
    scheduler.run(task)
    try:
        return await done
    finally:
        scheduler.end(task)  # the request may have been cancelled
