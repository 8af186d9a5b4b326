"""Runs the test suites of other projects on their own chain and on devchain; prints both scores.

    python -m tests.projects [--quick] [NAME ...]
    python -m tests.projects --from FOLDER [--hardfork NAME]

Packages and compilers come with npm and pip, in the versions of the lock files. A test that passes
on the project's own chain and fails on devchain makes the program fail, unless DIFFERENCES has it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NODE_MAJOR = 22
"""The oldest Node.js that Hardhat 3 runs on."""

RUN_TIMEOUT = 1_800
"""Seconds for one run of a suite."""

Outcomes = dict[str, tuple[str, str]]
"""Outcome (passed, failed) and reason, by the name of the test."""

Tool = list[str]


@dataclass(frozen=True)
class Run:
    """One run of a project's tests: a command, and options of the devchain it runs on, if any.

    The command writes its outcomes to the file that `REPORT` names, or prints them as `reads` says.
    """

    chain: str
    command: Tool
    options: tuple[str, ...] | None = None
    reads: Callable[[Path, str], Outcomes] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    server: Tool | None = None
    """A command that serves the project's own chain at the port `PORT`."""


def npm_ci(folder: Path, environment: Mapping[str, str] | None = None) -> None:
    """Install what package-lock.json lists, or else package.json, unless that has been done."""
    lock = folder / "package-lock.json"
    wanted = (lock if lock.exists() else folder / "package.json").read_text()
    done = folder / "node_modules" / ".installed"
    if not done.exists() or done.read_text() != wanted:
        install = ["ci"] if lock.exists() else ["install", "--no-package-lock"]
        checked(["npm", *install, "--no-audit", "--no-fund"], folder, environment)
        done.write_text(wanted)


def make_environment(folder: Path) -> None:
    """A virtual environment with requirements.txt, pytest and this devchain."""
    python = folder / ".venv" / "bin" / "python"
    done, wanted = folder / ".venv" / ".installed", (folder / "requirements.txt").read_text()
    if not done.exists() or done.read_text() != wanted:
        checked([sys.executable, "-m", "venv", "--clear", ".venv"], folder)
        install = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        checked([*install, "-r", "requirements.txt", "-e", str(ROOT), "pytest"], folder)
        done.write_text(wanted)


@dataclass(frozen=True)
class Project:
    """A project: how it is installed, and its runs; the first is on its own chain."""

    name: str
    what: str
    runs: tuple[Run, ...]
    is_quick: bool = False
    needs_new_node: bool = False
    install: Callable[[Path], None] = npm_ci
    given: Path | None = None
    """Its folder, which the user has installed and compiled, if it is none of those here."""

    @property
    def folder(self) -> Path:
        return self.given or HERE / self.name


