"""`devchain.rpc.trace_objects`: which members a trace has, and when."""

from __future__ import annotations

from typing import Any

import pytest

from devchain.errors import ExecutionTimedOut
from devchain.evm import deadline
from devchain.node import Node
from devchain.rpc.trace_objects import trace_object
from devchain.tracing.options import TraceOptions
from devchain.tracing.replay import trace_transaction
from devchain.types import Hash32
from tests.accounts import ALICE_HEX, BOB, BOB_HEX
from tests.actions import deploy, send
from tests.bytecode import COUNTER, REVERT, assemble, error_payload
from tests.clocks import Ticks
from tests.tracing.programs import Program, create, place
from tests.tracing.reading import traced

ZERO, ONE = "00" * 32, "01".zfill(64)


class TestFlatCalls:
    def flat(self, node: Node, to: Any, data: bytes = b"", **options: Any) -> Any:
        """The flat trace of a transaction."""
        return traced(node, send(node, to, data), "flatCallTracer", **options)

    def test_creation(self, node: Node) -> None:
        """A creation has `init`, and the code and the address as its result."""
        program = Program((create("CREATE2", Program((), "return")),), "stop")

        _, inner = self.flat(node, place(node, program))

        assert (inner["type"], inner["traceAddress"]) == ("create", [0])
        assert set(inner["action"]) == {"creationMethod", "from", "gas", "init", "value"}
        assert inner["action"]["creationMethod"] == "create2"
        assert set(inner["result"]) == {"address", "code", "gasUsed"}

    def test_self_destruct(self, node: Node) -> None:
        """A self-destruct has no result."""
        contract = place(node, Program((), "destroy", value=5))

        _, inner = self.flat(node, contract)

        assert inner["type"] == "suicide"
        assert inner["action"] == {
            "address": f"0x{contract.hex()}",
            "balance": "0x5",
            "refundAddress": BOB_HEX,
        }
        assert "result" not in inner

    @pytest.mark.parametrize(
        ("ending", "geth", "parity", "has_result"),
        [
            ("revert", "execution reverted", "Reverted", True),
            ("jump", "invalid jump destination", "Bad jump destination", False),
        ],
    )
    def test_errors(
        self, node: Node, ending: str, geth: str, parity: str, has_result: bool
    ) -> None:
        """Errors are in geth's words or in Parity's; a revert alone has a result."""
        contract = place(node, Program((), ending))

        (plain,) = self.flat(node, contract)
        (converted,) = self.flat(node, contract, convert_parity_errors=True)

        assert (plain["error"], converted["error"]) == (geth, parity)
        assert ("result" in plain) is has_result

    def test_reverted_creation(self, node: Node) -> None:
        """A reverted creation has no address."""
        (flat,) = self.flat(node, None, assemble("8 0 MSTORE 32 0 REVERT"))

        assert set(flat["result"]) == {"code", "gasUsed"}


