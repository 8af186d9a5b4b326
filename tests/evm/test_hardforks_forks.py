"""`devchain.evm.hardforks`"""

from __future__ import annotations

import pytest

from devchain.errors import ConfigError
from devchain.evm.compiler.computation import FastComputation
from devchain.evm.hardforks import rules
from devchain.evm.rootstock.upgrades import UPGRADES
from devchain.networks import ALIASES, ETHEREUM, HARDFORKS, ROOTSTOCK


class TestRules:
    def test_names(self) -> None:
        """The names on offer are those of the upgrades there are."""
        assert tuple(UPGRADES) == ROOTSTOCK

    @pytest.mark.parametrize("name", HARDFORKS)
    def test_every_option(self, name: str) -> None:
        """Every hardfork the configuration offers has rules of its own."""
        found = rules(name)

        assert found.hardfork == name
        assert found.has_remasc == (name in ROOTSTOCK)

    @pytest.mark.parametrize("name", HARDFORKS)
    def test_engines(self, name: str) -> None:
        """The fast engine has the same VM class but for what computes; asked twice, the same."""
        plain, fast = rules(name).vm_class, rules(name, engine="fast").vm_class

        assert issubclass(fast, plain)
        assert issubclass(fast.get_state_class(), plain.get_state_class())
        computing = fast.get_state_class().computation_class
        assert computing.reference is plain.get_state_class().computation_class
        assert issubclass(computing, FastComputation)
        assert rules(name, engine="fast").vm_class is fast

    @pytest.mark.parametrize(("alias", "name"), ALIASES.items())
    def test_alias(self, alias: str, name: str) -> None:
        """The real node's spelling means the same rules."""
        assert rules(alias) == rules(name)

    @pytest.mark.parametrize(
        ("name", "types"),
        [("vetiver", {0}), ("istanbul", {0}), ("berlin", {0, 1}), ("london", {0, 1, 2})],
    )
    def test_transaction_types(self, name: str, types: set[int]) -> None:
        """Rootstock takes legacy transactions alone; Ethereum's types come with their hardforks."""
        assert rules(name).transaction_types == types

    def test_prague(self) -> None:
        """Prague adds type 4; blob transactions are not offered."""
        assert rules(ETHEREUM[-1]).transaction_types == {0, 1, 2, 4}

    def test_unknown(self) -> None:
        """An unknown name is refused with the known ones."""
        with pytest.raises(ConfigError, match=r"unknown hardfork 'gone'; choose one of: .*vetiver"):
            rules("gone")
