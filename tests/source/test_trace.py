"""Messages and memory that are found in traces without memory."""

from __future__ import annotations

from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.client.rpc_trace import NodeAccounts, trace_transaction
from devchain.errors import InvalidInput
from devchain.source.trace import Step, Subject, Trace, find_messages
from devchain.types import Address
from tests.failures.cases import CASES
from tests.source.executions import execution_of, is_absent, newest, world

MAX_GAS = 150_000
PROGRAMS = ("solc-0.4-optimized", "solc-0.8-ir", "vyper-0.4")
A = Address(b"\x11" * 20)


def memory_of(step: dict[str, Any]) -> bytes:
    """What a node says is in memory at a step."""
    return bytes.fromhex("".join(each.removeprefix("0x") for each in step.get("memory", ())))


def impossible(*steps: Step) -> Trace:
    """A trace with these steps of a contract."""
    accounts = NodeAccounts(LocalClient(world("solc-0.8").node), "latest")
    return Trace(Subject("call", A, A, b"", 0), steps, False, b"", False, accounts)


class TestMemory:
    @pytest.mark.parametrize("build", PROGRAMS)
    def test_is_that_of_the_node(self, build: str) -> None:
        """Memory at every step of every third case is what the node says with `enableMemory`."""
        at = world(build)
        client = LocalClient(at.node)
        compared = 0
        for case in CASES[::3]:
            with at.node.snapshot():
                if is_absent(build, case.name):
                    continue
                at.run(case)
                if at.node.chain.head.header.gas_used > MAX_GAS:
                    continue
                options = {"enableMemory": True, "disableStack": True}
                tx_hash = newest(at)
                expected = client.call("debug_traceTransaction", tx_hash, options)["structLogs"]
                if not expected:
                    continue
                found = find_messages(trace_transaction(client, tx_hash))
            for number, step in enumerate(expected):
                memory = found.of_step[number].memory(number)
                assert memory == memory_of(step), (case.name, number)
                compared += 1

        assert compared > 1500

    def test_result_of_a_precompiled_contract(self) -> None:
        """What a precompiled contract writes is asked for."""
        at = world("solc-0.8")
        client = LocalClient(at.node)
        # memory[0] = 7, then the hash of that word by the contract at address 2
        code = bytes.fromhex("60075f526020604060205f60025afa00")
        with at.node.snapshot():
            mined = at.node.transact(data=bytes.fromhex("6010600c60003960106000f3") + code)
            tx_hash = f"0x{at.node.transact(to=mined.contract_address, gas=100_000).hash.hex()}"
            options = {"enableMemory": True}
            expected = client.call("debug_traceTransaction", tx_hash, options)["structLogs"]
            found = find_messages(trace_transaction(client, tx_hash))

        assert expected[-1]["op"] == "STOP"
        assert found.top.memory(len(expected) - 1) == memory_of(expected[-1])
        assert any(memory_of(expected[-1])[0x40:])


class TestMessages:
    def test_of_a_proxy(self) -> None:
        """A delegated call has the caller's address, sender and value, and the code of another."""
        top, inner = execution_of("solc-0.8", "proxy").messages.all

        assert (inner.kind, inner.parent, inner.succeeded) == ("DELEGATECALL", top, False)
        assert (inner.address, inner.sender) == (top.address, top.sender)
        assert inner.code_address != top.address
        assert inner.data == top.data

    def test_of_a_creation(self) -> None:
        """A contract that is being created runs the init code, which is in its creator's memory."""
        execution = execution_of("solc-0.8", "new_fails")
        created = execution.messages.all[-1]

        assert created.is_creation
        assert execution.names.created(created.code) == "Child"
        assert created.succeeded is False

    @pytest.mark.parametrize(
        "steps",
        [
            [Step("PUSH1", 0, 9, 3, 1, ()), Step("ADD", 2, 6, 3, 2, (1,))],
            [Step("CALL", 0, 9, 3, 1, (0,) * 7), Step("ADD", 0, 6, 3, 3, ())],
            [Step("MSTORE", 0, 9, 3, 1, (1,)), Step("STOP", 1, 6, 0, 1, ())],
            [Step("STOP", 0, 9, 3, 1, ()), Step("STOP", 0, 6, 0, 0, ())],
        ],
        ids=["deeper without a call", "two deeper", "operands", "depth"],
    )
    def test_impossible(self, steps: list[Step]) -> None:
        """A trace that no execution has is refused."""
        with pytest.raises(InvalidInput, match="of the node's trace"):
            find_messages(impossible(*steps))

    def test_large_copies(self) -> None:
        """An execution that copies without end is refused before its copies fill the memory."""
        copy = Step("CALLDATACOPY", 0, 9, 3, 1, (2**24, 0, 0))

        with pytest.raises(InvalidInput, match="copies more than 256 MB"):
            find_messages(impossible(*[copy] * 20))
