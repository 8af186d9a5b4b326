"""Work in slices: a generator that yields where others may be served, and returns a result.

A slice is a few milliseconds of work. The generator yields `QUICK` before a slice, `SLOW` before
one that may take longer because it runs a contract or reads much, and a `Future` before one that
needs what another thread is fetching. Others' requests are answered in between, so that what the
work has read may have changed after each slice.
"""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any, Final, TypeVar

Result = TypeVar("Result")

QUICK: Final = False
SLOW: Final = True

Slices = Generator[bool | Future[Any], None, Result]


class ClientWait(Future[None]):
    """A wait for what another client does, such as mine a block, of at most so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds

    def end(self) -> None:
        with suppress(InvalidStateError):  # it has ended already
            self.set_result(None)


def wait_for(future: Future[Result]) -> Slices[Result]:
    """The result of a future, in a later slice; a slice that comes too early yields it again."""
    while not future.done():
        yield future
    return future.result()


def finish(slices: Slices[Result]) -> Result:
    while True:
        try:
            awaited = next(slices)
        except StopIteration as end:
            result: Result = end.value
            return result
        if isinstance(awaited, ClientWait):
            awaited.end()  # no others are served meanwhile
        if isinstance(awaited, Future):
            awaited.exception()  # waits; the work itself raises it
