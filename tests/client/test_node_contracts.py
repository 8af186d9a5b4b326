"""`devchain.client.rpc_trace`"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.client.rpc_trace import NodeContracts, trace_transaction
from devchain.errors import RpcFailure, VmError
from devchain.node import Node
from devchain.source.follow import Execution
from devchain.source.views import call_stack, local_variables, storage
from devchain.types import TransactionRequest
from tests.failures.builds import BUILDS, Build
from tests.source.executions import RefusingClient, run_case, world
from tests.values import contract_name, new_node

BUILT = [each for each in BUILDS if each.name in {"solc-0.8", "solc-0.8-optimized", "vyper-0.4"}]


class CountingClient(RefusingClient):
    """Counts what is asked of contracts."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.asked: Counter[object] = Counter()

    def call(self, method: str, *params: Any) -> Any:
        """The result of one call."""
        if method == "devchain_getBuildInfo":
            self.asked[params] += 1
        return super().call(method, *params)


def at_the_failure(execution: Execution) -> object:
    """What the debugger shows there: functions, lines, variables and storage."""
    assert execution.failure is not None
    frames = call_stack(execution, execution.failure)
    return [
        *((each.title, each.place, list(local_variables(execution, each))) for each in frames),
        list(storage(execution, execution.failure)),
    ]


@pytest.mark.parametrize("build", BUILT, ids=str)
def test_same_as_on_the_node(build: Build) -> None:
    """With the node's contracts everything is shown that the node itself shows."""
    with new_node(build) as node:
        tx_hash = failed_transaction(node, build)
        client = LocalClient(node)
        trace = trace_transaction(client, tx_hash)

        asked = Execution(trace, NodeContracts(client))
        own = Execution(trace, node.artifacts)

        assert asked.has_sources
        assert at_the_failure(asked) == at_the_failure(own)


def failed_transaction(node: Node, build: Build) -> str:
    """The hash of a transaction that failed with local variables."""
    name = contract_name(build, "Values")
    artifact = node.artifacts.find_by_name(name)[0]
    code = bytearray(artifact.creation.template)
    if build.language == "Solidity":
        book = bytes(node.deploy("Book").address)
        for start, size in artifact.creation.placeholders:
            code[start : start + size] = book
    created = node.transact(TransactionRequest(data=bytes(code), gas=6_000_000))
    with pytest.raises(VmError) as caught:
        node.contract(name, created.contract_address).words(7)
    return f"0x{caught.value.transaction_hash.hex()}"


class TestAsking:
    def execution(self, **answers: Any) -> tuple[Execution, CountingClient]:
        with world("solc-0.8").node.snapshot():
            client = CountingClient(LocalClient(world("solc-0.8").node), **answers)
            trace = trace_transaction(client, run_case("solc-0.8", "proxy"))
            found = Execution(trace, NodeContracts(client))
            call_stack(found, found.last)
        return found, client

    def test_once_for_each_code(self) -> None:
        """A devchain node is asked once for each code."""
        found, client = self.execution()

        assert found.has_sources
        assert len(client.asked) > 1
        assert set(client.asked.values()) == {1}

    def test_other_nodes(self) -> None:
        """A node without the method is asked once; the opcodes are stepped through."""
        missing = RpcFailure(-32601, "no such method")
        found, client = self.execution(devchain_getBuildInfo=missing)

        assert not found.has_sources
        assert client.asked.total() == 1

    @pytest.mark.parametrize(
        "answer", [RpcFailure(-32012, "too large"), None, 7, [], {"output": {"contracts": 5}}]
    )
    def test_nothing_known(self, answer: object) -> None:
        """Of what is too large or not known, or has an answer of any kind, there is no source."""
        refused = answer if isinstance(answer, RpcFailure) else lambda _: answer
        found, client = self.execution(devchain_getBuildInfo=refused)

        assert not found.has_sources
        assert set(client.asked.values()) == {1}
