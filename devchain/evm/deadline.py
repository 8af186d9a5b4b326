"""The time limit of the request at work: set once at the door, checked wherever work can be long.

`within(seconds, now)` sets it for what runs inside; `check()` raises `ExecutionTimedOut` once it
has passed, and costs a tenth of a microsecond. An engine checks at every message and in every
loop, at least once in some 10 ms: the interpreter at each 16th JUMPDEST, compiled code at the
back-edges of its loops, precompiled contracts between pairs of points, searches between blocks.
`ExecutionTimedOut` is no failure of the EVM: it passes every frame on its way to the caller, who
throws the state away.

What is mined must not depend on time, or a block would not be the same when it is run again. So
the limit of a request does not hold for mining: a transaction is in a block whole or, when it takes
longer than `--execution-timeout`, not at all; the miner drops it as one that can never be mined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from devchain.errors import ExecutionTimedOut

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Deadline:
    """When the clock `now` shows `expires`, the `seconds` that were allowed have passed."""

    expires: float
    seconds: float
    now: Callable[[], float]


# One a thread, and one a task of the server's: nodes in other threads have their own.
_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


class _Within:
    """A deadline while it is entered; a generator would take three times as long to make."""

    __slots__ = ("_deadline", "_token")

    def __init__(self, deadline: Deadline | None) -> None:
        self._deadline = deadline

    def __enter__(self) -> None:
        self._token = _current.set(self._deadline)

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)


def within(seconds: float, now: Callable[[], float]) -> _Within:
    """Let what runs inside take that long by the clock `now`; 0 lets it take for ever.

    Inside another deadline this one counts, be it later.
    """
    return _Within(Deadline(now() + seconds, seconds, now) if seconds else None)


def expired() -> bool:
    """Whether there is a deadline and it has passed."""
    current = _current.get()
    return current is not None and current.now() >= current.expires


def check() -> None:
    """Raise `ExecutionTimedOut` if there is a deadline and it has passed."""
    current = _current.get()
    if current is not None and current.now() >= current.expires:
        raise ExecutionTimedOut(current.seconds)


def checked(items: Iterable[Item], every: int = 1) -> Iterator[Item]:
    """The items, with a check before every so many of them."""
    for position, item in enumerate(items):
        if position % every == 0:
            check()
        yield item
