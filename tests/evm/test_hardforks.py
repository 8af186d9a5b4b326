"""`devchain.evm.hardforks`"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.errors import ConfigError
from devchain.evm.compiler.computation import FastComputation
from devchain.evm.hardforks import ethereum_vm, rules_for
from devchain.evm.rootstock.upgrades import UPGRADES
from devchain.networks import ALIASES, ETHEREUM, HARDFORKS, ROOTSTOCK
from devchain.node import Node
from devchain.types import Tag
from tests.accounts import ALICE
from tests.actions import deploy, run
from tests.bytecode import FILL, LOOP, word
from tests.conftest import GENESIS_TIME


class TestRulesFor:
    def test_names(self) -> None:
        """The names of Rootstock's hardforks are those of its upgrades."""
        assert tuple(UPGRADES) == ROOTSTOCK

    @pytest.mark.parametrize("name", HARDFORKS)
    def test_every_option(self, name: str) -> None:
        """There are rules for every hardfork that can be configured."""
        found = rules_for(name)

        assert found.hardfork == name
        assert found.has_merged_mining == (name in ROOTSTOCK)

    @pytest.mark.parametrize("name", HARDFORKS)
    def test_engines(self, name: str) -> None:
        """The fast engine's VM class derives from the reference's and is made once."""
        reference, fast = rules_for(name).vm_class, rules_for(name, engine="fast").vm_class

        assert issubclass(fast, reference)
        assert issubclass(fast.get_state_class(), reference.get_state_class())
        computation_class = fast.get_state_class().computation_class
        assert computation_class.reference is reference.get_state_class().computation_class
        assert issubclass(computation_class, FastComputation)
        assert rules_for(name, engine="fast").vm_class is fast

    @pytest.mark.parametrize(("alias", "name"), ALIASES.items())
    def test_alias(self, alias: str, name: str) -> None:
        """The real node's spelling of a name gives the same rules."""
        assert rules_for(alias) == rules_for(name)

    @pytest.mark.parametrize(
        ("name", "types"),
        [("vetiver", {0}), ("istanbul", {0}), ("berlin", {0, 1}), ("london", {0, 1, 2})],
    )
    def test_transaction_types(self, name: str, types: set[int]) -> None:
        """Rootstock has legacy transactions only; Berlin and London add types 1 and 2."""
        assert rules_for(name).transaction_types == types

    def test_prague(self) -> None:
        """Prague adds type 4; blob transactions are not supported."""
        assert rules_for("prague").transaction_types == {0, 1, 2, 4}

    def test_unknown(self) -> None:
        """An unknown name is an error that lists the known ones."""
        with pytest.raises(ConfigError, match=r"unknown hardfork 'gone'; choose one of: .*vetiver"):
            rules_for("gone")


class TestEthereumVm:
    @pytest.mark.parametrize("name", ETHEREUM)
    def test_names(self, name: str) -> None:
        """Every hardfork has py-evm's class of that name."""
        assert ethereum_vm(name).__name__.lower() == f"{name}vm"

    @pytest.mark.parametrize("name", ETHEREUM)
    def test_fork(self, name: str) -> None:
        """`fork` of the class is the name of its hardfork."""
        assert ethereum_vm(name).fork.replace("-", "") == name


class TestPrague:
    @pytest.fixture
    def config(self) -> Config:
        """The configuration of a node under Prague's rules."""
        return Config(hardfork="prague", network="test", fixed_clock=GENESIS_TIME)

    @pytest.mark.parametrize(
        "slots", [pytest.param(2, id="refund"), pytest.param(20, id="capped-refund")]
    )
    def test_floor_with_refund(self, node: Node, slots: int) -> None:
        """Where the floor price of data (EIP-7623) applies, `gasUsed` is the gas that was paid."""
        fill = deploy(node, FILL)
        run(node, fill, word(slots) + word(1))
        before = node.chain.state_at(Tag.LATEST).balance(ALICE)
        padding = b"\x01" * 6_000

        receipt = run(node, fill, word(slots) + word(0) + padding)

        paid = before - node.chain.state_at(Tag.LATEST).balance(ALICE)
        # Two words are 63 zero bytes (1 token each) and one other (4 tokens); ten gas a token.
        assert receipt.gas_used == 21_000 + 10 * (63 + 4 + 4 * 6_000)
        assert paid == receipt.gas_used * receipt.gas_price
        assert node.chain.head.gas_used == receipt.gas_used

    def test_floor_below_execution(self, node: Node) -> None:
        """The floor price of data does not apply if execution costs more."""
        loop = deploy(node, LOOP)
        plain = run(node, loop, word(1_000)).gas_used

        assert run(node, loop, word(1_000) + b"\x01" * 100).gas_used == plain + 100 * 16
