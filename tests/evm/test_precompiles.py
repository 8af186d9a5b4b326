"""`devchain.evm.precompiles` and the curve's contracts: py-evm's own are the judge."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from eth.exceptions import VMError
from eth.precompiles.point_evaluation import TRUSTED_SETUP_PATH
from eth.vm.forks.byzantium.computation import BYZANTIUM_PRECOMPILES
from eth.vm.forks.homestead.computation import HomesteadComputation
from eth.vm.forks.istanbul.computation import ISTANBUL_PRECOMPILES
from eth.vm.forks.prague.computation import PRAGUE_PRECOMPILES
from py_ecc import optimized_bls12_381 as bls
from py_ecc.bls.point_compression import compress_G1

from devchain.evm.alt_bn128.curve import TwistPoint, write_point
from devchain.evm.alt_bn128.fields import PRIME
from devchain.evm.precompiles import with_fast_precompiles
from devchain.types import Address
from tests.bytecode import word
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


def padded(numbers: Any) -> bytes:
    """Numbers as EIP-2537 has them."""
    return b"".join(int(number).to_bytes(64, "big") for number in numbers)


def bls_point(factor: int) -> bytes:
    """A multiple of the first group's generator."""
    return padded(bls.normalize(bls.multiply(bls.G1, factor)))


def bls_twist(factor: int) -> bytes:
    """A multiple of the second group's generator."""
    x, y = bls.normalize(bls.multiply(bls.G2, factor))
    return padded((*x.coeffs, *y.coeffs))


FACTOR = b"\xfe" * 32
G1_STRAY = padded((0, 2))
"""On the curve, of order 3: outside the subgroup."""

BLS_PRIME = bls.field_modulus
BLS = {
    0x0B: {
        "two": bls_point(5) + bls_point(8),
        "infinity": bls_point(5) + bytes(128),
        "opposite": bls_point(5) + bls_point(bls.curve_order - 5),
        "outside": G1_STRAY * 2,
        "off the curve": padded((1, 1, 1, 1)),
        "above the prime": padded((BLS_PRIME, 2, 0, 2)),
        "cut": (bls_point(5) * 2)[1:],
        "nothing": b"",
    },
    0x0C: {
        "one": bls_point(5) + FACTOR,
        "two": bls_point(5) + FACTOR + bytes(128) + FACTOR,
        "outside": G1_STRAY + FACTOR,
        "cut": bls_point(5),
        "nothing": b"",
    },
    0x0D: {"two": bls_twist(5) + bls_twist(8), "infinity": bytes(512), "off": padded([1] * 8)},
    0x0E: {"one": bls_twist(5) + FACTOR, "nothing": b""},
    0x0F: {"infinity": bls_point(3) + bytes(256), "outside": G1_STRAY + bls_twist(1), "cut": b"1"},
    0x10: {"number": padded([12345]), "above the prime": padded([BLS_PRIME]), "cut": b"1"},
    0x11: {"numbers": padded([123, 45])},
}
BLS_CASES = [
    pytest.param(number, payload, id=f"{number:x}-{name}")
    for number, payloads in BLS.items()
    for name, payload in payloads.items()
]
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


def charged(contract: Any, payload: bytes) -> list[int]:
    """The gas a contract takes of a payload that it then refuses."""
    taken: list[int] = []
    computation = SimpleNamespace(
        msg=SimpleNamespace(data=payload, data_as_bytes=payload),
        consume_gas=lambda amount, reason: taken.append(amount),
    )
    with pytest.raises(VMError):
        contract(computation)
    return taken


class TestWithFastPrecompiles:
    @pytest.mark.parametrize(("number", "payload"), BLS_CASES)
    def test_bls(self, number: int, payload: bytes) -> None:
        """So do the contracts of BLS12-381."""
        address = Address(number.to_bytes(20, "big"))
        judges = PRAGUE_PRECOMPILES
        ours = with_fast_precompiles(judges, "prague")

        assert ours[address] is not judges[address]
        assert answer(ours[address], payload) == answer(judges[address], payload)

    def test_bls_pairing(self) -> None:
        """A product of pairings is one when the factors say so, for the gas of two pairs."""
        contract = with_fast_precompiles(PRAGUE_PRECOMPILES, "prague")[Address(bytes(19) + b"\x0f")]
        product = bls.curve_order - 6
        pairs = bls_point(2) + bls_twist(3) + bls_point(product) + bls_twist(1)

        assert answer(contract, pairs) == (word(1), [37_700 + 2 * 32_600])
        assert answer(contract, pairs[:384])[0] == word(0)

    @pytest.mark.parametrize("count", [1, 2, 128, 129, 200])
    @pytest.mark.parametrize(("number", "size"), [(0x0C, 160), (0x0E, 288)])
    def test_discounts(self, number: int, size: int, count: int) -> None:
        """Many products at once are cheaper, as the judge has it; the payload fails afterwards."""
        address = Address(number.to_bytes(20, "big"))
        payload = b"\xff" * size * count
        judges = PRAGUE_PRECOMPILES

        ours = charged(with_fast_precompiles(judges, "prague")[address], payload)

        assert ours == charged(judges[address], payload) != []

    def test_point_of_a_line(self) -> None:
        """The polynomial x has the value z at z; the ceremony's result knows its commitment."""
        contract = with_fast_precompiles(PRAGUE_PRECOMPILES, "prague")[Address(bytes(19) + b"\x0a")]
        lines = Path(TRUSTED_SETUP_PATH).read_text(encoding="ascii").split()
        commitment = bytes.fromhex(lines[2 + 4096 + 65 + 1])
        digest = b"\x01" + hashlib.sha256(commitment).digest()[1:]
        quotient = compress_G1(bls.G1).to_bytes(48, "big")

        assert answer(contract, digest + word(77) * 2 + commitment + quotient)[0] is not None
        assert answer(contract, digest + word(77) + word(78) + commitment + quotient)[0] is None

    def test_point_evaluation(self) -> None:
        """The constant 0 has the value 0, and no other, everywhere."""
        contract = with_fast_precompiles(PRAGUE_PRECOMPILES, "prague")[Address(bytes(19) + b"\x0a")]
        nothing = b"\xc0" + bytes(47)
        digest = b"\x01" + hashlib.sha256(nothing).digest()[1:]
        zero = digest + word(5) + word(0) + nothing + nothing

        output, gas = answer(contract, zero)

        assert output == word(4096) + word(bls.curve_order)
        assert gas == [50_000]
        assert answer(contract, zero.replace(word(0), word(1), 1))[0] is None
        assert answer(contract, digest + word(5) + b"\xff" * 32 + nothing + nothing)[0] is None
        assert answer(contract, zero[:-1])[0] is None
        assert answer(contract, bytes(192))[0] is None
        assert answer(contract, digest + b"\xff" * 64 + nothing + nothing)[0] is None

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
