"""The workloads: what is done to a node, and how often a round."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from bench.stage import Stage
from bench.timing import Measured, in_turns, timed

BATCH = 100
TRIAL = 5
TRANSFERS = 5
CALLS = 10

Work = Callable[[Stage], object]


@dataclass(frozen=True)
class Workload:
    """A thing done `count` times a round; `most_rounds` bounds those that take seconds.

    `small` stands in for it where the benchmark itself is tried.
    """

    name: str
    count: int
    work: Work
    small: Workload | None = None
    most_rounds: int = 100


def suite(stage: Stage) -> None:
    """What a test of a contract does between two snapshots."""
    snapshot = stage.snapshot()
    stage.deploy("Kernels")
    for _ in range(TRANSFERS):
        stage.transfer()
    for _ in range(CALLS):
        stage.balance()
    if not stage.refused():
        msg = "a transfer of more than there is went through"
        raise RuntimeError(msg)
    stage.revert(snapshot)


def snapshot_cycle(stage: Stage) -> None:
    """A snapshot, some transfers, and back."""
    snapshot = stage.snapshot()
    for _ in range(TRANSFERS):
        stage.transfer()
    stage.revert(snapshot)


def batch(stage: Stage) -> None:
    """Many balances in one request."""
    for answer in stage.client.batch([("eth_getBalance", stage.alice, "latest")] * BATCH):
        if isinstance(answer, Exception):
            raise answer


def kernel(name: str, size: int) -> Workload:
    """A kernel of that size."""
    run = partial(Stage.kernel, signature=f"{name}(uint256)", size=size)
    return Workload(f"{name}({size})", 1, run, small=kernel(name, TRIAL) if size > TRIAL else None)


def mining(blocks: int) -> Workload:
    """Empty blocks, all at once."""
    run = partial(Stage.mine, blocks=blocks)
    small = mining(TRIAL) if blocks > TRIAL else None
    return Workload(f"evm_mine of {blocks:,} blocks", 1, run, small, most_rounds=2)


EVERYWHERE = (
    kernel("sumTo", 20_000),
    kernel("hashes", 5_000),
    kernel("sortMem", 300),
    Workload("ERC-20 transfer, mined", 20, Stage.transfer),
    Workload("deploy a contract", 5, partial(Stage.deploy, contract="Kernels")),
    Workload("eth_estimateGas of a transfer", 10, Stage.estimate),
    Workload("eth_call of balanceOf", 100, Stage.balance),
    Workload("a contract's test", 2, suite),
    Workload("snapshot, 5 transfers, revert", 5, snapshot_cycle),
)
IN_PROCESS = (
    *EVERYWHERE,
    mining(10_000),
)
OVER_HTTP = (
    *EVERYWHERE,
    Workload("eth_blockNumber", 200, lambda stage: stage.client.call("eth_blockNumber")),
    Workload(f"batch of {BATCH} eth_getBalance", 5, batch),
)


def quick(workload: Workload) -> Workload:
    """The least of the workload, to see that it can be done."""
    return workload.small or replace(workload, count=1)


def compare(
    group: str, workload: Workload, stages: Mapping[str, Stage], rounds: int
) -> list[Measured]:
    """One workload on every node, in turns."""
    runs = {who: partial(_round, workload, stage) for who, stage in stages.items()}
    return in_turns(group, workload.name, runs, min(rounds, workload.most_rounds))


def _round(workload: Workload, stage: Stage) -> float:
    """A round on a chain that is as it was before; going back is not counted."""
    snapshot = stage.snapshot()
    try:
        return timed(lambda count: [workload.work(stage) for _ in range(count)], workload.count)
    finally:
        stage.revert(snapshot)
