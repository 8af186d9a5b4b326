"""Every failure of the table, with every compiler: it fails as expected, on the marked lines."""

from __future__ import annotations

from functools import cache

import pytest

from tests.failures.builds import BUILDS, Build
from tests.failures.cases import CASES, Case, entry_of
from tests.failures.compile import compiler_input
from tests.failures.sources import marked_lines
from tests.failures.world import World, describe


@cache
def world(build: Build) -> World:
    """The node of a build; each test leaves it as it was."""
    return World(build)


RUNS = [
    pytest.param(build, case, id=f"{build}-{case}")
    for build in BUILDS
    for case in CASES
    if not entry_of(case.absent, build)
]


@pytest.mark.parametrize(("build", "case"), RUNS)
def test_fails_as_expected(build: Build, case: Case) -> None:
    """The execution fails, for the reason that the table has."""
    at = world(build)
    with at.node.snapshot():
        error = at.run(case)

    assert error is not None
    assert describe(error) == entry_of(case.outcome, build)


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


def sources_of(build: Build) -> dict[str, str]:
    """The texts that were compiled, by path."""
    written = build.read()["input"]["sources"]
    return {path: source["content"] for path, source in written.items()}
