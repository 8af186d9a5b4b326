"""`devchain.cli.commands.ps_logs_stop`: logs of nodes that have stopped"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from devchain.cli.background import NodeRecord, PidFile, log_path, state_directory
from devchain.cli.main import main

RECORD = NodeRecord("test-4444", os.getpid(), "", 4444, ("test",), 0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for PID files and logs."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return state_directory()


def write_log(folder: Path, name: str, age: int) -> None:
    """The log of a node that wrote to it so many seconds ago."""
    path = log_path(folder, name)
    path.write_text(f"log of {name}\n")
    now = path.stat().st_mtime
    os.utime(path, (now - age, now - age))


class TestLogs:
    @pytest.mark.parametrize(
        ("words", "name"),
        [
            ([], "test-4445"),
            (["mine"], "mine"),
            (["test-4444"], "test-4444"),
        ],
        ids=["last", "name", "default name"],
    )
    def test_stopped(
        self, folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], name: str
    ) -> None:
        """After a stop the log is still found; without a name that of the last node."""
        write_log(folder, "mine", 30)
        write_log(folder, "test-4444", 20)
        write_log(folder, "test-4445", 10)

        assert main(["logs", *words]) == 0
        shown = capsys.readouterr()
        assert shown.out == f"log of {name}\n"
        assert shown.err == f"{name} has stopped; its log:\n"

    def test_running(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """A node that runs comes before those that stopped, and needs no note."""
        file = PidFile(folder, RECORD)
        file.write("http://x")
        try:
            write_log(folder, "test-4444", 20)
            write_log(folder, "mine", 10)
            assert main(["logs"]) == 0
        finally:
            file.release()

        assert capsys.readouterr() == ("log of test-4444\n", "")

    @pytest.mark.parametrize("words", [[], ["4444"], ["test-4444"]], ids=["only", "port", "name"])
    def test_terminal(
        self, folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]
    ) -> None:
        """A node in a terminal logs there, whatever a node of the same name has left."""
        file = PidFile(folder, replace(RECORD, detached=False))
        file.write("http://x")
        try:
            write_log(folder, "test-4444", 20)
            assert main(["logs", *words]) == 1
            assert main(["ps"]) == 0
        finally:
            file.release()

        out, err = capsys.readouterr()
        assert err == "error: test-4444 runs in a terminal, which has its log\n"
        assert out.splitlines()[1].endswith("  a terminal")

    @pytest.mark.parametrize("words", [[], ["mine"], ["1"]], ids=["any", "name", "unused port"])
    def test_none(self, folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
        """Without any log there is an error."""
        assert main(["logs", *words]) == 1
        assert "error: no node runs: `devchain start` starts one" in capsys.readouterr().err
