"""Ethereum's precompiled contracts: py-evm's, and faster ones for elliptic curves.

Ours are alt_bn128 (0x06 to 0x08), point evaluation (0x0a) and BLS12-381 (0x0b to 0x11). Each is a
function of the input and a gas price by the input's size, under the hardfork's schedule. Osaka's,
which py-evm does not have, are here too: MODEXP (0x05) at its prices, and P256VERIFY (0x100).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from eth.exceptions import VMError
from eth.precompiles.bls12_381 import constants as bls
from eth.precompiles.point_evaluation import TRUSTED_SETUP_PATH
from eth.vm.forks.cancun.constants import (
    BLS_MODULUS,
    FIELD_ELEMENTS_PER_BLOB,
    POINT_EVALUATION_PRECOMPILE_GAS,
    VERSIONED_HASH_VERSION_KZG,
)

from devchain.evm import alt_bn128, bls12_381
from devchain.networks import is_since
from devchain.types import WORD_SIZE, Address

POINT_EVALUATION_SIZE = 192
P256_INPUT_SIZE = 160
P256_PRIME = 2**256 - 2**224 + 2**192 + 2**96 - 1
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
P256_GENERATOR = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
MODEXP = Address((0x05).to_bytes(20))
MAX_MODEXP_SIZE = 1_024

Precompile = Callable[[Any], Any]  # as in py-evm: a function of a computation
Function = Callable[[bytes], bytes]  # output by input, or `ValueError` if that is invalid
Price = Callable[[int], int]  # gas by the size of the input


def with_fast_precompiles(
    precompiles: dict[Address, Precompile], hardfork: str
) -> dict[Address, Precompile]:
    """These contracts with fast versions at the hardfork's prices, and those of Osaka."""
    fast = _FAST | (_ALT_BN128_SINCE_ISTANBUL if is_since(hardfork, "istanbul") else {})
    by_address = {
        Address(number.to_bytes(20)): _precompile(*contract) for number, contract in fast.items()
    }
    replaced = {
        precompile: by_address[precompile] for precompile in precompiles.keys() & by_address
    }
    if MODEXP in precompiles:
        replaced[MODEXP] = _with_empty_base(precompiles[MODEXP])
    return precompiles | replaced | (_OSAKA if is_since(hardfork, "osaka") else {})


def _precompile(price: Price, function: Function) -> Precompile:
    def run(computation: Any) -> Any:
        data = bytes(computation.msg.data)
        computation.consume_gas(price(len(data)), reason="precompiled contract")
        try:
            computation.output = function(data)
        except ValueError as error:
            raise VMError(f"precompiled contract: {error}") from error
        return computation

    return run


def _fixed(gas: int) -> Price:
    return lambda _: gas


