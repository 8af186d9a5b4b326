"""`devchain.chain.signing`"""

from __future__ import annotations

from typing import Any

import pytest
import rlp
from eth_keys.datatypes import PrivateKey

from devchain.chain.signing import (
    check_fee_fields,
    fill_fees,
    transaction_type,
    unsigned_transaction,
)
from devchain.chain.transaction import decode
from devchain.errors import InvalidInput, UnsupportedTransactionType
from devchain.evm.hardforks import rules_for
from devchain.networks import HARDFORKS
from devchain.types import TransactionRequest
from tests.accounts import ALICE, ALICE_KEY, BOB, CAROL

CHAIN_ID = 31
ACCESS = ((CAROL, (1, 2**256 - 1)), (BOB, ()))


def request(**given: Any) -> TransactionRequest:
    """A complete request of ALICE to BOB."""
    values = {"sender": ALICE, "to": BOB, "gas": 90_000, "value": 7, "nonce": 3, **given}
    return TransactionRequest(**values)


class TestUnsigned:
    @pytest.mark.parametrize("name", HARDFORKS)
    def test_legacy(self, name: str) -> None:
        """Under every hardfork a signed legacy transaction can be decoded again."""
        found = rules_for(name)
        unsigned = unsigned_transaction(
            request(gas_price=5, data=b"\x01\x02", type=0), CHAIN_ID, found
        )

        signed = unsigned.as_signed_transaction(PrivateKey(ALICE_KEY), chain_id=CHAIN_ID)
        tx = decode(signed.encode(), CHAIN_ID, found)

        assert (tx.sender, tx.to, tx.nonce, tx.gas, tx.value) == (ALICE, BOB, 3, 90_000, 7)
        assert (tx.type, tx.gas_price, tx.priority_fee, tx.data) == (0, 5, 5, b"\x01\x02")

    @pytest.mark.parametrize(
        ("name", "kind", "fees"),
        [
            ("berlin", 1, {"gas_price": 5}),
            ("prague", 1, {"gas_price": 5}),
            ("london", 2, {"max_fee_per_gas": 5, "max_priority_fee_per_gas": 2}),
            ("prague", 2, {"max_fee_per_gas": 5, "max_priority_fee_per_gas": 2}),
        ],
    )
    def test_typed(self, name: str, kind: int, fees: dict[str, int]) -> None:
        """Types 1 and 2 are signed with their access list and their fees."""
        found = rules_for(name)
        unsigned = unsigned_transaction(
            request(type=kind, access_list=ACCESS, **fees), CHAIN_ID, found
        )

        signed = unsigned.as_signed_transaction(PrivateKey(ALICE_KEY), chain_id=CHAIN_ID)
        tx = decode(signed.encode(), CHAIN_ID, found)

        assert (tx.type, tx.sender, tx.gas_price, tx.raw[0]) == (kind, ALICE, 5, kind)
        assert tx.priority_fee == fees.get("max_priority_fee_per_gas", 5)
        assert tuple((address, tuple(slots)) for address, slots in tx.signed.access_list) == ACCESS
        assert tx.intrinsic_gas == 21_000 + 2 * 2_400 + 2 * 1_900
        assert rlp.decode(tx.raw[1:])[0] == bytes([CHAIN_ID])

    def test_creation(self) -> None:
        """No recipient is a contract creation, typed or not."""
        found = rules_for("prague")
        plain = request(to=None, gas_price=1, type=0)
        typed = request(to=None, type=2, max_fee_per_gas=1, max_priority_fee_per_gas=1)

        assert unsigned_transaction(plain, CHAIN_ID, found).to == b""
        assert unsigned_transaction(typed, CHAIN_ID, found).to == b""

    @pytest.mark.parametrize(
        ("name", "kind", "text"),
        [
            ("vetiver", 1, r"type 1 \(EIP-2930 access list\) is not supported"),
            ("vetiver", 2, r"type 2 \(EIP-1559 dynamic fee\) is not supported"),
            ("istanbul", 1, r"type 1 \(EIP-2930 access list\) is not supported"),
            ("istanbul", 1, r"use a legacy transaction, type 0 \(--legacy in cast, forge\)$"),
            ("berlin", 2, "use a legacy transaction, type 0, or type 1$"),
            ("london", 4, "use a legacy transaction, type 0, or type 1 or 2$"),
            ("berlin", 2, r"type 2 \(EIP-1559 dynamic fee\) is not supported"),
            ("prague", 3, r"type 3 \(EIP-4844 blob\) is not supported"),
            ("prague", 9, r"type 9 \(unknown\) is not supported"),
        ],
    )
    def test_refused(self, name: str, kind: int, text: str) -> None:
        """A type the rules do not have is refused by name."""
        with pytest.raises(UnsupportedTransactionType, match=text):
            unsigned_transaction(request(type=kind, gas_price=1), CHAIN_ID, rules_for(name))


