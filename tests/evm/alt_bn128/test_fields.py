"""`devchain.evm.alt_bn128`: compared with py_ecc."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from py_ecc.optimized_bn128 import FQ12

from devchain.evm.alt_bn128 import (
    ONE,
    PRIME,
    Fp2,
    Fp12,
    conjugate12,
    frobenius12,
    invert2,
    invert12,
    multiply2,
    multiply12,
    multiply_by_line,
    power2,
    square12,
)

numbers = st.integers(0, PRIME - 1)
small_elements = st.tuples(numbers, numbers).filter(any)
elements = st.lists(small_elements, min_size=6, max_size=6)
few = settings(max_examples=10)


def as_py_ecc(element: Fp12) -> FQ12:
    """The element in py_ecc's form, a polynomial in w alone, where i is w⁶ - 9."""
    return FQ12([a - 9 * b for a, b in element] + [b for _, b in element])


def same(left: Fp12, right: Fp12) -> bool:
    """Whether two elements are equal."""
    return list(left) == list(right)


class TestFp2:
    @few
    @given(small_elements)
    def test_inverse(self, element: Fp2) -> None:
        """An element times its inverse is one."""
        assert multiply2(element, invert2(element)) == (1, 0)

    @few
    @given(small_elements)
    def test_power(self, element: Fp2) -> None:
        """To the power of p an element is its conjugate."""
        assert power2(element, PRIME) == (element[0], -element[1] % PRIME)


class TestFp12:
    @few
    @given(elements, elements)
    def test_product(self, left: Fp12, right: Fp12) -> None:
        """Products are py_ecc's."""
        assert as_py_ecc(multiply12(left, right)) == as_py_ecc(left) * as_py_ecc(right)

    @few
    @given(elements)
    def test_square(self, element: Fp12) -> None:
        """A square equals the product of the element with itself."""
        assert same(square12(element), multiply12(element, element))

    @few
    @given(elements, small_elements, small_elements)
    def test_line(self, element: Fp12, first: Fp2, third: Fp2) -> None:
        """Multiplication by a line equals that by an element with three coefficients."""
        line = [(1, 0), first, (0, 0), third, (0, 0), (0, 0)]

        assert same(multiply_by_line(element, (first, third)), multiply12(element, line))

    @few
    @given(elements)
    def test_inverse(self, element: Fp12) -> None:
        """An element times its inverse is one."""
        assert same(multiply12(element, invert12(element)), ONE)

    @settings(max_examples=2)
    @given(elements)
    def test_frobenius(self, element: Fp12) -> None:
        """The Frobenius map raises to the power of p; applied six times it conjugates."""
        once = frobenius12(element, 1)

        assert as_py_ecc(once) == as_py_ecc(element) ** PRIME
        assert same(frobenius12(once, 1), frobenius12(element, 2))
        assert same(frobenius12(once, 2), frobenius12(element, 3))
        six_times = frobenius12(frobenius12(element, 3), 3)
        assert same(six_times, [(a % PRIME, b % PRIME) for a, b in conjugate12(element)])
