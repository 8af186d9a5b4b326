"""`devchain.evm.revert_reasons`"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain.contracts.artifact_registry import Registry
from devchain.evm.revert_reasons import PANICS, revert_message
from devchain.types import checksum
from tests.accounts import ALICE
from tests.bytecode import error_payload, panic_payload, word
from tests.contracts.vault import VAULT

ERROR = bytes.fromhex("08c379a0")
PANIC = bytes.fromhex("4e487b71")
HUGE = b"\xff" * 32


def reason(payload: bytes) -> str:
    """The reason in a revert's message."""
    return revert_message(payload).removeprefix("execution reverted").removeprefix(": ")


class TestRevertReason:
    @pytest.mark.parametrize(
        "text", ["no", "x" * 32, "x" * 33, "ünïcödé ✓", "two\nlines", ""], ids=repr
    )
    def test_error(self, text: str) -> None:
        """The reason of `revert("text")` is the text."""
        assert reason(error_payload(text)) == text

    @pytest.mark.parametrize("code", PANICS, ids=hex)
    def test_panic(self, code: int) -> None:
        """The reason of a panic is the meaning of its code, and the code."""
        assert reason(panic_payload(code)) == f"panic: {PANICS[code]} (0x{code:02x})"

    @pytest.mark.parametrize("code", [0x02, 0xFF, 2**256 - 1], ids=hex)
    def test_unknown_panic(self, code: int) -> None:
        """An unknown panic code is shown as a number."""
        assert reason(panic_payload(code)) == f"panic: unknown panic (0x{code:x})".replace(
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
        """Other payloads are shown by their selector; one too short for a selector is empty."""
        assert reason(payload) == text

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
        """A malformed string gives an empty reason."""
        assert reason(ERROR + body) == ""

    def test_not_utf8(self) -> None:
        """Bytes that are not UTF-8 are replaced."""
        assert reason(ERROR + word(32) + word(2) + b"\xff\xfe" + bytes(30)) == "��"

    def test_no_padding(self) -> None:
        """A string without padding to whole words is decoded."""
        assert reason(ERROR + word(32) + word(2) + b"ok") == "ok"

    @given(
        st.one_of(st.just(ERROR), st.just(PANIC), st.binary(max_size=4)), st.binary(max_size=150)
    )
    def test_any_payload(self, selector: bytes, body: bytes) -> None:
        """Any payload gives some text."""
        assert isinstance(reason(selector + body), str)


class TestRevertMessage:
    def test_reason(self) -> None:
        """The message is geth's, with the reason if there is one."""
        assert revert_message(error_payload("no")) == "execution reverted: no"
        assert revert_message(b"") == "execution reverted"

    def test_custom_error_with_abi(self) -> None:
        """A custom error of an artifact is written with its name and values."""
        (error,) = VAULT.abi.errors.values()
        payload = error.selector + bytes(12) + ALICE

        message = revert_message(payload, Registry([VAULT]))

        assert message == f"execution reverted: custom error NotOwner(caller={checksum(ALICE)})"
