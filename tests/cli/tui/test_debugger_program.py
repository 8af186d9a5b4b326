"""`devchain debug` and `pytest --devchain-debug` on a pseudo terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("textual")
pytest.importorskip("pty")  # not on Windows

from devchain import Config, Node
from devchain.errors import VmError
from devchain.server.serve import serve_in_thread
from tests.contracts.till import FILE
from tests.pseudo_terminal import Terminal

TEST = """
def test_sale(devchain):
    till = devchain.deploy("Till")
    till.sell(%s)
    assert till.sold() == 1
"""


@pytest.fixture
def sale() -> Iterator[tuple[str, str]]:
    """The URL of a node, and the hash of a sale that failed."""
    node = Node(Config(artifacts=(str(FILE),)))
    till = node.deploy("Till")
    with suppress(VmError):
        till.sell(40)
    tx_hash = f"0x{node.chain.head.transactions[0].hash.hex()}"
    with serve_in_thread(node) as url:
        yield url, tx_hash


class TestCommand:
    def test_steps_through_a_transaction(self, sale: tuple[str, str], tmp_path: Path) -> None:
        """It starts at the first line, steps into a function, stops at a breakpoint and quits."""
        url, tx_hash = sale
        command = [sys.executable, "-m", "devchain", "debug", tx_hash]
        with Terminal([*command, "--artifacts", str(FILE), "--url", url], tmp_path) as terminal:
            terminal.wait_for("Till.sol:61", "▶  61", "uint256 amount = price(count);", "q quit")
            terminal.press("s")
            terminal.wait_for("Till.price(count=40)", "Till.sol:48")
            terminal.press("B")
            terminal.wait_for("17, Vault.sol:17")
            terminal.press("62\r")
            terminal.wait_for("breakpoint set at contracts/Till.sol:62")
            terminal.press("c")
            screen = terminal.wait_for("▶  62", "count = 40", "· gas")
            terminal.press("q")

            assert terminal.wait_for_exit() == 0
        assert "failed: TooMuch(amount=140)" in screen
        assert len(screen.splitlines()) == 24


class TestPytest:
    def test_opens_on_a_failure(self, tmp_path: Path) -> None:
        """A failing test opens the debugger on what failed, or on its last transaction."""
        for count in ("40", "2"):
            (tmp_path / f"test_sale_{count}.py").write_text(TEST % count)
        (tmp_path / "pytest.ini").write_text("[pytest]\n")
        options = ["--devchain-debug", f"--devchain-artifacts={FILE}", "-p", "no:cacheprovider"]
        with Terminal([sys.executable, "-m", "pytest", *options], tmp_path) as terminal:
            for line in ("succeeded", "failed: TooMuch(amount=140)"):
                terminal.wait_for(line, "Till.sell(count=", "q quit")
                terminal.press("q")
            terminal.wait_for("2 failed")

            assert terminal.wait_for_exit() == 1

    def test_without_a_terminal(self, pytester: pytest.Pytester) -> None:
        """Without a terminal it says so, and the test is reported as ever."""
        pytester.makepyfile(TEST % "40")
        result = pytester.runpytest_inprocess(
            "--devchain-debug", f"--devchain-artifacts={FILE}", "-p", "no:cacheprovider"
        )

        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["--devchain-debug: the debugger needs a terminal*"])

    def test_not_installed(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Without Textual the option is a usage error that says what to install."""
        module = import_module("devchain.testing.debugging")
        monkeypatch.setattr(module, "find_spec", lambda _: None)
        result = pytester.runpytest_inprocess("--devchain-debug")

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(['*pip install "devchain?tui?"*'])
