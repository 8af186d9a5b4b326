"""Arguments of internal functions of Solidity: those with which they were called, or none."""

from __future__ import annotations

import pytest

from devchain import Node
from devchain.client.http import LocalClient
from devchain.client.rpc_trace import trace_transaction
from devchain.errors import VmError
from devchain.source.follow import Execution
from devchain.source.source_trace import SourceTrace
from devchain.source.steps import call_stack, local_variables
from tests.failures.builds import BUILDS, Build
from tests.values import new_node

WHO = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
TAG = b"\x3a" * 32
CREATED = f"who={WHO}, tag=0x{TAG.hex()}"

Arguments = list[str | None]

CASES: dict[str, tuple[tuple[object, ...], Arguments]] = {
    "inlined": ((WHO, TAG), [CREATED, f"{CREATED}, value=0"]),
    "twoWords": ((9,), ["called=?, amount=9"]),
    "changed": ((9,), ['amounts=[9, 0], note="rent"']),
    "merged": ((9,), ["total=11"]),
}
"""Functions, what they are called with, and the arguments of the functions within."""

NOT_KNOWN: dict[tuple[str, str], Arguments] = {
    ("solc-0.4-optimized", "merged"): [None],  # the code of an equal function ran
    ("solc-0.6-optimized", "merged"): [None],
    ("solc-0.8-optimized", "merged"): [None],
    ("solc-0.8-optimized", "inlined"): [CREATED, None],
}

SOLC = [each for each in BUILDS if each.language == "Solidity" and not each.via_ir]


def failed(build: Build, function: str) -> tuple[SourceTrace, Execution]:
    """The trace of a failed transaction, and its execution."""
    node: Node = new_node(build)
    contract = node.deploy("Arguments")
    with pytest.raises(VmError) as caught:
        getattr(contract, function)(*CASES[function][0])
    error = caught.value
    trace = trace_transaction(LocalClient(node), f"0x{error.transaction_hash.hex()}")
    return error.source_trace, Execution(trace, node.artifacts)


@pytest.mark.parametrize("function", CASES)
@pytest.mark.parametrize("build", SOLC, ids=str)
def test_arguments(build: Build, function: str) -> None:
    """A source trace and the debugger show the values of the call, or that they are not known."""
    trace, execution = failed(build, function)
    assert execution.failure is not None

    in_trace = [each.arguments for each in trace.frames[1:]]
    in_debugger = [
        None if each.arguments is None else ", ".join(each.arguments)
        for each in call_stack(execution, execution.failure)[::-1][1:]
    ]

    if not_known := NOT_KNOWN.get((build.name, function)):
        assert in_trace == not_known
    else:
        assert in_trace == in_debugger == CASES[function][1]


@pytest.mark.parametrize("build", SOLC, ids=str)
def test_left_block(build: Build) -> None:
    """A variable is not shown with what the jump out of its block has put in its place."""
    node = new_node(build)
    sent = node.deploy("Arguments").left(3)
    trace = trace_transaction(LocalClient(node), f"0x{sent.hash.hex()}")
    execution = Execution(trace, node.artifacts)

    found = {
        (name, value)
        for step in range(len(execution.steps))
        for name, value in local_variables(execution, call_stack(execution, step)[0])
        if name in {"i", "square"}
    }

    assert found <= {("i", "0"), ("i", "1"), ("i", "2"), *(("square", each) for each in "014")}
    assert build.optimized or ("square", "4") in found
