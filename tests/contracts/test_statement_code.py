"""`devchain.contracts.statement_code`: how often Vyper's statements ran, with ranges or not."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from devchain.contracts.code_map import CodeMap
from devchain.contracts.coverage_report import NO_CODE, UNKNOWN
from devchain.errors import ExecutionReverted
from devchain.node import Node
from tests.testing.covered import CONTRACTS, coverage_node, report_of

CHOICES = CONTRACTS / "Choices.vy"
OWNER = "0x" + "11" * 20
BUILDS = ["choices-0.3-gas", "choices-0.4-gas", "choices-0.4-none"]
MARK = "self.marked = "

Calls = list[tuple[Any, ...]]

CALLS: dict[str, Calls] = {
    "deployed": [],
    "above": [("capped", 1)],
    "below": [("capped", 100)],
    "literal": [("chosen", 1, False)],
    "constant": [("chosen", 2, False)],
    "immutable": [("chosen", 3, True)],
    "inner-else": [("chosen", 3, False)],
    "storage": [("chosen", 4, True)],
    "empty": [("chosen", 5, True)],
    "argument": [("chosen", 6, True)],
    "swapped": [("swapped", 2, 1)],
    "in-order": [("swapped", 1, 2)],
    "first-flag": [("state_after", 0)],
    "second-flag": [("state_after", 1)],
    "flag-of-storage": [("state_after", 2)],
    "open": [("switch", True, True)],
    "shut": [("switch", False, True)],
    "not-strict": [("switch", False, False)],
    "no-turn": [("turns", 0, 0, 0)],
    "stop": [("turns", 3, 0, 1)],
    "skip": [("turns", 3, 9, 1)],
    "turns": [("turns", 9, 20, 1)],
    "least": [("note", 4)],
    "most": [("note", 40), ("note", 40, 39)],
    "noted-1": [("note", 1)],
    "noted-2": [("note", 2)],
    "noted-3": [("note", 3)],
    "text": [("copied", b"ab", [1, 2, 3], False)],
    "no-text": [("copied", b"ab", [], True)],
    "paid-1": [(1,)],
    "paid-2": [(2,)],
}
CALLS["all"] = [each for calls in CALLS.values() for each in calls]

MISCOMPILED = {"skip", "turns", "all"}
"""Calls that Venom of vyper 0.4.3 makes fail: its code of `turns` takes too much off the stack."""

CONSTRUCTOR = {19, 20, 21}
LOOPS = {93, 102}
AFTER_BRANCH = 48
"""A `break` of which nothing is left but jumps past it: a miss is not certain."""

JUMP_LOOPS = {10, 23, 35, 42, 60}
UNUSED = 131


JUMPS: dict[str, Calls] = {
    "deployed": [],
    "skipped": [("chained", 9, 0)],
    "first-skipped": [("chained", 0, 9)],
    "second-skipped": [("chained", 9, 0), ("chained", 9, 1)],
    "third-skipped": [("chained", 0, 1)],
    "ended-first": [("ended", 2, 0)],
    "ended-second": [("ended", 1, 0)],
    "not-ended": [("ended", 1, 9)],
    "checked": [("checked", 1)],
    "too-few": [("checked", 0)],
    "no-turn-stored": [("stored", 0, 0)],
    "stored": [("stored", 7, 1)],
    "stored-other": [("stored", 2, 7)],
    "larger": [("largest", 2, 1, 0)],
    "equal": [("largest", 1, 1, 1)],
    "smaller": [("largest", 1, 2, 3)],
}
JUMPS["all"] = [each for calls in JUMPS.values() for each in calls]


def run(
    node: Node, name: str, calls: Calls, deployed_with: tuple[Any, ...] = (3, OWNER)
) -> dict[int, int]:
    """Deploy a contract, call it, and return the counts of its lines."""
    contract = node.deploy(name, *deployed_with)
    for function, *arguments in calls:
        with suppress(ExecutionReverted):
            if isinstance(function, int):
                node.transact(to=contract, value=function)
            else:
                getattr(contract, function)(*arguments)
    return report_of(node).files[f"{name}.vy"].lines


def marked_lines(build: str, name: str = "Choices") -> dict[int, int]:
    """The lines of a contract before which `Marked.vy` has a mark, with the mark's line."""
    written = json.loads((CONTRACTS / f"{build}.json").read_text())["input"]["sources"]
    plain = written[f"{name}.vy"]["content"].split("\n")
    marked = enumerate(written["Marked.vy"]["content"].split("\n"), 1)
    found, line = {}, 0
    for (number, mark), (_, statement) in pairwise(marked):
        if MARK in statement:
            continue
        while plain[line] != statement:
            line += 1
        line += 1
        if MARK in mark:
            found[line] = number
    return found


class TestAgainstMarks:
    """`Marked.vy` is `Choices.vy` with an assignment to storage before each statement."""

    @pytest.mark.parametrize("build", BUILDS)
    @pytest.mark.parametrize("name", CALLS)
    def test_counts(self, name: str, build: str) -> None:
        """Each statement ran as often as the mark before it; a loop counts its turns."""
        node = coverage_node(build, "vetiver")
        counts, marks = run(node, "Choices", CALLS[name]), run(node, "Marked", CALLS[name])

        lines = marked_lines(build)
        expected = {line: marks[mark] for line, mark in lines.items()}

        assert {line: counts[line] for line in lines if line not in LOOPS} == {
            line: count for line, count in expected.items() if line not in LOOPS
        }
        assert all((counts[line] > 0) == (expected[line] > 0) for line in LOOPS)
        assert counts[UNUSED] == NO_CODE
        is_measured = build != "choices-0.3-gas"  # of its creation code there is no source map
        assert {counts[line] for line in CONSTRUCTOR} == {1 if is_measured else UNKNOWN}

    def test_venom(self) -> None:
        """Venom's code keeps no order, so that less can be measured; each hit is one."""
        hits = 0
        for name in CALLS.keys() - MISCOMPILED:
            plain, venom = (
                coverage_node(f"choices-0.4-{each}", "vetiver") for each in ("gas", "venom")
            )
            truth, found = run(plain, "Choices", CALLS[name]), run(venom, "Choices", CALLS[name])
            hit = {line for line, count in found.items() if count > 0}
            assert all(truth[line] > 0 for line in hit)
            hits += len(hit)

        assert hits > 50


