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


class Deadline:
    """A context manager: inside, `check` raises once the clock `now` shows `expires`.

    A class, since every request makes one: a generator takes three times as long to make, a frozen
    dataclass twice.
    """

    __slots__ = ("_token", "expires", "now", "seconds")

    def __init__(self, seconds: float, now: Callable[[], float]) -> None:
        self.seconds = seconds
        self.now = now
        self.expires = now() + seconds if seconds else math.inf

    def __enter__(self) -> Self:
        self._token: Token[Deadline | None] = _current.set(self if self.seconds else None)
        return self

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)

    def restart(self) -> None:
        """Begin anew, for the next of several requests in a `with` block."""
        self.expires = self.now() + self.seconds

    def suspend(self) -> None:
        """Remove the limit until it begins anew."""
        self.expires = math.inf

    def own_time(self, work: Generator[Item, None, Result]) -> Generator[Item, None, Result]:
        """Do work in slices, between which the time does not count."""
        while True:
            try:
                pause = next(work)
            except StopIteration as done:
                result: Result = done.value
                return result
            paused = self.now()
            yield pause
            self.expires += self.now() - paused


# A value for each thread and each task of the server: nodes in other threads have their own.
_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


within = Deadline
"""Limits a `with` block to so many seconds, 0 for no limit, whatever deadline is around it."""


def expired() -> bool:
    """Whether there is a deadline and it has passed."""
    current = _current.get()
    return current is not None and current.now() >= current.expires


def check() -> None:
    """Raise `ExecutionTimedOut` if there is a deadline and it has passed."""
    current = _current.get()
    if current is not None and current.now() >= current.expires:
        raise ExecutionTimedOut(current.seconds)


def check_work(seconds: float) -> None:
    """As `check`, before work of about that many seconds that cannot be interrupted."""
    current = _current.get()
    if current is not None and current.now() + seconds >= current.expires:
        raise ExecutionTimedOut(current.seconds)


def checked(items: Iterable[Item], every: int = 1) -> Iterator[Item]:
    """The items, with a check before each, or before each `every`th."""
    for position, item in enumerate(items):
        if position % every == 0:
            check()
        yield item
