"""`devchain.evm.rootstock.precompiles.bridge.union`"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
import rlp

from devchain.evm.rootstock.precompiles.bridge import union
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS, hashed_slot_of, load
from devchain.evm.rootstock.precompiles.powpeg import powpeg_of
from devchain.evm.rules import MAX_RBTC
from devchain.types import ZERO_ADDRESS, Address
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import (
    account,
    arguments,
    call,
    number,
    reading_call,
    topic,
)
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


UNION = Address(b"\xaa" * 20)
STORED = {
    union.CONTRACT: "unionBridgeContractAddress",
    union.LOCKING_CAP: "unionBridgeLockingCap",
    union.BORROWED: "weisTransferredToUnionBridge",
    union.REQUEST_ENABLED: "unionBridgeRequestEnabled",
    union.RELEASE_ENABLED: "unionBridgeReleaseEnabled",
    union.SUPER_EVENT: "superEvent",
    union.BASE_EVENT: "baseEvent",
}


@dataclass
class Walk:
    """The steps of rskj's UnionBridgeIT; `kept` is what the Bridge stores."""

    machine: Machine
    kept: dict[str, int | bytes] = field(default_factory=dict)

    def step(
        self,
        signature: str,
        *values: int,
        sender: Address,
        answer: int | None,
        value: int = 0,
        log: tuple[str, tuple[Address, ...], tuple[int, ...]] | None = None,
        **kept: int,
    ) -> None:
        """Call a method; what it answers (None: fails), logs and changes of what is stored."""
        before = self.machine.state.get_balance(UNION)
        data = arguments(*values)
        outcome = call(self.machine, signature, data, sender=sender, value=value)
        if answer is None:
            assert "not authorized" in str(outcome.error)
            assert outcome.logs == ()
        else:
            assert number(outcome) == answer
            expected = ()
            if log is not None:
                name, indexed, words = log
                topics = (topic(name), *map(as_word, indexed))
                expected = (Log(topics, b"".join(map(word, words))),)
            assert outcome.logs == expected
        self.kept.update(kept)
        moved = kept.get("weisTransferredToUnionBridge")
        if signature in {REQUEST, RELEASE} and sender == UNION:
            left = self.machine.state.get_balance(UNION)
            assert left - before == (values[0] if values else -value) * (moved is not None)
        self.check()

    def check(self) -> None:
        """The Bridge stores these numbers as RLP, and nothing else."""
        for slot, name in STORED.items():
            assert slot == hashed_slot_of(name)
            stored = load(reading_call(self.machine), slot)
            item = self.kept.get(name)
            if isinstance(item, int):
                item = rlp.encode(item)
            assert stored == (item or b""), name


