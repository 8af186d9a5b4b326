"""`devchain.evm.hardforks`"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.evm.hardforks import ethereum_vm
from devchain.networks import ETHEREUM
from devchain.node import Node
from devchain.types import Tag
from tests.accounts import ALICE
from tests.actions import deploy, run
from tests.bytecode import FILL, LOOP, word
from tests.conftest import GENESIS_TIME


class TestClasses:
    @pytest.mark.parametrize("name", ETHEREUM)
    def test_names(self, name: str) -> None:
        """Every hardfork is the class py-evm has of that name."""
        assert ethereum_vm(name).__name__.lower() == f"{name}vm"

    @pytest.mark.parametrize("name", ETHEREUM)
    def test_fork(self, name: str) -> None:
        """The class knows which hardfork it is."""
        assert ethereum_vm(name).fork.replace("-", "") == name


class TestPrague:
    @pytest.fixture
    def config(self) -> Config:
        """A node under Prague's rules."""
        return Config(hardfork="prague", network="test", fixed_clock=GENESIS_TIME)

    @pytest.mark.parametrize(
        "slots", [pytest.param(2, id="refund"), pytest.param(20, id="capped-refund")]
    )
    def test_floor_with_refund(self, node: Node, slots: int) -> None:
        """With much data and a refund, capped or not, the receipt says what was charged."""
        fill = deploy(node, FILL)
        run(node, fill, word(slots) + word(1))
        before = node.chain.state_at(Tag.LATEST).balance(ALICE)
        padding = b"\x01" * 6_000

        receipt = run(node, fill, word(slots) + word(0) + padding)

        paid = before - node.chain.state_at(Tag.LATEST).balance(ALICE)
        # Two words are 63 bytes of zero and one of not: 63 + 4 tokens; ten gas a token.
        assert receipt.gas_used == 21_000 + 10 * (63 + 4 + 4 * 6_000)
        assert paid == receipt.gas_used * receipt.gas_price
        assert node.chain.head.gas_used == receipt.gas_used

    def test_floor_below_what_runs(self, node: Node) -> None:
        """Data has no floor price in a transaction whose code costs more."""
        loop = deploy(node, LOOP)
        plain = run(node, loop, word(1_000)).gas_used

        assert run(node, loop, word(1_000) + b"\x01" * 100).gas_used == plain + 100 * 16
