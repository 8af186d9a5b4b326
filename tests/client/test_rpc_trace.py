"""`devchain.client.rpc_trace`, asking devchain, other nodes, and hostile ones"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.client.rpc_trace import NodeAccounts, NodeContracts, trace_call, trace_transaction
from devchain.errors import InvalidInput, RpcFailure, TransactionNotFound
from devchain.source.follow import Execution
from devchain.source.steps import call_stack, storage
from devchain.types import Address
from tests.source.executions import RefusingClient, execution_of, newest, run_case, world

BUILD = "solc-0.8"
CASE = "proxy"


@pytest.fixture
def asked() -> Any:
    """A client, and the hash of a transaction that failed below a proxy."""
    at = world(BUILD)
    with at.node.snapshot():
        yield LocalClient(at.node), run_case(BUILD, CASE)


def as_rskj(answer: dict[str, Any]) -> dict[str, Any]:
    """A trace in the shape of a Rootstock node: depth from 0, words without 0x."""
    steps = [
        {
            **each,
            "op": {"KECCAK256": "SHA3"}.get(each["op"], each["op"]),
            "depth": each["depth"] - 1,
            "stack": [f"{int(word, 16):064x}" for word in each["stack"]],
        }
        for each in answer["structLogs"]
    ]
    return {"structLogs": steps, "result": answer["returnValue"][2:], "reverted": answer["failed"]}


class TestTransaction:
    def test_of_other_nodes(self, asked: Any) -> None:
        """The trace of a Rootstock node without other tracers gives the same."""
        client, tx_hash = asked
        missing = RpcFailure(-32601, "no such tracer")
        other = RefusingClient(client, debug_traceTransaction=as_rskj, prestateTracer=missing)
        registry = world(BUILD).node.artifacts
        one, two = (
            Execution(trace_transaction(each, tx_hash), registry) for each in (client, other)
        )

        assert one.steps == two.steps
        assert one.failure == two.failure
        assert call_stack(one, one.failure or 0) == call_stack(two, two.failure or 0)
        assert storage(one, one.last) == storage(two, two.last)

    def test_limit_in_bytes(self, asked: Any) -> None:
        """A node that takes the limit for bytes, as geth does, is asked again without."""
        client, tx_hash = asked
        limits = []

        class Geth(RefusingClient):
            def call(self, method: str, *params: Any) -> Any:
                answer = super().call(method, *params)
                if method == "debug_traceTransaction" and "structLogs" in answer:
                    limits.append(params[1].get("limit"))
                    if limits[-1]:
                        answer["structLogs"] = answer["structLogs"][:40]
                return answer

        trace = trace_transaction(Geth(client), tx_hash)

        assert limits == [100_000, None]
        assert trace.steps == execution_of(BUILD, CASE).steps
        assert not trace.is_cut

    def test_cut(self, asked: Any) -> None:
        """Of a long execution the first steps are stepped through, and it says so."""
        client, tx_hash = asked
        trace = trace_transaction(client, tx_hash, max_steps=50)
        execution = Execution(trace, world(BUILD).node.artifacts)

        assert trace.is_cut
        assert (execution.last, execution.failure) == (49, None)

    def test_not_found(self, asked: Any) -> None:
        """A transaction that the node does not have is named."""
        with pytest.raises(TransactionNotFound, match="no transaction 0x00"):
            trace_transaction(asked[0], "0x" + "00" * 32)

    def test_without_code(self) -> None:
        """A transfer has no steps."""
        at = world(BUILD)
        with at.node.snapshot():
            at.node.transact(to=at.node.accounts.addresses()[1], value=1)

            with pytest.raises(InvalidInput, match="ran no code"):
                trace_transaction(LocalClient(at.node), newest(at))

    def test_without_the_method(self, asked: Any) -> None:
        """The error for a node without traces says what it needs."""
        client, tx_hash = asked
        missing = RpcFailure(-32601, "the method does not exist")

        with pytest.raises(InvalidInput, match="does not offer debug_traceTransaction"):
            trace_transaction(RefusingClient(client, debug_traceTransaction=missing), tx_hash)

    @pytest.mark.parametrize(
        "answer",
        [
            None,
            [],
            {},
            {"structLogs": 3},
            {"structLogs": [3]},
            {"structLogs": [{"pc": 0, "op": "ADD", "gas": 1, "depth": 1}]},
            {"structLogs": [{"pc": 0, "op": "ADD", "gas": 1, "depth": 1, "stack": ["0xzz"]}]},
            {"structLogs": [{"pc": 0, "op": "ADD", "gas": 1, "depth": 1, "stack": [3]}]},
            {"structLogs": [{"pc": "x", "op": "ADD", "gas": 1, "depth": 1, "stack": []}]},
            {"structLogs": [{"pc": 0, "op": "A", "gas": 1, "depth": 1, "stack": ["1" * 70]}]},
        ],
    )
    def test_hostile(self, asked: Any, answer: object) -> None:
        """What is no trace is refused."""
        client, tx_hash = asked
        with pytest.raises(InvalidInput, match="node's"):
            trace_transaction(RefusingClient(client, debug_traceTransaction=answer), tx_hash)


class TestAccounts:
    def test_delegation(self) -> None:
        """The code of an account that delegates is its contract's; a second delegation is code."""

        class Node:
            def call(self, method: str, address: str, block: str) -> str:
                assert (method, block) == ("eth_getCode", "latest")
                return f"0xef0100{int(address, 16) + 1:040x}"

        accounts = NodeAccounts(Node(), "latest")  # type: ignore[arg-type]

        assert accounts.code(Address(bytes(20))).hex() == f"ef0100{2:040x}"


class TestCall:
    def test_is_traced(self) -> None:
        """A call that is no transaction has steps, too."""
        at = world(BUILD)
        contract = at.deployed["Structure"]
        request = {
            "to": f"0x{contract.address.hex()}",
            "data": "0x" + contract["outer"].encode(10).hex(),
        }
        trace = trace_call(LocalClient(at.node), request)
        execution = Execution(trace, at.node.artifacts)

        assert trace.failed
        assert call_stack(execution, execution.failure or 0)[0].name == "Structure.inner"


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


class TestNodeContracts:
    def execution(self, **answers: Any) -> tuple[Execution, CountingClient]:
        with world(BUILD).node.snapshot():
            client = CountingClient(LocalClient(world(BUILD).node), **answers)
            trace = trace_transaction(client, run_case(BUILD, CASE))
            found = Execution(trace, NodeContracts(client))
            call_stack(found, found.last)
        return found, client

    def test_once_for_each_code(self) -> None:
        """A devchain node is asked once for each code; all is shown that the node itself shows."""
        found, client = self.execution()
        own = execution_of(BUILD, CASE)

        assert found.has_sources
        assert found.failure == own.failure
        assert call_stack(found, found.failure or 0) == call_stack(own, own.failure or 0)
        assert storage(found, found.last) == storage(own, own.last)
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