def _per_item(item_size: int, gas: int, base: int) -> Price:
    return lambda size: base + gas * (size // item_size)


def _discounted(item_size: int, gas: int, discounts: Sequence[int], maximum: int) -> Price:

    def price(size: int) -> int:
        count = size // item_size
        discount = discounts[count - 1] if 0 < count <= len(discounts) else maximum
        return count * gas * discount // bls.MSM_MULTIPLIER

    return price


def evaluate_point(data: bytes) -> bytes:
    """Point evaluation: verify that a blob's polynomial has that value at that point (EIP-4844).

    The output is two constants; the input is versioned hash, point, value, commitment and proof.
    """
    if len(data) != POINT_EVALUATION_SIZE:
        raise ValueError(f"want {POINT_EVALUATION_SIZE} bytes, got {len(data)}")
    versioned_hash, point, value = data[:32], data[32:64], data[64:96]
    commitment, proof = data[96:144], data[144:]
    digest = VERSIONED_HASH_VERSION_KZG + hashlib.sha256(commitment).digest()[1:]
    if digest != versioned_hash or not bls12_381.verify_kzg_proof(
        commitment, point, value, proof, _trusted_setup_point()
    ):
        raise ValueError("the proof does not hold")
    return FIELD_ELEMENTS_PER_BLOB.to_bytes(WORD_SIZE) + BLS_MODULUS.to_bytes(WORD_SIZE)


@cache
def _trusted_setup_point() -> bytes:
    # Verifying takes no other point; py-evm loads the whole result with each call, for seconds.
    g1_count, _, *points = Path(TRUSTED_SETUP_PATH).read_text(encoding="ascii").split()
    return bytes.fromhex(points[int(g1_count) + 1])


def verify_p256(data: bytes) -> bytes:
    """Verify a signature over secp256r1 (EIP-7951): 1 as a word, or nothing if it does not hold.

    The input is digest, r, s and the coordinates of the public key, a word each, and no more.
    """
    if len(data) != P256_INPUT_SIZE:
        return b""
    digest, r, s, x, y = (
        int.from_bytes(data[start : start + WORD_SIZE])
        for start in range(0, P256_INPUT_SIZE, WORD_SIZE)
    )
    if not (0 < r < P256_ORDER and 0 < s < P256_ORDER) or max(x, y) >= P256_PRIME or not x | y:
        return b""
    point_class = _p256_points()
    try:
        key = point_class(x, y, "p256")
    except ValueError:  # it is not on the curve
        return b""
    inverse = pow(s, -1, P256_ORDER)
    total = point_class(*P256_GENERATOR, "p256") * (digest * inverse % P256_ORDER)
    total += key * (r * inverse % P256_ORDER)
    holds = not total.is_point_at_infinity() and int(total.x) % P256_ORDER == r
    return (1).to_bytes(WORD_SIZE) if holds else b""


@cache
def _p256_points() -> Any:
    return import_module("Crypto.PublicKey.ECC").EccPoint  # it takes time to import


def _with_empty_base(modexp: Precompile) -> Precompile:

    def run(computation: Any) -> Any:
        modexp(computation)
        data = bytes(computation.msg.data)
        base_size, exponent_size, modulus_size = _modexp_sizes(data)
        if base_size == 0 and not any(data[96 : 96 + exponent_size]):
            modulus = int.from_bytes(_slice(data, 96 + exponent_size, modulus_size))
            computation.output = int(modulus > 1).to_bytes(modulus_size)
        return computation

    return run


def modexp_since_osaka(computation: Any) -> Any:
    """MODEXP with inputs of at most 1024 bytes (EIP-7823), at a higher price (EIP-7883)."""
    data = bytes(computation.msg.data)
    sizes = _modexp_sizes(data)
    base_size, exponent_size, modulus_size = sizes
    if max(sizes) > MAX_MODEXP_SIZE:
        raise VMError(f"precompiled contract: MODEXP takes at most {MAX_MODEXP_SIZE} bytes")
    head = _slice(data, 96 + base_size, min(exponent_size, WORD_SIZE))
    gas = _modexp_gas(base_size, exponent_size, modulus_size, int.from_bytes(head))
    computation.consume_gas(gas, reason="precompiled contract")
    base, exponent, modulus = (
        int.from_bytes(_slice(data, start, size))
        for start, size in zip(
            (96, 96 + base_size, 96 + base_size + exponent_size), sizes, strict=True
        )
    )
    computation.output = (pow(base, exponent, modulus) if modulus else 0).to_bytes(modulus_size)
    return computation


def _modexp_sizes(data: bytes) -> list[int]:
    return [int.from_bytes(_slice(data, start, WORD_SIZE)) for start in (0, 32, 64)]


def _modexp_gas(base_size: int, exponent_size: int, modulus_size: int, head: int) -> int:
    size = max(base_size, modulus_size)
    complexity = 2 * (-(-size // 8)) ** 2 if size > WORD_SIZE else 16
    iterations = 16 * max(exponent_size - WORD_SIZE, 0) + max(head.bit_length() - 1, 0)
    return max(500, complexity * max(iterations, 1))


def _slice(data: bytes, start: int, size: int) -> bytes:
    return data[start : start + size].ljust(size, b"\0")


_FAST: dict[int, tuple[Price, Function]] = {
    0x06: (_fixed(500), alt_bn128.add),
    0x07: (_fixed(40_000), alt_bn128.multiply),
    0x08: (_per_item(alt_bn128.PAIR_SIZE, 80_000, 100_000), alt_bn128.check_pairing),
    0x0A: (_fixed(POINT_EVALUATION_PRECOMPILE_GAS), evaluate_point),
    0x0B: (_fixed(bls.BLS12_G1_ADD_GAS), bls12_381.add_g1),
    0x0C: (
        _discounted(160, bls.BLS12_G1_MSM_GAS, bls.G1_MSM_DISCOUNTS, bls.G1_MSM_MAX_DISCOUNT),
        bls12_381.multiply_g1,
    ),
    0x0D: (_fixed(bls.BLS12_G2_ADD_GAS), bls12_381.add_g2),
    0x0E: (
        _discounted(288, bls.BLS12_G2_MSM_GAS, bls.G2_MSM_DISCOUNTS, bls.G2_MSM_MAX_DISCOUNT),
        bls12_381.multiply_g2,
    ),
    0x0F: (_per_item(bls12_381.PAIR_SIZE, 32_600, 37_700), bls12_381.check_pairing),
    0x10: (_fixed(bls.BLS12_MAP_FP_G1_GAS), bls12_381.map_to_g1),
    0x11: (_fixed(bls.BLS12_MAP_FP2_G2_GAS), bls12_381.map_to_g2),
}

_ALT_BN128_SINCE_ISTANBUL: dict[int, tuple[Price, Function]] = {
    0x06: (_fixed(150), alt_bn128.add),
    0x07: (_fixed(6_000), alt_bn128.multiply),
    0x08: (_per_item(alt_bn128.PAIR_SIZE, 34_000, 45_000), alt_bn128.check_pairing),
}
"""EIP-1108."""

_OSAKA: dict[Address, Precompile] = {
    MODEXP: modexp_since_osaka,
    Address((0x100).to_bytes(20)): _precompile(_fixed(6_900), verify_p256),
}
"""Contracts that Osaka brings or changes."""
