"""The pairing check: whether a product of optimal ate pairings is one (EIP-197).

All pairs go through Miller's loop together: one squaring a step, one division a step for all their
slopes, and one final exponentiation. The lines are scaled to 1 + a·w + b·w³, which the final
exponentiation maps to the same value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from devchain.evm import deadline
from devchain.evm.alt_bn128.curve import NotOnCurve, Point, TwistPoint
from devchain.evm.alt_bn128.fields import (
    FROBENIUS,
    ONE,
    PRIME,
    Fp2,
    Fp12,
    conjugate12,
    frobenius12,
    invert12,
    multiply2,
    multiply12,
    multiply_by_line,
    square12,
    square_unitary,
)

CURVE_PARAMETER = 4_965_661_367_192_848_881
"""The parameter x of a Barreto-Naehrig curve."""


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
    _check_subgroup(pairs)
    return value


def _check_subgroup(pairs: Iterable[MillerPair]) -> None:
    # Raise `NotOnCurve` unless every point of the twist is in the subgroup of prime order.
    # There (6x + 2) + p - p² + p³ is zero, where p is the Frobenius map. The loop has added the
    # first three summands. For points of another order the sum is not zero, since the resultant of
    # that polynomial and of the map's characteristic polynomial has no common factor with the
    # number of the twist's points but the prime order.
    for pair in pairs:
        if pair.reached != _negated(_frobenius(pair.twist, 3)):
            raise NotOnCurve


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
    # Of a, b, c it computes 1/abc once: 1/c is that times ab, 1/b is 1/ab times a. A zero belongs
    # to a point whose order is too small for the subgroup.
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
    twice = square_unitary(_power_of_parameter(easy))
    six = multiply12(square_unitary(twice), twice)
    six_squared = _power_of_parameter(six)
    twelve_cubed = _power_of_parameter(square_unitary(six_squared))
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
        result = square_unitary(result)
        if digit:
            result = multiply12(result, unitary if digit > 0 else inverse)
    return result
