"""`devchain.evm.precompiles` and the curves' contracts, compared with py-evm's."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from Crypto.PublicKey.ECC import EccPoint
from eth.exceptions import VMError
from eth.precompiles.point_evaluation import TRUSTED_SETUP_PATH
from eth.vm.forks.byzantium.computation import BYZANTIUM_PRECOMPILES
from eth.vm.forks.homestead.computation import HomesteadComputation
from eth.vm.forks.istanbul.computation import ISTANBUL_PRECOMPILES
from eth.vm.forks.prague.computation import PRAGUE_PRECOMPILES
from hypothesis import given, settings
from hypothesis import strategies as st
from py_ecc import optimized_bls12_381 as bls
from py_ecc.bls.point_compression import compress_G1

from devchain.config import Config
from devchain.evm.alt_bn128 import PRIME, TwistPoint, write_point
from devchain.evm.precompiles import (
    P256_GENERATOR,
    P256_ORDER,
    P256_PRIME,
    verify_p256,
    with_fast_precompiles,
)
from devchain.node import Node
from devchain.types import Address, TransactionRequest
from tests.bytecode import word
from tests.conftest import GENESIS_TIME
from tests.evm.alt_bn128 import reference


def pair(factor: int, twist: TwistPoint) -> bytes:
    """The encoding of a pair of points."""
    (a, b), (c, d) = twist or ((0, 0), (0, 0))
    return write_point(reference.point(factor)) + b"".join(map(word, (b, a, d, c)))


ADDITIONS = {
    "nothing": b"",
    "two": write_point(reference.point(5)) + write_point(reference.point(8)),
    "twice the same": write_point(reference.point(5)) * 2,
    "too long": write_point(reference.point(5)) * 3,
    "cut": (word(1) + word(2))[:63],
    "off the curve": word(1) + word(1),
    "above the prime": word(PRIME + 1) + word(2),
}
PRODUCTS = {
    "nothing": b"",
    "product": write_point(reference.point(5)) + word(2**256 - 1),
    "no factor": write_point(reference.point(5)),
    "cut factor": write_point(reference.point(5)) + b"\x01",
    "off the curve": word(1) + word(1) + word(1),
}
PAIRINGS = {
    "nothing": b"",
    "one": pair(2, reference.twist_point(3))
    + pair(-6 % reference.bn128.curve_order, reference.twist_point(1)),
    "not one": pair(1, reference.twist_point(1)),
    "infinity": pair(0, reference.twist_point(1)) + pair(1, None),
    "cut": pair(1, reference.twist_point(1))[:-1],
    "outside": pair(1, reference.outside(1)),
    "outside beside infinity": pair(0, reference.outside(1)),
    "off the twist": pair(1, ((1, 2), (3, 4))),
}


def padded(numbers: Any) -> bytes:
    """Field elements in the encoding of EIP-2537."""
    return b"".join(int(number).to_bytes(64, "big") for number in numbers)


def bls_point(factor: int) -> bytes:
    """A multiple of the first group's generator."""
    return padded(bls.normalize(bls.multiply(bls.G1, factor)))


def bls_twist(factor: int) -> bytes:
    """A multiple of the second group's generator."""
    x, y = bls.normalize(bls.multiply(bls.G2, factor))
    return padded((*x.coeffs, *y.coeffs))


FACTOR = b"\xfe" * 32
G1_OUTSIDE = padded((0, 2))
"""On the curve, of order 3: outside the subgroup."""

