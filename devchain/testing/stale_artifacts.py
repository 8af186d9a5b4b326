"""A line in pytest's summary when a contract was deployed whose source has changed since.

Tests that pass say nothing else about it: they ran the contract as it was compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from devchain.testing.worker_output import WorkerOutput

if TYPE_CHECKING:
    from devchain.chain.block import Block
    from devchain.contracts.sources import StaleSource
    from devchain.node import Node


class StaleArtifacts(WorkerOutput):
    """A plugin that collects what was deployed, in each process, and checks it at the end."""

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

        found = {id(each): each for each in map(node.artifacts.find_by_init_code, self._deployed)}
        deployed = [each for each in found.values() if each is not None]
        self._stale.update(changed_sources(deployed, node.artifacts))
        self._deployed.clear()

    def figures(self) -> Any:
        return [(source.path, source.newer_than) for source in sorted(self._stale)]

    def add_figures(self, figures: Any) -> None:
        from devchain.contracts.sources import StaleSource

        self._stale.update(StaleSource(*written) for written in figures)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the sources that have changed, or may have."""
        if self._stale:
            from devchain.contracts.sources import stale_notice

            terminalreporter.line(f"devchain: {stale_notice(self._stale)}", yellow=True)
