"""Arithmetic on 256-bit words that takes more than one Python operator."""

from __future__ import annotations

WORD = 2**256
MASK = WORD - 1
_SIGN = 2**255


def _signed(word: int) -> int:
    return word - WORD if word >= _SIGN else word


def sdiv(a: int, b: int) -> int:
    """Signed division, rounded towards zero; by zero it is 0."""
    if b == 0:
        return 0
    dividend, divisor = _signed(a), _signed(b)
    quotient = abs(dividend) // abs(divisor)
    return (quotient if (dividend < 0) == (divisor < 0) else -quotient) & MASK


def smod(a: int, b: int) -> int:
    """Signed remainder, with the sign of the dividend; by zero it is 0."""
    if b == 0:
        return 0
    dividend = _signed(a)
    remainder = abs(dividend) % abs(_signed(b))
    return (-remainder if dividend < 0 else remainder) & MASK


def addmod(a: int, b: int, modulus: int) -> int:
    """The sum modulo a number, without overflow on the way."""
    return (a + b) % modulus if modulus else 0


def mulmod(a: int, b: int, modulus: int) -> int:
    """The product modulo a number, without overflow on the way."""
    return (a * b) % modulus if modulus else 0


def signextend(size: int, word: int) -> int:
    """The word whose lowest `size` + 1 bytes are a signed number."""
    if size > 31:
        return word
    sign = 1 << (size * 8 + 7)
    return word | (WORD - sign) if word & sign else word & (sign - 1)


def sar(shift: int, word: int) -> int:
    """Shifted to the right, the sign shifted in."""
    number = _signed(word)
    return number >> min(shift, 256) & MASK


def byte(place: int, word: int) -> int:
    """One byte of a word, the highest at 0."""
    return word >> (248 - 8 * place) & 255 if place < 32 else 0
