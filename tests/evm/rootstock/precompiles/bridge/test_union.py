"""`devchain.evm.rootstock.precompiles.bridge.union`"""

from __future__ import annotations

import pytest

from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS
from devchain.evm.rootstock.precompiles.powpeg import powpeg_of
from devchain.types import ZERO_ADDRESS
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import account, arguments, call, number, topic
from tests.evm.rootstock.precompiles.calling import CALLER, Log, Machine, dynamic, unpack

SET_CONTRACT = "setUnionBridgeContractAddressForTestnet(address)"
INCREASE_CAP = "increaseUnionBridgeLockingCap(uint256)"
SET_PERMISSIONS = "setUnionBridgeTransferPermissions(bool,bool)"
REQUEST = "requestUnionBridgeRbtc(uint256)"
RELEASE = "releaseUnionBridgeRbtc()"

SETTER = account("changeUnionBridgeContractAddressAuthorizer")
AUTHORIZER = min(powpeg_of(33).authorizers.union_locking_cap)
RBTC = 10**18


@pytest.fixture
def machine() -> Machine:
    """A chain whose union bridge is `CALLER`, and whose Bridge has 10 RBTC."""
    machine = Machine()
    machine.state.set_balance(ADDRESS, 10 * RBTC)
    call(machine, SET_CONTRACT, word(int.from_bytes(CALLER, "big")), sender=SETTER)
    return machine


def as_word(address: bytes) -> int:
    """An address as a topic."""
    return int.from_bytes(address, "big")


class TestSettings:
    @pytest.mark.parametrize(
        ("signature", "data"),
        [(SET_CONTRACT, word(1)), (INCREASE_CAP, word(1)), (SET_PERMISSIONS, bytes(64))],
    )
    def test_unauthorized(self, signature: str, data: bytes) -> None:
        """Other accounts fail."""
        outcome = call(Machine(), signature, data)

        assert str(outcome.error) == f"0x{CALLER.hex()} is not authorized to call this method"

    def test_contract(self, machine: Machine) -> None:
        """The address is zero until it is set."""
        get = "getUnionBridgeContractAddress()"

        assert call(Machine(), get).output == bytes(32)
        assert call(machine, get).output[12:] == CALLER

    def test_mainnet(self) -> None:
        """The main network has no union bridge, and no base and super events."""
        for signature in (SET_CONTRACT, REQUEST, "getUnionBridgeLockingCap()", "getBaseEvent()"):
            outcome = call(Machine(chain_id=30), signature, word(1), sender=SETTER)
            assert "Bridge has no method" in str(outcome.error)
            assert "Bridge has no method" not in str(call(Machine(chain_id=31), signature).error)

    def test_locking_cap(self, machine: Machine) -> None:
        """The cap grows, and at most doubles at a time; the log has both caps."""
        for cap, answer in [(RBTC, -2), (2 * RBTC + 1, -2), (-1, -2), (2 * RBTC, 0)]:
            outcome = call(machine, INCREASE_CAP, arguments(cap), sender=AUTHORIZER)
            assert number(outcome) == answer
        event = topic("union_bridge_locking_cap_increased(address,uint256,uint256)")
        assert outcome.logs == (Log((event, as_word(AUTHORIZER)), word(RBTC) + word(2 * RBTC)),)
        assert number(call(machine, "getUnionBridgeLockingCap()")) == 2 * RBTC

    def test_permissions(self, machine: Machine) -> None:
        """Permissions that change are logged; requests and releases need theirs."""
        same = call(machine, SET_PERMISSIONS, word(1) + word(1), sender=AUTHORIZER)
        changed = call(machine, SET_PERMISSIONS, word(0) + word(0), sender=AUTHORIZER)

        assert (number(same), same.logs) == (0, ())
        event = topic("union_bridge_transfer_permissions_updated(address,bool,bool)")
        assert (number(changed), changed.logs) == (
            0,
            (Log((event, as_word(AUTHORIZER)), bytes(64)),),
        )
        assert number(call(machine, REQUEST, word(1))) == -3
        assert number(call(machine, RELEASE, value=1)) == -3


