"""Folders of artifacts that are hostile: the cases of `artifact_fuzzer` that are kept, and some."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from tests.contracts.artifact_fuzzer import Case, cases, check, corpus


@pytest.mark.parametrize("case", [*corpus().values()], ids=[*corpus()])
def test_kept(case: Case) -> None:
    """What once failed does not any more."""
    check(case)


def test_unchanged() -> None:
    """A project itself is far within the bounds."""
    check(Case("hardhat2"))


@settings(
    max_examples=4,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(cases)
def test_drawn(case: Case) -> None:
    """A few of the cases that `python -m tests.fuzzing artifacts` draws."""
    check(case)
