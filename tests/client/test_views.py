"""`devchain.client.views`"""

from __future__ import annotations

import pytest

from devchain.client.views import Notation, data_bytes, error_reason, number
from devchain.errors import InvalidInput, RpcFailure
from devchain.networks import RBTC
from tests.bytecode import error_payload, panic_payload

LOWER = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"


class TestNotation:
    @pytest.mark.parametrize(
        ("notation", "shown"),
        [
            (Notation(1), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
            (Notation(31), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
            (Notation(30, uses_eip1191=True), "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD"),
            (Notation(31, uses_eip1191=True), "0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd"),
        ],
        ids=["Ethereum", "Rootstock", "main", "test"],
    )
    def test_address(self, notation: Notation, shown: str) -> None:
        """Addresses have EIP-55's checksums, or EIP-1191's; the vectors are the EIPs'."""
        assert notation.address(LOWER) == shown

    @pytest.mark.parametrize("text", ["", "0x12", "pending", "0x" + "z" * 40])
    def test_no_address(self, text: str) -> None:
        """Text that is not an address is unchanged."""
        assert Notation(30).address(text) == text

    def test_amount(self) -> None:
        """Amounts are exact, in the chain's coin."""
        assert Notation(31).amount(1_500 * RBTC + 1) == "1,500.000000000000000001 RBTC"
        assert Notation(1).amount(0) == "0 ETH"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("0x10", 16),
        (7, 7),
        ("12", 12),
        (None, None),
        ("0x", None),
        ("0x" + "f" * 99, None),
        (True, None),
        ([], None),
    ],
    ids=str,
)
def test_number(value: object, found: int | None) -> None:
    """A QUANTITY or a number is an integer, anything else is None."""
    assert number(value) == found


def test_data_bytes() -> None:
    """DATA is decoded to bytes; anything else is an error."""
    assert data_bytes("0xabcd") == b"\xab\xcd"
    with pytest.raises(InvalidInput, match="which is not DATA"):
        data_bytes("0xa")


OURS = "VM Exception while processing transaction: execution reverted"


@pytest.mark.parametrize(
    ("message", "data", "reason"),
    [
        (OURS, f"0x{error_payload('too much').hex()}", "too much"),
        (OURS, f"0x{panic_payload(0x11).hex()}", "panic: arithmetic overflow or underflow (0x11)"),
        (OURS, "0x12345678", "custom error 0x12345678"),
        (f"{OURS}: Broke(1)", "0x12345678", "Broke(1)"),
        (OURS, "0x", "no reason given"),
        (OURS, None, "no reason given"),
        ("out of gas", "0x", "out of gas"),
        ("x", {"data": f"0x{error_payload('nested').hex()}"}, "nested"),
        ("x", {"message": "x"}, "x"),
        ("x", f"Reverted 0x{error_payload('parity').hex()}", "parity"),
        (OURS, "0x08c379a0ff", "custom error 0x08c379a0"),
        (OURS, "0x08c379a0f", "custom error 0x08c379a0"),
        ("x", "0xnothex", "x"),
        ("x", 7, "x"),
    ],
)
def test_revert_reason(message: str, data: object, reason: str) -> None:
    """The decoded payload comes first, then the node's message."""
    assert error_reason(RpcFailure(-32015, message, data)) == reason
