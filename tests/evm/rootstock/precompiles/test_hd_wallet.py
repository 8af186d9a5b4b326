"""`devchain.evm.rootstock.precompiles.hd_wallet`"""

from __future__ import annotations

import pytest

from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from tests.bytecode import word
from tests.evm.rootstock.precompiles.calling import (
    HD_WALLET_UTILS,
    Machine,
    Outcome,
    dynamic,
    selector,
    unpack,
)
from tests.fuzzing.work import bounded

TEST_KEY = (
    b"tpubD6NzVbkrYhZ4YHQqwWz3Tm1ESZ9AidobeyLG4mEezB6hN8gFFWrcjczyF77Lw3HEs6Rjd2R11BEJ8Y9ptfxx9D"
    b"Fknkdujp58mFMx9H5dc1r"
)
MAIN_KEY = (
    b"xpub661MyMwAqRbcFMGNG2YcHvj3x63bAZN9U5cKikaiQ4zu2D1cvpnZYyXNR9nH62sGp4RR39Ui7SVQSq1PY4JbPu"
    b"Euu5prVJJC3d5Pogft712"
)
HASH = bytes.fromhex("0d3bf5f30dda7584645546079318e97f0e1d044f")


def call(signature: str, arguments: bytes) -> Outcome:
    """Call a method under the newest upgrade."""
    return Machine().call(HD_WALLET_UTILS, selector(signature) + arguments)


class TestToBase58Check:
    def call(self, hashed: bytes, version: int) -> Outcome:
        """Call the method."""
        arguments = word(64) + word(version % 2**256) + dynamic(hashed)[32:]
        return call("toBase58Check(bytes,int256)", arguments)

    def test_known_address(self) -> None:
        """A test network's address, and the price."""
        outcome = self.call(HASH, 111)

        assert unpack(outcome.output) == b"mgivuh9jErcGdRr81cJ3A7YfgbJV7WNyZV"
        assert outcome.gas == 13_000

    def test_leading_zeros(self) -> None:
        """Each leading zero byte becomes a leading 1."""
        assert unpack(self.call(bytes(20), 0).output) == b"1111111111111111111114oLvT2"

    @pytest.mark.parametrize(
        ("hashed", "version"),
        [(b"\xaa\xbb\xcc", 111), (HASH, -1), (HASH, 256)],
        ids=["hash", "version below 0", "version above 255"],
    )
    def test_refused(self, hashed: bytes, version: int) -> None:
        """A hash has 20 bytes, a version one byte."""
        outcome = self.call(hashed, version)

        assert isinstance(outcome.error, PrecompileFailed)
        assert (outcome.output, outcome.gas) == (b"", 13_000)


class TestDerive:
    signature = "deriveExtendedPublicKey(string,string)"

    @pytest.mark.parametrize(
        ("path", "derived"),
        [
            (
                b"2/3/4",
                (
                    b"tpubDCGMkPKredy7oh6zw8f4ExWFdTgQCrAHToF1ytny3gbVy9GkUNK2Nqh7NbKbh8dkd5VtjUiLJPkbEk"
                    b"eg29NVHwxYwzHJFt9SazGLZrrU4Y4"
                ),
            ),
            (
                b"0/0/0/0/0/0",
                (
                    b"tpubDJ28nwFGUypUD6i8eGCQfMkwNGxzzabA5Mh7AcUdwm6ziFxCSWjy4HyhPXH5uU2ovdMMYLT9W3g3Mr"
                    b"Go52TrprMvX8o1dzT2ZGz1pwCPTNv"
                ),
            ),
            (
                b"2147483647",
                (
                    b"tpubD8fY35uPCY1rUjMUZwhkGUFi33pwkffMEBaCsTSw1he2AbM6DMbPaRR2guvk5qTWDfE9ubFB5pzuUN"
                    b"nMtsqbCeKAAjfepSvEWyetyF9Q4fG"
                ),
            ),
        ],
        ids=["2/3/4", "0/0/0/0/0/0", "2147483647"],
    )
    def test_vectors(self, path: bytes, derived: bytes) -> None:
        """Test vectors of rskj."""
        outcome = call(self.signature, dynamic(TEST_KEY, path))

        assert unpack(outcome.output) == derived
        assert outcome.gas == 107_000

    @pytest.mark.parametrize(
        "path",
        [b"", b"path", b"M/0/1/2", b"/0", b"0/", b"4'/5", b"0/-1", b"0//1", b"0/2147483648"],
        ids=repr,
    )
    def test_bad_path(self, path: bytes) -> None:
        """The numbers of a path are below 2**31."""
        outcome = call(self.signature, dynamic(TEST_KEY, path))

        assert str(outcome.error) == f"not a path: {path.decode()!r}"

    def test_long_numbers(self) -> None:
        """Signs and leading zeros are accepted, too many digits are not."""
        plain = call(self.signature, dynamic(TEST_KEY, b"2/3/4"))
        long = call(self.signature, dynamic(TEST_KEY, b"2/+3/" + b"0" * 5000 + b"4"))
        vast = call(self.signature, dynamic(TEST_KEY, b"9" * 5000))

        assert plain.output == long.output
        assert str(vast.error) == f"not a path: {'9' * 64!r}"

    def test_too_deep(self) -> None:
        """A path has at most ten levels."""
        outcome = call(self.signature, dynamic(TEST_KEY, b"0/1/2/3/4/5/6/7/8/9/10"))

        assert str(outcome.error) == "a path has at most 10 levels, not 11"

    @pytest.mark.parametrize(
        "key",
        [b"no key", b"tprv" + TEST_KEY[4:], TEST_KEY[:-1] + b"s", TEST_KEY * 9, b"xpub0", b"tpub"],
        ids=["none", "private", "checksum", "long", "letter", "short"],
    )
    def test_bad_key(self, key: bytes) -> None:
        """Only extended public keys of mainnet and testnet are accepted."""
        outcome = call(self.signature, dynamic(key, b"0"))

        assert str(outcome.error) == f"not an extended public key: {key.decode()[:64]!r}"


