"""`devchain.evm.bounded_vm`: what runs code keeps to the deadline, under all rules and engines."""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.errors import ExecutionTimedOut
from devchain.evm import deadline
from devchain.evm.bounded_vm import EVERY
from devchain.node import Node
from devchain.types import StateOverride, TransactionRequest
from tests.accounts import NOBODY
from tests.actions import fingerprint
from tests.bytecode import LOOP, assemble, word
from tests.clocks import Ticks
from tests.conftest import GENESIS_TIME

AMPLE = 10**9
CALL = "9000 GAS SUB CALL"
"""a call that leaves its caller some gas, which before EIP-150 it has to"""

CALL_TREE = assemble("60000 GAS LT @end JUMPI" + f" 0 0 0 0 0 ADDRESS {CALL}" * 40 + " end: STOP")
"""calls itself again and again, as deep as the gas reaches; no loop"""


@pytest.fixture(params=["vetiver", "orchid", "frontier", "prague"])
def hardfork(request: pytest.FixtureRequest) -> str:
    """The rules to run under."""
    return str(request.param)


@pytest.fixture(params=["fast", "reference"])
def node(hardfork: str, request: pytest.FixtureRequest) -> Node:
    """A node with more gas than any test could use up."""
    return Node(
        Config(
            hardfork=hardfork,
            engine=request.param,
            gas_limit=AMPLE,
            fixed_clock=GENESIS_TIME,
        )
    )


def call(node: Node, code: bytes, data: bytes = b"") -> bytes:
    """Call that code where there is none."""
    return node.call(
        TransactionRequest(to=NOBODY, data=data), overrides={NOBODY: StateOverride(code=code)}
    )


class TestBounded:
    def test_a_loop_ends(self, node: Node) -> None:
        """A loop that would burn a billion gas stops at the deadline; nothing has changed."""
        before = fingerprint(node)

        with deadline.within(50, Ticks()), pytest.raises(ExecutionTimedOut):
            call(node, LOOP, word(10**9))

        assert fingerprint(node) == before

    def test_calls_end(self, node: Node) -> None:
        """So do calls that call, in which there is no loop."""
        with deadline.within(50, Ticks()), pytest.raises(ExecutionTimedOut):
            call(node, CALL_TREE)

    def test_a_caught_failure(self, node: Node) -> None:
        """A contract that goes on after a failed call cannot go on after the deadline."""
        loop = assemble("loop: @loop JUMP")
        caller = assemble(f"again: 0 0 0 0 0 {0x77} {CALL} POP @again JUMP")
        overrides = {
            NOBODY: StateOverride(code=caller),
            bytes(19) + b"\x77": StateOverride(code=loop),
        }

        with deadline.within(50, Ticks()), pytest.raises(ExecutionTimedOut):
            node.call(TransactionRequest(to=NOBODY), overrides=overrides)  # type: ignore[arg-type]  # 20 bytes

    def test_in_time(self, node: Node) -> None:
        """What ends in time has the result and the gas it has without a deadline."""
        request = TransactionRequest(to=NOBODY, data=word(EVERY * 3))
        overrides = {NOBODY: StateOverride(code=LOOP)}
        free = node.estimate(request, overrides=overrides)

        with deadline.within(10_000, Ticks()):
            assert node.estimate(request, overrides=overrides) == free
