"""Registered transactions, with an active and a retiring federation.

Transactions and outcomes are those of rskj's BridgeSupportRegisterBtcTransactionTest,
BridgeSupportRejectedPeginTest, PegUtilsEvaluatePeginTest, PeginInformationTest and
PegUtilsAllUTXOsToFedAreAboveMinimumPeginValueTest.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from devchain.evm.rootstock.precompiles.bitcoin import base58check, hash160
from devchain.evm.rootstock.precompiles.bitcoin_script import (
    multisig_script,
    pay_to_key,
    push,
    witness_program,
)
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction, TxInput
from devchain.evm.rootstock.precompiles.bridge import (
    federation,
    migration,
    peg_ins,
    releases,
    storage,
)
from devchain.evm.rootstock.precompiles.bridge.federation import Format
from devchain.evm.rootstock.precompiles.bridge.release_inputs import redeem_script_in
from devchain.evm.rootstock.precompiles.bridge.releases import flyover_script, load_waiting
from devchain.evm.rootstock.precompiles.bridge.utxos import OLD, load_utxos, new_slot
from tests.evm.rootstock.precompiles.bridge.bitcoin_blocks import (
    FROM_KEY,
    FROM_SEGWIT_KEY,
    PUBLIC_KEY,
    SIGNATURE,
    BitcoinBlocks,
    instructions,
    paying,
)
from tests.evm.rootstock.precompiles.bridge.calls import reading_call
from tests.evm.rootstock.precompiles.bridge.federations import (
    LATE,
    Signers,
    private_keys,
    put_in_force,
    remember,
    signers,
)
from tests.evm.rootstock.precompiles.bridge.test_peg_ins import (
    DATA,
    LOCKED,
    PEGGED_IN,
    RECEIVER,
    reasons,
    whitelist,
)
from tests.evm.rootstock.precompiles.calling import Outcome

BITCOIN, LEAST = 10**8, 500_000
ACTIVE, RETIRING = "fa07 fa08 fa09 fa10 fa11", "fa04 fa05 fa06"
COLUMNS = {
    "fingerroot": ("fingerroot", 0),
    "arrowhead by inputs": ("arrowhead", 0),
    "arrowhead": ("arrowhead", 350),
    "lovell": ("lovell", 350),
    "vetiver": ("vetiver", 350),
}
"""Upgrades and Bitcoin heights; from height 350 on hashes tell the Bridge's own transactions."""
HAS_INDEX = ("arrowhead", "lovell", "vetiver")

MULTISIG = multisig_script(2, private_keys("key1 key2 key3"))
SENDERS = {
    "key": FROM_KEY,
    "segwit key": FROM_SEGWIT_KEY,
    "multisig": TxInput(b"\3" * 32, 0, b"\0" + push(SIGNATURE) + push(SIGNATURE) + push(MULTISIG)),
    "segwit multisig": TxInput(
        b"\3" * 32,
        0,
        push(witness_program(MULTISIG)),
        witness=(b"", SIGNATURE, SIGNATURE, MULTISIG),
    ),
    "nobody": TxInput(b"\3" * 32, 0, b""),
    "native segwit": TxInput(b"\4" * 32, 0, b"", witness=(SIGNATURE, PUBLIC_KEY)),
}
OTHERS = {
    "user": pay_to_key(bytes(20)),
    "segwit": b"\0\x14" + bytes(20),
    "instructions": instructions(b"RSKT\1" + RECEIVER)[1],
    "version 2": instructions(b"RSKT\2" + RECEIVER)[1],
    "other prefix": instructions(b"RSKR\1" + RECEIVER)[1],
    "empty payload": instructions(b"RSKT\1")[1],
}

Outputs = list[tuple[int, str]]
BOTH: Outputs = [(LEAST, "active"), (LEAST, "retiring")]


