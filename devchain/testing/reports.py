"""What a pytest run collects on all workers and shows at its end: coverage, a flame graph, notices.

Each imports what it needs when it is used: most runs have none of the options.
"""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from devchain.errors import ConfigError
from devchain.text import printable, shorten

if TYPE_CHECKING:
    from devchain.chain.block import Block
    from devchain.config import Config
    from devchain.contracts.sources import StaleSource
    from devchain.node import Node
    from devchain.types import StateLike, TransactionRequest

MAX_LINES = 10  # lines of sources that the summary of a gas profile shows
WIDTH = 44  # characters of a place and of a line of source that it shows


def check_writable(what: str, path: str) -> None:
    """Check before anything runs that a file can be written; raises `ConfigError`."""
    try:
        Path(path).open("a", encoding="utf-8").close()
    except OSError as error:
        raise ConfigError(f"cannot write the {what} {path}: {error.strerror}") from None


class WorkerOutput:
    """A plugin whose figures are passed from every worker, pickled, to the main process."""

    KEY: ClassVar[str]  # the name of the figures in a worker's output
    OPTIONS: ClassVar[tuple[str, ...]] = ()  # it is registered if one of them is given
    total: Any
    """What was collected, with a method `add`, unless `figures` and `add_figures` are its own."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def configured(self, config: Config) -> Config:
        """The configuration of a node from which this plugin collects."""
        return config

    @contextmanager
    def collecting(self, node: Node) -> Iterator[None]:  # noqa: ARG002  # not every plugin needs it
        """Collect what a node does in the `with` block."""
        yield

    def figures(self) -> Any:
        """What this process has collected."""
        return self.total

    def add_figures(self, figures: Any) -> None:
        """Add what a worker has collected."""
        self.total.add(figures)

    def finish(self, session: pytest.Session) -> None:
        """Use the figures of all processes, in the main one."""

    @pytest.hookimpl(optionalhook=True)  # pytest-xdist may not be there
    def pytest_testnodedown(self, node: Any, error: object) -> None:  # noqa: ARG002  # pytest-xdist's
        output = getattr(node, "workeroutput", {})
        if self.KEY in output:
            self.add_figures(pickle.loads(output[self.KEY]))  # noqa: S301  # of this test run

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(self.config, "workeroutput", None)
        if output is None:
            self.finish(session)
        else:
            output[self.KEY] = pickle.dumps(self.figures())


REPORTS = pytest.StashKey[list[WorkerOutput]]()
"""The reports to which nodes are given."""


class CoverageReport(WorkerOutput):
    """Coverage of contracts."""

    KEY = "devchain_coverage"
    OPTIONS = ("--devchain-coverage",)

    def __init__(self, config: pytest.Config) -> None:
        from devchain.source.coverage_report import Report, check_writable

        super().__init__(config)
        self._file: str = config.getoption("--devchain-coverage")
        self.total = Report()
        check_writable(self._file)

    def configured(self, config: Config) -> Config:
        from devchain.source.coverage_report import NO_FILE

        coverage_all = config.coverage_all or self.config.getoption("--devchain-coverage-all")
        return replace(config, coverage=config.coverage or NO_FILE, coverage_all=coverage_all)

    @contextmanager
    def collecting(self, node: Node) -> Iterator[None]:
        from devchain.source.coverage import build_report

        yield
        if node.coverage:
            self.total.add(build_report([node.coverage], everything=node.config.coverage_all))

    def finish(self, session: pytest.Session) -> None:  # noqa: ARG002  # the base's
        from devchain.source.coverage_report import write_report

        write_report(self.total, self._file)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        from devchain.source.coverage_report import format_table

        terminalreporter.section("devchain: coverage")
        for line in format_table(self.total):
            terminalreporter.line(line)


class GasFlame(WorkerOutput):
    """A flame graph of all transactions."""

    KEY = "devchain_gas_flame"
    OPTIONS = ("--devchain-gas-flame",)

    def __init__(self, config: pytest.Config) -> None:
        from devchain.source.gas import GasProfile, check_suffix

        super().__init__(config)
        self._file: str = config.getoption("--devchain-gas-flame")
        self.total = GasProfile()
        check_suffix(self._file)
        check_writable("flame graph", self._file)

    @contextmanager
    def collecting(self, node: Node) -> Iterator[None]:
        from devchain.source.gas import gas_profile

        recorder = node.explainer.new_gas_recorder()
        node.chain.block_listeners.append(lambda block: recorder.record_block(node.chain, block))
        yield
        self.total.add(gas_profile(recorder))

    def finish(self, session: pytest.Session) -> None:  # noqa: ARG002  # the base's
        from devchain.source.gas import write_flame_graph

        write_flame_graph(self.total, self._file)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        from devchain.source.gas import line_place

        terminalreporter.section("devchain: gas by line")
        shown = self.total.sorted_lines()[:MAX_LINES]
        rows = [(shorten(printable(line_place(key)), WIDTH), line) for key, line in shown]
        width = max((len(place) for place, _ in rows), default=0)
        for place, line in rows:
            text = shorten(printable(line.text), WIDTH)
            row = f"{line.gas:>12,}  {place:<{width}}  {text}".rstrip()
            terminalreporter.line(row[: shutil.get_terminal_size().columns - 1])
        terminalreporter.line(f"flame graph: {printable(self._file)}")


class UpgradeDiff(WorkerOutput):
    """Calls under two hardforks."""

    KEY = "devchain_hardfork_diff"
    OPTIONS = ("--devchain-hardfork-diff",)

    def __init__(self, config: pytest.Config) -> None:
        from devchain.source.upgrade_report import UpgradeReport

        super().__init__(config)
        self._old, dots, self._new = config.getoption("--devchain-hardfork-diff").partition("..")
        if not (self._old and dots and self._new):
            raise pytest.UsageError("--devchain-hardfork-diff takes two hardforks: OLD..NEW")
        self.total = UpgradeReport()

    def configured(self, config: Config) -> Config:
        return replace(config, hardfork=self._old)

    @contextmanager
    def collecting(self, node: Node) -> Iterator[None]:
        """Compare the transactions of blocks from now on, and calls."""
        from devchain.tracing.replay import HardforkDiff

        diff, explainer = HardforkDiff(node.chain, self._old, self._new), node.explainer

        def add_block(block: Block) -> None:
            for pair in list(diff.transactions(block, explainer.tracer)):
                explainer.count_pair(self.total, pair, block.number)

        def add_call(request: TransactionRequest, block: StateLike, result: object) -> None:
            if not isinstance(result, int):
                pair = diff.call(*node.call_context(request, block))
                explainer.count_pair(self.total, pair, node.chain.height)

        node.chain.block_listeners.append(add_block)
        node.on_read = add_call
        yield

    def figures(self) -> Any:
        return self.total.rows

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        from devchain.source.upgrade_report import format_report

        terminalreporter.section("devchain: upgrade")
        for line in format_report(self.total.rows, self._old, self._new):
            terminalreporter.line(line)


class StaleArtifacts(WorkerOutput):
    """A line in the summary when a contract was deployed whose source has changed since."""

    KEY = "devchain_stale_artifacts"

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        self.total: set[StaleSource] = set()

    @contextmanager
    def collecting(self, node: Node) -> Iterator[None]:
        """Collect the init code of every block mined from now on, reverted ones too."""
        init_codes: set[bytes] = set()

        def add_block(block: Block) -> None:
            sent = (receipt.transaction for receipt in block.receipts)
            init_codes.update(tx.data for tx in sent if tx.to is None)

        if node.artifacts:
            node.chain.block_listeners.append(add_block)
        yield
        if init_codes:
            from devchain.contracts.changed_sources import changed_sources

            artifacts = map(node.artifacts.find_by_init_code, init_codes)
            deployed = {id(artifact): artifact for artifact in artifacts if artifact}
            self.total.update(changed_sources(list(deployed.values()), node.artifacts))

    def add_figures(self, figures: Any) -> None:
        self.total |= figures

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.total:
            from devchain.contracts.sources import stale_notice

            terminalreporter.line(f"devchain: {stale_notice(self.total)}", yellow=True)