class TestRedirectedJumps:
    """Lines of `Jumps.vy`, whose `break` and `continue` are mostly jumps of conditions."""

    @pytest.mark.parametrize("build", ["jumps-0.3-gas", "jumps-0.4-gas"])
    @pytest.mark.parametrize("name", JUMPS)
    def test_counts(self, name: str, build: str) -> None:
        """Each statement ran as often as the mark before it."""
        node = coverage_node(build, "vetiver")
        counts = run(node, "Jumps", JUMPS[name], ())
        marks = run(node, "Marked", JUMPS[name], ())

        lines = marked_lines(build, "Jumps")
        if counts[AFTER_BRANCH] == UNKNOWN and not marks[lines[AFTER_BRANCH]]:
            del lines[AFTER_BRANCH]

        assert {line: counts[line] for line in lines if line not in JUMP_LOOPS} == {
            line: marks[mark] for line, mark in lines.items() if line not in JUMP_LOOPS
        }

    @pytest.mark.parametrize("name", JUMPS)
    def test_venom(self, name: str) -> None:
        """Venom's code keeps no order though labels behind calls have ranges; no count is wrong."""
        node = coverage_node("jumps-0.4-venom", "vetiver")
        other = coverage_node("jumps-0.4-gas", "vetiver")
        found = run(node, "Jumps", JUMPS[name], ())
        marks = run(other, "Marked", JUMPS[name], ())

        lines = marked_lines("jumps-0.4-gas", "Jumps")

        assert all(
            found[line] == UNKNOWN or (found[line] > 0) == (marks[mark] > 0)
            for line, mark in lines.items()
        )


FAILING: dict[str, tuple[Calls, dict[int, int]]] = {
    "element": ([("element", 9)], {12: 1}),
    "element-twice": ([("element", 1), ("element", 9)], {12: 2}),
    "element-of-argument": ([("of_argument", [1], 3)], {18: 1}),
    "declaration": ([("kept", 9)], {23: 1, 24: 1, 25: 0}),
    "target": ([("put", 9, 1)], {30: 1, 31: 0}),
    "pop": ([("last",)], {36: 1}),
    "condition": ([("chosen", 9)], {41: 1, 42: 0, 43: 0}),
    "underflow-in-callee": ([("lower", 9)], {48: 1, 53: 1, 54: 0}),
    "none": ([], dict.fromkeys([12, 18, 23, 24, 25, 30, 31, 36, 41, 42, 43, 48, 53, 54], 0)),
}


@pytest.mark.parametrize("build", ["bounds-0.3-gas", "bounds-0.4-gas", "bounds-0.4-none"])
@pytest.mark.parametrize("name", FAILING)
def test_a_check_that_fails_is_a_run(name: str, build: str) -> None:
    """A line of which only a check ran that failed has run, and nothing behind it has."""
    calls, expected = FAILING[name]
    counts = run(coverage_node(build, "vetiver"), "Bounds", calls, ())

    assert {line: counts[line] for line in expected} == expected


@pytest.mark.parametrize("build", [*BUILDS, "choices-0.4-venom"])
def test_total_does_not_depend_on_what_ran(build: str) -> None:
    """The lines that count are the same for a contract that was not deployed and for any calls."""
    totals = set()
    for name, calls in CALLS.items():
        if build.endswith("venom") and name in MISCOMPILED:
            continue
        node = coverage_node(build, "vetiver")
        before = report_of(node).files["Choices.vy"]
        run(node, "Choices", calls)
        after = report_of(node).files["Choices.vy"]
        totals |= {before.counted_lines, after.counted_lines}
        assert before.hit_lines == 0

    assert len(totals) == 1


@pytest.mark.parametrize("seed", range(24))
def test_code_that_does_not_fit_its_map(seed: int) -> None:
    """Code and source maps of a damaged artifact have some counts, and no error."""
    drawn = random.Random(seed)  # noqa: S311
    artifact = next(
        each for each in coverage_node("choices-0.4-gas").artifacts if each.name == "Choices"
    )
    code, entries = bytearray(artifact.runtime.template), artifact.runtime.source_map.split(";")
    for _ in range(drawn.choice([1, 5, 50])):
        code[drawn.randrange(len(code))] = drawn.choice([0x50, 0x56, 0x57, 0x5B, 0x60, 0xFD])
        span = f"{drawn.randrange(4000)}:{drawn.randrange(300)}"
        entries[drawn.randrange(len(entries))] = (
            f"{span}:{drawn.choice([0, 1])}:{drawn.choice('io-')}"
        )
    del code[drawn.randrange(1, len(code)) :]
    damaged = replace(artifact.runtime, template=bytes(code), source_map=";".join(entries))
    executions = {offset: drawn.choice([0, 1, 2, 5]) for offset in range(len(code))}

    code_map = CodeMap(artifact, damaged, creating=False)
    starts = code_map.statement_starts
    counts = [
        code_map.statement_counts(number, executions, {}, has_constructor=True)
        for number in code_map.files
    ]

    assert set(starts) <= set(range(len(code)))
    assert all(count >= UNKNOWN for each in counts for count in each.values())
