"""`devchain.evm.rootstock.precompiles.remasc`"""

from __future__ import annotations

import pytest

from tests.evm.rootstock.precompiles.calling import REMASC, Machine, selector, unpack


class TestRemasc:
    @pytest.mark.parametrize("payload", [b"", selector("processMinersFees()")], ids=["", "named"])
    def test_fees(self, payload: bytes) -> None:
        """Only the last transaction of a block, which the node adds, distributes fees."""
        outcome = Machine().call(REMASC, payload)

        assert str(outcome.error) == "REMASC works in the last transaction of a block only"
        assert outcome.gas == 0

    @pytest.mark.parametrize("payload", [b"\1", b"\1\2\3\4\5"], ids=["short", "long"])
    def test_arguments(self, payload: bytes) -> None:
        """Input is empty or a selector."""
        assert str(Machine().call(REMASC, payload).error) == "REMASC takes no arguments"

    def test_unknown(self) -> None:
        """Any other selector is unknown."""
        outcome = Machine().call(REMASC, b"\1\2\3\4")

        assert str(outcome.error) == "REMASC has no method 0x01020304 under vetiver"

    def test_state(self) -> None:
        """Without fees the state is two zeros, an empty list and false."""
        outcome = Machine().call(REMASC, selector("getStateForDebugging()"))

        assert unpack(outcome.output).hex() == "c48080c000"
        assert outcome.gas == 0
