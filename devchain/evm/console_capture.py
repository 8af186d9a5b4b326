"""Calls of `console.log`, recorded while a transaction or call runs.

Contracts print by calling an address that has no code, so nothing in the chain depends on it. The
fast engine records these calls; traces show them under either engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_CALLS = 10_000
"""Calls recorded at a time: a loop that prints must not fill the memory."""

_calls: ContextVar[list[bytes] | None] = ContextVar("console", default=None)


@contextmanager
def console_calls() -> Iterator[list[bytes]]:
    """The call data of the console calls made inside the `with` block, in order."""
    calls: list[bytes] = []
    token = _calls.set(calls)
    try:
        yield calls
    finally:
        _calls.reset(token)


def record_console_call(call_data: bytes) -> None:
    """Add a call to the list of the innermost `console_calls`, if there is one."""
    calls = _calls.get()
    if calls is not None and len(calls) < MAX_CALLS:
        calls.append(call_data)
