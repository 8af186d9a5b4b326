"""What a plugin of a pytest run collects on each worker of pytest-xdist, for the main process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import pytest


class WorkerOutput(ABC):
    """A plugin whose figures are passed from every worker, as JSON, to the main process."""

    KEY: ClassVar[str]
    """The name of the figures in a worker's output."""

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
        """Add what a worker collected."""
        output = getattr(node, "workeroutput", {})
        if self.KEY in output:
            self.add_figures(output[self.KEY])

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Pass a worker's figures to the main process; there use them."""
        output = getattr(self.config, "workeroutput", None)
        if output is None:
            self.finish(session)
        else:
            output[self.KEY] = self.figures()
