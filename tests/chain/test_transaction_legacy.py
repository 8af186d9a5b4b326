"""`devchain.chain.transaction`: py-evm reads and signs the same, if more slowly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from eth_keys.datatypes import PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from devchain.chain import transaction
from devchain.chain.signing import sign_legacy, unsigned_transaction
from devchain.chain.transaction import decode, decode_legacy
from devchain.config import Config
from devchain.evm.hardforks import rules_for
from devchain.networks import HARDFORKS
from devchain.node import Node
from devchain.types import Address, TransactionRequest
from tests.accounts import ALICE, ALICE_KEY, BOB
from tests.conftest import GENESIS_TIME

CHAIN_ID = 33
REQUEST = TransactionRequest(
    ALICE, BOB, gas=21_000, gas_price=7, value=10**18, nonce=3, data=b"data", type=0
)


def by_py_evm(request: TransactionRequest, hardfork: str) -> Any:
    """The transaction as py-evm signs it."""
    unsigned = unsigned_transaction(request, CHAIN_ID, rules_for(hardfork))
    return unsigned.as_signed_transaction(PrivateKey(ALICE_KEY), chain_id=CHAIN_ID)


class TestSign:
    @pytest.mark.parametrize(
        "hardfork", ["orchid", "vetiver", "spuriousdragon", "london", "prague"]
    )
    @given(
        nonce=st.integers(0, 2**64 - 1),
        price=st.integers(0, 2**128),
        to=st.none() | st.binary(min_size=20, max_size=20),
        data=st.binary(max_size=80),
    )
    def test_as_py_evm(
        self, hardfork: str, nonce: int, price: int, to: bytes | None, data: bytes
    ) -> None:
        """The bytes are py-evm's, and the sender is who signed."""
        address = None if to is None else Address(to)
        request = replace(REQUEST, nonce=nonce, gas_price=price, to=address, data=data)

        signed = sign_legacy(request, ALICE_KEY, CHAIN_ID, rules_for(hardfork))

        assert signed.raw == by_py_evm(request, hardfork).encode() == signed.signed.encode()
        assert signed.sender == ALICE == signed.signed.sender

    @pytest.mark.parametrize("hardfork", ["frontier", "homestead"])
    def test_without_chain_id(self, hardfork: str) -> None:
        """Before chain ids nobody knows of them."""
        signed = sign_legacy(REQUEST, ALICE_KEY, CHAIN_ID, rules_for(hardfork))

        assert signed.signed.v in (27, 28)
        assert signed.signed.sender == ALICE

    def test_with_a_gap(self) -> None:
        """A request without a nonce is not ready to be signed."""
        with pytest.raises(TypeError):
            sign_legacy(replace(REQUEST, nonce=None), ALICE_KEY, CHAIN_ID, rules_for("vetiver"))


class TestRead:
    @pytest.mark.parametrize("hardfork", HARDFORKS)
    def test_back(self, hardfork: str) -> None:
        """What was signed is read as it was, in py-evm's own class of the hardfork."""
        signed = sign_legacy(REQUEST, ALICE_KEY, CHAIN_ID, rules_for(hardfork))

        read = decode_legacy(signed.raw, rules_for(hardfork))

        assert read == signed
        builder = rules_for(hardfork).vm_class.get_transaction_builder()
        assert type(read.signed) is type(builder.decode(signed.raw))

    @given(position=st.integers(0, 120), flip=st.integers(1, 255))
    def test_damaged(self, position: int, flip: int) -> None:
        """What is left after damage is read as py-evm reads it, or left to it to refuse."""
        raw = bytearray(sign_legacy(REQUEST, ALICE_KEY, CHAIN_ID, rules_for("vetiver")).raw)
        raw[position % len(raw)] ^= flip

        read = decode_legacy(bytes(raw), rules_for("vetiver"))

        if read is not None:
            signed = rules_for("vetiver").vm_class.get_transaction_builder().decode(bytes(raw))
            assert (signed, signed.encode(), signed.sender) == (*read[:2], read.sender)


class TestSenderIsRecoveredOnce:
    @pytest.mark.parametrize("hardfork", ["vetiver", "london"])
    @pytest.mark.parametrize("engine", ["fast", "reference"])
    def test_while_mining(
        self, hardfork: str, engine: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """After it has been decoded, a transaction runs without another look at its signature."""
        config = Config(engine=engine, hardfork=hardfork, fixed_clock=GENESIS_TIME)
        request = replace(REQUEST, nonce=0, gas=100_000, gas_price=10**10)
        raw = sign_legacy(request, ALICE_KEY, CHAIN_ID, rules_for(hardfork)).raw
        with Node(config) as node:
            tx = decode(raw, CHAIN_ID, node.chain.rules)
            kind = type(tx.signed)
            monkeypatch.setattr(kind, "get_sender", None)
            monkeypatch.setattr(kind, "check_signature_validity", None)
            monkeypatch.setattr(transaction, "recover", None)

            node.mempool.add(tx)
            node.miner.mine()

            assert node.chain.receipt(tx.hash) is not None
