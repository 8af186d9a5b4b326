"""Work in turns: a generator that yields wherever others may be served, and returns a result.

A turn is a few milliseconds, and the generator yields `QUICK` before it. Before one that may take
longer, since it runs a contract or reads much, it yields `SLOW`: a server then answers other
clients' quick requests first. What the work reads may have changed after each turn: others'
requests are answered in between. Before a turn that needs what another thread is fetching, it
yields that future.
"""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future
from typing import Any, Final, TypeVar

Result = TypeVar("Result")

QUICK: Final = False
SLOW: Final = True
"""What a generator yields before a turn that may take long."""

Turns = Generator[bool | Future[Any], None, Result]


def wait_for(future: Future[Result]) -> Turns[Result]:
    """The result of a future, in a later turn; a turn that comes too early yields it again."""
    while not future.done():
        yield future
    return future.result()


def finish(turns: Turns[Result]) -> Result:
    """The result of work in turns, done at once."""
    while True:
        try:
            turn = next(turns)
        except StopIteration as done:
            result: Result = done.value
            return result
        if turn is not QUICK and turn is not SLOW:
            turn.exception()  # waits; the work itself raises it
