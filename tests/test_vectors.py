"""`tests.vectors`: a sample of Ethereum's state tests, if it is available."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from tests.vectors import Outcome, known_failing, run_file, unexpected

SAMPLE = Path(__file__).parents[2] / "shared/conformance/state-tests/state-tests.tar.gz"
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


def test_unexpected() -> None:
    """A new failure is shown, and a known one that passes."""
    known = next(iter(known_failing()))
    failing = Outcome("new Cancun 0", {"fast": "why"})

    assert unexpected([failing]) == ["new Cancun 0: {'fast': 'why'}"]
    assert unexpected([Outcome(f"{known} Cancun 0", {"fast": "why"}), Outcome("x", {})]) == []
    assert unexpected([Outcome(f"{known} Cancun 0", {})]) == [
        f"{known}: passes, remove it from the list"
    ]
