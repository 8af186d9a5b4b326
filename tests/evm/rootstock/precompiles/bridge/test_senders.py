"""`devchain.evm.rootstock.precompiles.bridge.senders`"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from coincurve import PrivateKey, PublicKey
from eth_hash.auto import keccak

from devchain.evm.rootstock.precompiles.bitcoin import hash160
from devchain.evm.rootstock.precompiles.bitcoin_script import push
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction, TxInput
from devchain.evm.rootstock.precompiles.bridge.senders import (
    SenderKind,
    find_sender,
    read_peg_in,
)
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from devchain.networks import is_since
from tests.evm.rootstock.precompiles.bridge.bitcoin_blocks import (
    FROM_KEY,
    KEY,
    PUBLIC_KEY,
    SENDER,
    SIGNATURE,
    instructions,
    paying,
)

DATA = json.loads(Path(__file__).with_name("peg_ins.json").read_text(encoding="utf-8"))
POINT = KEY.public_key.format(compressed=False)


def context(upgrade: str = "vetiver") -> Any:
    """What is asked of a call on the local network."""
    state = SimpleNamespace(execution_context=SimpleNamespace(chain_id=33))
    return SimpleNamespace(state=state, since=lambda first: is_since(upgrade, first))


def parsed(raw: str) -> BitcoinTransaction:
    """A transaction of rskj's tests."""
    return BitcoinTransaction.parse(bytes.fromhex(raw))


def spending(script: bytes, *witness: bytes) -> BitcoinTransaction:
    """A transaction with one input."""
    return paying((1, b""), spent=TxInput(b"\1" * 32, 0, script, witness=witness))


class TestSenders:
    @pytest.mark.parametrize("case", DATA["senders"], ids=lambda case: case["kind"])
    def test_transactions_of_rskj(self, case: dict[str, Any]) -> None:
        """Kind, address and account are those of rskj's tests."""
        sender = find_sender(context(), parsed(case["raw"]))
        key = case["key"] and PublicKey(bytes.fromhex(case["key"])).format(compressed=False)

        assert sender is not None
        assert sender.kind is SenderKind[case["kind"]]
        assert str(sender.address) == case["address"]
        assert sender.account == (keccak(key[1:])[12:] if key else None)

    def test_native_segwit(self) -> None:
        """An output of SegWit without P2SH has no sender, and its transaction no instructions."""
        transaction = parsed(DATA["from_native_segwit"])

        assert find_sender(context(), transaction) is None
        assert read_peg_in(context(), transaction) == (0, None, None, None, "")

    def test_uncompressed_key(self) -> None:
        """The address has the hash of the key as it is encoded."""
        sender = find_sender(context(), spending(push(SIGNATURE) + push(POINT)))

        assert sender is not None
        assert (sender.address.hash, sender.account) == (hash160(POINT), SENDER)

    @pytest.mark.parametrize(
        "transaction",
        [
            spending(b""),
            spending(b"\0"),
            spending(push(SIGNATURE) + push(b"\2" + bytes(32))),
            spending(push(SIGNATURE) + b"\x51"),
            spending(push(b"\0\x14" + bytes(20)), SIGNATURE, POINT),
            spending(push(b"\0\x14" + bytes(20)), SIGNATURE),
            spending(b"\0\0" + push(b"\x51")),
            spending(push(b"\0\x20" + bytes(32)), b"", SIGNATURE, b"\x51"),
        ],
        ids=[
            "empty",
            "one push",
            "no point",
            "opcode",
            "uncompressed",
            "one item",
            "other script",
            "other witness script",
        ],
    )
    def test_unknown(self, transaction: BitcoinTransaction) -> None:
        """Other inputs have no sender."""
        assert find_sender(context(), transaction) is None

    @pytest.mark.parametrize(
        "transaction",
        [
            spending(b"\2\0"),
            spending(push(b"\0\x14" + bytes(20)), SIGNATURE, b"\2" + bytes(32)),
            spending(b"\0\0" + b"\x51"),
            spending(b"\0\0" + push(b"\2\0")),
            spending(push(b"\0\x20" + bytes(32)), b"", SIGNATURE, b"\2\0"),
        ],
        ids=["cut off", "no point", "opcode", "no script", "no witness script"],
    )
    def test_failing(self, transaction: BitcoinTransaction) -> None:
        """Where bitcoinj raises an exception, the call fails."""
        with pytest.raises(PrecompileFailed):
            find_sender(context(), transaction)


class TestInstructions:
    def test_malformed_on_testnet(self) -> None:
        """A transaction of testnet with 66 bytes of instructions is refunded to its key."""
        peg_in = read_peg_in(context(), parsed(DATA["malformed_on_testnet"]))

        assert "25 or 46 bytes" in peg_in.problem
        assert peg_in.version == 0
        assert peg_in.refund is not None

    @pytest.mark.parametrize("kind", [1, 2])
    def test_refund_address(self, kind: int) -> None:
        """Instructions may have an address of a key or of a script for refunds."""
        content = b"RSKT\1" + b"\7" * 20 + bytes([kind]) + b"\x0a" * 20
        peg_in = read_peg_in(context(), paying(instructions(content)))

        assert (peg_in.version, peg_in.receiver) == (1, b"\7" * 20)
        assert peg_in.refund is not None
        assert (peg_in.refund.version, peg_in.refund.hash) == ([111, 196][kind - 1], b"\x0a" * 20)

    @pytest.mark.parametrize(
        "content",
        [b"RSKT", b"RSKT\0" + bytes(20), b"RSKT\1" + bytes(19), b"RSKT\1" + bytes(41)],
        ids=["no version", "version 0", "short", "kind of address"],
    )
    def test_malformed(self, content: bytes) -> None:
        """Malformed instructions leave what the sender says."""
        peg_in = read_peg_in(context(), paying(instructions(content)))

        assert peg_in.problem
        assert (peg_in.version, peg_in.receiver, peg_in.refund and peg_in.refund.hash) == (
            0,
            SENDER,
            hash160(PUBLIC_KEY),
        )

    def test_before_iris(self) -> None:
        """Papyrus does not read instructions, and needs a sender."""
        assert read_peg_in(context("papyrus"), paying(instructions(b"RSKT"))).version == 0
        without_sender = read_peg_in(context("papyrus"), spending(b""))
        assert without_sender.problem.endswith("neither a sender nor instructions")

    def test_without_sender(self) -> None:
        """Since Arrowhead it is no error here (RSKIP379)."""
        assert read_peg_in(context("fingerroot"), spending(b"")).problem
        peg_in = read_peg_in(context("arrowhead"), spending(b""))
        assert (peg_in.problem, peg_in.sender) == ("", None)

    def test_other_input(self) -> None:
        """The first input counts."""
        key = PrivateKey(keccak(b"other")).public_key.format()
        other = TxInput(b"\2" * 32, 0, push(SIGNATURE) + push(key))
        peg_in = read_peg_in(context(), paying((1, b""), spent=(FROM_KEY, other)))

        assert peg_in.receiver == SENDER
