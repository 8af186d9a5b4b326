"""Transactions of mainnet's federations, with the sizes and limits of real scripts.

Cases and outcomes are those of rskj's ReleaseTransactionBuilderTest. Federations have nine members,
with SegWit twenty.
"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.evm.rootstock.precompiles.bitcoin_script import (
    flyover_script,
    p2sh_output_script,
    pay_to_key,
    push,
    script_hash_of,
    witness_program,
)
from devchain.evm.rootstock.precompiles.bitcoin_transaction import TxOutput
from devchain.evm.rootstock.precompiles.bridge import releases, storage
from devchain.evm.rootstock.precompiles.bridge.federation import Format
from devchain.evm.rootstock.precompiles.bridge.release_builder import (
    Release,
    ReleaseBuilder,
    ReleaseFailed,
)
from devchain.evm.rootstock.precompiles.bridge.release_inputs import redeem_script_in
from devchain.evm.rootstock.precompiles.bridge.settings import FEE_PER_KILOBYTE
from devchain.evm.rootstock.precompiles.bridge.utxos import (
    Utxo,
)
from tests.evm.rootstock.precompiles.bridge.calls import reading_call
from tests.evm.rootstock.precompiles.bridge.federations import signers
from tests.evm.rootstock.precompiles.calling import Machine

BITCOIN, LEAST_PEG_OUT, LEAST_PEG_IN = 10**8, 400_000, 500_000
NOT_DUST = 2_700  # satoshis: the least output to a script
LOW, MOCK, HIGH = 1_000, 200_000, 1_000_000  # satoshis per 1,000 bytes
MEMBERS = " ".join(f"member{at:02}" for at in range(1, 21))
PREFIX = (1).to_bytes(32)
RECEIVER = pay_to_key(b"\1" * 20)
FORMATS = {
    "standard": Format.STANDARD,
    "non-standard": Format.NON_STANDARD_ERP,
    "p2sh": Format.P2SH_ERP,
    "p2wsh": Format.P2SH_P2WSH_ERP,
}
formats = pytest.mark.parametrize("kind", FORMATS)
live_formats = pytest.mark.parametrize("kind", ["standard", "p2sh", "p2wsh"])


class Scene:
    """Mainnet with a federation that owns outputs."""

    def __init__(self, kind: str, upgrade: str = "vetiver", fee: int = MOCK) -> None:
        """The federation has no outputs yet."""
        self.machine = Machine(upgrade, chain_id=30)
        self.call = reading_call(self.machine)
        seeds = MEMBERS if kind == "p2wsh" else MEMBERS[: 9 * len("member01 ") - 1]
        self.signers = signers(self.machine, seeds, FORMATS[kind])
        self.federation = self.signers.federation
        self.fee = fee
        storage.store_number(self.call, FEE_PER_KILOBYTE, fee)

    def utxos(self, value: int, count: int = 1) -> list[Utxo]:
        """Outputs of those satoshis to the federation."""
        script = self.federation.output_script
        return [Utxo((at + 1).to_bytes(32), 0, value, script) for at in range(count)]

    def deposit(self, value: int, at: int = 0) -> Utxo:
        """A Flyover deposit to the federation, which the Bridge knows."""
        redeem_script = flyover_script(PREFIX, self.federation.redeem_script)
        script = self.federation.output_script_of(redeem_script)
        item = [PREFIX, self.federation.script_hash]
        storage.store_rlp(self.call, releases.flyover_slot(script_hash_of(script) or b""), item)
        return Utxo((10_000 + at).to_bytes(32), 0, value, script)

    def builder(self, utxos: list[Utxo], change: bytes | None = None) -> ReleaseBuilder:
        """A builder for those outputs."""
        to = self.federation.output_script if change is None else change
        return releases.builder_of(self.call, [self.federation], utxos, to)

    def check(self, release: Release, inputs: int, version: int = 2) -> None:
        """An input has the federation's script, or a deposit's, and empty signatures."""
        own = self.federation.redeem_script
        assert release.transaction.version == version
        assert len(release.transaction.inputs) == len(release.spent) == inputs
        for spent, utxo in zip(release.transaction.inputs, release.spent, strict=True):
            is_deposit = utxo.script != self.federation.output_script
            script = flyover_script(PREFIX, own) if is_deposit else own
            assert redeem_script_in(spent) == script
            empty = 1 + self.federation.threshold + (self.federation.format is not Format.STANDARD)
            if self.federation.is_segwit:
                assert spent.script == push(witness_program(script))
                assert spent.witness == (*(b"",) * empty, script)
            else:
                assert spent.script == bytes(empty) + push(script)
                assert spent.witness == ()


def failure(build: Any, *arguments: Any) -> str:
    """Why a transaction cannot be built."""
    with pytest.raises(ReleaseFailed) as failed:
        build(*arguments)
    return failed.value.reason.name


def requests(amount: int, count: int = 1) -> list[TxOutput]:
    """Outputs to keys, of those satoshis each."""
    return [TxOutput(amount, pay_to_key((at + 1).to_bytes(20))) for at in range(count)]


def check_outputs(release: Release, scene: Scene, requested: int, change: int) -> None:
    """Receivers get what was requested without the fee, the federation its change."""
    script = scene.federation.output_script
    to_change = [output.value for output in release.transaction.outputs if output.script == script]
    paid = sum(output.value for output in release.transaction.outputs) - sum(to_change)
    assert to_change == [change] * (change > 0)
    assert paid + release.fee == requested
    assert release.fee > 0


class TestPay:
    @formats
    @pytest.mark.parametrize("count", [1, 3])
    @pytest.mark.parametrize(
        ("upgrade", "version"), [("papyrus", 1), ("iris", 2), ("fingerroot", 2), ("vetiver", 2)]
    )
    def test_one(self, kind: str, count: int, upgrade: str, version: int) -> None:
        """Change comes back; transactions have version 2 since Iris (RSKIP201)."""
        scene = Scene(kind, upgrade)
        utxos = scene.utxos(LEAST_PEG_IN, 10)
        amount = LEAST_PEG_OUT * count
        release = scene.builder(utxos).pay(requests(amount))

        inputs = -(-amount // LEAST_PEG_IN)
        scene.check(release, inputs, version)
        check_outputs(release, scene, amount, inputs * LEAST_PEG_IN - amount)

    @live_formats
    def test_batch(self, kind: str) -> None:
        """Several requests share a transaction, and its fee."""
        scene = Scene(kind)
        release = scene.builder(scene.utxos(LEAST_PEG_IN, 10)).pay(requests(LEAST_PEG_OUT, 3))

        scene.check(release, 3)
        check_outputs(release, scene, 3 * LEAST_PEG_OUT, 3 * (LEAST_PEG_IN - LEAST_PEG_OUT))
        assert len(release.transaction.outputs) == 4
        values = [output.value for output in release.transaction.outputs[:3]]
        assert values == [
            LEAST_PEG_OUT - release.fee // 3 - release.fee % 3,
            *[LEAST_PEG_OUT - release.fee // 3] * 2,
        ]

    @live_formats
    @pytest.mark.parametrize("count", [1, 2])
    def test_exact(self, kind: str, count: int) -> None:
        """Without change there is no output for it."""
        scene = Scene(kind)
        release = scene.builder(scene.utxos(LEAST_PEG_OUT, count)).pay(
            requests(LEAST_PEG_OUT, count)
        )

        scene.check(release, count)
        check_outputs(release, scene, LEAST_PEG_OUT * count, 0)

    @live_formats
    @pytest.mark.parametrize(
        ("rest", "change"), [(1, NOT_DUST), (NOT_DUST - 1, NOT_DUST), (NOT_DUST, NOT_DUST)]
    )
    @pytest.mark.parametrize("count", [1, 2])
    def test_dust(self, kind: str, rest: int, change: int, count: int) -> None:
        """Change that would be dust is raised at the expense of the first receiver."""
        scene = Scene(kind)
        total = LEAST_PEG_OUT * count
        release = scene.builder(scene.utxos(total + rest)).pay(requests(LEAST_PEG_OUT, count))

        scene.check(release, 1)
        check_outputs(release, scene, total - (change - rest), change)
        values = [output.value for output in release.transaction.outputs]
        share, first = divmod(release.fee, count)
        assert values[0] == LEAST_PEG_OUT - share - first - (change - rest)
        assert values[1:count] == [LEAST_PEG_OUT - share] * (count - 1)

    @live_formats
    @pytest.mark.parametrize(
        ("fee", "value", "count", "amount", "reason"),
        [
            (MOCK, 0, 0, LEAST_PEG_OUT, "INSUFFICIENT_MONEY"),
            (MOCK, LEAST_PEG_OUT - 1, 1, LEAST_PEG_OUT, "INSUFFICIENT_MONEY"),
            (MOCK, NOT_DUST, 10, 10 * NOT_DUST, "COULD_NOT_ADJUST_DOWNWARDS"),
            (MOCK, LEAST_PEG_IN, 10, 500, "DUSTY_SEND_REQUESTED"),
            (HIGH, LEAST_PEG_IN, 3, LEAST_PEG_OUT, "COULD_NOT_ADJUST_DOWNWARDS"),
        ],
    )
    def test_failures(
        self, kind: str, fee: int, value: int, count: int, amount: int, reason: str
    ) -> None:
        """Reasons why a peg-out cannot be paid."""
        scene = Scene(kind, fee=fee)
        builder = scene.builder(scene.utxos(value, count))

        assert failure(builder.pay, requests(amount)) == reason

    @live_formats
    def test_high_fee(self, kind: str) -> None:
        """A high fee is paid where there is enough."""
        scene = Scene(kind, fee=HIGH)
        release = scene.builder(scene.utxos(BITCOIN, 10)).pay(requests(BITCOIN - NOT_DUST))

        scene.check(release, 1)
        check_outputs(release, scene, BITCOIN - NOT_DUST, NOT_DUST)

    @pytest.mark.parametrize(
        ("kind", "inputs", "receivers", "fits"),
        [
            ("standard", 276, 1, True),
            ("standard", 277, 1, False),
            ("p2sh", 195, 1, True),
            ("p2sh", 195, 14, True),
            ("p2sh", 194, 15, True),
            ("p2sh", 196, 1, False),
            ("p2sh", 195, 15, False),
            ("p2wsh", 2437, 1, True),
            ("p2wsh", 2436, 2, True),
            ("p2wsh", 2435, 3, True),
            ("p2wsh", 2438, 1, False),
            ("p2wsh", 2437, 2, False),
            ("p2wsh", 2436, 3, False),
        ],
    )
    def test_size(self, kind: str, inputs: int, receivers: int, fits: bool) -> None:
        """How many inputs and receivers a transaction has at most."""
        scene = Scene(kind, fee=LOW)
        amount = BITCOIN * inputs // receivers - NOT_DUST
        builder = scene.builder(scene.utxos(BITCOIN, inputs))
        if fits:
            release = builder.pay(requests(amount, receivers))
            scene.check(release, inputs)
            change = BITCOIN * inputs - amount * receivers
            check_outputs(release, scene, amount * receivers, change)
        else:
            assert failure(builder.pay, requests(amount, receivers)) == (
                "EXCEED_MAX_TRANSACTION_SIZE"
            )


class TestEmpty:
    @live_formats
    @pytest.mark.parametrize("upgrade", ["papyrus", "vetiver"])
    @pytest.mark.parametrize("count", [1, 10])
    @pytest.mark.parametrize("deposits", [0, 2])
    def test_all(self, kind: str, upgrade: str, count: int, deposits: int) -> None:
        """A refund sends all outputs, also of Flyover deposits (RSKIP176), to one receiver."""
        if upgrade == "papyrus" and deposits:
            return
        scene = Scene(kind, upgrade)
        utxos = scene.utxos(LEAST_PEG_IN, count)
        utxos += [scene.deposit(LEAST_PEG_IN, at) for at in range(deposits)]
        release = scene.builder(utxos).empty(RECEIVER)

        scene.check(release, count + deposits, 1 if upgrade == "papyrus" else 2)
        (output,) = release.transaction.outputs
        assert output.script == RECEIVER
        assert output.value + release.fee == LEAST_PEG_IN * (count + deposits)

    @pytest.mark.parametrize(
        ("kind", "inputs"), [("standard", 277), ("p2sh", 196), ("p2wsh", 2438)]
    )
    def test_size(self, kind: str, inputs: int) -> None:
        """More outputs than fit fail; one less fits."""
        scene = Scene(kind, fee=LOW)
        utxos = scene.utxos(BITCOIN, inputs)

        reason = failure(scene.builder(utxos).empty, RECEIVER)
        assert reason == "EXCEED_MAX_TRANSACTION_SIZE"
        scene.check(scene.builder(utxos[1:]).empty(RECEIVER), inputs - 1)

    @live_formats
    def test_fee(self, kind: str) -> None:
        """The receiver pays a high fee, unless nothing would be left."""
        scene = Scene(kind, fee=HIGH)
        rich, poor = scene.utxos(BITCOIN, 10), scene.utxos(LEAST_PEG_IN, 1)

        scene.check(scene.builder(rich).empty(RECEIVER), 10)
        for utxos in (poor if kind != "p2wsh" else scene.utxos(NOT_DUST), []):
            reason = failure(scene.builder(utxos).empty, RECEIVER)
            assert reason == "COULD_NOT_ADJUST_DOWNWARDS"


class TestMigrate:
    """Migrations as `updateCollections` builds them, here at once."""

    @live_formats
    @pytest.mark.parametrize(
        ("upgrade", "version"),
        [("papyrus", 1), ("fingerroot", 1), ("arrowhead", 2), ("vetiver", 2)],
    )
    @pytest.mark.parametrize("count", [1, 10])
    def test_all(self, kind: str, upgrade: str, version: int, count: int) -> None:
        """All goes to the new federation; version 2 since Arrowhead (RSKIP376)."""
        scene = Scene(kind, upgrade)
        utxos = scene.utxos(LEAST_PEG_IN, count)
        if upgrade != "papyrus" and count > 1:
            utxos.append(scene.deposit(BITCOIN))
        receiver = p2sh_output_script(b"new")
        release = scene.builder(utxos, receiver).migrate()

        scene.check(release, len(utxos), version)
        (output,) = release.transaction.outputs
        assert output.script == receiver
        assert output.value + release.fee == sum(utxo.value for utxo in utxos)

    @live_formats
    @pytest.mark.parametrize("value", [0, NOT_DUST - 1])
    def test_too_little(self, kind: str, value: int) -> None:
        """Nothing, or dust, cannot be sent."""
        scene = Scene(kind)
        utxos = scene.utxos(value) if value else []

        assert failure(scene.builder(utxos, RECEIVER).migrate) == "DUSTY_SEND_REQUESTED"

    @live_formats
    @pytest.mark.parametrize("fee", [MOCK, HIGH])
    @pytest.mark.parametrize("count", [1, 10])
    def test_cannot_pay_fee(self, kind: str, fee: int, count: int) -> None:
        """Outputs that cost more than they have cannot be sent, even halved."""
        scene = Scene(kind, fee=fee)
        receiver = p2sh_output_script(b"new")
        builder = scene.builder(scene.utxos(NOT_DUST, count), receiver)

        reason = failure(builder.pay, [TxOutput(NOT_DUST * count, receiver)])
        assert reason == "COULD_NOT_ADJUST_DOWNWARDS"
        assert failure(builder.migrate) == "DUSTY_SEND_REQUESTED"

    @live_formats
    def test_high_fee(self, kind: str) -> None:
        """A high fee is paid from what moves."""
        scene = Scene(kind, fee=HIGH)
        release = scene.builder(scene.utxos(BITCOIN, 10), RECEIVER).migrate()

        scene.check(release, 10)

    @pytest.mark.parametrize(("kind", "most"), [("standard", 276), ("p2sh", 195), ("p2wsh", 2437)])
    def test_size(self, kind: str, most: int) -> None:
        """What does not fit is halved until it does."""
        scene = Scene(kind, fee=LOW)
        utxos = scene.utxos(BITCOIN, most + 1)
        everything = [TxOutput(BITCOIN * (most + 1), RECEIVER)]
        too_large = failure(scene.builder(utxos, RECEIVER).pay, everything)

        assert too_large == "EXCEED_MAX_TRANSACTION_SIZE"
        scene.check(scene.builder(utxos[1:], RECEIVER).migrate(), most)
        halved = scene.builder(utxos, RECEIVER).migrate()
        assert len(halved.spent) == -(-(most + 1) // 2)

    @live_formats
    def test_part(self, kind: str) -> None:
        """If less than all is to move, the rest goes to the same receiver as change."""
        scene = Scene(kind)
        builder = scene.builder(scene.utxos(LEAST_PEG_IN, 10), RECEIVER)
        part = 10 * (LEAST_PEG_IN - 1_000)
        release = builder.pay([TxOutput(part, RECEIVER)])

        assert [output.script for output in release.transaction.outputs] == [RECEIVER] * 2
        assert sum(output.value for output in release.transaction.outputs) + release.fee > part
        assert release.transaction.outputs[1].value == 10_000


class TestFund:
    """The fund transaction of a validation (RSKIP419), whose change pays the fee."""

    VALUE = 800_000  # satoshis of each output on mainnet

    @live_formats
    @pytest.mark.parametrize(
        ("value", "count", "inputs", "deposits"),
        [(BITCOIN, 2, 1, 0), (0, 0, 1, 1), (VALUE, 4, 3, 0)],
    )
    def test_built(self, kind: str, value: int, count: int, inputs: int, deposits: int) -> None:
        """Two outputs to the elected federation, and what is left."""
        scene = Scene(kind)
        utxos = scene.utxos(value, count) + [scene.deposit(BITCOIN)] * deposits
        release = scene.builder(utxos).pay(self.outputs(), receivers_pay=False)

        scene.check(release, inputs)
        values = [output.value for output in release.transaction.outputs]
        spent = sum(utxo.value for utxo in release.spent)
        assert values == [self.VALUE, self.VALUE, spent - 2 * self.VALUE - release.fee]

    @live_formats
    @pytest.mark.parametrize(
        ("value", "count", "amount", "reason"),
        [
            (0, 0, VALUE, "INSUFFICIENT_MONEY"),
            (LEAST_PEG_IN - 1, 1, VALUE, "INSUFFICIENT_MONEY"),
            (BITCOIN, 2, 1, "DUSTY_SEND_REQUESTED"),
        ],
    )
    def test_failures(self, kind: str, value: int, count: int, amount: int, reason: str) -> None:
        """Reasons why there is none."""
        scene = Scene(kind)
        builder = scene.builder(scene.utxos(value, count))

        with pytest.raises(ReleaseFailed) as failed:
            builder.pay(self.outputs(amount), receivers_pay=False)
        assert failed.value.reason.name == reason

    def outputs(self, value: int = VALUE) -> list[TxOutput]:
        """Outputs to the elected federation."""
        return [TxOutput(value, p2sh_output_script(each)) for each in (b"1", b"2")]
