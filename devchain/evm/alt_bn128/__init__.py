"""The precompiled contracts of the curve alt_bn128 (0x06 to 0x08), without their gas prices.

The curve is also called BN254 (EIP-196, EIP-197). `fields` has the arithmetic of its fields,
`curve` that of its points, `pairing` the pairing check. It is pure Python, much faster than
py_ecc, with which the tests compare it: a pairing takes no more time for its gas than other code
does. Each function raises `NotOnCurve` for an input that is no point.
"""

from __future__ import annotations

from devchain.evm import deadline
from devchain.evm.alt_bn128 import curve
from devchain.evm.alt_bn128.curve import NotOnCurve, read_point, read_twist_point
from devchain.evm.alt_bn128.pairing import product_is_one
from devchain.types import WORD_SIZE

POINT_SIZE = 2 * WORD_SIZE
PAIR_SIZE = 6 * WORD_SIZE


def add(data: bytes) -> bytes:
    """ECADD: the sum of two points; missing bytes are zero."""
    left = read_point(data[:POINT_SIZE])
    right = read_point(data[POINT_SIZE : 2 * POINT_SIZE])
    return curve.write_point(curve.add(left, right))


def multiply(data: bytes) -> bytes:
    """ECMUL: the product of a point and a scalar; missing bytes are zero."""
    scalar = data[POINT_SIZE : POINT_SIZE + WORD_SIZE].ljust(WORD_SIZE, b"\0")
    point = read_point(data[:POINT_SIZE])
    return curve.write_point(curve.multiply(point, int.from_bytes(scalar)))


def check_pairing(data: bytes) -> bytes:
    """ECPAIRING: the word 1 if the product of the pairings of those pairs is one, else 0."""
    if len(data) % PAIR_SIZE:
        raise NotOnCurve
    pairs = [
        (
            read_point(data[start : start + POINT_SIZE]),
            read_twist_point(data[start + POINT_SIZE : start + PAIR_SIZE]),
        )
        for start in deadline.checked(range(0, len(data), PAIR_SIZE))
    ]
    return product_is_one(pairs).to_bytes(WORD_SIZE)
