"""`devchain.evm.rootstock.gas`"""

from __future__ import annotations

import pytest

from devchain.evm.rootstock.gas import init_code_gas
from devchain.evm.rootstock.upgrades import Rule


class TestInitCodeGas:
    @pytest.mark.parametrize(("size", "gas"), [(0, 0), (1, 2), (32, 2), (33, 4), (49_152, 3_072)])
    def test_words(self, size: int, gas: int) -> None:
        """Init code costs 2 gas per word, rounded up."""
        assert init_code_gas(size, frozenset({Rule.INIT_CODE_LIMIT})) == gas
        assert init_code_gas(size, frozenset()) == 0
