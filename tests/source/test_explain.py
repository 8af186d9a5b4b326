"""`devchain.source.explain`; `tests/failures` has most of its cases."""

from __future__ import annotations

import pytest

from devchain import Node
from devchain.errors import VmError
from devchain.types import TransactionRequest
from tests.accounts import BOB
from tests.bytecode import word
from tests.contracts.till import FILE, TILL
from tests.failures.builds import BUILDS
from tests.failures.world import World


def test_arguments_of_a_fallback() -> None:
    """A fallback function has no arguments of the function that it delegates to."""
    set_rate = TILL.abi.functions_named("setRate")[0]
    with Node(artifacts=(str(FILE),)) as node:
        proxy = node.deploy("Proxy", node.deploy("Till"))
        with pytest.raises(VmError) as caught:
            node.call(TransactionRequest(BOB, proxy.address, data=set_rate.selector + word(3)))
        trace = caught.value.source_trace

    assert trace is not None
    assert [each.title for each in trace.frames] == [
        "Proxy.fallback()",
        "Till.setRate(to=3)",
        "modifier Owned.onlyOwner",
    ]


@pytest.mark.parametrize("build", [each.name for each in BUILDS if each.language == "Solidity"])
def test_base_constructor(build: str) -> None:
    """`Child(wanted)` gives its base `wanted + 1`; the values of its own are shown for it alone."""
    [found] = [each for each in BUILDS if each.name == build]
    world = World(found)
    for wanted, reason in ((10, "Parent: eleven"), (20, "Child: too large")):
        with pytest.raises(VmError, match=reason) as caught:
            world.node.deploy("Child", wanted)
        trace = caught.value.source_trace

        assert trace is not None
        shown = {f"{each.contract}.{each.function}": each.arguments for each in trace.frames}
        assert shown.get("Parent.constructor") is None
        assert shown.get("Child.constructor") in (None, f"wanted={wanted}")
        assert f"{reason.partition(':')[0]}.constructor" in shown
