"""The gas table of a pytest run: collected from every worker, shown, saved and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from devchain.errors import DevchainError
from devchain.testing.gas import GasTable, drawn, rises, save, saved

KEY = "devchain_gas"


class GasReport:
    """A plugin that is registered when a `--devchain-gas` option is given."""

    def __init__(self, config: pytest.Config) -> None:
        """Read the table to compare with, if there is one; a wrong one is a usage error."""
        self.table = GasTable()
        self._config = config
        self._before: dict[str, dict[str, int]] = {}
        compared = config.getoption("--devchain-gas-compare")
        if compared:
            try:
                self._before = saved(Path(compared))
            except DevchainError as error:
                raise pytest.UsageError(str(error)) from None

    @pytest.hookimpl(optionalhook=True)  # pytest-xdist may not be there
    def pytest_testnodedown(self, node: Any, error: object) -> None:  # noqa: ARG002  # pytest-xdist's
        """Take in what a worker counted."""
        self.table.add(getattr(node, "workeroutput", {}).get(KEY, {}))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand the figures over, or save them and fail on a rise."""
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[KEY] = self.table.figures()
            return
        path = self._config.getoption("--devchain-gas-save")
        if path:
            save(self.table.rows(), Path(path))
        if self._rises() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show the table and what rose."""
        rows = self.table.rows()
        if self._config.getoption("--devchain-gas") or self._rises():
            terminalreporter.section("devchain: gas")
            for line in drawn(rows):
                terminalreporter.line(line)
        for line in self._rises():
            terminalreporter.line(f"more gas than before: {line}", red=True)

    def _rises(self) -> list[str]:
        return rises(self.table.rows(), self._before)