BLS_PRIME = bls.field_modulus
BLS = {
    0x0B: {
        "two": bls_point(5) + bls_point(8),
        "infinity": bls_point(5) + bytes(128),
        "opposite": bls_point(5) + bls_point(bls.curve_order - 5),
        "outside": G1_OUTSIDE * 2,
        "off the curve": padded((1, 1, 1, 1)),
        "above the prime": padded((BLS_PRIME, 2, 0, 2)),
        "cut": (bls_point(5) * 2)[1:],
        "nothing": b"",
    },
    0x0C: {
        "one": bls_point(5) + FACTOR,
        "two": bls_point(5) + FACTOR + bytes(128) + FACTOR,
        "outside": G1_OUTSIDE + FACTOR,
        "cut": bls_point(5),
        "nothing": b"",
    },
    0x0D: {"two": bls_twist(5) + bls_twist(8), "infinity": bytes(512), "off": padded([1] * 8)},
    0x0E: {"one": bls_twist(5) + FACTOR, "nothing": b""},
    0x0F: {
        "infinity": bls_point(3) + bytes(256),
        "outside": G1_OUTSIDE + bls_twist(1),
        "cut": b"1",
    },
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


def run(contract: Any, payload: bytes) -> tuple[bytes | None, list[int]]:
    """The output of a contract, None if it fails, and the gas it charges if it does not."""
    charges: list[int] = []
    message = SimpleNamespace(data=payload, data_as_bytes=payload)
    computation = SimpleNamespace(
        msg=message, output=b"", consume_gas=lambda amount, reason: charges.append(amount)
    )
    try:
        contract(computation)
    except VMError:
        return None, []
    return computation.output, charges


def charged(contract: Any, payload: bytes) -> list[int]:
    """The gas that a contract charges for input on which it fails."""
    charges: list[int] = []
    computation = SimpleNamespace(
        msg=SimpleNamespace(data=payload, data_as_bytes=payload),
        consume_gas=lambda amount, reason: charges.append(amount),
    )
    with pytest.raises(VMError):
        contract(computation)
    return charges


class TestWithFastPrecompiles:
    @pytest.mark.parametrize(("number", "payload"), BLS_CASES)
    def test_bls(self, number: int, payload: bytes) -> None:
        """The contracts of BLS12-381 have the same outputs, failures and gas."""
        address = Address(number.to_bytes(20, "big"))
        theirs = PRAGUE_PRECOMPILES
        ours = with_fast_precompiles(theirs, "prague")

        assert ours[address] is not theirs[address]
        assert run(ours[address], payload) == run(theirs[address], payload)

    def test_bls_pairing(self) -> None:
        """A product of pairings is one if the scalars cancel out, for the gas of two pairs."""
        contract = with_fast_precompiles(PRAGUE_PRECOMPILES, "prague")[Address(bytes(19) + b"\x0f")]
        product = bls.curve_order - 6
        pairs = bls_point(2) + bls_twist(3) + bls_point(product) + bls_twist(1)

        assert run(contract, pairs) == (word(1), [37_700 + 2 * 32_600])
        assert run(contract, pairs[:384])[0] == word(0)

    @pytest.mark.parametrize("count", [1, 2, 128, 129, 200])
    @pytest.mark.parametrize(("number", "size"), [(0x0C, 160), (0x0E, 288)])
    def test_discounts(self, number: int, size: int, count: int) -> None:
        """The discount for many products is py-evm's; the input fails after it is charged."""
        address = Address(number.to_bytes(20, "big"))
        payload = b"\xff" * size * count
        theirs = PRAGUE_PRECOMPILES

        ours = charged(with_fast_precompiles(theirs, "prague")[address], payload)

        assert ours == charged(theirs[address], payload) != []

    def test_point_of_a_line(self) -> None:
        """The polynomial x has the value z at z; its commitment is in the trusted setup."""
        contract = with_fast_precompiles(PRAGUE_PRECOMPILES, "prague")[Address(bytes(19) + b"\x0a")]
        lines = Path(TRUSTED_SETUP_PATH).read_text(encoding="ascii").split()
        commitment = bytes.fromhex(lines[2 + 4096 + 65 + 1])
        digest = b"\x01" + hashlib.sha256(commitment).digest()[1:]
        quotient = compress_G1(bls.G1).to_bytes(48, "big")

        assert run(contract, digest + word(77) * 2 + commitment + quotient)[0] is not None
        assert run(contract, digest + word(77) + word(78) + commitment + quotient)[0] is None

    def test_point_evaluation(self) -> None:
        """The polynomial 0 has the value 0 everywhere, and no other."""
        contract = with_fast_precompiles(PRAGUE_PRECOMPILES, "prague")[Address(bytes(19) + b"\x0a")]
        nothing = b"\xc0" + bytes(47)
        digest = b"\x01" + hashlib.sha256(nothing).digest()[1:]
        zero = digest + word(5) + word(0) + nothing + nothing

        output, gas = run(contract, zero)

        assert output == word(4096) + word(bls.curve_order)
        assert gas == [50_000]
        assert run(contract, zero.replace(word(0), word(1), 1))[0] is None
        assert run(contract, digest + word(5) + b"\xff" * 32 + nothing + nothing)[0] is None
        assert run(contract, zero[:-1])[0] is None
        assert run(contract, bytes(192))[0] is None
        assert run(contract, digest + b"\xff" * 64 + nothing + nothing)[0] is None

    @pytest.mark.parametrize(("number", "payload"), CASES)
    def test_alt_bn128(self, number: int, payload: bytes) -> None:
        """The contracts of alt_bn128 have the same outputs, failures and gas."""
        address = Address(number.to_bytes(20, "big"))
        theirs = ISTANBUL_PRECOMPILES
        ours = with_fast_precompiles(theirs, "istanbul")

        assert ours[address] is not theirs[address]
        assert run(ours[address], payload) == run(theirs[address], payload)

    @pytest.mark.parametrize("number", [6, 7, 8])
    def test_earlier_prices(self, number: int) -> None:
        """Before EIP-1108 alt_bn128 had higher prices."""
        address = Address(number.to_bytes(20, "big"))
        theirs = BYZANTIUM_PRECOMPILES
        ours = with_fast_precompiles(theirs, "petersburg")
        payload = bytes(2 * 192)

        assert run(ours[address], payload) == run(theirs[address], payload)

    def test_not_there_yet(self) -> None:
        """A hardfork without the contracts does not get them."""
        before = HomesteadComputation.get_precompiles()

        assert with_fast_precompiles(before, "homestead") == before


class TestModexp:
    @pytest.mark.parametrize("hardfork", ["byzantium", "berlin", "prague", "osaka", "vetiver"])
    @pytest.mark.parametrize(
        ("sizes", "operands", "expected"),
        [
            ((0, 0, 1), b"\2", b"\1"),
            ((0, 0, 2), b"\0\2", b"\0\1"),
            ((0, 3, 1), b"\0\0\0\2", b"\1"),
            ((0, 0, 1), b"\1", b"\0"),
            ((0, 0, 1), b"\0", b"\0"),
            ((0, 0, 1), b"", b"\0"),
            ((0, 1, 1), b"\3\2", b"\0"),
            ((1, 0, 1), b"\0\2", b"\1"),
            ((0, 0, 0), b"", b""),
        ],
    )
    def test_empty_base(
        self, hardfork: str, sizes: tuple[int, ...], operands: bytes, expected: bytes
    ) -> None:
        """Nothing to the power of nothing is 1, modulo the modulus (EIP-198)."""
        data = b"".join(map(word, sizes)) + operands
        node = Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME))
        request = TransactionRequest(to=Address((5).to_bytes(20)), data=data, gas=100_000)

        assert node.call(request) == expected


