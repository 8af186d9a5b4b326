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
MAX_BYTES = 4 * 1024 * 1024
"""Call data recorded at a time."""


class _Calls(list[bytes]):
    """Recorded calls, and how many bytes of call data they have."""

    size = 0


_calls: ContextVar[_Calls | None] = ContextVar("console", default=None)


@contextmanager
def console_calls() -> Iterator[list[bytes]]:
    """The call data of the console calls made inside the `with` block, in order."""
    calls = _Calls()
    token = _calls.set(calls)
    try:
        yield calls
    finally:
        _calls.reset(token)


def record_console_call(call_data: bytes) -> None:
    """Add a call to the list of the innermost `console_calls`, if there is one."""
    calls = _calls.get()
    if calls is None or len(calls) >= MAX_CALLS or calls.size + len(call_data) > MAX_BYTES:
        return
    calls.append(call_data)
    calls.size += len(call_data)
