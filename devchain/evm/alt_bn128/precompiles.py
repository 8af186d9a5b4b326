"""What the three contracts of the curve (0x06 to 0x08) answer to a payload, without the gas.

Each raises `NotOnCurve` for numbers that are no points.
"""

from __future__ import annotations

from devchain.evm import deadline
from devchain.evm.alt_bn128 import curve
from devchain.evm.alt_bn128.curve import WORD, NotOnCurve, read_point, read_twist_point
from devchain.evm.alt_bn128.pairing import product_is_one

POINT = 2 * WORD
PAIR = 6 * WORD


def add(payload: bytes) -> bytes:
    """Two points in, their sum out; what is missing of them is zero."""
    left, right = read_point(payload[:POINT]), read_point(payload[POINT : 2 * POINT])
    return curve.write_point(curve.add(left, right))


def multiply(payload: bytes) -> bytes:
    """A point and a number in, their product out; what is missing of them is zero."""
    factor = int.from_bytes(payload[POINT : POINT + WORD].ljust(WORD, b"\0"), "big")
    return curve.write_point(curve.multiply(read_point(payload[:POINT]), factor))


def check_pairing(payload: bytes) -> bytes:
    """Pairs of points in; the word 1 if the product of their pairings is one, else 0."""
    if len(payload) % PAIR:
        raise NotOnCurve
    starts = deadline.checked(range(0, len(payload), PAIR))
    pairs = [
        (read_point(payload[at : at + POINT]), read_twist_point(payload[at + POINT : at + PAIR]))
        for at in starts
    ]
    return product_is_one(pairs).to_bytes(WORD, "big")
