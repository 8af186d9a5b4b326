"""`devchain.cli.output`"""

from __future__ import annotations

import io

import pytest

from devchain.cli import output
from tests.cli.scripted import Terminal


class TestWrite:
    def test_plain(self) -> None:
        """Output that is not a terminal has no styles."""
        stream = io.StringIO()
        output.write_line(("bold", "bold"), " text  ", stream=stream)

        assert stream.getvalue() == "bold text\n"

    def test_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A terminal has styles; nothing is wrapped, cut or interpreted as markup."""
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("NO_COLOR", raising=False)
        stream = Terminal()
        output.write_line(("x" * 200, "bold"), " [red]:smile:\x1b[31m", stream=stream)

        assert stream.getvalue() == f"\x1b[1m{'x' * 200}\x1b[0m [red]:smile:\\x1b[31m\n"

    @pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
    def test_no_color(self, variables: dict[str, str]) -> None:
        """`NO_COLOR` and a dumb terminal turn styles off."""
        assert not output.has_colors(Terminal(), variables)

    def test_force_color(self) -> None:
        """`FORCE_COLOR` turns styles on without a terminal."""
        assert output.has_colors(io.StringIO(), {"FORCE_COLOR": "1"})


class TestField:
    def test_hash_fits(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A labelled 32-byte hash ends at column 80."""
        output.write_field("Merged mining", f"0x{'ab' * 32}")

        assert len(capsys.readouterr().out.rstrip("\n")) == 80

    def test_absent(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A value that the node did not return is left out."""
        output.write_fields([("Hash", None), ("Size", ["1"])])

        assert capsys.readouterr().out == "Size          1\n"

    def test_long_text(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """On a terminal a long text is wrapped and aligned with its first line."""
        terminal = Terminal()
        monkeypatch.setattr("sys.stdout", terminal)
        monkeypatch.setenv("COLUMNS", "30")
        monkeypatch.setenv("NO_COLOR", "1")
        output.write_field("Reason", ("transfer amount exceeds balance", "bold"))

        assert terminal.getvalue() == (
            "Reason        transfer amount\n              exceeds balance\n"
        )


class TestProgress:
    def test_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A terminal on stderr shows the progress."""
        terminal = Terminal()
        monkeypatch.setattr("sys.stderr", terminal)
        monkeypatch.setenv("TERM", "xterm")
        with output.progress_bar("blocks") as bar:
            assert bar
            bar.update(bar.add_task("", total=10), completed=5)

        assert "5/10" in terminal.getvalue()

    def test_no_terminal(self) -> None:
        """Without a terminal there is no progress bar."""
        with output.progress_bar("blocks") as bar:
            assert bar is None


class TestWriteJson:
    def test_values_unchanged(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Values are unchanged; control characters stay escaped."""
        output.write_json({"a": [None, "0x00", 2**70], "b": "\x1b\x9b"})

        assert capsys.readouterr().out == (
            '{\n  "a": [\n    null,\n    "0x00",\n    1180591620717411303424\n  ],\n'
            '  "b": "\\u001b\\u009b"\n}\n'
        )
