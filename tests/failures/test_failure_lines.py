"""Every failure of the table, with every compiler: it fails as expected, on the marked lines."""

from __future__ import annotations

from itertools import islice

import pytest

from devchain.errors import VmError
from tests.failures.builds import BUILDS, Build
from tests.failures.cases import CASES, Case, entry_of
from tests.failures.compile import compiler_input
from tests.failures.lines import (
    MUTE,
    NEAR,
    OFF,
    RIGHT,
    WRONG,
    answer,
    cells,
    hint_verdict,
    recorded,
    show,
    sources_of,
    verdict,
    world,
)
from tests.failures.sources import marked_lines

INEXACT = recorded()
MIDDLE = ("solc-0.4-optimized", "solc-0.6", "solc-0.6-optimized", "vyper-0.3")
"""Builds of which every third case is run; `python -m tests.failures.lines` runs all."""


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_failures(build: Build) -> None:
    """A failure has the outcome of the table, the marked lines and the words of the table.

    Apart from what `inexact.toml` lists.
    """
    cases = [case for _, case in cells((build,))]
    wrong = {}
    for case in cases[BUILDS.index(build) % 3 :: 3] if build.name in MIDDLE else cases:
        expected = [entry_of(case.outcome, build), listed(build, case, NEAR, OFF, WRONG)]
        expected.append(listed(build, case, MUTE))
        found = [answer(build, case)[0], verdict(build, case), hint_verdict(build, case)]
        if found != expected:
            wrong[case.name] = f"want {expected}, found {found}: {show(build, case)}"

    assert wrong == {}


def test_calls() -> None:
    """A call fails in the places in which the transaction fails; every third case is tried."""
    build = next(each for each in BUILDS if each.name == "solc-0.8")
    node = world(build).node
    for _, case in islice(cells((build,)), 0, None, 3):
        with node.snapshot():
            for request in world(build).setup(case):
                node.transact(request)
            sender = node.funded_accounts[0].canonical
            request = world(build).request(case)._replace(sender=sender)
            with pytest.raises(VmError) as caught:
                node.call(request)
            trace = caught.value.source_trace

            assert [(each.function, each.place, each.note) for each in trace.frames] == [
                (each.function, each.place, each.note) for each in answer(build, case)[1].frames
            ], case


def listed(build: Build, case: Case, *kinds: str) -> str:
    """The kind under which `inexact.toml` lists a case."""
    found = INEXACT[build.name]
    return next((kind for kind in kinds if case.name in found.get(kind, ())), RIGHT)


@pytest.mark.parametrize("build", BUILDS, ids=str)
class TestTable:
    """The table, the marks in the contracts and the compiled files belong together."""

    def test_every_case_is_marked_or_absent(self, build: Build) -> None:
        """A case that a compiler has no line for says why."""
        marked = marked_lines(sources_of(build))
        missing = [
            case.name
            for case in CASES
            if case.name not in marked and not entry_of(case.absent, build)
        ]
        unknown = set(marked) - {case.name for case in CASES}

        assert (missing, unknown) == ([], set())

    def test_compiled_from_these_contracts(self, build: Build) -> None:
        """What is in `compiled` is what `compile.py` would compile."""
        assert build.read()["input"] == compiler_input(build)
