"""`devchain.evm.rootstock.precompiles.bridge.flyover`"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import rlp
from coincurve import PrivateKey
from eth_hash.auto import keccak

from devchain.evm.rootstock.precompiles.bitcoin import base58check, hash160
from devchain.evm.rootstock.precompiles.bitcoin_script import p2sh_output_script, pay_to_key
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction
from devchain.evm.rootstock.precompiles.bridge.federation import Federation, Format
from devchain.evm.rootstock.precompiles.bridge.flyover import derivation_of
from devchain.evm.rootstock.precompiles.bridge.release_inputs import redeem_script_in
from devchain.evm.rootstock.precompiles.bridge.releases import flyover_script
from devchain.evm.rootstock.precompiles.bridge.storage import hashed_slot_of, slot_of
from devchain.evm.rootstock.precompiles.bridge.utxos import Utxo
from devchain.types import Address
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.bitcoin_blocks import (
    FROM_SEGWIT_KEY,
    REDEEM_SCRIPT,
    BitcoinBlocks,
    Proof,
    paying,
)
from tests.evm.rootstock.precompiles.bridge.calls import VALID_ADDRESS, arguments, call, number
from tests.evm.rootstock.precompiles.calling import CALLER, Machine, Outcome

REGISTER_FAST = (
    "registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)"
)

VERSION_AND_HASH = b"\x6f" + bytes(20)
"""Version and hash of an address on Bitcoin's test networks."""


class TestAnswers:
    @pytest.mark.parametrize(
        ("upgrade", "refund", "provider", "message", "answer"),
        [
            ("vetiver", b"", VERSION_AND_HASH, {}, -900),
            ("vetiver", VERSION_AND_HASH, b"\5" + bytes(20), {}, -900),
            ("vetiver", VERSION_AND_HASH, VERSION_AND_HASH + b"1", {}, -900),
            ("vetiver", VERSION_AND_HASH, VALID_ADDRESS, {}, -900),
            ("vetiver", VERSION_AND_HASH, VERSION_AND_HASH, {}, -300),
            ("vetiver", VERSION_AND_HASH, b"\xc4" + bytes(20), {"depth": 1}, -303),
            (
                "vetiver",
                VERSION_AND_HASH,
                VERSION_AND_HASH,
                {"depth": 1, "sender": b"\1" * 20},
                -301,
            ),
            ("iris", VERSION_AND_HASH, VERSION_AND_HASH + b"1", {"depth": 1}, -303),
            ("iris", VERSION_AND_HASH, b"\xc4" + bytes(20), {"depth": 1}, -900),
        ],
        ids=[
            "empty",
            "version",
            "long",
            "text",
            "transaction",
            "unconfirmed",
            "sender",
            "long before hop",
            "script before hop",
        ],
    )
    def test_answers(
        self,
        upgrade: str,
        refund: bytes,
        provider: bytes,
        message: dict[str, object],
        answer: int,
    ) -> None:
        """Each reason to refuse has the real node's code."""
        liquidity_bridge = int.from_bytes(CALLER, "big")
        data = arguments(b"tx", 0, b"tree", 1, refund, liquidity_bridge, provider, 1)

        assert number(call(Machine(upgrade), REGISTER_FAST, data, **message)) == answer

    def test_negative_address(self) -> None:
        """As in rskj, an address that reads as a negative number is its shortest form."""
        data = arguments(b"tx", 0, b"tree", 1, VERSION_AND_HASH, -1, VERSION_AND_HASH, 1)
        sender = word(0xFF)[-20:]

        assert number(call(Machine(), REGISTER_FAST, data, depth=1, sender=sender)) == -303


