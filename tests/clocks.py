"""Clocks for tests: time passes when it is looked at, or when it is told to."""

from __future__ import annotations


class Ticks:
    """A clock on which `step` seconds pass every time somebody looks."""

    def __init__(self, step: float = 1.0) -> None:
        self.step = step
        self.seconds = 0.0

    def __call__(self) -> float:
        """What it shows."""
        self.seconds += self.step
        return self.seconds
