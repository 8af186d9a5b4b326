"""`devchain.evm.rootstock.precompiles.bridge.elections`

Codes and steps are those of rskj's VoteFederationChangeTest and FederationSupportImplTest, values
from its PendingFederationTest.
"""

from __future__ import annotations

import pytest
import rlp
from eth_keys import keys

from devchain.evm.rootstock.precompiles.bridge import elections, federation
from devchain.evm.rootstock.precompiles.bridge.federation import Format
from devchain.evm.rootstock.precompiles.bridge.storage import load_rlp
from devchain.evm.rootstock.precompiles.bridge.utxos import (
    OLD,
    Utxo,
    load_utxos,
    new_slot,
    store_utxos,
)
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import (
    account,
    arguments,
    at_block,
    call,
    number,
    reading_call,
    topic,
)
from tests.evm.rootstock.precompiles.calling import Machine, Outcome, unpack

VOTERS = [account(f"auth-{letter}") for letter in "abcde"]  # of regtest; three decide
CREATE, ROLLBACK, COMMIT = "createFederation()", "rollbackFederation()", "commitFederation(bytes)"
ADD, ADD_BEFORE_WASABI = (
    "addFederatorPublicKeyMultikey(bytes,bytes,bytes)",
    "addFederatorPublicKey(bytes)",
)
PENDING_KEY = "getPendingFederatorPublicKeyOfType(int256,string)"
UTXO = Utxo(b"\x0a" * 32, 1, 5_000, b"script")


def public_key(number: int, *, compressed: bool = True) -> bytes:
    """The public key of that private key."""
    key = keys.PrivateKey(number.to_bytes(32)).public_key
    return key.to_compressed_bytes() if compressed else b"\4" + key.to_bytes()


def vote(machine: Machine, signature: str, *values: bytes, voters: int = 3) -> list[int]:
    """The codes of the votes of that many voters for the same call."""
    return [
        number(call(machine, signature, arguments(*values), sender=voter))
        for voter in VOTERS[:voters]
    ]


def add(machine: Machine, *members: int) -> None:
    """Add members to the pending federation, each with one key for the three types."""
    for member in members:
        key = public_key(member)
        if machine.upgrade == "orchid":
            assert vote(machine, ADD_BEFORE_WASABI, key) == [1, 1, 1]
        else:
            assert vote(machine, ADD, key, key, key) == [1, 1, 1]


def pending_hash(machine: Machine) -> bytes:
    """The hash of the pending federation."""
    return unpack(call(machine, "getPendingFederationHash()").output)


def elect(machine: Machine, *members: int, block_number: int = 1) -> Outcome:
    """Create a federation, add members, and commit it in that block; what the last vote did."""
    at_block(machine, block_number, 100)
    assert vote(machine, CREATE) == [1, 1, 1]
    add(machine, *members)
    chosen = pending_hash(machine)
    assert vote(machine, COMMIT, chosen, voters=2) == [1, 1]
    outcome = call(machine, COMMIT, arguments(chosen), sender=VOTERS[2])
    assert number(outcome) == 1
    return outcome


class TestVotes:
    @pytest.mark.parametrize(
        ("signature", "values"),
        [(CREATE, ()), (ADD, (b"1", b"2", b"3")), (COMMIT, (b"hash",)), (ROLLBACK, ())],
        ids=["create", "add", "commit", "rollback"],
    )
    def test_unauthorized(self, signature: str, values: tuple[bytes, ...]) -> None:
        """Votes of other accounts are answered with -10."""
        outcome = call(Machine(local_call=False), signature, arguments(*values))

        assert number(outcome) == -10
        assert outcome.logs == ()

    def test_majority(self) -> None:
        """Three of regtest's five voters decide; later votes find what they decided."""
        machine = Machine()

        assert vote(machine, CREATE, voters=2) == [1, 1]
        assert number(call(machine, "getPendingFederationSize()")) == -1
        assert number(call(machine, CREATE, sender=VOTERS[2])) == 1
        assert number(call(machine, "getPendingFederationSize()")) == 0
        assert number(call(machine, CREATE, sender=VOTERS[3])) == -1

    def test_twice(self) -> None:
        """A second vote of an account for the same call is answered with -10."""
        machine = Machine()
        vote(machine, CREATE, voters=1)

        assert vote(machine, CREATE, voters=1) == [-10]

    def test_stored(self) -> None:
        """Votes are stored by what they are for, in the order of signed bytes, voters sorted."""
        machine = Machine()
        vote(machine, CREATE)
        members = [public_key(100), public_key(200)]
        for key in members:
            vote(machine, ADD, key, key, key, voters=2)
        items = load_rlp(reading_call(machine), elections.VOTES)

        assert items[0::2] == [[b"add-multi", [key] * 3] for key in sorted(members)]
        assert items[1::2] == [sorted(VOTERS[:2])] * 2

    def test_signed_order(self) -> None:
        """Bytes from 128 on come first, as SignedBytes of the real node's ABICallSpec orders."""
        machine = Machine()
        vote(machine, CREATE)
        add(machine, 100, 200)
        vote(machine, ROLLBACK, voters=1)
        vote(machine, COMMIT, pending_hash(machine), voters=1)
        items = load_rlp(reading_call(machine), elections.VOTES)

        assert [spec[0] for spec in items[0::2]] == [b"commit", b"rollback"]


