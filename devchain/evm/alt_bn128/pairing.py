"""Whether a product of optimal ate pairings is one, the question of the pairing contract.

All pairs go through Miller's loop together: one squaring a step, one division a step for all their
slopes, and one final exponentiation. The lines are scaled to 1 + a·w + b·w³, which the final
exponentiation does not see.
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
"""The number the curve is made of, x in the literature of Barreto-Naehrig curves."""


def _signed_digits(number: int) -> list[int]:
    """The digits 1, 0 and -1 of a number in base 2, no two neighbours set, the highest first."""
    digits: list[int] = []
    while number:
        digit = 2 - number % 4 if number % 2 else 0
        digits.append(digit)
        number = (number - digit) // 2
    return digits[::-1]


LOOP = _signed_digits(6 * CURVE_PARAMETER + 2)
EXPONENT = _signed_digits(CURVE_PARAMETER)


@dataclass(slots=True)
class Lane:
    """A pair in Miller's loop: the point of the twist, and what it has grown to.

    `across` and `inverse` are -x/y and 1/y of the point of the curve, None if that is at infinity:
    then the pair counts for one, but its other point has to be checked all the same.
    """

    twist: tuple[Fp2, Fp2]
    grown: tuple[Fp2, Fp2]
    across: int | None
    inverse: int


def product_is_one(pairs: Iterable[tuple[Point, TwistPoint]]) -> bool:
    """Whether the pairings of those points, multiplied, give one.

    Raises `NotOnCurve` for a point of the twist that is not in the subgroup.
    """
    lanes = [_lane(point, twist) for point, twist in pairs if twist is not None]
    return _is_trivial(_miller(lanes))


def _lane(point: Point, twist: tuple[Fp2, Fp2]) -> Lane:
    if point is None:
        return Lane(twist, twist, None, 0)
    x, y = point
    inverse = pow(y, -1, PRIME)
    return Lane(twist, twist, -x * inverse % PRIME, inverse)


# Miller's loop


def _miller(lanes: Sequence[Lane]) -> Fp12:
    """The product of the pairs' Miller values; every point of the twist is checked on the way."""
    value = ONE
    if not lanes:
        return value
    negated = [_negated(lane.twist) for lane in lanes]
    for digit in LOOP[1:]:
        deadline.check()
        value = _doubled(square12(value), lanes)
        if digit:
            others = [lane.twist for lane in lanes] if digit > 0 else negated
            value = _added(value, lanes, others)
    value = _added(value, lanes, [_frobenius(lane.twist, 1) for lane in lanes])
    value = _added(value, lanes, [_negated(_frobenius(lane.twist, 2)) for lane in lanes])
    _check_subgroup(lanes)
    return value


def _check_subgroup(lanes: Iterable[Lane]) -> None:
    """Raise `NotOnCurve` unless every point of the twist is in the subgroup of prime order.

    There (6x + 2) + p - p² + p³ is zero, p standing for the Frobenius map. The loop has come to the
    first three summands; points of any other order they do not lead to the fourth, since the
    resultant of that sum and of the map's characteristic polynomial shares no other factor than
    the prime order with the number of the twist's points.
    """
    for lane in lanes:
        if lane.grown != _negated(_frobenius(lane.twist, 3)):
            raise NotOnCurve


def _doubled(value: Fp12, lanes: Sequence[Lane]) -> Fp12:
    """Multiply the tangents in and double the points."""
    bottoms = [(2 * y[0], 2 * y[1]) for _, y in (lane.grown for lane in lanes)]
    for lane, (bottom0, bottom1) in zip(lanes, _inverses(bottoms), strict=True):
        a, b = lane.grown[0]
        top0, top1 = 3 * (a + b) * (a - b), 6 * a * b
        slope = (
            (top0 * bottom0 - top1 * bottom1) % PRIME,
            (top0 * bottom1 + top1 * bottom0) % PRIME,
        )
        value = _along(value, lane, slope, lane.grown[0])
    return value