@pytest.mark.parametrize("upgrade", ["reed810", "vetiver"])
@pytest.mark.parametrize("chain_id", [31, 33], ids=["testnet", "regtest"])
def test_walk(upgrade: str, chain_id: int) -> None:
    """The steps of rskj's UnionBridgeIT, with another union bridge than the zero address."""
    machine = Machine(upgrade, chain_id)
    machine.state.set_balance(ADDRESS, MAX_RBTC)
    machine.state.set_balance(UNION, 10 * RBTC)
    authorizers = powpeg_of(chain_id).authorizers
    setter, raiser, allower = (
        min(getattr(authorizers, name))
        for name in ("union_address", "union_locking_cap", "union_permissions")
    )
    walk, stranger = Walk(machine), account("stranger")
    permitted = "union_bridge_transfer_permissions_updated(address,bool,bool)"
    raised = "union_bridge_locking_cap_increased(address,uint256,uint256)"
    requested, released = (
        "union_rbtc_requested(address,uint256)",
        "union_rbtc_released(address,uint256)",
    )

    def borrow(answer: int, amount: int = RBTC // 2, **kept: int) -> None:
        log = None if answer else (requested, (UNION,), (amount,))
        walk.step(REQUEST, amount, sender=UNION, answer=answer, log=log, **kept)

    def give_back(answer: int, **kept: int) -> None:
        log = None if answer else (released, (UNION,), (RBTC // 4,))
        walk.step(RELEASE, sender=UNION, value=RBTC // 4, answer=answer, log=log, **kept)

    def allow(request: int, release: int) -> None:
        walk.step(
            *(SET_PERMISSIONS, request, release),
            sender=allower,
            answer=0,
            log=(permitted, (allower,), (request, release)),
            unionBridgeRequestEnabled=request,
            unionBridgeReleaseEnabled=release,
        )

    def raise_cap(before: int, cap: int) -> None:
        log = (raised, (raiser,), (before, cap))
        walk.step(INCREASE_CAP, cap, sender=raiser, answer=0, log=log, unionBridgeLockingCap=cap)

    walk.step(SET_CONTRACT, as_word(UNION), sender=stranger, answer=None)
    walk.kept["unionBridgeContractAddress"] = rlp.encode(bytes(UNION))
    walk.step(SET_CONTRACT, as_word(UNION), sender=setter, answer=0)
    walk.step(INCREASE_CAP, 2 * RBTC - 20, sender=stranger, answer=None)
    raise_cap(RBTC, 2 * RBTC - 20)
    walk.step(INCREASE_CAP, 2 * RBTC - 21, sender=raiser, answer=-2)
    walk.step(REQUEST, RBTC // 2, sender=stranger, answer=-1)
    borrow(0, weisTransferredToUnionBridge=RBTC // 2)
    machine.state.set_balance(stranger, RBTC)
    walk.step(RELEASE, sender=stranger, value=RBTC // 4, answer=-1)
    assert machine.state.get_balance(stranger) == RBTC
    give_back(0, weisTransferredToUnionBridge=RBTC // 4)
    walk.step(SET_PERMISSIONS, 0, 0, sender=stranger, answer=None)
    allow(0, 0)
    borrow(-3)
    raise_cap(2 * RBTC - 20, 4 * RBTC - 40)
    allow(1, 0)
    borrow(0, weisTransferredToUnionBridge=3 * RBTC // 4)
    give_back(-3)
    allow(0, 1)
    borrow(-3)
    give_back(0, weisTransferredToUnionBridge=RBTC // 2)
    allow(1, 1)
    borrow(-2, 4 * RBTC - 39)
    borrow(-2, 3 * RBTC + RBTC // 2 - 39)
    walk.step(
        RELEASE,
        sender=UNION,
        value=RBTC,
        answer=-2,
        log=(permitted, (ADDRESS,), (0, 0)),
        unionBridgeRequestEnabled=0,
        unionBridgeReleaseEnabled=0,
    )
    allow(1, 1)
    borrow(0, weisTransferredToUnionBridge=RBTC)
    give_back(0, weisTransferredToUnionBridge=3 * RBTC // 4)


class TestStored:
    """Values of rskj's UnionBridgeSupportImplTest and UnionBridgeStorageProviderImplTest."""

    @pytest.mark.parametrize("cap", [-1, 0, RBTC - 1, RBTC, 2 * RBTC + 1])
    def test_refused_caps(self, machine: Machine, cap: int) -> None:
        """A cap grows, at most to the double."""
        assert number(call(machine, INCREASE_CAP, arguments(cap), sender=AUTHORIZER)) == -2
        assert load(reading_call(machine), union.LOCKING_CAP) == b""

    def test_beyond_all_rbtc(self, machine: Machine) -> None:
        """A cap may be above 21 million RBTC."""
        cap = RBTC
        while cap <= MAX_RBTC:
            cap *= 2
            assert number(call(machine, INCREASE_CAP, word(cap), sender=AUTHORIZER)) == 0

        assert load(reading_call(machine), union.LOCKING_CAP) == rlp.encode(cap)

    @pytest.mark.parametrize("amount", [1, 100, 1000, RBTC])
    def test_amounts(self, machine: Machine, amount: int) -> None:
        """Any amount within the cap is borrowed and given back."""
        assert number(call(machine, REQUEST, word(amount))) == 0
        assert load(reading_call(machine), union.BORROWED) == rlp.encode(amount)
        assert number(call(machine, RELEASE, value=amount)) == 0
        assert load(reading_call(machine), union.BORROWED) == b"\x80"

    @pytest.mark.parametrize("address", [0, 2**160 - 1])
    def test_addresses(self, machine: Machine, address: int) -> None:
        """Any address can be set, also the zero address again."""
        assert number(call(machine, SET_CONTRACT, word(address), sender=SETTER)) == 0
        expected = rlp.encode(address.to_bytes(20))
        assert load(reading_call(machine), union.CONTRACT) == expected

    @pytest.mark.parametrize("enabled", [(0, 0), (0, 1), (1, 0)])
    def test_checks_in_order(self, machine: Machine, enabled: tuple[int, int]) -> None:
        """The caller is checked before permissions, and these before amounts."""
        call(machine, SET_PERMISSIONS, arguments(*enabled), sender=AUTHORIZER)
        request, release = enabled

        assert number(call(machine, REQUEST, word(0), sender=SETTER)) == -1
        assert number(call(machine, RELEASE, sender=SETTER)) == -1
        assert number(call(machine, REQUEST, word(0))) == (-2 if request else -3)
        assert number(call(machine, RELEASE)) == (-2 if release else -3)

    @pytest.mark.parametrize("kind", ["Super", "Base"])
    def test_events(self, machine: Machine, kind: str) -> None:
        """An event is stored as it is; another union bridge can change it, the first no more."""
        slot = {"Super": union.SUPER_EVENT, "Base": union.BASE_EVENT}[kind]
        setting, clearing = f"set{kind}Event(bytes)", f"clear{kind}Event()"
        for data in (b"1234", b"", b"\xff" * 128):
            assert call(machine, setting, dynamic(data)).error is None
            assert load(reading_call(machine), slot) == data
        call(machine, SET_CONTRACT, word(as_word(UNION)), sender=SETTER)

        assert "is not the union bridge" in str(call(machine, setting, dynamic(b"1")).error)
        assert "is not the union bridge" in str(call(machine, clearing).error)
        assert call(machine, setting, dynamic(b"2"), sender=UNION).error is None
        assert load(reading_call(machine), slot) == b"2"
        assert call(machine, clearing, sender=UNION).error is None
        assert load(reading_call(machine), slot) == b""

    @pytest.mark.parametrize("upgrade", ["lovell", "reed"])
    @pytest.mark.parametrize(
        "signature",
        [
            *(SET_CONTRACT, INCREASE_CAP, SET_PERMISSIONS, REQUEST, RELEASE),
            *("getUnionBridgeContractAddress()", "getUnionBridgeLockingCap()"),
            *("setSuperEvent(bytes)", "clearSuperEvent()", "getSuperEvent()"),
            *("setBaseEvent(bytes)", "clearBaseEvent()", "getBaseEvent()"),
        ],
    )
    def test_before(self, upgrade: str, signature: str) -> None:
        """The methods come with RSKIPs 502 and 529."""
        outcome = call(Machine(upgrade), signature, word(0) * 4, sender=ZERO_ADDRESS)

        assert "Bridge has no method" in str(outcome.error)
        assert outcome.logs == ()

    def test_missing_arguments(self, machine: Machine) -> None:
        """Missing arguments are zero: no cap, no amount, no permission, the zero address."""
        assert number(call(machine, INCREASE_CAP, sender=AUTHORIZER)) == -2
        assert number(call(machine, REQUEST)) == -2
        assert number(call(machine, SET_PERMISSIONS, sender=AUTHORIZER)) == 0
        assert number(call(machine, REQUEST, word(1))) == -3
        assert number(call(machine, SET_CONTRACT, sender=SETTER)) == 0
        assert call(machine, "getUnionBridgeContractAddress()").output == bytes(32)
