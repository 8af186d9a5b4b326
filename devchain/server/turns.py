"""Turns: the one rule by which connections share the event loop's thread.

A connection, and an answer of the Quart application, is a `Worker`. It does its work in steps: it
parses a piece of its input or a frame, runs one call, sends one notification. A turn is as many
steps as fit into `TURN_SECONDS`; what is left waits in a queue, and the connection is not read
meanwhile. From the queue the worker goes first that has used the least time, so that a client with
one small request never waits for more than the turn under way, whatever the others have sent.

    A has sent 200,000 pings, B an endless `eth_call`, C asks for the block number:

    A 10 ms | pause, C | A 10 ms | B until its deadline | C | A 10 ms | pause, C | ...

A single call is never interrupted by this; its deadline (`--request-timeout`) bounds it.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Generator
from heapq import heappop, heappush
from ipaddress import ip_address
from typing import Protocol
from weakref import WeakValueDictionary

from devchain.server import limits

Steps = Generator[None, None, bytes | None]
"""A running `Dispatcher.serve`: yields between the calls of a batch, returns the response."""


class Share:
    """The time that a client has used, in seconds, on the scheduler's clock."""

    __slots__ = ("__weakref__", "used")

    def __init__(self) -> None:
        self.used = 0.0


class Worker(Protocol):
    """What does its work in turns."""

    share: Share
    is_queued: bool  # kept by the scheduler; False at first
    has_input: bool  # that was not parsed yet
    is_held: bool  # not read because of such input

    def step(self) -> bool:
        """Do a small piece of the work; return whether there may be more."""

    def hold(self) -> None:
        """Read no more if input waits for the next turn, else read on."""

    def fail(self, error: Exception) -> None:
        """A step has raised an exception, which is a bug."""


class TurnScheduler:
    """Gives workers their turns.

    Work that arrives while the loop is free is done at once. The time of such turns counts
    together until the loop has looked at its sockets again: many connections cannot fill a round
    of it with a turn each. `now` is the clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self.time = now()
        """When the turn under way began."""
        self._queue: list[tuple[float, int, Worker]] = []
        self._order = itertools.count()
        self._clock = 0.0  # the time used by those whose turn has come
        self._spent = 0.0  # since the loop has looked at its sockets
        self._current: Worker | None = None
        self._round: asyncio.Handle | None = None
        self._longest = limits.TURN_SECONDS  # a turn: one step while connections are accepted
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
        self.is_accepting = True
        self._longest = 0
        self._schedule_round()

    def run(self, worker: Worker) -> None:
        """Do the work of a worker: at once if the loop is free, else when its turn comes."""
        if worker.is_queued:
            return
        if self._current is not None:
            if worker is not self._current:
                self._enqueue(worker)
            return
        if self._spent > self._longest:
            self._enqueue(worker)
        else:
            self._take_turn(worker)
        if self._spent or self._queue:
            self._schedule_round()

    def _take_turn(self, worker: Worker) -> None:
        self._current = worker
        self.time = started = now = self._now()
        has_more = False
        try:
            while has_more := worker.step():
                now = self._now()
                if now - started > self._longest:
                    break
        except Exception as error:  # noqa: BLE001  # a bug: the other workers must go on
            worker.fail(error)
        finally:
            self._current = None
        elapsed = (now if has_more else self._now()) - started
        if elapsed > limits.UNCOUNTED_SECONDS:
            self._charge(worker.share, elapsed)
        if has_more:
            self._enqueue(worker)
        elif worker.has_input is not worker.is_held:
            worker.hold()

    def _charge(self, share: Share, elapsed: float) -> None:
        share.used = max(share.used, self._clock - limits.CREDIT_SECONDS) + elapsed
        self._spent += elapsed

    def _enqueue(self, worker: Worker) -> None:
        worker.is_queued = True
        used = max(worker.share.used, self._clock - limits.CREDIT_SECONDS)
        heappush(self._queue, (used, next(self._order), worker))
        if worker.has_input is not worker.is_held:
            worker.hold()

    def _schedule_round(self) -> None:
        """Go on when the loop has looked at its sockets; after a long turn it does so at leisure.

        Answering a new connection takes several rounds of the loop.
        """
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
        while self._queue:
            used, _, worker = heappop(self._queue)
            worker.is_queued = False
            self._clock = max(self._clock, used)
            self._take_turn(worker)
            if self._now() > end:
                break
        if self._spent or self._queue:
            self._schedule_round()


class _Answer:
    """The answer of a dispatcher, as a worker of its own."""

    is_queued = has_input = is_held = False

    def __init__(self, steps: Steps, share: Share) -> None:
        self.share = share
        self.done: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        self._steps = steps

    def step(self) -> bool:
        if self.done.done():  # the waiting request was cancelled
            return False
        try:
            next(self._steps)
        except StopIteration as end:
            self.done.set_result(end.value)
            return False
        return True

    def hold(self) -> None:
        """Nothing: the application reads its input itself."""

    def fail(self, error: Exception) -> None:
        self.done.set_exception(error)


async def answer_in_turns(turns: TurnScheduler, steps: Steps, peer: str | None) -> bytes | None:
    """The answer of a dispatcher's steps, to a client at that address."""
    answer = _Answer(steps, turns.share_of(peer))
    turns.run(answer)
    return await answer.done
