"""`devchain debug`, apart from the program on the terminal."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from devchain.cli.commands import debug
from devchain.errors import VmError
from devchain.node import Node
from devchain.source.steps import Debugger, call_stack, outcome
from tests.cli.conftest import Runner
from tests.contracts.till import TILL
from tests.source.executions import line_of

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


class TestSources:
    """Which execution the debugger is opened on, with which sources."""

    @pytest.fixture
    def till(self, node: Node, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
        """A contract of the node's own artifacts, of which a sale has failed."""
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(debug, "check_terminal", lambda: None)
        till = node.deploy(TILL)
        with suppress(VmError):
            till.sell(40)
        return f"0x{till.address.hex()}"

    @pytest.fixture
    def opened(self, monkeypatch: pytest.MonkeyPatch) -> list[Debugger]:
        """The debuggers that are opened."""
        found: list[Debugger] = []
        monkeypatch.setattr("devchain.cli.tui.debugger.run_debugger", found.append)
        return found

    def test_of_the_node(
        self, devchain: Runner, node: Node, till: str, opened: list[Debugger]
    ) -> None:
        """Without --artifacts and a project the sources are those that the node knows."""
        tx_hash = f"0x{node.chain.head.transactions[0].hash.hex()}"
        assert devchain("debug", tx_hash).code == 0

        assert line_of(opened[0]) == "contracts/Till.sol:61"

    def test_artifacts_alone(
        self, devchain: Runner, node: Node, till: str, opened: list[Debugger], tmp_path: Path
    ) -> None:
        """With --artifacts the node is not asked."""
        (tmp_path / "other.json").write_text('{"contractName": "Other", "abi": []}')
        tx_hash = f"0x{node.chain.head.transactions[0].hash.hex()}"
        devchain("debug", tx_hash, "--artifacts", "other.json")

        assert not opened[0].execution.has_sources

    def test_call(self, devchain: Runner, till: str, opened: list[Debugger]) -> None:
        """A call is stepped through without a transaction, from an account by its number."""
        assert devchain("debug", "--call", till, "price(uint256)", "2", "--from", "1").code == 0

        [frame, *_] = call_stack(opened[0].execution, opened[0].step)
        assert frame.title == "Till.price(count=2)"
        assert outcome(opened[0].execution) == "succeeded"
