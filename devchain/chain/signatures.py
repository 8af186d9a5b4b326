"""ECDSA on secp256k1: signing digests and recovering signers, through coincurve."""

from __future__ import annotations

from functools import lru_cache

from coincurve import PrivateKey, PublicKey

from devchain.state.keccak import keccak
from devchain.types import Address

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
HALF_ORDER = ORDER // 2

Signature = tuple[int, int, int]
"""The parity of the point's y, then r and s."""


def recover(digest: bytes, y_parity: int, r: int, s: int) -> Address | None:
    """The signer of a digest; None if the signature is invalid or s in the upper half (EIP-2)."""
    if y_parity not in (0, 1) or not 0 < r < ORDER or not 0 < s <= HALF_ORDER:
        return None
    signature = r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([y_parity])
    try:
        key = PublicKey.from_signature_and_message(signature, digest, hasher=None)
    except Exception:  # noqa: BLE001  # coincurve raises no class of its own
        return None
    return _address(key)


def sign(digest: bytes, private_key: bytes) -> tuple[Signature, Address]:
    """The deterministic signature of a digest, and the account of the key."""
    key, account = _load_key(private_key)
    signature = key.sign_recoverable(digest, hasher=None)
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:64], "big")
    return (signature[64], r, s), account


@lru_cache(maxsize=64)
def _load_key(private_key: bytes) -> tuple[PrivateKey, Address]:
    key = PrivateKey(private_key)
    return key, _address(key.public_key)


def _address(key: PublicKey) -> Address:
    return Address(keccak(key.format(compressed=False)[1:])[12:])
