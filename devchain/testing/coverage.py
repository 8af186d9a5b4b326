"""Coverage of contracts in a pytest run: collected from every worker, shown and written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from devchain.config import Config
from devchain.errors import DevchainError
from devchain.source.coverage import build_report
from devchain.source.coverage_report import (
    NO_FILE,
    Report,
    check_writable,
    format_table,
    report_from_json,
    write_report,
)
from devchain.testing.worker_output import WorkerOutput

if TYPE_CHECKING:
    from devchain.node import Node


class CoverageReport(WorkerOutput):
    """A plugin that is registered when `--devchain-coverage` is given."""

    KEY = "devchain_coverage"

    def __init__(self, config: pytest.Config) -> None:
        """Check that the file can be written; raises `pytest.UsageError`."""
        super().__init__(config)
        self._file: str = config.getoption("--devchain-coverage")
        self._report = Report()
        try:
            check_writable(self._file)
        except DevchainError as error:
            raise pytest.UsageError(str(error)) from None

    def enable(self, config: Config) -> Config:
        """The test suite's configuration with coverage switched on."""
        return replace(config, coverage=config.coverage or NO_FILE)

    def add(self, node: Node) -> None:
        """Add what ran on a node."""
        if node.coverage:
            self._report.add(build_report([node.coverage]))

    def figures(self) -> Any:
        return self._report.to_json()

    def add_figures(self, figures: Any) -> None:
        self._report.add(report_from_json(figures))

    def finish(self, session: pytest.Session) -> None:
        del session
        write_report(self._report, self._file)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show the table."""
        terminalreporter.section("devchain: coverage")
        for line in format_table(self._report):
            terminalreporter.line(line)
