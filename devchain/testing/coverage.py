"""Coverage of contracts in a pytest run: collected from every worker, shown and written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from devchain.config import Config
from devchain.contracts.coverage_report import (
    NO_FILE,
    Report,
    check_writable,
    format_table,
    report_from_json,
    write_report,
)
from devchain.errors import DevchainError
from devchain.source.coverage import build_report

if TYPE_CHECKING:
    from devchain.node import Node

KEY = "devchain_coverage"


class CoverageReport:
    """A plugin that is registered when `--devchain-coverage` is given."""

    def __init__(self, config: pytest.Config) -> None:
        """Check that the file can be written; raises `pytest.UsageError`."""
        self._config = config
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

    @pytest.hookimpl(optionalhook=True)  # pytest-xdist may not be there
    def pytest_testnodedown(self, node: Any, error: object) -> None:  # noqa: ARG002  # pytest-xdist's
        """Add what ran on a worker's node."""
        self._report.add(report_from_json(getattr(node, "workeroutput", {}).get(KEY, {})))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Pass a worker's report to the main process; there write it."""
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[KEY] = self._report.to_json()
        else:
            write_report(self._report, self._file)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show the table."""
        terminalreporter.section("devchain: coverage")
        for line in format_table(self._report):
            terminalreporter.line(line)
