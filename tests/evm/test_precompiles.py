"""`devchain.evm.precompiles` and the curve's contracts: py-evm's own are the judge."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from eth.exceptions import VMError
from eth.vm.forks.byzantium.computation import BYZANTIUM_PRECOMPILES
from eth.vm.forks.homestead.computation import HomesteadComputation
from eth.vm.forks.istanbul.computation import ISTANBUL_PRECOMPILES

from devchain.evm.alt_bn128.curve import TwistPoint, write_point
from devchain.evm.alt_bn128.fields import PRIME
from devchain.evm.precompiles import with_fast_precompiles
from devchain.types import Address
from tests.contracts import word
from tests.evm.alt_bn128 import judge


def pair(factor: int, twist: TwistPoint) -> bytes:
    """A pair as the contract takes it."""
    (a, b), (c, d) = twist or ((0, 0), (0, 0))
    return write_point(judge.point(factor)) + b"".join(map(word, (b, a, d, c)))


ADDITIONS = {
    "nothing": b"",
    "two": write_point(judge.point(5)) + write_point(judge.point(8)),
    "twice the same": write_point(judge.point(5)) * 2,
    "too long": write_point(judge.point(5)) * 3,
    "cut": (word(1) + word(2))[:63],
    "off the curve": word(1) + word(1),
    "above the prime": word(PRIME + 1) + word(2),
}
PRODUCTS = {
    "nothing": b"",
    "product": write_point(judge.point(5)) + word(2**256 - 1),
    "no factor": write_point(judge.point(5)),
    "cut factor": write_point(judge.point(5)) + b"\x01",
    "off the curve": word(1) + word(1) + word(1),
}
PAIRINGS = {
    "nothing": b"",
    "one": pair(2, judge.twist_point(3)) + pair(-6 % judge.bn128.curve_order, judge.twist_point(1)),
    "not one": pair(1, judge.twist_point(1)),
    "infinity": pair(0, judge.twist_point(1)) + pair(1, None),
    "cut": pair(1, judge.twist_point(1))[:-1],
    "outside": pair(1, judge.outside(1)),
    "outside beside infinity": pair(0, judge.outside(1)),
    "off the twist": pair(1, ((1, 2), (3, 4))),
}
CASES = [
    pytest.param(number, payload, id=f"{number}-{name}")
    for number, payloads in ((6, ADDITIONS), (7, PRODUCTS), (8, PAIRINGS))
    for name, payload in payloads.items()
]


def answer(contract: Any, payload: bytes) -> tuple[bytes | None, list[int]]:
    """What a contract answers, None if it fails, and the gas it takes when it does not."""
    taken: list[int] = []
    message = SimpleNamespace(data=payload, data_as_bytes=payload)
    computation = SimpleNamespace(
        msg=message, output=b"", consume_gas=lambda amount, reason: taken.append(amount)
    )
    try:
        contract(computation)
    except VMError:
        return None, []
    return computation.output, taken


class TestWithFastPrecompiles:
    @pytest.mark.parametrize(("number", "payload"), CASES)
    def test_as_the_judge(self, number: int, payload: bytes) -> None:
        """Same answers, same failures, same gas."""
        address = Address(number.to_bytes(20, "big"))
        judges = ISTANBUL_PRECOMPILES
        ours = with_fast_precompiles(judges, "istanbul")

        assert ours[address] is not judges[address]
        assert answer(ours[address], payload) == answer(judges[address], payload)

    @pytest.mark.parametrize("number", [6, 7, 8])
    def test_earlier_prices(self, number: int) -> None:
        """Before EIP-1108 the curve was dearer."""
        address = Address(number.to_bytes(20, "big"))
        judges = BYZANTIUM_PRECOMPILES
        ours = with_fast_precompiles(judges, "petersburg")
        payload = bytes(2 * 192)

        assert answer(ours[address], payload) == answer(judges[address], payload)

    def test_not_there_yet(self) -> None:
        """A hardfork without the curve does not get it."""
        before = HomesteadComputation.get_precompiles()

        assert with_fast_precompiles(before, "homestead") == before
