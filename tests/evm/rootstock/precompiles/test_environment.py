"""`devchain.evm.rootstock.precompiles`: the Environment contract."""

from __future__ import annotations

import pytest

from tests.bytecode import word
from tests.evm.rootstock.precompiles.calling import ENVIRONMENT, Machine, selector


class TestCallStackDepth:
    @pytest.mark.parametrize(("depth", "answer"), [(0, 1), (1, 1), (2, 2), (400, 400)])
    def test_depth(self, depth: int, answer: int) -> None:
        """The depth is 1 for a transaction and for the contract it calls; the call is free."""
        outcome = Machine().call(ENVIRONMENT, selector("getCallStackDepth()"), depth=depth)

        assert (outcome.output, outcome.gas) == (word(answer), 0)

    def test_without_input(self) -> None:
        """Empty input calls no method."""
        outcome = Machine().call(ENVIRONMENT)

        assert str(outcome.error) == "Environment has no method without input under vetiver"
        assert (outcome.output, outcome.gas) == (b"", 0)
