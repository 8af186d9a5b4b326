"""Ethereum's precompiled contracts: py-evm's, where it takes its time for them with faster ones."""

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

from devchain.evm import bls12_381
from devchain.evm.alt_bn128 import precompiles as alt_bn128
from devchain.networks import ETHEREUM
from devchain.types import Address

WORD = 32
EVALUATION = 192

Contract = Callable[[Any], Any]
Answer = Callable[[bytes], bytes]
"""Raises `ValueError` for a payload it cannot answer."""

Price = Callable[[int], int]
"""The gas of a call whose payload has that many bytes."""


def with_fast_precompiles(
    precompiles: dict[Address, Contract], hardfork: str
) -> dict[Address, Contract]:
    """Those contracts, the slow ones replaced by ours at the hardfork's prices."""
    is_istanbul = ETHEREUM.index(hardfork) >= ETHEREUM.index("istanbul")
    ours = _OURS | (_CHEAPER_CURVE if is_istanbul else {})
    by_address = {
        Address(number.to_bytes(20, "big")): _priced(*contract) for number, contract in ours.items()
    }
    return precompiles | {each: by_address[each] for each in precompiles.keys() & by_address}


def _priced(price: Price, answer: Answer) -> Contract:
    def run(computation: Any) -> Any:
        payload = bytes(computation.msg.data)
        computation.consume_gas(price(len(payload)), reason="precompiled contract")
        try:
            computation.output = answer(payload)
        except ValueError as error:
            msg = f"precompiled contract: {error}"
            raise VMError(msg) from error
        return computation

    return run


def _fixed(gas: int) -> Price:
    return lambda _: gas


def _each(size: int, gas: int, base: int) -> Price:
    """So much for each of the parts of that size, and a basic price."""
    return lambda length: base + gas * (length // size)


def _discounted(size: int, gas: int, discounts: Sequence[int], least: int) -> Price:
    """Cheaper the more parts there are; the discounts are in thousandths."""

    def price(length: int) -> int:
        count = length // size
        share = discounts[count - 1] if 0 < count <= len(discounts) else least
        return count * gas * share // bls.MSM_MULTIPLIER

    return price


def evaluate_point(payload: bytes) -> bytes:
    """Whether a blob's polynomial has that value at that point (EIP-4844): two constants if so."""
    if len(payload) != EVALUATION:
        msg = f"want {EVALUATION} bytes, got {len(payload)}"
        raise ValueError(msg)
    commitment, proof = payload[96:144], payload[144:]
    digest = VERSIONED_HASH_VERSION_KZG + hashlib.sha256(commitment).digest()[1:]
    place, value = payload[32:64], payload[64:96]
    if digest != payload[:WORD] or not bls12_381.has_value(
        commitment, place, value, proof, _ceremony_secret()
    ):
        msg = "the proof does not hold"
        raise ValueError(msg)
    return FIELD_ELEMENTS_PER_BLOB.to_bytes(WORD, "big") + BLS_MODULUS.to_bytes(WORD, "big")


@cache
def _ceremony_secret() -> bytes:
    """The secret of the ceremony as a point, the second of the second group in its result.

    That is all a proof takes; py-evm has ckzg read the whole result anew, for seconds, every time.
    """
    numbers, _, *points = Path(TRUSTED_SETUP_PATH).read_text(encoding="ascii").split()
    return bytes.fromhex(points[int(numbers) + 1])


_OURS: dict[int, tuple[Price, Answer]] = {
    0x06: (_fixed(500), alt_bn128.add),
    0x07: (_fixed(40_000), alt_bn128.multiply),
    0x08: (_each(alt_bn128.PAIR, 80_000, 100_000), alt_bn128.check_pairing),
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
    0x0F: (_each(bls12_381.PAIR, 32_600, 37_700), bls12_381.check_pairing),
    0x10: (_fixed(bls.BLS12_MAP_FP_G1_GAS), bls12_381.map_to_g1),
    0x11: (_fixed(bls.BLS12_MAP_FP2_G2_GAS), bls12_381.map_to_g2),
}

_CHEAPER_CURVE: dict[int, tuple[Price, Answer]] = {
    0x06: (_fixed(150), alt_bn128.add),
    0x07: (_fixed(6_000), alt_bn128.multiply),
    0x08: (_each(alt_bn128.PAIR, 34_000, 45_000), alt_bn128.check_pairing),
}
"""EIP-1108."""
