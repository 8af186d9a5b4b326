"""Arithmetic in the fields Fp2 and Fp12 of the pairing, on plain integers.

An element of Fp2 is a pair (real, imaginary) with i² = -1. An element of Fp12 is six of them, the
coefficients of 1, w, w², … w⁵ with w⁶ = 9 + i. Sums of products are reduced once, at their end.
"""

from __future__ import annotations

from collections.abc import Sequence

PRIME = 0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47

Fp2 = tuple[int, int]
Fp12 = Sequence[Fp2]

ONE: Fp12 = ((1, 0), *[(0, 0)] * 5)


def multiply2(left: Fp2, right: Fp2) -> Fp2:
    """The product of two elements of Fp2."""
    (a, b), (c, d) = left, right
    return (a * c - b * d) % PRIME, (a * d + b * c) % PRIME


def invert2(element: Fp2) -> Fp2:
    """The inverse of an element of Fp2 that is not zero."""
    a, b = element
    norm = pow(a * a + b * b, -1, PRIME)
    return a * norm % PRIME, -b * norm % PRIME


def power2(element: Fp2, exponent: int) -> Fp2:
    """An element of Fp2 to the power of a positive number."""
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
    """The product of two elements of Fp12."""
    real, imaginary = [0] * 11, [0] * 11
    for low, (a, b) in enumerate(left):
        for place, (c, d) in enumerate(right, low):
            real[place] += a * c - b * d
            imaginary[place] += a * d + b * c
    return _reduced([real, imaginary])


def square12(element: Fp12) -> Fp12:
    """The square of an element of Fp12."""
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
        (
            (p + a * r - b * s + c * u - d * v) % PRIME,
            (q + a * s + b * r + c * v + d * u) % PRIME,
        )
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
    return [multiply2(each, inverse) for each in others]


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


def square_unitary(element: Fp12) -> Fp12:
    """The square of a unitary element, which the easy part of the final exponentiation returns.

    With s = w³ it is A + B·w + C·w² over Fp4, whose square is, by Granger and Scott,
    (3·A² - 2·A') + (3·s·C² + 2·B')·w + (3·B² - 2·C')·w².
    """
    squares = [_square4(element[place], element[place + 3]) for place in range(3)]
    (a_low, a_high), (b_low, b_high), (c_low, c_high) = squares
    tripled = (a_low, _times_w6(c_high), b_low, a_high, c_low, b_high)
    signs = (-2, 2, -2, 2, -2, 2)
    return [
        ((3 * a + sign * c) % PRIME, (3 * b + sign * d) % PRIME)
        for (a, b), (c, d), sign in zip(tripled, element, signs, strict=True)
    ]


def _square4(low: Fp2, high: Fp2) -> tuple[Fp2, Fp2]:
    (a, b), (c, d) = low, high
    e, f = _times_w6(((c + d) * (c - d), 2 * c * d))
    return ((a + b) * (a - b) + e, 2 * a * b + f), (2 * (a * c - b * d), 2 * (a * d + b * c))
