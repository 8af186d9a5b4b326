"""`devchain.evm.failures`"""

from __future__ import annotations

import pytest
from eth.exceptions import OutOfGas, Revert, VMError
from hypothesis import given
from hypothesis import strategies as st

from devchain.contracts.revert_reasons import PANICS
from devchain.errors import ExecutionFailed, ExecutionReverted
from devchain.evm.failures import MESSAGES, Failure, FailureKind, revert_reason
from tests.bytecode import error_payload, panic_payload, word

ERROR = bytes.fromhex("08c379a0")
PANIC = bytes.fromhex("4e487b71")
HUGE = b"\xff" * 32


class TestRevertReason:
    @pytest.mark.parametrize(
        "text", ["no", "x" * 32, "x" * 33, "ünïcödé ✓", "two\nlines", ""], ids=repr
    )
    def test_error(self, text: str) -> None:
        """`revert("text")` reads as its text."""
        assert revert_reason(error_payload(text)) == text

    @pytest.mark.parametrize("code", PANICS, ids=hex)
    def test_panic(self, code: int) -> None:
        """A panic reads as what its code means, and the code."""
        assert revert_reason(panic_payload(code)) == f"panic: {PANICS[code]} (0x{code:02x})"

    @pytest.mark.parametrize("code", [0x02, 0xFF, 2**256 - 1], ids=hex)
    def test_unknown_panic(self, code: int) -> None:
        """A code nobody has given a meaning is still shown."""
        assert revert_reason(panic_payload(code)) == f"panic: unknown panic (0x{code:x})".replace(
            "(0x2)", "(0x02)"
        )

    @pytest.mark.parametrize(
        ("payload", "text"),
        [
            (b"", ""),
            (b"\x01", ""),
            (b"\x01\x02\x03", ""),
            (b"\x01\x02\x03\x04", "custom error 0x01020304"),
            (b"\x01\x02\x03\x04" + word(7), "custom error 0x01020304"),
            (PANIC, "custom error 0x4e487b71"),
            (PANIC + word(1) + b"\x00", "custom error 0x4e487b71"),
        ],
        ids=repr,
    )
    def test_custom(self, payload: bytes, text: str) -> None:
        """Another payload reads as its selector; one too short for a selector says nothing."""
        assert revert_reason(payload) == text

    @pytest.mark.parametrize(
        "body",
        [
            pytest.param(b"", id="nothing"),
            pytest.param(b"\x00" * 31, id="half-a-word"),
            pytest.param(word(32), id="no-length"),
            pytest.param(word(32) + word(1), id="no-text"),
            pytest.param(word(32) + word(33) + b"x" * 32, id="length-too-long"),
            pytest.param(word(32) + HUGE + b"x" * 32, id="length-huge"),
            pytest.param(HUGE + word(1) + b"x" * 32, id="offset-huge"),
            pytest.param(word(2**64) + word(1) + b"x" * 32, id="offset-large"),
            pytest.param(word(65) + word(1) + b"x" * 32, id="offset-past-the-end"),
        ],
    )
    def test_malformed_error(self, body: bytes) -> None:
        """A malformed text is no text, and never a crash."""
        assert revert_reason(ERROR + body) == ""

    def test_not_utf8(self) -> None:
        """Bytes that are no text are replaced, not refused."""
        assert revert_reason(ERROR + word(32) + word(2) + b"\xff\xfe" + bytes(30)) == "��"

    def test_no_padding(self) -> None:
        """A text that is not padded to whole words is read all the same."""
        assert revert_reason(ERROR + word(32) + word(2) + b"ok") == "ok"

    @given(
        st.one_of(st.just(ERROR), st.just(PANIC), st.binary(max_size=4)), st.binary(max_size=150)
    )
    def test_any_payload(self, selector: bytes, body: bytes) -> None:
        """Whatever a contract reverts with, it reads as some text."""
        assert isinstance(revert_reason(selector + body), str)


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
