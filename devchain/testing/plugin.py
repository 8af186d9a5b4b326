"""pytest fixtures for a node in the test's own process, created when a fixture is first used.

`devchain` is the node, `w3` web3.py on it, `accounts` its funded accounts, `devchain_url` the same
node over HTTP. Override `devchain_config` to configure it. What a fixture or a test does to the
chain is reverted when its scope ends: a module's fixture deploys, every test starts from there.
Network, rules and artifacts are options, or lines of pytest's own configuration.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from devchain.errors import CompilationFailed, DevchainError
from devchain.testing import own_imports  # noqa: F401  # first in the package: it speeds up others
from devchain.testing.campaign_workers import CAMPAIGN_MARKER, CampaignTests
from devchain.testing.gas_report import GasReport
from devchain.testing.hypothesis_examples import isolated_examples, runs_examples
from devchain.testing.isolation import ISOLATION, Isolation
from devchain.testing.mutation import MutationTests
from devchain.testing.reports import (
    REPORTS,
    CoverageReport,
    GasFlame,
    StaleArtifacts,
    UpgradeDiff,
    WorkerOutput,
)
from devchain.text import printable

if TYPE_CHECKING:
    from web3 import Web3

    from devchain.config import Config
    from devchain.node import Node
    from devchain.node.funded_account import FundedAccount

GROUP = "devchain"
ARTIFACTS = pytest.StashKey[tuple[str, ...]]()
ALWAYS = (CampaignTests, StaleArtifacts)
WITH_OPTIONS = (MutationTests, GasReport, GasFlame, UpgradeDiff, CoverageReport)
FORK_MARKER = (
    "devchain_fork(url=None, block=None): run on a fork of the chain of the node at that URL, at "
    "that block; without a URL that of devchain_fork_url"
)
FORK_BLOCK = re.compile(r"@-?\d+\Z")


class ForkMark(NamedTuple):
    """The arguments of the marker `devchain_fork`."""

    url: str | None = None
    block: int | None = None


OPTIONS: dict[str, dict[str, Any]] = {
    "network": {"metavar": "NAME", "help": "network: main, test, dev or local"},
    "like": {"metavar": "NODE", "help": "answer as that node does: the name of a preset"},
    "hardfork": {"metavar": "NAME", "help": "rules: a Rootstock or Ethereum hardfork"},
    "artifacts": {
        "metavar": "PATH",
        "action": "append",
        "default": [],
        "help": "know contracts by name: a project, a folder, an artifact or a source; compiles "
        "what is stale; repeatable",
    },
    "fork-url": {
        "metavar": "URL[@BLOCK]",
        "help": "fork the chain of the node at this URL, at that block",
    },
    "fork-cache": {
        "metavar": "FILE",
        "help": "keep what the forked node answers in this file; where the variable CI is set, "
        "nothing else is asked",
    },
    "fork-record": {
        "action": "store_true",
        "help": "ask the forked node for what its file does not have, also where CI is set",
    },
    "gas": {
        "action": "store_true",
        "help": "show the gas that transactions used, by contract and function",
    },
    "gas-save": {"metavar": "FILE", "help": "write that table for a later comparison"},
    "gas-compare": {
        "metavar": "FILE",
        "help": "fail if a function uses more gas than in a saved table",
    },
    "gas-flame": {
        "metavar": "FILE",
        "help": "write a flame graph of the gas of all transactions, by call stack: JSON for "
        "speedscope, or stacks in lines if FILE ends in .folded or .txt; tests run slower, each "
        "transaction is executed once more",
    },
    "hardfork-diff": {
        "metavar": "OLD..NEW",
        "help": "run under the hardfork OLD, execute each transaction and call under NEW too, and "
        "show the functions whose status, result or gas changes",
    },
    "coverage": {
        "metavar": "FILE",
        "nargs": "?",
        "const": "-",
        "help": "show which lines and branches of contracts ran, and write them to an lcov file if "
        "one is named",
    },
    "coverage-all": {
        "action": "store_true",
        "help": "with --devchain-coverage, list the contracts that were not deployed, too",
    },
    "mutate": {
        "metavar": "CONTRACT",
        "action": "append",
        "nargs": "?",
        "const": "",
        "help": "after the run change contracts, or that one, in small ways, run the tests that "
        "reach each change, and show the changes that no test notices; repeatable",
    },
    "mutate-fail-under": {
        "metavar": "PERCENT",
        "type": float,
        "help": "with --devchain-mutate, fail if tests notice a smaller part of the changes",
    },
    "trace": {
        "choices": ("auto", "failed", "all", "off"),
        "default": "auto",
        "help": "what to show of a failing test: where in the source it failed, or after a failing "
        "assert the call trees of its transactions (auto, the default); the call trees of what "
        "failed; of all; nothing",
    },
    "debug": {
        "action": "store_true",
        "help": "when a test fails, step through what failed: needs a terminal and devchain[tui]",
    },
}
"""Arguments of `addoption` by the name behind `--devchain-`."""

INI = ("network", "like", "hardfork", "fork_url")
INI_PATHS = ("fork_cache", "artifacts")  # where pytest's file has these, they begin at it


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup(GROUP, "devchain, a local Rootstock chain")
    for name, described in OPTIONS.items():
        group.addoption(f"--devchain-{name}", **described)
    for name in INI:
        parser.addini(f"devchain_{name}", f"as --devchain-{name.replace('_', '-')}")
    for name in INI_PATHS:
        text = f"as --devchain-{name.replace('_', '-')}; from this file"
        parser.addini(f"devchain_{name}", text, "paths")


def pytest_configure(config: pytest.Config) -> None:
    """Register isolation, and the reports whose options are given."""
    config.stash[ISOLATION] = Isolation()
    config.addinivalue_line("markers", FORK_MARKER)
    config.addinivalue_line("markers", CAMPAIGN_MARKER)
    if config.getoption("--devchain-debug"):
        from devchain.testing.debugging import check_installed

        check_installed()
    wanted = [kind for kind in WITH_OPTIONS if any(map(config.getoption, kind.OPTIONS))]
    try:
        reports: list[WorkerOutput] = [kind(config) for kind in (*ALWAYS, *wanted)]
    except DevchainError as error:
        raise pytest.UsageError(str(error)) from None
    config.stash[REPORTS] = reports
    for report in reports:
        config.pluginmanager.register(report, report.KEY)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile what is stale at the paths of artifacts; workers of pytest-xdist find it compiled."""
    config = session.config
    paths = tuple(map(str, _option(config, "artifacts")))
    if paths and not config.option.collectonly:
        from devchain.contracts.compile import compile_stale
        from devchain.networks import NEWEST

        terminal = config.pluginmanager.get_plugin("terminalreporter")

        def show(line: str) -> None:
            if terminal and not hasattr(config, "workerinput"):
                terminal.write_line(f"devchain: {line}")

        try:
            paths = compile_stale(paths, _option(config, "hardfork") or NEWEST, show)
        except DevchainError as error:
            raise pytest.UsageError(f"devchain: {error}") from None
    config.stash[ARTIFACTS] = paths


