"""`devchain.cli.commands.snapshot`"""

from __future__ import annotations

from tests.cli.conftest import Ran, Runner


class TestSnapshot:
    def test_id(self, devchain: Runner) -> None:
        """The id is the answer; how to use it is told beside it."""
        ran = devchain("snapshot")

        assert ran == Ran(0, "0x1\n", "go back to it with `devchain revert 0x1`\n")