class TestPendingFederation:
    @pytest.mark.parametrize("kind", ["btc", "rsk", "mst"])
    def test_members(self, kind: str) -> None:
        """Members have three keys, stored compressed, and are sorted by the first."""
        machine = Machine()
        vote(machine, CREATE)
        trios = [[public_key(each + at, compressed=False) for at in range(3)] for each in (9, 3)]
        for trio in trios:
            assert vote(machine, ADD, *trio) == [1, 1, 1]
        at = ["btc", "rsk", "mst"].index(kind)
        ordered = sorted([public_key(each + at) for at in range(3)] for each in (9, 3))
        second = call(machine, PENDING_KEY, arguments(1, kind.encode()))

        assert number(call(machine, "getPendingFederationSize()")) == 2
        assert unpack(second.output) == ordered[1][at]
        assert call(machine, PENDING_KEY, arguments(2, kind.encode())).error is not None

    def test_hash(self) -> None:
        """The hash is of the Bitcoin keys."""
        machine = Machine()
        vote(machine, CREATE)
        add(machine, *range(100, 1000, 100))

        expected = "49ca57b7a262f0f10de592eede9f2b10315734308584782ca1d4c13a57d5767e"
        assert pending_hash(machine).hex() == expected

    def test_before_wasabi(self) -> None:
        """Under Orchid a member has one key, and only that is stored."""
        machine = Machine("orchid")
        vote(machine, CREATE)
        add(machine, 100, 200)
        stored = load_rlp(reading_call(machine), elections.PENDING)

        assert stored == sorted([public_key(100), public_key(200)])
        key = call(machine, "getPendingFederatorPublicKey(int256)", word(0))
        assert unpack(key.output) == stored[0]

    def test_not_there(self) -> None:
        """Without a pending federation there is nothing to change, and nothing to read."""
        machine = Machine()
        key = public_key(1)

        assert vote(machine, ADD, key, key, key, voters=1) == [-1]
        assert vote(machine, COMMIT, bytes(32), voters=1) == [-1]
        assert vote(machine, ROLLBACK, voters=1) == [-1]
        assert pending_hash(machine) == b""
        assert unpack(call(machine, PENDING_KEY, arguments(0, b"rsk")).output) == b""

    def test_refused_members(self) -> None:
        """A key of a member cannot be added again (-2), nor one that is no point (-10)."""
        machine = Machine()
        vote(machine, CREATE)
        add(machine, 1)
        one, two, three = map(public_key, (1, 2, 3))

        for trio in ((one, two, three), (two, one, three), (two, three, one)):
            assert vote(machine, ADD, *trio, voters=1) == [-2]
        assert vote(machine, ADD, two, b"\5" * 33, three, voters=1) == [-10]
        assert vote(machine, ADD, b"", two, three, voters=1) == [-10]

    def test_refused_commit(self) -> None:
        """A federation has at least two members, and the hash is that of the pending one."""
        machine = Machine()
        vote(machine, CREATE)
        add(machine, 1)

        assert vote(machine, COMMIT, pending_hash(machine), voters=1) == [-2]
        add(machine, 2)
        assert vote(machine, COMMIT, bytes(32), voters=1) == [-3]
        short = call(machine, COMMIT, arguments(b"hash"), sender=VOTERS[0])
        assert str(short.error) == "the hash of a pending federation has 32 bytes"

    def test_rollback(self) -> None:
        """A rollback removes the pending federation and all votes."""
        machine = Machine()
        vote(machine, CREATE)
        key = public_key(1)
        vote(machine, ADD, key, key, key, voters=1)

        assert vote(machine, ROLLBACK) == [1, 1, 1]
        assert number(call(machine, "getPendingFederationSize()")) == -1
        assert load_rlp(reading_call(machine), elections.VOTES) == []


