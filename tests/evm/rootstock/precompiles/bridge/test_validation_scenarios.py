"""An elected federation is validated; its transactions are registered and signed.

States and outcomes are those of rskj's BridgeSupportSvpTest.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from coincurve import PrivateKey
from eth_abi.abi import encode

from devchain.evm.rootstock.precompiles.bitcoin_script import RedeemScript, flyover_script
from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    BitcoinTransaction,
    TxInput,
    TxOutput,
    varint,
)
from devchain.evm.rootstock.precompiles.bridge import federation, migration, releases, storage
from devchain.evm.rootstock.precompiles.bridge.federation import Format, account_of
from devchain.evm.rootstock.precompiles.bridge.peg_ins import processed_height
from devchain.evm.rootstock.precompiles.bridge.release_inputs import (
    redeem_script_in,
    unsigned_input,
)
from devchain.evm.rootstock.precompiles.bridge.utxos import (
    OLD,
    Utxo,
    load_utxos,
    new_slot,
    store_utxos,
)
from tests.evm.rootstock.precompiles.bridge.bitcoin_blocks import BitcoinBlocks, paying
from tests.evm.rootstock.precompiles.bridge.calls import call, reading_call, topic
from tests.evm.rootstock.precompiles.bridge.federations import (
    LATE,
    Signers,
    put_in_force,
    remember,
    signers,
)
from tests.evm.rootstock.precompiles.bridge.test_peg_in_scenarios import OTHERS, SENDERS
from tests.evm.rootstock.precompiles.bridge.test_peg_ins import reasons
from tests.evm.rootstock.precompiles.calling import Outcome

BITCOIN, LEAST, FUNDED = 10**8, 500_000, 500_000
PERIOD = 125  # Rootstock blocks
RSK_HASH, OTHER_HASH = (1).to_bytes(32), (2).to_bytes(32)
VALUES = {
    "fund": (migration.FUND_HASH, bytes(32)),
    "signed fund": (migration.FUND_SIGNED, paying((BITCOIN, b"")).serialize()),
    "spend": (migration.SPEND_HASH, bytes(32)),
    "spend for signatures": (
        migration.SPEND_FOR_SIGNATURES,
        [RSK_HASH, paying((BITCOIN, b"")).serialize()],
    ),
}
"""What the Bridge keeps of a validation: slots and values."""


class Scene:
    """A chain whose active federation has bitcoins, and an elected one."""

    def __init__(self, upgrade: str, height: int = 0) -> None:
        """So many Bitcoin blocks are mined; the elected federation is not stored yet."""
        self.upgrade = upgrade
        self.blocks = BitcoinBlocks(upgrade, height)
        self.machine = self.blocks.machine
        self.active = signers(self.machine, "fa07 fa08 fa09 fa10 fa11", Format.P2SH_ERP)
        kind = Format.P2SH_ERP if upgrade == "lovell" else Format.P2SH_P2WSH_ERP
        self.elected = signers(self.machine, "member01 member02 member03", kind)
        self.call = reading_call(self.machine)

    def begin(self, state: str = "ongoing") -> None:
        """The validation is ongoing or over, or there is none."""
        put_in_force(self.machine, self.active)
        created = LATE - PERIOD * (state == "over")
        elected = replace(self.elected.federation, block_number=created)
        self.elected = replace(self.elected, federation=elected)
        found = None if state == "none" else elected
        federation.store_federation(self.call, federation.PROPOSED, found)

    def has(self, name: str) -> bool:
        """Whether the Bridge keeps a value."""
        return storage.load_rlp(self.call, VALUES[name][0]) is not None

    def update(self) -> list[int]:
        """Call `updateCollections`; the topics of its events."""
        sender = account_of(next(iter(self.active.keys)))
        outcome = call(self.machine, "updateCollections()", sender=sender)
        assert outcome.error is None
        return [log.topics[0] for log in outcome.logs]

    def fund(self, change: int) -> BitcoinTransaction:
        """The fund transaction, with what is left for the active federation."""
        to = self.elected.federation
        outputs = [(FUNDED, to.output_script_of(script)) for script in self.scripts]
        outputs += [(change, self.active.script)] * (change > 0)
        return paying(*outputs, spent=self.active.input())

    @property
    def scripts(self) -> tuple[bytes, bytes]:
        """The elected federation's redeem script, and that of a deposit to it."""
        script = self.elected.federation.redeem_script
        return script, flyover_script((1).to_bytes(32), script)

    def spend(self, value: int) -> BitcoinTransaction:
        """The spend transaction; it sends the active federation those satoshis."""
        funded = self.active.sign(self.fund(change=0))
        inputs = tuple(
            unsigned_input(
                TxInput(funded.txid, at, b""),
                RedeemScript.parse(script),
                is_segwit=self.elected.federation.is_segwit,
            )
            for at, script in enumerate(self.scripts)
        )
        return BitcoinTransaction(2, inputs, (TxOutput(value, self.active.script),))

    def keep_spend(self, transaction: BitcoinTransaction) -> None:
        """Let the Bridge wait for a spend transaction."""
        storage.store_rlp(self.call, migration.SPEND_HASH, transaction.txid)
        item = [RSK_HASH, transaction.serialize()]
        storage.store_rlp(self.call, migration.SPEND_FOR_SIGNATURES, item)
        self.keep_values(transaction, FUNDED)

    def keep_values(self, transaction: BitcoinTransaction, value: int) -> None:
        """Let the Bridge know what each input of a transaction spends."""
        values = varint(value) * len(transaction.inputs)
        storage.store(self.call, releases.values_slot(transaction.txid), values)

    def pegout(self) -> BitcoinTransaction:
        """A signed transaction of the active federation."""
        change = (BITCOIN, self.active.script)
        sent = paying((BITCOIN, OTHERS["user"]), change, spent=self.active.input(1))
        remember(self.machine, sent)
        return self.active.sign(sent)

    def kept(self) -> tuple[int, int]:
        """How many outputs the active federation has, and the retiring one."""
        return len(load_utxos(self.call, new_slot(self.call))), len(load_utxos(self.call, OLD))

    def is_processed(self, transaction: BitcoinTransaction) -> bool:
        """Whether a transaction has been registered."""
        return processed_height(self.call, transaction.txid) == LATE

    def sign(
        self,
        key: PrivateKey,
        sent: BitcoinTransaction,
        rsk_hash: bytes,
        *,
        count: int | None = None,
    ) -> Outcome:
        """Send so many signatures of a transaction, as a member of the active federation."""
        signatures = []
        for index, spent in enumerate(sent.inputs):
            script = redeem_script_in(spent) or b""
            if spent.witness:
                digest = sent.witness_signature_hash(index, script, FUNDED)
            else:
                digest = sent.signature_hash(index, script)
            signatures.append(key.sign(digest, hasher=None))
        arguments = [key.public_key.format(), signatures[:count], rsk_hash]
        data = encode(["bytes", "bytes[]", "bytes"], arguments)
        sender = account_of(next(iter(self.active.keys)))
        return call(self.machine, "addSignature(bytes,bytes[],bytes)", data, sender=sender)


