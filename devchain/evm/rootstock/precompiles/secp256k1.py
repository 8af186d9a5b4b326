"""Precompiles for point addition and multiplication on secp256k1 (RSKIP516).

A point is two words, x and y; the point at infinity is two zeros. Missing input is zero.
"""

from __future__ import annotations

from coincurve import PublicKey

from devchain.evm.rootstock.exceptions import PrecompileFailed
from devchain.evm.rootstock.precompiles.native_contract import WORD, Call

ADD_GAS = 150
MULTIPLY_GAS = 3000

POINT = 2 * WORD
INFINITY = bytes(POINT)
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


def add(call: Call) -> None:
    """Input: two points; output: their sum."""
    call.charge(ADD_GAS, "secp256k1 add")
    first, second = _point(call.payload, 0), _point(call.payload, POINT)
    call.computation.output = _sum(first, second)


def multiply(call: Call) -> None:
    """Input: a point and a scalar; output: their product."""
    call.charge(MULTIPLY_GAS, "secp256k1 mul")
    point = _point(call.payload, 0)
    factor = int.from_bytes(_read(call.payload, POINT, WORD), "big") % ORDER
    if point is None or factor == 0:
        call.computation.output = INFINITY
    else:
        call.computation.output = _bytes(point.multiply(factor.to_bytes(WORD, "big")))


def _sum(first: PublicKey | None, second: PublicKey | None) -> bytes:
    if first is None or second is None:
        return _bytes(first or second)
    left, right = _bytes(first), _bytes(second)
    if left[:WORD] == right[:WORD] and left != right:
        return INFINITY
    return _bytes(first.combine([second]))


def _point(payload: bytes, start: int) -> PublicKey | None:
    raw = _read(payload, start, POINT)
    if raw == INFINITY:
        return None
    try:
        return PublicKey(b"\x04" + raw)
    except ValueError as error:
        raise PrecompileFailed(f"not a point of secp256k1: 0x{raw.hex()}") from error


def _read(payload: bytes, start: int, size: int) -> bytes:
    return payload[start : start + size].ljust(size, b"\0")


def _bytes(point: PublicKey | None) -> bytes:
    return INFINITY if point is None else point.format(compressed=False)[1:]
