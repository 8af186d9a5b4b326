"""`devchain.evm.alt_bn128`"""

from __future__ import annotations

from math import gcd

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.errors import ExecutionTimedOut
from devchain.evm import deadline
from devchain.evm.alt_bn128 import (
    CURVE_PARAMETER,
    ORDER,
    PRIME,
    NotOnCurve,
    multiply_point,
    product_is_one,
)
from tests.clocks import Ticks
from tests.evm.alt_bn128 import reference

GENERATOR = (1, 2)
TRACE = 6 * CURVE_PARAMETER**2 + 1
"""Trace of the Frobenius map."""

TWIST_COFACTOR = 2 * PRIME - ORDER
SMALL_FACTOR = 10_069
factors = st.integers(1, ORDER - 1)


class TestProductIsOne:
    @settings(max_examples=6)
    @given(factors, factors, factors)
    def test_bilinear(self, first: int, second: int, third: int) -> None:
        """The pairing is bilinear: e(aP, bQ) · e(cP, Q) = e((ab + c)P, Q)."""
        product = (first * second + third) % ORDER
        pairs = [
            (multiply_point(GENERATOR, first), reference.twist_point(second)),
            (multiply_point(GENERATOR, third), reference.twist_point(1)),
            (multiply_point(GENERATOR, ORDER - product), reference.twist_point(1)),
        ]

        assert product_is_one(pairs)

        pairs[1] = (multiply_point(GENERATOR, third + 1), reference.twist_point(1))
        assert not product_is_one(pairs)

    def test_infinity(self) -> None:
        """The product of no pairs is one; a pair with a point at infinity contributes one."""
        twist = reference.twist_point(1)

        assert product_is_one([])
        assert product_is_one([(None, twist), (GENERATOR, None), (None, None)])
        assert not product_is_one([(None, twist), (GENERATOR, twist)])

    @pytest.mark.parametrize(
        "factor",
        [1, ORDER, ORDER * (TWIST_COFACTOR // SMALL_FACTOR)],
        ids=["any order", "the order of the cofactor", "a small order"],
    )
    @pytest.mark.parametrize("point", [GENERATOR, None], ids=["a point", "infinity"])
    def test_outside(self, factor: int, point: tuple[int, int] | None) -> None:
        """A point of the twist outside the subgroup is an error, also paired with infinity."""
        with pytest.raises(NotOnCurve):
            product_is_one(
                [(GENERATOR, reference.twist_point(3)), (point, reference.outside(factor))]
            )

    def test_subgroup_test_is_sound(self) -> None:
        """The check at the end of the loop fails for every point outside the subgroup.

        A point for which (6x + 2) + F - F² + F³ is zero is killed by the resultant of that and
        F² - t·F + p, which shares only the prime order with the number of the twist's points.
        """
        linear = TRACE**2 - PRIME - TRACE + 1  # F³ - F² + F is linear·F + rest, by F² = t·F - p
        constant = -TRACE * PRIME + PRIME + 6 * CURVE_PARAMETER + 2
        resultant = linear**2 * PRIME + linear * constant * TRACE + constant**2

        assert PRIME + 1 - TRACE == ORDER
        assert TWIST_COFACTOR % ORDER != 0
        assert gcd(resultant, ORDER * TWIST_COFACTOR) == ORDER

    def test_final_exponent(self) -> None:
        """The hard part raises to a multiple of its exponent that the order does not divide."""
        parameter, prime = CURVE_PARAMETER, PRIME
        first = 12 * parameter**3 + 6 * parameter**2 + 6 * parameter
        second = first - 2 * parameter
        exponent = (
            (first + 6 * parameter**2 + 1)
            + second * prime
            + first * prime**2
            + (second - 1) * prime**3
        )
        multiple, rest = divmod(exponent, (prime**4 - prime**2 + 1) // ORDER)

        assert rest == 0
        assert gcd(multiple, ORDER) == 1

    def test_deadline(self) -> None:
        """The pairing checks the deadline."""
        with deadline.within(10, Ticks()), pytest.raises(ExecutionTimedOut):
            product_is_one([(GENERATOR, reference.twist_point(1))])
