"""The workloads: operations on a node, and how often they are repeated in a round."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from bench.driver import NodeDriver
from bench.timing import Measured, in_slices, timed

BATCH = 100
TRIAL = 5
TRANSFERS = 5
CALLS = 10

Work = Callable[[NodeDriver], object]


@dataclass(frozen=True)
class Workload:
    """Work that is done `count` times a round; `max_rounds` limits work that takes seconds.

    `small` replaces it with `--quick`, which tries the benchmark itself.
    """

    name: str
    count: int
    work: Work
    small: Workload | None = None
    max_rounds: int = 100


def suite(driver: NodeDriver) -> None:
    """A test of a contract: snapshot, deploy, transfers, calls, revert."""
    snapshot = driver.snapshot()
    driver.deploy("Kernels")
    for _ in range(TRANSFERS):
        driver.transfer()
    for _ in range(CALLS):
        driver.balance()
    if not driver.excess_transfer_reverts():
        raise RuntimeError("a transfer of more than the balance succeeded")
    driver.revert(snapshot)


def reverting_call(driver: NodeDriver) -> None:
    """Call a transfer of more than the balance; tests expect reverts all the time."""
    if not driver.excess_transfer_reverts():
        raise RuntimeError("a transfer of more than the balance succeeded")


def snapshot_cycle(driver: NodeDriver) -> None:
    """Take a snapshot, send some transfers, revert."""
    snapshot = driver.snapshot()
    for _ in range(TRANSFERS):
        driver.transfer()
    driver.revert(snapshot)


def batch(driver: NodeDriver) -> None:
    """Read many balances in one batch."""
    for answer in driver.client.batch([("eth_getBalance", driver.alice, "latest")] * BATCH):
        if isinstance(answer, Exception):
            raise answer


def kernel(name: str, size: int, contract: str = "Kernels") -> Workload:
    """A workload that calls a function with that size."""
    signature = f"{name}(uint256)"
    run = partial(NodeDriver.kernel, contract=contract, signature=signature, size=size)
    small = kernel(name, TRIAL, contract) if size > TRIAL else None
    return Workload(f"{name}({size})", 1, run, small)


def mining(blocks: int) -> Workload:
    """A workload that mines empty blocks by one request."""
    run = partial(NodeDriver.mine, blocks=blocks)
    small = mining(TRIAL) if blocks > TRIAL else None
    return Workload(f"evm_mine of {blocks:,} blocks", 1, run, small, max_rounds=2)


EVERYWHERE = (
    kernel("sumTo", 20_000),
    kernel("hashes", 5_000),
    kernel("sortMem", 300),
    kernel("product", 12, "Matrices"),
    kernel("trade", 60, "Router"),
    # As many as a test file sends. Of a few the first, for which each round begins with cold
    # caches, would weigh most, and no round would be after the one that compiles the constructor.
    Workload("ERC-20 transfer, mined", 20, NodeDriver.transfer),
    Workload("deploy a contract", 20, partial(NodeDriver.deploy, contract="Kernels")),
    Workload("eth_estimateGas of a transfer", 10, NodeDriver.estimate),
    Workload("eth_call of balanceOf", 100, NodeDriver.balance),
    Workload("eth_call that reverts", 100, reverting_call),
    Workload("a contract's test", 2, suite),
    Workload("snapshot, 5 transfers, revert", 5, snapshot_cycle),
)
MINING = mining(10_000)
IN_PROCESS = (*EVERYWHERE, MINING)
OVER_HTTP = (
    *EVERYWHERE,
    Workload("eth_blockNumber", 200, lambda driver: driver.client.call("eth_blockNumber")),
    Workload(f"batch of {BATCH} eth_getBalance", 5, batch),
)


def quick(workload: Workload) -> Workload:
    """The smallest version of a workload."""
    return workload.small or replace(workload, count=1)


def compare(
    group: str, workload: Workload, drivers: Mapping[str, NodeDriver], rounds: int
) -> list[Measured]:
    """Measure one workload on every node, in turns."""
    runs = {name: partial(_round, workload, driver) for name, driver in drivers.items()}
    return in_slices(group, workload.name, runs, min(rounds, workload.max_rounds))


def _round(workload: Workload, driver: NodeDriver) -> float:
    """One round; the chain is reverted afterwards, which is not measured."""
    snapshot = driver.snapshot()
    try:
        return timed(lambda count: [workload.work(driver) for _ in range(count)], workload.count)
    finally:
        driver.revert(snapshot)
