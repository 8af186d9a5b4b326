"""`devchain.rpc.methods.fee_market`"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.node import Node
from devchain.rpc.methods.fee_market import gas_price


class TestGasPrice:
    @pytest.mark.parametrize(
        ("minimum", "expected"), [(0, 0), (1, 2), (10, 11), (11, 13), (60_000_000, 66_000_000)]
    )
    def test_minimum(self, minimum: int, expected: int) -> None:
        """The price is the minimum gas price and a tenth, rounded up."""
        assert gas_price(Node(Config(min_gas_price=minimum))) == expected
