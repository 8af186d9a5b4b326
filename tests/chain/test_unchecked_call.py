"""`devchain.chain.eth_call`: calls and estimates as rskj runs them"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.errors import ExecutionReverted, TransferUnaffordable
from devchain.node import Node
from devchain.types import Address, StateOverride, TransactionRequest
from tests.accounts import ALICE, BOB, UNFUNDED
from tests.conftest import GENESIS_TIME

CAP = 6_800_000
INTRINSIC = 21_000
CODE = Address(b"\xc0" * 20)
CALLEE = Address(b"\xca" * 20)

STOP, INVALID, REVERT = "00", "fe", "5f5ffd"


def push(value: int, size: int) -> str:
    """PUSH of that many bytes."""
    return f"{0x5F + size:02x}{value:0{2 * size}x}"


def call(gas: int, *, value: int = 0, opcode: str = "f1") -> str:
    """CALL of `CALLEE` without input and output; the result is dropped."""
    operands = "5f5f5f5f" + push(value, 1) + "73" + CALLEE.hex() + push(gas, 4)
    return operands + opcode + "50"


CALL_BASE = 4 * 2 + 4 * 3 - 3 + 700 + 2
"""Gas of `call` with its POP, without what the call itself adds: 4 PUSH0, 3 PUSH, CALL, POP."""
ALL_GAS = 0xFFFFFFFF


@pytest.fixture(scope="module", params=["fast", "reference"])
def node(request: pytest.FixtureRequest) -> Node:
    """A node like rskj; nothing in this module changes it."""
    return Node(Config(like="rskj", engine=request.param, fixed_clock=GENESIS_TIME))


def estimate(
    node: Node,
    code: str = "",
    callee: str = "",
    gas: int | None = None,
    storage: dict[int, int] | None = None,
) -> int:
    """The estimate of a transaction to code that may call other code."""
    overrides = {
        CODE: StateOverride(code=bytes.fromhex(code), balance=10, state=storage),
        CALLEE: StateOverride(code=bytes.fromhex(callee), balance=10),
    }
    return node.estimate(TransactionRequest(ALICE, CODE, gas=gas), overrides=overrides)


class TestEstimate:
    def test_transfer(self, node: Node) -> None:
        """A transfer needs its intrinsic gas."""
        assert estimate(node) == INTRINSIC

    def test_below_intrinsic(self, node: Node) -> None:
        """With less gas than that nothing runs, and nothing is needed."""
        assert estimate(node, gas=INTRINSIC - 1) == 0
        assert estimate(node, gas=0) == 0

    def test_empty_creation(self, node: Node) -> None:
        """A creation without code needs nothing."""
        assert node.estimate(TransactionRequest()) == 0

    def test_creation(self, node: Node) -> None:
        """A creation by a transaction needs what it uses, with the gas of its code."""
        init_code = bytes.fromhex("60015ff3")

        actual = node.estimate(TransactionRequest(ALICE, data=init_code))

        data, init_code_word, instructions, code = 4 * 16, 2, 3 + 2 + 3, 200
        assert actual == INTRINSIC + 32_000 + data + init_code_word + instructions + code

    def test_inner_creation(self, node: Node) -> None:
        """An inner creation gets all gas: the estimate is the cap, or the gas that is given."""
        assert estimate(node, "5f5f5ff0" + STOP) == CAP
        assert estimate(node, "5f5f5ff0" + STOP, gas=100_000) == 100_000

    @pytest.mark.parametrize("code", [INVALID, "01", "56", call(ALL_GAS) + INVALID])
    def test_halt(self, node: Node, code: str) -> None:
        """A transaction that halts needs all its gas."""
        assert estimate(node, code) == CAP
        assert estimate(node, code, gas=100_000) == 100_000
        assert estimate(node, code, gas=CAP + 1) == CAP

    def test_revert(self, node: Node) -> None:
        """A transaction that reverts is an error."""
        with pytest.raises(ExecutionReverted):
            estimate(node, REVERT)

    def test_peak(self, node: Node) -> None:
        """A call with a gas limit needs all of it, whatever the callee uses."""
        assert estimate(node, call(50_000), STOP) == INTRINSIC + CALL_BASE - 2 + 50_000

    def test_all_gas(self, node: Node) -> None:
        """A call that gets all remaining gas needs what is used in the end."""
        assert estimate(node, call(ALL_GAS), "5f50" + STOP) == INTRINSIC + CALL_BASE + 4

    def test_all_gas_and_a_peak(self, node: Node) -> None:
        """Then the peaks of other calls do not count."""
        code = call(ALL_GAS) + call(50_000)

        assert estimate(node, code, STOP) == INTRINSIC + 2 * CALL_BASE

    def test_callee(self, node: Node) -> None:
        """A callee's call that gets all of its gas counts, unless the callee reverts."""
        callee = "5f5f5f5f5f73" + BOB.hex() + push(ALL_GAS, 4) + "f1"
        used = 5 * 2 + 2 * 3 + 700

        assert estimate(node, call(50_000), callee) == INTRINSIC + CALL_BASE + used
        reverted = estimate(node, call(50_000), callee + REVERT)
        assert reverted == INTRINSIC + CALL_BASE - 2 + 50_000

    @pytest.mark.parametrize("opcode", ["f1", "f2"])
    def test_value(self, node: Node, opcode: str) -> None:
        """A call with value adds its stipend once more."""
        code = call(ALL_GAS, value=1, opcode=opcode)

        assert estimate(node, code, STOP) == INTRINSIC + CALL_BASE + 9_000 + 2_300

    def test_refund(self, node: Node) -> None:
        """Refunds are not deducted."""
        cleared = estimate(node, "5f5f55" + call(ALL_GAS), storage={0: 1})

        assert cleared == INTRINSIC + 4 + 5_000 + CALL_BASE

    def test_exact_otherwise(self) -> None:
        """Without the preset an inner creation is estimated exactly."""
        exact = Node(Config(fixed_clock=GENESIS_TIME))

        assert estimate(exact, "5f5f5ff0" + STOP) == INTRINSIC + 3 * 2 + 32_000


class TestFunds:
    def test_nothing_checked(self, node: Node) -> None:
        """A sender needs neither the value nor the gas."""
        request = TransactionRequest(UNFUNDED, BOB, gas_price=10**30, value=10**30)

        assert node.call(request) == b""
        assert node.estimate(request) == INTRINSIC

    def test_price(self, node: Node) -> None:
        """The code sees the gas price, and a balance without the fee taken off."""
        code = bytes.fromhex("3a5f52" + "3331602052" + "60405ff3")
        overrides = {CODE: StateOverride(code=code)}

        output = node.call(TransactionRequest(ALICE, CODE, gas_price=7), overrides=overrides)

        price, balance = output[:32], output[32:]
        assert int.from_bytes(price) == 7
        assert int.from_bytes(balance) == node.chain.state_at(0).balance(ALICE)

    def test_checked_otherwise(self) -> None:
        """Without the preset the sender needs them if there is a gas price."""
        exact = Node(Config(fixed_clock=GENESIS_TIME))

        with pytest.raises(TransferUnaffordable):
            exact.call(TransactionRequest(UNFUNDED, BOB, gas_price=1))
