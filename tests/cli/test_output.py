"""`devchain.cli.output`"""

from __future__ import annotations

import io
import re
import sys

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

    @pytest.mark.parametrize("columns", [40, 80, 120])
    def test_styled_pieces(self, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
        """A value of several pieces is wrapped, too; each piece keeps its style."""
        terminal = Terminal()
        monkeypatch.setattr("sys.stdout", terminal)
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("NO_COLOR", raising=False)
        output.write_field("Time", "2023-11-14 22:13:20 UTC", (" · 3 years ago · " * 3, "dim"))
        output.write_title("0x" + "ab" * 20, "contract", "at block 1,000")

        shown = terminal.getvalue()
        lines = re.sub("\x1b\\[[0-9;]*m", "", shown).splitlines()
        assert max(map(len, lines)) <= max(columns, 42)
        assert " ".join(" ".join(lines).split()) == (
            "Time 2023-11-14 22:13:20 UTC"
            + " · 3 years ago ·" * 3
            + f" 0x{'ab' * 20} · contract · at block 1,000"
        )
        assert "\x1b[2m·" in shown or "\x1b[2m ·" in shown


class TestTree:
    LINES = ("A.f()", f"├─ B.g(to=0x{'ab' * 20}, memo=0x{'cd' * 20})", "└─ ✗ reverted: no")

    def test_pipe(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Outside a terminal each line is one line."""
        output.write_tree(self.LINES)

        assert capsys.readouterr().out == "".join(f"  {each}\n" for each in self.LINES)

    def test_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """On a terminal lines are wrapped under their branches."""
        terminal = Terminal()
        monkeypatch.setattr("sys.stdout", terminal)
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("NO_COLOR", "1")
        output.write_tree(self.LINES)

        assert terminal.getvalue().splitlines() == [
            "  A.f()",
            f"  ├─ B.g(to=0x{'ab' * 20},",
            f"  │      memo=0x{'cd' * 20})",
            "  └─ ✗ reverted: no",
        ]


def test_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """What exceeds the terminal goes on below the text, not below the figures."""
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    output.write_row("      22,100   1  ", (f"Vault.owed[0x{'ab' * 20}]", output.NAME), " twice")

    assert terminal.getvalue().splitlines() == [
        "      22,100   1  Vault.owed[",
        f"                  0x{'ab' * 20}]",
        "                  twice",
    ]


class TestEncoding:
    @pytest.mark.parametrize(
        ("encoding", "shown"),
        [
            ("ascii", "|- x ok -> `- # . - ... \\xe9 \\u20bf \\U0001f600"),
            ("cp1252", "|- x ok -> `- # . · … é \\u20bf \\U0001f600"),
            ("cp437", "├─ x ok -> └─ █ ░ · ... é \\u20bf \\U0001f600"),
            ("utf-8", "├─ ✗ ok → └─ █ ░ · … é ₿ 😀"),
        ],
    )
    def test_fallback(self, encoding: str, shown: str) -> None:
        """Our own characters have similar ones in every encoding, others are escaped."""
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding=encoding)
        output.fit_encoding(stream)
        stream.write("├─ ✗ ok → └─ █ ░ · … é ₿ 😀")
        stream.flush()

        assert raw.getvalue().decode(encoding) == shown

    def test_chosen_handler(self) -> None:
        """An error handler that the user chose stays."""
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding="ascii", errors="replace")
        output.fit_encoding(stream)
        stream.write("→")
        stream.flush()

        assert raw.getvalue() == b"?"


class TestLogLine:
    def test_wrapped(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """On a terminal a labelled value of a log is wrapped below its beginning."""
        terminal = Terminal()
        monkeypatch.setattr("sys.stdout", terminal)
        monkeypatch.setenv("COLUMNS", "60")
        output.write_log_line(f"  Called   Token.transfer(to=0x{'ab' * 20}, value=1)")
        output.write_log_line("eth_blockNumber          0.1 ms")

        assert terminal.getvalue().splitlines() == [
            "  Called   Token.transfer(to=",
            f"           0x{'ab' * 20},",
            "           value=1)",
            "eth_blockNumber          0.1 ms",
        ]


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

    def test_deep(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A trace of many calls in one another is written, on older Pythons in one line."""
        value: object = "\x9b\x7fé"
        for _ in range(800):
            value = {"calls": [value]}

        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(1_000)  # that of a command, which does not import py-evm
        try:
            output.write_json(value)
        finally:
            sys.setrecursionlimit(limit)

        written = capsys.readouterr().out
        assert "".join(written.split()).startswith('{"calls":[' * 800)
        assert '"\\u009b\\u007f\\u00e9"' in written


def test_bar() -> None:
    """A share above zero fills at least one cell; the share of 0 fills none."""
    bars = [len(output.bar(share)[0]) for share in (0, 1e-4, 50, 100, 200)]

    assert bars == [0, 1, 10, 20, 20]
