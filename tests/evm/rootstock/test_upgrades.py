"""`devchain.evm.rootstock.upgrades`"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from devchain.evm.rootstock.upgrades import UPGRADES, Rule, first_upgrade, rules_of
from devchain.networks import ALIASES, NEWEST
from devchain.networks import ROOTSTOCK as ROOTSTOCK_FORKS

CONF: dict[str, Any] = tomllib.loads(Path(__file__).with_name("rskips.toml").read_text())
CHAINS = {"main": 30, "testnet": 31, "regtest": 33}
OURS = ALIASES | {"bahamas": "orchid", "hop400": "fingerroot", "hop401": "fingerroot"}
OURS |= {"arrowhead631": "lovell"}
OTHERS = {
    ("testnet", 132): "wasabi",  # 43,550 blocks later there
    ("regtest", 535): "vetiver",  # has no upgrade in the node, but testnet's has its height
}
RULES = [int(name[5:]) for name in CONF["rules"] if name[5:].isdecimal()]


def first_in_node(network: str, rskip: int) -> str | None:
    """The upgrade of a rule on a network in the node's configuration."""
    upgrade: str | int = CONF["rules"][f"rskip{rskip}"]
    heights = CONF[network]["heights"]
    height = CONF[network]["rules"].get(f"rskip{rskip}", heights.get(upgrade, -1))
    if height == -1 and upgrade != "tbd1000":  # which is at no height but can be chosen
        return None
    if rskip in {int(name[5:]) for name in CONF[network]["rules"] if name[5:].isdecimal()}:
        upgrade = next((name for name in heights if heights[name] >= height), upgrade)
    return OURS.get(str(upgrade), str(upgrade))


class TestFirstUpgrade:
    @pytest.mark.parametrize("network", CHAINS)
    @pytest.mark.parametrize("rskip", RULES)
    def test_is_the_node_s(self, network: str, rskip: int) -> None:
        """Each network has a rule since the upgrade of the node's configuration."""
        expected = OTHERS.get((network, rskip), first_in_node(network, rskip))

        assert first_upgrade(rskip, CHAINS[network]) == expected

    def test_complete(self) -> None:
        """There is no rule that the node does not know; its next upgrade is to have eight more."""
        known = {number for numbers in UPGRADES.values() for number in numbers}

        assert known - {378, 455, 543, 545, 546, 555, 692, 701} <= set(RULES)
        assert sum(map(len, UPGRADES.values())) == len(known)


class TestRulesOf:
    def test_cumulative(self) -> None:
        """An upgrade has its own rules and those of all earlier upgrades."""
        rules: set[int] = set()
        for upgrade in ROOTSTOCK_FORKS:
            rules |= set(UPGRADES[upgrade]) & set(Rule)
            assert rules_of(upgrade) == rules

    def test_newest(self) -> None:
        """The next upgrade has all rules, the newest those that are at a height."""
        assert rules_of("next") == frozenset(Rule)
        assert rules_of(NEWEST) == frozenset(Rule) - set(UPGRADES["next"])

    def test_no_evm(self) -> None:
        """The module does not import py-evm."""
        code = "import sys, devchain.evm.rootstock.upgrades; print('eth' in sys.modules)"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )

        assert done.stdout == "False\n"