class TestExtract:
    def test_known_key(self) -> None:
        """The key inside an extended key, compressed."""
        signature = "extractPublicKeyFromExtendedPublicKey(string)"
        outcome = call(signature, dynamic(MAIN_KEY))
        key = "02be517550b9e3be7fe42c80932d51e88e698663b4926e598b269d050e87e34d8c"

        assert unpack(outcome.output).hex() == key
        assert outcome.gas == 11_300


KEYS = [
    bytes.fromhex(key)
    for key in (
        "03b53899c390573471ba30e5054f78376c5f797fda26dde7a760789f02908cbad2",
        "027319afb15481dbeb3c426bcc37f9a30e7f51ceff586936d85548d9395bcc2344",
        "0355a2e9bf100c00fc0a214afd1bf272647c7824eb9cb055480962f0c382596a70",
        "02566d5ded7c7db1aa7ee4ef6f76989fb42527fcfdcddcd447d6793b7d869e46f7",
        "0294c817150f78607566e961b3c71df53a22022a80acbb982f83c0c8baac040adc",
        "0372cd46831f3b6afd4c044d160b7667e8ebf659d6cb51a825a3104df6ee0638c6",
        "0340df69f28d69eef60845da7d81ff60a9060d4da35c767f017b0dd4e20448fb44",
        "02ac1901b6fba2c1dbd47d894d2bd76c8ba1d296d65f6ab47f1c6b22afb53e73eb",
        "031aabbeb9b27258f98c2bf21f36677ae7bae09eb2d8c958ef41a20a6e88626d26",
        "0245ef34f5ee218005c9c21227133e8568a4f3f11aeab919c66ff7b816ae1ffeea",
        "02550cc87fa9061162b1dd395a16662529c9d8094c0feca17905a3244713d65fe8",
        "02481f02b7140acbf3fcdd9f72cf9a7d9484d8125e6df7c9451cfa55ba3b077265",
        "03f909ae15558c70cc751aff9b1f495199c325b13a9e5b934fd6299cd30ec50be8",
        "02c6018fcbd3e89f3cf9c7f48b3232ea3638eb8bf217e59ee290f5f0cfb2fb9259",
        "03b65694ccccda83cbb1e56b31308acd08e993114c33f66a456b627c2c1c68bed6",
    )
]
FULL_KEY = bytes.fromhex(
    "04b53899c390573471ba30e5054f78376c5f797fda26dde7a760789f02908cbad2"
    "aafaaa2611606699ec4f82777a268b708dab346de4880cd223969f7bbe5422bf"
)


class TestMultisig:
    def call(self, threshold: int, keys: list[bytes]) -> Outcome:
        """Call the method."""
        arguments = word(threshold) + word(64) + word(len(keys)) + dynamic(*keys)
        return call("getMultisigScriptHash(int256,bytes[])", arguments)

    def test_known_script(self) -> None:
        """Eight of fifteen keys; every key after the second costs 700 gas."""
        outcome = self.call(8, KEYS)

        assert unpack(outcome.output).hex() == "51f103320b435b5fe417b3f3e0f18972ccc710a0"
        assert outcome.gas == 20_000 + 13 * 700

    def test_uncompressed(self) -> None:
        """Keys are compressed and sorted."""
        assert self.call(8, [*KEYS[1:], FULL_KEY]).output == self.call(8, KEYS).output

    @pytest.mark.parametrize(
        ("threshold", "keys", "reason"),
        [
            (0, KEYS[:2], "the number of required signatures has to be greater than zero"),
            (1, KEYS[:1], "want 2 to 15 public keys, got 1"),
            (1, [*KEYS, KEYS[0]], "want 2 to 15 public keys, got 16"),
            (3, KEYS[:2], "2 public keys are fewer than the 3 required signatures"),
            (1, [KEYS[0], b"\1"], "a public key has 33 or 65 bytes, not 1"),
            (1, [KEYS[0], b"\x08" + KEYS[0][1:]], f"not a public key: 0x08{KEYS[0][1:].hex()}"),
        ],
        ids=["no signature", "one key", "16 keys", "too few keys", "length", "no key"],
    )
    def test_refused(self, threshold: int, keys: list[bytes], reason: str) -> None:
        """Two to fifteen public keys, and a threshold they can meet."""
        assert str(self.call(threshold, keys).error) == reason

    def test_shared_keys(self) -> None:
        """Keys that are all the same large bytes of the data take no memory of their own."""
        pointers = word(32 * 2_000) * 2_000
        arguments = word(1) + word(64) + word(2_000) + pointers + word(100_000) + bytes(100_000)
        data = selector("getMultisigScriptHash(int256,bytes[])") + arguments
        machine = Machine()

        outcome = bounded(
            lambda: machine.call(HD_WALLET_UTILS, data), calls=100_000, memory=5 * 10**6
        )

        assert str(outcome.error) == "want 2 to 15 public keys, got 2000"
