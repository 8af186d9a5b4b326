"""py_ecc's curve alt_bn128, the reference for ours, with points in our types."""

from __future__ import annotations

from py_ecc import optimized_bn128 as bn128

from devchain.evm.alt_bn128 import Point, TwistPoint


def point(factor: int) -> Point:
    """A multiple of the generator."""
    return as_point(bn128.multiply(bn128.G1, factor))


def as_point(theirs: tuple[bn128.FQ, bn128.FQ, bn128.FQ]) -> Point:
    """A point of py_ecc in our type."""
    if bn128.is_inf(theirs):
        return None
    x, y = bn128.normalize(theirs)
    return int(x), int(y)


def twist_point(factor: int) -> TwistPoint:
    """A multiple of the twist's generator."""
    return as_twist_point(bn128.multiply(bn128.G2, factor))


def as_twist_point(theirs: tuple[bn128.FQ2, bn128.FQ2, bn128.FQ2]) -> TwistPoint:
    """A point of py_ecc's twist in our type."""
    if bn128.is_inf(theirs):
        return None
    (a, b), (c, d) = ([int(part) for part in each.coeffs] for each in bn128.normalize(theirs))
    return (a, b), (c, d)


def outside(factor: int) -> TwistPoint:
    """A point of the twist, not of its subgroup; its order is divided by the factor."""
    found = bn128.multiply(_OUTSIDE, factor)
    assert not bn128.is_inf(found)
    return as_twist_point(found)


def _point_outside() -> tuple[bn128.FQ2, bn128.FQ2, bn128.FQ2]:
    """The point of the twist with the smallest x = n + i, outside the subgroup."""
    prime = bn128.field_modulus
    for number in range(1, 100):
        x = bn128.FQ2([number, 1])
        real, imaginary = (int(part) for part in (x * x * x + bn128.b2).coeffs)
        norm = pow(real * real + imaginary * imaginary, (prime + 1) // 4, prime)
        half = (real + norm) * pow(2, -1, prime) % prime
        root = pow(half, (prime + 1) // 4, prime)
        y = bn128.FQ2([root, imaginary * pow(2 * root, -1, prime) % prime])
        if y * y == x * x * x + bn128.b2:
            return x, y, bn128.FQ2.one()
    raise AssertionError


_OUTSIDE = _point_outside()