class TestKind:
    @pytest.mark.parametrize(
        ("name", "given", "kind"),
        [
            pytest.param("vetiver", {}, 0, id="rootstock"),
            pytest.param("berlin", {}, 0, id="before-fee-caps"),
            pytest.param("london", {}, 2, id="with-fee-caps"),
            pytest.param("london", {"gas_price": 0}, 0, id="gas-price"),
            pytest.param("london", {"type": 0}, 0, id="legacy-by-name"),
            pytest.param("vetiver", {"type": 2}, 2, id="named-though-refused-later"),
        ],
    )
    def test_default(self, name: str, given: dict[str, int], kind: int) -> None:
        """Type 2 is the default where the rules have fee caps; with a gas price it is type 0."""
        assert transaction_type(request(**given), rules_for(name)) == kind


class TestFees:
    @pytest.mark.parametrize(
        ("given", "price"),
        [
            pytest.param({}, 110, id="none"),
            pytest.param({"gas_price": 7}, 7, id="given"),
            pytest.param({"gas_price": 0}, 0, id="zero"),
            pytest.param({"type": 1}, 110, id="access-list"),
        ],
    )
    def test_gas_price(self, given: dict[str, int], price: int) -> None:
        """The default gas price is the lowest one plus the tip."""
        filled = fill_fees(request(**{"type": 0, **given}), lowest=100, tip=10)

        assert (filled.gas_price, filled.max_fee_per_gas) == (price, None)

    @pytest.mark.parametrize(
        ("given", "caps"),
        [
            pytest.param({}, (210, 10), id="none"),
            pytest.param({"max_fee_per_gas": 300}, (300, 10), id="cap"),
            pytest.param({"max_fee_per_gas": 4}, (4, 4), id="cap-below-the-tip"),
            pytest.param({"max_priority_fee_per_gas": 500}, (700, 500), id="tip"),
            pytest.param({"max_priority_fee_per_gas": 0}, (200, 0), id="no-tip"),
            pytest.param(
                {"max_fee_per_gas": 5, "max_priority_fee_per_gas": 6}, (5, 6), id="both-as-given"
            ),
            pytest.param({"gas_price": 150}, (150, 10), id="gas-price"),
        ],
    )
    def test_caps(self, given: dict[str, int], caps: tuple[int, int]) -> None:
        """The default fee cap is twice the base fee plus the tip."""
        filled = fill_fees(request(type=2, **given), lowest=100, tip=10)

        assert (filled.max_fee_per_gas, filled.max_priority_fee_per_gas) == caps

    @pytest.mark.parametrize("name", ["max_fee_per_gas", "max_priority_fee_per_gas"])
    def test_mixed(self, name: str) -> None:
        """A gas price together with a fee cap is refused."""
        mixed = request(type=2, gas_price=1, **{name: 1})

        for refuse in (check_fee_fields, lambda given: fill_fees(given, lowest=1, tip=1)):
            with pytest.raises(InvalidInput, match="give one kind of fee"):
                refuse(mixed)