class Scene:
    """A chain whose Bridge has proof of one transaction, and federations with private keys."""

    def __init__(self, column: str, *, is_retiring: bool = True) -> None:
        """The federations are in force once a transaction is proven."""
        self.upgrade, height = COLUMNS[column]
        self.blocks = BitcoinBlocks(self.upgrade, height)
        machine = self.machine = self.blocks.machine
        kind = Format.P2SH_P2WSH_ERP if self.upgrade == "vetiver" else Format.P2SH_ERP
        self.active = signers(machine, ACTIVE, kind)
        self.retiring = signers(machine, RETIRING, Format.P2SH_ERP)
        self.is_retiring = is_retiring

    def pay(self, outputs: Outputs, spent: TxInput | tuple[TxInput, ...]) -> BitcoinTransaction:
        """A transaction with outputs to what has those names."""
        scripts = OTHERS | {"active": self.active.script, "retiring": self.retiring.script}
        deposit = flyover_script(bytes(32), self.active.federation.redeem_script)
        scripts["deposit"] = self.active.federation.output_script_of(deposit)
        return paying(*((value, scripts[name]) for value, name in outputs), spent=spent)

    def register(self, transaction: BitcoinTransaction, retired: bytes | None = None) -> Outcome:
        """Prove and register a transaction."""
        if self.upgrade == "fingerroot":
            key_hash = hash160(PUBLIC_KEY)
            for address in (b"\x6f" + key_hash, b"\xc4" + hash160(b"\0\x14" + key_hash)):
                whitelist(self.blocks, base58check(address), 100 * BITCOIN)
        proof = self.blocks.prove(transaction)
        retiring = self.retiring if self.is_retiring else None
        put_in_force(self.machine, self.active, retiring, retired)
        return self.blocks.register_proof(proof)

    def outcome(self, transaction: BitcoinTransaction, retired: bytes | None = None) -> str:
        """What a registration logs, and how many outputs it adds to the federations'."""
        outcome = self.register(transaction, retired)
        if outcome.error is not None:
            return "fails"
        assert LOCKED not in {log.topics[0] for log in outcome.logs}
        found = [
            f"credited {int.from_bytes(log.data[:32])} of version {log.data[63]}"
            for log in outcome.logs
            if log.topics[0] == PEGGED_IN
        ]
        found += [f"{name} {number}" for name, number in reasons(outcome)]
        reading = reading_call(self.machine)
        height = peg_ins.processed_height(reading, transaction.txid)
        assert height in {None, LATE}
        found += ["processed"] * (height is not None)
        kept = [len(load_utxos(reading, slot)) for slot in (new_slot(reading), OLD)]
        return ", ".join(found + [f"kept {kept[0]}+{kept[1]}"] * any(kept))


def by_index(column: str, expected: str, otherwise: str = "") -> str:
    """An outcome where hashes tell the Bridge's own transactions, and another one elsewhere."""
    return expected if column in HAS_INDEX else otherwise


