"""`devchain.contracts.proxies`"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from devchain.contracts.proxies import (
    ERC1822,
    ERC1967,
    IMPLEMENTATION_CALL,
    AccountReader,
    implementations,
)
from devchain.types import Address
from tests.bytecode import ECHO, PROXY, assemble, word

ONE, TWO, THREE, BEACON = (Address(bytes([each]) * 20) for each in (1, 2, 3, 0xBE))
MINIMAL = "363d3d373d3d3d363d73{}5af43d82803e903d91602b57fd5bf3"
MINIMAL_PUSH0 = "365f5f375f5f365f73{}5af43d5f5f3e5f3d91602a57fd5bf3"


def clone(of: Address, code: str = MINIMAL) -> bytes:
    """The code of a minimal proxy."""
    return bytes.fromhex(code.format(of.hex()))


def found(codes: Mapping[Address, bytes], slots: Mapping[int, Address | int]) -> list[Address]:
    """The implementations of `ONE`, which has those slots; the beacon answers with `TWO`."""
    numbers = {
        slot: each if isinstance(each, int) else int.from_bytes(each)
        for slot, each in slots.items()
    }

    def read(address: Address, wanted: Sequence[int]) -> list[int]:
        assert address == ONE
        return [numbers.get(each, 0) for each in wanted]

    def call(to: Address, data: bytes) -> bytes:
        assert (to, data) == (BEACON, IMPLEMENTATION_CALL)
        return word(int.from_bytes(TWO))

    return implementations(ONE, AccountReader(lambda each: codes.get(each, b""), read, call))


class TestImplementations:
    @pytest.mark.parametrize(
        ("code", "slots"),
        [
            (PROXY, {ERC1967["implementation"]: TWO}),
            (PROXY, {ERC1967["beacon"]: BEACON}),
            (PROXY, {ERC1822: TWO}),
            (clone(TWO), {}),
            (clone(TWO, MINIMAL_PUSH0), {}),
            (bytes.fromhex(f"ef0100{TWO.hex()}"), {}),
        ],
        ids=["ERC-1967", "beacon", "ERC-1822", "ERC-1167", "PUSH0", "EIP-7702"],
    )
    def test_standards(self, code: bytes, slots: dict[int, Address]) -> None:
        """The standards for proxies are known."""
        assert found({ONE: code, TWO: ECHO}, slots) == [TWO]

    def test_of_a_proxy(self) -> None:
        """A minimal proxy may be one of a proxy, whose slot is in its own storage."""
        codes = {ONE: clone(TWO), TWO: PROXY, THREE: ECHO}

        assert found(codes, {ERC1967["implementation"]: THREE}) == [TWO, THREE]

    def test_upgradeable_implementation(self) -> None:
        """An implementation that delegates itself, as one that upgrades does, is followed once."""
        codes = {ONE: PROXY, TWO: PROXY}

        assert found(codes, {ERC1967["implementation"]: TWO}) == [TWO]

    def test_circle(self) -> None:
        """Proxies of each other end."""
        assert found({ONE: clone(TWO), TWO: clone(ONE)}, {}) == [TWO]

    @pytest.mark.parametrize("value", [0, 2**160], ids=["zero", "no address"])
    def test_no_address(self, value: int) -> None:
        """A slot without an address names no implementation."""
        assert found({ONE: PROXY}, {ERC1967["implementation"]: value}) == []

    @pytest.mark.parametrize(
        "code",
        [b"", ECHO, assemble("0xf4f4 POP STOP")],
        ids=["no code", "no DELEGATECALL", "pushed"],
    )
    def test_slots_are_not_read(self, code: bytes) -> None:
        """Code that cannot delegate costs no reading of slots."""

        def refuse(_address: Address, _wanted: Sequence[int]) -> list[int]:
            raise AssertionError

        reader = AccountReader(lambda _: code, refuse, lambda _to, _data: b"")

        assert implementations(ONE, reader) == []
