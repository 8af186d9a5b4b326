"""`devchain.contracts.names`"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from devchain.contracts.abi import Abi
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact, Code
from devchain.contracts.names import Names, raw
from devchain.types import Address, Hash32, checksum
from tests.accounts import ALICE, BOB
from tests.bytecode import word

TOKEN, PROXY, UNKNOWN = (Address(bytes([each]) * 20) for each in (1, 2, 3))
CODES = {TOKEN: b"\xaa" * 40, PROXY: b"\xbb" * 40, UNKNOWN: b"\xcc" * 40}


def inputs(*kinds: str, indexed: int = 0) -> list[dict[str, Any]]:
    """Parameters named by letters; the first ones are indexed."""
    return [
        {"name": name, "type": kind, "indexed": index < indexed}
        for index, (name, kind) in enumerate(zip("abcdef", kinds, strict=False))
    ]


def function(name: str, kinds: Sequence[str] = (), outputs: Sequence[str] = ()) -> dict[str, Any]:
    """A function of an ABI."""
    returned = [{"name": "", "type": each} for each in outputs]
    return {"type": "function", "name": name, "inputs": inputs(*kinds), "outputs": returned}


TRANSFER = function("transfer", ["address", "uint256"], ["bool"])
SENT = {
    "type": "event",
    "name": "Sent",
    "inputs": inputs("address", "string", "uint256", indexed=2),
}
QUIET = {
    "type": "event",
    "name": "Quiet",
    "anonymous": True,
    "inputs": inputs("uint256", indexed=1),
}
DENIED = {"type": "error", "name": "Denied", "inputs": inputs("address")}
TOKEN_ABI = Abi.from_json([TRANSFER, SENT, QUIET, DENIED, {"type": "receive"}])


@pytest.fixture
def names() -> Names:
    """Names of a token, and of a proxy with a fallback function; a third contract is unknown."""
    registry = Registry(
        [
            Artifact("Token", TOKEN_ABI, creation=Code(b"\xee" * 40), runtime=Code(CODES[TOKEN])),
            Artifact("Proxy", Abi.from_json([{"type": "fallback"}]), runtime=Code(CODES[PROXY])),
        ]
    )
    return Names(registry, lambda address: CODES.get(address, b""))


def call_data(name: str, *arguments: object) -> bytes:
    """Call data of the token's function."""
    [entry] = TOKEN_ABI.functions_named(name)
    return entry.selector + entry.encode(arguments)


def topic(name: str) -> Hash32:
    """The first topic of the token's event."""
    return next(each.topic for each in TOKEN_ABI.entries if each.name == name)


class TestAddress:
    def test_named(self, names: Names) -> None:
        """A contract's address is followed by its name, an account's is alone."""
        assert names.address(TOKEN) == f"{checksum(TOKEN)} (Token)"
        assert names.address(ALICE) == checksum(ALICE)