DATA = json.loads(Path(__file__).with_name("peg_ins.json").read_text(encoding="utf-8"))
VALUE = 10**8
AGREEMENT = b"\x0d" * 32
USER, PROVIDER = b"\x6f" + b"\x0a" * 20, b"\x6f" + b"\x0b" * 20
DERIVATION = keccak(AGREEMENT + USER + CALLER + PROVIDER)
DEPOSIT_REDEEM_SCRIPT = b"\x20" + DERIVATION + b"\x75" + REDEEM_SCRIPT
DEPOSIT_SCRIPT = p2sh_output_script(DEPOSIT_REDEEM_SCRIPT)
TO_USER, TO_PROVIDER = pay_to_key(USER[1:]), pay_to_key(PROVIDER[1:])
UTXOS = slot_of("newFederationBtcUTXOs")
WAITING = slot_of("releaseTransactionSetWithTxHash")
LIQUIDITY_BRIDGE = int.from_bytes(CALLER)


def register(
    blocks: BitcoinBlocks,
    transaction: BitcoinTransaction,
    confirmations: int = 3,
    refund_to_provider: int = 0,
) -> Outcome:
    """Register a deposit, as the contract would."""
    proof = blocks.prove(transaction, confirmations)
    return register_proof(blocks, proof, refund_to_provider)


def register_proof(blocks: BitcoinBlocks, proof: Proof, refund_to_provider: int = 0) -> Outcome:
    """Register a proven deposit."""
    agreement = int.from_bytes(AGREEMENT)
    addresses = (USER, LIQUIDITY_BRIDGE, PROVIDER)
    data = arguments(proof.raw, proof.height, proof.tree, agreement, *addresses, refund_to_provider)
    return call(blocks.machine, REGISTER_FAST, data, depth=1)


def deposit(value: int = VALUE) -> tuple[int, bytes]:
    """An output of a deposit."""
    return value, DEPOSIT_SCRIPT


class TestDeposit:
    @pytest.mark.parametrize("upgrade", ["fingerroot", "arrowhead", "vetiver"])
    def test_credit(self, upgrade: str) -> None:
        """The contract gets the RBTC, whose wei are the answer; nothing is logged."""
        blocks = BitcoinBlocks(upgrade)
        before = blocks.balance(CALLER)
        transaction = paying((7, pay_to_key(bytes(20))), deposit(), deposit(600_000))
        outcome = register(blocks, transaction)

        wei = (VALUE + 600_000) * 10**10
        stored = [Utxo.parse(item) for item in rlp.decode(blocks.read(UTXOS))]
        assert number(outcome) == blocks.balance(CALLER) - before == wei
        assert outcome.logs == ()
        assert stored == [
            Utxo(transaction.txid, 1, VALUE, DEPOSIT_SCRIPT),
            Utxo(transaction.txid, 2, 600_000, DEPOSIT_SCRIPT),
        ]

    def test_storage(self) -> None:
        """The Bridge keeps with what a deposit can be spent, and that it was made."""
        blocks = BitcoinBlocks()
        transaction = paying(deposit())
        register(blocks, transaction)

        used = f"fastBridgeHashUsedInBtcTx-{transaction.txid.hex()}{DERIVATION.hex()}"
        script_hash = hash160(DEPOSIT_REDEEM_SCRIPT).hex()
        slot = hashed_slot_of(f"fastBridgeFederationInformation-{script_hash}")
        assert blocks.read(hashed_slot_of(used)) == b"\1"
        assert rlp.decode(blocks.read(slot)) == [DERIVATION, hash160(REDEEM_SCRIPT)]

    @pytest.mark.parametrize(
        ("outputs", "answer"),
        [
            ([], -304),
            ([deposit(0)], -304),
            ([deposit(499_999)], -305),
            ([deposit(), deposit(499_999)], -305),
            ([deposit(500_000), (0, b"\x6a\1a")], 500_000 * 10**10),
            ([deposit(500_000), (0, b"\x76\xa9\x51\x88\xac")], -900),
        ],
        ids=["nothing", "zero", "small", "one small", "least", "key without hash"],
    )
    def test_values(self, outputs: list[tuple[int, bytes]], answer: int) -> None:
        """Each output to the deposit's address has to be as large as a peg-in."""
        blocks = BitcoinBlocks()

        assert number(register(blocks, paying((1, bytes(1)), *outputs))) == answer

    @pytest.mark.parametrize(
        ("outputs", "answer"),
        [
            ([deposit(1)], 10**10),
            ([deposit(), (5, pay_to_key(bytes(20)))], VALUE * 10**10),
            ([deposit(), (0, b"\x6a\1a")], -900),
            ([(5, pay_to_key(bytes(20)))], -304),
        ],
        ids=["small", "other", "data", "nothing"],
    )
    def test_before_hop(self, outputs: list[tuple[int, bytes]], answer: int) -> None:
        """Iris has no minimum, and fails at an output without an address (BridgeUtilsLegacy)."""
        assert number(register(BitcoinBlocks("iris"), paying(*outputs))) == answer

    def test_again(self) -> None:
        """A transaction serves for an agreement once."""
        blocks = BitcoinBlocks()
        proof = blocks.prove(paying(deposit()))

        assert [number(register_proof(blocks, proof)) for _ in range(2)] == [10**18, -302]

    def test_again_with_witnesses(self) -> None:
        """The hash of the transaction with witnesses is another; the Bridge looks for both."""
        blocks = BitcoinBlocks()
        transaction = paying(deposit(), spent=FROM_SEGWIT_KEY)

        assert number(register(blocks, transaction)) == 10**18
        assert number(register(blocks, transaction)) == -302

    def test_unconfirmed(self) -> None:
        """Confirmations are those of peg-ins; a malformed proof is another code."""
        blocks = BitcoinBlocks()
        transaction = paying(deposit())
        early = register(blocks, transaction, confirmations=2)
        malformed = Proof(transaction.serialize(), 0, b"")

        assert (number(early), number(register_proof(blocks, malformed))) == (-303, -900)


