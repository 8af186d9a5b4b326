"""Turns: the one rule by which connections share the event loop's thread.

A connection, and an answer of the Quart application, is a `Worker`. It does its work in steps: it
parses a piece of its input or a frame, runs one call, sends one notification. What does not fit
into a turn waits in a queue, and the connection is not read meanwhile. From the queue the client
goes first that has used the least time, for `SLICE_SECONDS` at most; after `TURN_SECONDS` the loop
looks at its sockets.

A step that may take longer than that, since it runs a contract, is announced (`Worker.is_slow`)
and waits in a queue of its own. It begins when no other step waits and every connection that has
arrived meanwhile was accepted and read. So a client with one small request waits for one slow step
at most, however many connections ask for one:

    A has sent 200,000 pings, B and C an endless `eth_call` each; D asks for the block number:

    A 1 ms | A 1 ms | ... | B until its deadline | D | A 1 ms | ... | C until its deadline | ...

Slow steps have their part of the time, too: one may begin, though others wait, once these have had
`QUICK_SHARE` times as much as the slow step before it.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from heapq import heappop, heappush
from ipaddress import ip_address
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakValueDictionary

from devchain.chain.slices import QUICK, SLOW, Slices
from devchain.server import limits

Steps = Slices[bytes | None]
"""A running `Dispatcher.serve`: yields between the calls of a batch, returns the response."""


Result = TypeVar("Result")

KEEP = "devchain.keep"
"""The entry of an ASGI scope that counts what the request keeps: `Connection.keep`."""


class Share:
    """The time that a client has used, in seconds, on the clocks of the two queues."""

    __slots__ = ("__weakref__", "slow", "used")

    def __init__(self) -> None:
        self.used = 0.0
        self.slow = 0.0  # by slow steps


class Worker(Protocol):
    """What does its work in turns."""

    share: Share
    is_queued: bool  # kept by the scheduler; False at first
    is_slow: bool  # the next step may take longer than a turn
    has_input: bool  # that was not parsed yet
    is_held: bool  # not read because of such input

    def step(self) -> bool:
        """Do a small piece of the work; return whether there may be more."""

    def hold(self) -> None:
        """Read no more if input waits for the next turn, else read on."""

    def fail(self, error: Exception) -> None:
        """A step has raised an exception, which is a bug."""


class _Queue:
    """Workers that wait for a turn: the one that has used the least time is the first.

    The clock is the time that each of those who wait would have used, were it divided equally. New
    clients begin with it, and one that was quiet for long is not ahead of the others.
    """

    def __init__(self) -> None:
        self.waiting: list[tuple[float, int, Worker]] = []  # a heap
        self._order = itertools.count()
        self._clock = 0.0

    def push(self, used: float, worker: Worker) -> None:
        worker.is_queued = True
        used = min(max(used, self._clock), self._clock + limits.TURN_SECONDS)
        heappush(self.waiting, (used, next(self._order), worker))

    def pop(self) -> Worker:
        used, _, worker = heappop(self.waiting)
        self._clock = max(self._clock, used)
        worker.is_queued = False
        return worker

    def charge(self, used: float, elapsed: float) -> float:
        start = max(used, self._clock)
        waiting = self.waiting
        self._clock = self._clock + elapsed / (len(waiting) + 1) if waiting else start
        return start + elapsed


class Scheduler:
    """Gives workers their turns.

    Work that arrives while the loop is free is done at once. The time of such turns counts
    together until the loop has looked at its sockets again: many connections cannot fill a round
    of it with a turn each. `now` is the clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self.time = now()
        """When the turn under way began."""
        self._queue, self._slow_queue = _Queue(), _Queue()
        self._spent = 0.0  # since the loop has looked at its sockets
        self._open = 0  # connections
        self._current: Worker | None = None
        self._round: asyncio.Handle | None = None
        self._longest = limits.TURN_SECONDS  # a turn: one step while connections are accepted
        self._unread = 0  # rounds of the loop until all that has arrived was read
        self._slow_from = 0.0  # when a slow step may begin though others wait
        self.is_accepting = False
        """Whether a connection was accepted since the loop has looked at its sockets."""
        self._shares: WeakValueDictionary[str, Share] = WeakValueDictionary()

    def share_of(self, peer: str | None) -> Share:
        """The share of a client: that of its address; of its own on this machine."""
        if peer is None or ip_address(peer.partition("%")[0]).is_loopback:
            return Share()
        return self._shares.setdefault(peer, Share())

    def accept(self) -> None:
        """Note that a connection was accepted: others may wait for it.

        The loop accepts one connection in each of its rounds, which are short until all are.
        """
        self._open += 1
        self.is_accepting = True
        self._unread = limits.ROUNDS_TO_READ
        self._longest = 0
        self._schedule_round()

    def leave(self) -> None:
        """Note that a connection that was accepted has closed."""
        self._open -= 1

    def run(self, worker: Worker, *, at_once: bool = True) -> None:
        """Do the work of a worker: at once if it may and the loop is free, or in its turn."""
        if worker.is_queued:
            return
        if self._current is not None:
            if worker is not self._current:
                self._enqueue(worker)
            return
        is_busy = self._spent > self._longest or (self.is_accepting and self._queue.waiting)
        if is_busy or not at_once:
            self._enqueue(worker)
        else:
            self._take_turn(worker, self._longest)
        if self._spent or self._queue.waiting or self._slow_queue.waiting:
            self._schedule_round()

    def wait(self, worker: Worker, future: Future[Any]) -> None:
        """Let a worker go on once a future of another thread is done."""
        loop = asyncio.get_running_loop()

        def go_on(_: Future[Any]) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self.run, worker)

        future.add_done_callback(go_on)

    def _take_turn(self, worker: Worker, seconds: float) -> None:
        self._current = worker
        self.time = started = now = self._now()
        has_more, was_slow = False, worker.is_slow
        try:
            while has_more := worker.step():
                now = self._now()
                is_slow = worker.is_slow
                if now - started > seconds or (is_slow and not self._is_free(now - started)):
                    break
                was_slow |= is_slow
        except Exception as error:  # noqa: BLE001  # a bug: the other workers must go on
            has_more = False
            worker.fail(error)
        finally:
            self._current = None
        elapsed = (now if has_more else self._now()) - started
        if elapsed > limits.UNCOUNTED_SECONDS:
            self._charge(worker.share, elapsed, is_slow=was_slow)
        if has_more:
            self._enqueue(worker)
        elif worker.has_input is not worker.is_held:
            worker.hold()

    def _is_free(self, spent: float) -> bool:
        is_first = not (self._queue.waiting or self._unread)
        return is_first and self._spent + spent <= limits.TURN_SECONDS

    def _charge(self, share: Share, elapsed: float, *, is_slow: bool) -> None:
        if self._open != 1 or elapsed > limits.TURN_SECONDS:
            # The only connection has one turn in each round of the loop as it is. A round for
            # each of its requests would cost them 25 microseconds.
            self._spent += elapsed
        if is_slow:
            share.slow = self._slow_queue.charge(share.slow, elapsed)
            self._slow_from = self._now() + limits.QUICK_SHARE * elapsed
        else:
            share.used = self._queue.charge(share.used, elapsed)
        if elapsed > limits.TURN_SECONDS:  # connections may have arrived meanwhile
            self._unread = limits.ROUNDS_TO_READ

    def _enqueue(self, worker: Worker) -> None:
        if worker.is_slow:
            if not self._slow_queue.waiting:
                self._slow_from = max(self._slow_from, self._now() + limits.TURN_SECONDS)
            self._slow_queue.push(worker.share.slow, worker)
        else:
            self._queue.push(worker.share.used, worker)
        if worker.has_input is not worker.is_held:
            worker.hold()

    def _schedule_round(self) -> None:
        # Answering a new connection takes several rounds of the loop.
        if self._round is None:
            loop = asyncio.get_running_loop()
            if self._spent > limits.TURN_SECONDS:
                self._round = loop.call_later(limits.YIELD_SECONDS, self._run_round)
            else:
                self._round = loop.call_soon(self._run_round)

    def _run_round(self) -> None:
        self._round = None
        self._spent = 0.0
        self._longest = 0.0 if self.is_accepting else limits.TURN_SECONDS
        self.is_accepting = False
        end = self._now() + self._longest
        while self._queue.waiting:
            self._take_turn(self._queue.pop(), min(limits.SLICE_SECONDS, self._longest))
            if self._now() > end:
                break
        while self._slow_queue.waiting and (self._is_free(0.0) or self._now() >= self._slow_from):
            self._take_turn(self._slow_queue.pop(), limits.TURN_SECONDS)
            if self._spent > limits.TURN_SECONDS:
                break
        self._unread = max(self._unread - 1, 0)
        if self._spent or self._queue.waiting or self._slow_queue.waiting or self._unread:
            self._schedule_round()


class _Answer(Generic[Result]):
    """The result of work in turns, as a worker of its own."""

    is_queued = is_slow = has_input = is_held = False

    def __init__(self, steps: Slices[Result], turns: Scheduler, share: Share) -> None:
        self.share = share
        self._turns = turns
        self.done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._steps: Slices[Result] | None = steps

    def close(self) -> None:
        self._steps = None
        self.is_slow = False

    def step(self) -> bool:
        if self._steps is None or self.done.done():  # the waiting request was cancelled
            return False
        try:
            turn = next(self._steps)
        except StopIteration as end:
            self.done.set_result(end.value)
            return False
        if turn is not QUICK and turn is not SLOW:
            self.is_slow = False
            self._turns.wait(self, turn)
            return False
        self.is_slow = turn
        return True

    def hold(self) -> None:
        """Nothing: the application reads its input itself."""

    def fail(self, error: Exception) -> None:
        self.done.set_exception(error)


async def answer_in_slices(turns: Scheduler, steps: Slices[Result], peer: str | None) -> Result:
    """The result of work in turns, such as an answer, for a client at that address."""
    answer = _Answer(steps, turns, turns.share_of(peer))
    turns.run(answer)
    try:
        return await answer.done
    finally:
        answer.close()
