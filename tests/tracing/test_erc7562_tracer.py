"""`devchain.tracing.erc7562_tracer`, and its shape in `devchain.rpc.trace_objects`"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import LimitExceeded, RpcFailure
from devchain.node import Node
from devchain.tracing.options import Budget, TraceOptions
from devchain.tracing.replay import trace_transaction
from devchain.types import Hash32
from tests.accounts import BOB, BOB_HEX, CAROL, CAROL_HEX
from tests.actions import deploy, send
from tests.bytecode import ECHO, FILL, FORWARD, REVERT, address_word, assemble, word
from tests.conftest import GENESIS_TIME

NO_SLOTS = {"reads": {}, "writes": {}, "transientReads": {}, "transientWrites": {}}
CHECKED_SIZE = assemble("0 CALLDATALOAD EXTCODESIZE ISZERO STOP")
USED_SIZE = assemble("0 CALLDATALOAD EXTCODESIZE POP STOP")


def traced(node: Node, code: bytes, data: bytes = b"", **config: object) -> dict[str, Any]:
    """The trace of a call of a new contract."""
    tx_hash = send(node, deploy(node, code), data)
    found: dict[str, Any] = LocalClient(node).call(
        "debug_traceTransaction",
        f"0x{tx_hash.hex()}",
        {"tracer": "erc7562Tracer", "tracerConfig": config},
    )
    return found


def slot(number: int) -> str:
    """A slot as 32 bytes in hex."""
    return f"0x{number:064x}"


class TestStorage:
    def test_reads_and_writes(self, node: Node) -> None:
        """A read slot has its value before, a written one the number of writes."""
        code = "7 1 SSTORE 1 SLOAD 2 SLOAD 9 3 SSTORE 8 3 SSTORE 3 SLOAD 2 SLOAD STOP"

        slots = traced(node, assemble(code))["accessedSlots"]

        assert slots == {
            **NO_SLOTS,
            "reads": {slot(2): [slot(0)]},
            "writes": {slot(1): 1, slot(3): 2},
        }

    def test_value_of_a_read(self, node: Node) -> None:
        """It is the value in the state before the read."""
        contract = deploy(node, assemble("5 SLOAD STOP"))
        node.set_storage(contract, 5, 77)
        tx_hash = f"0x{send(node, contract).hex()}"

        found = LocalClient(node).call(
            "debug_traceTransaction", tx_hash, {"tracer": "erc7562Tracer"}
        )

        assert found["accessedSlots"]["reads"] == {slot(5): [slot(77)]}

    def test_transient(self) -> None:
        """Transient slots are counted."""
        with Node(Config(hardfork="cancun", fixed_clock=GENESIS_TIME)) as node:
            slots = traced(node, assemble("7 1 TSTORE 1 TLOAD 1 TLOAD STOP"))["accessedSlots"]

        assert slots == {
            **NO_SLOTS,
            "transientReads": {slot(1): 2},
            "transientWrites": {slot(1): 1},
        }

    def test_of_each_frame(self, node: Node) -> None:
        """What a call accesses is of its frame alone."""
        store = deploy(node, assemble("7 1 SSTORE STOP"))

        found = traced(node, FORWARD, address_word(store))

        assert found["accessedSlots"] == NO_SLOTS
        assert found["calls"][0]["accessedSlots"]["writes"] == {slot(1): 1}


class TestOpcodes:
    def test_counts(self, node: Node) -> None:
        """Opcodes are counted by number, but for arithmetic, PUSH, DUP and SWAP."""
        used = traced(node, assemble("1 2 ADD POP TIMESTAMP POP NUMBER POP NUMBER POP"))

        assert used["usedOpcodes"] == {"0x42": 1, "0x43": 2, "0x0": 1}

    def test_ignored(self, node: Node) -> None:
        """The caller may name what is not counted instead."""
        code = assemble("1 2 ADD POP TIMESTAMP POP STOP")

        used = traced(node, code, ignoredOpcodes=["0x42", "0x60", 0x50])["usedOpcodes"]

        assert used == {"0x1": 1, "0x0": 1}

    def test_gas(self, node: Node) -> None:
        """GAS is allowed before a call alone, and counts otherwise."""
        before_call = traced(node, FORWARD, address_word(BOB))
        observed = traced(node, assemble("GAS POP STOP"))

        assert "0x5a" not in before_call["usedOpcodes"]
        assert observed["usedOpcodes"] == {"0x5a": 1, "0x0": 1}

    @pytest.mark.parametrize("ignored", ["0x1", [None], ["ADD"], [-1]])
    def test_bad_option(self, node: Node, ignored: object) -> None:
        """Opcodes to ignore are an array of numbers."""
        with pytest.raises(RpcFailure, match="ignoredOpcodes: "):
            traced(node, ECHO, ignoredOpcodes=ignored)


class TestExternalCode:
    def test_check_for_code(self, node: Node) -> None:
        """EXTCODESIZE before ISZERO is a check for code, which does not count as an access."""
        checked = traced(node, CHECKED_SIZE, address_word(CAROL))
        used = traced(node, USED_SIZE, address_word(CAROL))

        assert (checked["extCodeAccessInfo"], used["extCodeAccessInfo"]) == ([], [CAROL_HEX])

    def test_sizes(self, node: Node) -> None:
        """The size of the code of each account that a call or EXTCODE names, with the opcode."""
        echo = deploy(node, ECHO)

        called = traced(node, FORWARD, address_word(echo))
        sized = traced(node, USED_SIZE, address_word(BOB))

        assert called["contractSize"] == {
            f"0x{echo.hex()}": {"contractSize": len(ECHO), "opcode": 0xF1}
        }
        assert sized["contractSize"] == {BOB_HEX: {"contractSize": 0, "opcode": 0x3B}}


class TestKeccak:
    def test_preimages(self, node: Node) -> None:
        """What was hashed is at the top, each once and sorted, beyond the memory's end as zeros."""
        code = "32 0 KECCAK256 2 31 MSTORE8 32 0 KECCAK256 32 0 KECCAK256 0 0 KECCAK256 STOP"
        keccak = deploy(node, assemble(code))

        found = traced(node, FORWARD, address_word(keccak))

        assert found["keccak"] == ["0x", f"0x{word(0).hex()}", f"0x{word(2).hex()}"]
        assert "keccak" not in found["calls"][0]

    @pytest.mark.parametrize("area", [f"{2**255} 0", f"1 {2**255}", f"{2**21} 0"])
    def test_huge_areas(self, node: Node, area: str) -> None:
        """Areas that cannot be paid for, or are far beyond the memory, are not recorded."""
        found = traced(node, assemble(f"{area} KECCAK256 STOP"))

        assert "keccak" not in found


