"""Verifying ECDSA signatures over secp256r1 (P-256), the curve of passkeys and secure hardware.

The arithmetic of points is pycryptodome's.
"""

from __future__ import annotations

from functools import cache

from Crypto.PublicKey.ECC import EccPoint

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
"""The field's modulus."""
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The order of the curve's points, a prime."""
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
"""The generator."""
CURVE = "p256"


def verify(digest: int, r: int, s: int, key: tuple[int, int]) -> bool:
    """Whether (r, s) is a signature of a 256-bit digest by the holder of a public key.

    False for numbers out of range and for a key that is not a point of the curve.
    """
    if not (0 < r < N and 0 < s < N) or max(key) >= P or not any(key):
        return False
    try:
        point = EccPoint(*key, CURVE)
    except ValueError:
        return False
    inverse = pow(s, -1, N)
    total = _generator() * (digest * inverse % N) + point * (r * inverse % N)
    return not total.is_point_at_infinity() and int(total.x) % N == r


@cache
def _generator() -> EccPoint:
    return EccPoint(*G, CURVE)
