"""Run fuzzers, each for as long as one likes: `python -m tests.fuzzing abi server --minutes 60`.

A fuzzer is a module with two functions: `replay` checks the cases of its corpus, which once failed,
and `search` checks some that Hypothesis draws. A failure is an error that shows the case in the
form of the corpus, to be kept there.
"""

from __future__ import annotations

import argparse
import time
from importlib import import_module
from typing import Protocol, cast

FUZZERS = {
    "abi": "tests.contracts.abi_fuzzer",
    "artifacts": "tests.contracts.artifact_fuzzer",
    "bitcoin": "tests.bitcoin.rpc_fuzzer",
    "bridge": "tests.evm.rootstock.precompiles.bridge.bridge_fuzzer",
    "server": "tests.server.fairness",
    "upstream": "tests.upstream.answer_fuzzer",
}
"""The module of each fuzzer."""


class Fuzzer(Protocol):
    """What a module of a fuzzer has."""

    def replay(self) -> None:
        """Check the corpus; raises `AssertionError`."""

    def search(self) -> None:
        """Check some new cases; raises `AssertionError`."""


def run(name: str, minutes: float) -> int:
    """Run a fuzzer for so long; returns how often it searched. Raises what it finds."""
    fuzzer = cast("Fuzzer", import_module(FUZZERS[name]))
    fuzzer.replay()
    searches = 0
    ends = time.monotonic() + 60 * minutes
    while time.monotonic() < ends:
        fuzzer.search()
        searches += 1
    return searches


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FUZZERS)}: or all")
    parser.add_argument("--minutes", type=float, default=1, help="for each fuzzer")
    options = parser.parse_args()
    if unknown := set(options.names) - FUZZERS.keys():
        parser.error(f"no fuzzer is called {', '.join(sorted(unknown))}: {', '.join(FUZZERS)}")
    for chosen in options.names or FUZZERS:
        print(f"{chosen}: {run(chosen, options.minutes)} searches, nothing found")  # noqa: T201