class TestCommit:
    @pytest.mark.parametrize(
        ("upgrade", "kind", "age"),
        [
            ("orchid", Format.STANDARD, 10),
            ("papyrus", Format.STANDARD, 10),
            ("iris", Format.NON_STANDARD_ERP, 10),
            ("fingerroot", Format.P2SH_ERP, 150),
        ],
    )
    def test_handover(self, upgrade: str, kind: Format, age: int) -> None:
        """Before Lovell the elected federation is active once it is old enough."""
        machine = Machine(upgrade)
        reading = reading_call(machine)
        genesis = federation.active(reading)
        store_utxos(reading, new_slot(reading), [UTXO])
        elect(machine, 100, 200, 300, block_number=5)

        assert federation.active(reading) == genesis
        assert federation.retiring(reading) is None
        assert vote(machine, CREATE, voters=1) == [-2]
        assert load_utxos(reading, OLD) == [UTXO]
        assert load_utxos(reading, new_slot(reading)) == []
        at_block(machine, 5 + age)
        active = federation.active(reading)
        assert active.format == kind
        assert active.keys == sorted(map(public_key, (100, 200, 300)))
        assert (active.created, active.block_number) == (100, 5)
        assert federation.retiring(reading) == genesis
        assert federation.live(reading) == [active, genesis]
        assert vote(machine, CREATE, voters=1) == [-3]
        assert number(call(machine, "getRetiringFederationSize()")) == 3

    @pytest.mark.parametrize(("upgrade", "kind"), [("lovell", 3000), ("vetiver", 4000)])
    def test_proposed(self, upgrade: str, kind: int) -> None:
        """Since Lovell the elected federation is proposed first (RSKIP419)."""
        machine = Machine(upgrade)
        elect(machine, 100, 200, 300, block_number=5)
        proposed = federation.proposed(reading_call(machine))

        assert proposed is not None
        assert proposed.format == kind
        assert proposed.created == 100_000
        assert number(call(machine, "getProposedFederationSize()")) == 3
        assert number(call(machine, "getProposedFederationCreationTime()")) == 100
        assert number(call(machine, "getProposedFederationCreationBlockNumber()")) == 5
        address = call(machine, "getProposedFederationAddress()")
        assert unpack(address.output).decode() == proposed.address
        key = call(
            machine, "getProposedFederatorPublicKeyOfType(int256,string)", arguments(0, b"rsk")
        )
        assert unpack(key.output) == proposed.members[0].rsk
        assert vote(machine, CREATE, voters=1) == [-4]

    def test_event(self) -> None:
        """Since Papyrus the event has keys and addresses, and the block of the activation."""
        (log,) = elect(Machine("papyrus"), 100, 200).logs
        elected = sorted(map(public_key, (100, 200)))

        assert log.topics == (topic("commit_federation(bytes,string,bytes,string,int256)"),)
        assert b"".join(elected) in log.data
        assert b"2N5muMepJizJE1gR7FbHJU6CD18V3BpNF9p" in log.data
        assert int.from_bytes(log.data[128:160]) == 1 + 10

    def test_event_before_papyrus(self) -> None:
        """Before Papyrus the event is RLP: hashes of scripts, keys, and a block number as text."""
        machine = Machine("orchid")
        before = federation.active(reading_call(machine))
        (log,) = elect(machine, 100, 200).logs

        assert log.topics == (int.from_bytes(b"commit_federation_topic"),)
        old, new, activation = rlp.decode(log.data)
        assert old == [before.output_script[2:22], before.keys]
        assert new[1] == sorted(map(public_key, (100, 200)))
        assert activation == b"11"

    @pytest.mark.parametrize("upgrade", ["iris", "fingerroot"])
    def test_creation_blocks(self, upgrade: str) -> None:
        """Since Iris the Bridge says when the active federation was created (RSKIP186)."""
        machine = Machine(upgrade)
        reading = reading_call(machine)
        height = "getActiveFederationCreationBlockHeight()"
        retired = federation.active(reading)
        elect(machine, 100, 200, block_number=5)

        assert number(call(machine, height)) == 0
        assert federation.last_retired_script(reading) == retired.output_script
        at_block(machine, 5 + federation.activation_age(reading))
        assert number(call(machine, height)) == 5
        federation.update_creation_blocks(reading)
        assert number(call(machine, height)) == 5
        assert load_rlp(reading, federation.NEXT_CREATION_BLOCK) is None
        assert load_rlp(reading, federation.ACTIVE_CREATION_BLOCK) == b"\5"

    @pytest.mark.parametrize("upgrade", ["orchid", "vetiver"])
    def test_too_many_members(self, upgrade: str) -> None:
        """More members than a script can have fail the vote that decides."""
        machine = Machine(upgrade)
        vote(machine, CREATE)
        add(machine, *range(1, 22))
        chosen = pending_hash(machine)
        vote(machine, COMMIT, chosen, voters=2)
        failed = call(machine, COMMIT, arguments(chosen), sender=VOTERS[2])

        assert str(failed.error) == "a script asks for the signatures of at most 20 keys"

    def test_federators(self) -> None:
        """Members of the active and of the retiring federation are federators."""
        machine = Machine("papyrus")
        elect(machine, 100, 200, block_number=1)
        at_block(machine, 11)

        one = keys.PrivateKey((100).to_bytes(32)).public_key.to_canonical_address()
        found = [one in each.accounts for each in federation.live(reading_call(machine))]

        assert found == [True, False]
