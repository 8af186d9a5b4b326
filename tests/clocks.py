"""Clocks that tests control: sources of `devchain.clock.Clock`, and of deadlines."""

from __future__ import annotations


class Ticks:
    """A clock that advances by `step` seconds on every reading."""

    def __init__(self, step: float = 1.0) -> None:
        self.step = step
        self.seconds = 0.0

    def __call__(self) -> float:
        """Seconds since the start."""
        self.seconds += self.step
        return self.seconds


class Stopwatch:
    """A clock whose time a test sets."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    def __call__(self) -> float:
        """The present time in seconds."""
        return self.seconds