def unrefunded(column: str, expected: str) -> str:
    """An outcome without a refund; it counts as processed before Arrowhead and under Lovell."""
    is_processed = column in {"fingerroot", "lovell"}
    return f"{expected}, processed" if is_processed else expected


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("is_retiring", [True, False])
class TestPegIns:
    @pytest.mark.parametrize("version", [0, 1])
    @pytest.mark.parametrize("outputs", [[LEAST], [LEAST - 1], [LEAST] * 11], ids=str)
    @pytest.mark.parametrize(
        ("receiver", "sender"), [("user", "key"), ("deposit", "key"), ("deposit", "segwit key")]
    )
    def test_to_others(  # the dimensions of the table
        self,
        column: str,
        is_retiring: bool,
        version: int,
        outputs: list[int],
        receiver: str,
        sender: str,
    ) -> None:
        """Nothing for a federation is a peg-in of nothing by inputs, and is ignored by hashes."""
        scene = Scene(column, is_retiring=is_retiring)
        paid = [(value, receiver) for value in outputs] + [(0, "instructions")] * version
        expected = by_index(column, "", "rejected 5, unrefundable 3")
        if column == "fingerroot":
            expected = f"credited 0 of version {version}, processed"

        assert scene.outcome(scene.pay(paid, SENDERS[sender])) == expected

    @pytest.mark.parametrize("sender", ["key", "segwit key"])
    @pytest.mark.parametrize(
        ("outputs", "credited"),
        [
            ([(BITCOIN, "active")], BITCOIN),
            ([(LEAST, "active")] * 10, 10 * LEAST),
            ([(BITCOIN, "active"), (BITCOIN, "segwit")], BITCOIN),
            ([(LEAST, "active"), (LEAST - 1, "segwit"), (LEAST - 1, "user")], LEAST),
            ([(BITCOIN, "active"), (0, "other prefix")], BITCOIN),
        ],
    )
    def test_credited(
        self, column: str, is_retiring: bool, sender: str, outputs: Outputs, credited: int
    ) -> None:
        """What the active federation gets is credited, and kept."""
        scene = Scene(column, is_retiring=is_retiring)
        kept = sum(name == "active" for _, name in outputs)
        expected = f"credited {credited} of version 0, processed, kept {kept}+0"

        assert scene.outcome(scene.pay(outputs, SENDERS[sender])) == expected

    @pytest.mark.parametrize(
        "outputs",
        [
            [(LEAST - 1, "active")],
            [(LEAST, "active"), (LEAST - 1, "active")],
            [(LEAST // 10, "active")] * 10,
            [(LEAST // 10, "active")] * 20,
        ],
    )
    def test_too_small(self, column: str, is_retiring: bool, outputs: Outputs) -> None:
        """One output below the minimum is ignored by inputs, and rejected by hashes."""
        scene = Scene(column, is_retiring=is_retiring)
        expected = by_index(column, unrefunded(column, "rejected 5, unrefundable 3"))

        assert scene.outcome(scene.pay(outputs, FROM_KEY)) == expected

    @pytest.mark.parametrize("sender", ["nobody", "native segwit"])
    @pytest.mark.parametrize(
        ("output", "reason"), [("user", 3), ("empty payload", 4), ("version 2", 4)]
    )
    def test_unknown_sender(
        self, column: str, is_retiring: bool, sender: str, output: str, reason: int
    ) -> None:
        """Without a sender nothing is refunded; before Arrowhead instructions are missed (4)."""
        scene = Scene(column, is_retiring=is_retiring)
        transaction = scene.pay([(BITCOIN, "active"), (0, output)], SENDERS[sender])
        reason = 4 if column == "fingerroot" else reason
        expected = unrefunded(column, f"rejected {reason}, unrefundable 1")

        assert scene.outcome(transaction) == expected

    @pytest.mark.parametrize("sender", ["key", "segwit key", "multisig", "segwit multisig"])
    @pytest.mark.parametrize(
        "outputs",
        [
            [(0, "empty payload")],
            [(0, "version 2")],
            [(0, "instructions"), (0, "instructions")],
            [(0, "version 2"), (0, "instructions")],
        ],
    )
    def test_malformed_instructions(
        self, column: str, is_retiring: bool, sender: str, outputs: Outputs
    ) -> None:
        """A known sender of malformed instructions is refunded."""
        scene = Scene(column, is_retiring=is_retiring)
        transaction = scene.pay([(BITCOIN, "active"), *outputs], SENDERS[sender])

        assert scene.outcome(transaction) == f"rejected 4, refund {BITCOIN}, processed"


@pytest.mark.parametrize("column", COLUMNS)
class TestRetiring:
    @pytest.mark.parametrize(
        ("outputs", "credited", "version", "kept"),
        [
            (BOTH, 2 * LEAST, 0, "1+1"),
            ([*BOTH, (BITCOIN, "user")], 2 * LEAST, 0, "1+1"),
            ([(BITCOIN, "retiring"), (0, "instructions")], BITCOIN, 1, "0+1"),
        ],
    )
    @pytest.mark.parametrize("sender", ["key", "segwit key"])
    def test_credited(
        self, column: str, outputs: Outputs, credited: int, version: int, kept: str, sender: str
    ) -> None:
        """What a retiring federation gets is credited, too."""
        scene = Scene(column)
        expected = f"credited {credited} of version {version}, processed, kept {kept}"

        assert scene.outcome(scene.pay(outputs, SENDERS[sender])) == expected

    def test_too_small(self, column: str) -> None:
        """Each output has to be large enough."""
        scene = Scene(column)
        expected = by_index(column, unrefunded(column, "rejected 5, unrefundable 3"))
        outputs = [(LEAST - 1, "active"), (LEAST, "retiring")]

        assert scene.outcome(scene.pay(outputs, FROM_KEY)) == expected

    @pytest.mark.parametrize("sender", ["multisig", "segwit multisig"])
    @pytest.mark.parametrize(
        ("outputs", "inputs"),
        [
            ([(BITCOIN, "retiring")], ["retiring"]),
            ([(BITCOIN, "user"), (BITCOIN, "retiring")], ["retiring"]),
            ([(BITCOIN, "retiring")] * 2, ["retiring"] * 2),
            ([(BITCOIN, "active")], ["active"]),
            ([(BITCOIN, "user"), *[(BITCOIN, "active")] * 2], ["active"] * 2),
        ],
    )
    def test_multisig(self, column: str, sender: str, outputs: Outputs, inputs: list[str]) -> None:
        """A multisig is refunded from the federation that it paid, with that one's script."""
        scene = Scene(column)
        value = BITCOIN * len(inputs)

        expected = f"rejected 2, refund {value}, processed"
        assert scene.outcome(scene.pay(outputs, SENDERS[sender])) == expected
        reading = reading_call(scene.machine)
        ((refund, _, _),) = load_waiting(reading)
        paid: Signers = getattr(scene, inputs[0])
        for spent in refund.inputs:
            script = paid.federation.redeem_script
            assert redeem_script_in(spent) == script
            assert bool(spent.witness) == paid.federation.is_segwit
            if spent.witness:
                assert spent.script == push(witness_program(script))
        assert len(refund.inputs) == len(inputs)
        assert not releases.is_created(reading, refund)
        stored = storage.load(reading, releases.values_slot(refund.txid))
        assert bool(stored) == (column == "vetiver")

    @pytest.mark.parametrize("sender", ["multisig", "segwit multisig"])
    @pytest.mark.parametrize(
        "outputs",
        [
            [(BITCOIN, "retiring"), (BITCOIN, "active"), (BITCOIN, "active")],
            [(BITCOIN, "user"), (BITCOIN, "retiring"), (BITCOIN, "retiring"), (BITCOIN, "active")],
        ],
    )
    def test_multisig_to_both(self, column: str, sender: str, outputs: Outputs) -> None:
        """Federations of different formats (vetiver here) cannot be spent from at once."""
        scene = Scene(column)
        expected = f"rejected 2, refund {3 * BITCOIN}, processed"
        if column == "vetiver":
            expected = "rejected 2, unrefundable 4"

        assert scene.outcome(scene.pay(outputs, SENDERS[sender])) == expected

    @pytest.mark.parametrize("receiver", ["active", "retiring"])
    def test_unknown_sender(self, column: str, receiver: str) -> None:
        """Without a sender nothing is refunded."""
        scene = Scene(column)
        reason = 4 if column == "fingerroot" else 3
        expected = unrefunded(column, f"rejected {reason}, unrefundable 1")

        assert scene.outcome(scene.pay([(BITCOIN, receiver)], SENDERS["nobody"])) == expected


MANY: Outputs = [(value, "user") for value in (1_100_000, 1_200_000, 1_400_000, BITCOIN) * 10]


@pytest.mark.parametrize("column", COLUMNS)
class TestOwnTransactions:
    @pytest.mark.parametrize(
        ("outputs", "inputs", "kept"),
        [
            ([(BITCOIN, "user")], 1, 0),
            ([*MANY, (100_000, "active")], 50, 1),
            ([*MANY, (100_000, "active")], 1, 1),
            ([(400_000, "user")], 50, 0),
        ],
    )
    @pytest.mark.parametrize("is_retiring", [True, False])
    def test_peg_out(
        self, column: str, outputs: Outputs, inputs: int, kept: int, is_retiring: bool
    ) -> None:
        """The change of a peg-out is kept, whatever its value."""
        scene = Scene(column, is_retiring=is_retiring)
        transaction = self.signed(scene, scene.active, outputs, inputs)
        remember(scene.machine, transaction)

        assert scene.outcome(transaction) == f"processed{f', kept {kept}+0' * bool(kept)}"

    @pytest.mark.parametrize(
        ("outputs", "inputs"),
        [
            ([(BITCOIN, "active")], 1),
            ([(1_400_000, "active")] * 40, 50),
            ([(1_400_000, "active")] * 40, 1),
            ([(400_000, "active")], 50),
            ([(10 * BITCOIN, "active"), *[(BITCOIN, "active")] * 9], 10),
        ],
    )
    @pytest.mark.parametrize("spender", ["retiring", "retired"])
    def test_migration(self, column: str, outputs: Outputs, inputs: int, spender: str) -> None:
        """What a retiring or retired federation sends is kept; one below a peg-in only by hash."""
        scene = Scene(column, is_retiring=spender == "retiring")
        transaction = self.signed(scene, scene.retiring, outputs, inputs)
        retired = None
        if spender == "retired":
            retired = scene.retiring.federation.default_output_script
        remember(scene.machine, transaction)
        is_kept = spender == "retiring" or outputs[0][0] > LEAST or column in HAS_INDEX
        expected = f"processed, kept {len(outputs)}+0" if is_kept else ""

        assert scene.outcome(transaction, retired) == expected

    @pytest.mark.parametrize(
        ("spender", "outputs"),
        [
            ("active", [(BITCOIN, "user"), (BITCOIN, "active")]),
            ("retiring", [(BITCOIN, "active")]),
        ],
    )
    def test_unknown_hash(self, column: str, spender: str, outputs: Outputs) -> None:
        """By hashes what the Bridge has not created is a multisig's peg-in."""
        scene = Scene(column)
        transaction = self.signed(scene, getattr(scene, spender), outputs, 1)
        expected = f"rejected 2, refund {BITCOIN}, processed"

        assert scene.outcome(transaction) == by_index(column, expected, "processed, kept 1+0")

    def test_not_known_as_retired(self, column: str) -> None:
        """By inputs a federation that the Bridge has forgotten is a multisig as any other."""
        scene = Scene(column, is_retiring=False)
        transaction = self.signed(scene, scene.retiring, [(BITCOIN, "active")], 1)
        remember(scene.machine, transaction)
        expected = f"rejected 2, refund {BITCOIN}, processed"

        assert scene.outcome(transaction) == by_index(column, "processed, kept 1+0", expected)

    def signed(
        self, scene: Scene, spender: Signers, outputs: Outputs, inputs: int
    ) -> BitcoinTransaction:
        """A transaction that a federation signs."""
        spent = tuple(spender.input(at) for at in range(inputs))
        return spender.sign(scene.pay(outputs, spent))


@pytest.mark.parametrize("column", ["lovell", "vetiver"])
@pytest.mark.parametrize("is_validating", [True, False])
@pytest.mark.parametrize("version", [0, 1])
class TestValidation:
    @pytest.mark.parametrize("key", ["script", "other"])
    def test_key(self, column: str, is_validating: bool, version: int, key: str) -> None:
        """A key that reads as a script fails Lovell's node while a federation is validated."""
        scene = Scene(column)
        public_key = bytes.fromhex(DATA["key_that_is_a_script"]) if key == "script" else PUBLIC_KEY
        spent = TxInput(b"\1" * 32, 0, push(SIGNATURE) + push(public_key))
        transaction = scene.pay([(0, "instructions")] * version + [(BITCOIN, "active")], spent)
        if is_validating:
            storage.store_rlp(reading_call(scene.machine), migration.SPEND_HASH, bytes(32))
        expected = f"credited {BITCOIN} of version {version}, processed, kept 1+0"
        if is_validating and key == "script" and column == "lovell":
            expected = "fails"

        assert scene.outcome(transaction) == expected


class TestRealTransaction:
    @pytest.mark.parametrize(
        ("upgrade", "is_validating", "expected"),
        [("lovell", True, "fails"), ("vetiver", False, "rejected 4, refund 500000, processed")],
    )
    def test_testnet(self, upgrade: str, is_validating: bool, expected: str) -> None:
        """A real peg-in of testnet, whose instructions are malformed."""
        scene = Scene(upgrade, is_retiring=False)
        real = BitcoinTransaction.parse(bytes.fromhex(DATA["malformed_on_testnet"]))
        outputs = [
            replace(each, script=scene.active.script) if at == 2 else each
            for at, each in enumerate(real.outputs)
        ]
        if is_validating:
            storage.store_rlp(reading_call(scene.machine), migration.SPEND_HASH, bytes(32))

        assert scene.outcome(replace(real, outputs=tuple(outputs))) == expected


def test_genesis_is_not_needed() -> None:
    """The scenes' federations are those in force."""
    scene = Scene("vetiver")
    scene.register(scene.pay([(BITCOIN, "active")], FROM_KEY))
    reading = reading_call(scene.machine)

    assert federation.live(reading) == [scene.active.federation, scene.retiring.federation]
