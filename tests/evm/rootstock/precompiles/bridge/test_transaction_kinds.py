"""`devchain.evm.rootstock.precompiles.bridge.transaction_kinds`, with two federations."""

from __future__ import annotations

import pytest
from coincurve import PrivateKey

from devchain.evm.rootstock.precompiles.bitcoin_script import RedeemScript, pay_to_key
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
from tests.evm.rootstock.precompiles.bridge.test_flyover import (
    DEPOSIT_SCRIPT,
    DERIVATION,
    register_proof,
)
from tests.evm.rootstock.precompiles.bridge.test_peg_ins import FROM_MULTISIG, reasons

VALUE = 10**8
ELSEWHERE = (VALUE, pay_to_key(bytes(20)))
FORMATS = {
    "iris": Format.NON_STANDARD_ERP,
    "fingerroot": Format.P2SH_ERP,
    "arrowhead": Format.P2SH_ERP,
    "vetiver": Format.P2SH_P2WSH_ERP,
}
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
