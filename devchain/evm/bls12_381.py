"""The precompiled contracts of the curve BLS12-381 (0x0b to 0x11), without their gas prices.

EIP-2537: field elements take 64 bytes, the first 16 of them zero; a point at infinity is all zeros.
The native code is py_arkworks_bls12381. Invalid input raises `ValueError`. Verifying a KZG proof
(EIP-4844, 0x0a) is a pairing check of the same curve.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from devchain.types import WORD_SIZE

PRIME = int(
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf"
    "6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
    16,
)
ELEMENT_SIZE = 64
PADDING = 16
SCALAR_SIZE = 32
G1_SIZE, G2_SIZE = 2 * ELEMENT_SIZE, 4 * ELEMENT_SIZE
G1, G2 = "G1Point", "G2Point"
PAIR_SIZE = G1_SIZE + G2_SIZE


@cache
def _native() -> Any:
    return import_module("py_arkworks_bls12381")


# Decoding and encoding


def _without_padding(data: bytes) -> bytes:
    elements = [data[start : start + ELEMENT_SIZE] for start in range(0, len(data), ELEMENT_SIZE)]
    if any(int.from_bytes(element) >= PRIME for element in elements):
        raise ValueError("a number is not below the prime")
    return b"".join(element[PADDING:] for element in elements)


def _with_padding(point: Any) -> bytes:
    coordinates = point.to_xy_bytes_be()
    size = ELEMENT_SIZE - PADDING
    elements = (coordinates[start : start + size] for start in range(0, len(coordinates), size))
    return b"".join(bytes(PADDING) + element for element in elements)


def _read_point(group: str, data: bytes) -> Any:
    kind, coordinates = getattr(_native(), group), _without_padding(data)
    return kind.from_xy_bytes_unchecked_be(coordinates) if any(coordinates) else kind.identity()


def _read_subgroup_point(group: str, data: bytes) -> Any:
    point = _read_point(group, data)
    if not point.is_in_subgroup():
        raise ValueError("a point is not in the subgroup")
    return point


def _split(data: bytes, size: int) -> list[bytes]:
    if not data or len(data) % size:
        raise ValueError(f"want a multiple of {size} bytes, got {len(data)}")
    return [data[start : start + size] for start in range(0, len(data), size)]


def _require_size(data: bytes, size: int) -> bytes:
    if len(data) != size:
        raise ValueError(f"want {size} bytes, got {len(data)}")
    return data


# Contracts


def _addition(group: str, size: int) -> Callable[[bytes], bytes]:
    def add(data: bytes) -> bytes:
        left, right = _split(_require_size(data, 2 * size), size)
        return _with_padding(_read_point(group, left) + _read_point(group, right))

    return add


def _multi_scalar_multiplication(group: str, size: int) -> Callable[[bytes], bytes]:
    def multiply(data: bytes) -> bytes:
        items = _split(data, size + SCALAR_SIZE)
        points = [_read_subgroup_point(group, item[:size]) for item in items]
        scalars = [_native().Scalar.from_be_bytes_mod_order(item[size:]) for item in items]
        return _with_padding(getattr(_native(), group).multiexp_unchecked(points, scalars))

    return multiply


add_g1, add_g2 = _addition(G1, G1_SIZE), _addition(G2, G2_SIZE)
multiply_g1 = _multi_scalar_multiplication(G1, G1_SIZE)
multiply_g2 = _multi_scalar_multiplication(G2, G2_SIZE)


def check_pairing(data: bytes) -> bytes:
    """The word 1 if the product of the pairings of those pairs is one, else 0."""
    pairs = _split(data, PAIR_SIZE)
    left = [_read_subgroup_point(G1, pair[:G1_SIZE]) for pair in pairs]
    right = [_read_subgroup_point(G2, pair[G1_SIZE:]) for pair in pairs]
    return bool(_native().GT.pairing_check(left, right)).to_bytes(WORD_SIZE)


def map_to_g1(data: bytes) -> bytes:
    element = _without_padding(_require_size(data, ELEMENT_SIZE))
    return _with_padding(_native().G1Point.map_from_fp_be(element))


def map_to_g2(data: bytes) -> bytes:
    element = _without_padding(_require_size(data, 2 * ELEMENT_SIZE))
    return _with_padding(_native().G2Point.map_from_fp2_be(element))


def verify_kzg_proof(
    commitment: bytes, at: bytes, value: bytes, proof: bytes, setup_point: bytes
) -> bool:
    """Whether the polynomial p of a KZG commitment has that value at that scalar.

    `commitment` is p(s) of G1 for the ceremony's secret s, `proof` is q(s) of G1 where q is
    (p - value) / (x - at), `setup_point` is s of G2; all are compressed. The pairing check is
    e(p(s) - value, -1) * e(q(s), s - at) = 1.
    """
    native = _native()
    g1, g2 = native.G1Point, native.G2Point
    point, level = native.Scalar.from_be_bytes(at), native.Scalar.from_be_bytes(value)
    quotient = g1.from_compressed_bytes(proof)
    numerator = g1.from_compressed_bytes(commitment) - g1() * level
    denominator = g2.from_compressed_bytes(setup_point) - g2() * point
    return bool(native.GT.pairing_check([numerator, quotient], [-g2(), denominator]))
