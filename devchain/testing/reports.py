"""What a pytest run collects on all workers and shows at its end: coverage, a flame graph, notices.

Each imports what it needs when it is used: most runs have none of the options.
"""

from __future__ import annotations

import pickle
import shutil
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from devchain.errors import DevchainError
from devchain.text import printable, shorten

if TYPE_CHECKING:
    from devchain.chain.block import Block
    from devchain.config import Config
    from devchain.contracts.sources import StaleSource
    from devchain.node import Node
    from devchain.tracing.gas_recorder import GasRecorder
    from devchain.types import StateLike, TransactionRequest

MAX_LINES = 10  # lines of sources that the summary of a gas profile shows
WIDTH = 44  # characters of a place and of a line of source that it shows


class WorkerOutput(ABC):
    """A plugin whose figures are passed from every worker, pickled, to the main process."""

    KEY: ClassVar[str]  # the name of the figures in a worker's output

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    @abstractmethod
    def figures(self) -> Any:
        """What this process has collected."""

    @abstractmethod
    def add_figures(self, figures: Any) -> None:
        """Add what a worker has collected."""

    def finish(self, session: pytest.Session) -> None:  # noqa: B027  # not every plugin has to
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


class CoverageReport(WorkerOutput):
    """Coverage of contracts; registered when `--devchain-coverage` is given."""

    KEY = "devchain_coverage"

    def __init__(self, config: pytest.Config) -> None:
        from devchain.source.coverage_report import Report, check_writable

        super().__init__(config)
        self._file: str = config.getoption("--devchain-coverage")
        self._report = Report()
        try:
            check_writable(self._file)
        except DevchainError as error:
            raise pytest.UsageError(str(error)) from None

    def enable(self, config: Config) -> Config:
        from devchain.source.coverage_report import NO_FILE

        coverage_all = config.coverage_all or self.config.getoption("--devchain-coverage-all")
        return replace(config, coverage=config.coverage or NO_FILE, coverage_all=coverage_all)

    def add(self, node: Node) -> None:
        from devchain.source.coverage import build_report

        if node.coverage:
            everything = node.config.coverage_all
            self._report.add(build_report([node.coverage], everything=everything))

    def figures(self) -> Any:
        return self._report

    def add_figures(self, figures: Any) -> None:
        self._report.add(figures)

    def finish(self, session: pytest.Session) -> None:  # noqa: ARG002  # the base's
        from devchain.source.coverage_report import write_report

        write_report(self._report, self._file)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        from devchain.source.coverage_report import format_table

        terminalreporter.section("devchain: coverage")
        for line in format_table(self._report):
            terminalreporter.line(line)


class GasFlame(WorkerOutput):
    """A flame graph of all transactions; registered when `--devchain-gas-flame` is given."""

    KEY = "devchain_gas_flame"

    def __init__(self, config: pytest.Config) -> None:
        from devchain.source.gas import GasProfile, check_writable

        super().__init__(config)
        self._file: str = config.getoption("--devchain-gas-flame")
        self._profile = GasProfile()
        self._recorders: list[GasRecorder] = []
        try:
            check_writable(self._file)
        except DevchainError as error:
            raise pytest.UsageError(str(error)) from None

    def listen_to(self, node: Node) -> None:
        recorder = node.explainer.new_gas_recorder()
        self._recorders.append(recorder)
        node.chain.block_listeners.append(lambda block: recorder.record_block(node.chain, block))

    def figures(self) -> Any:
        self._add_recorded()
        return self._profile

    def add_figures(self, figures: Any) -> None:
        self._profile.add(figures)

    def finish(self, session: pytest.Session) -> None:  # noqa: ARG002  # the base's
        from devchain.source.gas import write_flame_graph

        self._add_recorded()
        write_flame_graph(self._profile, self._file)

    def _add_recorded(self) -> None:
        from devchain.source.gas import gas_profile

        for recorder in self._recorders:
            self._profile.add(gas_profile(recorder))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        from devchain.source.gas import line_place

        terminalreporter.section("devchain: gas by line")
        shown = self._profile.sorted_lines()[:MAX_LINES]
        rows = [(shorten(printable(line_place(key)), WIDTH), line) for key, line in shown]
        width = max((len(place) for place, _ in rows), default=0)
        for place, line in rows:
            text = shorten(printable(line.text), WIDTH)
            row = f"{line.gas:>12,}  {place:<{width}}  {text}".rstrip()
            terminalreporter.line(row[: shutil.get_terminal_size().columns - 1])
        terminalreporter.line(f"flame graph: {printable(self._file)}")


class UpgradeDiff(WorkerOutput):
    """Calls under two hardforks; registered when `--devchain-hardfork-diff` is given."""

    KEY = "devchain_hardfork_diff"

    def __init__(self, config: pytest.Config) -> None:
        from devchain.source.upgrade_report import UpgradeReport

        super().__init__(config)
        self.old, dots, self.new = config.getoption("--devchain-hardfork-diff").partition("..")
        if not (self.old and dots and self.new):
            raise pytest.UsageError("--devchain-hardfork-diff takes two hardforks: OLD..NEW")
        self._report = UpgradeReport()

    def listen_to(self, node: Node) -> None:
        """Compare the transactions of blocks from now on, and calls."""
        from devchain.tracing.replay import HardforkDiff

        diff, explainer = HardforkDiff(node.chain, self.old, self.new), node.explainer

        def add_block(block: Block) -> None:
            for pair in list(diff.transactions(block, explainer.tracer)):
                explainer.count_pair(self._report, pair, block.number)

        def add_call(request: TransactionRequest, block: StateLike, result: object) -> None:
            if not isinstance(result, int):
                pair = diff.call(*node.call_context(request, block))
                explainer.count_pair(self._report, pair, node.chain.height)

        node.chain.block_listeners.append(add_block)
        node.on_read = add_call

    def figures(self) -> Any:
        return self._report.rows

    def add_figures(self, figures: Any) -> None:
        self._report.add(figures)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        from devchain.source.upgrade_report import format_report

        terminalreporter.section("devchain: upgrade")
        for line in format_report(self._report.rows, self.old, self.new):
            terminalreporter.line(line)


class StaleArtifacts(WorkerOutput):
    """A line in the summary when a contract was deployed whose source has changed since."""

    KEY = "devchain_stale_artifacts"

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        self._deployed: set[bytes] = set()
        self._stale: set[StaleSource] = set()

    def listen_to(self, node: Node) -> None:
        """Collect the init code of every block mined from now on, reverted ones too."""
        if node.artifacts:
            node.chain.block_listeners.append(self._add_block)

    def _add_block(self, block: Block) -> None:
        for receipt in block.receipts:
            if receipt.transaction.to is None:
                self._deployed.add(receipt.transaction.data)

    def check(self, node: Node) -> None:
        """Find the sources that have changed, of the contracts that were deployed."""
        if not self._deployed:
            return
        from devchain.contracts.changed_sources import changed_sources

        artifacts = map(node.artifacts.find_by_init_code, self._deployed)
        deployed = {id(artifact): artifact for artifact in artifacts if artifact}
        self._stale.update(changed_sources(list(deployed.values()), node.artifacts))
        self._deployed.clear()

    def figures(self) -> Any:
        return self._stale

    def add_figures(self, figures: Any) -> None:
        self._stale |= figures

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._stale:
            from devchain.contracts.sources import stale_notice

            terminalreporter.line(f"devchain: {stale_notice(self._stale)}", yellow=True)