GENERATOR = EccPoint(*P256_GENERATOR, "p256")
NUMBERS = st.integers(1, P256_ORDER - 1) | st.sampled_from([1, 2, 3, P256_ORDER - 1])


def verify(digest: int, r: int, s: int, key: EccPoint | tuple[int, int]) -> bool:
    """Whether P256VERIFY takes (r, s) for a signature of that key."""
    x, y = key if isinstance(key, tuple) else (int(key.x), int(key.y))
    output = verify_p256(b"".join(number.to_bytes(32) for number in (digest, r, s, x, y)))
    assert output in {b"", (1).to_bytes(32)}
    return bool(output)


def sign(secret: int, digest: int, nonce: int) -> tuple[int, int]:
    """A signature made with pycryptodome's arithmetic on the curve."""
    r = int((GENERATOR * nonce).x) % P256_ORDER
    return r, pow(nonce, -1, P256_ORDER) * (digest + r * secret) % P256_ORDER


class TestVerifyP256:
    @settings(max_examples=10, deadline=None)
    @given(secret=NUMBERS, nonce=NUMBERS, digest=st.integers(0, 2**256 - 1), other=NUMBERS)
    def test_signatures(self, secret: int, nonce: int, digest: int, other: int) -> None:
        """Signatures hold, and do not hold for another digest, number or key."""
        r, s = sign(secret, digest, nonce)
        key = GENERATOR * secret

        assert verify(digest, r, s, key) == (s != 0)
        assert not verify((digest + 1) % 2**256, r, s, key)
        # A key and its negative are alike for digest 0.
        is_same = other in {secret, P256_ORDER - secret}
        assert is_same or not verify(digest, r, s, GENERATOR * other)
        assert verify(digest, r, P256_ORDER - s, key) == (s != 0)  # both halves are valid

    def test_infinity(self) -> None:
        """A sum at infinity has no x: with the generator's negative as key, u1 = u2."""
        assert not verify(5, 5, 7, GENERATOR * (P256_ORDER - 1))

    @pytest.mark.parametrize("wrong", [0, P256_ORDER, P256_ORDER + 1, 2**256 - 1])
    def test_out_of_range(self, wrong: int) -> None:
        """0 and numbers from the order on are no parts of a signature."""
        r, s = sign(7, 9, 11)

        assert not verify(9, wrong, s, GENERATOR * 7)
        assert not verify(9, r, wrong, GENERATOR * 7)

    def test_large_x(self) -> None:
        """A point whose x is above the order: r is x less the order (found by search)."""
        b = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
        squares = {x: (x**3 - 3 * x + b) % P256_PRIME for x in range(P256_ORDER, P256_ORDER + 99)}
        x = next(x for x in squares if pow(squares[x], (P256_PRIME - 1) // 2, P256_PRIME) == 1)
        point = EccPoint(x, pow(squares[x], (P256_PRIME + 1) // 4, P256_PRIME), "p256")
        r, s = x - P256_ORDER, 12_345
        # The key for which s·R = digest·G + r·key holds with digest 0.
        assert verify(0, r, s, point * (s * pow(r, -1, P256_ORDER) % P256_ORDER))

    @pytest.mark.parametrize(("dx", "dy"), [(0, 1), (P256_PRIME, 0), (0, P256_PRIME)])
    def test_no_point(self, dx: int, dy: int) -> None:
        """Infinity, pairs that are not on the curve and large coordinates are no keys."""
        (r, s), (x, y) = sign(1, 9, 11), P256_GENERATOR

        assert verify(9, r, s, (x, y))
        assert not verify(9, r, s, ((x + dx) % 2**256, (y + dy) % 2**256))
        assert not verify(9, r, s, (0, 0))
