"""`devchain.cli.output`"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable

import pytest

from devchain.cli import output
from devchain.cli.output import wrap, wrap_tree
from devchain.text import columns
from tests.cli.scripted import Terminal

ADDRESS = f"0x{'Ab' * 20}"
HASH = f"0x{'cd' * 32}"
TREE = [
    f"Vault.store(value=1234, to={ADDRESS} (Token)) [75,299 gas]",
    f"├─ Token.transfer(to={ADDRESS}, value=1234) → true [29,150 gas]",
    f"│  └─ emit Transfer(from={ADDRESS}, to={ADDRESS}, value=1234)",
    "└─ emit Stored(value=1234)",
]


SOURCE = [
    "✗ Outer.lowLevel(amount=9) [45,053 gas]             contracts/Debug.sol:41",
    "└─ ✗ Inner.take(amount=9) [932 gas]                 contracts/Debug.sol:17",
    "   └─ ✗ reverted: TooMuch(wanted=9, have=0)",
    "        16 │ function take(uint256 amount) external {",
    "      > 17 │     if (amount > have) revert TooMuch(amount, have);",
    "           │                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
]


def wrapped(lines: list[str], width: int, indent: str = "") -> list[str]:
    """The lines of a tree as a terminal shows them."""
    return [each for line in wrap_tree(lines, width, indent) for each in line]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Terminal]:
    """Make stdout a terminal of some columns, without colors."""

    def set_up(width: int) -> Terminal:
        stream = Terminal()
        monkeypatch.setattr("sys.stdout", stream)
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("NO_COLOR", "1")
        return stream

    return set_up


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
    def test_absent(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A value that the node did not return is left out."""
        output.write_fields([("Hash", None), ("Size", ["1"])])

        assert capsys.readouterr().out == "Size          1\n"

    def test_long_text(self, terminal: Callable[[int], Terminal]) -> None:
        """On a terminal a long text is wrapped and aligned with its first line."""
        shown = terminal(30)
        output.write_field("Reason", ("transfer amount exceeds balance", "bold"))

        assert shown.getvalue() == (
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


def test_row(terminal: Callable[[int], Terminal]) -> None:
    """What exceeds the terminal goes on below the text, not below the figures."""
    shown = terminal(60)
    output.write_row("      22,100   1  ", (f"Vault.owed[0x{'ab' * 20}]", output.NAME), " twice")

    assert shown.getvalue().splitlines() == [
        "      22,100   1  Vault.owed[",
        f"                  0x{'ab' * 20}]",
        "                  twice",
    ]


@pytest.mark.parametrize(
    ("errors", "shown"), [("strict", rb"\u2192 \xe9"), ("replace", b"? ?")], ids=str
)
def test_encoding(errors: str, shown: bytes) -> None:
    """What an encoding lacks is escaped, unless the user chose otherwise."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", errors=errors)
    output.fit_encoding(stream)
    stream.write("→ é")
    stream.flush()

    assert raw.getvalue() == shown


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


@pytest.mark.parametrize("width", [42, 60, 80, 120])
@pytest.mark.parametrize(
    "text",
    [
        f"Token.transfer(from={ADDRESS}, to={ADDRESS}, value=5000000000000000000)",
        f"f(items=[{','.join([ADDRESS] * 9)}])",
        f"g((({ADDRESS})),{HASH})",
        "words " * 40,
        "x" * 300,
        f"0x{'ef' * 400}",
        "日本語 " * 60,
        "日本語" * 60,
    ],
)
def test_wrap(text: str, width: int) -> None:
    """No line is wider than the terminal but for one value; no address or hash is broken."""
    lines = wrap(text, width, "  To  ", "      ")

    for line in lines:
        assert columns(line) <= width or re.fullmatch(r"\s*(To )?\s*\W*0x\w{40,64}[^\w]*", line)
    shown = "".join(lines).removeprefix("  To  ")
    assert shown.replace(" ", "") == text.replace(" ", "")
    for value in (ADDRESS, HASH):
        assert sum(each.count(value) for each in lines) == text.count(value)


def test_tree() -> None:
    """Lines of a tree are wrapped under their branch."""
    assert wrapped(TREE, 80, "  ") == [
        f"  Vault.store(value=1234, to={ADDRESS} (Token))",
        "      [75,299 gas]",
        f"  ├─ Token.transfer(to={ADDRESS}, value=1234) →",
        "  │      true [29,150 gas]",
        f"  │  └─ emit Transfer(from={ADDRESS},",
        f"  │         to={ADDRESS}, value=1234)",
        "  └─ emit Stored(value=1234)",
    ]


def test_source_at_80() -> None:
    """Places and source fit beside a tree."""
    assert wrapped(SOURCE, 80, "  ") == [f"  {each}" for each in SOURCE]


def test_source_at_40() -> None:
    """Places are below their calls, source is wrapped in its own column, marks are left out."""
    assert wrapped(SOURCE, 40, "  ") == [
        "  ✗ Outer.lowLevel(amount=9) [45,053",
        "      gas]",
        "      contracts/Debug.sol:41",
        "  └─ ✗ Inner.take(amount=9) [932 gas]",
        "         contracts/Debug.sol:17",
        "     └─ ✗ reverted: TooMuch(wanted=9,",
        "            have=0)",
        "          16 │ function take(uint256",
        "             │     amount) external {",
        "        > 17 │     if (amount > have)",
        "             │     revert",
        "             │     TooMuch(amount,",
        "             │     have);",
    ]


@pytest.mark.parametrize("width", [40, 80, 120])
def test_tree_widths(width: int) -> None:
    """No line is wider than the terminal, unless it is one address."""
    for line in wrapped(TREE, width, "  "):
        assert columns(line) <= width or line.rstrip(",").endswith(ADDRESS)


@pytest.mark.parametrize("depth", [10, 15, 20, 40])
def test_deep_tree(depth: int) -> None:
    """Addresses in deep trees are whole, too, with less indentation."""
    lead = "   " * depth
    lines = wrapped([f"{lead}└─ Token.transfer(to={ADDRESS}, value=1)"], 80)

    assert sum(ADDRESS in each for each in lines) == 1
    assert all(columns(each) <= 80 for each in lines)
    assert "   └─ Token.transfer(" in lines[0]


def test_spaces_make_no_lines() -> None:
    """A text with many spaces or wide characters cannot begin a line at the left margin."""
    for filler in (" " * 300, "　" * 90, "界" * 90):
        lines = wrapped(["call", f"└─ ✗ reverted: x{filler}└─ fake() [0 gas]"], 80)

        assert all(columns(each) <= 80 for each in lines)
        assert all(each.startswith("    ") for each in lines[2:])