def _option(config: pytest.Config, name: str) -> Any:
    return config.getoption(f"--devchain-{name}") or config.getini(f"devchain_{name}")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let tests with the marker `devchain_fork` run on a node of their own."""
    marker = metafunc.definition.get_closest_marker("devchain_fork")
    if marker is None or "devchain" not in metafunc.fixturenames:
        return
    try:
        mark = ForkMark(*marker.args, **marker.kwargs)
    except TypeError:
        raise pytest.UsageError(
            f"{metafunc.definition.nodeid}: write the marker as devchain_fork(URL, BLOCK)"
        ) from None
    name = "fork" if mark.block is None else f"fork at {mark.block}"
    metafunc.parametrize("devchain", [mark], indirect=True, scope="session", ids=[name])


@contextmanager
def _failing_plainly() -> Iterator[None]:
    try:
        yield
    except DevchainError as error:
        text = str(error) if isinstance(error, CompilationFailed) else printable(str(error))
        raise pytest.fail.Exception(f"devchain: {text}", pytrace=False) from None


@pytest.fixture
def devchain_campaign_worker(request: pytest.FixtureRequest) -> int:
    """The number of the copy of a test with the marker `devchain_campaign`, from 0."""
    return int(request.param)


@pytest.fixture(scope="session")
def devchain_config(pytestconfig: pytest.Config) -> Config:
    """The configuration of the node, a `devchain.Config`. Override it in a conftest.py.

    Network, preset, hardfork and artifacts come from `--devchain-*` options, or from `devchain_*`
    lines in pytest.ini or pyproject.toml. Paths there begin at that file.
    """
    from devchain.config import Config

    options = {name: _option(pytestconfig, name) for name in ("network", "like", "hardfork")}
    options["artifacts"] = pytestconfig.stash[ARTIFACTS]
    with _failing_plainly():
        return Config(**{name: value for name, value in options.items() if value})


@pytest.fixture(scope="session")
def devchain_fork_url(pytestconfig: pytest.Config) -> str | None:
    """The URL of the node whose chain is forked, `URL[@BLOCK]`, or None. Override it for a key.

    It comes from `--devchain-fork-url`, or from a line `devchain_fork_url` of pytest's own file.
    """
    text = pytestconfig.getoption("--devchain-fork-url") or pytestconfig.getini("devchain_fork_url")
    return str(text) if text else None


@pytest.fixture(scope="session")
def devchain(
    request: pytest.FixtureRequest,
    devchain_config: Config,
    devchain_fork_url: str | None,
    pytestconfig: pytest.Config,
) -> Iterator[Node]:
    """A node in this process, a `devchain.Node`: deploy, snapshot, time_travel, impersonate, ...

    There is one for a session, and one for each fork that markers `devchain_fork` name. What a
    fixture or a test does to it is reverted at its end. Its time stands still: only blocks, a
    second each, and `time_travel` move it, so that no test depends on how fast it runs.
    """
    isolation, reports = pytestconfig.stash[ISOLATION], pytestconfig.stash[REPORTS]
    mark = getattr(request, "param", None)
    with _failing_plainly():
        devchain_config = _forked(devchain_config, devchain_fork_url, mark, pytestconfig)
        for report in reports:
            devchain_config = report.configured(devchain_config)
        created = _created(devchain_config)
    with created as node, ExitStack() as collecting:
        node.artifacts_hint = _artifacts_hint(devchain_config, pytestconfig)
        if node.fork:
            url = "" if node.fork.urls else f" --devchain-fork-url=URL@{node.fork.number}"
            advice = f"run `pytest --devchain-fork-record{url}` once with a network"
            node.fork.cache.record_advice = advice
        isolation.node = node
        with _failing_plainly():
            for report in reports:
                collecting.enter_context(report.collecting(node))
        yield node
    isolation.end()


def _created(config: Config) -> Node:
    from devchain.clock import Clock
    from devchain.errors import ConfigError, ForkBlockAmbiguous, UpstreamUnreachable
    from devchain.node import Node

    try:
        return Node(config, Clock.frozen(config.fixed_clock))
    except (ForkBlockAmbiguous, UpstreamUnreachable) as error:
        if not error.advice:
            raise
        if isinstance(error, ForkBlockAmbiguous):
            marker = "devchain_fork(block=BLOCK) as the marker"
            advice = f"write @BLOCK after the URL of the fork, or {marker}"
        else:
            cache = "" if config.fork_cache else " --devchain-fork-cache with that file"
            at = f"with @{error.block} after the URL if it has no block"
            advice = f"run `CI=1 pytest`{cache}, {at}"
        raise ConfigError(f"{str(error).removesuffix(error.advice)}{advice}") from None


def _forked(
    config: Config, url: str | None, mark: ForkMark | None, pytestconfig: pytest.Config
) -> Config:
    # With a recorded fork cache a fork is offline where the variable `CI` is set, unless it is
    # to be recorded, and wherever no URL is known.
    from devchain.errors import ConfigError

    block = mark.block if mark else None
    if mark:
        url = mark.url or url
        if url and block is not None:
            url = FORK_BLOCK.sub("", url)
    urls = (url,) if url else config.fork_url
    if not urls and mark is None:
        return config
    recorded = next(iter(map(str, pytestconfig.getini("devchain_fork_cache"))), None)
    cache = pytestconfig.getoption("--devchain-fork-cache") or recorded or config.fork_cache
    if not urls and not cache:
        raise ConfigError(
            "the marker devchain_fork names no URL: give it one, or write a line devchain_fork_url"
        )
    records = pytestconfig.getoption("--devchain-fork-record")
    in_ci = os.environ.get("CI", "").lower() not in {"", "0", "false"}
    return replace(
        config,
        fork_url=urls,
        fork_block_number=config.fork_block_number if block is None else block,
        fork_cache=cache,
        offline=config.offline or bool(cache and (not urls or (in_ci and not records))),
    )


def _artifacts_hint(config: Config, pytestconfig: pytest.Config) -> str:
    if config.artifacts:
        return f"artifacts are read from {', '.join(config.artifacts)}: is the contract compiled?"
    file = pytestconfig.inipath or pytestconfig.rootpath / "pytest.ini"
    value = '["."]' if file.suffix == ".toml" else "."
    return (
        f"write `devchain_artifacts = {value}` in {file}, with the path of the project from there,"
        " or name the contract's source file"
    )


@pytest.fixture(scope="session")
def w3(devchain: Node) -> Web3:
    """web3.py on the same chain, without a socket. It needs `pip install web3`.

    Transactions come from the first account by default.
    """
    try:
        from web3 import Web3
    except ModuleNotFoundError as error:
        if error.name != "web3":
            raise
        text = "devchain: the fixture w3 needs web3.py: pip install web3"
        raise pytest.fail.Exception(text, pytrace=False) from None

    from devchain.client.web3 import provider

    client = Web3(provider(devchain))
    client.eth.default_account = client.eth.accounts[0]
    return client


@pytest.fixture(scope="session")
def accounts(devchain: Node) -> list[FundedAccount]:
    """The funded accounts, unlocked in the node: give one as `sender` or as an argument.

    Each is an eth-account account (`address`, `key`, `sign_message`, ...). It equals its address as
    contracts return it: `assert vault.owner() == accounts[0]`.
    """
    return devchain.funded_accounts


@pytest.fixture(scope="session")
def devchain_url(devchain: Node) -> Iterator[str]:
    """The URL of the same chain over HTTP on a free port, for programs that tests start.

    Requests run in a thread. While one is under way the test must not use `devchain` or `w3`: wait
    for the program's answer first.
    """
    from devchain.server.serve import serve_in_thread

    with serve_in_thread(devchain) as url:
        yield url


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Any:
    isolation = request.config.stash[ISOLATION]
    if isolation.node is None:
        return (yield)
    with isolation.fixture_setup(fixturedef, request):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # before Hypothesis checks the test's fixtures
def pytest_runtest_call(item: pytest.Item) -> Any:
    """Revert what the test itself does, unless that is done when one of its fixtures ends.

    Each example of a test with `@given` is reverted.
    """
    isolation = item.config.stash[ISOLATION]
    if isolation.node is not None:
        isolation.start_test(item)
        if runs_examples(item) and "devchain" in getattr(item, "fixturenames", ()):
            isolation.example_height = isolation.node.chain.height
            with isolated_examples(item, isolation.node) as isolation.reads:
                return (yield)
    return (yield)


def pytest_assertrepr_compare(
    config: pytest.Config, op: str, left: object, right: object
) -> list[str] | None:
    """Show whole addresses, accounts, contracts and functions where they are not equal."""
    if config.stash[ISOLATION].node is None:
        return None
    from devchain.testing.failure_report import shown_comparison

    shown = shown_comparison(op, left, right)
    return [shown] if shown else None


# No wrapper: a unittest.TestCase has its exception only after the hook of pytest's own plugin.
@pytest.hookimpl(specname="pytest_runtest_makereport")
def pytest_end_traceback(item: pytest.Item, call: pytest.CallInfo[Any]) -> None:
    """End the traceback of a failing test at the test's line; `--full-trace` keeps all of it."""
    if call.excinfo and not item.config.getoption("fulltrace"):
        from devchain.testing.failure_report import end_traceback_at_test

        end_traceback_at_test(call.excinfo)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
    """Add sections about the chain to the report of a failing test."""
    report = yield
    isolation = item.config.stash[ISOLATION]
    shown = item.config.getoption("--devchain-trace")
    if call.excinfo and isolation.node:
        from devchain.testing.failure_report import escape_report

        escape_report(report, call.excinfo.value)
    if report.when != "teardown" and report.failed and isolation.node and shown != "off":
        from devchain.testing.failure_report import sections

        of_example = report.when == "call" and runs_examples(item)
        try:
            report.sections.extend(
                sections(isolation.node, isolation, call.excinfo, shown, of_example=of_example)
            )
        except DevchainError as error:  # of an upstream, when the chain is a fork
            report.sections.append(("devchain: no explanation", printable(str(error))))
    return report


# Before pytest's own hook, which writes the sections; reports to files have been written by then.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Any:
    """Show the sections about the chain in colors, if the terminal has any."""
    terminal = terminalreporter._tw  # noqa: SLF001  # its name in pytest's own plugins
    if terminal.hasmarkup:
        from devchain.testing.failure_report import SECTION, paint

        for report in terminalreporter.getreports("failed") + terminalreporter.getreports("error"):
            report.sections = [
                (name, paint(content, terminal.markup) if name.startswith(SECTION) else content)
                for name, content in report.sections
            ]
    return (yield)


def pytest_exception_interact(node: object, call: pytest.CallInfo[Any]) -> None:
    """Open the debugger on the failure of a test, with `--devchain-debug`."""
    if not isinstance(node, pytest.Item) or not node.config.getoption("--devchain-debug"):
        return
    from devchain.testing.debugging import debug_failure

    if call.excinfo:
        debug_failure(node.config, node.config.stash[ISOLATION], call.excinfo)
