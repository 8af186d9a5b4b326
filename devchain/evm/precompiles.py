"""Ethereum's precompiled contracts: py-evm's, where it takes its time for them with faster ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eth.exceptions import VMError

from devchain.evm.alt_bn128 import contracts
from devchain.evm.alt_bn128.curve import NotOnCurve
from devchain.hardforks import ETHEREUM
from devchain.types import Address

Contract = Callable[[Any], Any]
Price = Callable[[int], int]
"""The gas of a call whose payload has that many bytes."""

_BYZANTIUM: dict[int, Price] = {
    0x06: lambda _: 500,
    0x07: lambda _: 40_000,
    0x08: lambda size: 100_000 + 80_000 * (size // contracts.PAIR),
}
_ISTANBUL: dict[int, Price] = {
    0x06: lambda _: 150,
    0x07: lambda _: 6_000,
    0x08: lambda size: 45_000 + 34_000 * (size // contracts.PAIR),
}
"""EIP-1108 made the curve cheaper."""

_ANSWERS = {0x06: contracts.add, 0x07: contracts.multiply, 0x08: contracts.check_pairing}


def with_fast_precompiles(
    precompiles: dict[Address, Contract], hardfork: str
) -> dict[Address, Contract]:
    """Those contracts, the ones of alt_bn128 replaced by our own at the hardfork's prices."""
    is_istanbul = ETHEREUM.index(hardfork) >= ETHEREUM.index("istanbul")
    prices = _ISTANBUL if is_istanbul else _BYZANTIUM
    replaced = dict(precompiles)
    for number, answer in _ANSWERS.items():
        address = Address(number.to_bytes(20, "big"))
        if address in precompiles:
            replaced[address] = _priced(answer, prices[number])
    return replaced


def _priced(answer: Callable[[bytes], bytes], price: Price) -> Contract:
    def run(computation: Any) -> Any:
        payload = bytes(computation.msg.data)
        computation.consume_gas(price(len(payload)), reason="alt_bn128")
        try:
            computation.output = answer(payload)
        except NotOnCurve as error:
            msg = "the input is not made of points of the curve"
            raise VMError(msg) from error
        return computation

    return run
