"""ECDSA in `devchain.chain.transaction`"""

from __future__ import annotations

import pytest
from eth_keys.datatypes import PrivateKey, Signature
from hypothesis import given
from hypothesis import strategies as st

from devchain.chain.transaction import HALF_ORDER, ORDER, recover
from devchain.chain.transaction import sign_digest as sign

DIGESTS = st.binary(min_size=32, max_size=32)
KEYS = st.integers(1, ORDER - 1).map(lambda number: number.to_bytes(32, "big"))


class TestAgainstEthKeys:
    @given(digest=DIGESTS, key=KEYS)
    def test_sign(self, digest: bytes, key: bytes) -> None:
        """Signatures and addresses are those of eth-keys, and the signer is recovered."""
        expected = PrivateKey(key)

        signature, address = sign(digest, key)

        assert signature == expected.sign_msg_hash(digest).vrs
        assert address == expected.public_key.to_canonical_address()
        assert recover(digest, *signature) == address

    @given(digest=DIGESTS, parity=st.integers(0, 1), r=st.integers(1, 2**20))
    def test_recover(self, digest: bytes, parity: int, r: int) -> None:
        """Arbitrary numbers recover the same signer as with eth-keys, or none."""
        try:
            key = Signature(vrs=(parity, r, 5)).recover_public_key_from_msg_hash(digest)
        except Exception:  # noqa: BLE001  # eth-keys has two classes for it
            expected = None
        else:
            expected = key.to_canonical_address()

        assert recover(digest, parity, r, 5) == expected


class TestRefusals:
    @pytest.mark.parametrize(
        ("parity", "r", "s"),
        [
            (2, 1, 1),
            (-1, 1, 1),
            (0, 0, 1),
            (0, 1, 0),
            (0, ORDER, 1),
            (0, 1, HALF_ORDER + 1),
            (0, 1, 2**256),
            (0, 2**256, 1),
        ],
    )
    def test_out_of_range(self, parity: int, r: int, s: int) -> None:
        """Numbers out of range recover no signer; neither does s in the upper half (EIP-2)."""
        assert recover(bytes(32), parity, r, s) is None
