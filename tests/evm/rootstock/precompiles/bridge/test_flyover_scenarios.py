"""Flyover deposits with an active and a retiring federation.

Transactions and outcomes are those of rskj's BridgeSupportFlyoverTest.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from devchain.evm.rootstock.precompiles.bitcoin_script import pay_to_key, pay_to_script, push
from devchain.evm.rootstock.precompiles.bitcoin_script import witness_program as program_of
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction
from devchain.evm.rootstock.precompiles.bridge import federation, releases, storage, utxos
from devchain.evm.rootstock.precompiles.bridge.federation import Format
from devchain.evm.rootstock.precompiles.bridge.release_inputs import redeem_script_in
from devchain.evm.rootstock.precompiles.bridge.releases import flyover_script
from tests.evm.rootstock.precompiles.bridge.bitcoin_blocks import (
    FROM_KEY,
    FROM_SEGWIT_KEY,
    BitcoinBlocks,
    paying,
)
from tests.evm.rootstock.precompiles.bridge.calls import number, reading_call, topic
from tests.evm.rootstock.precompiles.bridge.federations import Signers, put_in_force, signers
from tests.evm.rootstock.precompiles.bridge.test_flyover import (
    DERIVATION,
    TO_PROVIDER,
    TO_USER,
    register_proof,
)
from tests.evm.rootstock.precompiles.calling import CALLER, Outcome

BITCOIN, LEAST = 10**8, 500_000
SATOSHI = 10**10  # wei
FORMATS = {
    "iris": Format.NON_STANDARD_ERP,
    "fingerroot": Format.P2SH_ERP,
    "lovell": Format.P2SH_ERP,
    "vetiver": Format.P2SH_P2WSH_ERP,
}
AFTER_HOP = ("fingerroot", "lovell", "vetiver")
RELEASE_REQUESTED = topic("release_requested(bytes32,bytes32,uint256)")
TRANSACTION_CREATED = topic("pegout_transaction_created(bytes32,bytes)")

Outputs = str | list[tuple[int, str]]
"""Letters for bitcoins: to the deposit's address of the (a)ctive or the (r)etiring federation, to
a (k)ey, a (s)cript, a SegWit (w)itness; or satoshis and letters."""


class Scene:
    """A chain with an active and maybe a retiring federation, and a proof of one transaction."""

    def __init__(self, upgrade: str, outputs: Outputs, *, is_retiring: bool = True) -> None:
        """Prove the transaction and put the federations in force."""
        self.blocks = BitcoinBlocks(upgrade)
        machine = self.machine = self.blocks.machine
        active = signers(machine, "fa07 fa08 fa09 fa10 fa11", FORMATS[upgrade])
        retiring = signers(machine, "fa04 fa05 fa06", Format.P2SH_ERP)
        self.redeem_scripts = {"a": self.redeem(active), "r": self.redeem(retiring)}
        self.scripts = {
            "a": active.federation.output_script_of(self.redeem_scripts["a"]),
            "r": retiring.federation.output_script_of(self.redeem_scripts["r"]),
            "k": pay_to_key(b"\3" * 20),
            "s": pay_to_script(b"\4" * 20),
            "w": b"\0\x14" + b"\5" * 20,
        }
        paid = [(BITCOIN, each) for each in outputs] if isinstance(outputs, str) else outputs
        self.transaction = self.pay(paid)
        self.proof = self.blocks.prove(self.transaction)
        put_in_force(machine, active, retiring if is_retiring else None)

    def redeem(self, each: Signers) -> bytes:
        """The redeem script of a deposit to a federation."""
        return flyover_script(DERIVATION, each.federation.redeem_script)

    def pay(self, outputs: list[tuple[int, str]]) -> BitcoinTransaction:
        """A transaction with those outputs."""
        return paying(*((value, self.scripts[letter]) for value, letter in outputs))

    def register(self, refund_to_provider: int = 0) -> Outcome:
        """Register the transaction."""
        return register_proof(self.blocks, self.proof, refund_to_provider)

    def kept(self) -> str:
        """The letters of the outputs that the Bridge keeps, the active federation's first."""
        reading = reading_call(self.machine)
        letters = {script: letter for letter, script in self.scripts.items()}
        return "".join(
            letters[utxo.script]
            for slot in (utxos.new_slot(reading), utxos.OLD)
            for utxo in utxos.load_utxos(reading, slot)
        )

    def waiting(self) -> list[BitcoinTransaction]:
        """The releases that wait for confirmations."""
        found = releases.load_waiting(reading_call(self.machine))
        return [each.transaction for each in found]

    def is_remembered(self, letter: str) -> bool:
        """Whether the Bridge knows how to spend a deposit."""
        slot = releases.flyover_slot(self.scripts[letter][2:22])
        return storage.load_rlp(reading_call(self.machine), slot) is not None


