"""`devchain.evm.rootstock.precompiles.bridge.release_builder`"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devchain.evm.rootstock.precompiles.bitcoin_script import (
    RedeemScript,
    multisig_script,
    p2sh_output_script,
    pay_to_key,
    script_hash_of,
    witness_program,
)
from devchain.evm.rootstock.precompiles.bitcoin_transaction import MAX_MONEY, TxOutput
from devchain.evm.rootstock.precompiles.bridge.release_builder import (
    ReleaseBuilder,
    ReleaseFailed,
    ReleaseFailure,
)
from devchain.evm.rootstock.precompiles.bridge.release_inputs import redeem_script_in
from devchain.evm.rootstock.precompiles.bridge.utxos import Utxo
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed

CASES = json.loads(Path(__file__).with_name("release_transactions.json").read_text())["cases"]
"""Transactions that bitcoinj's wallet built, with their hashes to sign, or its failures."""

REDEEM = RedeemScript.parse(multisig_script(2, [bytes([2]) + bytes([at]) * 32 for at in (1, 2, 3)]))
ADDRESS = p2sh_output_script(REDEEM.raw)
RECEIVER = pay_to_key(b"\1" * 20)
INPUT_SIZE = 41 + 2 * 75 + len(REDEEM.raw)


def utxo(value: int, index: int = 0, **fields: Any) -> Utxo:
    """An output of the federation."""
    return Utxo(**({"txid": b"\1" * 32, "script": ADDRESS} | fields), index=index, value=value)


def builder(*utxos: Utxo, fee: int = 10_000) -> ReleaseBuilder:
    """A builder for a federation with those outputs."""
    scripts = {script_hash_of(ADDRESS): REDEEM.raw}
    return ReleaseBuilder(list(utxos), scripts.get, ADDRESS, fee)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_recorded(case: dict[str, Any]) -> None:
    """Selection, fee, change, sizes and hashes to sign are those of bitcoinj."""
    redeem = [RedeemScript.parse(bytes.fromhex(script)) for script in case["redeem"]]
    addresses = [
        p2sh_output_script(witness_program(each.raw) if case["segwit"] else each.raw)
        for each in redeem
    ]
    scripts = {
        script_hash_of(output): each.raw for output, each in zip(addresses, redeem, strict=True)
    }
    utxos = [
        Utxo(bytes.fromhex(txid), index, value, bytes.fromhex(script), is_coinbase and not height)
        for txid, index, value, script, height, is_coinbase in case["utxos"]
    ]
    outputs = [TxOutput(value, bytes.fromhex(script)) for value, script in case["outputs"]]
    change = bytes.fromhex(case["change"])
    chosen = ReleaseBuilder(
        utxos, scripts.get, change, case["fee"], case["version"], is_segwit=case["segwit"]
    )

    def build() -> Any:
        if case["mode"] == "empty":
            return chosen.empty(outputs[0].script)
        return chosen.pay(outputs, receivers_pay=case["mode"] == "pay")

    if "failure" in case:
        with pytest.raises(ReleaseFailed) as failed:
            build()
        assert failed.value.reason.name == case["failure"]
        return
    transaction, spent = build()
    script = redeem_script_in(transaction.inputs[0]) or b""
    digest = transaction.witness_signature_hash(0, script, spent[0].value)
    assert transaction.serialize().hex() == case["transaction"]
    assert transaction.signature_hash(0, script).hex() == case["hash"]
    assert digest.hex() == case["witness_hash"]


class TestMigrate:
    def test_all(self) -> None:
        """All outputs move in one transaction, which pays the fee from them."""
        release = builder(utxo(50_000), utxo(60_000, 1)).migrate()

        size = 4 + 1 + 2 * INPUT_SIZE + 1 + 32 + 4
        assert [output.script for output in release.transaction.outputs] == [ADDRESS]
        assert release.fee == 10 * size
        assert len(release.spent) == 2

    def test_too_large(self) -> None:
        """Where not everything fits into a transaction, half of the value moves."""
        release = builder(*(utxo(10**6, index) for index in range(1_000))).migrate()

        moved = sum(each.value for each in release.spent)
        assert moved == 500 * 10**6
        assert release.transaction.outputs[0].value == moved - release.fee

    def test_dust(self) -> None:
        """Less than an output's minimum cannot move."""
        with pytest.raises(ReleaseFailed) as failed:
            builder(utxo(5_000)).migrate()

        assert failed.value.reason is ReleaseFailure.DUSTY_SEND_REQUESTED


class TestLimits:
    def test_size(self) -> None:
        """A transaction has at most 100,000 bytes."""
        many = builder(*(utxo(10**6, index) for index in range(700)))

        with pytest.raises(ReleaseFailed, match="larger than Bitcoin nodes relay") as failed:
            many.pay([TxOutput(700 * 10**6, RECEIVER)])
        assert failed.value.reason is ReleaseFailure.EXCEED_MAX_TRANSACTION_SIZE

    def test_coinbase(self) -> None:
        """The output of a coinbase, as of a refund, counts as immature: Java's depth overflows."""
        assert builder(utxo(7, is_coinbase=True), utxo(1)).balance == 1

    def test_more_than_there_are(self) -> None:
        """Bitcoinj has no output of more than 21 million bitcoins: the method fails."""
        with pytest.raises(PrecompileFailed, match="larger than there are"):
            builder().pay([TxOutput(MAX_MONEY + 1, RECEIVER)])

    @pytest.mark.parametrize("script", [RECEIVER, p2sh_output_script(b""), b""], ids=bytes.hex)
    def test_other_script(self, script: bytes) -> None:
        """The method fails for an output that the federation cannot spend."""
        with pytest.raises(PrecompileFailed, match="no multi-signature redeem script"):
            builder(utxo(10**6, script=script)).pay([TxOutput(10**5, RECEIVER)])
