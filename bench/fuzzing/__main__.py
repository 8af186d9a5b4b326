"""`python -m bench.fuzzing`: how long devchain, forge and titanoboa take to find planted bugs.

The bugs are those of `examples/property`. Tools take turns, each from nothing: no corpus, no stored
failure, another seed each round. forge and solc come with npm, titanoboa with pip, in the folders
of `tests/projects`, which need the registries once.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from tests.projects.__main__ import make_environment, npm_ci

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXAMPLES = ROOT / "examples" / "property"
PROJECTS = ROOT / "tests" / "projects"
BUGS = ("rounding", "access_control", "reentrancy")
SECONDS = 60
"""How long a tool may look for a bug."""


class Finding(NamedTuple):
    """Whether a bug was found, the seconds of the test (shrinking included) and of the command."""

    found: bool
    test: float
    command: float


def ran(
    command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]
) -> tuple[str, float, bool]:
    """What a command printed, the seconds it took, and whether a test failed."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [str(each) for each in command],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        printed, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "", time.perf_counter() - begun, False
    seconds = time.perf_counter() - begun
    if process.returncode not in {0, 1}:
        sys.exit(f"{command[0]} failed:\n{printed[-3_000:]}")
    return printed, seconds, process.returncode == 1


def pytest(
    python: Path | str, file: Path, bug: str, folder: Path, environment: Mapping[str, str]
) -> Finding:
    """Run one test of a file, in a folder in which nothing is left from another run."""
    with tempfile.TemporaryDirectory(dir=folder) as empty:
        report = Path(empty) / "report.xml"
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", file, "-k", bug]
        printed, seconds, failed = ran([*command, f"--junitxml={report}"], Path(empty), environment)
        if not report.exists():  # out of time
            return Finding(found=False, test=seconds, command=seconds)
        case = ET.parse(report).getroot().find(".//testcase")  # noqa: S314  # pytest's own
        if case is None or case.find("error") is not None:
            sys.exit(f"{file} did not run:\n{printed[-3_000:]}")
        return Finding(failed, float(case.get("time", "0")), seconds)


def devchain(work: Path) -> Callable[[str, int], Finding]:
    """The campaigns of `examples/property/failing_machines.py`; each draws a seed of its own."""

    def find(bug: str, seed: int) -> Finding:
        del seed
        return pytest(sys.executable, EXAMPLES / "failing_machines.py", bug, work, {})

    return find


def forge(work: Path) -> Callable[[str, int], Finding]:
    """The invariant tests of `foundry/test`, compiled before the clock starts."""
    npm_ci(PROJECTS / "foundry")
    folder = work / "foundry"
    shutil.copytree(HERE / "foundry", folder)
    (folder / "src").mkdir()
    for contract in (EXAMPLES / "contracts").glob("*.sol"):
        shutil.copy(contract, folder / "src")
    shutil.copy(PROJECTS / "foundry" / "solc.cjs", folder)
    (folder / "node_modules").symlink_to(PROJECTS / "foundry" / "node_modules")
    program = folder / "node_modules" / ".bin" / "forge"
    subprocess.run([program, "build"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    limits = {"FOUNDRY_INVARIANT_RUNS": "1000000", "FOUNDRY_INVARIANT_TIMEOUT": str(SECONDS - 5)}

    def find(bug: str, seed: int) -> Finding:
        shutil.rmtree(folder / "cache" / "invariant", ignore_errors=True)
        test = bug.title().replace("_", "")
        command = [program, "test", "--fuzz-seed", str(seed), "--match-contract", f"^{test}Test$"]
        printed, seconds, _ = ran(command, folder, limits)  # npm's wrapper exits with 0 always
        reported = re.search(r"; finished in ([\d.]+)(ms|s)", printed)
        if reported is None:
            sys.exit(f"forge ran no test:\n{printed[-3_000:]}")
        scale = 1_000 if reported[2] == "ms" else 1
        found = "Suite result: FAILED" in printed
        return Finding(found, float(reported[1]) / scale, seconds)

    return find


def titanoboa(work: Path) -> Callable[[str, int], Finding]:
    """The state machines of `vyper/test_planted.py`, with Hypothesis; compiled in the test."""
    folder = PROJECTS / "vyper"
    make_environment(folder)
    python = folder / ".venv" / "bin" / "python"

    def find(bug: str, seed: int) -> Finding:
        environment = {"PLANTED_SEED": str(seed), "PLANTED_EXAMPLES": "1000000"}
        return pytest(python, HERE / "vyper" / "test_planted.py", bug, work, environment)

    return find


def main(arguments: Sequence[str]) -> None:
    """Run all tools in turns and print one table."""
    parser = argparse.ArgumentParser(prog="python -m bench.fuzzing")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    rounds = parser.parse_args(arguments).rounds
    findings: dict[tuple[str, str], list[Finding]] = {}
    with tempfile.TemporaryDirectory() as work:
        tools = {each.__name__: each(Path(work)) for each in (devchain, forge, titanoboa)}
        for seed in range(1, rounds + 1):
            for bug in BUGS:
                for name, find in tools.items():
                    findings.setdefault((bug, name), []).append(find(bug, seed))
    table = Table("Bug", "Tool", "Found", "Test, s", "Command, s", box=None)
    for (bug, name), runs in findings.items():
        found = sum(each.found for each in runs)
        test = statistics.median(each.test for each in runs)
        worst = max(each.test for each in runs)
        command = statistics.median(each.command for each in runs)
        row = (bug, name, f"{found} of {rounds}", f"{test:.2f} (to {worst:.2f})", f"{command:.2f}")
        table.add_row(*row)
    Console(width=100).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
