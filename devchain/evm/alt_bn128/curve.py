"""Points of the curve y² = x³ + 3 and of its twist over Fp2: decoding, sums, products."""

from __future__ import annotations

from devchain.evm.alt_bn128.fields import PRIME, Fp2, invert2, multiply2
from devchain.types import WORD_SIZE

ORDER = 0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001
CONSTANT = 3
TWIST_CONSTANT = multiply2((CONSTANT, 0), invert2((9, 1)))
WINDOW = 4
"""Bits of a scalar that are processed at a time."""

Point = tuple[int, int] | None
"""A point by its coordinates; None is the point at infinity."""

TwistPoint = tuple[Fp2, Fp2] | None

Jacobian = tuple[int, int, int]
"""x·z², y·z³ and z of a point, z = 0 at infinity; adding these takes no division."""

INFINITY: Jacobian = (1, 1, 0)


class NotOnCurve(ValueError):
    """The input is no point of the curve, or not in its subgroup."""


# Decoding and encoding


def read_point(data: bytes) -> Point:
    """The point in two words; missing bytes are zero. Raises `NotOnCurve`."""
    x, y = _numbers(data.ljust(2 * WORD_SIZE, b"\0"))
    if not x and not y:
        return None
    if (y * y - x * x * x - CONSTANT) % PRIME:
        raise NotOnCurve
    return x, y


def read_twist_point(data: bytes) -> TwistPoint:
    """The point of the twist in four words, imaginary parts first; raises `NotOnCurve`."""
    x1, x0, y1, y0 = _numbers(data)
    x, y = (x0, x1), (y0, y1)
    if not any(x + y):
        return None
    cube = multiply2(x, multiply2(x, x))
    square = multiply2(y, y)
    if any((square[i] - cube[i] - TWIST_CONSTANT[i]) % PRIME for i in range(2)):
        raise NotOnCurve
    return x, y


def _numbers(data: bytes) -> list[int]:
    words = [data[start : start + WORD_SIZE] for start in range(0, len(data), WORD_SIZE)]
    numbers = [int.from_bytes(word, "big") for word in words]
    if any(number >= PRIME for number in numbers):
        raise NotOnCurve
    return numbers


def write_point(point: Point) -> bytes:
    """A point as two words."""
    return b"".join(number.to_bytes(WORD_SIZE, "big") for number in point or (0, 0))


# Sums and products


def add(left: Point, right: Point) -> Point:
    """The sum of two points."""
    if left is None or right is None:
        return left or right
    (x, y), (u, v) = left, right
    if x != u:
        slope = (v - y) * pow(u - x, -1, PRIME)
    elif y == v:
        slope = 3 * x * x * pow(2 * y, -1, PRIME)
    else:
        return None
    third = (slope * slope - x - u) % PRIME
    return third, (slope * (x - third) - y) % PRIME


def multiply(point: Point, scalar: int) -> Point:
    """The product of a point and a scalar: four bits of it at a time, the highest first.

    213·P is 13·P, doubled four times, plus 5·P; the multiples up to 15·P are computed first.
    """
    if point is None:
        return None
    multiples = [INFINITY, (*point, 1)]
    while len(multiples) < 1 << WINDOW:
        multiples.append(_add_affine(multiples[-1], point))
    result = INFINITY
    scalar %= ORDER
    for shift in range(scalar.bit_length() // WINDOW * WINDOW, -1, -WINDOW):
        for _ in range(WINDOW):
            result = _double(result)
        digit = scalar >> shift & (1 << WINDOW) - 1
        if digit:
            result = _add_jacobian(result, multiples[digit])
    return _to_affine(result)


def _to_affine(point: Jacobian) -> Point:
    x, y, z = point
    if not z:
        return None
    inverse = pow(z, -1, PRIME)
    square = inverse * inverse % PRIME
    return x * square % PRIME, y * square * inverse % PRIME


def _double(point: Jacobian) -> Jacobian:
    x, y, z = point
    square = y * y % PRIME
    middle = 4 * x * square % PRIME
    slope = 3 * x * x % PRIME
    third = (slope * slope - 2 * middle) % PRIME
    return third, (slope * (middle - third) - 8 * square * square) % PRIME, 2 * y * z % PRIME


def _add_affine(left: Jacobian, right: tuple[int, int]) -> Jacobian:
    return _add_jacobian(left, (*right, 1))


def _add_jacobian(left: Jacobian, right: Jacobian) -> Jacobian:
    (x, y, z), (u, v, w) = left, right
    if not z or not w:
        return left if z else right
    z_square, w_square = z * z % PRIME, w * w % PRIME
    x, u = x * w_square % PRIME, u * z_square % PRIME
    y, v = y * w_square * w % PRIME, v * z_square * z % PRIME
    if x == u:
        return _double(left) if y == v else INFINITY
    run, rise = (u - x) % PRIME, (v - y) % PRIME
    run_square = run * run % PRIME
    run_cube = run * run_square % PRIME
    middle = x * run_square % PRIME
    third = (rise * rise - run_cube - 2 * middle) % PRIME
    return third, (rise * (middle - third) - y * run_cube) % PRIME, z * w * run % PRIME
