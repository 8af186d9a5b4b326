"""`devchain.evm.failures`"""

from __future__ import annotations

import pytest
from eth.exceptions import OutOfGas, Revert, VMError

from devchain.errors import ExecutionFailed, ExecutionReverted
from devchain.evm.failures import MESSAGES, Failure, FailureKind
from tests.bytecode import error_payload


class TestFailure:
    def test_revert(self) -> None:
        """A revert has its payload, and its reason in the message."""
        found = Failure.of(Revert("ignored"), error_payload("no"))

        assert found.kind is FailureKind.REVERT
        assert isinstance(found.to_error(), ExecutionReverted)
        assert (str(found), found.payload) == ("execution reverted: no", error_payload("no"))

    def test_silent_revert(self) -> None:
        """A revert without payload has no reason in the message."""
        assert str(Failure.of(Revert(b""), b"")) == "execution reverted"

    @pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
    def test_named(self, kind: type[VMError]) -> None:
        """Each error of py-evm in `MESSAGES` has that message, and no payload."""
        found = Failure.of(kind("py-evm's own text"), b"output")

        assert isinstance(found.to_error(), ExecutionFailed)
        assert (str(found), found.payload) == (MESSAGES[kind], b"")

    def test_of_a_kind(self) -> None:
        """A subclass has the message of its base class."""

        class OutOfMuchGas(OutOfGas):
            pass

        found = Failure.of(OutOfMuchGas("text"), b"")

        assert (found.kind, str(found)) == (FailureKind.OUT_OF_GAS, "out of gas")

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("Invalid ECADD parameters", "Invalid ECADD parameters"),
            ("Point evaluation invalid input length.", "Point evaluation invalid input length"),
            ("", "execution failed"),
        ],
    )
    def test_unnamed(self, text: str, words: str) -> None:
        """Any other error, as of a precompiled contract, keeps its own text."""
        assert str(Failure.of(VMError(text), b"")) == words
