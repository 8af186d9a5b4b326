"""`devchain debug`, apart from the program on the terminal."""

from __future__ import annotations

import subprocess
import sys

import pytest

from devchain.cli.commands import debug
from devchain.source import trace
from tests.cli.conftest import Runner

HASH = "0x" + "12" * 32


class TestDebug:
    def test_without_a_terminal(self, devchain: Runner) -> None:
        """It needs a terminal, and names the command that does not."""
        pytest.importorskip("textual")
        result = devchain("debug", HASH)

        assert (result.code, result.out) == (1, "")
        assert "needs a terminal; `devchain inspect tx` prints" in result.err

    def test_not_installed(self, devchain: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without Textual it says what to install."""
        monkeypatch.setattr(debug, "find_spec", lambda _: None)

        error = " ".join(devchain("debug", HASH).err.split())

        assert 'pip install "devchain[tui]" (from a clone ".[tui]")' in error

    def test_arguments_without_call(self, devchain: Runner) -> None:
        """A function goes with --call."""
        result = devchain("debug", HASH, "take(uint256)", "9")

        assert result.code == 2
        assert "go with --call" in result.err

    def test_default(self) -> None:
        """The number of steps is that of the module that asks for them."""
        assert debug.MAX_STEPS == trace.MAX_STEPS

    def test_help_imports_no_terminal_program(self) -> None:
        """--help starts without Textual."""
        program = (
            "import sys; from devchain.cli.main import main; main(['debug', '--help']);"
            "sys.exit('textual' in sys.modules)"
        )
        result = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False
        )

        assert result.returncode == 0
        assert "--max-steps" in result.stdout
