"""`devchain.source.upgrade_report`"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.node import Node
from devchain.source.upgrade_report import UpgradeReport, format_report
from devchain.tracing.replay import HardforkDiff, Outcome, Pair
from tests.conftest import GENESIS_TIME
from tests.contracts.till import TILL

OLD = Outcome("", b"\x01", 100)


def pair(new: Outcome, old: Outcome = OLD) -> Pair:
    """A call with those outcomes."""
    return Pair(None, b"", old, new)


class TestCount:
    @pytest.mark.parametrize(
        ("new", "changed"),
        [
            (OLD, {"changed": 0, "gas": 100, "newGas": 100}),
            (OLD._replace(gas=150), {"changed": 1, "gas": 100, "newGas": 150}),
            (OLD._replace(output=b""), {"changed": 1, "otherResult": 1}),
            (OLD._replace(failure="no"), {"changed": 1, "otherStatus": 1, "gas": 0}),
        ],
        ids=["same", "gas", "result", "status"],
    )
    def test_kinds(self, new: Outcome, changed: dict[str, int]) -> None:
        """A call counts as what differs."""
        report = UpgradeReport()

        report.count("A.f()", pair(new), "A.sol:3")

        row = report.rows["A.f()"]
        assert {name: row[name] for name in changed} == changed
        assert row["calls"] == 1

    def test_no_failure_any_more(self) -> None:
        """A call that succeeds instead says what it failed for."""
        report = UpgradeReport()

        report.count("A.f()", pair(OLD, OLD._replace(failure="no")), "")

        assert report.rows["A.f()"]["reason"] == "no more no"

    def test_add(self) -> None:
        """Numbers are added; the first reason stays, with its place."""
        one, two = UpgradeReport(), UpgradeReport()
        one.count("A.f()", pair(OLD), "A.sol:3")
        two.count("A.f()", pair(OLD._replace(failure="no")), "A.sol:7")
        two.count("A.f()", pair(OLD._replace(failure="other")), "A.sol:8")

        one.add(two.rows)

        row = one.rows["A.f()"]
        assert (row["calls"], row["otherStatus"], row["gas"]) == (3, 2, 100)
        assert (row["reason"], row["place"]) == ("no", "A.sol:7")


class TestFormat:
    def test_order(self) -> None:
        """Functions with another status come first; what is shown is escaped."""
        report = UpgradeReport()
        report.count("A.f()", pair(OLD._replace(gas=150)), "A.sol:3")
        report.count("B.g()", pair(OLD._replace(failure="\x1b[2J")), "")
        report.count("C.h()", pair(OLD), "")

        lines = list(format_report(report.rows, "one", "two"))

        assert [line.split()[0] for line in lines[1:4]] == ["B.g()", "1", "A.f()"]
        assert lines[2] == "  1 with another status: \\x1b[2J"
        assert lines[3].endswith("1        1  100   150  +50.0 %  A.sol:3")
        assert lines[4] == "2 of 3 functions would change from one to two, in 3 calls"

    def test_empty(self) -> None:
        """Without changes there is no table."""
        assert list(format_report({}, "one", "two")) == [
            "0 of 0 functions would change from one to two, in 0 calls"
        ]


def test_place() -> None:
    """A function that changes has the place where it begins in the source."""
    node = Node(Config(hardfork="arrowhead", fixed_clock=GENESIS_TIME))
    till = node.deploy(TILL)
    till.setRate(3)
    diff, report = HardforkDiff(node.chain, "arrowhead", "fingerroot"), UpgradeReport()

    for each in diff.transactions(node.chain.head, node.explainer.tracer):
        node.explainer.count_pair(report, each, node.chain.height)

    [(name, row)] = report.rows.items()
    assert (name, row["place"]) == ("Till.setRate(uint256)", "contracts/Till.sol:67")
    assert row["newGas"] - row["gas"] == (68 - 16) * 5
