"""`devchain.evm.rootstock.precompiles.bridge.release_inputs`"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from coincurve import PublicKey
from coincurve.ecdsa import cdata_to_der, der_to_cdata, signature_normalize
from hypothesis import given
from hypothesis import strategies as st

from devchain.evm.rootstock.precompiles.bitcoin_script import RedeemScript, parse_script, push
from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    BitcoinTransaction,
    TxInput,
    TxOutput,
)
from devchain.evm.rootstock.precompiles.bridge.release_inputs import (
    ORDER,
    Signature,
    hash_without_signatures,
    pegout_hash,
    redeem_script_in,
    unsigned_input,
    without_signatures,
)
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed

TRANSACTIONS = json.loads(Path(__file__).with_name("bitcoin_transactions.json").read_text())
"""Transactions of Bitcoin's networks, from rskj's `BitcoinUtilsTest`."""


def transaction_of(*inputs: TxInput) -> BitcoinTransaction:
    """A transaction with those inputs."""
    return BitcoinTransaction(2, inputs, (TxOutput(1, b""),))


def is_signed_by(key: bytes, signature: bytes, digest: bytes) -> bool:
    """Whether a signature with its type of hash is of that key."""
    low = signature_normalize(der_to_cdata(signature[:-1]))[1]
    return PublicKey(key).verify(cdata_to_der(low), digest, hasher=None)


class TestPegoutHash:
    @pytest.mark.parametrize("raw", TRANSACTIONS["signed"], ids=range(6))
    def test_signed(self, raw: str) -> None:
        """The hash of a federation's transaction is what the signatures of its first input sign."""
        transaction = BitcoinTransaction.parse(bytes.fromhex(raw))
        spent = transaction.inputs[0]
        redeem = RedeemScript.parse(redeem_script_in(spent) or b"")
        digest = pegout_hash(transaction)
        pushes = [chunk.pushed for chunk in parse_script(spent.script)[1:-1]]
        signatures = [pushed for pushed in pushes if pushed]

        assert digest is not None
        assert len(signatures) == redeem.threshold
        for signature in signatures:
            assert any(is_signed_by(key, signature, digest) for key in redeem.keys)
        assert pegout_hash(without_signatures(transaction)) == digest
        assert without_signatures(transaction).txid == hash_without_signatures(transaction)

    @pytest.mark.parametrize("raw", TRANSACTIONS["others"], ids=range(3))
    def test_others(self, raw: str) -> None:
        """The input of a key has no hash."""
        transaction = BitcoinTransaction.parse(bytes.fromhex(raw))

        assert pegout_hash(transaction) is None
        with pytest.raises(ValueError, match="no multi-signature"):
            hash_without_signatures(transaction)

    def test_segwit(self) -> None:
        """The hash of a SegWit transaction does not depend on signatures, its id neither."""
        transaction = BitcoinTransaction.parse(bytes.fromhex(TRANSACTIONS["segwit"]))
        unsigned = without_signatures(transaction)

        assert unsigned.inputs[0].script == transaction.inputs[0].script
        assert unsigned.inputs[0].witness[-1] == transaction.inputs[0].witness[-1]
        assert not any(unsigned.inputs[0].witness[:-1])
        assert pegout_hash(unsigned) == pegout_hash(transaction)
        assert hash_without_signatures(transaction) == transaction.txid

    @pytest.mark.parametrize(
        "spent",
        [
            TxInput(bytes(32), 0, b""),
            TxInput(bytes(32), 0, b"\x51"),
            TxInput(bytes(32), 0, b"\1\5"),
            TxInput(bytes(32), 0, b"", witness=(b"\1",)),
        ],
        ids=["empty", "opcode", "cut off", "witness"],
    )
    def test_no_script(self, spent: TxInput) -> None:
        """An input whose last push is no script has no redeem script."""
        assert not redeem_script_in(spent)
        assert pegout_hash(transaction_of(spent)) is None

    def test_no_inputs(self) -> None:
        """A transaction without inputs has no hash."""
        assert pegout_hash(transaction_of()) is None

    def test_malformed(self) -> None:
        """Bitcoinj cannot read a scriptSig with a push that is cut off: the method fails."""
        with pytest.raises(PrecompileFailed, match="is malformed"):
            pegout_hash(transaction_of(TxInput(bytes(32), 0, b"\5")))

    @pytest.mark.parametrize("witness", [True, False])
    def test_many_signatures(self, witness: bool) -> None:
        """A redeem script with a huge threshold costs nothing."""
        script = b"\4\xff\xff\xff\x7f" + push(b"\2" * 33) + b"\x51\xae"
        spent = TxInput(bytes(32), 0, b"" if witness else push(script))
        spent = TxInput(bytes(32), 0, spent.script, witness=(script,) if witness else ())

        assert pegout_hash(transaction_of(spent)) is None


def test_unsigned_input() -> None:
    """A SegWit input keeps its pushes in the witness, with a slot that selects the keys' part."""
    redeem = RedeemScript.parse(b"\x51" + push(b"\2" * 33) + b"\x51\xae")
    spent = TxInput(bytes(32), 0, b"", witness=(b"1",))

    legacy = unsigned_input(spent, redeem, is_segwit=False)
    segwit = unsigned_input(spent, redeem, is_segwit=True)

    assert (legacy.script, legacy.witness) == (b"\0\0" + push(redeem.raw), ())
    assert segwit.script[:3] == b"\x22\0\x20"
    assert segwit.witness == (b"", b"", b"", redeem.raw)


class TestSignature:
    @pytest.mark.parametrize(
        ("raw", "wanted"),
        [
            ("3006 020101 020102", (1, 2)),
            ("3006 020101 020102 ff", (1, 2)),
            ("3009 020101 020102 020103", (1, 2)),
            ("3081 06 020101 020102", (1, 2)),
            ("3007 02810101 020102", (1, 2)),
            ("3007 02020001 020102", (1, 2)),
            ("3006 0201ff 020102", (255, 2)),
            ("3004 0200 0200", (0, 0)),
            ("3025 0220" + "ff" * 32 + "020102", (ORDER, 2)),
        ],
    )
    def test_lenient(self, raw: str, wanted: tuple[int, int]) -> None:
        """As by bitcoinj, numbers have no sign, may be padded, and what follows is not read."""
        assert Signature.parse(bytes.fromhex(raw)) == wanted

    @pytest.mark.parametrize(
        "raw",
        [
            *("", "30", "3100", "3000", "3003 020101", "3006 030101 020102", "3006 020101 0201"),
            *("3080 020101 020102 0000", "3085 0000000006 020101 020102", "3084 00"),
        ],
    )
    def test_malformed(self, raw: str) -> None:
        """Other tags, indefinite lengths and bytes that are cut off are refused."""
        with pytest.raises(ValueError, match="signature"):
            Signature.parse(bytes.fromhex(raw))

    @given(st.binary(max_size=80))
    def test_any_bytes(self, raw: bytes) -> None:
        """Bytes are a signature or a `ValueError`; a signature is encoded as it was parsed."""
        try:
            signature = Signature.parse(raw)
        except ValueError:
            return
        assert Signature.parse(signature.encode()) == signature
