"""Which federation is active, what methods say of each, and how large one can be.

Ages, sizes and outcomes are those of rskj's FederationSupportImplTest, PendingFederationTest and
VoteFederationChangeTest.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from coincurve import PrivateKey
from eth_hash.auto import keccak

from devchain.evm.rootstock.precompiles.bridge import federation, storage
from devchain.evm.rootstock.precompiles.bridge.federation import (
    Federation,
    FederationMember,
    Format,
    build_federation,
)
from devchain.evm.rootstock.precompiles.bridge.utxos import active_slot, new_slot
from devchain.evm.rootstock.precompiles.powpeg import powpeg_of
from tests.evm.rootstock.precompiles.bridge.calls import (
    arguments,
    at_block,
    call,
    number,
    reading_call,
)
from tests.evm.rootstock.precompiles.calling import Machine, unpack

MAIN, TEST, LOCAL = 30, 31, 33
CREATED = 65  # the block of the newer federation
AGES = [
    (MAIN, "papyrus", 18_500),
    (MAIN, "iris", 18_500),
    (MAIN, "fingerroot", 40_320),
    (MAIN, "vetiver", 40_320),
    (TEST, "iris", 60),
    (TEST, "fingerroot", 120),
    (TEST, "arrowhead", 120),
    (TEST, "lovell", 2_400),
    (LOCAL, "iris", 10),
    (LOCAL, "vetiver", 150),
]
"""Networks, upgrades, and the age in blocks at which a federation is active."""
ages = pytest.mark.parametrize(("chain_id", "upgrade", "age"), AGES)


def key(seed: str) -> bytes:
    """A public key."""
    return PrivateKey(keccak(seed.encode())).public_key.format()


def federation_of(machine: Machine, name: str, size: int, created: int) -> Federation:
    """A federation whose members have a key of each type."""
    members = [
        FederationMember(*(key(f"{name} {at} {kind}") for kind in ("btc", "rsk", "mst")))
        for at in range(size)
    ]
    call = reading_call(machine)
    built = build_federation(call, members, 1_000 * created, created, Format.STANDARD)
    return replace(built, members=tuple(sorted(built.members)))


class Scene:
    """A network with two federations, the newer of that age."""

    def __init__(self, chain_id: int, upgrade: str, age: int) -> None:
        """Each federation has its size, and was created in its block."""
        self.machine = Machine(upgrade, chain_id=chain_id)
        self.call = reading_call(self.machine)
        self.old = federation_of(self.machine, "old", 4, 35)
        self.new = federation_of(self.machine, "new", 7, CREATED)
        federation.store_federation(self.call, federation.OLD, self.old)
        federation.store_federation(self.call, federation.NEW, self.new)
        at_block(self.machine, CREATED + age)

    def said(self, name: str) -> list[object]:
        """What methods say of a federation."""
        address = unpack(call(self.machine, f"get{name}FederationAddress()").output).decode()
        numbers = [
            number(call(self.machine, f"get{name}Federation{each}()"))
            for each in ("Size", "Threshold", "CreationTime", "CreationBlockNumber")
        ]
        return [address, *numbers, *(self.key_of(name, 1, kind) for kind in ("btc", "rsk", "mst"))]

    def key_of(self, name: str, index: int, kind: str) -> str:
        """A member's key, or the reason why there is none."""
        signature = f"get{name}FederatorPublicKeyOfType(int256,string)"
        outcome = call(self.machine, signature, arguments(index, kind.encode()))
        return str(outcome.error) if outcome.error else unpack(outcome.output).hex()

    def known(self, of: Federation) -> list[object]:
        """The same of a federation that is known."""
        created = of.created // (1000 if self.call.since("lovell") else 1)
        member = of.members[1]
        numbers = [of.size, of.size // 2 + 1, created, of.block_number]
        return [of.address, *numbers, *(each.hex() for each in member)]


@ages
class TestAge:
    def test_before(self, chain_id: int, upgrade: str, age: int) -> None:
        """The older federation is active, none retires."""
        scene = Scene(chain_id, upgrade, age - 1)

        assert scene.said("") == scene.known(scene.old)
        assert scene.said("Retiring") == ["", -1, -1, -1, -1, "", "", ""]
        assert federation.live(scene.call) == [scene.old]
        assert active_slot(scene.call) != new_slot(scene.call)
        self.check_script(scene, scene.old)

    def test_after(self, chain_id: int, upgrade: str, age: int) -> None:
        """The newer federation is active, the older one retires."""
        scene = Scene(chain_id, upgrade, age)

        assert scene.said("") == scene.known(scene.new)
        assert scene.said("Retiring") == scene.known(scene.old)
        assert federation.live(scene.call) == [scene.new, scene.old]
        assert active_slot(scene.call) == new_slot(scene.call)
        self.check_script(scene, scene.new)

    def check_script(self, scene: Scene, active: Federation) -> None:
        """Since Hop (RSKIP293) a method returns the active federation's redeem script."""
        outcome = call(scene.machine, "getActivePowpegRedeemScript()")
        if scene.call.since("fingerroot"):
            assert unpack(outcome.output) == active.redeem_script
        else:
            assert outcome.error is not None

    @pytest.mark.parametrize(("name", "size"), [("", 7), ("Retiring", 4)])
    def test_members(self, chain_id: int, upgrade: str, age: int, name: str, size: int) -> None:
        """There are as many members as the size says."""
        scene = Scene(chain_id, upgrade, age)

        assert all(len(scene.key_of(name, at, "rsk")) == 66 for at in range(size))
        for index in (-1, size):
            assert f"between 0 and {size - 1}" in scene.key_of(name, index, "rsk")

    @pytest.mark.parametrize("is_new", [False, True])
    @pytest.mark.parametrize("before", [0, 35])
    @pytest.mark.parametrize("after", [0, CREATED])
    def test_creation_block(
        self, chain_id: int, upgrade: str, age: int, is_new: bool, before: int, after: int
    ) -> None:
        """Since Iris (RSKIP186) the Bridge keeps the blocks of the active and of the next one."""
        scene = Scene(chain_id, upgrade, age if is_new else age - 1)
        places = (federation.ACTIVE_CREATION_BLOCK, federation.NEXT_CREATION_BLOCK)
        for slot, block in zip(places, (before, after), strict=True):
            if block:
                storage.store_number(scene.call, slot, block)
        outcome = call(scene.machine, "getActiveFederationCreationBlockHeight()")
        if upgrade == "papyrus":
            assert outcome.error is not None
            return
        assert number(outcome) == (after if is_new and after else before)

        federation.update_creation_blocks(scene.call)
        updated = is_new and after > 0
        kept = [storage.load_number(scene.call, slot) or 0 for slot in places]
        assert kept == ([after, 0] if updated else [before, after])


@ages
def test_only_one(chain_id: int, upgrade: str, age: int) -> None:
    """Without an older one the newer federation is active at any age."""
    scene = Scene(chain_id, upgrade, 0)
    federation.store_federation(scene.call, federation.OLD, None)

    assert scene.said("") == scene.known(scene.new)
    assert scene.said("Retiring") == ["", -1, -1, -1, -1, "", "", ""]
    assert federation.live(scene.call) == [scene.new]


@pytest.mark.parametrize(
    ("chain_id", "upgrade", "sizes", "kind"),
    [
        (MAIN, "papyrus", {1: False, 2: True, 9: True, 15: True}, Format.STANDARD),
        (TEST, "papyrus", {9: True, 15: True}, Format.STANDARD),
        (MAIN, "iris", {9: True, 10: False}, Format.NON_STANDARD_ERP),
        # Under Iris testnet's script is a constant.
        (TEST, "iris", {9: True, 11: True}, Format.NON_STANDARD_ERP),
        (MAIN, "fingerroot", {9: True, 10: False}, Format.P2SH_ERP),
        (TEST, "fingerroot", {9: True, 10: True, 11: False}, Format.P2SH_ERP),
        (MAIN, "lovell", {1: False, 9: True, 10: False}, Format.P2SH_ERP),
        (TEST, "lovell", {10: True, 11: False}, Format.P2SH_ERP),
        (MAIN, "reed", {9: True, 20: True, 21: False, 100: False}, Format.P2SH_P2WSH_ERP),
        (TEST, "vetiver", {9: True, 20: True, 21: False, 102: False}, Format.P2SH_P2WSH_ERP),
    ],
)
def test_sizes(chain_id: int, upgrade: str, sizes: dict[int, bool], kind: Format) -> None:
    """A script can have so many keys; one that cannot be built fails the vote that decides."""
    for size, fits in sizes.items():
        machine = Machine(upgrade, chain_id=chain_id)
        reading = reading_call(machine)
        at_block(machine, 1)
        first, second, _ = sorted(powpeg_of(chain_id).authorizers.federation)
        for voter in (first, second):
            assert number(call(machine, "createFederation()", sender=voter)) == 1
        for at in range(size):
            added = arguments(*[key(f"{at}")] * 3)
            for voter in (first, second):
                add = "addFederatorPublicKeyMultikey(bytes,bytes,bytes)"
                assert number(call(machine, add, added, sender=voter)) == 1
        assert number(call(machine, "getPendingFederationSize()")) == size
        chosen = arguments(unpack(call(machine, "getPendingFederationHash()").output))
        votes = [
            call(machine, "commitFederation(bytes)", chosen, sender=voter)
            for voter in (first, second)
        ]

        if size == 1:
            assert [number(each) for each in votes] == [-2, -2]
        elif not fits:
            assert number(votes[0]) == 1
            assert votes[1].error is not None
        else:
            assert [number(each) for each in votes] == [1, 1]
            place = federation.PROPOSED if reading.since("lovell") else federation.NEW
            assert storage.load_number(reading, place.format) == kind
