"""Work in turns: a generator that yields wherever others may be served, and returns a result.

A turn is a few milliseconds. What the work reads may have changed after each: others' requests are
answered between two turns.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

Result = TypeVar("Result")

Turns = Generator[None, None, Result]


def finish(turns: Turns[Result]) -> Result:
    """The result of work in turns, done at once."""
    while True:
        try:
            next(turns)
        except StopIteration as done:
            result: Result = done.value
            return result
