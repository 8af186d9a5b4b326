"""`python -m bench.fuzzing.workers`: calls of a campaign on one process and on two workers.

Counted for each second of CPU time of a campaign, as if each process had a core to itself, and for
each second from the start of the first campaign to the end of the last one, which says nothing
while other programs keep the cores busy. Two processes that exchange nothing show what sharing the
machine costs. All take turns, each from an empty corpus.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

CONTRACTS = Path(__file__).parents[2] / "examples" / "property" / "contracts"
WAYS = {"one process": (1, 1), "two processes": (1, 2), "two workers, one corpus": (2, 1)}
"""Workers of pytest-xdist and processes of pytest; the two processes have a corpus each."""
TEST = f"""
import json, os, time
from pathlib import Path
import pytest
from devchain.fuzzing import ContractMachine

@pytest.mark.devchain_campaign
def test_both(devchain):
    names = ("Pool.json", "Safe.json")
    pool, safe = (devchain.deploy(Path({str(CONTRACTS)!r}) / name) for name in names)

    class Both(ContractMachine):
        targets = (pool, safe)

    Both.campaign(calls=2_000)  # compiles
    start, before = time.monotonic(), time.process_time()
    report = Both.campaign(calls=%d)
    used = time.process_time() - before
    Path(f"{{os.getpid()}}.report").write_text(
        json.dumps([report.counts.calls, used, start, time.monotonic()])
    )
"""


class Rate(NamedTuple):
    """Calls a second: of CPU time, the sum of all processes, and by the clock."""

    cpu: float
    clock: float


def run(workers: int, processes: int, calls: int) -> Rate:
    """Run the campaign with so many workers in each of so many processes that exchange nothing."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as started:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        options = ["-n", str(workers)] if workers > 1 else []
        for number in range(processes):
            place = Path(folder) / str(number)
            place.mkdir()
            (place / "test_both.py").write_text(TEST % calls)
            started.enter_context(
                subprocess.Popen([*command, *options], cwd=place, stdout=subprocess.DEVNULL)
            )
        started.close()
        reports = [json.loads(each.read_bytes()) for each in Path(folder).glob("*/*.report")]
    if len(reports) != workers * processes:
        sys.exit(f"{len(reports)} of {workers * processes} ran the campaign")
    calls_made, _, starts, ends = zip(*reports, strict=True)
    return Rate(
        cpu=sum(calls / used for calls, used, *_ in reports),
        clock=sum(calls_made) / (max(ends) - min(starts)),
    )


def columns(rates: list[Rate], found: dict[str, list[Rate]], kind: str) -> list[str]:
    """The median of a kind of rate, its range, and how many times that of one process it is."""
    each = [getattr(rate, kind) for rate in rates]
    one = statistics.median(getattr(rate, kind) for rate in found["one process"])
    middle = statistics.median(each)
    return [f"{middle:,.0f}", f"{min(each):,.0f} to {max(each):,.0f}", f"{middle / one:.2f}"]


def main(arguments: Sequence[str]) -> None:
    """Run all three in turns and print one table."""
    parser = argparse.ArgumentParser(prog="python -m bench.fuzzing.workers")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--calls", type=int, default=20_000, metavar="N")
    options = parser.parse_args(arguments)
    found: dict[str, list[Rate]] = {}
    for _ in range(options.rounds):
        for name, (workers, processes) in WAYS.items():
            found.setdefault(name, []).append(run(workers, processes, options.calls))
    table = Table(
        "", "Calls a CPU second", "Range", "Ratio", "A second", "Range", "Ratio", box=None
    )
    for name, rates in found.items():
        table.add_row(name, *columns(rates, found, "cpu"), *columns(rates, found, "clock"))
    Console(width=120).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
