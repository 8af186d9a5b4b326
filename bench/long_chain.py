"""Benchmarks of long chains: memory per block, and whether requests get slower.

They run in a process of their own, so that its peak memory is that of the node.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.driver import NodeDriver
from bench.timing import Measured, Run, in_slices, timed
from devchain import Config, Node
from devchain.client.http import LocalClient

GROUP = "long chains"
PER_REQUEST = 10_000
TRANSFERS = 10
MEGABYTE = 1_000_000
LINUX_STATUS = Path("/proc/self/status")
PEAK_UNIT = 1 if sys.platform == "darwin" else 1_024


@dataclass(frozen=True)
class Sizes:
    """How many blocks the chains have, and how often each request is made."""

    short: int = 50
    long: int = 50_000
    logs: tuple[int, ...] = (100, 1_000, 10_000)
    count: int = 100


QUICK = Sizes(short=2, long=20, logs=(10, 20), count=1)


def measure(rounds: int, *, quick: bool) -> list[Measured]:
    """Run the benchmarks of this module in a new process."""
    options = json.dumps({"rounds": rounds, "quick": quick})
    command = [sys.executable, "-m", "bench.long_chain", options]
    completed = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return [Measured(**each) for each in json.loads(completed.stdout)]


def run_all(rounds: int, sizes: Sizes) -> Iterator[Measured]:
    """Run the benchmarks in this process; memory first, before anything else uses any."""
    with driver() as short, driver() as long:
        mine_empty(short, sizes.short)
        before = peak_memory()
        mine_empty(long, sizes.long)
        used = (peak_memory() - before) / sizes.long * PER_REQUEST / MEGABYTE
        yield Measured(GROUP, f"memory per {PER_REQUEST:,} blocks", "devchain", "MB", [used])
        drivers = {f"at block {sizes.short:,}": short, f"at block {sizes.long:,}": long}
        for name, work in WORKS.items():
            runs = {
                label: partial(timed, partial(work, each), sizes.count)
                for label, each in drivers.items()
            }
            yield from in_slices(GROUP, name, runs, rounds)
    yield from logs(rounds, sizes)


def logs(rounds: int, sizes: Sizes) -> list[Measured]:
    """The same number of logs found in chains of growing length."""
    runs: dict[str, Run] = {}
    with ExitStack() as stack:
        for length in sizes.logs:
            grown = stack.enter_context(driver())
            for _ in range(TRANSFERS):
                mine_empty(grown, length // TRANSFERS - 1)
                grown.transfer()
            runs[f"in {length:,}"] = partial(timed, partial(find_logs, grown), sizes.count)
        return in_slices(GROUP, f"eth_getLogs, {TRANSFERS} found", runs, rounds)


@contextmanager
def driver() -> Iterator[NodeDriver]:
    """A node in this process, without time limits."""
    with Node(Config(request_timeout=0)) as node:
        yield NodeDriver(LocalClient(node))


def mine_empty(driver: NodeDriver, blocks: int) -> None:
    """Mine that many empty blocks."""
    for start in range(0, blocks, PER_REQUEST):
        driver.mine(min(PER_REQUEST, blocks - start))


def peak_memory() -> int:
    """The most memory that this process has used so far, in bytes.

    On Linux `getrusage` counts what the parent had in memory when it started the process, too.
    """
    if LINUX_STATUS.exists():
        found = re.search(r"^VmHWM:\s*(\d+) kB$", LINUX_STATUS.read_text(), re.MULTILINE)
        if found:
            return int(found[1]) * 1_024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * PEAK_UNIT


def find_logs(driver: NodeDriver, count: int) -> None:
    """Look for the token's logs in the whole chain."""
    query = {"fromBlock": "0x1", "toBlock": "latest", "address": driver.token}
    for _ in range(count):
        found: list[Any] = driver.client.call("eth_getLogs", query)
        if len(found) != TRANSFERS + 1:
            raise RuntimeError(f"{len(found)} logs found")


def snapshots(driver: NodeDriver, count: int) -> None:
    """Take a snapshot and revert to it."""
    for _ in range(count):
        driver.revert(driver.snapshot())


def calls(driver: NodeDriver, count: int) -> None:
    """Call the token."""
    for _ in range(count):
        driver.balance()


def balances(driver: NodeDriver, count: int) -> None:
    """Read a balance."""
    for _ in range(count):
        driver.client.call("eth_getBalance", driver.alice, "latest")


WORKS = {
    "evm_snapshot, evm_revert": snapshots,
    "eth_call of balanceOf": calls,
    "eth_getBalance": balances,
}

if __name__ == "__main__":
    options = json.loads(sys.argv[1])
    sizes = QUICK if options["quick"] else Sizes()
    found = run_all(options["rounds"], sizes)
    json.dump([asdict(each) for each in found], sys.stdout)
