"""`devchain.evm.rootstock.precompiles.standard`"""

from __future__ import annotations

import pytest
from eth.exceptions import OutOfGas

from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from tests.bytecode import word
from tests.evm.rootstock.precompiles.calling import Machine

RECOVER, SHA256, RIPEMD160, COPY, MODEXP, ADD, MULTIPLY, PAIRING, BLAKE2F = range(1, 10)

VETIVER = Machine()
PAPYRUS = Machine("papyrus")


class TestRecover:
    digest = bytes.fromhex("18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c")
    signature = bytes.fromhex(
        "73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75f"
        "eeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549"
    )
    signer = bytes(12) + bytes.fromhex("a94f5374fce5edbc8e2a8697c15331677e6ebf0b")

    def test_known_signature(self) -> None:
        """The test vector common to all clients."""
        outcome = VETIVER.call(RECOVER, self.digest + word(28) + self.signature)

        assert outcome.output == self.signer
        assert outcome.gas == 3000

    def test_ignored_bytes(self) -> None:
        """Only the first 128 bytes are read, and the last byte of v."""
        v = word(28 + 256)

        assert VETIVER.call(RECOVER, self.digest + v + self.signature + b"x").output == self.signer

    @pytest.mark.parametrize(
        "payload",
        [
            b"",
            digest + word(28),
            digest + word(28) + signature[:32],
            digest + word(26) + signature,
            digest + word(28) + bytes(32) + signature[32:],
            digest + word(28) + b"\xff" * 32 + signature[32:],
            digest + word(28) + word(5) + signature[32:],
        ],
        ids=["empty", "no signature", "no s", "v 26", "r 0", "r too great", "r not on the curve"],
    )
    def test_no_signature(self, payload: bytes) -> None:
        """An invalid signature gives an empty output, not a failure."""
        outcome = VETIVER.call(RECOVER, payload)

        assert (outcome.output, outcome.gas, outcome.error) == (b"", 3000, None)

    def test_infinity(self) -> None:
        """A signature that recovers to infinity gives the hash of the empty string, as in rskj."""
        digest = bytes.fromhex("f7cf90057f86838e5efd677f4741003ab90910e4e2736ff4d7999519d162d1ed")
        r = 28824799845160661199077176548860063813328724131408018686643359460017962873020
        s = 48456094880180616145578324187715054843822774625773874469802229460318542735739

        outcome = VETIVER.call(RECOVER, digest + word(27) + word(r) + word(s))

        assert outcome.output.hex() == 24 * "0" + "dcc703c0e500b653ca82273b7bfad8045d85a470"


class TestHashes:
    @pytest.mark.parametrize(
        ("number", "payload", "output", "gas"),
        [
            (
                SHA256,
                "",
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                60,
            ),
            (
                SHA256,
                "112233",
                "49ee2bf93aac3b1fb4117e59095e07abe555c3383b38d608da37680a406096e8",
                72,
            ),
            (
                RIPEMD160,
                63 * "0" + "1",
                "000000000000000000000000ae387fcfeb723c3f5964509af111cf5a67f30661",
                720,
            ),
            (COPY, "112233445566", "112233445566", 18),
            (COPY, "", "", 15),
        ],
        ids=["sha256 of nothing", "sha256", "ripemd160", "identity", "identity of nothing"],
    )
    def test_vectors(self, number: int, payload: str, output: str, gas: int) -> None:
        """Known outputs, and gas per word."""
        outcome = VETIVER.call(number, bytes.fromhex(payload))

        assert (outcome.output.hex(), outcome.gas) == (output, gas)


