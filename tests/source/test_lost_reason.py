"""Reasons of failed creations, which on Rootstock do not reach the contract that creates."""

from __future__ import annotations

import pytest

from devchain import Config, Node
from devchain.contracts.expectations import reverts
from devchain.errors import ExecutionReverted
from tests.failures.builds import BUILDS
from tests.failures.world import World

[BUILD] = [each for each in BUILDS if each.name == "solc-0.8"]
REASON = "Child: too large"
HINT = "the reason does not reach Factory: on Rootstock a failed creation returns no data"


def failure(node: Node) -> ExecutionReverted:
    """How `Factory.make` fails, whose new contract refuses its argument."""
    for each in World(BUILD).artifacts.values():
        node.artifacts.add(each)
    factory = node.deploy("Factory")
    with pytest.raises(ExecutionReverted) as caught:
        factory.make(20)
    return caught.value


def test_rootstock() -> None:
    """The creator reverts without data; trace, call tree and the test's message say why."""
    error = failure(Node())

    assert not error.has_reason
    assert error.source_trace is not None
    assert error.source_trace.reason == f"execution reverted: {REASON}"
    assert error.source_trace.hint.startswith(HINT)
    assert f"hint: {HINT}" in str(error.call_tree)
    with pytest.raises(AssertionError, match=f"got: execution reverted; {HINT}"), reverts(REASON):
        raise error


def test_ethereum() -> None:
    """By Ethereum's rules the reason is passed on, as solc's code does."""
    error = failure(Node(Config(hardfork="prague")))

    assert error.reason == REASON
    assert error.source_trace is not None
    assert error.source_trace.hint == ""
    assert "hint" not in str(error.call_tree)
