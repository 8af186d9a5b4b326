"""`devchain.evm.bounded`, `devchain.evm.memory_limit`: what an execution may take."""

from __future__ import annotations

import tracemalloc

import pytest

from devchain.config import Config
from devchain.errors import (
    ExecutionFailed,
    ExecutionTimedOut,
    ExecutionTooLarge,
    TransactionRejected,
)
from devchain.evm import deadline
from devchain.evm.bounded import OPCODES_PER_CHECK
from devchain.evm.memory_limit import FREE_BYTES
from devchain.node import Node
from devchain.types import Address, StateOverride, TransactionRequest
from tests.accounts import ALICE, UNFUNDED
from tests.actions import deploy, fingerprint
from tests.bytecode import assemble, word
from tests.clocks import Ticks
from tests.conftest import GENESIS_TIME

MEGABYTE = 2**20
AMPLE = 10**10
ECHO_CALLEE = Address(bytes(19) + b"\x77")
BLAKE2F = assemble("CALLDATASIZE 0 0 CALLDATACOPY 64 0 213 0 0 9 GAS CALL 0 MSTORE 32 0 RETURN")
"""Calls BLAKE2's compression function with its calldata; returns whether it succeeded."""


@pytest.fixture(params=["fast", "reference"])
def engine(request: pytest.FixtureRequest) -> str:
    """Both engines have the same bounds."""
    return str(request.param)


@pytest.fixture
def node(engine: str) -> Node:
    """A node whose executions may take 4 MB, with far more gas than that costs."""
    return Node(
        Config(
            engine=engine,
            gas_limit=AMPLE,
            max_evm_memory=4 * MEGABYTE,
            fixed_clock=GENESIS_TIME,
            network="test",
        )
    )


def call(node: Node, code: bytes, data: bytes = b"", callee: bytes = b"") -> bytes:
    """Call that code by a state override; `callee` is the code at 0x77."""
    overrides = {UNFUNDED: StateOverride(code=code), ECHO_CALLEE: StateOverride(code=callee)}
    return node.call(TransactionRequest(to=UNFUNDED, data=data), overrides=overrides)


def checks(node: Node, code: bytes, data: bytes = b"") -> int:
    """How often the deadline is checked while that code runs."""
    clock = Ticks()
    with deadline.within(10**9, clock):
        call(node, code, data)
    return int(clock.seconds)


