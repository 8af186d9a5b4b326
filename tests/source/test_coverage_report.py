"""`devchain.source.coverage_report`"""

from __future__ import annotations

from copy import deepcopy

from devchain.contracts.sources import StaleSource
from devchain.source.coverage_report import (
    NO_CODE,
    UNKNOWN,
    Branch,
    FileReport,
    Report,
    add_counts,
    format_lcov,
    format_table,
    merge_counts,
)

REPORT = Report(
    {
        "b.sol": FileReport(
            {1: 2, 2: 0, 3: 0, 4: NO_CODE, 9: UNKNOWN},
            {"B.f": (1, 2), "B.g": (4, -1)},
            {Branch(1, 5, "if"): (2, 0), Branch(2, 5, "loop"): (0, 0), Branch(9, 1, "and"): (3, 4)},
        ),
        "a.sol": FileReport({5: 7}),
    },
    {"lib/x.sol"},
)


def test_table() -> None:
    """The table has sorted files, lines that did not count as ranges, and the total."""
    assert list(format_table(REPORT)) == [
        "file   lines    hit      %  branches    hit      %",
        "──────────────────────────────────────────────────",
        "a.sol      1      1  100.0         -      -      -",
        "b.sol      4      1   25.0         6      3   50.0",
        "  missed: 2-3",
        "  missed ways: 1 else",
        "  not measurable: 9",
        "  without code: 4",
        "──────────────────────────────────────────────────",
        "all        5      2   40.0         6      3   50.0",
        "Lines that are not measurable count as not hit: the compiler gives no place to",
        "their code.",
        "not counted: 1 file of dependencies or without a text",
    ]


def test_stale() -> None:
    """Sources that have changed are named, with what to do, also where nothing else is left."""
    stale = Report(stale={StaleSource("a.sol")})
    assert [*format_table(stale)] == [
        "nothing to measure: a.sol has changed since it was compiled: compile again"
    ]
    stale.add(REPORT)
    stale.add(Report(stale={StaleSource("c.sol")}))
    assert [*format_table(stale)][-1] == (
        "not counted: a.sol, c.sol have changed since they were compiled: compile again"
    )
    stale.add(Report(stale={StaleSource("d.vy", "d.json")}))
    assert [*format_table(stale)][-1] == (
        "d.vy is newer than d.json: if it has changed, compile again; places may be wrong"
    )


def test_table_width() -> None:
    """Long paths are cut, long lists wrapped, and 100 % is not reached by rounding."""
    lines = dict.fromkeys(range(1, 4_001), 1) | dict.fromkeys(range(0, 200, 2), 0)
    text = list(format_table(Report({"deep/" * 30 + "a.sol": FileReport(lines)})))
    almost = Report({"a.sol": FileReport(dict.fromkeys(range(9_999), 1) | {9_999: 0})})

    assert max(map(len, text)) <= 80
    assert text[2].startswith("…")
    assert " 97.5 " in text[-1]
    assert list(format_table(almost))[2].split()[3] == "99.9"


def test_table_of_an_empty_report() -> None:
    """The table of an empty report names the inputs that coverage needs."""
    (line,) = format_table(Report())

    assert "want artifacts with source maps" in line


def test_lcov() -> None:
    """The tracefile has a record per file: unknown is 0, what has no code is left out."""
    assert format_lcov(REPORT).splitlines() == [
        *(
            "TN:",
            "SF:a.sol",
            "FNF:0",
            "FNH:0",
            "BRF:0",
            "BRH:0",
            "DA:5,7",
            "LF:1",
            "LH:1",
            "end_of_record",
        ),
        *("TN:", "SF:b.sol", "FN:1,B.f", "FNDA:2,B.f", "FNF:1", "FNH:1"),
        *("BRDA:1,0,0,2", "BRDA:1,0,1,0", "BRDA:2,1,0,-", "BRDA:2,1,1,-"),
        *("BRDA:9,2,0,3", "BRDA:9,2,1,4", "BRF:6", "BRH:3"),
        *("DA:1,2", "DA:2,0", "DA:3,0", "DA:9,0", "LF:4", "LH:1", "end_of_record"),
    ]


def test_add() -> None:
    """Counts of lines and branches add up, as far as they are known."""
    copy = deepcopy(REPORT)
    assert copy == REPORT

    more = FileReport({2: 1, 4: 0, 9: 0}, {"B.g": (4, 3)}, {Branch(1, 5, "if"): (1, 1)})
    copy.add(Report({"b.sol": more}, approximate={"B"}))

    assert copy.files["b.sol"].lines == {1: 2, 2: 1, 3: 0, 4: 0, 9: UNKNOWN}
    assert copy.files["b.sol"].functions == {"B.f": (1, 2), "B.g": (4, 3)}
    assert copy.files["b.sol"].branches[Branch(1, 5, "if")] == (3, 1)


def test_counts() -> None:
    """A hit outweighs unknown, unknown a miss, a miss no code."""
    assert (add_counts(2, 3), add_counts(0, 3), add_counts(UNKNOWN, 3), add_counts(3, NO_CODE)) == (
        5,
        3,
        3,
        3,
    )
    assert (add_counts(UNKNOWN, 0), add_counts(NO_CODE, 0), add_counts(UNKNOWN, NO_CODE)) == (
        UNKNOWN,
        0,
        UNKNOWN,
    )
    assert (merge_counts(2, 3), merge_counts(0, 0), merge_counts(NO_CODE, NO_CODE)) == (
        3,
        0,
        NO_CODE,
    )
