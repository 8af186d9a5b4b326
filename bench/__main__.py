"""`python -m bench`, or `make bench`: run the benchmarks and show one table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from rich.console import Console

from bench import (
    contract_objects,
    examples,
    explorer,
    forks,
    long_chain,
    nodes,
    projects,
    report,
    start,
    suite,
)
from bench.driver import NodeDriver
from bench.fuzzing import planted_bugs
from bench.timing import Measured
from bench.workloads import IN_PROCESS, MINING, OVER_HTTP, Workload, compare, quick
from devchain.config import ENGINES
from devchain.errors import DevchainError

ROUNDS = 5
ETHEREUM = "prague"
# Others are compared with the first.
CONTENDERS = sorted(ENGINES, key=lambda each: each != "reference")


def main(arguments: Sequence[str]) -> int:
    """Run the selected benchmarks."""
    options = _parser().parse_args(arguments)
    console = Console(stderr=True)
    measured: list[Measured] = []
    try:
        with console.status("Starting nodes") as status:
            for each in _measure(options):
                status.update(f"{each[0].group}: {each[0].workload}")
                measured += each
    except DevchainError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    report.show(measured, Console())
    if options.json:
        options.json.write_text(report.as_json(measured, options.rounds), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench", description="Measure how fast devchain is.")
    parser.add_argument(
        "urls", nargs="*", metavar="NAME=URL", type=_parse_node, help="another node to compare with"
    )
    parser.add_argument(
        "--peer",
        action="append",
        default=[],
        metavar="NAME=PYTHON",
        type=_parse_node,
        help="an interpreter with a package to compare with: wake (eth-wake 5), titanoboa",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=ROUNDS,
        metavar="N",
        help="how often each workload is measured",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every sample there too")
    parser.add_argument(
        "--only",
        default="",
        metavar="TEXT",
        help="only workloads or groups with this in their names",
    )
    parser.add_argument(
        "--quick", action="store_true", help="do as little as possible, to try the benchmark itself"
    )
    return parser


def _parse_node(text: str) -> tuple[str, str]:
    name, _, url = text.partition("=")
    if not name or not url:
        raise argparse.ArgumentTypeError(
            f"write it like anvil=http://127.0.0.1:8545 or wake=PYTHON, not {text!r}"
        )
    return name, url


def _measure(options: argparse.Namespace) -> Iterator[list[Measured]]:
    yield from _compare_nodes(
        "in process", IN_PROCESS, {each: nodes.local(each) for each in CONTENDERS}, options
    )
    by_ethereums_rules = {each: nodes.local(each, ETHEREUM) for each in CONTENDERS}
    yield from _compare_nodes(f"in process, {ETHEREUM}", [MINING], by_ethereums_rules, options)
    if options.only in contract_objects.GROUP:
        yield from contract_objects.measure(options.rounds, options.peer, quick=options.quick)
    others = {name: nodes.remote(url) for name, url in options.urls}
    ours = {each: nodes.served(each) for each in CONTENDERS}
    yield from _compare_nodes("over HTTP", OVER_HTTP, {**ours, **others}, options)
    if options.only in long_chain.GROUP:
        yield long_chain.measure(options.rounds, quick=options.quick)
    if options.only in examples.GROUP:
        yield examples.measure(options.rounds, quick=options.quick)
    if options.only in planted_bugs.GROUP:
        yield from planted_bugs.measure(options.rounds, quick=options.quick)
    if options.only in suite.GROUP:
        yield from suite.measure(options.rounds, options.urls, quick=options.quick)
    if options.only in explorer.GROUP:
        yield from explorer.measure(options.rounds, quick=options.quick)
    if options.only in forks.GROUP:
        yield forks.measure(min(options.rounds, forks.MAX_ROUNDS))
    if options.only in start.GROUP:
        yield from start.measure(options.rounds)
    if options.only == "projects":  # minutes, and npm
        yield from projects.measure()


def _compare_nodes(
    group: str,
    workloads: Sequence[Workload],
    contenders: dict[str, AbstractContextManager[NodeDriver]],
    options: argparse.Namespace,
) -> Iterator[list[Measured]]:
    selected = [each for each in workloads if options.only in f"{group}: {each.name}"]
    if not selected:
        return
    with ExitStack() as stack:
        drivers = {name: stack.enter_context(each) for name, each in contenders.items()}
        for each in selected:
            yield compare(group, quick(each) if options.quick else each, drivers, options.rounds)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
