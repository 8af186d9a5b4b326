"""`devchain.chain.transaction`"""

from __future__ import annotations

from typing import Any

import pytest
import rlp
from eth_account import Account
from eth_hash.auto import keccak
from hypothesis import given
from hypothesis import strategies as st

from devchain.chain.transaction import Transaction, decode
from devchain.errors import (
    MalformedTransaction,
    TransactionRejected,
    UnsupportedTransactionType,
    WrongChainId,
)
from devchain.evm.forks import rules
from tests.accounts import ALICE, ALICE_KEY, BOB

CHAIN_ID = 31
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141

RULES = rules("vetiver")


def sign(**given: Any) -> bytes:
    """A legacy transaction of ALICE to BOB, signed by eth-account."""
    unsigned = {"to": BOB, "value": 7, "gas": 21_000, "gasPrice": 3, "nonce": 0}
    merged = {key: each for key, each in ({**unsigned, **given}).items() if each is not None}
    return bytes(Account.sign_transaction(merged, ALICE_KEY).raw_transaction)


def changed(position: int, value: bytes) -> bytes:
    """A signed transaction with one of its nine fields replaced afterwards."""
    fields = rlp.decode(sign(chainId=CHAIN_ID))
    fields[position] = value
    return bytes(rlp.encode(fields))


class TestDecode:
    def test_fields(self) -> None:
        """Every field is as signed, the hash is of the bytes, the sender is who signed."""
        raw = sign(chainId=CHAIN_ID, nonce=5, data="0x1234")

        tx = decode(raw, CHAIN_ID, RULES)

        assert (tx.nonce, tx.gas_price, tx.gas, tx.value, tx.data) == (5, 3, 21_000, 7, b"\x12\x34")
        assert (tx.sender, tx.to, tx.type) == (ALICE, BOB, 0)
        assert (tx.hash, tx.raw) == (keccak(raw), raw)
        assert tx.v in (2 * CHAIN_ID + 35, 2 * CHAIN_ID + 36)
        assert tx.cost == 7 + 21_000 * 3

    def test_creation(self) -> None:
        """No recipient means a contract creation, whose init code costs gas by the word."""
        plain = decode(sign(chainId=CHAIN_ID, data="0x" + "00" * 33), CHAIN_ID, RULES)
        creation = decode(sign(chainId=CHAIN_ID, data="0x" + "00" * 33, to=None), CHAIN_ID, RULES)

        assert (plain.is_creation, creation.is_creation, creation.to) == (False, True, None)
        assert plain.intrinsic_gas == 21_000 + 33 * 4
        assert creation.intrinsic_gas == 53_000 + 33 * 4 + 2 * 2

    def test_without_chain_id(self) -> None:
        """A signature from before EIP-155 fits any chain."""
        tx = decode(sign(), CHAIN_ID, RULES)

        assert (tx.sender, tx.v in (27, 28)) == (ALICE, True)


