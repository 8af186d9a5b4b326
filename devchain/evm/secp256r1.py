"""Verifying ECDSA signatures over secp256r1 (P-256), the curve of passkeys and secure hardware.

Points are affine pairs, or Jacobian triples (X, Y, Z) that stand for (X/Z², Y/Z³); Z is 0 at
infinity. Every value is public here, so that nothing has to take constant time.
"""

from __future__ import annotations

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
"""The field's modulus."""
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The order of the curve's points, a prime."""
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
"""The generator."""

Affine = tuple[int, int]
Jacobian = tuple[int, int, int]

INFINITY: Jacobian = (1, 1, 0)


def is_on_curve(x: int, y: int) -> bool:
    """Whether coordinates are those of a point: below the modulus, y² = x³ - 3x + b."""
    return x < P and y < P and (y * y - x * x * x + 3 * x - B) % P == 0


def verify(digest: int, r: int, s: int, key: Affine) -> bool:
    """Whether (r, s) is a signature of a 256-bit digest by the holder of a public key.

    False for numbers out of range and for a key that is not a point of the curve.
    """
    if not (0 < r < N and 0 < s < N and is_on_curve(*key)):
        return False
    inverse = pow(s, -1, N)
    x, _, z = _sum_of_products(digest * inverse % N, r * inverse % N, key)
    square = z * z % P
    # The point's x modulo N is r: x is r or, for the few x above N, r + N.
    return bool(z) and (x == r * square % P or (r + N < P and x == (r + N) * square % P))


def _sum_of_products(a: int, b: int, key: Affine) -> Jacobian:
    both = _affine(_add((*G, 1), key))
    total = INFINITY
    for place in range(max(a.bit_length(), b.bit_length()) - 1, -1, -1):
        total = _double(total)
        bits = (a >> place & 1, b >> place & 1)
        if bits == (1, 1):
            total = _add(total, both) if both else total
        elif bits != (0, 0):
            total = _add(total, G if bits[0] else key)
    return total


def _affine(point: Jacobian) -> Affine | None:
    x, y, z = point
    if not z:
        return None
    inverse = pow(z, -1, P)
    return x * inverse**2 % P, y * inverse**3 % P


def _double(point: Jacobian) -> Jacobian:
    # Twice a point; no point but infinity has y = 0, since the order is odd.
    x, y, z = point
    delta, gamma = z * z % P, y * y % P
    beta = x * gamma % P
    alpha = 3 * (x - delta) * (x + delta) % P
    new_x = (alpha * alpha - 8 * beta) % P
    return (
        new_x,
        (alpha * (4 * beta - new_x) - 8 * gamma * gamma) % P,
        ((y + z) * (y + z) - gamma - delta) % P,
    )


def _add(one: Jacobian, other: Affine) -> Jacobian:
    x, y, z = one
    if not z:
        return (*other, 1)
    square = z * z % P
    run = (other[0] * square - x) % P
    rise = (other[1] * z * square - y) % P
    if not run:
        return INFINITY if rise else _double(one)
    run2 = run * run % P
    run3, common = run * run2 % P, x * run2 % P
    new_x = (rise * rise - run3 - 2 * common) % P
    return new_x, (rise * (common - new_x) - y * run3) % P, z * run % P
