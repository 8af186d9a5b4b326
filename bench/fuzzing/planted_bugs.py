"""How long devchain, forge and titanoboa take to find planted bugs.

The bugs are those of `examples/property`. Tools take turns, each from nothing: no corpus, no stored
failure, another seed each round. forge and solc come with npm, titanoboa with pip, in the folders
of `tests/projects`, which need the registries once. A tool that cannot be installed, or does not
find a bug in time, is a failure in the table.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import NamedTuple

from bench import nodes
from bench.timing import Measured, in_slices
from tests.projects.__main__ import make_environment, npm_ci

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXAMPLES = ROOT / "examples" / "property"
PROJECTS = ROOT / "tests" / "projects"
BUGS = ("rounding", "access_control", "reentrancy")
SECONDS = 60
"""How long a tool may look for a bug."""

GROUP = "planted bugs"
MAX_ROUNDS = 3
LAST_OUTPUT = 3_000
Find = Callable[[str, int], "Finding"]
"""Looks for a bug with a seed."""


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
        env={**nodes.user_environment(), **environment},
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
        raise RuntimeError(f"{command[0]} failed: {printed[-LAST_OUTPUT:]}")
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
            raise RuntimeError(f"{file.name} did not run: {printed[-LAST_OUTPUT:]}")
        return Finding(failed, float(case.get("time", "0")), seconds)


def devchain(work: Path) -> Find:
    """The campaigns of `examples/property/failing_machines.py`; each draws a seed of its own."""

    def find(bug: str, seed: int) -> Finding:
        del seed
        return pytest(sys.executable, EXAMPLES / "failing_machines.py", bug, work, {})

    return find


def forge(work: Path) -> Find:
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
            raise RuntimeError(f"forge ran no test: {printed[-LAST_OUTPUT:]}")
        scale = 1_000 if reported[2] == "ms" else 1
        found = "Suite result: FAILED" in printed
        return Finding(found, float(reported[1]) / scale, seconds)

    return find


def titanoboa(work: Path) -> Find:
    """The state machines of `vyper/test_planted.py`, with Hypothesis; compiled in the test."""
    folder = PROJECTS / "vyper"
    make_environment(folder)
    python = folder / ".venv" / "bin" / "python"

    def find(bug: str, seed: int) -> Finding:
        environment = {"PLANTED_SEED": str(seed), "PLANTED_EXAMPLES": "1000000"}
        return pytest(python, HERE / "vyper" / "test_planted.py", bug, work, environment)

    return find


TOOLS = (devchain, forge, titanoboa)


def measure(rounds: int, *, quick: bool) -> Iterator[list[Measured]]:
    """Seconds of the test, and of the whole command where it found the bug, for each bug.

    With `quick` devchain alone looks for one bug.
    """
    with tempfile.TemporaryDirectory() as work:
        tools = {
            tool.__name__: _prepared(tool, Path(work)) for tool in TOOLS[: 1 if quick else None]
        }
        for bug in BUGS[: 1 if quick else None]:
            commands: dict[str, list[float]] = {name: [] for name in tools}
            runs = {name: _run(find, bug, commands[name]) for name, find in tools.items()}
            tests = in_slices(GROUP, f"{bug}: the test", runs, min(rounds, MAX_ROUNDS))
            yield [replace(each, unit="s") for each in tests]
            whole = f"{bug}: the command"
            found = [each.who for each in tests if not each.failure]
            if found:
                yield [Measured(GROUP, whole, who, "s", commands[who]) for who in found]


def _prepared(tool: Callable[[Path], Find], work: Path) -> Find:
    """Install a tool; where that fails, every search fails with the reason."""
    try:
        return tool(work)
    except (OSError, SystemExit, subprocess.SubprocessError) as error:
        reason = str(error).partition("\n")[0]

    def fail(*_: object) -> Finding:
        raise RuntimeError(reason)

    return fail


def _run(find: Find, bug: str, commands: list[float]) -> Callable[[], float]:
    """A round: the seconds of the test; those of the command are appended to `commands`."""
    seeds = count(1)

    def run() -> float:
        seed = next(seeds)
        finding = find(bug, seed)
        if not finding.found:
            raise RuntimeError(f"not found in {finding.test:.0f} s with seed {seed}")
        commands.append(finding.command)
        return finding.test

    return run