class TestRskTracer:
    def test_contract(self, node: Node) -> None:
        """Hex is without 0x, depth starts at 0, storage has the slots set so far."""
        counter = deploy(node, COUNTER)

        trace = traced(node, send(node, counter), "rskTracer")

        steps = trace.pop("structLogs")
        assert trace == {
            "contractAddress": counter.hex(),
            "initStorage": {},
            "result": ONE,
            "error": "",
            "reverted": False,
            "storageSize": 1,
            "currentStorage": {ZERO: ONE},
        }
        assert steps[1] == {
            "op": "SLOAD",
            "depth": 0,
            "pc": 2,
            "gas": 2_978_997,
            "gasCost": 200,
            "memory": [],
            "stack": [ZERO],
            "storage": {},
        }
        assert steps[-1]["storage"] == {ZERO: ONE}
        assert steps[-1]["memory"] == [ONE]

    def test_storage(self, node: Node) -> None:
        """Each step has the slots that earlier steps accessed, as far as they are not zero."""
        code = assemble("1 0 SSTORE 2 1 SSTORE 0 0 SSTORE 1 SLOAD POP STOP")
        contract = deploy(node, code)

        trace = traced(node, send(node, contract, gas=200_000), "rskTracer")

        one = f"{1:064x}"
        storages = [step["storage"] for step in trace["structLogs"]]
        assert storages[2:4] == [{}, {ZERO: ONE}]
        assert storages[5:7] == [{ZERO: ONE}, {ZERO: ONE, one: f"{2:064x}"}]
        assert storages[-1] == {one: f"{2:064x}"} == trace["currentStorage"]
        assert trace["storageSize"] == 1

    def test_other_frames(self, node: Node) -> None:
        """A call does not continue with the slot that another call has accessed last."""
        callee = deploy(node, assemble("CALLDATASIZE 0 SSTORE INVALID"))
        calls = f"0 0 0 0 0 0x{callee.hex()} 50000 CALL POP " * 2
        contract = deploy(node, assemble(calls + "STOP"))

        trace = traced(node, send(node, contract, gas=300_000), "rskTracer")

        assert all(step["storage"] == {} for step in trace["structLogs"])

    @pytest.mark.parametrize(("code", "last"), [("0 POP", "POP"), ("0 POP STOP", "STOP")])
    def test_end_of_code(self, node: Node, code: str, last: str) -> None:
        """The STOP after the end of the code is no step."""
        trace = traced(node, send(node, deploy(node, assemble(code))), "rskTracer")

        assert trace["structLogs"][-1]["op"] == last

    def test_storage_left_out(self, node: Node) -> None:
        """Without storage at the steps the trace still has what is in it in the end."""
        counter = deploy(node, COUNTER)

        trace = traced(node, send(node, counter), "rskTracer", disable_storage=True)

        assert not any("storage" in step for step in trace["structLogs"])
        assert (trace["storageSize"], trace["currentStorage"]) == (1, {ZERO: ONE})

    def test_old_names(self, node: Node) -> None:
        """Renamed opcodes have their old names, as in rskj."""
        contract = deploy(node, assemble(f"0 0 KECCAK256 POP 0x{BOB.hex()} SELFDESTRUCT"))

        names = [
            step["op"] for step in traced(node, send(node, contract), "rskTracer")["structLogs"]
        ]

        assert (names[2], names[-1]) == ("SHA3", "SUICIDE")

    def test_reverted(self, node: Node) -> None:
        """A revert has its payload as result and no error; other failures have an error."""
        reverting = send(node, deploy(node, REVERT), error_payload("no"))
        failing = send(node, deploy(node, assemble("INVALID")), gas=50_000)

        reverted, failed = (traced(node, each, "rskTracer") for each in (reverting, failing))

        assert (reverted["reverted"], reverted["error"]) == (True, "")
        assert reverted["result"] == error_payload("no").hex()
        assert (failed["reverted"], failed["error"]) == (False, "invalid opcode: INVALID")

    def test_transfer(self, node: Node) -> None:
        """A transaction that executed no code is shown as a transfer."""
        assert traced(node, send(node, BOB, b"\1\2", value=5, gas=30_000), "rskTracer") == {
            "programInvoke": None,
            "transferInvoke": {
                "ownerAddress": BOB_HEX[2:].zfill(64),
                "callerAddress": ALICE_HEX[2:].zfill(64),
                "gas": 0,
                "callValue": "05".zfill(64),
                "msgData": "AQI=",
            },
            "subtraces": [],
            "result": None,
            "error": None,
            "reverted": False,
        }


class TestStructLogs:
    def test_deadline(self, node: Node) -> None:
        """Encoding a long trace ends at the request's deadline."""
        counter = deploy(node, COUNTER)
        trace = trace_transaction(node.chain, Hash32(send(node, counter)), TraceOptions())
        assert trace is not None

        with deadline.within(1, Ticks()), pytest.raises(ExecutionTimedOut):
            trace_object(trace)
