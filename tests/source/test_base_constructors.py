"""Constructors of base contracts, whose arguments are not those of the contract that is created."""

from __future__ import annotations

import pytest

from devchain.errors import VmError
from tests.failures.builds import BUILDS
from tests.failures.world import World


@pytest.mark.parametrize("build", [each.name for each in BUILDS if each.language == "Solidity"])
@pytest.mark.parametrize("has_trees", [False, True])
@pytest.mark.parametrize(("wanted", "reason"), [(10, "Parent: eleven"), (20, "Child: too large")])
def test_arguments(build: str, has_trees: bool, wanted: int, reason: str) -> None:
    """`Child(wanted)` gives its base `wanted + 1`; the values of its own are shown for it alone."""
    [found] = [each for each in BUILDS if each.name == build]
    world = World(found, has_trees=has_trees)
    with pytest.raises(VmError, match=reason) as caught:
        world.node.deploy("Child", wanted)
    trace = caught.value.source_trace

    assert trace is not None
    shown = {f"{each.contract}.{each.function}": each.arguments for each in trace.frames}
    assert shown.get("Parent.constructor") is None
    assert shown.get("Child.constructor") in (None, f"wanted={wanted}")
    assert f"{reason.partition(':')[0]}.constructor" in shown