class TestModexp:
    huge = 2**256 - 2**32 - 978  # EIP-198's prime
    powered = 26689440342447178617115869845918039756797228267049433585260346420242739014315

    @pytest.mark.parametrize(
        ("payload", "output", "gas"),
        [
            (word(1) + word(32) + word(32) + b"\3" + word(huge) + word(huge + 1), word(1), 13_056),
            (word(0) + word(32) + word(32) + word(huge) + word(huge + 1), word(0), 13_056),
            (
                word(1) + word(2) + word(32) + b"\3\xff\xff" + word(1 << 255) + b"\7",
                word(powered),
                768,
            ),
            (word(1) + word(2) + word(32) + b"\3\xff\xff\x80", word(powered), 768),
            (word(0) + word(0) + word(1) + b"\5", b"\1", 0),
            (word(1) + word(1) + word(1) + b"\3\3\0", b"\0", 0),
            (word(0) + word(2**255), b"", 0),
            (b"", b"", 0),
        ],
        ids=[
            "Fermat",
            "power of 0",
            "too long",
            "too short",
            "0 to the power of 0",
            "modulo 0",
            "only an exponent",
            "nothing",
        ],
    )
    def test_vectors(self, payload: bytes, output: bytes, gas: int) -> None:
        """The examples of EIP-198, and edge cases."""
        outcome = VETIVER.call(MODEXP, payload)

        assert (outcome.output, outcome.gas) == (output, gas)

    def test_too_large(self) -> None:
        """Lengths are limited to Java's largest int before gas is computed."""
        payload = word(0) + word(32) + word(2**256 - 1) + word(2**256 - 2)
        price = 3_674_950_435_109_146_392

        outcome = VETIVER.call(MODEXP, payload, gas=price - 1)

        assert isinstance(outcome.error, OutOfGas)
        assert outcome.gas == price - 1

    def test_beyond_addresses(self) -> None:
        """An operand beyond Java's largest index gives an empty output."""
        outcome = VETIVER.call(MODEXP, word(0) + word(2**31) + word(1), gas=10**9)

        assert (outcome.output, outcome.error) == (b"", None)

    @pytest.mark.parametrize(("size", "gas"), [(64, 204), (1024, 17_868), (2048, 52_275)])
    def test_complexity(self, size: int, gas: int) -> None:
        """The three ranges of the complexity formula."""
        assert VETIVER.call(MODEXP, word(size) + word(0) + word(1)).gas == gas


POINT = word(1) + word(2)
OFF_CURVE = 4 * (b"\x11" * 32)
PAIRS = bytes.fromhex(
    "2eca0c7238bf16e83e7a1e6c5d49540685ff51380f309842a98561558019fc02"
    "03d3260361bb8451de5ff5ecd17f010ff22f5c31cdf184e9020b06fa5997db84"
    "1213d2149b006137fcfb23036606f848d638d576a120ca981b5b1a5f9300b3ee"
    "2276cf730cf493cd95d64677bbb75fc42db72513a4c1e387b476d056f80aa75f"
    "21ee6226d31426322afcda621464d0611d226783262e21bb3bc86b537e986237"
    "096df1f82dff337dd5972e32a8ad43e28a78a96a823ef1cd4debe12b6552ea5f"
    "06967a1237ebfeca9aaae0d6d0bab8e28c198c5a339ef8a2407e31cdac516db9"
    "22160fa257a5fd5b280642ff47b65eca77e626cb685c84fa6d3b6882a283ddd1"
    "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2"
    "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed"
    "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b"
    "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa"
)


