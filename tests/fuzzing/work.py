"""Work that is counted in calls of functions and bytes, on any machine the same."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

Result = TypeVar("Result")


def bounded(work: Callable[[], Result], *, calls: float, memory: float) -> Result:
    """The result of some work; raises `AssertionError` if it takes more calls, or more bytes."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in {"call", "c_call"}
        if counted > calls:
            raise AssertionError(f"more than {calls:,.0f} calls of functions")

    before = sys.getprofile()
    tracemalloc.start()
    sys.setprofile(count)
    try:
        result = work()
    finally:
        sys.setprofile(before)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak <= memory, f"{peak:,} bytes of memory, more than {memory:,.0f}"
    return result
