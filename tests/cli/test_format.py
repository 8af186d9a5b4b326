"""`devchain.cli.format`"""

from __future__ import annotations

import pytest

from devchain.cli.format import Notation, bar, data_bytes, number
from devchain.errors import InvalidInput
from devchain.networks import RBTC

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


def test_bar() -> None:
    """A share above zero fills at least one cell; the share of 0 fills none."""
    bars = [
        len(bar(part, whole)[0]) for part, whole in ((0, 9), (1, 10**6), (1, 2), (9, 9), (0, 0))
    ]

    assert bars == [0, 1, 10, 20, 0]