def checked(command: Tool, folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """The output of a command that has to succeed."""
    ran = subprocess.run(
        command,
        cwd=folder,
        env=dict(environment or os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=RUN_TIMEOUT,
    )
    if ran.returncode:
        sys.exit(f"{' '.join(command)} in {folder} failed:\n{ran.stdout[-5_000:]}")
    return ran.stdout


def read_report(report: Path, printed: str) -> Outcomes:
    """The outcomes that reporter.cjs wrote."""
    del printed
    rows = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    return numbered((each["name"], each["outcome"], each["reason"]) for each in rows)


def read_forge(report: Path, printed: str) -> Outcomes:
    """The outcomes of `forge test --json`."""
    del report
    suites = json.loads(printed[printed.index("{") :])
    return numbered(
        (
            name.removesuffix("()"),
            "passed" if result["status"] == "Success" else "failed",
            str(result["reason"]),
        )
        for suite in suites.values()
        for name, result in suite["test_results"].items()
    )


def read_junit(report: Path, printed: str) -> Outcomes:
    """The outcomes of pytest's JUnit file."""
    del printed
    rows = []
    for case in ET.parse(report).iter("testcase"):  # noqa: S314  # pytest has just written it
        problem = next((each for each in case if each.tag in {"failure", "error"}), None)
        reason = "" if problem is None else problem.get("message", "")
        rows.append((case.get("name", ""), "passed" if problem is None else "failed", reason))
    return numbered(rows)


def numbered(rows: Iterator[tuple[str, str, str]] | Sequence[tuple[str, str, str]]) -> Outcomes:
    """Outcomes by name; tests of one name get a number."""
    outcomes: Outcomes = {}
    for name, outcome, reason in rows:
        place, unique = 2, name
        while unique in outcomes:
            place, unique = place + 1, f"{name} ({place})"
        outcomes[unique] = (outcome, reason)
    return outcomes


def pytest_of(python: str) -> Tool:
    """The command that runs a project's pytest suite and writes a JUnit file."""
    return [python, "-m", "pytest", "-q", "-c", "pytest.ini", "--junit-xml={report}"]


ETHEREUM = ("--like", "hardhat", "--hardfork", "prague")
TRUFFLE = ["node_modules/.bin/truffle", "test", "--network", "node"]
GANACHE = ["node_modules/.bin/ganache-cli", "-l", "10000000000", "-e", "1000000"]
AS_GANACHE = (
    *("--like", "ganache", "--revert-on-send", "--hardfork", "berlin"),
    *("--gas-limit", "10000000000", "--balance", "1000000"),
)
"""As the project starts ganache-cli 6: no base fee, much gas, errors for failed transactions."""

SAFE = ["node_modules/.bin/hardhat", "test"]
IN_NPM = {"TS_NODE_SKIP_IGNORE": "true", "TS_NODE_TRANSPILE_ONLY": "true"}
"""Tests in TypeScript run from node_modules too."""

KNOWN = ("--artifacts", ".")
"""Errors of calls that no function takes are Hardhat's only if the contract is known."""

LARGE = (*KNOWN, "--gas-limit", "100000000", "--unlimited-contract-size")
"""As Safe sets up Hardhat."""

PROJECTS = (
    Project(
        "hardhat2",
        "OpenZeppelin 5 in a Hardhat 2 project",
        (
            Run("Hardhat 2", ["node_modules/.bin/hardhat", "test"]),
            Run(
                "devchain --like hardhat, prague",
                ["node_modules/.bin/hardhat", "test", "--network", "devchain"],
                ETHEREUM,
            ),
            Run(
                "devchain --like hardhat, Rootstock",
                ["node_modules/.bin/hardhat", "test", "--network", "devchain"],
                ("--like", "hardhat"),
            ),
        ),
        is_quick=True,
    ),
    Project(
        "hardhat3",
        "an auction in a Hardhat 3 project",
        (
            Run("Hardhat 3", ["node_modules/.bin/hardhat", "test", "mocha"]),
            Run(
                "devchain --like hardhat, prague",
                ["node_modules/.bin/hardhat", "test", "mocha", "--network", "devchain"],
                ETHEREUM,
            ),
            Run(
                "devchain --like hardhat, Rootstock",
                ["node_modules/.bin/hardhat", "test", "mocha", "--network", "devchain"],
                ("--like", "hardhat"),
            ),
        ),
        needs_new_node=True,
    ),
    Project(
        "safe",
        "Safe 1.5 with its own tests, a Hardhat 2 project",
        (
            Run("Hardhat 2", SAFE, environment=IN_NPM),
            Run(
                "devchain --like hardhat, prague",
                [*SAFE, "--network", "localhost"],
                (*ETHEREUM, *LARGE),
                environment=IN_NPM,
            ),
            Run(
                "devchain --like hardhat, Rootstock",
                [*SAFE, "--network", "localhost"],
                ("--like", "hardhat", *LARGE),
                environment=IN_NPM,
            ),
        ),
    ),
    Project(
        "foundry",
        "a Foundry project, tested by forge and by pytest",
        (
            Run("forge", ["node_modules/.bin/forge", "test", "--json"], reads=read_forge),
            Run("devchain, pytest", pytest_of(sys.executable), reads=read_junit),
        ),
        is_quick=True,
    ),
    Project(
        "vyper",
        "a Vyper contract, tested by pytest",
        (
            Run(
                "titanoboa",
                pytest_of(".venv/bin/python"),
                reads=read_junit,
                environment={"CHAIN": "boa"},
            ),
            Run(
                "devchain",
                pytest_of(".venv/bin/python"),
                reads=read_junit,
                environment={"CHAIN": "devchain"},
            ),
        ),
        install=make_environment,
    ),
    Project(
        "truffle",
        "OpenZeppelin 1.8 with its own tests, a Truffle 4 project",
        (
            Run(
                "ganache-cli 6",
                TRUFFLE,
                server=[*GANACHE, "--port", "{port}"],
            ),
            Run(
                "devchain --like ganache, berlin",
                TRUFFLE,
                AS_GANACHE,
            ),
        ),
    ),
)


def project_in(folder: Path, hardfork: str | None) -> Project:
    """A Hardhat 2 project elsewhere: its tests on `hardhat node` and on devchain.

    What works in Hardhat's own process only, such as smock, fails on both. Tests that expect the
    gas of one hardfork run under that only.
    """
    hardhat = ["node", "node_modules/hardhat/internal/cli/cli.js"]
    hardhat += ["--config", str(HERE / "folder.config.ts")]
    test = [*hardhat, "test", "--no-compile", "--network", "localhost"]
    like = ("--like", "hardhat", *KNOWN)
    chain = f"devchain --like hardhat, {hardfork or 'prague'}"
    devchains = {chain: (*like, "--hardfork", hardfork or "prague")}
    if not hardfork:
        devchains["devchain --like hardhat, Rootstock"] = like
    return Project(
        folder.name,
        "a Hardhat 2 project that is installed and compiled",
        (
            Run(
                "hardhat node",
                test,
                environment=IN_NPM,
                server=[*hardhat, "node", "--port", "{port}"],
            ),
            *(Run(name, test, options, environment=IN_NPM) for name, options in devchains.items()),
        ),
        given=folder,
    )


SAFE_CREATIONS = (
    *("createProxyWithNonce", "createProxyWithNonceL2"),
    *("createChainSpecificProxyWithNonce", "createChainSpecificProxyWithNonceL2"),
)
SAFE_PAYMENTS = (
    "fail if ether payment fails",
    *("work with ether payment to deployer", "work with ether payment to account"),
)
ROOTSTOCK = "devchain --like hardhat, Rootstock"
DIFFERENCES: Mapping[tuple[str, str], str] = {
    (ROOTSTOCK, "proxies clones to a predicted address"): (
        "a creation at a taken address uses all gas, and Rootstock keeps back none of it"
    ),
    (ROOTSTOCK, "Safe execTransaction should be possible to manually increase gas"): (
        "a call passes on all gas on Rootstock, not 63 of 64 parts"
    ),
    **{
        (ROOTSTOCK, f"Safe setup should {name}"): (
            "Safe pays back no more than the gas price, which is 0 by default"
        )
        for name in SAFE_PAYMENTS
    },
    **{
        (ROOTSTOCK, f"ProxyFactory {name} should not be able to deploy same proxy twice"): (
            "a creation at a taken address uses all gas, and Rootstock keeps back none of it"
        )
        for name in SAFE_CREATIONS
    },
    (ROOTSTOCK, "the chain sends every type of transaction"): (
        "Rootstock accepts legacy transactions only"
    ),
}
"""Tests that fail on devchain because Rootstock's rules say so: reason by chain and test."""


def run(project: Project, each: Run, cpu_seconds: list[float] | None = None) -> Outcomes:
    """Run the tests once, on a chain of their own; append the CPU time of its server."""
    folder = project.folder
    with tempfile.TemporaryDirectory() as temporary:
        report = Path(temporary) / "report"
        environment = node_environment(needs_new=project.needs_new_node) | {
            "HARDHAT_DISABLE_TELEMETRY_PROMPT": "true",
            "XDG_CONFIG_HOME": temporary,
            "MOCHA_REPORTER": str(HERE / "reporter.cjs"),
            "REPORT": str(report),
            **each.environment,
        }
        command = [part.format(report=report) for part in each.command]
        with served(each, folder, environment, cpu_seconds) as where:
            ran = subprocess.run(
                command,
                cwd=folder,
                env=environment | where,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=RUN_TIMEOUT,
            )
        try:
            return (each.reads or read_report)(report, ran.stdout)
        except (OSError, ValueError):
            sys.exit(f"{' '.join(command)} ran no test:\n{(ran.stdout + ran.stderr)[-5_000:]}")


@contextmanager
def served(
    each: Run, folder: Path, environment: Mapping[str, str], cpu_seconds: list[float] | None = None
) -> Iterator[dict[str, str]]:
    """Serve the chain of a run if it needs a server; where it is, as environment variables.

    At the end the CPU seconds that the server has used are appended.
    """
    if each.options is not None:
        start = [sys.executable, "-m", "devchain", "start", "--port", "0", "--quiet"]
        command, ready = [*start, *each.options], "Listening on"
    elif each.server:
        port = "18545"
        command, ready = [part.format(port=port) for part in each.server], f":{port}"
    else:
        yield {}
        return
    with subprocess.Popen(
        command, cwd=folder, env=dict(environment), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        line = next((line for line in process.stdout if ready in line), "")
        if not line:
            sys.exit(f"{' '.join(command)} did not start")
        address = line.split()[-1].removeprefix("http://").rstrip("/")
        # A server that writes a log must not wait for a reader.
        drain = subprocess.Popen(["cat"], stdin=process.stdout, stdout=subprocess.DEVNULL)
        try:
            yield {"DEVCHAIN_URL": f"http://{address}", "PORT": address.rsplit(":", 1)[1]}
        finally:
            drain.terminate()
            drain.wait()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            process.terminate()
            process.wait()
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            if cpu_seconds is not None:
                cpu_seconds.append(used)


def node_environment(*, needs_new: bool) -> dict[str, str]:
    """The environment for npm and node; with the Node.js of the folder `node` if one is needed."""
    environment = dict(os.environ)
    if needs_new and node_major() < NODE_MAJOR:
        npm_ci(HERE / "node")
        program = next((HERE / "node" / "node_modules").glob("node-*/bin"), None)
        if program is None:
            sys.exit(f"install Node.js {NODE_MAJOR} or newer")
        environment["PATH"] = f"{program}{os.pathsep}{environment['PATH']}"
    return environment


def node_major() -> int:
    """The major version of the Node.js that is installed."""
    return int(checked(["node", "--version"], HERE).strip().removeprefix("v").split(".")[0])


def compare(project: Project) -> tuple[list[tuple[str, ...]], list[str]]:
    """Run a project on its own chain and on devchain: rows of the table, and what is wrong."""
    folder = project.folder
    if project.install is make_environment:
        make_environment(folder)
    elif project.given is None:
        npm_ci(folder, node_environment(needs_new=project.needs_new_node))
    rows: list[tuple[str, ...]] = []
    wrong: list[str] = []
    own: Outcomes = {}
    for each in project.runs:
        started = time.monotonic()
        outcomes = run(project, each)
        seconds = time.monotonic() - started
        own = own or outcomes
        passed = sum(outcome == "passed" for outcome, _ in outcomes.values())
        known = 0
        for name, (outcome, reason) in outcomes.items():
            if outcome == "passed" or own.get(name, ("passed", ""))[0] != "passed":
                continue
            if (each.chain, name) in DIFFERENCES:
                known += 1
            else:
                wrong.append(f"{project.name}, {each.chain}: {name}: {reason[:300]}")
        if len(outcomes) < len(own) and each.reads is None:
            wrong.append(f"{project.name}, {each.chain}: {len(own) - len(outcomes)} did not run")
        score = f"{passed} of {len(outcomes)}"
        rows.append((project.name, each.chain, score, str(known or ""), f"{seconds:.0f} s"))
        print(f"  {each.chain}: {score}, {seconds:.0f} s", flush=True)
    return rows, wrong


def main() -> int:
    """Run the projects named, or all; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.projects", description=__doc__)
    names = [each.name for each in PROJECTS]
    parser.add_argument("name", nargs="*", help=f"projects to run: {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="the projects that CI runs")
    parser.add_argument(
        "--from",
        dest="folder",
        type=Path,
        help="run the Hardhat 2 project in this folder, which has a hardhat.config.ts",
    )
    parser.add_argument("--hardfork", help="of Ethereum, whose gas figures its tests have")
    given = parser.parse_args()
    if unknown := set(given.name) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if not shutil.which("npm"):
        parser.error("npm is not installed")
    wrong: list[str] = []
    table = [("project", "chain", "passed", "by the rules", "time")]
    projects: tuple[Project, ...] = PROJECTS
    if given.folder:
        projects = (project_in(given.folder.resolve(), given.hardfork),)
        given.name = [projects[0].name]
    for project in projects:
        if project.name in given.name or (not given.name and (project.is_quick or not given.quick)):
            print(f"{project.name}: {project.what}", flush=True)
            rows, problems = compare(project)
            table += rows
            wrong += problems
    widths = [max(len(row[place]) for row in table) for place in range(len(table[0]))]
    print()
    for row in table:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )
    for line in wrong:
        print(f"fails on devchain only: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
