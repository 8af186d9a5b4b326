"""`tests.eels`: drawn programs on the engines and, if it is installed, on the specification."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.eels.__main__ import INTERPRETER, differences, on_engine, run, write_fixture
from tests.eels.drawn import FORKS, fixtures
from tests.vectors.runner import read_cases
from tests.vectors.state_tests import StateTestCase

pytestmark = pytest.mark.filterwarnings("ignore:SELFDESTRUCT:DeprecationWarning")

SEEDS = range(4)


@pytest.mark.parametrize("fork", FORKS)
def test_engines(fork: str) -> None:
    """The engines agree, and transactions are executed."""
    used = []
    for _, drawn in fixtures(fork, SEEDS):
        found = {engine: on_engine(fork, drawn, engine) for engine in ("fast", "reference")}
        assert differences(found) == []
        used.append(found["fast"]["gasUsed"])

    assert any(used)


@pytest.mark.skipif(not INTERPRETER.exists(), reason="make test-eels installs the specification")
@pytest.mark.parametrize("fork", FORKS)
def test_specification(fork: str) -> None:
    """The specification agrees with them."""
    assert run(fork, SEEDS)[3] == []


def test_fixture(tmp_path: Path) -> None:
    """A seed always gives the same file, which `make test-vectors` can run."""
    path = write_fixture("Prague", 3, tmp_path)
    (case,) = read_cases(path)
    assert isinstance(case, StateTestCase)
    ((_, again),) = fixtures("Prague", range(3, 4))

    assert json.loads(path.read_text())["eels-Prague-3"] == again
    assert case.run().state_root is not None


def test_types() -> None:
    """Transactions of every type that the hardfork has are drawn."""
    drawn = [each["transaction"] for _, each in fixtures("Prague", range(60))]

    assert {frozenset(each) & TYPED for each in drawn} == {
        frozenset(),
        frozenset({"accessLists"}),
        frozenset({"accessLists", "maxFeePerGas"}),
        frozenset({"accessLists", "maxFeePerGas", "authorizationList"}),
    }


TYPED = frozenset({"accessLists", "maxFeePerGas", "authorizationList"})


def test_differences() -> None:
    """What differs is shown with the value of each EVM."""
    found = {"fast": {"a": 1, "b": 2}, "specification": {"a": 1, "b": None}}

    assert differences(found) == ["b: fast 2, specification None"]
    assert differences({"fast": {"a": 1}, "specification": {"a": 1}}) == []
