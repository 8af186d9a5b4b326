"""What contracts say to `console.log` while they run, for whoever listens.

Nothing in the chain depends on it: the console's address has no code, and a call to it does what a
call to any such address does. It is heard by the fast engine; a trace shows it under either.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# What a loop prints must not fill the memory.
MOST_HEARD = 10_000

_heard: ContextVar[list[bytes] | None] = ContextVar("console", default=None)


@contextmanager
def listening() -> Iterator[list[bytes]]:
    """The calls of the console, as call data, that are made while it is open."""
    calls: list[bytes] = []
    token = _heard.set(calls)
    try:
        yield calls
    finally:
        _heard.reset(token)


def say(call_data: bytes) -> None:
    """Let a listener, if there is one, hear a call of the console."""
    calls = _heard.get()
    if calls is not None and len(calls) < MOST_HEARD:
        calls.append(call_data)
