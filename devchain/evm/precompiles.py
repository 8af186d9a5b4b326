"""Ethereum's precompiled contracts: py-evm's, and faster ones for elliptic curves.

Ours are alt_bn128 (0x06 to 0x08), point evaluation (0x0a) and BLS12-381 (0x0b to 0x11). Each is a
function of the input and a gas price by the input's size, under the hardfork's schedule.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
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
from devchain.evm.rules import is_since
from devchain.types import WORD_SIZE, Address

POINT_EVALUATION_SIZE = 192

Precompile = Callable[[Any], Any]
"""A precompiled contract as py-evm has it: a function of a computation."""

Function = Callable[[bytes], bytes]
"""Output by input; raises `ValueError` for invalid input."""

Price = Callable[[int], int]
"""Gas by the size of the input."""


def with_fast_precompiles(
    precompiles: dict[Address, Precompile], hardfork: str
) -> dict[Address, Precompile]:
    """Those contracts, slow ones replaced by ours at the hardfork's prices."""
    fast = _FAST | (_ALT_BN128_SINCE_ISTANBUL if is_since(hardfork, "istanbul") else {})
    by_address = {
        Address(number.to_bytes(20)): _precompile(*contract) for number, contract in fast.items()
    }
    return precompiles | {each: by_address[each] for each in precompiles.keys() & by_address}


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
    """A base price, and a price for each item of that size."""
    return lambda size: base + gas * (size // item_size)


def _discounted(item_size: int, gas: int, discounts: Sequence[int], maximum: int) -> Price:
    """A price for each item of that size, at a discount by their number, in thousandths."""

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
    """The secret of the KZG ceremony times the generator of G2: the second G2 point of its result.

    Verifying takes no other point; py-evm loads the whole result with each call, for seconds.
    """
    g1_count, _, *points = Path(TRUSTED_SETUP_PATH).read_text(encoding="ascii").split()
    return bytes.fromhex(points[int(g1_count) + 1])


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
