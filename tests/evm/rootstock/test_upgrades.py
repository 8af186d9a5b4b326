"""`devchain.evm.rootstock.upgrades`"""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

from devchain.evm.rootstock.upgrades import UPGRADES, Rule, rules_of
from devchain.networks import NEWEST
from devchain.networks import ROOTSTOCK as ROOTSTOCK_FORKS


class TestRulesOf:
    def test_cumulative(self) -> None:
        """An upgrade has its own rules and those of all earlier upgrades."""
        for earlier, later in pairwise(ROOTSTOCK_FORKS):
            assert rules_of(later) == rules_of(earlier) | UPGRADES[later]

    def test_once(self) -> None:
        """No rule is in two upgrades, and the newest has all of them."""
        assert sum(map(len, UPGRADES.values())) == len(Rule)
        assert rules_of(NEWEST) == frozenset(Rule)

    def test_no_evm(self) -> None:
        """The module does not import py-evm."""
        code = "import sys, devchain.evm.rootstock.upgrades; print('eth' in sys.modules)"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )

        assert done.stdout == "False\n"