class TestMemory:
    def test_one_frame(self, node: Node) -> None:
        """Memory up to the limit is allowed, a byte more is not."""
        limit = 4 * MEGABYTE
        assert call(node, assemble(f"0 {limit - 1} MSTORE8")) == b""

        with pytest.raises(ExecutionTooLarge, match=r"4194304 bytes.*--max-evm-memory"):
            call(node, assemble(f"0 {limit} MSTORE8"))

    @pytest.mark.parametrize(
        "expand",
        ["0 {} MSTORE", "{} 0 SHA3", "{} 0 0 CALLDATACOPY", "{} 0 0 CODECOPY", "{} 0 LOG0",
         "{} 0 0 ADDRESS EXTCODECOPY", "{} 0 0 CREATE", "{} 0 REVERT", "{} MLOAD", "{} 0 32 MCOPY",
         "0 0 {} 0 0 ADDRESS 0 CALL", "{} 0 0 0 0 ADDRESS 0 CALL", "{} 0 RETURN"],
    )  # fmt: skip
    def test_opcodes(self, node: Node, expand: str) -> None:
        """Every opcode that expands the memory keeps to the limit."""
        with pytest.raises(ExecutionTooLarge):
            call(node, assemble(expand.format(5 * MEGABYTE)))

    def test_compiled(self, node: Node) -> None:
        """So does code that has run often."""
        loop = assemble(f"0 again: 1 ADD 0 DUP2 {MEGABYTE // 4} MUL MSTORE8 @again JUMP")

        with pytest.raises(ExecutionTooLarge):
            call(node, loop)

    @pytest.mark.parametrize(
        "expand", ["MSIZE MLOAD POP", "64 MLOAD DUP1 DUP1 MSTORE 32 ADD 64 MSTORE"]
    )
    def test_small_steps(self, node: Node, expand: str) -> None:
        """A loop that expands the memory word by word keeps to it, too, to the byte."""
        words = 100
        start = f"0 {4 * MEGABYTE - 32 * words - 1} MSTORE8 MSIZE 64 MSTORE"
        loop = f"{start} {{}} again: 1 SWAP1 SUB {expand} DUP1 @again JUMPI"
        assert call(node, assemble(loop.format(words))) == b""

        with pytest.raises(ExecutionTooLarge):
            call(node, assemble(loop.format(words + 1)))

    def test_out_of_gas_comes_first(self, node: Node) -> None:
        """Memory that the gas does not pay is a failure of the contract, as on any chain."""
        with pytest.raises(ExecutionFailed, match="out of gas"):
            call(node, assemble(f"0 {2**60} MSTORE8"))

    def test_frames_add_up(self, node: Node) -> None:
        """The memory of a caller counts while its callee runs."""
        callee = assemble(f"0 {2 * MEGABYTE} MSTORE8")
        caller = "0 {} MSTORE8 0 0 0 0 0 0x77 GAS CALL"
        call(node, assemble(caller.format(MEGABYTE)), callee=callee)

        with pytest.raises(ExecutionTooLarge):
            call(node, assemble(caller.format(2 * MEGABYTE)), callee=callee)

    def test_ended_frames_do_not_count(self, node: Node) -> None:
        """A frame gives its memory back: many calls one after the other may use as much each."""
        callee = assemble(f"0 {3 * MEGABYTE} MSTORE8")
        calls = " 0 0 0 0 0 0x77 1000000000 CALL POP" * 3

        assert call(node, assemble(calls), callee=callee) == b""

    def test_logs(self, node: Node) -> None:
        """Logs are kept until the end, so they count with their data."""
        logs = assemble(f"again: {MEGABYTE // 2} 0 LOG0 @again JUMP")

        with pytest.raises(ExecutionTooLarge):
            call(node, logs)

    def test_next_execution(self, node: Node) -> None:
        """Every transaction and call begins with nothing taken."""
        code = assemble(f"0 {3 * MEGABYTE} MSTORE8")

        for _ in range(3):
            assert call(node, code) == b""

    def test_mined(self, node: Node) -> None:
        """A transaction that takes too much is dropped, and says why; nothing else changes."""
        large = deploy(node, assemble(f"0 {5 * MEGABYTE} MSTORE8"))
        before = fingerprint(node)

        with pytest.raises(TransactionRejected, match="--max-evm-memory"):
            node.send(TransactionRequest(ALICE, large, gas=10**9, gas_price=0))

        assert fingerprint(node)["accounts"] == before["accounts"]
        assert node.mempool.pending() == []

    def test_default(self) -> None:
        """With the default options no call reaches the limit, however it spends the gas."""
        node = Node()
        nested = assemble(f"0 {FREE_BYTES * 3 // 2} MSTORE8 0 0 0 0 0 ADDRESS GAS CALL")

        with pytest.raises(ExecutionFailed, match="out of gas"):
            call(node, assemble("again: MSIZE MLOAD POP @again JUMP"))
        assert call(node, nested) == b""

    def test_calls_in_a_loop(self, engine: str) -> None:
        """The data of ended calls is not kept, nor the calls that changed nothing."""
        node = Node(Config(engine=engine, request_timeout=0))
        data, calls = MEGABYTE // 2, 100
        loop = assemble(
            f"0 {data - 1} MSTORE8 0 again: 1 ADD 0 0 {data} 0 0 0x1234 0 CALL POP"
            f" DUP1 {calls} GT @again JUMPI"
        )
        call(node, loop)

        tracemalloc.start()
        call(node, loop)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

        assert peak < 10 * data


class TestSteps:
    """Checks of the deadline where there is no loop; a check reads the clock once."""

    def test_straight_line(self, node: Node, engine: str) -> None:
        """Code without jumps is checked every so many opcodes, whichever engine runs it."""
        code = assemble("CALLVALUE POP") * OPCODES_PER_CHECK * 10

        for _ in range(17 if engine == "fast" else 1):  # at the sixteenth run it is compiled
            assert 15 <= checks(node, code) < 50

    def test_loop_larger_than_a_region(self, node: Node) -> None:
        """A loop whose body is compiled in several parts is checked, too."""
        body = "CALLVALUE POP " * 1_000
        turns = 150
        code = assemble(f"0 again: {body} 1 ADD DUP1 {turns} GT @again JUMPI")

        assert checks(node, code) > turns / 100

    @pytest.mark.parametrize(
        "copy",
        [f"{MEGABYTE} 0 SHA3 POP", f"{MEGABYTE} 0 0 CALLDATACOPY", f"{MEGABYTE} 0 0 CODECOPY",
         f"{MEGABYTE} 0 32 MCOPY", f"{MEGABYTE} 0 0 ADDRESS EXTCODECOPY",
         f"0 0 {MEGABYTE} 0 0 4 60 CALL POP"],
    )  # fmt: skip
    def test_large_operands(self, node: Node, engine: str, copy: str) -> None:
        """An opcode that reads or writes much memory is checked at each or each second run."""
        code = assemble(copy) * 4

        for _ in range(17 if engine == "fast" else 1):
            assert checks(node, code) >= 2

    def test_time_that_is_left(self, node: Node) -> None:
        """A precompiled contract does not begin what takes longer than the time that is left."""
        rounds = 10**9
        data = rounds.to_bytes(4, "big") + bytes(208) + b"\x01"

        with deadline.within(5, Ticks(step=0)), pytest.raises(ExecutionTimedOut):
            call(node, BLAKE2F, data)

    def test_affordable_work(self, node: Node) -> None:
        """Work that fits is done: gas alone decides."""
        data = (12).to_bytes(4, "big") + bytes(208) + b"\x01"

        with deadline.within(5, Ticks(step=0)):
            assert call(node, BLAKE2F, data) == word(1)
