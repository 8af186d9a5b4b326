"""`devchain.tracing.replay`"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.node import Node
from devchain.tracing.replay import AccessListResult
from devchain.types import Tag, TransactionRequest
from tests.accounts import ALICE, BOB, CAROL, UNFUNDED
from tests.actions import run
from tests.bytecode import assemble
from tests.conftest import GENESIS_TIME

READER = assemble(f"7 SLOAD POP 3 SLOAD POP {'0x' + BOB.hex()} BALANCE POP 0x04 BALANCE POP STOP")
# Reads slot 9 only with more than 50,000 gas left, which depends on the listed slots.
GREEDY = assemble("3 SLOAD POP 50000 GAS LT @end JUMPI 9 SLOAD POP end: STOP")


@pytest.fixture
def node() -> Node:
    """A node whose transactions may carry access lists."""
    return Node(Config(hardfork="prague", fixed_clock=GENESIS_TIME))


def listed(node: Node, code: bytes, gas: int | None = None) -> AccessListResult:
    """The access list of a call to that code."""
    node.set_code(UNFUNDED, code)
    request = TransactionRequest(sender=ALICE, to=UNFUNDED, gas=gas)
    return node.access_list(request, Tag.LATEST, None)


class TestAccessList:
    def test_touched(self, node: Node) -> None:
        """The list has slots in order and other accounts, but no precompiled contract."""
        assert dict(listed(node, READER).listed) == {UNFUNDED: (3, 7), BOB: ()}

    def test_gas(self, node: Node) -> None:
        """A transaction with the list uses the returned gas."""
        access = listed(node, READER)
        mined = run(node, UNFUNDED, access_list=access.listed, type=1, gas_price=10**10)

        assert mined.gas_used == access.gas_used

    def test_nothing(self, node: Node) -> None:
        """Sender, receiver and coinbase are warm from the start, so they are not listed."""
        node.miner.coinbase = CAROL
        node.miner.mine()

        assert listed(node, assemble("COINBASE BALANCE CALLER BALANCE STOP")).listed == ()

    def test_failure(self, node: Node) -> None:
        """A call that fails has a list and an error."""
        access = listed(node, assemble("1 SLOAD POP 0 0 REVERT"))

        assert (access.listed, access.error) == (((UNFUNDED, (1,)),), "execution reverted")

    def test_depends_on_the_list(self, node: Node) -> None:
        """A call whose path depends on the list has a stable result."""
        access = listed(node, GREEDY, gas=74_500)

        again = listed(node, GREEDY, gas=74_500)
        assert access == again
        assert access.error is None