upgrades = pytest.mark.parametrize("upgrade", ["lovell", "vetiver", "next"])


@upgrades
class TestUpdate:
    @pytest.mark.parametrize("name", VALUES)
    def test_over(self, upgrade: str, name: str) -> None:
        """After the period all is forgotten."""
        scene = Scene(upgrade)
        scene.begin("over")
        storage.store_rlp(scene.call, *VALUES[name])

        failed = topic("commit_federation_failed(bytes,int256)")
        assert scene.update() == [topic("update_collections(address)"), failed]
        assert federation.proposed(scene.call) is None
        assert not any(map(scene.has, VALUES))

    @pytest.mark.parametrize("name", ["fund", "signed fund", "spend", "nothing"])
    def test_fund_once(self, upgrade: str, name: str) -> None:
        """There is a fund transaction only if none has been created yet."""
        scene = Scene(upgrade)
        scene.begin()
        script = scene.active.script
        store_utxos(scene.call, new_slot(scene.call), [Utxo(bytes(32), 0, BITCOIN, script)])
        if name != "nothing":
            storage.store_rlp(scene.call, *VALUES[name])

        scene.update()
        assert len(releases.load_waiting(scene.call)) == (name == "nothing")
        assert scene.has("fund") == (name in {"fund", "nothing"})
        assert not scene.has("spend for signatures")

    def test_no_federation(self, upgrade: str) -> None:
        """Without an elected federation there is no fund transaction."""
        scene = Scene(upgrade)
        scene.begin("none")
        script = scene.active.script
        store_utxos(scene.call, new_slot(scene.call), [Utxo(bytes(32), 0, BITCOIN, script)])

        assert scene.update() == [topic("update_collections(address)")]
        assert not any(map(scene.has, VALUES))


