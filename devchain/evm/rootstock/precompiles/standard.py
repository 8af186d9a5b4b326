"""Precompiled contracts without an ABI, with Rootstock's gas costs and errors.

They are those of Ethereum's 0x01 to 0x09 that differ, and addition and multiplication on secp256k1
(RSKIP516).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from coincurve import PublicKey
from eth._utils.blake2.coders import extract_blake2b_parameters
from eth.constants import SECPK1_N as ORDER
from eth.precompiles import blake2
from eth_hash.auto import keccak
from eth_utils.exceptions import ValidationError

from devchain.evm import alt_bn128
from devchain.evm.alt_bn128 import PAIR_SIZE, NotOnCurve
from devchain.evm.rootstock.precompiles.native_contract import WORD, Call, PrecompileFailed

RECOVER_GAS = 3000
CURVE_ADD_GAS = 150
CURVE_MULTIPLY_GAS = 6000
SECP256K1_MULTIPLY_GAS = 3000
PAIRING_GAS = 45_000
PAIR_GAS = 34_000
BLAKE_INPUT = 213
MODEXP_DIVISOR = 20
JAVA_INT_MAX = 2**31 - 1


# ecrecover


def recover(call: Call) -> None:
    """The signer of a hash; no output for an invalid one. Only the last byte of `v` is read."""
    call.charge(RECOVER_GAS, "ecrecover")
    digest, signature = call.payload[:32], call.payload[64:128].ljust(64, b"\0")
    words = (int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    if len(call.payload) < 3 * WORD or not all(0 < word < ORDER for word in words):
        return
    parity = call.payload[63] - 27
    if parity in {0, 1}:
        call.computation.output = _signer(digest, parity, signature)


def _signer(digest: bytes, parity: int, signature: bytes) -> bytes:
    try:
        key = PublicKey.from_signature_and_message(signature + bytes([parity]), digest, hasher=None)
    except Exception:  # noqa: BLE001  # coincurve raises Exception itself
        return _address(b"") if _is_infinity(digest, parity, signature) else b""
    return _address(key.format(compressed=False)[1:])


def _is_infinity(digest: bytes, parity: int, signature: bytes) -> bool:
    number = int.from_bytes(digest, "big") % ORDER
    try:
        point = PublicKey(bytes([2 + parity]) + signature[:32])
    except ValueError:
        return False
    found = point.multiply(signature[32:])
    return number > 0 and found == PublicKey.from_secret(number.to_bytes(WORD, "big"))


def _address(key: bytes) -> bytes:
    return bytes(12) + keccak(key)[12:]


# Modular exponentiation, with the gas of EIP-198


def modexp(call: Call) -> None:
    """Base ** exponent % modulus. Input: the three lengths as words, then the three numbers."""
    lengths = tuple(min(_number(call.payload, WORD * i, WORD), JAVA_INT_MAX) for i in range(3))
    call.charge(_modexp_gas(call.payload, *lengths), "modexp")
    call.computation.output = _power(call.payload, *lengths)


def _power(payload: bytes, base: int, exponent: int, modulus: int) -> bytes:
    # No output if an operand would start beyond the largest index of a Java array.
    start = 3 * WORD
    if (not base and not modulus) or start + base + exponent > JAVA_INT_MAX:
        return b""
    divisor = _number(payload, start + base + exponent, modulus)
    if divisor == 0:
        return bytes(modulus)
    power = pow(_number(payload, start, base), _number(payload, start + base, exponent), divisor)
    return power.to_bytes(modulus, "big")


def _modexp_gas(payload: bytes, base: int, exponent: int, modulus: int) -> int:
    head = _number(payload, 3 * WORD + base, min(exponent, WORD))
    bits = max(head.bit_length() - 1, 0) + 8 * max(exponent - WORD, 0)
    return _complexity(max(base, modulus)) * max(bits, 1) // MODEXP_DIVISOR


def _complexity(size: int) -> int:
    if size <= 64:
        return size**2
    if size <= 1024:
        return size**2 // 4 + 96 * size - 3072
    return size**2 // 16 + 480 * size - 199_680


def _number(payload: bytes, start: int, size: int) -> int:
    raw = payload[start : start + size]
    return int.from_bytes(raw, "big") << 8 * (size - len(raw))


# The curve alt_bn128 (RSKIP137)


def _curve(
    gas: int, function: Callable[[bytes], bytes], pair_gas: int = 0
) -> Callable[[Call], None]:
    # Before Iris an input that is not made of points gave no output.

    def run(call: Call) -> None:
        call.charge(gas + len(call.payload) // PAIR_SIZE * pair_gas, "alt_bn128")
        try:
            call.computation.output = function(call.payload)
        except NotOnCurve as error:
            if call.since("iris"):
                reason = "alt_bn128: the input is not made of points of the curve"
                raise PrecompileFailed(reason) from error

    return run


curve_add = _curve(CURVE_ADD_GAS, alt_bn128.add)
curve_multiply = _curve(CURVE_MULTIPLY_GAS, alt_bn128.multiply)
curve_pairing = _curve(PAIRING_GAS, alt_bn128.check_pairing, PAIR_GAS)


# BLAKE2b's compression function F (RSKIP153)


def blake2f(call: Call) -> None:
    """Input: rounds, state, message, counters, final flag; output: the new state."""
    payload = call.payload
    if len(payload) != BLAKE_INPUT:
        raise PrecompileFailed(f"blake2f takes {BLAKE_INPUT} bytes, not {len(payload)}")
    call.charge(int.from_bytes(payload[:4], "big"), "blake2f")
    try:
        parameters = extract_blake2b_parameters(payload)
    except ValidationError as error:
        raise PrecompileFailed("blake2f: the final flag is neither 0 nor 1") from error
    compress: Any = vars(blake2)["blake2b_compress"]  # native code where it is installed
    call.computation.output = compress(*parameters)


# The curve secp256k1 (RSKIP516): a point is two words, x and y, at infinity two zeros. Missing
# input is zero.


POINT = 2 * WORD
INFINITY = bytes(POINT)


def secp256k1_add(call: Call) -> None:
    call.charge(CURVE_ADD_GAS, "secp256k1 add")
    first, second = _point(call.payload, 0), _point(call.payload, POINT)
    call.computation.output = _sum(first, second)


def secp256k1_multiply(call: Call) -> None:
    call.charge(SECP256K1_MULTIPLY_GAS, "secp256k1 mul")
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
