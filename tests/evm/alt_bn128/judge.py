"""The curve as py_ecc has it, in our shapes."""

from __future__ import annotations

from py_ecc import optimized_bn128 as bn128

from devchain.evm.alt_bn128.curve import Point, TwistPoint


def point(factor: int) -> Point:
    """The generator that many times."""
    return as_point(bn128.multiply(bn128.G1, factor))


def as_point(given: tuple[bn128.FQ, bn128.FQ, bn128.FQ]) -> Point:
    """A point of py_ecc's."""
    if bn128.is_inf(given):
        return None
    x, y = bn128.normalize(given)
    return int(x), int(y)


def twist_point(factor: int) -> TwistPoint:
    """The twist's generator that many times."""
    return as_twist_point(bn128.multiply(bn128.G2, factor))


def as_twist_point(given: tuple[bn128.FQ2, bn128.FQ2, bn128.FQ2]) -> TwistPoint:
    """A point of py_ecc's twist."""
    if bn128.is_inf(given):
        return None
    (a, b), (c, d) = ([int(part) for part in each.coeffs] for each in bn128.normalize(given))
    return (a, b), (c, d)


def outside(factor: int) -> TwistPoint:
    """A point of the twist, not of its subgroup; its order is divided by the factor."""
    found = bn128.multiply(_STRAY, factor)
    assert not bn128.is_inf(found)
    return as_twist_point(found)


def _stray() -> tuple[bn128.FQ2, bn128.FQ2, bn128.FQ2]:
    """The point of the twist with the least x = n + i: square roots in Fp2 by its norm."""
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


_STRAY = _stray()
