"""`devchain.evm.rootstock.precompiles.bridge.transaction_kinds`, with two federations."""

from __future__ import annotations

import pytest
from coincurve import PrivateKey

from devchain.evm.rootstock.precompiles.bitcoin_script import RedeemScript, pay_to_key, push
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction, TxInput
from devchain.evm.rootstock.precompiles.bridge import federation, storage, transaction_kinds
from devchain.evm.rootstock.precompiles.bridge.federation import (
    Federation,
    FederationMember,
    Format,
    build_federation,
)
from devchain.evm.rootstock.precompiles.bridge.release_inputs import (
    redeem_script_in,
    unsigned_input,
)
from devchain.evm.rootstock.precompiles.bridge.releases import (
    flyover_script,
    flyover_slot,
    load_waiting,
)
from devchain.evm.rootstock.precompiles.bridge.transaction_kinds import Kind, kind_of
from devchain.evm.rootstock.precompiles.bridge.utxos import OLD, load_utxos, new_slot
from devchain.evm.rootstock.precompiles.native_contract import PrecompileUnsupported
from tests.evm.rootstock.precompiles.bridge.bitcoin_blocks import (
    FEDERATION_SCRIPT,
    REDEEM_SCRIPT,
    SENDER,
    BitcoinBlocks,
    paying,
)
from tests.evm.rootstock.precompiles.bridge.calls import at_block, number, reading_call
from tests.evm.rootstock.precompiles.bridge.federations import (
    Signers,
    put_in_force,
    remember,
    signers,
)
from tests.evm.rootstock.precompiles.bridge.test_flyover import (
    DEPOSIT_SCRIPT,
    DERIVATION,
    register_proof,
)
from tests.evm.rootstock.precompiles.bridge.test_peg_ins import FROM_MULTISIG, reasons
from tests.evm.rootstock.precompiles.calling import Machine

VALUE = 10**8
ELSEWHERE = (VALUE, pay_to_key(bytes(20)))
FORMATS = {
    "iris": Format.NON_STANDARD_ERP,
    "fingerroot": Format.P2SH_ERP,
    "arrowhead": Format.P2SH_ERP,
    "vetiver": Format.P2SH_P2WSH_ERP,
}
OLD_KEYS = (
    "47129ffed2c0273c75d21bb8ba020073bb9a1638df0e04853407461fdd9e8b83",
    "9f72d27ba603cfab5a0201974a6783ca2476ec3d6b4e2625282c682e0e5f1c35",
    "e1b17fcd0ef1942465eee61b20561b16750191143d365e71de08b33dd84a9788",
)
"""Private keys of the oldest federation of rskj's regtest."""

upgrades = pytest.mark.parametrize("upgrade", FORMATS)


def spending(redeem_script: bytes, *, is_segwit: bool = False) -> TxInput:
    """An input with a redeem script and no signatures."""
    spent = TxInput(b"\5" * 32, 0, b"")
    return unsigned_input(spent, RedeemScript.parse(redeem_script), is_segwit=is_segwit)


def begin(
    upgrade: str, *, retired: bool = False, height: int = 0
) -> tuple[BitcoinBlocks, Federation]:
    """A chain whose genesis federation retires, or has retired, and the active federation."""
    blocks = BitcoinBlocks(upgrade, height)
    reading = reading_call(blocks.machine)
    keys = [PrivateKey.from_int(at).public_key.format() for at in (10, 20, 30)]
    members = [FederationMember(key, key, key) for key in keys]
    genesis = federation.active(reading)
    current = build_federation(reading, members, 0, 1, FORMATS[upgrade])
    federation.store_federation(reading, federation.NEW, current)
    federation.store_federation(reading, federation.OLD, None if retired else genesis)
    if retired:
        storage.store_rlp(reading, federation.LAST_RETIRED_SCRIPT, [genesis.output_script])
    at_block(blocks.machine, 1_000)
    return blocks, current


def kind(blocks: BitcoinBlocks, transaction: BitcoinTransaction, height: int = 0) -> Kind:
    """The kind of a transaction."""
    return kind_of(reading_call(blocks.machine), transaction, height)


