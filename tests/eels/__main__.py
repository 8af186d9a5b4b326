"""Compare the engines with Ethereum's executable specification: `python -m tests.eels`.

For each hardfork and seed a state test is drawn and run on the fast engine, which compiles from
the second run of a block on, on the reference engine and on the specification. State root, hash of
the logs, gas used and output have to be equal. The exit code is 1 if a test differs; its state test
is written to a file, for `make test-vectors` and for other EVMs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from argparse import ArgumentParser
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from devchain.evm.compiler import with_own_programs
from devchain.evm.hardforks import rules_for
from tests.eels.drawn import FORKS, fixtures
from tests.vectors.state_tests import HARDFORK_NAMES, StateTestCase

INTERPRETER = Path(__file__).parents[2] / ".venv-eels/bin/python"
SPECIFICATION = Path(__file__).with_name("specification.py")
HOT = 2
LONG = 128
STEP = 50
"""Seeds that a worker runs at once."""

Result = dict[str, Any]


def on_engine(fork: str, fixture: dict[str, Any], engine: str) -> Result:
    """What a state test gives on the engine `fast` or `reference`; of a creation no output."""
    rules = rules_for(HARDFORK_NAMES[fork], engine)
    if engine == "fast":
        rules, _ = with_own_programs(rules, HOT)
    case = StateTestCase("drawn", fork, 0, fixture, "drawn")
    found = case.run_under(rules, engine)
    assert found.state_root is not None
    assert found.logs_hash is not None
    return {
        "stateRoot": found.state_root.hex(),
        "logsHash": found.logs_hash.hex(),
        "gasUsed": found.gas_used,
        "output": found.output.hex() if fixture["transaction"]["to"] else "",
    }


@cache
def _specification() -> subprocess.Popen[str]:
    """The process that runs the specification; it ends when its stdin is closed with ours."""
    pipe = subprocess.PIPE
    command = [str(INTERPRETER), str(SPECIFICATION)]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)


def on_specification(fixture: dict[str, Any]) -> Result:
    """What a state test gives on Ethereum's executable specification."""
    process = _specification()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(fixture) + "\n")
    process.stdin.flush()
    found: Result = json.loads(process.stdout.readline())
    return found


def differences(results: dict[str, Result]) -> list[str]:
    """A line for each member in which the results by EVM are not all equal."""
    members = dict.fromkeys(chain.from_iterable(results.values()))
    return [
        f"{member}: "
        + ", ".join(f"{evm} {_shown(found[member])}" for evm, found in results.items())
        for member in members
        if len({str(found[member]) for found in results.values()}) > 1
    ]


def _shown(value: Any) -> str:
    """A value's text, of a long one the beginning and the end."""
    text = str(value)
    return text if len(text) <= LONG else f"{text[: LONG // 2]}...{text[-LONG // 2 :]}"


def run(fork: str, seeds: range) -> tuple[str, int, int, list[tuple[int, list[str]]]]:
    """The hardfork, how many tests ran and how many transactions were rejected, the differences."""
    warnings.simplefilter("ignore", DeprecationWarning)  # py-evm's, of SELFDESTRUCT
    different, rejected = [], 0
    for seed, fixture in fixtures(fork, seeds):
        results = {engine: on_engine(fork, fixture, engine) for engine in ("fast", "reference")}
        results["specification"] = on_specification(fixture)
        rejected += results["fast"]["gasUsed"] is None
        if lines := differences(results):
            different.append((seed, lines))
    return fork, len(seeds), rejected, different


def write_fixture(fork: str, seed: int, folder: Path) -> Path:
    """The file with the state test of a seed."""
    ((_, fixture),) = fixtures(fork, range(seed, seed + 1))
    path = folder / f"eels-{fork}-{seed}.json"
    path.write_text(json.dumps({f"eels-{fork}-{seed}": fixture}, indent=1), "utf-8")
    return path


def main(arguments: list[str]) -> int:
    """Run the seeds of the hardforks on all cores; print what differs, and a summary of each."""
    parser = ArgumentParser(prog="python -m tests.eels", description="drawn programs on three EVMs")
    parser.add_argument("--seeds", type=int, default=200, help="how many for each hardfork: 200")
    parser.add_argument("--first", type=int, default=0, help="the first seed: 0")
    parser.add_argument("--fork", action="append", choices=FORKS, help="only of this hardfork")
    parser.add_argument("--folder", type=Path, default=Path(), help="for the tests that differ")
    given = parser.parse_args(arguments)
    last = given.first + given.seeds
    jobs = [
        (fork, range(first, min(first + STEP, last)))
        for fork in given.fork or FORKS
        for first in range(given.first, last, STEP)
    ]
    counts: dict[str, list[int]] = {}
    with ProcessPoolExecutor() as pool:
        for fork, count, rejected, different in pool.map(run, *zip(*jobs, strict=True)):
            total = counts.setdefault(fork, [0, 0, 0])
            for place, number in enumerate((count, rejected, len(different))):
                total[place] += number
            for seed, lines in different:
                _write([f"{fork} {seed}: {write_fixture(fork, seed, given.folder)}"], lines)
    for fork, (count, rejected, different) in counts.items():
        _write([f"{fork}: {count} programs, {rejected} rejected, {different} differ"])
    return any(different for _, _, different in counts.values())


def _write(*groups: Iterable[str]) -> None:
    for line in chain.from_iterable(groups):
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