@pytest.mark.parametrize("upgrade", FORMATS)
class TestDeposits:
    @pytest.mark.parametrize(
        ("outputs", "before", "later"),
        [
            ("w", -900, -304),
            ("aw", -900, 1),
            ("awks", -900, 1),
            ("ak", 1, 1),
            ("as", 1, 1),
            ("arsk", 1, 2),
            ("aaaa", 4, 4),
            ("rrrr", -304, 4),
            ("aarrrkkss", 2, 5),
            ("kkkss", -304, -304),
            ("a", 1, 1),
            ("r", -304, 1),
            ("ar", 1, 2),
        ],
    )
    def test_outputs(self, upgrade: str, outputs: str, before: int, later: int) -> None:
        """Before Hop the retiring federation does not count, and outputs need an address."""
        scene = Scene(upgrade, outputs)
        balance = scene.blocks.balance(CALLER)
        answer = number(scene.register())
        bitcoins = later if upgrade in AFTER_HOP else before

        assert answer == (bitcoins if bitcoins < 0 else bitcoins * BITCOIN * SATOSHI)
        assert scene.blocks.balance(CALLER) - balance == max(answer, 0)
        counted = "ar" if upgrade in AFTER_HOP else "a"
        expected = "".join(each for each in sorted(outputs) if each in counted)
        assert scene.kept() == (expected if answer > 0 else "")
        for letter in "ar":
            is_deposit = answer > 0 and letter in counted
            # Iris and later keep it of the active federation without an output to it, too.
            assert scene.is_remembered(letter) == (
                is_deposit and (letter == "a" or letter in outputs)
            )
        assert scene.waiting() == []

    @pytest.mark.parametrize(
        ("outputs", "later"),
        [
            ([(LEAST - 1, "a")], -305),
            ([(BITCOIN, "a"), (LEAST - 1, "a")], -305),
            ([(LEAST, "a")], LEAST),
            ([(LEAST + 1, "a")], LEAST + 1),
            ([(BITCOIN, "a"), (LEAST - 1, "k")], BITCOIN),
            ([(0, "a")], -304),
        ],
    )
    def test_least(self, upgrade: str, outputs: list[tuple[int, str]], later: int) -> None:
        """Since Hop each output has to be as large as a peg-in."""
        expected = later
        if upgrade == "iris":
            expected = sum(value for value, letter in outputs if letter == "a") or -304
        answer = number(Scene(upgrade, outputs).register())

        assert answer == (expected if expected < 0 else expected * SATOSHI)