class TestCall:
    def test_known(self, names: Names) -> None:
        """Addresses in arguments carry the name of their contract."""
        data = call_data("transfer", PROXY, 10**18)

        assert names.call(TOKEN, data) == (
            f"Token.transfer(a={checksum(PROXY)} (Proxy), b=1000000000000000000)"
        )

    @pytest.mark.parametrize(
        ("to", "label"), [(PROXY, "Proxy"), (UNKNOWN, checksum(UNKNOWN))], ids=["proxy", "none"]
    )
    def test_other_artifact(self, names: Names, to: Address, label: str) -> None:
        """A function that the contract's artifact does not have is found in those of others."""
        data = call_data("transfer", BOB, 1)

        assert names.call(to, data) == f"{label}.transfer(a={checksum(BOB)}, b=1)"

    @pytest.mark.parametrize(
        ("to", "data", "text"),
        [
            (TOKEN, "", "Token.receive()"),
            (TOKEN, "12345678", "Token.0x12345678()"),
            (TOKEN, "12345678ff", "Token.0x12345678(0xff)"),
            (TOKEN, "12", "Token(0x12)"),
            (PROXY, "", "Proxy.fallback()"),
            (PROXY, "12345678", "Proxy.fallback(0x12345678)"),
            (UNKNOWN, "", checksum(UNKNOWN)),
            (UNKNOWN, "12", f"{checksum(UNKNOWN)}(0x12)"),
        ],
    )
    def test_unknown(self, names: Names, to: Address, data: str, text: str) -> None:
        """What no artifact has is shown as hex; `fallback` and `receive` only where they are."""
        assert names.call(to, bytes.fromhex(data)) == text

    def test_wrong_data(self, names: Names) -> None:
        """Data that is not of the function's types is shown as hex."""
        data = call_data("transfer", BOB, 1)[:-1]

        assert names.call(TOKEN, data) == f"Token.0x{data[:4].hex()}({raw(data[4:])})"

    def test_added_later(self, names: Names) -> None:
        """Artifacts that are added later are looked up, too."""
        late = Abi.from_json([function("late")])
        data = late.entries[0].selector
        assert names.function(UNKNOWN, data) == f"0x{data.hex()}()"

        names.registry.add(Artifact("Late", late))

        assert names.function(UNKNOWN, data) == "late()"

    def test_creation(self, names: Names) -> None:
        """A creation has the contract's name."""
        assert names.creation(b"\xee" * 40) == "new Token()"
        assert names.creation(b"\x01") == "new contract"

    def test_creation_arguments(self) -> None:
        """Arguments of the constructor are shown; a creation that lacks them has none."""
        constructor = {"type": "constructor", "inputs": inputs("uint256")}
        box = Artifact("Box", Abi.from_json([constructor]), creation=Code(b"\xee" * 40))
        names = Names(Registry([box]), lambda _: b"")

        assert names.creation(b"\xee" * 40 + word(7)) == "new Box(a=7)"
        assert names.creation(b"\xee" * 40) == "new Box"

    def test_output(self, names: Names) -> None:
        """Returned values are decoded, others shown as hex."""
        assert names.output(TOKEN, call_data("transfer", BOB, 1), word(1)) == "true"
        assert names.output(TOKEN, b"\x01\x02\x03\x04", b"\x05") == "0x05"
        assert names.output(TOKEN, b"", b"") == ""


class TestEvent:
    DATA = word(7)

    @pytest.mark.parametrize("emitter", [TOKEN, UNKNOWN], ids=["own", "other"])
    def test_known(self, names: Names, emitter: Address) -> None:
        """An indexed text is in the log as its hash; events of other artifacts are found."""
        topics = [topic("Sent"), Hash32(bytes(12) + PROXY), Hash32(b"\x09" * 32)]

        assert names.event(emitter, topics, self.DATA) == (
            f"Sent(a={checksum(PROXY)} (Proxy), b=0x{'09' * 32} (hash), c=7)"
        )

    def test_anonymous(self, names: Names) -> None:
        """An anonymous event is known by the number of its topics, in its own contract only."""
        topics = [Hash32(word(5))]

        assert names.event(TOKEN, topics, b"") == "Quiet(a=5)"
        assert names.event(UNKNOWN, topics, b"") is None

    @pytest.mark.parametrize(
        "topics", [[], [b"\x01" * 32, b"\x02" * 32], [topic("Sent")], [topic("Sent"), word(1)]]
    )
    def test_unknown(self, names: Names, topics: list[Hash32]) -> None:
        """Other topics are of no event, even with the first topic of one."""
        assert names.event(TOKEN, topics, self.DATA) is None


class TestError:
    def test_named(self, names: Names) -> None:
        """Addresses in custom errors carry names; other payloads are shown as hex."""
        [entry] = TOKEN_ABI.errors.values()

        assert (
            names.error(entry.selector + bytes(12) + TOKEN)
            == f"Denied(a={checksum(TOKEN)} (Token))"
        )
        assert names.error(b"\x01\x02\x03\x04") == "0x01020304"
        assert names.error(b"\x01\x02\x03\x04" + word(7)) == f"0x01020304(0x{word(7).hex()})"
        assert names.error(b"\x01\x02\x03" + word(7)) == f"0x010203{word(7).hex()}"


def test_raw() -> None:
    """Long data is shortened, with its size."""
    assert raw(bytes(2_000)) == f"0x{'00' * 36}... (2,000 bytes)"


def test_equal_code() -> None:
    """Of contracts with equal code the one added last is named, with how many others there are."""
    registry = Registry(
        Artifact(name, TOKEN_ABI, runtime=Code(CODES[TOKEN])) for name in ("Gold", "Silver", "Iron")
    )
    names = Names(registry, lambda address: CODES[address])

    assert names.address(TOKEN) == f"{checksum(TOKEN)} (Iron or 2 more)"
    assert names.call(TOKEN, bytes.fromhex("a9059cbb")).startswith("Iron.")

    registry.add_deployed(registry.find_by_name("Gold")[0], TOKEN, CODES[TOKEN])

    assert names.address(TOKEN) == f"{checksum(TOKEN)} (Gold)"
