"""Federators sign transactions of one or two federations.

Cases and outcomes are those of rskj's BridgeSupportAddSignatureTest.
"""

from __future__ import annotations

import pytest
import rlp
from coincurve import PrivateKey
from eth_abi.abi import encode

from devchain.evm.rootstock.precompiles.bitcoin_script import parse_script, pay_to_key
from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    BitcoinTransaction,
    TxOutput,
    varint,
)
from devchain.evm.rootstock.precompiles.bridge import releases, storage
from devchain.evm.rootstock.precompiles.bridge.federation import (
    FederationMember,
    Format,
    account_of,
    build_federation,
)
from devchain.types import Address
from tests.evm.rootstock.precompiles.bridge.calls import call, reading_call, topic
from tests.evm.rootstock.precompiles.bridge.federations import (
    Signers,
    private_keys,
    put_in_force,
    signers,
)
from tests.evm.rootstock.precompiles.calling import Machine, Outcome, unpack

BITCOIN = 10**8
RSK_HASH = (1).to_bytes(32)
ADDED = topic("add_signature(bytes32,address,bytes)")
RELEASED = topic("release_btc(bytes32,bytes)")
ADDED_BEFORE = int.from_bytes(b"add_signature_topic")
RELEASED_BEFORE = int.from_bytes(b"release_btc_topic")
OTHERS = " ".join(f"signer{at}" for at in range(3, 21))


