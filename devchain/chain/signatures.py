"""Signing and recovering on secp256k1, straight from coincurve."""

from __future__ import annotations

from functools import lru_cache

from coincurve import PrivateKey, PublicKey
from eth_hash.auto import keccak

from devchain.types import Address

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
HALF_ORDER = ORDER // 2

Signature = tuple[int, int, int]
"""The parity of the point's y, then r and s."""


def recover(digest: bytes, y_parity: int, r: int, s: int) -> Address | None:
    """Who signed that digest; None if it is no signature, or its s in the upper half (EIP-2)."""
    if y_parity not in (0, 1) or not 0 < r < ORDER or not 0 < s <= HALF_ORDER:
        return None
    signature = r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([y_parity])
    try:
        key = PublicKey.from_signature_and_message(signature, digest, hasher=None)
    except Exception:  # noqa: BLE001  # coincurve raises no class of its own
        return None
    return _address(key)


def sign(digest: bytes, private_key: bytes) -> tuple[Signature, Address]:
    """The signature of that digest, always the same one, and the account that the key opens."""
    key, account = _opened(private_key)
    signature = key.sign_recoverable(digest, hasher=None)
    r, s = (int.from_bytes(signature[at : at + 32], "big") for at in (0, 32))
    return (signature[64], r, s), account


@lru_cache(maxsize=64)
def _opened(private_key: bytes) -> tuple[PrivateKey, Address]:
    """A key ready to sign, and its account: making it takes longer than signing."""
    key = PrivateKey(private_key)
    return key, _address(key.public_key)


def _address(key: PublicKey) -> Address:
    return Address(keccak(key.format(compressed=False)[1:])[12:])
