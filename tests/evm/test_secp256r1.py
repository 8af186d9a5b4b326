"""`devchain.evm.secp256r1`"""

from __future__ import annotations

import pytest
from Crypto.PublicKey.ECC import EccPoint
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.evm.secp256r1 import G, N, P, verify

ORACLE = EccPoint(*G, "p256")
"""The generator in pycryptodome's implementation."""
NUMBERS = st.one_of(st.integers(1, N - 1), st.sampled_from([1, 2, 3, N - 2, N - 1]))


def public_key(secret: int) -> tuple[int, int]:
    """The public key of a private key."""
    point = ORACLE * secret
    return int(point.x), int(point.y)


def sign(secret: int, digest: int, nonce: int) -> tuple[int, int]:
    """A signature made with pycryptodome's arithmetic on the curve."""
    r = int((ORACLE * nonce).x) % N
    return r, pow(nonce, -1, N) * (digest + r * secret) % N


class TestVerify:
    @settings(max_examples=40, deadline=None)
    @given(secret=NUMBERS, nonce=NUMBERS, digest=st.integers(0, 2**256 - 1), other=NUMBERS)
    def test_signatures(self, secret: int, nonce: int, digest: int, other: int) -> None:
        """Signatures hold, and do not hold for another digest, number or key."""
        r, s = sign(secret, digest, nonce)
        key = public_key(secret)

        assert verify(digest, r, s, key) == (s != 0)
        assert not verify((digest + 1) % 2**256, r, s, key)
        # A key and its negative are alike for digest 0.
        assert not verify(digest, r, s, public_key(other)) or other in {secret, N - secret}
        assert verify(digest, r, N - s, key) == (s != 0)  # both halves of the range are valid

    @pytest.mark.parametrize("secret", [1, N - 1, 2, N - 2])
    def test_related_to_the_generator(self, secret: int) -> None:
        """Keys for which sums of points meet the generator, its negative, or infinity."""
        for digest in (0, 1, N - 1, N, 2**256 - 1):
            for nonce in (1, 2, 3, N - 1):
                r, s = sign(secret, digest, nonce)
                assert verify(digest, r, s, public_key(secret)) == (s != 0)

    def test_infinity(self) -> None:
        """A sum at infinity has no x: with the generator's negative as key, u1 = u2."""
        assert not verify(5, 5, 7, public_key(N - 1))

    @pytest.mark.parametrize("wrong", [0, N, N + 1, 2**256 - 1])
    def test_out_of_range(self, wrong: int) -> None:
        """0 and numbers from the order on are no parts of a signature."""
        r, s = sign(7, 9, 11)

        assert not verify(9, wrong, s, public_key(7))
        assert not verify(9, r, wrong, public_key(7))

    def test_large_x(self) -> None:
        """A point whose x is above the order: r is x - N (found by search near the order)."""
        x = next(x for x in range(N, N + 100) if pow(right(x), (P - 1) // 2, P) == 1)
        point = EccPoint(x, pow(right(x), (P + 1) // 4, P), "p256")
        r, s = x - N, 12_345
        # The key for which s·R = digest·G + r·key holds with digest 0.
        key = point * (s * pow(r, -1, N) % N) if r else None
        assert key is not None

        assert verify(0, r, s, (int(key.x), int(key.y)))


def right(x: int) -> int:
    """The right side of the curve's equation."""
    return int(
        (x**3 - 3 * x + 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B) % P
    )


@pytest.mark.parametrize(
    "key", [(0, 0), (G[0], G[1] + 1), (G[0] + P, G[1]), (G[0], G[1] + P), (2**256 - 1, 2**256 - 1)]
)
def test_no_point(key: tuple[int, int]) -> None:
    """Infinity, pairs that are not on the curve and large coordinates are no keys."""
    r, s = sign(1, 9, 11)

    assert verify(9, r, s, G)
    assert not verify(9, r, s, key)
