"""`devchain.tracing.tracers`"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.node import Node
from tests.actions import deploy, send
from tests.bytecode import assemble
from tests.tracing.programs import Program, call, create, place
from tests.tracing.reading import new_node, traced


@pytest.fixture
def node() -> Node:
    """A node under the newest of Rootstock's rules."""
    return new_node("vetiver")


def steps(node: Node, source: str, **options: Any) -> list[Any]:
    """The struct logs of a transaction of 100,000 gas to that code."""
    tx_hash = send(node, deploy(node, assemble(source)), gas=100_000)
    return list(traced(node, tx_hash, **options)["structLogs"])


class TestSteps:
    def test_whole(self, node: Node) -> None:
        """Each step has the state before it and its cost; the end of the code is a STOP."""
        tx_hash = send(node, deploy(node, assemble("5 1 SSTORE")), gas=100_000)

        slot, five = "0x" + "01".zfill(64), "0x" + "05".zfill(64)
        assert traced(node, tx_hash) == {
            "gas": 41_006,
            "failed": False,
            "returnValue": "0x",
            "structLogs": [
                {"pc": 0, "op": "PUSH1", "gas": 79_000, "gasCost": 3, "depth": 1, "stack": []},
                {"pc": 2, "op": "PUSH1", "gas": 78_997, "gasCost": 3, "depth": 1, "stack": ["0x5"]},
                {
                    "pc": 4,
                    "op": "SSTORE",
                    "gas": 78_994,
                    "gasCost": 20_000,
                    "depth": 1,
                    "stack": ["0x5", "0x1"],
                    "storage": {slot: five},
                },
                {"pc": 5, "op": "STOP", "gas": 58_994, "gasCost": 0, "depth": 1, "stack": []},
            ],
        }

    def test_names(self, node: Node) -> None:
        """Opcodes have geth's names."""
        names = [each["op"] for each in steps(node, "0 0 KECCAK256 DIFFICULTY PUSH0 0xab POP")]

        assert names == [
            "PUSH1", "PUSH1", "KECCAK256", "DIFFICULTY", "PUSH0", "PUSH1", "POP", "STOP",
        ]  # fmt: skip

    def test_unknown(self, node: Node) -> None:
        """An undefined opcode has a step without an error: it fails while it runs."""
        tx_hash = send(node, deploy(node, b"\x0c"), gas=100_000)

        (step,) = traced(node, tx_hash)["structLogs"]

        assert (step["op"], step["gasCost"], "error" in step) == (
            "opcode 0xc not defined",
            0,
            False,
        )
        assert (
            traced(node, tx_hash, "callTracer")["error"] == "invalid opcode: opcode 0xc not defined"
        )

    @pytest.mark.parametrize(
        ("source", "error", "cost"),
        [
            ("ADD", "stack underflow", 3),
            ("1 0 SSTORE 1 1 SSTORE 1 2 SSTORE 1 3 SSTORE", "out of gas", 20_000),
            ("JUMP", "stack underflow", 8),
        ],
    )
    def test_errors(self, node: Node, source: str, error: str, cost: int) -> None:
        """A step that could not run has the error and the cost it would have had."""
        last = steps(node, source)[-1]

        assert (last["error"], last["gasCost"]) == (error, cost)


class TestOptions:
    def test_memory(self, node: Node) -> None:
        """With `enableMemory` a step has the memory before it in words."""
        source = "7 0 MSTORE 8 33 MSTORE"

        last = steps(node, source, enable_memory=True)[-1]
        plain = steps(node, source)[-1]

        assert last["memory"] == [
            "0x" + "07".zfill(64),
            "0x" + "00" * 32,
            "0x" + "08".ljust(64, "0"),
        ]
        assert "memory" not in plain
        assert "memory" not in steps(node, source, enable_memory=True, disable_memory=True)[-1]

    def test_stack_and_storage(self, node: Node) -> None:
        """`disableStack` and `disableStorage` leave both out."""
        shown = steps(node, "5 1 SSTORE", disable_stack=True, disable_storage=True)

        assert {name for each in shown for name in each} == {"pc", "op", "gas", "gasCost", "depth"}

    def test_return_data(self, node: Node) -> None:
        """With `enableReturnData` a step has the return data of the last call."""
        callee = place(node, Program((), "return"))
        source = f"0 0 0 0 0 0x{callee.hex()} GAS CALL POP"

        shown = steps(node, source, enable_return_data=True)

        assert shown[-1]["returnData"] == "0x" + "07".zfill(64)

    def test_limit(self, node: Node) -> None:
        """`limit` limits the steps; gas and result are those of the whole execution."""
        tx_hash = send(node, deploy(node, assemble("5 1 SSTORE")), gas=100_000)

        trace = traced(node, tx_hash, limit=2)

        assert [each["op"] for each in trace["structLogs"]] == ["PUSH1", "PUSH1"]
        assert trace["gas"] == 41_006


class TestStorage:
    def test_known_slots(self, node: Node) -> None:
        """SLOAD and SSTORE show the slots that the contract has touched so far."""
        shown = steps(node, "5 1 SSTORE 2 SLOAD 6 1 SSTORE")

        known = [
            {int(slot, 16): int(value, 16) for slot, value in each["storage"].items()}
            for each in shown
            if "storage" in each
        ]
        assert known == [{1: 5}, {1: 5, 2: 0}, {1: 6, 2: 0}]


class TestCosts:
    @pytest.mark.parametrize("hardfork", ["vetiver", "cancun"])
    def test_all_gas(self, hardfork: str) -> None:
        """A call with all gas costs all of it on Rootstock, all but a 64th on Ethereum."""
        node = new_node(hardfork)
        callee = place(node, Program((), "stop"))
        tx_hash = send(node, place(node, Program((call("CALL", callee),), "stop")), gas=100_000)

        shown = traced(node, tx_hash)["structLogs"]

        (at,) = [index for index, each in enumerate(shown) if each["op"] == "CALL"]
        step, inner = shown[at], shown[at + 1]
        fixed = (700 if hardfork == "vetiver" else 2_600) + 3  # a word of memory
        spare = step["gas"] - fixed
        given = spare if hardfork == "vetiver" else spare - spare // 64
        assert (inner["gas"], inner["depth"]) == (given, 2)
        assert step["gasCost"] == fixed + given

    @pytest.mark.parametrize("hardfork", ["vetiver", "cancun"])
    def test_creation(self, hardfork: str) -> None:
        """A creation's cost excludes the gas of the init code; EIP-3860 adds 2 gas a word."""
        node = new_node(hardfork)
        program = Program((create("CREATE", Program((), "stop")),), "stop")
        tx_hash = send(node, place(node, program), gas=100_000)

        shown = traced(node, tx_hash)["structLogs"]

        (at,) = [index for index, each in enumerate(shown) if each["op"] == "CREATE"]
        spare = shown[at]["gas"] - 32_002
        assert shown[at]["gasCost"] == 32_002
        assert shown[at + 1]["gas"] == (spare if hardfork == "vetiver" else spare - spare // 64)
