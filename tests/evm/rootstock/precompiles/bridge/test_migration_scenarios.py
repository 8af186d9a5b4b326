"""Mainnet's retiring federations send their bitcoins to the active one.

Outputs, blocks and outcomes are those of rskj's BridgeSupportProcessFundsMigrationTest,
BridgeSupportPegoutTransactionCreatedEventTest and BridgeSupportSigHashTest.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from devchain.evm.rootstock.precompiles.bitcoin_script import flyover_script, script_hash_of
from devchain.evm.rootstock.precompiles.bitcoin_transaction import varint
from devchain.evm.rootstock.precompiles.bridge import federation, peg_outs, releases, storage
from devchain.evm.rootstock.precompiles.bridge.federation import Format
from devchain.evm.rootstock.precompiles.bridge.settings import FEE_PER_KILOBYTE
from devchain.evm.rootstock.precompiles.bridge.utxos import (
    OLD,
    Utxo,
    load_utxos,
    new_slot,
    store_utxos,
)
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import at_block, call, reading_call, topic
from tests.evm.rootstock.precompiles.bridge.federations import signers
from tests.evm.rootstock.precompiles.calling import Machine, dynamic

BITCOIN, FEE, NOT_DUST, MOST = 10**8, 8_000, 2_700, 50
CREATED = 100  # the block that created the active federation
AGES = {"papyrus": 18_500, "iris": 18_500, "vetiver": 40_320}  # of activation
MIGRATION = 10_585  # blocks
PREFIX = (100_000).to_bytes(32)
RETIRING = " ".join(f"member{at:02}" for at in range(1, 21))
ACTIVE = " ".join(f"active{at:02}" for at in range(1, 21))
KINDS = {
    "segwit": ("vetiver", Format.P2SH_P2WSH_ERP, 20),
    "legacy": ("vetiver", Format.P2SH_ERP, 9),
    "standard": ("vetiver", Format.STANDARD, 9),
    "standard before Hop": ("iris", Format.STANDARD, 9),
}


class Scene:
    """Mainnet with an active and a retiring federation."""

    def __init__(self, kind: str, fee: int = FEE) -> None:
        """Both have the same number of members."""
        self.upgrade, script_format, size = KINDS[kind]
        self.machine = Machine(self.upgrade, chain_id=30)
        self.call = reading_call(self.machine)
        storage.store_number(self.call, FEE_PER_KILOBYTE, fee)
        retiring, active = (" ".join(each.split()[:size]) for each in (RETIRING, ACTIVE))
        self.retiring = signers(self.machine, retiring, script_format).federation
        created = signers(self.machine, active, script_format).federation
        self.active = replace(created, block_number=CREATED)
        federation.store_federation(self.call, federation.OLD, self.retiring)
        federation.store_federation(self.call, federation.NEW, self.active)

    def give(self, value: int, count: int, *, deposits: int = 0) -> None:
        """Give the retiring federation outputs, the last ones as Flyover deposits."""
        redeem_script = flyover_script(PREFIX, self.retiring.redeem_script)
        deposit = self.retiring.output_script_of(redeem_script)
        script_hash = script_hash_of(deposit) or b""
        item = [PREFIX, self.retiring.script_hash]
        storage.store_rlp(self.call, releases.flyover_slot(script_hash), item)
        owned = [
            Utxo((at + 1).to_bytes(32), 0, value, self.retiring.output_script)
            for at in range(count)
        ]
        owned += [Utxo((10_000 + at).to_bytes(32), 0, BITCOIN, deposit) for at in range(deposits)]
        store_utxos(self.call, OLD, owned)

    def update(self, after: int) -> PrecompileFailed | None:
        """Call `updateCollections` so many blocks after the activation; its failure."""
        at_block(self.machine, CREATED + AGES[self.upgrade] + after)
        sender = self.active.members[0].account
        error = call(self.machine, "updateCollections()", sender=sender).error
        assert error is None or isinstance(error, PrecompileFailed)
        return error

    def migrated(self) -> list[int]:
        """How many outputs the transactions that wait for confirmations spend."""
        counts = []
        for each in releases.load_waiting(self.call):
            (output,) = each.transaction.outputs
            assert output.script == self.active.output_script
            assert each.transaction.version == (2 if self.upgrade == "vetiver" else 1)
            counts.append(len(each.transaction.inputs))
        return sorted(counts)

    def left(self) -> int:
        """How many outputs the retiring federation has."""
        return len(load_utxos(self.call, OLD))

    @property
    def is_retiring(self) -> bool:
        """Whether the Bridge still knows the retiring federation."""
        return federation.retiring(self.call) is not None


kinds = pytest.mark.parametrize("kind", KINDS)


@kinds
class TestBefore:
    def test_none(self, kind: str) -> None:
        """Without a retiring federation nothing migrates."""
        scene = Scene(kind)
        federation.store_federation(scene.call, federation.OLD, None)

        assert scene.update(1) is None
        assert scene.migrated() == []

    def test_young(self, kind: str) -> None:
        """In the block of the activation nothing migrates yet."""
        scene = Scene(kind)
        scene.give(BITCOIN, 1)

        assert scene.update(0) is None
        assert (scene.migrated(), scene.left(), scene.is_retiring) == ([], 1, True)


@kinds
class TestDuring:
    @pytest.mark.parametrize(("count", "deposits"), [(1, 0), (2, 1)])
    def test_all(self, kind: str, count: int, deposits: int) -> None:
        """A transaction spends the outputs, also of Flyover deposits."""
        scene = Scene(kind)
        scene.give(BITCOIN, count, deposits=deposits)

        assert scene.update(1) is None
        assert (scene.migrated(), scene.left(), scene.is_retiring) == ([count + deposits], 0, True)

    def test_unpayable(self, kind: str) -> None:
        """Outputs that do not pay their fee fail."""
        scene = Scene(kind)
        scene.give(NOT_DUST, 5)
        assert scene.update(1) is not None
        assert (scene.migrated(), scene.left(), scene.is_retiring) == ([], 5, True)

    def test_threshold(self, kind: str) -> None:
        """Not more than the fee of 500 bytes is left alone."""
        scene = Scene(kind)
        scene.give(FEE // 2, 1)

        assert scene.update(1) is None
        assert (scene.migrated(), scene.left(), scene.is_retiring) == ([], 1, True)

    def test_many(self, kind: str) -> None:
        """A transaction spends 50 outputs since Hop (RSKIP294), all before."""
        scene = Scene(kind)
        scene.give(BITCOIN, MOST, deposits=1)
        is_limited = scene.upgrade == "vetiver"

        assert scene.update(1) is None
        assert (scene.migrated(), scene.left()) == (([MOST], 1) if is_limited else ([MOST + 1], 0))
        assert scene.update(2) is None
        assert scene.migrated() == ([1, MOST] if is_limited else [MOST + 1])
        assert (scene.left(), scene.is_retiring) == (0, True)


@kinds
class TestAfter:
    @pytest.mark.parametrize(("count", "deposits"), [(0, 0), (1, 0), (2, 1)])
    def test_all(self, kind: str, count: int, deposits: int) -> None:
        """A last transaction spends the outputs, and the federation is forgotten."""
        scene = Scene(kind)
        scene.give(BITCOIN, count, deposits=deposits)

        assert scene.update(MIGRATION) is None
        spent = [count + deposits] if count else []
        assert (scene.migrated(), scene.left(), scene.is_retiring) == (spent, 0, False)

    def test_many(self, kind: str) -> None:
        """What the last transaction does not spend is lost."""
        scene = Scene(kind)
        scene.give(BITCOIN, MOST, deposits=1)
        is_limited = scene.upgrade == "vetiver"

        assert scene.update(MIGRATION) is None
        assert scene.migrated() == [MOST if is_limited else MOST + 1]
        assert (scene.left(), scene.is_retiring) == (int(is_limited), False)

    @pytest.mark.parametrize("count", [1, 5])
    def test_little(self, kind: str, count: int) -> None:
        """The federation is forgotten even if its outputs do not pay their fee."""
        scene = Scene(kind)
        scene.give(NOT_DUST, count)

        assert scene.update(MIGRATION) is None
        assert (scene.migrated(), scene.left(), scene.is_retiring) == ([], count, False)

    def test_high_fee(self, kind: str) -> None:
        """A too high fee as well."""
        scene = Scene(kind, fee=2 * BITCOIN)
        scene.give(BITCOIN, 1)

        assert scene.update(MIGRATION) is None
        assert (scene.migrated(), scene.left(), scene.is_retiring) == ([], 1, False)


REQUESTED = topic("release_requested(bytes32,bytes32,uint256)")
CREATED_BATCH = topic("batch_pegout_created(bytes32,bytes)")
CREATED_TRANSACTION = topic("pegout_transaction_created(bytes32,bytes)")


@pytest.mark.parametrize("upgrade", ["fingerroot", "arrowhead", "lovell", "vetiver"])
@pytest.mark.parametrize("migrates", [True, False])
@pytest.mark.parametrize("requests", [0, 3])
def test_logs(upgrade: str, migrates: bool, requests: int) -> None:
    """What `updateCollections` logs and keeps of a migration, of a batch, and of both."""
    machine = Machine(upgrade, chain_id=30)
    reading = reading_call(machine)
    old = signers(machine, RETIRING, Format.STANDARD).federation
    new = replace(signers(machine, "only", Format.STANDARD).federation, block_number=5)
    federation.store_federation(reading, federation.NEW, new)
    for slot, owner in ((OLD, old), (new_slot(reading), new)):
        spendable = [
            Utxo((at + 1).to_bytes(32), 0, BITCOIN, owner.output_script) for at in range(10)
        ]
        store_utxos(reading, slot, spendable)
    if migrates:
        federation.store_federation(reading, federation.OLD, old)
    hashes = [bytes([at + 1]) * 32 for at in range(requests)]
    items = [item for each in hashes for item in (each[:20], storage.number_bytes(BITCOIN), each)]
    storage.store_rlp(reading, peg_outs.QUEUE_WITH_HASHES, items)
    at_block(machine, 5 + 40_320 + 1)
    sender = new.members[0].account
    outcome = call(machine, "updateCollections()", sender=sender)

    created = {each.transaction.txid: each.transaction for each in releases.load_waiting(reading)}
    migrations = [
        txid for txid, sent in created.items() if sent.outputs[0].script == new.output_script
    ]
    batches = [txid for txid in created if txid not in migrations]
    assert (len(migrations), len(batches)) == (migrates, requests > 0)
    expected = [(REQUESTED, txid, word(10 * BITCOIN)) for txid in migrations]
    expected += [(REQUESTED, txid, word(3 * BITCOIN)) for txid in batches]
    expected += [(CREATED_BATCH, txid, dynamic(b"".join(hashes))) for txid in batches]
    if upgrade in {"lovell", "vetiver"}:  # RSKIP428
        expected += [
            (CREATED_TRANSACTION, txid, dynamic(varint(BITCOIN) * len(sent.inputs)))
            for txid, sent in created.items()
        ]
    found = [(log.topics[0], log.topics[-1].to_bytes(32), log.data) for log in outcome.logs[1:]]
    assert sorted(found) == sorted(expected)
    for sent in created.values():  # RSKIP379
        assert releases.is_created(reading, sent) == (upgrade != "fingerroot")
