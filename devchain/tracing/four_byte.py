"""Which functions were called, by selector and size of their arguments."""

from __future__ import annotations

from collections import Counter

from devchain.tracing.frames import SELFDESTRUCT, Frame

SELECTOR = 4


def selectors(top: Frame) -> dict[tuple[bytes, int], int]:
    """How often each selector came with so many bytes of arguments; precompiles do not count."""
    return Counter(
        (frame.input[:SELECTOR], len(frame.input) - SELECTOR)
        for frame in top.walk()
        if len(frame.input) >= SELECTOR and not _is_apart(frame)
    )


def _is_apart(frame: Frame) -> bool:
    return frame.precompiled or frame.is_creation or frame.kind == SELFDESTRUCT
