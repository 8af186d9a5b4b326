"""The precompiled contracts of the curve alt_bn128 (0x06 to 0x08), without their gas prices.

The curve is also called BN254 (EIP-196, EIP-197). It is pure Python, and a pairing takes a fortieth
of py_ecc's time, with which the tests compare it: no more for its gas than other code does. Each
function raises `NotOnCurve` for an input that is no point.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from devchain.evm import deadline
from devchain.types import WORD_SIZE

# The fields Fp2 and Fp12
#
# An element of Fp2 is a pair (real, imaginary) with i² = -1. An element of Fp12 is six of them, the
# coefficients of 1, w, w², … w⁵ with w⁶ = 9 + i. Sums of products are reduced once, at their end.

PRIME = 0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47

Fp2 = tuple[int, int]
Fp12 = Sequence[Fp2]

ONE: Fp12 = ((1, 0), *[(0, 0)] * 5)


def multiply2(left: Fp2, right: Fp2) -> Fp2:
    (a, b), (c, d) = left, right
    return (a * c - b * d) % PRIME, (a * d + b * c) % PRIME


def invert2(element: Fp2) -> Fp2:
    a, b = element
    norm = pow(a * a + b * b, -1, PRIME)
    return a * norm % PRIME, -b * norm % PRIME


def power2(element: Fp2, exponent: int) -> Fp2:
    result = element
    for bit in bin(exponent)[3:]:
        result = multiply2(result, result)
        if bit == "1":
            result = multiply2(result, element)
    return result


def _times_w6(element: Fp2) -> Fp2:
    a, b = element
    return 9 * a - b, a + 9 * b


def _reduced(terms: list[list[int]]) -> Fp12:
    real, imaginary = terms
    for low in range(5):
        a, b = _times_w6((real[low + 6], imaginary[low + 6]))
        real[low] += a
        imaginary[low] += b
    return [(a % PRIME, b % PRIME) for a, b in zip(real[:6], imaginary, strict=False)]


def multiply12(left: Fp12, right: Fp12) -> Fp12:
    real, imaginary = [0] * 11, [0] * 11
    for low, (a, b) in enumerate(left):
        for place, (c, d) in enumerate(right, low):
            real[place] += a * c - b * d
            imaginary[place] += a * d + b * c
    return _reduced([real, imaginary])


def square12(element: Fp12) -> Fp12:
    real, imaginary = [0] * 11, [0] * 11
    for low, (a, b) in enumerate(element):
        real[2 * low] += (a + b) * (a - b)
        imaginary[2 * low] += 2 * a * b
        a, b = 2 * a, 2 * b  # noqa: PLW2901  # mixed products count twice
        for place, (c, d) in enumerate(element[low + 1 :], 2 * low + 1):
            real[place] += a * c - b * d
            imaginary[place] += a * d + b * c
    return _reduced([real, imaginary])


def multiply_by_line(element: Fp12, line: tuple[Fp2, Fp2]) -> Fp12:
    """The product of an element of Fp12 and 1 + a·w + b·w³."""
    (a, b), (c, d) = line
    shifted = [_times_w6(each) for each in element[3:]]
    shifted_once = (shifted[2], *element[:5])
    shifted_thrice = (*shifted, *element[:3])
    return [
        ((p + a * r - b * s + c * u - d * v) % PRIME, (q + a * s + b * r + c * v + d * u) % PRIME)
        for (p, q), (r, s), (u, v) in zip(element, shifted_once, shifted_thrice, strict=True)
    ]


def conjugate12(element: Fp12) -> Fp12:
    """An element of Fp12 to the power of p⁶; that is the inverse of a unitary element."""
    return [(-a, -b) if odd % 2 else (a, b) for odd, (a, b) in enumerate(element)]


def invert12(element: Fp12) -> Fp12:
    """The inverse of an element of Fp12 that is not zero.

    The product of its conjugates under w → ζ·w, ζ a sixth root of one that lies in Fp, times the
    element itself is in Fp2.
    """
    others = ONE
    for steps in range(1, 6):
        root = [pow(SIXTH_ROOT, steps * place, PRIME) for place in range(6)]
        shifted = [(a * z % PRIME, b * z % PRIME) for (a, b), z in zip(element, root, strict=True)]
        others = multiply12(others, shifted)
    inverse = invert2(multiply12(element, others)[0])
    return [multiply2(other, inverse) for other in others]


SIXTH_ROOT = next(
    root
    for root in (pow(base, (PRIME - 1) // 6, PRIME) for base in range(2, 20))
    if pow(root, 2, PRIME) != 1 and pow(root, 3, PRIME) != 1
)
"""A primitive sixth root of one in Fp: Fp12 over Fp2 is a Kummer extension."""


def _frobenius_factors(power: int) -> list[Fp2]:
    factor = power2((9, 1), (PRIME**power - 1) // 6)
    factors = [(1, 0)]
    for _ in range(5):
        factors.append(multiply2(factors[-1], factor))
    return factors


FROBENIUS = {power: _frobenius_factors(power) for power in (1, 2, 3)}


def frobenius12(element: Fp12, power: int) -> Fp12:
    """An element of Fp12 to the power of p, p² or p³."""
    sign = -1 if power % 2 else 1
    return [
        multiply2((a, sign * b), factor)
        for (a, b), factor in zip(element, FROBENIUS[power], strict=True)
    ]


# Points of the curve y² = x³ + 3 and of its twist over Fp2

ORDER = 0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001
CONSTANT = 3
TWIST_CONSTANT = multiply2((CONSTANT, 0), invert2((9, 1)))
WINDOW = 4  # bits of a scalar that are processed at a time

Point = tuple[int, int] | None  # coordinates; None is the point at infinity
TwistPoint = tuple[Fp2, Fp2] | None

Jacobian = tuple[int, int, int]  # x·z², y·z³ and z, 0 at infinity: adding takes no division
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
    return b"".join(number.to_bytes(WORD_SIZE, "big") for number in point or (0, 0))


# Sums and products


def add_points(left: Point, right: Point) -> Point:
    if left is None or right is None:
        return left or right
    return _to_affine(_add_jacobian((*left, 1), (*right, 1)))


def multiply_point(point: Point, scalar: int) -> Point:
    """The product of a point and a scalar: four bits of it at a time, the highest first.

    213·P is 13·P, doubled four times, plus 5·P; the multiples up to 15·P are computed first.
    """
    if point is None:
        return None
    single = (*point, 1)
    multiples = [INFINITY, single]
    while len(multiples) < 1 << WINDOW:
        multiples.append(_add_jacobian(multiples[-1], single))
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


# The pairing check: whether a product of optimal ate pairings is one (EIP-197)
#
# All pairs go through Miller's loop together: one squaring a step, one division a step for all
# their slopes, and one final exponentiation. The lines are scaled to 1 + a·w + b·w³, which the
# final exponentiation maps to the same value.

CURVE_PARAMETER = 4_965_661_367_192_848_881  # the parameter x of a Barreto-Naehrig curve


def _signed_digits(number: int) -> list[int]:
    # 7 is 8 - 1, so [1, 0, 0, -1]: two additions instead of three.
    digits: list[int] = []
    while number:
        digit = 2 - number % 4 if number % 2 else 0
        digits.append(digit)
        number = (number - digit) // 2
    return digits[::-1]


LOOP = _signed_digits(6 * CURVE_PARAMETER + 2)
EXPONENT = _signed_digits(CURVE_PARAMETER)


@dataclass(slots=True)
class MillerPair:
    """A pair in Miller's loop: its point of the twist, and the multiple that has been reached.

    `ratio` and `inverse` are -x/y and 1/y of the point of the curve. `ratio` is None if that is at
    infinity: then the pairing is one, but the point of the twist has to be checked too.
    """

    twist: tuple[Fp2, Fp2]
    reached: tuple[Fp2, Fp2]
    ratio: int | None
    inverse: int


def product_is_one(pairs: Iterable[tuple[Point, TwistPoint]]) -> bool:
    """Whether the product of the pairings of those points is one.

    Raises `NotOnCurve` for a point of the twist that is not in the subgroup.
    """
    finite = [_miller_pair(point, twist) for point, twist in pairs if twist is not None]
    return _exponentiates_to_one(_miller_loop(finite))


def _miller_pair(point: Point, twist: tuple[Fp2, Fp2]) -> MillerPair:
    if point is None:
        return MillerPair(twist, twist, None, 0)
    x, y = point
    inverse = pow(y, -1, PRIME)
    return MillerPair(twist, twist, -x * inverse % PRIME, inverse)


# Miller's loop


def _miller_loop(pairs: Sequence[MillerPair]) -> Fp12:
    value = ONE
    if not pairs:
        return value
    negated = [_negated(pair.twist) for pair in pairs]
    for digit in LOOP[1:]:
        deadline.check()
        value = _double_all(square12(value), pairs)
        if digit:
            others = [pair.twist for pair in pairs] if digit > 0 else negated
            value = _add_all(value, pairs, others)
    value = _add_all(value, pairs, [_frobenius(pair.twist, 1) for pair in pairs])
    value = _add_all(value, pairs, [_negated(_frobenius(pair.twist, 2)) for pair in pairs])
    # Every point of the twist has to be in the subgroup of prime order. There (6x + 2) + p - p² +
    # p³ is zero, where p is the Frobenius map; the loop has added the first three summands. It is
    # not zero for points of another order: the resultant of that polynomial and of the map's
    # characteristic polynomial shares no factor but the prime order with the number of the twist's
    # points.
    for pair in pairs:
        if pair.reached != _negated(_frobenius(pair.twist, 3)):
            raise NotOnCurve
    return value


def _double_all(value: Fp12, pairs: Sequence[MillerPair]) -> Fp12:
    bottoms = [(2 * y[0], 2 * y[1]) for _, y in (pair.reached for pair in pairs)]
    for pair, (bottom0, bottom1) in zip(pairs, _invert_all(bottoms), strict=True):
        a, b = pair.reached[0]
        top0, top1 = 3 * (a + b) * (a - b), 6 * a * b
        slope = (
            (top0 * bottom0 - top1 * bottom1) % PRIME,
            (top0 * bottom1 + top1 * bottom0) % PRIME,
        )
        value = _multiply_line(value, pair, slope, pair.reached[0])
    return value


def _add_all(value: Fp12, pairs: Sequence[MillerPair], others: Sequence[tuple[Fp2, Fp2]]) -> Fp12:
    reached = [pair.reached[0] for pair in pairs]
    bottoms = [(u[0] - x[0], u[1] - x[1]) for x, (u, _) in zip(reached, others, strict=True)]
    for pair, (u, v), bottom in zip(pairs, others, _invert_all(bottoms), strict=True):
        y = pair.reached[1]
        slope = multiply2((v[0] - y[0], v[1] - y[1]), bottom)
        value = _multiply_line(value, pair, slope, u)
    return value


def _multiply_line(value: Fp12, pair: MillerPair, slope: Fp2, other: Fp2) -> Fp12:
    (s, t), ((a, b), (c, d)) = slope, pair.reached
    level0, level1 = s * a - t * b - c, s * b + t * a - d  # the line where x is 0, negated
    x0 = ((s + t) * (s - t) - a - other[0]) % PRIME
    x1 = (2 * s * t - b - other[1]) % PRIME
    pair.reached = (
        (x0, x1),
        ((t * x1 - s * x0 + level0) % PRIME, (level1 - s * x1 - t * x0) % PRIME),
    )
    ratio, inverse = pair.ratio, pair.inverse
    if ratio is None:
        return value
    line = (
        (s * ratio % PRIME, t * ratio % PRIME),
        (level0 * inverse % PRIME, level1 * inverse % PRIME),
    )
    return multiply_by_line(value, line)


def _invert_all(elements: Sequence[Fp2]) -> list[Fp2]:
    # For a, b, c this computes 1/abc once: 1/c is that times ab, 1/b is 1/ab times a. A zero
    # belongs to a point whose order is too small for the subgroup.
    norms = [(a * a + b * b) % PRIME for a, b in elements]
    products = [1]
    for norm in norms:
        products.append(products[-1] * norm % PRIME)
    if not products[-1]:
        raise NotOnCurve
    rest = pow(products[-1], -1, PRIME)
    inverses: list[Fp2] = []
    for (a, b), norm, before in zip(elements[::-1], norms[::-1], products[-2::-1], strict=True):
        inverse = rest * before % PRIME
        rest = rest * norm % PRIME
        inverses.append((a * inverse % PRIME, -b * inverse % PRIME))
    return inverses[::-1]


def _negated(point: tuple[Fp2, Fp2]) -> tuple[Fp2, Fp2]:
    x, (c, d) = point
    return x, (-c % PRIME, -d % PRIME)


def _frobenius(point: tuple[Fp2, Fp2], power: int) -> tuple[Fp2, Fp2]:
    sign = -1 if power % 2 else 1
    (a, b), (c, d) = point
    factors = FROBENIUS[power]
    return multiply2((a, sign * b), factors[2]), multiply2((c, sign * d), factors[3])


# The final exponentiation


def _exponentiates_to_one(value: Fp12) -> bool:
    # The hard part is that of Fuentes-Castañeda, Knapp and Rodríguez-Henríquez, which raises to a
    # multiple of the exponent that the prime order does not divide.
    easy = multiply12(conjugate12(value), invert12(value))
    easy = multiply12(frobenius12(easy, 2), easy)
    twice = square12(_power_of_parameter(easy))
    six = multiply12(square12(twice), twice)
    six_squared = _power_of_parameter(six)
    twelve_cubed = _power_of_parameter(square12(six_squared))
    first = multiply12(multiply12(twelve_cubed, six_squared), six)
    second = multiply12(first, conjugate12(twice))
    parts = (
        multiply12(multiply12(first, six_squared), easy),
        frobenius12(second, 1),
        frobenius12(first, 2),
        frobenius12(multiply12(second, conjugate12(easy)), 3),
    )
    low, high = multiply12(parts[0], parts[1]), multiply12(parts[2], parts[3])
    return tuple(multiply12(low, high)) == tuple(ONE)


def _power_of_parameter(unitary: Fp12) -> Fp12:
    result, inverse = unitary, conjugate12(unitary)
    for digit in EXPONENT[1:]:
        result = square12(result)
        if digit:
            result = multiply12(result, unitary if digit > 0 else inverse)
    return result


# The contracts

POINT_SIZE = 2 * WORD_SIZE
PAIR_SIZE = 6 * WORD_SIZE


def add(data: bytes) -> bytes:
    """ECADD: the sum of two points; missing bytes are zero."""
    left = read_point(data[:POINT_SIZE])
    right = read_point(data[POINT_SIZE : 2 * POINT_SIZE])
    return write_point(add_points(left, right))


def multiply(data: bytes) -> bytes:
    """ECMUL: the product of a point and a scalar; missing bytes are zero."""
    scalar = data[POINT_SIZE : POINT_SIZE + WORD_SIZE].ljust(WORD_SIZE, b"\0")
    point = read_point(data[:POINT_SIZE])
    return write_point(multiply_point(point, int.from_bytes(scalar)))


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
