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
from contextvars import ContextVar, Token
from typing import TypeVar

from devchain.errors import ExecutionTimedOut

Item = TypeVar("Item")


class Deadline:
    """When the clock `now` shows `expires`, the `seconds` that were allowed have passed.

    It is in force while it is entered. A class of its own, for every request makes one: a
    generator takes three times as long to make, a frozen dataclass twice.
    """

    __slots__ = ("_token", "expires", "now", "seconds")

    def __init__(self, seconds: float, now: Callable[[], float]) -> None:
        """Allow that many seconds from now on; 0 are no limit."""
        self.seconds = seconds
        self.now = now
        self.expires = now() + seconds if seconds else 0.0

    def __enter__(self) -> None:
        """Let it count, and none that counted before."""
        self._token: Token[Deadline | None] = _current.set(self if self.seconds else None)

    def __exit__(self, *_: object) -> None:
        """Let the one before count again."""
        _current.reset(self._token)


# One a thread, and one a task of the server's: nodes in other threads have their own.
_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def within(seconds: float, now: Callable[[], float]) -> Deadline:
    """Let what runs inside take that long by the clock `now`; 0 lets it take for ever.

    Inside another deadline this one counts, be it later.
    """
    return Deadline(seconds, now)


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