@upgrades
class TestRegisterFund:
    @pytest.mark.parametrize("state", ["none", "over", "ongoing"])
    @pytest.mark.parametrize("change", [0, 10 * BITCOIN])
    def test_fund(self, upgrade: str, state: str, change: int) -> None:
        """Change is kept in any state; the next step needs an ongoing validation."""
        scene = Scene(upgrade, height=350)
        sent = scene.fund(change)
        signed = scene.active.sign(sent)
        proof = scene.blocks.prove(signed)
        scene.begin(state)
        remember(scene.machine, sent)
        storage.store_rlp(scene.call, migration.FUND_HASH, sent.txid)

        assert scene.blocks.register_proof(proof).error is None
        assert scene.kept() == ((1, 0) if change else (0, 0))
        assert scene.is_processed(signed)
        assert scene.has("signed fund") == (state == "ongoing")
        assert scene.has("fund") == (state != "ongoing")

    def test_peg_out(self, upgrade: str) -> None:
        """A peg-out is registered as usual."""
        scene = Scene(upgrade, height=350)
        signed = scene.pegout()
        proof = scene.blocks.prove(signed)
        scene.begin()
        storage.store_rlp(scene.call, *VALUES["fund"])

        assert scene.blocks.register_proof(proof).error is None
        assert scene.kept() == (1, 0)
        assert scene.is_processed(signed)
        assert scene.has("fund")
        assert not scene.has("signed fund")