@pytest.mark.parametrize("upgrade", FORMATS)
@pytest.mark.parametrize(
    ("to_provider", "refused", "receiver"), [(0, -100, TO_USER), (1, -200, TO_PROVIDER)]
)
class TestLockingCap:
    @pytest.mark.parametrize(
        ("outputs", "refunded_before", "refunded_later"),
        [
            ([(1_001, "a")], "a", "a"),
            ([(1_000, "a")], "", ""),
            ([(600, "a"), (600, "r")], "", "ar"),
            ([(1_001, "a"), (600, "r")], "a", "ar"),
            ([(1_001, "r"), (1, "a")], "", "ra"),
            ([(600, "a"), (600, "k"), (1_001, "s")], "", ""),
            ([(600, "a"), (300, "r"), (1_001, "k")], "", ""),
        ],
    )
    def test_cap(  # the columns of the table
        self,
        upgrade: str,
        to_provider: int,
        refused: int,
        receiver: bytes,
        outputs: list[tuple[int, str]],
        refunded_before: str,
        refunded_later: str,
    ) -> None:
        """What federations get counts; what does not fit is sent back from both at once."""
        scene = Scene(upgrade, [(value * BITCOIN, letter) for value, letter in outputs])
        before = scene.blocks.balance(CALLER)
        outcome = scene.register(to_provider)
        counted = "ar" if upgrade in AFTER_HOP else "a"
        value = sum(value for value, letter in outputs if letter in counted) * BITCOIN
        refunded = refunded_later if upgrade in AFTER_HOP else refunded_before

        if not refunded:
            assert number(outcome) == value * SATOSHI
            assert scene.waiting() == []
            return
        (sent,) = scene.waiting()
        assert number(outcome) == refused
        assert scene.blocks.balance(CALLER) == before
        assert scene.kept() == ""
        assert [redeem_script_in(spent) for spent in sent.inputs] == [
            scene.redeem_scripts[letter] for letter in refunded
        ]
        is_segwit = upgrade == "vetiver"
        for spent in sent.inputs:
            assert bool(spent.witness) == is_segwit
            if is_segwit:
                assert spent.script == push(program_of(redeem_script_in(spent) or b""))
        (output,) = sent.outputs
        assert output.script == receiver
        assert value - 10**6 < output.value < value
        logged = {log.topics[0]: log for log in outcome.logs}
        assert int.from_bytes(logged[RELEASE_REQUESTED].data) == value
        assert (TRANSACTION_CREATED in logged) == (upgrade in {"lovell", "vetiver"})
        stored = storage.load(reading_call(scene.machine), releases.values_slot(sent.txid))
        assert bool(stored) == is_segwit
        assert number(scene.register(to_provider)) == -302


@pytest.mark.parametrize("upgrade", FORMATS)
@pytest.mark.parametrize("value", [1, 1_001], ids=["credited", "refunded"])
class TestAgain:
    @pytest.mark.parametrize("first_has_witness", [True, False])
    @pytest.mark.parametrize("second_has_witness", [True, False])
    def test_witness(
        self, upgrade: str, value: int, first_has_witness: bool, second_has_witness: bool
    ) -> None:
        """A transaction serves once, with or without its witness."""
        scene = Scene(upgrade, "", is_retiring=False)
        plain = scene.pay([(value * BITCOIN, "a")])
        with_witness = replace(plain, inputs=(replace(FROM_SEGWIT_KEY, script=FROM_KEY.script),))
        without = replace(
            with_witness, inputs=tuple(replace(each, witness=()) for each in with_witness.inputs)
        )
        elected = federation.load_federation(reading_call(scene.machine), federation.NEW)
        federation.store_federation(reading_call(scene.machine), federation.NEW, None)
        proofs = [
            scene.blocks.prove(with_witness if has_witness else without)
            for has_witness in (first_has_witness, second_has_witness)
        ]
        federation.store_federation(reading_call(scene.machine), federation.NEW, elected)
        first, second = (number(register_proof(scene.blocks, proof)) for proof in proofs)

        assert with_witness.txid == without.txid
        assert first == (-100 if value > 1_000 else value * BITCOIN * SATOSHI)
        assert second == -302

    def test_unproven_witness(self, upgrade: str, value: int) -> None:
        """The same transaction with a witness that no coinbase commits to is not confirmed."""
        scene = Scene(upgrade, [(value * BITCOIN, "a")])
        scene.register()
        spent = tuple(replace(each, witness=(b"\1",)) for each in scene.transaction.inputs)
        raw = replace(scene.transaction, inputs=spent).serialize()

        assert number(register_proof(scene.blocks, replace(scene.proof, raw=raw))) == -303
