"""`devchain.source.source_trace`"""

from __future__ import annotations

from dataclasses import replace

import pytest

from devchain.source.source_trace import MAX_WIDTH, Confidence, SourceFrame, SourceTrace, beside
from devchain.text import LineKind

TAKE = SourceFrame(
    "Inner",
    "take",
    "amount=9",
    path="contracts/Debug.sol",
    line=17,
    column=28,
    end_line=17,
    end_column=57,
    lines=(
        (16, "    function take(uint256 amount) external {"),
        (17, "        if (amount > have) revert TooMuch(amount, have);"),
    ),
)
STORE = SourceFrame("Outer", "store", "amount=9", path="contracts/Debug.sol", line=41, column=9)


def framed(line: str, part: str, **changes: object) -> SourceFrame:
    """A frame whose range is a part of a line."""
    start = line.index(part)
    columns = {"column": start + 1, "end_column": start + len(part) + 1}
    place = {"line": 17, "end_line": 17, "lines": ((17, line),)}
    return replace(TAKE, **{**place, **columns, **changes})  # type: ignore[arg-type]


class TestText:
    def test_whole(self) -> None:
        """Reason, hint, functions from the outermost in with their places, and the source."""
        trace = SourceTrace("reverted: TooMuch(9, 0)", (STORE, TAKE), "nothing is left")

        assert trace.text.splitlines() == [
            "reverted: TooMuch(9, 0)",
            "hint: nothing is left",
            "  at Outer.store(amount=9)  contracts/Debug.sol:41",
            "  at Inner.take(amount=9)   contracts/Debug.sol:17",
            "       16 │ function take(uint256 amount) external {",
            "     > 17 │     if (amount > have) revert TooMuch(amount, have);",
            "          │                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        ]

    def test_place(self) -> None:
        """An approximate place, and code of the compiler's own, are marked as such."""
        near = replace(STORE, confidence=Confidence.NEAR)
        made = replace(STORE, note="code of the compiler: checks of the call")

        assert near.place_and_note == "near contracts/Debug.sol:41"
        assert made.place_and_note == (
            "contracts/Debug.sol:41 (code of the compiler: checks of the call)"
        )

    def test_recursion(self) -> None:
        """Of very many functions the first and the last are shown."""
        lines = SourceTrace("stack overflow", (STORE,) * 1_000).text.splitlines()

        assert len(lines) == 14
        assert lines[7] == "  ... 988 more"

    @pytest.mark.parametrize("text", ["\x1b[2J", "\u202e", "a\nb", "\r", "\u2028", "\x00"])
    def test_hostile(self, text: str) -> None:
        """Text of a source or a contract makes no lines and acts on no terminal."""
        frame = framed(f"revert {text}();", "revert", arguments=f"name={text}", note=text)
        lines = SourceTrace(text, (frame,), text).text_lines

        assert len(lines) <= 5
        assert all(each.isprintable() for each in lines)

    def test_huge_line(self) -> None:
        """A line of a source is cut, as all others are."""
        frame = framed("x" * 100_000, "xx", arguments="y" * 100_000)

        assert all(len(each) < 2 * MAX_WIDTH for each in SourceTrace("", (frame,)).text_lines)


class TestExcerpt:
    @pytest.mark.parametrize("end", [";", "", " {", "; // why", " # why"])
    def test_whole_line_is_not_underlined(self, end: str) -> None:
        """Nothing is marked below a line that has one statement."""
        assert len(framed(f"    total -= amount{end}", "total -= amount").excerpt) == 1

    @pytest.mark.parametrize(
        ("line", "part", "marks"),
        [
            ("total = target.take(9);", "target.take(9)", "        ^^^^^^^^^^^^^^"),
            ("\ttotal = f();", "f()", "        ^^^"),
            ("a(); b();", "a()", "^^^"),
        ],
    )
    def test_part_is_underlined(self, line: str, part: str, marks: str) -> None:
        """The range is underlined where its line has more; tabs take four columns."""
        assert framed(line, part).excerpt[1:] == [f"     │ {marks}"]

    @pytest.mark.parametrize("text", ["é", "日", "\x07", "x" * 200])
    def test_columns_in_doubt(self, text: str) -> None:
        """Where a terminal may place characters elsewhere nothing is underlined."""
        assert len(framed(f"f('{text}'); g();", "g()").excerpt) == 1

    def test_approximate(self) -> None:
        """A place that is not exact has no range."""
        assert len(replace(TAKE, confidence=Confidence.NEAR).excerpt) == 2


class TestBeside:
    def test_long_lines(self) -> None:
        """Places are in one column, below lines that reach beyond it."""
        long = "b" * 60

        assert beside([("a", "x:1"), (long, "y:2"), ("c", "")]) == [
            f"{'a':<52}  x:1",
            long,
            f"{'':<52}  y:2",
            "c",
        ]

    def test_branches(self) -> None:
        """The branches of a tree go on beside the place of a long line."""
        long = "b" * 60

        assert beside([("├─ in a", "x:1"), (f"│  ├─ {long}", "y:2"), (f"│  └─ {long}", "y:3")]) == [
            f"{'├─ in a':<52}  x:1",
            f"│  ├─ {long}",
            f"{'│  │':<52}  y:2",
            f"│  └─ {long}",
            f"{'│':<52}  y:3",
        ]

    def test_wide_characters(self) -> None:
        """The column is one of the terminal, where a character may take two."""
        assert beside([("f(名)", "x:1"), ("f(name)", "x:2")]) == ["f(名)    x:1", "f(name)  x:2"]

    def test_one_place(self) -> None:
        """A place alone is behind its line, however long that is."""
        assert beside([("b" * 60, "y:2"), ("c", "")]) == [f"{'b' * 60}  y:2", "c"]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("✗ Inner.take(amount=9) [932 gas]  a.sol:17", None),
        ("├─ ✗ Inner.take(amount=9) [932 gas]", None),
        ("│  └─ ✗ reverted: no", LineKind.FAILURE),
        ("│        16 │ function take() {", LineKind.CONTEXT),
        ("│      > 17 │     revert();", LineKind.MARKED),
        ("│           │     ^^^^^^", LineKind.MARKED),
        ("   hint: no code there", LineKind.HINT),
        ("├─ emit Taken(amount=9)", None),
    ],
)
def test_kind(line: str, kind: LineKind | None) -> None:
    """Failures, hints and source have kinds of their own, other than calls and events."""
    assert LineKind.of(line) is kind
