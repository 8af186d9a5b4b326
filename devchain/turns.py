"""Work in turns: a generator that yields wherever others may be served, and returns a result.

A turn is a few milliseconds, and the generator yields `QUICK` before it. Before one that may take
longer, since it runs a contract or reads much, it yields `SLOW`: a server then answers other
clients' quick requests first. What the work reads may have changed after each turn: others'
requests are answered in between.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final, TypeVar

Result = TypeVar("Result")

QUICK: Final = False
SLOW: Final = True
"""What a generator yields before a turn that may take long."""

Turns = Generator[bool, None, Result]


def finish(turns: Turns[Result]) -> Result:
    """The result of work in turns, done at once."""
    while True:
        try:
            next(turns)
        except StopIteration as done:
            result: Result = done.value
            return result
