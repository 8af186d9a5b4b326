"""The memory that one execution may take: a transaction or a call, with every message inside it.

What counts is the memory of the running frames, of each in steps of 64 KiB if it has more than one,
and what is kept until the end: logs, and nested messages that changed something. Exceeding the
limit is no failure of the EVM, and no mined block depends on it: 30 million gas buy 104 MB in
Ethereum's 1024 frames, and only calls and blocks with far more gas reach the default.
"""

from __future__ import annotations

from contextvars import ContextVar

from devchain.errors import ExecutionTooLarge

DEFAULT_LIMIT = 128 * 1024 * 1024
STEP_BITS = 16
FREE_BYTES = 1 << STEP_BITS  # uncounted memory of a frame; more counts in steps of that size


class ExecutionMemory:
    """The bytes that an execution has taken, and how many it may take."""

    __slots__ = ("limit", "taken")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.taken = 0

    def take(self, size: int) -> None:
        """Count bytes; raises `ExecutionTooLarge`."""
        self.taken += size
        if self.taken > self.limit:
            raise ExecutionTooLarge(self.limit)


# A value for each thread and each task of the server: nodes in other threads have their own.
_current: ContextVar[ExecutionMemory | None] = ContextVar("memory", default=None)


def start(limit: int) -> None:
    """Count from here on for a new execution, which may take that many bytes."""
    _current.set(ExecutionMemory(limit))


def keep(size: int) -> None:
    """Count bytes that are taken until the execution ends, or until they are released."""
    current = _current.get()
    if current is not None:
        current.take(size)


def expand(before: int, after: int) -> None:
    """Count that the memory of a frame grows from one size to another, in bytes."""
    if after > FREE_BYTES:
        keep(_counted(after) - _counted(before))


def release(size: int) -> None:
    """Count that a frame with that much memory has ended."""
    if size > FREE_BYTES:
        keep(-_counted(size))


def _counted(size: int) -> int:
    return -(-size >> STEP_BITS << STEP_BITS) if size > FREE_BYTES else 0
