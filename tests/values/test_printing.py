"""Lines of `console.log` and of Vyper's `print`: where in the source each was printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from eth_hash.auto import keccak

from devchain import Node, connect
from devchain.cli.main import main
from devchain.cli.options import connecting
from devchain.server.events import ActivityReporter, TransactionMined
from devchain.types import TransactionRequest
from tests.cli.test_node_log import logged_json, logged_text
from tests.failures.builds import BUILDS, Build
from tests.values import contract_name, json_of, new_node

PRINTS = re.compile(r"(?://|#) prints: (.+)")
OPTIMIZED_IR = "solc-0.8-ir"
PLAIN = next(each for each in BUILDS if each.name == "solc-0.8")

GO = keccak(b"go(uint256)")[:4] + (1).to_bytes(32, "big")
ALL = ["before", "round 0", "round 1", "quiet 2", "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]


@cache
def places(build: Build) -> list[str]:
    """Where the comments in the sources say that the lines are printed, in order."""
    suffix = "sol" if build.language == "Solidity" else "vy"
    folder = Path(__file__).parent / "contracts"
    found = []
    for path in folder.glob(f"[Pp]rinting.{suffix}"):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if marked := PRINTS.search(line):
                found += [(each, f"{path.name}:{number}") for each in marked[1].split()]
    return [place for order, place in sorted(found) if order.isdigit()]


@pytest.fixture
def printed(build: Build) -> Iterator[tuple[Node, bytes]]:
    """A node, and the hash of a transaction that printed."""
    with new_node(build) as node:
        contract = node.deploy(contract_name(build, "Printing"))
        yield node, contract.go(2).hash


@pytest.mark.parametrize("build", BUILDS, ids=str)
class TestEveryCompiler:
    def test_lines(self, printed: tuple[Node, bytes], build: Build) -> None:
        """Each line has its text and the line of the source that printed it.

        The optimizer of code via IR merges calls of the console: these have no place.
        """
        node, tx_hash = printed

        found = connect(node).call("devchain_explainTransaction", f"0x{tx_hash.hex()}")

        expected: list[str | None] = list(places(build))
        if build.name == OPTIMIZED_IR:
            expected[0] = expected[3] = None
        text = ["quiet 2 [2, 1]" if "vyper" in build.name and "q" in each else each for each in ALL]
        assert found["console"] == node.console(tx_hash) == text
        assert found["consolePlaces"] == expected

    def test_tree(self, printed: tuple[Node, bytes], build: Build) -> None:
        """The call tree has the same places, where it has them."""
        node, tx_hash = printed

        lines = [each.split() for each in node.call_tree(tx_hash).splitlines() if "round" in each]

        assert [each[-1] for each in lines] == places(build)[1:3]


@pytest.fixture
def event(monkeypatch: pytest.MonkeyPatch) -> TransactionMined:
    """A transaction that printed, as an event of the log, which has time to find places."""
    monkeypatch.setattr("devchain.server.events.LOCATING_SECONDS", 60)
    with new_node(PLAIN) as node:
        contract = node.deploy("Printing")
        cursor = ActivityReporter("test", node)
        contract.go(1)
        return next(each for each in cursor.new_events() if isinstance(each, TransactionMined))


class TestLog:
    def test_event(self, event: TransactionMined) -> None:
        """The event of a transaction has the place of each line."""
        before, first, _, quiet, inner = places(PLAIN)

        assert event.printed == ("before", "round 0", "quiet 1", ALL[-1])
        assert event.printed_at == (before, first, quiet, inner)

    def test_text(self, event: TransactionMined) -> None:
        """In the text log each place is behind its line."""
        lines = [each.strip() for each in logged_text(event).splitlines() if "Console" in each]

        assert lines[0] == f"Console  before  {places(PLAIN)[0]}"
        assert len(lines) == 4

    def test_json(self, event: TransactionMined) -> None:
        """In the JSON log they are a list of their own."""
        [entry] = logged_json(event)

        assert entry["console"] == list(event.printed)
        assert entry["consolePlaces"] == list(event.printed_at)

    def test_without_artifacts(self) -> None:
        """A node without artifacts has the lines, and does not execute again for places."""
        with new_node(PLAIN) as compiled, Node() as node:
            code = compiled.artifacts.find_by_name("Printing")[0].creation.template
            node.transact(TransactionRequest(data=code, gas=2_000_000))
            cursor = ActivityReporter("test", node)
            created = node.chain.block(1).receipts[0].contract_address
            node.transact(TransactionRequest(to=created, data=GO, gas=2_000_000))
            event = next(each for each in cursor.new_events() if isinstance(each, TransactionMined))

        assert event.printed[0] == "before"
        assert event.printed_at == ()


class TestFailingTest:
    SUITE = """
def test_it(devchain, accounts):
    printing = devchain.deploy("Printing", sender=accounts[0])
    printing.go(3, sender=accounts[0])
"""

    def test_section(self, pytester: pytest.Pytester) -> None:
        """A failing test shows what the execution that failed had printed, and where."""
        file = pytester.makefile(".json", build=json_of(PLAIN).decode())
        pytester.makepyfile(self.SUITE)

        result = pytester.runpytest_inprocess("-p", "no:randomly", f"--devchain-artifacts={file}")

        before, first, *_ = places(PLAIN)
        result.stdout.fnmatch_lines(
            [
                "* devchain: where it failed *",
                "execution reverted: too many",
                "* devchain: console.log *",
                f"before * {before}",
                f"round 0 * {first}",
            ]
        )


class TestInspect:
    def test_lines(self, capsys: pytest.CaptureFixture[str]) -> None:
        """`devchain inspect tx` shows each line in the call tree, with its place."""
        with new_node(PLAIN) as node, connecting(lambda url: connect(node)):
            tx_hash = node.deploy("Printing").go(1).hash
            main(["inspect", "tx", f"0x{tx_hash.hex()}"])
        lines = [each for each in capsys.readouterr().out.splitlines() if "console.log" in each]

        assert lines[0].split()[-3:] == ["console.log:", "before", places(PLAIN)[0]]
