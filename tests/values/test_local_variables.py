"""Local variables where something fails: exactly those with a value, with every compiler.

In source traces, and in the debugger at the failure.
"""

from __future__ import annotations

from functools import cache

import pytest

from devchain import Node
from devchain.client.http import LocalClient
from devchain.contracts.contract import Contract
from devchain.debugger.rpc_trace import trace_transaction
from devchain.errors import VmError
from devchain.stepping.execution import Execution
from devchain.stepping.views import call_stack, local_variables
from devchain.types import TransactionRequest
from tests.failures.builds import BUILDS, Build
from tests.values import contract_name, new_node

SENDER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
WORDS = {
    "total": "14",
    "large": "true",
    "who": SENDER,
    "signed": "-4",
    "tag": "0x01020304",
}
DYNAMIC = {"note": '"rent of a week"', "raw": "0x010203", "some": "[9, 2]"}

Values = dict[str, str]

SOLIDITY: dict[str, tuple[tuple[object, ...], list[Values]]] = {
    "words": ((7,), [{"result": "14", **WORDS, "picked": "1"}]),
    "dynamic": ((9,), [{**DYNAMIC, "fixedSize": "[7, 9]"}]),
    "outer": ((9,), [{"before": "10"}, {"half": "5", "length": "4"}]),
    "blocks": ((9,), [{"total": "29", "other": "15"}]),
    "loop": ((1,), [{"total": "1", "i": "1", "square": "1"}]),
    "guarded": ((0,), [{}, {}]),
    "tuples": ((1,), [{"one": "1", "three": "true", "four": "4"}]),
    "spend": ((9,), [{}]),
    "lend": ((3,), [{}, {"doubled": "6"}]),
    "share": ((3,), [{"mine": "4"}, {"share": "2"}]),
    "packed": ((9,), [{}]),
    "early": ((9,), [{"total": "10", "extra": "10"}]),
    "straight": ((3,), [{"one": "11", "two": "8"}]),
}
"""Functions, their arguments, and the variables of each function that was running."""

VYPER: dict[str, tuple[tuple[object, ...], list[Values]]] = {
    "words": ((7,), [WORDS]),
    "dynamic": ((9,), [{**DYNAMIC, "fixed": "[7, 9]"}]),
    "outer": ((9,), [{"before": "10"}, {"half": "5"}]),
    "blocks": ((9,), [{"total": "29", "other": "15"}]),
    "loop": ((1,), [{"total": "1", "i": "1", "square": "1"}]),
    "checked": ((5,), [{"small": "2"}]),
    "straight": ((3,), [{"one": "11", "two": "8"}]),
    "spend": ((9,), [{}]),
}

NOT_KNOWN = {
    ("vyper-0.3", "dynamic"): [{}],  # no code with a position writes one of them at once
    ("vyper-0.3", "loop"): [{"total": "1", "square": "1"}],  # no type in the syntax tree
}


STORAGE = {
    "words": {"limit": "3"},
    "spend": {f"balances[{SENDER}]": "5"},
    "packed": {"item.left": "9"},
    "guarded": {"limit": "1000"},
}
"""What the statement that fails reads of the storage."""

NO_LAYOUT = frozenset({"solidity-0.4", "vyper-0.3"})


def storage_of(build: Build, function: str) -> Values:
    """The storage variables that are shown.

    Code via IR reads `limit` without a position; that of the modifier has been merged by optimizers
    with other code.
    """
    is_known = build.family not in NO_LAYOUT and not (build.via_ir and function == "words")
    is_known = is_known and not (build.optimized and function == "guarded")
    return STORAGE.get(function, {}) if is_known else {}


def expected(build: Build, function: str) -> list[Values]:
    """The variables that are shown, of each function that was running."""
    if (build.name, function) in NOT_KNOWN:
        return NOT_KNOWN[build.name, function]
    values = (SOLIDITY if build.language == "Solidity" else VYPER)[function][1]
    if build.via_ir:
        return [{} for _ in values]
    if build.family == "solidity-0.4":  # jumps into external functions are not marked
        return [{}, *values[1:]] if function != "lend" else [{}, {}]
    return values


@cache
def world(build: Build) -> tuple[Node, Contract]:
    """A node with the contract of a build."""
    node = new_node(build)
    name = contract_name(build, "Values")
    if build.language == "Vyper":
        return node, node.deploy(name)
    artifact = node.artifacts.find_by_name(name)[0]
    code = bytearray(artifact.creation.template)
    book = bytes(node.deploy("Book").address)
    for start, size in artifact.creation.placeholders:
        code[start : start + size] = book
    created = node.transact(TransactionRequest(data=bytes(code), gas=6_000_000))
    return node, node.contract(name, created.contract_address)


CASES = [
    pytest.param(build, function, id=f"{build}-{function}")
    for build in BUILDS
    for function in (SOLIDITY if build.language == "Solidity" else VYPER)
]


@pytest.mark.parametrize(("build", "function"), CASES)
def test_values(build: Build, function: str) -> None:
    """Each frame of a source trace has its variables with their values, and no others.

    Before them the last one has what the statement read of the storage.
    """
    node, contract = world(build)
    arguments = (SOLIDITY if build.language == "Solidity" else VYPER)[function][0]
    with node.snapshot():
        with pytest.raises(VmError) as caught:
            getattr(contract, function)(*arguments)
        trace = caught.value.source_trace

    found = [dict(each.values) for each in trace.frames]
    *others, last = expected(build, function)
    assert found == [*others, storage_of(build, function) | last]


SENT = [each for each in CASES if each.values[1] != "packed"]  # that is a call


@pytest.mark.parametrize(("build", "function"), SENT)
def test_debugger(build: Build, function: str) -> None:
    """At the failure the debugger shows the same for each function on its call stack.

    Apart from functions called from outside that solc 0.4 compiled: the trace tells where they
    begin.
    """
    node, contract = world(build)
    arguments = (SOLIDITY if build.language == "Solidity" else VYPER)[function][0]
    with node.snapshot():
        with pytest.raises(VmError) as caught:
            getattr(contract, function)(*arguments)
        digits = caught.value.transaction_hash.hex()
        trace = trace_transaction(LocalClient(node), f"0x{digits}")
    execution = Execution(trace, node.artifacts)
    assert execution.failure is not None

    frames = call_stack(execution, execution.failure)[::-1]
    found = [dict(local_variables(execution, each)) for each in frames]

    table = SOLIDITY if build.language == "Solidity" else VYPER
    same = [NOT_KNOWN.get((build.name, function)), expected(build, function)]
    if build.family == "solidity-0.4":
        same.append(table[function][1])
        same.append([{**table[function][1][0], "inside": "14"}])  # blocks are no scopes
    assert found in same