@upgrades
class TestRegisterSpend:
    @pytest.mark.parametrize(
        ("sender", "version", "kept"),
        [
            ("peg-out", 0, 1),
            ("key", 0, 1),
            ("segwit key", 0, 1),
            ("multisig", 0, 0),
            ("segwit multisig", 0, 0),
            ("key", 1, 1),
        ],
    )
    def test_others(self, upgrade: str, sender: str, version: int, kept: int) -> None:
        """Other transactions are registered as usual."""
        scene = Scene(upgrade, height=350)
        outputs = [(BITCOIN, scene.active.script)]
        outputs += [(0, OTHERS["instructions"])] * version
        is_pegout = sender == "peg-out"
        sent = scene.pegout() if is_pegout else paying(*outputs, spent=SENDERS[sender])
        proof = scene.blocks.prove(sent)
        scene.begin()
        spend = scene.spend(1762)
        scene.keep_spend(spend)

        assert scene.blocks.register_proof(proof).error is None
        assert scene.kept() == (kept, 0)
        assert scene.is_processed(sent)
        assert not scene.is_processed(spend)
        assert scene.has("spend")
        assert federation.proposed(scene.call) == scene.elected.federation
        assert federation.retiring(scene.call) is None

    def test_unknown(self, upgrade: str) -> None:
        """A spend transaction that the Bridge does not wait for is a too small peg-in."""
        scene = Scene(upgrade, height=350)
        spend = scene.spend(1762)
        proof = scene.blocks.prove(spend)
        scene.begin()
        outcome = scene.blocks.register_proof(proof)

        assert reasons(outcome) == [("rejected", 5), ("unrefundable", 3)]
        assert scene.kept() == (0, 0)
        assert scene.is_processed(spend) == (upgrade == "lovell")
        assert federation.proposed(scene.call) == scene.elected.federation

    @pytest.mark.parametrize("state", ["ongoing", "over"])
    @pytest.mark.parametrize("value", [1762, LEAST - 1, 2 * FUNDED - 10_000])
    def test_spend(self, upgrade: str, state: str, value: int) -> None:
        """It puts the elected federation in force, also late, whatever it is worth; once."""
        scene = Scene(upgrade, height=350)
        spend = scene.spend(value)
        proof = scene.blocks.prove(spend)
        scene.begin(state)
        scene.keep_spend(spend)
        active = federation.active(scene.call)

        for _ in range(2):
            assert scene.blocks.register_proof(proof).error is None
            assert scene.kept() == (0, 1)
            assert load_utxos(scene.call, OLD)[0].txid == spend.txid
            assert scene.is_processed(spend)
            assert not scene.has("spend")
            assert federation.proposed(scene.call) is None
            assert federation.active(scene.call) == active
        script = federation.last_retired_script(scene.call)
        assert script == active.default_output_script


@upgrades
class TestSign:
    def members(self, of: Signers) -> list[PrivateKey]:
        """As many private keys as are needed."""
        return [of.keys[key] for key in of.federation.keys][: of.federation.threshold]

    @pytest.mark.parametrize("state", ["ongoing", "over", "none"])
    @pytest.mark.parametrize("count", [2, 1])
    def test_spend(self, upgrade: str, state: str, count: int) -> None:
        """The elected federation signs the spend transaction while the validation is ongoing."""
        scene = Scene(upgrade)
        scene.begin(state)
        spend = scene.spend(1762)
        scene.keep_spend(spend)
        logged = []
        for key in self.members(scene.elected):
            outcome = scene.sign(key, spend, RSK_HASH, count=count)
            assert outcome.error is None
            logged += [log.topics[0] for log in outcome.logs]

        is_signed = state == "ongoing" and count == 2
        added = topic("add_signature(bytes32,address,bytes)")
        released = topic("release_btc(bytes32,bytes)")
        assert logged == [added, added, released] * is_signed
        assert scene.has("spend for signatures") == (not is_signed)

    def test_wrong_keys(self, upgrade: str) -> None:
        """Other keys fail."""
        scene = Scene(upgrade)
        scene.begin()
        spend = scene.spend(1762)
        scene.keep_spend(spend)
        for at in range(1, 6):
            outcome = scene.sign(PrivateKey(bytes([at]) * 32), spend, RSK_HASH)
            assert str(outcome.error) == "the key is not of a member of the proposed federation"
        assert scene.has("spend for signatures")

    def test_peg_out(self, upgrade: str) -> None:
        """The active federation signs a peg-out, the elected one does not."""
        scene = Scene(upgrade)
        scene.begin()
        scene.keep_spend(scene.spend(1762))
        sent = paying((BITCOIN, OTHERS["user"]), spent=scene.active.input())
        releases.store_for_signatures(scene.call, {OTHER_HASH: sent})
        for key in self.members(scene.elected):
            assert scene.sign(key, sent, OTHER_HASH).logs == ()
        logs = [len(scene.sign(key, sent, OTHER_HASH).logs) for key in self.members(scene.active)]

        assert logs == [1, 1, 2]
        assert releases.load_for_signatures(scene.call) == {}
        assert scene.has("spend for signatures")
