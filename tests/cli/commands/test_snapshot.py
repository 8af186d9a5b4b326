"""`devchain.cli.commands.snapshot`"""

from __future__ import annotations

import pytest

from tests.cli.conftest import Result, Runner


class TestSnapshot:
    def test_id(self, devchain: Runner) -> None:
        """The id is printed to stdout, a hint how to use it to stderr."""
        result = devchain("snapshot")

        assert result == Result(0, "0x1\n", "revert to it with `devchain revert 0x1`\n")


class TestRevert:
    @pytest.mark.parametrize("written", ["0x1", "1"])
    def test_back(self, devchain: Runner, written: str) -> None:
        """The chain is reverted; the id may be hex or decimal."""
        devchain("snapshot")
        devchain("mine", "3")
        result = devchain("revert", written)

        assert result == Result(0, "Reverted to snapshot 0x1; the head is block 0.\n", "")

    def test_unknown(self, devchain: Runner) -> None:
        """A snapshot that does not exist is an error, with its id as it was written."""
        assert devchain("revert", "99") == Result(1, "", "error: no snapshot 99 on this node\n")
        assert devchain("revert", "0x7") == Result(1, "", "error: no snapshot 0x7 on this node\n")

    def test_no_number(self, devchain: Runner) -> None:
        """An id that is not a number is wrong usage."""
        assert devchain("revert", "last").code == 2