def _added(value: Fp12, lanes: Sequence[Lane], others: Sequence[tuple[Fp2, Fp2]]) -> Fp12:
    """Multiply the chords to the other points in and add these."""
    grown = [lane.grown[0] for lane in lanes]
    bottoms = [(u[0] - x[0], u[1] - x[1]) for x, (u, _) in zip(grown, others, strict=True)]
    for lane, (u, v), bottom in zip(lanes, others, _inverses(bottoms), strict=True):
        y = lane.grown[1]
        slope = multiply2((v[0] - y[0], v[1] - y[1]), bottom)
        value = _along(value, lane, slope, u)
    return value


def _along(value: Fp12, lane: Lane, slope: Fp2, other: Fp2) -> Fp12:
    """Multiply in the line of that slope; move on to where it meets the twist again."""
    (s, t), ((a, b), (c, d)) = slope, lane.grown
    level0, level1 = s * a - t * b - c, s * b + t * a - d  # the line where x is 0, negated
    x0 = ((s + t) * (s - t) - a - other[0]) % PRIME
    x1 = (2 * s * t - b - other[1]) % PRIME
    lane.grown = (
        (x0, x1),
        ((t * x1 - s * x0 + level0) % PRIME, (level1 - s * x1 - t * x0) % PRIME),
    )
    across, inverse = lane.across, lane.inverse
    if across is None:
        return value
    line = (
        (s * across % PRIME, t * across % PRIME),
        (level0 * inverse % PRIME, level1 * inverse % PRIME),
    )
    return multiply_by_line(value, line)


def _inverses(elements: Sequence[Fp2]) -> list[Fp2]:
    """The inverses of elements of Fp2, with one division for all of them.

    A zero among them is the slope of a point whose order is too small for the subgroup.
    """
    norms = [(a * a + b * b) % PRIME for a, b in elements]
    products = [1]
    for norm in norms:
        products.append(products[-1] * norm % PRIME)
    if not products[-1]:
        raise NotOnCurve
    rest = pow(products[-1], -1, PRIME)
    found: list[Fp2] = []
    for (a, b), norm, before in zip(elements[::-1], norms[::-1], products[-2::-1], strict=True):
        inverse = rest * before % PRIME
        rest = rest * norm % PRIME
        found.append((a * inverse % PRIME, -b * inverse % PRIME))
    return found[::-1]


def _negated(point: tuple[Fp2, Fp2]) -> tuple[Fp2, Fp2]:
    x, (c, d) = point
    return x, (-c % PRIME, -d % PRIME)


def _frobenius(point: tuple[Fp2, Fp2], power: int) -> tuple[Fp2, Fp2]:
    """The point's image under the Frobenius map of the untwisted curve, or its square or cube."""
    sign = -1 if power % 2 else 1
    (a, b), (c, d) = point
    factors = FROBENIUS[power]
    return multiply2((a, sign * b), factors[2]), multiply2((c, sign * d), factors[3])


# The final exponentiation


def _is_trivial(value: Fp12) -> bool:
    """Whether a Miller value comes to one by the final exponentiation, or by a multiple of it.

    The hard part is that of Fuentes-Castañeda, Knapp and Rodríguez-Henríquez: it raises to a
    multiple that the prime order does not divide.
    """
    easy = multiply12(conjugate12(value), invert12(value))
    easy = multiply12(frobenius12(easy, 2), easy)
    twice = square_unitary(_to_parameter(easy))
    six = multiply12(square_unitary(twice), twice)
    six_squared = _to_parameter(six)
    twelve_cubed = _to_parameter(square_unitary(six_squared))
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


def _to_parameter(unitary: Fp12) -> Fp12:
    """A unitary element to the power of the curve's parameter."""
    result, inverse = unitary, conjugate12(unitary)
    for digit in EXPONENT[1:]:
        result = square_unitary(result)
        if digit:
            result = multiply12(result, unitary if digit > 0 else inverse)
    return result