class TestRefusals:
    def test_other_chain(self) -> None:
        """A transaction for another chain is refused with both ids."""
        with pytest.raises(WrongChainId, match="signed for chain id 30, this chain is 31"):
            decode(sign(chainId=30), CHAIN_ID, RULES)

    @pytest.mark.parametrize(
        ("first", "name"),
        [(1, "EIP-2930"), (2, "EIP-1559"), (3, "EIP-4844"), (4, "EIP-7702")],
    )
    def test_typed(self, first: int, name: str) -> None:
        """Typed transactions are refused by the name of their type."""
        with pytest.raises(UnsupportedTransactionType, match=rf"type {first} \({name}"):
            decode(bytes([first, 0xC0]), CHAIN_ID, RULES)

    @pytest.mark.parametrize(
        "raw",
        [
            b"",
            b"\x00",
            b"\x05\xc0",
            b"\x7f",
            b"\x80",
            b"hello",
            b"\xc0",
            b"\xf8",
            b"\xff" * 40,
            rlp.encode([b""] * 8),
            rlp.encode([b""] * 10),
            rlp.encode([[]] * 9),
            sign(chainId=CHAIN_ID)[:-1],
            sign(chainId=CHAIN_ID) + b"\x00",
            b"\xc1" * 5_000,
        ],
        ids=lambda raw: f"{raw[:4].hex()}-{len(raw)}",
    )
    def test_no_transaction(self, raw: bytes) -> None:
        """Bytes that are no transaction are refused as such."""
        with pytest.raises(MalformedTransaction):
            decode(raw, CHAIN_ID, RULES)

    @pytest.mark.parametrize(
        ("position", "value"),
        [
            pytest.param(0, b"\x00", id="nonce-leading-zero"),
            pytest.param(0, b"\xff" * 9, id="nonce-of-72-bits"),
            pytest.param(1, b"\xff" * 33, id="gas-price-of-264-bits"),
            pytest.param(2, b"\xff" * 9, id="gas-of-72-bits"),
            pytest.param(3, b"\x01", id="recipient-of-one-byte"),
            pytest.param(3, bytes(21), id="recipient-of-21-bytes"),
            pytest.param(4, b"\xff" * 33, id="value-of-264-bits"),
            pytest.param(6, b"", id="v-0"),
            pytest.param(6, b"\x01", id="v-1"),
            pytest.param(6, b"\x1d", id="v-29"),
            pytest.param(6, b"\xff" * 40, id="v-of-320-bits"),
            pytest.param(7, b"", id="r-0"),
            pytest.param(7, ORDER.to_bytes(32, "big"), id="r-of-the-order"),
            pytest.param(7, b"\xff" * 33, id="r-of-264-bits"),
            pytest.param(8, b"", id="s-0"),
            pytest.param(8, (ORDER - 1).to_bytes(32, "big"), id="s-high"),
            pytest.param(8, b"\xff" * 33, id="s-of-264-bits"),
        ],
    )
    def test_bad_field(self, position: int, value: bytes) -> None:
        """A field out of range makes the transaction malformed, not the node."""
        with pytest.raises((MalformedTransaction, WrongChainId)):
            decode(changed(position, value), CHAIN_ID, RULES)

    def test_high_s(self) -> None:
        """The mirrored signature would be another hash for the same transaction: refused."""
        fields = rlp.decode(sign(chainId=CHAIN_ID))
        mirrored = ORDER - int.from_bytes(fields[8], "big")
        flipped = 2 * (2 * CHAIN_ID + 35) + 1 - int.from_bytes(fields[6], "big")
        fields[6], fields[8] = bytes([flipped]), mirrored.to_bytes(32, "big").lstrip(b"\0")

        with pytest.raises(MalformedTransaction, match="upper half"):
            decode(rlp.encode(fields), CHAIN_ID, RULES)

    @given(st.binary(max_size=200))
    def test_any_bytes(self, raw: bytes) -> None:
        """Whatever the bytes, the answer is a refusal and never a crash."""
        with pytest.raises(TransactionRejected):
            decode(raw, CHAIN_ID, RULES)

    @given(st.lists(st.binary(max_size=40), min_size=9, max_size=9))
    def test_any_fields(self, fields: list[bytes]) -> None:
        """Nine fields of anything are a transaction or a refusal."""
        raw = rlp.encode(fields)
        try:
            found = decode(raw, CHAIN_ID, RULES)
        except TransactionRejected:
            return
        assert isinstance(found, Transaction)
        assert found.hash == keccak(raw)

    @given(st.integers(0, 112), st.integers(1, 255))
    def test_any_damage(self, position: int, flip: int) -> None:
        """A damaged transaction is refused or is another transaction, never the same one."""
        raw = bytearray(sign(chainId=CHAIN_ID, data="0x" + "11" * 8))
        raw[position % len(raw)] ^= flip
        try:
            found = decode(bytes(raw), CHAIN_ID, RULES)
        except TransactionRejected:
            return
        assert (found.hash, found.raw) == (keccak(bytes(raw)), bytes(raw))
