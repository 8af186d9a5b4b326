"""Gas profile of a pytest run: a flame graph of all transactions, collected from every worker."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from devchain.errors import DevchainError
from devchain.source.gas import (
    GasProfile,
    check_writable,
    line_place,
    profile_from_json,
    write_flame_graph,
)
from devchain.testing.worker_output import WorkerOutput
from devchain.text import printable, shorten

if TYPE_CHECKING:
    from devchain.node import Node
    from devchain.tracing.gas_recorder import GasRecorder

MAX_SHOWN = 10
"""Lines of sources that the summary shows."""

WIDTH, FIGURES, MIN_TEXT = 44, 16, 10
"""Characters of a place, which the summary pads to."""


class GasFlame(WorkerOutput):
    """A plugin that is registered when `--devchain-gas-flame` is given."""

    KEY = "devchain_gas_flame"

    def __init__(self, config: pytest.Config) -> None:
        """Check that the file can be written; raises `pytest.UsageError`."""
        super().__init__(config)
        self._file: str = config.getoption("--devchain-gas-flame")
        self._profile = GasProfile()
        self._recorders: list[GasRecorder] = []
        try:
            check_writable(self._file)
        except DevchainError as error:
            raise pytest.UsageError(str(error)) from None

    def listen_to(self, node: Node) -> None:
        """Record the gas of every block mined from now on, reverted ones too."""
        recorder = node.explainer.new_gas_recorder()
        self._recorders.append(recorder)
        node.chain.block_listeners.append(lambda block: recorder.record_block(node.chain, block))

    def figures(self) -> Any:
        self._add_recorded()
        return self._profile.to_json()

    def add_figures(self, figures: Any) -> None:
        self._profile.add(profile_from_json(figures))

    def finish(self, session: pytest.Session) -> None:
        del session
        self._add_recorded()
        write_flame_graph(self._profile, self._file)

    def _add_recorded(self) -> None:
        if self._recorders:
            from devchain.source.gas import gas_profile

            for recorder in self._recorders:
                self._profile.add(gas_profile(recorder))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show the lines with the most gas, and where the graph is."""
        terminalreporter.section("devchain: gas by line")
        shown = self._profile.sorted_lines()[:MAX_SHOWN]
        rows = [(shorten(printable(line_place(key)), WIDTH), line) for key, line in shown]
        width = max((len(place) for place, _ in rows), default=0)
        columns = shutil.get_terminal_size().columns - FIGURES - width - 1
        for place, line in rows:
            text = shorten(printable(line.text), min(columns, WIDTH)) if columns >= MIN_TEXT else ""
            terminalreporter.line(f"{line.gas:>12,}  {place:<{width}}  {text}".rstrip())
        terminalreporter.line(f"flame graph: {printable(self._file)}")
