"""What the contracts of the curve BLS12-381 (EIP-2537, 0x0b to 0x11) answer, in native code.

Numbers take 64 bytes, the first 16 of them zero; points at infinity are zeros. Whatever is wrong
with a payload is a `ValueError`. The check of a blob's value (EIP-4844, 0x0a) is a pairing of the
same curve.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

PRIME = int(
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf"
    "6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
    16,
)
NUMBER = 64
PADDING = 16
FACTOR = 32
G1_SIZE, G2_SIZE = 2 * NUMBER, 4 * NUMBER
G1, G2 = "G1Point", "G2Point"
PAIR = G1_SIZE + G2_SIZE


@cache
def _native() -> Any:
    """The native code, loaded when a contract of the curve is first called."""
    return import_module("py_arkworks_bls12381")


def _numbers(payload: bytes) -> bytes:
    """The numbers of a payload without their padding."""
    words = [payload[start : start + NUMBER] for start in range(0, len(payload), NUMBER)]
    if any(int.from_bytes(word, "big") >= PRIME for word in words):
        msg = "a number is not below the prime"
        raise ValueError(msg)
    return b"".join(word[PADDING:] for word in words)


def _point(group: str, payload: bytes) -> Any:
    """A point of that group, be it outside the subgroup."""
    kind, numbers = getattr(_native(), group), _numbers(payload)
    return kind.from_xy_bytes_unchecked_be(numbers) if any(numbers) else kind.identity()


def _member(group: str, payload: bytes) -> Any:
    """A point of the subgroup."""
    point = _point(group, payload)
    if not point.is_in_subgroup():
        msg = "a point is not in the subgroup"
        raise ValueError(msg)
    return point


def _padded(point: Any) -> bytes:
    plain = point.to_xy_bytes_be()
    size = NUMBER - PADDING
    numbers = (plain[start : start + size] for start in range(0, len(plain), size))
    return b"".join(bytes(PADDING) + number for number in numbers)


def _cut(payload: bytes, size: int) -> list[bytes]:
    """The payload in parts of that size; it has one at least, and nothing over."""
    if not payload or len(payload) % size:
        msg = f"want a multiple of {size} bytes, got {len(payload)}"
        raise ValueError(msg)
    return [payload[start : start + size] for start in range(0, len(payload), size)]


def _whole(payload: bytes, size: int) -> bytes:
    if len(payload) != size:
        msg = f"want {size} bytes, got {len(payload)}"
        raise ValueError(msg)
    return payload


def _adding(group: str, size: int) -> Callable[[bytes], bytes]:
    def add(payload: bytes) -> bytes:
        """Two points in, their sum out; they may lie outside the subgroup."""
        left, right = _cut(_whole(payload, 2 * size), size)
        return _padded(_point(group, left) + _point(group, right))

    return add


def _summing(group: str, size: int) -> Callable[[bytes], bytes]:
    def multiply(payload: bytes) -> bytes:
        """Points, each with a factor, in; the sum of the products out."""
        parts = _cut(payload, size + FACTOR)
        points = [_member(group, part[:size]) for part in parts]
        factors = [_native().Scalar.from_be_bytes_mod_order(part[size:]) for part in parts]
        return _padded(getattr(_native(), group).multiexp_unchecked(points, factors))

    return multiply


add_g1, add_g2 = _adding(G1, G1_SIZE), _adding(G2, G2_SIZE)
multiply_g1, multiply_g2 = _summing(G1, G1_SIZE), _summing(G2, G2_SIZE)


def check_pairing(payload: bytes) -> bytes:
    """Pairs of points in; the word 1 if the product of their pairings is one, else 0."""
    parts = _cut(payload, PAIR)
    left = [_member(G1, part[:G1_SIZE]) for part in parts]
    right = [_member(G2, part[G1_SIZE:]) for part in parts]
    return bool(_native().GT.pairing_check(left, right)).to_bytes(FACTOR, "big")


def map_to_g1(payload: bytes) -> bytes:
    """A number in, the point out that it is mapped to."""
    return _padded(_native().G1Point.map_from_fp_be(_numbers(_whole(payload, NUMBER))))


def map_to_g2(payload: bytes) -> bytes:
    """The two parts of an element of Fp2 in, the point out that it is mapped to."""
    return _padded(_native().G2Point.map_from_fp2_be(_numbers(_whole(payload, 2 * NUMBER))))


def has_value(commitment: bytes, at: bytes, value: bytes, proof: bytes, secret: bytes) -> bool:
    """Whether the polynomial of a KZG commitment has that value at that place.

    `secret` is the ceremony's secret number times the second generator, a compressed point as
    `commitment` and `proof` are.
    """
    native = _native()
    first, second = native.G1Point, native.G2Point
    place, level = native.Scalar.from_be_bytes(at), native.Scalar.from_be_bytes(value)
    quotient = first.from_compressed_bytes(proof)
    above = first.from_compressed_bytes(commitment) - first() * level
    beyond = second.from_compressed_bytes(secret) - second() * place
    return bool(native.GT.pairing_check([above, quotient], [-second(), beyond]))