class TestFrames:
    def test_call_members(self, node: Node) -> None:
        """A frame has the members of `callTracer`, and those of the tracer."""
        revert = deploy(node, REVERT)
        contract = deploy(node, FORWARD)
        tx_hash = f"0x{send(node, contract, address_word(revert) + word(1)).hex()}"
        client = LocalClient(node)

        plain, found = (
            client.call("debug_traceTransaction", tx_hash, {"tracer": name})
            for name in ("callTracer", "erc7562Tracer")
        )

        assert {name: found[name] for name in plain if name != "calls"} == {
            name: plain[name] for name in plain if name != "calls"
        }
        assert found["calls"][0].keys() - plain["calls"][0].keys() == {
            "accessedSlots",
            "extCodeAccessInfo",
            "usedOpcodes",
            "contractSize",
            "outOfGas",
        }
        assert found["error"] == plain["error"]

    def test_out_of_gas(self, node: Node) -> None:
        """A call that ran out of gas says so; that of the transaction does not, as in geth."""
        loops = deploy(node, assemble("again: @again JUMP"))
        call = assemble("0 0 0 0 0 0 CALLDATALOAD 9999 CALL STOP")

        found = traced(node, call, address_word(loops))
        tx_hash = f"0x{send(node, loops, gas=30_000).hex()}"
        own = LocalClient(node).call("debug_traceTransaction", tx_hash, {"tracer": "erc7562Tracer"})

        assert (found["outOfGas"], found["calls"][0]["outOfGas"]) == (False, True)
        assert (own["error"], own["outOfGas"]) == ("out of gas", False)

    def test_transfer(self, node: Node) -> None:
        """A transaction that runs no code has accessed nothing."""
        tx_hash = f"0x{send(node, BOB).hex()}"

        found = LocalClient(node).call(
            "debug_traceTransaction", tx_hash, {"tracer": "erc7562Tracer"}
        )

        assert found["usedOpcodes"] == found["contractSize"] == {}
        assert found["accessedSlots"] == NO_SLOTS

    def test_beside_others(self, node: Node) -> None:
        """It runs in a `muxTracer` too, and traces calls."""
        echo = deploy(node, ECHO)

        found = LocalClient(node).call(
            "debug_traceCall",
            {"to": f"0x{echo.hex()}", "data": "0x01"},
            "latest",
            {"tracer": "muxTracer", "tracerConfig": {"erc7562Tracer": {}, "callTracer": {}}},
        )

        assert found["erc7562Tracer"]["usedOpcodes"]["0xf3"] == 1
        assert found["callTracer"]["output"] == "0x01"

    def test_budget(self, node: Node) -> None:
        """What it records counts in the limit of a trace."""
        tx_hash = Hash32(send(node, deploy(node, FILL), word(100) + word(1)))
        options = TraceOptions("erc7562Tracer")

        with pytest.raises(LimitExceeded):
            trace_transaction(node.chain, tx_hash, options, Budget(300))