class TestCurve:
    @pytest.mark.parametrize(
        ("number", "payload", "output", "gas"),
        [
            (
                ADD,
                POINT + POINT,
                (
                    "030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3"
                    "15ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4"
                ),
                150,
            ),
            (ADD, POINT, POINT.hex(), 150),
            (ADD, b"", 128 * "0", 150),
            (
                MULTIPLY,
                POINT + b"\xff" * 32,
                (
                    "2f588cffe99db877a4434b598ab28f81e0522910ea52b45f0adaa772b2d5d352"
                    "12f42fa8fd34fb1b33d8c6a718b6590198389b26fc9d8808d971f8b009777a97"
                ),
                6000,
            ),
            (MULTIPLY, POINT + word(1), POINT.hex(), 6000),
            (MULTIPLY, POINT, 128 * "0", 6000),
            (PAIRING, b"", word(1).hex(), 45_000),
            (PAIRING, PAIRS, word(1).hex(), 113_000),
            (PAIRING, PAIRS[:192], word(0).hex(), 79_000),
        ],
        ids=[
            "double",
            "plus infinity",
            "infinity",
            "times 2**256 - 1",
            "times 1",
            "times 0",
            "no pairs",
            "pairs",
            "one pair",
        ],
    )
    def test_vectors(self, number: int, payload: bytes, output: str, gas: int) -> None:
        """Known sums, products and pairings, with Rootstock's gas."""
        outcome = VETIVER.call(number, payload)

        assert (outcome.output.hex(), outcome.gas) == (output, gas)

    @pytest.mark.parametrize(
        ("number", "payload", "gas"),
        [
            (ADD, OFF_CURVE, 150),
            (MULTIPLY, OFF_CURVE, 6000),
            (PAIRING, b"\x12\x34", 45_000),
            (PAIRING, 6 * (b"\x11" * 32), 79_000),
        ],
        ids=["add", "mul", "no whole pair", "pairing"],
    )
    def test_bad_points(self, number: int, payload: bytes, gas: int) -> None:
        """Invalid points fail at the usual gas; before Iris they give an empty output."""
        now, then = VETIVER.call(number, payload), PAPYRUS.call(number, payload)

        assert isinstance(now.error, PrecompileFailed)
        assert (now.output, now.gas) == (b"", gas)
        assert (then.output, then.gas, then.error) == (b"", gas, None)


class TestBlake2f:
    rest = bytes.fromhex(
        "48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5"
        "d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b"
        "616263" + 250 * "0" + "03" + 30 * "0"
    )

    def payload(self, rounds: int, flag: int = 1) -> bytes:
        """The input for RFC 7693's example `abc` with that many rounds."""
        return rounds.to_bytes(4, "big") + self.rest + bytes([flag])

    @pytest.mark.parametrize(
        ("rounds", "flag", "output"),
        [
            (
                0,
                1,
                (
                    "08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5"
                    "d282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b"
                ),
            ),
            (
                12,
                1,
                (
                    "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                    "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
                ),
            ),
            (
                12,
                0,
                (
                    "75ab69d3190a562c51aef8d88f1c2775876944407270c42c9844252c26d28752"
                    "98743e7f6d5ea2f2d3e8d226039cd31b4e426ac4f2d3d666a610c2116fde4735"
                ),
            ),
            (
                1,
                1,
                (
                    "b63a380cb2897d521994a85234ee2c181b5f844d2c624c002677e9703449d2fb"
                    "a551b3a8333bcdf5f2f7e08993d53923de3d64fcc68c034e717b9293fed7a421"
                ),
            ),
        ],
        ids=["no rounds", "final", "not final", "one round"],
    )
    def test_vectors(self, rounds: int, flag: int, output: str) -> None:
        """Test vectors of EIP-152; a round costs one gas."""
        outcome = VETIVER.call(BLAKE2F, self.payload(rounds, flag))

        assert (outcome.output.hex(), outcome.gas) == (output, rounds)

    def test_bad_input(self) -> None:
        """A wrong length fails and costs nothing, a wrong flag fails and costs the rounds."""
        short = VETIVER.call(BLAKE2F, self.payload(12)[1:])
        flagged = VETIVER.call(BLAKE2F, self.payload(12, flag=2))

        assert (str(short.error), short.gas) == ("blake2f takes 213 bytes, not 212", 0)
        assert isinstance(flagged.error, PrecompileFailed)
        assert flagged.gas == 12

    def test_too_long(self) -> None:
        """Longer input is refused; that of a contract is cut before (see test_calls)."""
        assert VETIVER.call(BLAKE2F, self.payload(1) + b"x").error is not None