class TestBorrowing:
    def test_unauthorized(self) -> None:
        """Other accounts get -1, and their RBTC back."""
        machine = Machine()
        before = machine.state.get_balance(CALLER)

        assert number(call(machine, REQUEST, word(1))) == -1
        assert number(call(machine, RELEASE, value=5)) == -1
        assert machine.state.get_balance(CALLER) == before
        assert machine.state.get_balance(ADDRESS) == 0

    @pytest.mark.parametrize("amount", [0, -1, RBTC + 1])
    def test_invalid_amount(self, machine: Machine, amount: int) -> None:
        """An amount is positive and within the locking cap."""
        assert number(call(machine, REQUEST, arguments(amount))) == -2
        assert machine.state.get_balance(ADDRESS) == 10 * RBTC

    def test_request_and_release(self, machine: Machine) -> None:
        """The union bridge borrows up to the cap and gives back what it borrowed."""
        before = machine.state.get_balance(CALLER)
        requested = call(machine, REQUEST, word(RBTC))

        assert number(requested) == 0
        event = topic("union_rbtc_requested(address,uint256)")
        assert requested.logs == (Log((event, as_word(CALLER)), word(RBTC)),)
        assert machine.state.get_balance(CALLER) == before + RBTC
        assert number(call(machine, REQUEST, word(1))) == -2

        released = call(machine, RELEASE, value=RBTC)
        assert number(released) == 0
        event = topic("union_rbtc_released(address,uint256)")
        assert released.logs == (Log((event, as_word(CALLER)), word(RBTC)),)
        assert machine.state.get_balance(CALLER) == before
        assert number(call(machine, REQUEST, word(RBTC))) == 0

    def test_release_nothing(self, machine: Machine) -> None:
        """A release needs a value."""
        assert number(call(machine, RELEASE)) == -2

    def test_release_too_much(self, machine: Machine) -> None:
        """Giving back more than was borrowed is refunded, and disables both directions."""
        before = machine.state.get_balance(CALLER)
        outcome = call(machine, RELEASE, value=1)

        assert number(outcome) == -2
        event = topic("union_bridge_transfer_permissions_updated(address,bool,bool)")
        assert outcome.logs == (Log((event, as_word(ADDRESS)), bytes(64)),)
        assert machine.state.get_balance(CALLER) == before
        assert number(call(machine, REQUEST, word(1))) == -3

    def test_empty_bridge(self) -> None:
        """A request fails if the Bridge does not have the RBTC."""
        machine = Machine()
        outcome = call(machine, REQUEST, word(7), sender=ZERO_ADDRESS)

        assert str(outcome.error) == "the Bridge has less than 7 wei"


@pytest.mark.parametrize("kind", ["Super", "Base"])
class TestEvents:
    def test_set_and_clear(self, machine: Machine, kind: str) -> None:
        """The union bridge sets and clears the event, which anyone reads."""
        data = b"\0" * 128
        outcome = call(machine, f"set{kind}Event(bytes)", dynamic(data))

        assert (outcome.error, outcome.output) == (None, b"")
        assert unpack(call(machine, f"get{kind}Event()").output) == data
        call(machine, f"clear{kind}Event()")
        assert unpack(call(machine, f"get{kind}Event()").output) == b""

    def test_too_long(self, machine: Machine, kind: str) -> None:
        """An event has up to 128 bytes."""
        outcome = call(machine, f"set{kind}Event(bytes)", dynamic(bytes(129)))

        assert str(outcome.error) == "an event has up to 128 bytes, not 129"

    def test_unauthorized(self, machine: Machine, kind: str) -> None:
        """Other accounts fail."""
        for outcome in (
            call(machine, f"set{kind}Event(bytes)", dynamic(b"x"), sender=SETTER),
            call(machine, f"clear{kind}Event()", sender=SETTER),
        ):
            assert "is not the union bridge" in str(outcome.error)