class TestRefund:
    @pytest.mark.parametrize(
        ("to_provider", "answer", "receiver"), [(0, -100, TO_USER), (1, -200, TO_PROVIDER)]
    )
    @pytest.mark.parametrize("upgrade", ["iris", "vetiver"])
    def test_cap(self, upgrade: str, to_provider: int, answer: int, receiver: bytes) -> None:
        """Above the locking cap the deposit is sent back to the user or the provider."""
        blocks = BitcoinBlocks(upgrade)
        proof = blocks.prove(paying(deposit(1001 * VALUE)))
        outcome = register_proof(blocks, proof, to_provider)
        raw, _, _ = rlp.decode(blocks.read(WAITING))
        refund = BitcoinTransaction.parse(raw)

        assert number(outcome) == answer
        assert redeem_script_in(refund.inputs[0]) == DEPOSIT_REDEEM_SCRIPT
        assert [output.script for output in refund.outputs] == [receiver]
        assert blocks.read(UTXOS) == b""
        assert number(register_proof(blocks, proof, to_provider)) == -302


class TestScripts:
    def test_derivation_of_rskj(self) -> None:
        """The hash of an agreement is that of rskj's test, on mainnet."""
        case = DATA["derivation"]
        seeds = (case["refund_seed"], case["provider_seed"])
        keys = [PrivateKey(keccak(seed.encode())).public_key.format() for seed in seeds]
        user, provider = (b"\0" + hash160(key) for key in keys)
        agreement = bytes([case["arguments_seed"]]).ljust(32, b"\0")
        contract = Address(bytes.fromhex(case["contract"]))

        assert derivation_of(agreement, user, contract, provider).hex() == case["hash"]

    @pytest.mark.parametrize("case", DATA["deposits"], ids=["p2sh", "p2wsh"])
    def test_deposits_of_rskj(self, case: dict[str, str]) -> None:
        """The script of a deposit is that of rskj's tests, for federations with emergency keys."""
        redeem_script = bytes.fromhex(case["redeem_script"])
        derivation = bytes.fromhex(case["derivation"])
        kind = Format.P2SH_P2WSH_ERP if case["is_segwit"] else Format.P2SH_ERP
        federation = Federation((), 0, 0, kind, redeem_script[34:], 5)

        assert flyover_script(derivation, federation.redeem_script) == redeem_script
        output = federation.output_script_of(redeem_script)
        assert output.hex() == f"a914{case['script_hash']}87"
        assert base58check(b"\5" + output[2:22]) == case["address"]