class TestKinds:
    @upgrades
    def test_by_inputs(self, upgrade: str) -> None:
        """A redeem script of either federation makes a peg-out or a migration."""
        blocks, current = begin(upgrade)
        to_current, to_genesis = (
            (VALUE, each) for each in (current.output_script, FEDERATION_SCRIPT)
        )
        own = spending(current.redeem_script, is_segwit=current.is_segwit)

        assert kind(blocks, paying(to_current, to_genesis)) is Kind.PEG_IN
        assert (
            kind(blocks, paying(to_current, spent=spending(REDEEM_SCRIPT))) is Kind.FROM_FEDERATION
        )
        assert (
            kind(blocks, paying(ELSEWHERE, spent=spending(REDEEM_SCRIPT))) is Kind.FROM_FEDERATION
        )
        assert kind(blocks, paying(ELSEWHERE, spent=own)) is Kind.FROM_FEDERATION

    @upgrades
    def test_retired(self, upgrade: str) -> None:
        """What has retired may still send its funds, but no less than a peg-in (PegUtilsLegacy)."""
        blocks, current = begin(upgrade, retired=True)
        spent = spending(REDEEM_SCRIPT)
        enough, little = (
            paying((value, current.output_script), spent=spent) for value in (500_000, 499_999)
        )

        assert kind(blocks, enough) is Kind.FROM_FEDERATION
        assert kind(blocks, little) is Kind.OTHER

    @pytest.mark.parametrize("upgrade", ["arrowhead", "vetiver"])
    def test_by_hash(self, upgrade: str) -> None:
        """From a height on inputs no longer count (RSKIP379)."""
        blocks, current = begin(upgrade)
        spent = spending(REDEEM_SCRIPT)

        assert kind(blocks, paying((1, current.output_script), spent=spent), 350) is Kind.PEG_IN
        assert kind(blocks, paying((1, FEDERATION_SCRIPT), spent=spent), 350) is Kind.PEG_IN
        assert kind(blocks, paying(ELSEWHERE, spent=spent), 350) is Kind.OTHER

    def test_minimum_of_all_outputs(self) -> None:
        """Iris adds the outputs up; since Hop each has to be as large as a peg-in (RSKIP293)."""
        outputs = ((300_000, FEDERATION_SCRIPT), (300_000, FEDERATION_SCRIPT))
        kinds = [
            kind(BitcoinBlocks(upgrade), paying(*outputs)) for upgrade in ("iris", "fingerroot")
        ]

        assert kinds == [Kind.PEG_IN, Kind.OTHER]

    def test_witness_program(self) -> None:
        """Bitcoinj takes the right witness program for a spent output, without a witness."""
        blocks, current = begin("vetiver")
        program = spending(current.redeem_script, is_segwit=True).script
        transaction = paying((VALUE, FEDERATION_SCRIPT), spent=TxInput(b"\1" * 32, 0, program))

        assert kind(blocks, transaction) is Kind.OTHER

    def test_too_long_to_check(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Before Iris signatures are checked, of so many bytes at most."""
        monkeypatch.setattr(transaction_kinds, "MOST_CHECKED", 1_000)
        script = spending(REDEEM_SCRIPT).script
        spent = tuple(TxInput(index.to_bytes(32), 0, script) for index in range(3))

        with pytest.raises(PrecompileUnsupported, match="too long to check"):
            kind(BitcoinBlocks("papyrus"), paying(ELSEWHERE, spent=spent))


class TestPegIns:
    @upgrades
    def test_outputs_to_both(self, upgrade: str) -> None:
        """Outputs to the retiring federation are kept apart, and credited too."""
        blocks, current = begin(upgrade)
        reading = reading_call(blocks.machine)
        transaction = paying(
            (VALUE, FEDERATION_SCRIPT),
            (2 * VALUE, current.output_script),
            (0, b"\x6a\x19RSKT\1" + SENDER),
        )
        outcome = blocks.register(transaction)

        assert len(outcome.logs) == 1
        assert blocks.balance(SENDER) == 3 * 10**18
        lists = [load_utxos(reading, slot) for slot in (new_slot(reading), OLD)]
        assert [[utxo.index for utxo in each] for each in lists] == [[1], [0]]

    @pytest.mark.parametrize("upgrade", ["arrowhead", "vetiver"])
    def test_different_formats(self, upgrade: str) -> None:
        """A multisig's peg-in to federations of different formats is not refunded."""
        blocks, current = begin(upgrade)
        outputs = ((VALUE, FEDERATION_SCRIPT), (VALUE, current.output_script))

        rejected = blocks.register(paying(*outputs, spent=FROM_MULTISIG))
        refunded = blocks.register(paying(outputs[1], spent=FROM_MULTISIG))
        assert reasons(rejected) == [("rejected", 2), ("unrefundable", 4)]
        assert reasons(refunded) == [("rejected", 2), ("refund", VALUE)]


class TestDeposits:
    @pytest.mark.parametrize("upgrade", ["fingerroot", "vetiver"])
    @pytest.mark.parametrize("retiring_only", [False, True])
    def test_retiring(self, upgrade: str, retiring_only: bool) -> None:
        """Since Hop deposits to the retiring federation count (RSKIP293)."""
        blocks, current = begin(upgrade)
        reading = reading_call(blocks.machine)
        to_current = current.output_script_of(flyover_script(DERIVATION, current.redeem_script))
        outputs = [(VALUE, DEPOSIT_SCRIPT), (VALUE, to_current)][: 2 - retiring_only]
        answer = register_proof(blocks, blocks.prove(paying(*outputs)))

        assert number(answer) == len(outputs) * 10**18
        assert [utxo.script for utxo in load_utxos(reading, OLD)] == [DEPOSIT_SCRIPT]
        kept = [utxo.script for utxo in load_utxos(reading, new_slot(reading))]
        assert kept == [to_current][: 1 - retiring_only]
        for script in (DEPOSIT_SCRIPT, to_current):
            deposit = storage.load_rlp(reading, flyover_slot(script[2:22]))
            assert deposit[0] == DERIVATION

    def test_before_hop(self) -> None:
        """Iris knows deposits to the active federation only."""
        blocks, _ = begin("iris")

        assert number(register_proof(blocks, blocks.prove(paying((VALUE, DEPOSIT_SCRIPT))))) == -304

    def test_refund_of_both(self) -> None:
        """Above the locking cap one transaction sends back what both federations got."""
        blocks, current = begin("fingerroot")
        to_current = current.output_script_of(flyover_script(DERIVATION, current.redeem_script))
        outputs = ((1001 * VALUE, DEPOSIT_SCRIPT), (VALUE, to_current))
        answer = register_proof(blocks, blocks.prove(paying(*outputs)))
        (waiting,) = load_waiting(reading_call(blocks.machine))

        assert number(answer) == -100
        scripts = [redeem_script_in(spent) for spent in waiting.transaction.inputs]
        assert scripts == [
            flyover_script(DERIVATION, each) for each in (REDEEM_SCRIPT, current.redeem_script)
        ]


ACTIVE, RETIRING, RETIRED = "fa01 fa02 fa03 fa04 fa05", "fa06 fa07 fa08", "fa09 fa10 fa00"
LEAST = 500_000  # satoshis of a peg-in
NATIVE_SEGWIT = b"\0\x14" + bytes(20)
BY_HASH = 837_589 + 4_320  # the height on mainnet from which hashes tell the Bridge's own

LETTERS = {Kind.PEG_IN: "I", Kind.FROM_FEDERATION: "F", Kind.OTHER: "O"}
Outputs = list[tuple[int, str]]
MANY_PEGOUTS = [(value, "user") for value in (1_100_000, 1_200_000, 1_400_000, VALUE) * 10]


class TestScenarios:
    """Kinds in rskj's PegUtilsGetTransactionTypeTest and PegUtilsLegacyGetTransactionTypeTest.

    Of three letters the first two are of kinds by inputs, under Fingerroot and since Arrowhead, the
    third one by hashes: (I) peg-in, (F) from the federation, (O) other.
    """

    def scripts(self, active: Signers, retiring: Signers, retired: Signers) -> dict[str, bytes]:
        """Output scripts by the names that the table has."""
        deposit = flyover_script(DERIVATION, active.federation.redeem_script)
        return {
            "active": active.script,
            "retiring": retiring.script,
            "retired": retired.script,
            "deposit": active.federation.output_script_of(deposit),
            "user": pay_to_key(bytes(20)),
            "segwit": NATIVE_SEGWIT,
            "nothing": b"",
            "instructions": b"\x6a" + push(b"RSKT\1" + SENDER + b"\1" + bytes(20)),
        }

    @pytest.mark.parametrize("newest", ["arrowhead", "lovell", "vetiver"])
    @pytest.mark.parametrize("in_force", ["active", "retiring", "retired", "retiring+retired"])
    @pytest.mark.parametrize(
        ("outputs", "expected"),
        [
            ([(LEAST, "user")], "IIO"),
            ([(LEAST - 1, "user")], "IIO"),
            ([(LEAST, "nothing")], "IIO"),
            ([(LEAST - 1, "nothing")], "IIO"),
            ([(VALUE, "active"), (0, "instructions")], "III"),
            ([(VALUE, "active"), (VALUE, "segwit")], "III"),
            ([(VALUE, "user"), (VALUE, "active"), (VALUE, "user")], "III"),
            ([(VALUE, "active")] * 200, "III"),
            ([(LEAST // 10, "active")] * 10, "OOI"),
            ([(LEAST - 1, "active")], "OOI"),
            ([(LEAST, "active")], "III"),
            ([(LEAST + 1_000_000, "active")], "III"),
            ([*[(LEAST // 10, "active")] * 10, (LEAST, "active"), (VALUE, "active")], "OOI"),
            ([(LEAST, "deposit")], "IIO"),
            ([(LEAST - 1, "deposit")], "IIO"),
            ([(LEAST, "deposit"), (LEAST, "segwit")], "IIO"),
            ([(VALUE, "retired")], "IIO"),
        ],
    )
    def test_from_others(self, newest: str, in_force: str, outputs: Outputs, expected: str) -> None:
        """By inputs any transaction of others is a peg-in, unless an output is too small."""
        assert self.kinds(newest, in_force, outputs) == expected

    @pytest.mark.parametrize("newest", ["arrowhead", "lovell", "vetiver"])
    @pytest.mark.parametrize(
        "outputs",
        [
            [(VALUE, "user"), (VALUE, "retiring"), (VALUE, "user")],
            [(VALUE, "retiring")],
            [(VALUE, "retiring")] * 2000,
            [(VALUE, "active"), (VALUE, "retiring")],
            [(VALUE, "user"), (VALUE, "active"), (VALUE, "retiring"), (VALUE, "user")],
        ],
    )
    def test_to_retiring(self, newest: str, outputs: Outputs) -> None:
        """Outputs to a retiring federation are peg-ins, too."""
        assert self.kinds(newest, "retiring", outputs) == "III"

    @pytest.mark.parametrize("newest", ["arrowhead", "lovell", "vetiver"])
    @pytest.mark.parametrize(
        ("spender", "in_force", "outputs", "inputs", "known", "unknown"),
        [
            ("unknown", "active", [(VALUE, "active")], 1, "IIF", "III"),
            ("unknown", "active", [(VALUE, "active"), (VALUE, "segwit")], 1, "IIF", "III"),
            ("active", "active", [(VALUE, "user")], 1, "FFF", "FFO"),
            ("active", "active", MANY_PEGOUTS, 50, "FFF", "FFO"),
            ("active", "active", MANY_PEGOUTS, 1, "FFF", "FFO"),
            ("active", "active", [(400_000, "user")], 50, "FFF", "FFO"),
            ("active", "active", [(VALUE, "user"), (VALUE, "active")], 1, "FFF", "FFI"),
            ("retiring", "retiring", [(VALUE, "active")], 3, "FFF", "FFI"),
            ("retiring", "retiring", [(1_400_000, "active")] * 40, 50, "FFF", "FFI"),
            ("retiring", "retiring", [(1_400_000, "active")] * 40, 1, "FFF", "FFI"),
            ("retiring", "retiring", [(400_000, "active")], 50, "FFF", "FFI"),
            ("retiring deposit", "retiring", [(VALUE, "active")], 10, "FFF", "FFI"),
            ("retired", "retired", [(VALUE, "active")], 1, "FFF", "FFI"),
            ("retired", "active", [(VALUE, "active")], 1, "IIF", "III"),
            ("retired deposit", "retired", [(VALUE, "active")], 1, "FFF", "FFI"),
        ],
    )
    def test_from_federations(
        self,
        newest: str,
        spender: str,
        in_force: str,
        outputs: Outputs,
        inputs: int,
        known: str,
        unknown: str,
    ) -> None:
        """A federation's own are known by their redeem scripts, or by the hash that was kept."""
        for is_known, expected in ((True, known), (False, unknown)):
            kinds = self.kinds(newest, in_force, outputs, spender, inputs, is_known=is_known)
            assert kinds == expected

    def kinds(
        self,
        newest: str,
        in_force: str,
        outputs: Outputs,
        spender: str = "",
        inputs: int = 1,
        *,
        is_known: bool = False,
    ) -> str:
        """The letters of a transaction's kinds."""
        found = ""
        for upgrade, height in (("fingerroot", 0), (newest, 0), (newest, BY_HASH)):
            machine = Machine(upgrade, chain_id=30)
            groups = [
                signers(machine, seeds, FORMATS["arrowhead"])
                for seeds in (ACTIVE, RETIRING, RETIRED)
            ]
            active, retiring, retired = groups
            put_in_force(
                machine,
                active,
                retiring if "retiring" in in_force else None,
                retired.federation.default_output_script if "retired" in in_force else None,
            )
            scripts = self.scripts(*groups)
            paid = [(value, scripts[name]) for value, name in outputs]
            transaction = paying(*paid, spent=TxInput(b"\1" * 32, 0, b""))
            if spender:
                unknown = signers(machine, "key1 key2 key3", Format.STANDARD)
                named = dict(zip(("active", "retiring", "retired"), groups, strict=True))
                one = {**named, "unknown": unknown}[spender.removesuffix(" deposit")]
                script = one.federation.redeem_script
                if spender.endswith("deposit"):
                    script = flyover_script(DERIVATION, script)
                spent = tuple(one.input(at, script) for at in range(inputs))
                transaction = one.sign(paying(*paid, spent=spent), script)
            if is_known and height:
                remember(machine, transaction)
            found += LETTERS[kind_of(reading_call(machine), transaction, height)]
        return found

    @pytest.mark.parametrize(
        ("upgrade", "height", "expected"),
        [
            ("papyrus", 0, Kind.PEG_IN),
            ("iris", 0, Kind.FROM_FEDERATION),
            ("fingerroot", 0, Kind.FROM_FEDERATION),
            ("arrowhead", 0, Kind.FROM_FEDERATION),
            ("arrowhead", 350, Kind.PEG_IN),
        ],
    )
    def test_from_the_old_address(self, upgrade: str, height: int, expected: Kind) -> None:
        """Since Iris (RSKIP199) what the oldest federation of regtest signed is the peg's own."""
        machine = Machine(upgrade)
        put_in_force(machine, signers(machine, ACTIVE, Format.STANDARD))
        keys = {key.public_key.format(): key for key in map(PrivateKey.from_hex, OLD_KEYS)}
        members = [FederationMember(key, key, key) for key in keys]
        old = Signers(build_federation(reading_call(machine), members, 0, 1, Format.STANDARD), keys)
        to_active = federation.active(reading_call(machine)).output_script
        signed = old.sign(paying((VALUE, to_active), spent=old.input()))

        assert old.federation.address == transaction_kinds.OLD_ADDRESS
        assert kind_of(reading_call(machine), signed, height) is expected

    @pytest.mark.parametrize("upgrade", ["orchid", "papyrus", "iris", "fingerroot"])
    @pytest.mark.parametrize("in_force", ["active", "retiring", "retiring+retired"])
    def test_least(self, upgrade: str, in_force: str) -> None:
        """A peg-in has at least 0.01 bitcoins before Iris, 0.005 since then."""
        machine = Machine(upgrade, chain_id=30)
        active, retiring, retired = (
            signers(machine, seeds, Format.STANDARD) for seeds in (ACTIVE, RETIRING, RETIRED)
        )
        put_in_force(
            machine,
            active,
            retiring if "retiring" in in_force else None,
            retired.script if "retired" in in_force else None,
        )
        least = 500_000 if upgrade in {"iris", "fingerroot"} else 1_000_000
        kinds = [
            kind_of(reading_call(machine), paying((value, active.script)), 0)
            for value in (least - 1, least, 50 * VALUE)
        ]

        assert kinds == [Kind.OTHER, Kind.PEG_IN, Kind.PEG_IN]

    @pytest.mark.parametrize("upgrade", ["orchid", "papyrus", "iris", "fingerroot"])
    @pytest.mark.parametrize("kind", [Format.STANDARD, Format.P2SH_ERP, Format.NON_STANDARD_ERP])
    @pytest.mark.parametrize("spender", ["active", "retiring"])
    def test_signed(self, upgrade: str, kind: Format, spender: str) -> None:
        """Peg-outs and migrations of a federation are its own under every upgrade."""
        machine = Machine(upgrade, chain_id=30)
        retiring = signers(machine, RETIRING, Format.STANDARD)
        active = signers(machine, ACTIVE, kind)
        put_in_force(machine, active, retiring)
        one = {"active": active, "retiring": retiring}[spender]
        receiver = active.script if spender == "retiring" else pay_to_key(bytes(20))
        signed = one.sign(paying((VALUE, receiver), spent=one.input()))
        # Before Iris (RSKIP201) only the script without emergency keys is compared.
        is_known = kind is Format.STANDARD or spender == "retiring"
        expected = Kind.FROM_FEDERATION
        if not is_known and upgrade in {"orchid", "papyrus"}:
            expected = Kind.OTHER

        assert kind_of(reading_call(machine), signed, 0) is expected
