"""Measuring contenders in turns, so that the load of the machine affects all alike."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

MILLISECONDS = 1_000.0
WARM_UP_SHARE = 10

Run = Callable[[], float]
"""One round of a workload; it returns the measured value."""


@dataclass
class Measured:
    """The samples of one contender (`who`) for a workload, or the error that it failed with.

    `upstream`, of forks, has for each sample the calls sent upstream and their round trips.
    """

    group: str
    workload: str
    who: str
    unit: str = "ms"
    samples: list[float] = field(default_factory=list)
    failure: str = ""
    upstream: list[tuple[int, int]] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median of the samples."""
        return statistics.median(self.samples)

    @property
    def spread(self) -> float:
        """Half the range of the samples, as a share of the median."""
        return (max(self.samples) - min(self.samples)) / 2 / (self.median or 1)

    @property
    def traffic(self) -> tuple[int, int] | None:
        """The medians of `upstream`; None if there is none."""
        if not self.upstream:
            return None
        calls, trips = zip(*self.upstream, strict=True)
        return statistics.median_high(calls), statistics.median_high(trips)


def in_slices(group: str, workload: str, runs: Mapping[str, Run], rounds: int) -> list[Measured]:
    """Run every contender once per round, in rotating order, until it fails."""
    measured = {name: Measured(group, workload, name) for name in runs}
    order = list(runs)
    for _ in range(rounds):
        for name in order:
            if not measured[name].failure:
                _one_round(measured[name], runs[name])
        order = order[1:] + order[:1]
    return list(measured.values())


def _one_round(measured: Measured, run: Run) -> None:
    gc.collect()
    try:
        measured.samples.append(run())
    except Exception as error:  # noqa: BLE001  # a failure of another node is a result
        measured.failure = f"{type(error).__name__}: {error}"


def timed(work: Callable[[int], object], count: int) -> float:
    """Milliseconds per repetition of `count`, measured after a warm-up."""
    if count > 1:
        work(count // WARM_UP_SHARE + 1)
    begun = time.perf_counter()
    work(count)
    return (time.perf_counter() - begun) / count * MILLISECONDS
