"""The deadline of a request: set once by the dispatcher, checked in everything that can take long.

It is checked at least once in some 10 ms: by both engines at each message, by the interpreter every
so many opcodes, by compiled code by its gas, by searches between blocks. `ExecutionTimedOut` is no
failure of the EVM: it ends every frame and is raised to the caller, which discards the state.

What counts is CPU time of the request's own slices, `Clock.cpu_time`: neither what else the machine
does, nor other requests, nor waiting for an upstream node makes a request fail.

A mined block must not depend on time, or it could not be replayed: a transaction is in a block
whole or, if it takes more CPU time than `--execution-timeout`, not at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator
from contextvars import ContextVar, Token
from typing import Self, TypeVar

from devchain.errors import ExecutionTimedOut

Item = TypeVar("Item")
Result = TypeVar("Result")

NEVER = math.inf
UNMEASURED = 0.01
"""So many seconds after its start the CPU time of a request is first measured."""


class Deadline:
    """A context manager: inside, `check` raises once the request has used `seconds` of CPU time.

    The CPU clock is a system call of 0.8 us, the monotonic clock takes a tenth of that and is never
    slower: until it has passed the limit, the CPU clock cannot have. So the CPU clock is first read
    `UNMEASURED` seconds after the start, which most requests never reach, and again when at the
    earliest all that is left may have been used. With a limit of 5 s, on a machine that gives this
    thread half of its time, it is read after 0.01 s, 5 s, 7.5 s and so on. What was used before the
    first reading is known to 0.02 s only.

    A class, since every request makes one: a generator takes three times as long to make, a frozen
    dataclass twice.
    """

    __slots__ = ("_token", "cpu_time", "expires", "monotonic", "next_reading", "seconds")

    def __init__(
        self,
        seconds: float,
        cpu_time: Callable[[], float],
        monotonic: Callable[[], float] | None = None,
    ) -> None:
        """Without `monotonic` the CPU clock is read at each check."""
        self.seconds = seconds
        self.cpu_time = cpu_time
        self.monotonic = monotonic or cpu_time
        self.restart()

    def __enter__(self) -> Self:
        self._token: Token[Deadline | None] = _current.set(self if self.seconds else None)
        return self

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)

    def restart(self) -> None:
        """Begin anew, for the next of several requests in a `with` block."""
        seconds = self.seconds
        started = self.monotonic()
        self.expires = NEVER  # not known until the CPU clock is read
        if not seconds:
            self.suspend()
        elif self.monotonic is self.cpu_time:
            self.expires = self.next_reading = started + seconds
        elif seconds < UNMEASURED:
            self.next_reading = started + seconds
        else:
            self.next_reading = started + UNMEASURED

    def suspend(self) -> None:
        """Remove the limit until it begins anew."""
        self.next_reading = NEVER

    def has_passed(self, ahead: float = 0.0) -> bool:
        """Whether the limit has been reached, or will be after `ahead` more seconds of work."""
        now = self.monotonic()
        if now + ahead < self.next_reading:
            return False
        used_until = self.cpu_time()
        if self.expires == NEVER:
            # Other threads and processes may have run since the start: of a long time it is not
            # known how much was used. Checks are frequent, so it was not much.
            used = min(now - self.next_reading, UNMEASURED) + UNMEASURED
            self.expires = used_until - used + self.seconds
        left = self.expires - used_until
        self.next_reading = now + left
        return left <= ahead

    def own_time(self, work: Generator[Item, None, Result]) -> Generator[Item, None, Result]:
        """Do work in slices, between which the time does not count."""
        while True:
            try:
                pause = next(work)
            except StopIteration as done:
                result: Result = done.value
                return result
            if self.expires == NEVER:  # nothing has been measured
                yield pause
            else:
                paused = self.cpu_time()
                yield pause
                self.expires += self.cpu_time() - paused


# A value for each thread and each task of the server: nodes in other threads have their own.
_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


within = Deadline
"""Limits a `with` block to so many seconds, 0 for no limit, whatever deadline is around it."""


def expired() -> bool:
    """Whether there is a deadline and it has passed."""
    current = _current.get()
    return current is not None and current.has_passed()


def check() -> None:
    """Raise `ExecutionTimedOut` if there is a deadline and it has passed."""
    current = _current.get()
    if current is None or current.monotonic() < current.next_reading:
        return
    if current.has_passed():
        raise ExecutionTimedOut(current.seconds)


def check_work(seconds: float) -> None:
    """As `check`, before work of about that many seconds that cannot be interrupted."""
    current = _current.get()
    if current is not None and current.has_passed(seconds):
        raise ExecutionTimedOut(current.seconds)


def checked(items: Iterable[Item], every: int = 1) -> Iterator[Item]:
    """The items, with a check before each, or before each `every`th."""
    for position, item in enumerate(items):
        if position % every == 0:
            check()
        yield item
