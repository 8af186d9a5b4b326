"""Measuring things against each other: in turns, so that a busy machine is fair to all."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

MILLISECONDS = 1_000.0
WARMTH = 10

Run = Callable[[], float]
"""One round of a workload; it gives what it measured."""


@dataclass
class Measured:
    """What one contender did in every round of a workload, or why it could not."""

    group: str
    workload: str
    who: str
    unit: str = "ms"
    samples: list[float] = field(default_factory=list)
    failure: str = ""

    @property
    def median(self) -> float:
        """The middle of the samples."""
        return statistics.median(self.samples)

    @property
    def spread(self) -> float:
        """Half the way from the lowest to the highest sample, as a share of the median."""
        return (max(self.samples) - min(self.samples)) / 2 / (self.median or 1)


def in_turns(group: str, workload: str, runs: Mapping[str, Run], rounds: int) -> list[Measured]:
    """Every contender once a round, each time another first; one that fails is left out."""
    measured = {who: Measured(group, workload, who) for who in runs}
    order = list(runs)
    for _ in range(rounds):
        for who in order:
            if not measured[who].failure:
                _one_round(measured[who], runs[who])
        order = order[1:] + order[:1]
    return list(measured.values())


def _one_round(measured: Measured, run: Run) -> None:
    gc.collect()
    try:
        measured.samples.append(run())
    except Exception as error:  # noqa: BLE001  # whatever a node of others cannot do goes into the table
        measured.failure = f"{type(error).__name__}: {error}"


def timed(work: Callable[[int], object], count: int) -> float:
    """How long one of so many took, in milliseconds; some before them warm up and do not count."""
    if count > 1:
        work(count // WARMTH + 1)
    begun = time.perf_counter()
    work(count)
    return (time.perf_counter() - begun) / count * MILLISECONDS
