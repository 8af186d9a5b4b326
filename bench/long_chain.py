"""Chains that have grown long: memory, and whether anything gets slower.

Run as a program it measures in a process of its own, where nothing else takes memory.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from bench.stage import Stage
from bench.timing import Measured, Run, in_turns, timed
from devchain import Config, Node
from devchain.client.http import LocalClient

GROUP = "long chains"
AT_ONCE = 10_000
TRANSFERS = 10
MEGABYTE = 1_000_000
PEAK_UNIT = 1 if sys.platform == "darwin" else 1_024


@dataclass(frozen=True)
class Sizes:
    """How long the chains are."""

    short: int = 50
    long: int = 50_000
    logs: tuple[int, ...] = (100, 1_000, 10_000)
    count: int = 100


QUICK = Sizes(short=2, long=20, logs=(10, 20), count=1)


def measure(rounds: int, *, quick: bool) -> list[Measured]:
    """Everything here, measured in a new process."""
    order = json.dumps({"rounds": rounds, "quick": quick})
    command = [sys.executable, "-m", "bench.long_chain", order]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return [Measured(**each) for each in json.loads(done.stdout)]


def measured_here(rounds: int, sizes: Sizes) -> Iterator[Measured]:
    """Memory first, while nothing but the node has taken any."""
    with stage() as short, stage() as long:
        grow(short, sizes.short)
        before = peak()
        grow(long, sizes.long)
        taken = (peak() - before) / sizes.long * AT_ONCE / MEGABYTE
        yield Measured(GROUP, f"memory per {AT_ONCE:,} blocks", "devchain", "MB", [taken])
        stages = {f"at block {sizes.short:,}": short, f"at block {sizes.long:,}": long}
        for name, work in WORKS.items():
            runs = {
                who: partial(timed, partial(work, each), sizes.count)
                for who, each in stages.items()
            }
            yield from in_turns(GROUP, name, runs, rounds)
    yield from logs(rounds, sizes)


def logs(rounds: int, sizes: Sizes) -> list[Measured]:
    """The same number of logs found in chains of growing length."""
    runs: dict[str, Run] = {}
    for length in sizes.logs:
        with stage() as grown:
            for _ in range(TRANSFERS):
                grow(grown, length // TRANSFERS - 1)
                grown.transfer()
            runs[f"in {length:,}"] = partial(timed, partial(find_logs, grown), sizes.count)
    return in_turns(GROUP, f"eth_getLogs, {TRANSFERS} found", runs, rounds)


@contextmanager
def stage() -> Iterator[Stage]:
    """A node in this process that takes the time it needs."""
    with Node(Config(request_timeout=0)) as node:
        yield Stage(LocalClient(node))


def grow(stage: Stage, blocks: int) -> None:
    """Mine so many empty blocks."""
    for start in range(0, blocks, AT_ONCE):
        stage.mine(min(AT_ONCE, blocks - start))


def peak() -> int:
    """The most memory this process has taken so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * PEAK_UNIT


def find_logs(stage: Stage, count: int) -> None:
    """Look for the token's logs in the whole chain."""
    wanted = {"fromBlock": "0x1", "toBlock": "latest", "address": stage.token}
    for _ in range(count):
        found: list[Any] = stage.client.call("eth_getLogs", wanted)
        if len(found) != TRANSFERS + 1:
            msg = f"{len(found)} logs found"
            raise RuntimeError(msg)


def snapshots(stage: Stage, count: int) -> None:
    """Take a snapshot and go back to it."""
    for _ in range(count):
        stage.revert(stage.snapshot())


def calls(stage: Stage, count: int) -> None:
    """Call the token."""
    for _ in range(count):
        stage.balance()


def balances(stage: Stage, count: int) -> None:
    """Read a balance."""
    for _ in range(count):
        stage.client.call("eth_getBalance", stage.alice, "latest")


WORKS = {
    "evm_snapshot, evm_revert": snapshots,
    "eth_call of balanceOf": calls,
    "eth_getBalance": balances,
}

if __name__ == "__main__":
    order = json.loads(sys.argv[1])
    sizes = QUICK if order["quick"] else Sizes()
    found = measured_here(order["rounds"], sizes)
    json.dump([asdict(each) for each in found], sys.stdout)
