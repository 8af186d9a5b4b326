"""A line in pytest's summary when a contract was deployed whose source has changed since.

Tests that pass say nothing else about it: they ran the contract as it was compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from devchain.chain.block import Block
    from devchain.contracts.sources import StaleSource
    from devchain.node import Node

KEY = "devchain_stale_artifacts"


class StaleArtifacts:
    """A plugin that collects what was deployed, in each process, and checks it at the end."""

    def __init__(self, config: pytest.Config) -> None:
        """Of that run."""
        self._config = config
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

    @pytest.hookimpl(optionalhook=True)  # pytest-xdist may not be there
    def pytest_testnodedown(self, node: Any, error: object) -> None:  # noqa: ARG002  # pytest-xdist's
        """Add what a pytest-xdist worker found."""
        from devchain.contracts.sources import StaleSource

        written = getattr(node, "workeroutput", {}).get(KEY, ())
        self._stale.update(StaleSource(*each) for each in written)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Pass what a worker found to the main process."""
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[KEY] = [(each.path, each.newer_than) for each in sorted(self._stale)]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the sources that have changed, or may have."""
        if self._stale:
            from devchain.contracts.sources import stale_notice

            terminalreporter.line(f"devchain: {stale_notice(self._stale)}", yellow=True)
