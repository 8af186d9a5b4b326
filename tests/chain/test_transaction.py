"""`devchain.chain.transaction`"""

from __future__ import annotations

from typing import Any

import pytest
import rlp
from eth_account import Account
from eth_hash.auto import keccak
from eth_keys.datatypes import PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.chain.signing import sign_dynamic_fee, sign_legacy, unsigned_transaction
from devchain.chain.transaction import decode, decode_dynamic_fee, decode_legacy
from devchain.errors import (
    MalformedTransaction,
    TransactionRejected,
    WrongChainId,
)
from devchain.evm.hardforks import rules_for
from devchain.types import Address, TransactionRequest
from tests.accounts import ALICE, ALICE_KEY, BOB, BOB_KEY, CAROL

CHAIN_ID = 31
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141

RULES = rules_for("vetiver")


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
        """Every field is as signed, the hash is that of the bytes, the sender is the signer."""
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
        """A signature without a chain id (before EIP-155) is valid on any chain."""
        tx = decode(sign(), CHAIN_ID, RULES)

        assert (tx.sender, tx.v in (27, 28)) == (ALICE, True)


PRAGUE = rules_for("prague")


def sign_typed(kind: int, **given: Any) -> bytes:
    """A typed transaction of ALICE to BOB, signed by eth-account."""
    plain = {"to": BOB, "value": 7, "gas": 90_000, "nonce": 0, "chainId": CHAIN_ID, "type": kind}
    fees = {"maxFeePerGas": 5, "maxPriorityFeePerGas": 2}
    wanted = {**plain, **({"gasPrice": 5} if kind == 1 else fees), **given}
    if kind == 4:
        allowed = {"chainId": CHAIN_ID, "address": CAROL, "nonce": 0}
        wanted.setdefault("authorizationList", [Account.sign_authorization(allowed, BOB_KEY)])
    return bytes(Account.sign_transaction(wanted, ALICE_KEY).raw_transaction)


def sign_fields(kind: int, *fields: Any) -> bytes:
    """A typed transaction of those fields, valid or not, signed by ALICE."""
    prefix = bytes([kind])
    signature = PrivateKey(ALICE_KEY).sign_msg_hash(keccak(prefix + rlp.encode(fields)))
    return prefix + bytes(rlp.encode([*fields, signature.v, signature.r, signature.s]))


CALL = (100_000, BOB, 0, b"", [])
"""Gas, recipient, value, data and access list."""

ALLOWED = [CHAIN_ID, CAROL, 0, 0, 1, 1]


class TestTyped:
    @pytest.mark.parametrize("kind", [1, 2, 4])
    def test_fields(self, kind: int) -> None:
        """A typed transaction is decoded as signed; its v is the parity."""
        raw = sign_typed(kind, nonce=5, data="0x1234")

        tx = decode(raw, CHAIN_ID, PRAGUE)

        assert (tx.type, tx.sender, tx.to, tx.nonce) == (kind, ALICE, BOB, 5)
        assert (tx.gas_price, tx.priority_fee) == (5, 5 if kind == 1 else 2)
        assert (tx.hash, tx.raw) == (keccak(raw), raw)
        assert tx.v in (0, 1)
        assert tx.cost == 7 + 90_000 * 5

    @pytest.mark.parametrize("kind", [1, 2, 4])
    def test_intrinsic_gas(self, kind: int) -> None:
        """Addresses and slots of an access list cost gas, and so does every authorization."""
        listed = [{"address": BOB, "storageKeys": ["0x" + "00" * 32, "0x" + "ff" * 32]}]
        tx = decode(sign_typed(kind, accessList=listed), CHAIN_ID, PRAGUE)

        lists = 2_400 + 2 * 1_900
        assert tx.intrinsic_gas == 21_000 + lists + (25_000 if kind == 4 else 0)

    @pytest.mark.parametrize("kind", [1, 2, 4])
    def test_other_chain(self, kind: int) -> None:
        """A typed transaction for another chain is refused with both ids."""
        with pytest.raises(WrongChainId, match="signed for chain id 30, this chain is 31"):
            decode(sign_typed(kind, chainId=30), CHAIN_ID, PRAGUE)

    @pytest.mark.parametrize(
        ("kind", "fields"),
        [
            pytest.param(4, (1, 5, 100_000, b"", 0, b"", [], [ALLOWED]), id="creation"),
            pytest.param(4, (1, 5, *CALL, []), id="no-authorization"),
            pytest.param(4, (1, 5, *CALL, [[*ALLOWED[:4], 2**256, 1]]), id="r-too-large"),
            pytest.param(4, (1, 5, *CALL, [[*ALLOWED[:3], 256, 1, 1]]), id="parity-too-large"),
            pytest.param(4, (1, 5, *CALL, [[CHAIN_ID, b"\1", 0, 0, 1, 1]]), id="short-address"),
            pytest.param(4, (1, 5, *CALL, [ALLOWED[:5]]), id="authorization-too-short"),
            pytest.param(2, (2**256, 5, *CALL), id="tip-of-264-bits"),
            pytest.param(2, (1, 2**256, *CALL), id="cap-of-264-bits"),
            pytest.param(2, (1, 5, *CALL[:4], [[BOB, [b"\1"]]]), id="short-slot"),
            pytest.param(1, (5, *CALL[:4], [[b"\1", []]]), id="short-listed-address"),
            pytest.param(1, (5, 100_000, b"\1\2\3", 0, b"", []), id="short-recipient"),
        ],
    )
    def test_malformed(self, kind: int, fields: tuple[Any, ...]) -> None:
        """A typed transaction with invalid fields is malformed."""
        with pytest.raises(MalformedTransaction):
            decode(sign_fields(kind, CHAIN_ID, 0, *fields), CHAIN_ID, PRAGUE)


