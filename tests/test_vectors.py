"""`tests.vectors`: samples of Ethereum's state and blockchain tests, if they are available."""

from __future__ import annotations

import json
import lzma
import tarfile
from itertools import islice
from pathlib import Path

import pytest

from tests.block_test_fixtures import fixture as block_fixture
from tests.block_test_fixtures import mined_node
from tests.chain.test_state_tests import SENDER
from tests.state_test_fixtures import fixture
from tests.vectors import Outcome, known_failing, run_file, unexpected

CONFORMANCE = Path(__file__).parents[2] / "shared/conformance"
SAMPLE = CONFORMANCE / "state-tests/state-tests.tar.gz"
BLOCKS = CONFORMANCE / "evm-fixtures/sample.jsonl.xz"
SHARE = 3
"""Each how many blockchain tests one is run."""
SLOW = (
    "static_Call50000",
    "recursiveCreate",
    "Quadratic",
    "vmPerformance",
    "TimeConsuming",
    "Attack",
)
"""Parts of the names of tests that take seconds; `make test-vectors` runs them."""


@pytest.mark.filterwarnings("ignore:SELFDESTRUCT:DeprecationWarning")
@pytest.mark.skipif(not SAMPLE.exists(), reason="the state tests are not available")
def test_sample(tmp_path: Path) -> None:
    """The fast engine gives the expected states, but for what is known."""
    with tarfile.open(SAMPLE) as archive:
        archive.extractall(tmp_path, filter="data")
    files = [
        each for each in tmp_path.rglob("*.json") if not any(part in str(each) for part in SLOW)
    ]

    assert len(files) > 300
    assert unexpected(one for each in files for one in run_file(each, ["fast"])) == []


@pytest.mark.filterwarnings("ignore:SELFDESTRUCT:DeprecationWarning")
@pytest.mark.skipif(not BLOCKS.exists(), reason="the blockchain tests are not available")
def test_blocks(tmp_path: Path) -> None:
    """The fast engine imports valid blocks and refuses the others, but for what is known."""
    outcomes = []
    with lzma.open(BLOCKS, "rt", encoding="utf-8") as lines:
        for line in islice(lines, 0, None, SHARE):
            value = json.loads(line)
            path = tmp_path / "test.json"
            path.write_text(json.dumps({value["name"]: value["fixture"]}))
            outcomes += run_file(path, ["fast"])

    assert len(outcomes) > 150
    assert sum(each.unsupported is not None for each in outcomes) < 5
    assert unexpected(outcomes) == []


def test_mixed_files(tmp_path: Path) -> None:
    """A file may have tests of both kinds; what is not supported is no failure."""
    good = block_fixture(mined_node("shanghai"))
    path = tmp_path / "mixed.json"
    path.write_text(
        json.dumps(
            {
                "state": fixture("1 POP", 21_005, SENDER),
                "blocks": good,
                "other": good | {"network": "Rome"},
            }
        )
    )

    outcomes = run_file(path)
    assert [each.name for each in outcomes] == [
        *("state Byzantium 0", "blocks Shanghai 0", "other Rome 0")
    ]
    assert [each.errors for each in outcomes] == [{}, {}, {}]
    assert (outcomes[2].unsupported or "").startswith("unsupported fork 'Rome'")


def test_unexpected() -> None:
    """A new failure is shown, and a known one that passes."""
    known = next(iter(known_failing()))
    failing = Outcome("new Cancun 0", {"fast": "why"})

    assert unexpected([failing]) == ["new Cancun 0: {'fast': 'why'}"]
    assert unexpected([Outcome(f"{known} Cancun 0", {"fast": "why"}), Outcome("x", {})]) == []
    assert unexpected([Outcome(f"{known} Cancun 0", {})]) == [
        f"{known}: passes, remove it from the list"
    ]
