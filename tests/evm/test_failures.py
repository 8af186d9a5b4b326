"""`devchain.evm.failures`"""

from __future__ import annotations

import pytest
from eth.exceptions import OutOfGas, Revert, VMError

from devchain.errors import ExecutionFailed, ExecutionReverted
from devchain.evm.failures import MESSAGES, Failure, FailureKind
from tests.bytecode import error_payload


class TestFailure:
    def test_revert(self) -> None:
        """A revert keeps its payload and says the reason."""
        found = Failure.of(Revert("ignored"), error_payload("no"))

        assert found.kind is FailureKind.REVERT
        assert isinstance(found.to_error(), ExecutionReverted)
        assert (str(found), found.payload) == ("execution reverted: no", error_payload("no"))

    def test_silent_revert(self) -> None:
        """A revert without a payload says only that it is one."""
        assert str(Failure.of(Revert(b""), b"")) == "execution reverted"

    @pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
    def test_named(self, kind: type[VMError]) -> None:
        """Each of py-evm's errors has words of ours, and no payload."""
        found = Failure.of(kind("py-evm's own text"), b"output")

        assert isinstance(found.to_error(), ExecutionFailed)
        assert (str(found), found.payload) == (MESSAGES[kind], b"")

    def test_of_a_kind(self) -> None:
        """A more special error is named as what it is a kind of."""

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
        """An error without a name here, a precompiled contract's, speaks for itself."""
        assert str(Failure.of(VMError(text), b"")) == words
