"""`devchain.evm.alt_bn128`: compared with py_ecc."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.evm.alt_bn128 import (
    ORDER,
    PRIME,
    NotOnCurve,
    add_points,
    multiply_point,
    read_point,
    read_twist_point,
    write_point,
)
from tests.bytecode import word
from tests.evm.alt_bn128 import reference

GENERATOR = (1, 2)
factors = st.integers(0, 2**256 - 1)
few = settings(max_examples=15)


class TestMultiply:
    @few
    @given(factors)
    def test_products(self, factor: int) -> None:
        """A product is py_ecc's, however large the scalar."""
        assert multiply_point(GENERATOR, factor) == reference.point(factor)

    @pytest.mark.parametrize("factor", [0, 1, 2, 15, 16, 17, ORDER - 1, ORDER, ORDER + 1])
    def test_edges(self, factor: int) -> None:
        """Products are py_ecc's for factors around powers of 16 and around the order."""
        assert multiply_point(GENERATOR, factor) == reference.point(factor)

    def test_infinity(self) -> None:
        """A multiple of the point at infinity is the point at infinity."""
        assert multiply_point(None, 5) is None


class TestAdd:
    @few
    @given(factors, factors)
    def test_sums(self, left: int, right: int) -> None:
        """A sum of multiples is the multiple of the sum."""
        total = add_points(multiply_point(GENERATOR, left), multiply_point(GENERATOR, right))

        assert total == multiply_point(GENERATOR, left + right)

    def test_special(self) -> None:
        """Sums of a point with itself, its opposite, and the point at infinity."""
        opposite = (1, PRIME - 2)

        assert add_points(GENERATOR, GENERATOR) == reference.point(2)
        assert add_points(GENERATOR, opposite) is None
        assert add_points(GENERATOR, None) == add_points(None, GENERATOR) == GENERATOR
        assert add_points(None, None) is None


class TestReading:
    def test_round_trip(self) -> None:
        """A point is two words, infinity is zeros; missing input is zero."""
        assert read_point(write_point(GENERATOR)) == GENERATOR
        assert read_point(write_point(None)) is read_point(b"") is None
        assert read_point(word(1) + word(2)[:-1] + b"\2") == GENERATOR

    @pytest.mark.parametrize(
        "words", [(1, 3), (0, 1), (PRIME + 1, 2), (1, PRIME + 2), (PRIME, 0)], ids=str
    )
    def test_no_point(self, words: tuple[int, int]) -> None:
        """Numbers off the curve, or not below the prime, are no point."""
        with pytest.raises(NotOnCurve):
            read_point(b"".join(map(word, words)))

    def test_twist(self) -> None:
        """A point of the twist has its imaginary parts first."""
        point = reference.twist_point(7)
        assert point is not None
        (a, b), (c, d) = point

        assert read_twist_point(b"".join(map(word, (b, a, d, c)))) == point
        assert read_twist_point(bytes(128)) is None
        for wrong in ((a, b, c, d), (b, a, d, c + PRIME), (b, a, d, c + 1), (0, 0, 0, 1)):
            with pytest.raises(NotOnCurve):
                read_twist_point(b"".join(map(word, wrong)))