class TestRefusals:
    def test_other_chain(self) -> None:
        """A transaction for another chain is refused with both ids."""
        with pytest.raises(WrongChainId, match="signed for chain id 30, this chain is 31"):
            decode(sign(chainId=30), CHAIN_ID, RULES)

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
        """Bytes that are not a transaction are malformed."""
        with pytest.raises(MalformedTransaction):
            decode(raw, CHAIN_ID, RULES)

    @pytest.mark.parametrize(
        ("raw", "why"),
        [
            (b"\xf8", "its bytes end too early, or others follow them"),
            (sign(chainId=CHAIN_ID) + b"\0", "its bytes end too early, or others follow them"),
            (b"\xc0", "it has 0 fields, a transaction of type 0 has 9"),
            (rlp.encode([b""] * 10), "it has 10 fields, a transaction of type 0 has 9"),
            (b"\x02" + rlp.encode([b""] * 3), "it has 3 fields, a transaction of type 2 has 12"),
            (b"\x01\x80", "it has 0 fields, a transaction of type 1 has 11"),
            (rlp.encode([[]] * 9), "a field is not of the form or length that type 0 has there"),
        ],
        ids=lambda value: value[:4].hex() if isinstance(value, bytes) else "",
    )
    def test_why(self, raw: bytes, why: str) -> None:
        """The error message names what is wrong with the bytes."""
        with pytest.raises(MalformedTransaction, match=f"not an RLP-encoded transaction: {why}"):
            decode(raw, CHAIN_ID, rules_for("prague"))

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
        """A transaction with a field out of range is rejected."""
        with pytest.raises((MalformedTransaction, WrongChainId)):
            decode(changed(position, value), CHAIN_ID, RULES)

    def test_high_s_in_frontier(self) -> None:
        """Frontier accepts it, from Homestead on it is rejected."""
        raw = sign()
        fields = rlp.decode(raw)
        mirrored = ORDER - int.from_bytes(fields[8], "big")
        fields[6] = bytes([27 + 28 - fields[6][0]])
        fields[8] = mirrored.to_bytes(32, "big").lstrip(b"\0")

        tx = decode(rlp.encode(fields), CHAIN_ID, rules_for("frontier"))
        assert (tx.sender, tx.s) == (ALICE, mirrored)
        with pytest.raises(MalformedTransaction, match="upper half"):
            decode(rlp.encode(fields), CHAIN_ID, rules_for("homestead"))

    @given(st.binary(max_size=200))
    def test_any_bytes(self, raw: bytes) -> None:
        """Arbitrary bytes are rejected."""
        with pytest.raises(TransactionRejected):
            decode(raw, CHAIN_ID, RULES)


LEGACY_CHAIN_ID = 33
REQUEST = TransactionRequest(
    ALICE, BOB, gas=21_000, gas_price=7, value=10**18, nonce=3, data=b"data", type=0
)

DYNAMIC = REQUEST._replace(gas_price=None, max_fee_per_gas=9, max_priority_fee_per_gas=2, type=2)


def by_py_evm(request: TransactionRequest, hardfork: str) -> Any:
    """The transaction as py-evm signs it."""
    unsigned = unsigned_transaction(request, LEGACY_CHAIN_ID, rules_for(hardfork))
    return unsigned.as_signed_transaction(PrivateKey(ALICE_KEY), chain_id=LEGACY_CHAIN_ID)


