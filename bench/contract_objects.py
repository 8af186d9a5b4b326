"""Contracts as Python objects: calls, transactions, snapshots and tests, beside other chains.

And a peg-in: two Bitcoin transactions, three blocks, and their proof registered at the Bridge.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from bench import token_suite
from bench.timing import Measured, Run, in_slices, timed
from bench.token_suite import TEST, WORKLOADS, milliseconds
from devchain import Config, Node
from devchain.fuzzing import sandbox

GROUP = "contract objects"
ETHEREUM = "prague"
PEG_INS = 10
TESTS = 200
SANDBOXED = "fast, in a sandbox"
ENGINES = {"fast": {}, f"fast, {ETHEREUM}": {"hardfork": ETHEREUM}, "reference": {}}


@contextmanager
def _interpreter(package: str, python: str) -> Iterator[Callable[[str, int], float]]:
    """A function that measures a workload with that package, in an interpreter that has it."""
    command = [python, str(Path(token_suite.__file__)), package]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None  # noqa: S101  # as asked for
        assert stdout is not None  # noqa: S101

        def measure(name: str, count: int) -> float:
            stdin.write(f"{name} {count}\n")
            stdin.flush()
            return float(stdout.readline())

        try:
            yield measure
        finally:
            stdin.close()


def measure(
    rounds: int, peers: Sequence[tuple[str, str]], *, quick: bool
) -> Iterator[list[Measured]]:
    """Milliseconds of calls, transactions, snapshots, tests and peg-ins.

    `peers` are names of packages, of `token_suite.PEERS`, with an interpreter that has each.
    """
    with ExitStack() as stack:
        nodes = {
            name: stack.enter_context(
                Node(Config(engine=name.partition(",")[0], **options))  # type: ignore[arg-type]
            )
            for name, options in ENGINES.items()
        }
        chains = {name: token_suite.Devchain(node) for name, node in nodes.items()}
        sandboxed = chains[SANDBOXED] = token_suite.Devchain(stack.enter_context(Node(Config())))
        stack.enter_context(sandbox(sandboxed.node))
        measuring: dict[str, Callable[[str, int], float]] = {
            name: partial(milliseconds, chain) for name, chain in chains.items()
        }
        for package, python in peers:
            measuring[package] = stack.enter_context(_interpreter(package, python))
        counts = {name: count for name, (count, _) in WORKLOADS.items()} | {TEST: TESTS}
        for name, count in counts.items():
            times = 1 if quick else count
            runs: Mapping[str, Run] = {
                who: partial(measured, name, times) for who, measured in measuring.items()
            }
            yield in_slices(GROUP, name, runs, rounds)
        del nodes[f"fast, {ETHEREUM}"]  # has no Bridge
        peg_ins = 1 if quick else PEG_INS
        yield in_slices(
            GROUP,
            "peg_in, mined on both chains",
            {name: partial(_peg_ins, node, peg_ins) for name, node in nodes.items()},
            rounds,
        )


def _peg_ins(node: Node, count: int) -> float:
    def work(times: int) -> None:
        for _ in range(times):
            node.peg_in(node.funded_accounts[1], 0.1)

    return timed(work, count)