class Scene:
    """A transaction of a federation that waits for signatures."""

    def __init__(
        self, machine: Machine, active: Signers, retiring: Signers | None = None, inputs: int = 1
    ) -> None:
        """The retiring federation signs, if there is one."""
        self.machine, self.active = machine, active
        self.signers = retiring or active
        put_in_force(machine, active, retiring)
        self.call = reading_call(machine)
        output = TxOutput(BITCOIN // 2, pay_to_key(b"\1" * 20))
        spent = tuple(map(self.signers.input, range(inputs)))
        self.transaction = BitcoinTransaction(2, spent, (output,))
        releases.store_for_signatures(self.call, {RSK_HASH: self.transaction})
        if self.signers.federation.is_segwit:
            slot = releases.values_slot(self.transaction.txid)
            storage.store(self.call, slot, varint(BITCOIN) * inputs)

    def signatures(self, key: PrivateKey) -> list[bytes]:
        """The signatures with a private key."""
        script, sent, signatures = self.signers.federation.redeem_script, self.transaction, []
        for index, spent in enumerate(sent.inputs):
            if spent.witness:
                digest = sent.witness_signature_hash(index, script, BITCOIN)
            else:
                digest = sent.signature_hash(index, script)
            signatures.append(key.sign(digest, hasher=None))
        return signatures

    def sign(
        self,
        key: PrivateKey,
        signatures: list[bytes] | None = None,
        sender: Address | None = None,
    ) -> list[int]:
        """Call `addSignature`; the topics of its events."""
        return [log.topics[0] for log in self.send(key, signatures, sender).logs]

    def send(
        self,
        key: PrivateKey,
        signatures: list[bytes] | None = None,
        sender: Address | None = None,
    ) -> Outcome:
        """Call `addSignature`."""
        public = key.public_key.format()
        signatures = self.signatures(key) if signatures is None else signatures
        data = encode(["bytes", "bytes[]", "bytes"], [public, signatures, RSK_HASH])
        sender = sender or account_of(next(iter(self.active.keys)))
        outcome = call(self.machine, "addSignature(bytes,bytes[],bytes)", data, sender=sender)
        assert outcome.error is None
        return outcome

    def waiting(self) -> BitcoinTransaction | None:
        """The transaction, while it waits."""
        return releases.load_for_signatures(self.call).get(RSK_HASH)

    def signed(self, signed: BitcoinTransaction | None = None) -> list[int]:
        """How many signatures the inputs have."""
        signed = signed or self.waiting()
        assert signed is not None
        counts = []
        for spent in signed.inputs:
            stack = spent.witness or [each.pushed for each in parse_script(spent.script)]
            counts.append(sum(bool(item) for item in stack[:-1]))
        return counts


def keys_of(federation: Signers) -> list[PrivateKey]:
    """The members' private keys, in the order of the redeem script."""
    return [federation.keys[member.btc] for member in federation.federation.members]


def regtest(upgrade: str, inputs: int = 1) -> tuple[Scene, list[PrivateKey]]:
    """A transaction of a federation of three."""
    machine = Machine(upgrade)
    federation = signers(machine, "federator1 federator2 federator3", Format.STANDARD)
    return Scene(machine, federation, inputs=inputs), keys_of(federation)


upgrades = pytest.mark.parametrize(
    ("upgrade", "added", "released", "logs_any"),
    [
        ("orchid", ADDED_BEFORE, RELEASED_BEFORE, True),
        ("wasabi", ADDED_BEFORE, RELEASED_BEFORE, True),
        ("papyrus", ADDED, RELEASED, True),
        ("iris", ADDED, RELEASED, True),
        ("fingerroot", ADDED, RELEASED, False),
        ("vetiver", ADDED, RELEASED, False),
    ],
    ids=["orchid", "wasabi", "papyrus", "iris", "fingerroot", "vetiver"],
)


@upgrades
class TestSmall:
    def test_all(self, upgrade: str, added: int, released: int, logs_any: bool) -> None:
        """The second of three signatures releases the transaction."""
        scene, (first, second, _) = regtest(upgrade)

        assert scene.sign(first) == [added]
        assert scene.signed() == [1]
        assert scene.sign(second) == [added, released]
        assert scene.waiting() is None

    def test_twice(self, upgrade: str, added: int, released: int, logs_any: bool) -> None:
        """A federator signs once; before RSKIP326 there is an event for any call."""
        scene, (first, *_) = regtest(upgrade)

        assert [scene.sign(first), scene.sign(first)] == [[added], [added] * logs_any]
        assert scene.signed() == [1]

    @pytest.mark.parametrize("other", [False, True])
    def test_wrong(
        self, upgrade: str, added: int, released: int, logs_any: bool, other: bool
    ) -> None:
        """Another's signature, or that of another hash, signs nothing."""
        scene, (first, second, _) = regtest(upgrade)
        wrong = first.sign(bytes(32), hasher=None)
        signatures = scene.signatures(second) if other else [wrong]

        assert scene.sign(first, signatures) == [added] * logs_any
        assert scene.waiting() == scene.transaction

    @pytest.mark.parametrize("count", [2, 3])
    def test_number(
        self, upgrade: str, added: int, released: int, logs_any: bool, count: int
    ) -> None:
        """More signatures than inputs, also right ones, are passed over."""
        scene, (first, *_) = regtest(upgrade)

        assert scene.sign(first, scene.signatures(first) * count) == []
        assert scene.waiting() == scene.transaction

    def test_partly_valid(self, upgrade: str, added: int, released: int, logs_any: bool) -> None:
        """If one input's signature is wrong none is taken; the right ones can follow."""
        scene, (first, second, _) = regtest(upgrade, inputs=3)
        right = scene.signatures(first)
        wrong = second.sign(bytes(32), hasher=None)

        assert scene.sign(first, [*right[:2], wrong]) == [added] * logs_any
        assert scene.signed() == [0, 0, 0]
        assert scene.sign(first, right) == [added]
        assert scene.signed() == [1, 1, 1]
        outcome = scene.send(second)
        assert [log.topics[0] for log in outcome.logs] == [added, released]
        data = outcome.logs[1].data
        raw = unpack(data) if released == RELEASED else rlp.decode(data)[1]
        assert scene.signed(BitcoinTransaction.parse(raw)) == [2, 2, 2]

    def test_stranger(self, upgrade: str, added: int, released: int, logs_any: bool) -> None:
        """Signatures with a stranger's key are passed over."""
        scene, _ = regtest(upgrade)

        assert scene.sign(PrivateKey(b"\7" * 32)) == []
        assert scene.waiting() == scene.transaction


@pytest.mark.parametrize(
    ("upgrade", "single", "logged"),
    [
        ("fingerroot", True, "dbc29273d4de3d5645e308c7e629d28d4499b3d3"),
        ("fingerroot", False, "dbc29273d4de3d5645e308c7e629d28d4499b3d3"),
        ("arrowhead", True, "dbc29273d4de3d5645e308c7e629d28d4499b3d3"),
        ("arrowhead", False, "74891a05ad4d7ec87c1cffe9bd00bb4e1382b586"),
    ],
)
def test_logged_account(upgrade: str, single: bool, logged: str) -> None:
    """Since Arrowhead (RSKIP415) the event has the account of the member's Rootstock key."""
    machine = Machine(upgrade, chain_id=30)
    numbers = [(150,) * 3, (250,) * 3, (350,) * 3 if single else (350, 351, 352)]
    keys = [[PrivateKey(number.to_bytes(32)) for number in each] for each in numbers]
    members = [FederationMember(*(key.public_key.format() for key in each)) for each in keys]
    built = build_federation(reading_call(machine), members, 0, 1, Format.STANDARD)
    federation = Signers(built, {each[0].public_key.format(): each[0] for each in keys})
    scene = Scene(machine, federation)
    (log,) = scene.send(keys[2][0], sender=account_of(keys[0][1].public_key.format())).logs

    assert log.topics == (ADDED, int.from_bytes(RSK_HASH), int(logged, 16))
    assert unpack(log.data) == keys[2][0].public_key.format()


FEDERATIONS = {"legacy": (9, Format.P2SH_ERP), "segwit": (20, Format.P2SH_P2WSH_ERP)}


def mainnet(machine: Machine, kind: str, own: str) -> Signers:
    """A federation whose first members are `own` and those that all federations share."""
    count, script_format = FEDERATIONS[kind]
    seeds = f"{own} {OTHERS}".split()[:count]
    return signers(machine, " ".join(seeds), script_format)


def key_in(federation: Signers, seed: str) -> PrivateKey:
    """A member's private key."""
    (public,) = private_keys(seed)
    return federation.keys[public]


@pytest.mark.parametrize("kind", FEDERATIONS)
def test_mainnet(kind: str) -> None:
    """As many members sign as are needed; another's signatures are passed over."""
    machine = Machine("vetiver", chain_id=30)
    federation = mainnet(machine, kind, "signer1 signer2")
    scene = Scene(machine, federation)
    threshold = federation.federation.threshold
    *needed, last = keys_of(federation)[:threshold]

    for at, key in enumerate(needed):
        assert scene.sign(key) == [ADDED]
        assert scene.signed() == [at + 1]
    assert scene.sign(last) == [ADDED, RELEASED]
    assert scene.waiting() is None
    assert scene.sign(keys_of(federation)[threshold + 1]) == []


@pytest.mark.parametrize(
    ("old", "new"), [("legacy", "legacy"), ("legacy", "segwit"), ("segwit", "segwit")]
)
def test_migration(old: str, new: str) -> None:
    """The retiring federation's members sign, whether they are in the active one or not."""
    machine = Machine("vetiver", chain_id=30)
    retiring = mainnet(machine, old, "shared retiring")
    active = mainnet(machine, new, "shared active")
    scene = Scene(machine, active, retiring)
    shared, own = key_in(active, "shared"), key_in(retiring, "retiring")

    assert scene.sign(shared) == [ADDED]
    assert scene.sign(own) == [ADDED]
    assert scene.signed() == [2]
    assert scene.sign(key_in(active, "active")) == []
    assert scene.signed() == [2]