class TestSign:
    @pytest.mark.parametrize(
        "hardfork", ["orchid", "vetiver", "spuriousdragon", "london", "prague"]
    )
    @settings(max_examples=30)
    @given(
        nonce=st.integers(0, 2**64 - 1),
        price=st.integers(0, 2**128),
        to=st.none() | st.binary(min_size=20, max_size=20),
        data=st.binary(max_size=80),
    )
    def test_as_py_evm(
        self, hardfork: str, nonce: int, price: int, to: bytes | None, data: bytes
    ) -> None:
        """The bytes are the same as py-evm's, and the sender is the signer."""
        address = None if to is None else Address(to)
        request = REQUEST._replace(nonce=nonce, gas_price=price, to=address, data=data)

        signed = sign_legacy(request, ALICE_KEY, LEGACY_CHAIN_ID, rules_for(hardfork))

        assert signed.raw == by_py_evm(request, hardfork).encode() == signed.signed.encode()
        assert signed.sender == ALICE == signed.signed.sender

    @pytest.mark.parametrize("hardfork", ["frontier", "homestead"])
    def test_without_chain_id(self, hardfork: str) -> None:
        """Before Spurious Dragon transactions are signed without a chain id."""
        signed = sign_legacy(REQUEST, ALICE_KEY, LEGACY_CHAIN_ID, rules_for(hardfork))

        assert signed.signed.v in (27, 28)
        assert signed.signed.sender == ALICE

    @pytest.mark.parametrize("hardfork", ["london", "cancun", "osaka"])
    @settings(max_examples=30)
    @given(
        nonce=st.integers(0, 2**64 - 1),
        fees=st.tuples(st.integers(0, 2**128), st.integers(0, 2**128)),
        to=st.none() | st.binary(min_size=20, max_size=20),
        data=st.binary(max_size=80),
    )
    def test_dynamic_fees_as_py_evm(
        self, hardfork: str, nonce: int, fees: tuple[int, int], to: bytes | None, data: bytes
    ) -> None:
        """Type 2 is signed with py-evm's bytes, as the class of the hardfork."""
        tip, cap = fees
        request = DYNAMIC._replace(
            nonce=nonce,
            max_priority_fee_per_gas=tip,
            max_fee_per_gas=cap,
            to=None if to is None else Address(to),
            data=data,
        )

        signed = sign_dynamic_fee(request, ALICE_KEY, LEGACY_CHAIN_ID, rules_for(hardfork))

        assert signed.raw == by_py_evm(request, hardfork).encode() == signed.signed.encode()
        assert signed.sender == ALICE == signed.signed.sender
        assert signed == decode_dynamic_fee(signed.raw, rules_for(hardfork))
        builder = rules_for(hardfork).vm_class.get_transaction_builder()
        assert signed.signed == builder.decode(signed.raw)
        assert type(signed.signed) is type(builder.decode(signed.raw))

    @pytest.mark.parametrize(
        "changed", [{"nonce": 2**64 - 1}, {"max_priority_fee_per_gas": 2**256}]
    )
    def test_dynamic_fees_out_of_range(self, changed: dict[str, int]) -> None:
        """A nonce or priority fee that is too large for type 2 is refused."""
        rules = rules_for("prague")
        raw = sign_dynamic_fee(DYNAMIC._replace(**changed), ALICE_KEY, LEGACY_CHAIN_ID, rules).raw

        with pytest.raises(MalformedTransaction, match="of type 2"):
            decode(raw, LEGACY_CHAIN_ID, rules)


class TestRead:
    @given(position=st.integers(0, 120), flip=st.integers(1, 255))
    def test_damaged(self, position: int, flip: int) -> None:
        """A transaction with a changed byte is decoded as py-evm does, or not at all."""
        raw = bytearray(sign_legacy(REQUEST, ALICE_KEY, LEGACY_CHAIN_ID, rules_for("vetiver")).raw)
        raw[position % len(raw)] ^= flip

        read = decode_legacy(bytes(raw), rules_for("vetiver"))

        if read is not None:
            signed = rules_for("vetiver").vm_class.get_transaction_builder().decode(bytes(raw))
            assert (signed, signed.encode(), signed.sender) == (*read[:2], read.sender)

    @given(position=st.integers(0, 140), flip=st.integers(1, 255))
    def test_damaged_dynamic_fees(self, position: int, flip: int) -> None:
        """One of type 2 with a changed byte is decoded as py-evm does, or not at all."""
        rules = rules_for("prague")
        raw = bytearray(sign_dynamic_fee(DYNAMIC, ALICE_KEY, LEGACY_CHAIN_ID, rules).raw)
        raw[1 + position % (len(raw) - 1)] ^= flip

        read = decode_dynamic_fee(bytes(raw), rules)

        if read is not None:
            signed = rules.vm_class.get_transaction_builder().decode(bytes(raw))
            assert (signed, signed.encode(), signed.sender) == (*read[:2], read.sender)
