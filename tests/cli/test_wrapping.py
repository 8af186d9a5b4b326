"""`devchain.cli.wrapping`"""

from __future__ import annotations

import re

import pytest

from devchain.cli.wrapping import wrap, wrap_tree
from devchain.text import columns

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


def test_hash_at_80() -> None:
    """A labelled hash is one line at 80 columns."""
    assert wrap(HASH, 80, " " * 14, " " * 14) == [" " * 14 + HASH]


def test_whole() -> None:
    """A short text is one line; trailing spaces are dropped."""
    assert wrap("one two  ", 80, "- ") == ["- one two"]
    assert wrap("", 80, "- ") == ["-"]


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


def test_trace_at_40() -> None:
    """Source below a trace is wrapped in its own column, too."""
    lines = ["     > 27 │     require(msg.sender == owner, reason);"]

    assert wrapped(lines, 40) == [
        "     > 27 │     require(msg.sender ==",
        "          │     owner, reason);",
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
