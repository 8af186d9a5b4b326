"""`devchain.evm.rootstock.precompiles.bridge.peg_ins`"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import rlp
from eth_hash.auto import keccak

from devchain.evm.rootstock.precompiles.bitcoin import base58check, hash160
from devchain.evm.rootstock.precompiles.bitcoin_script import (
    RedeemScript,
    multisig_script,
    pay_to_key,
    pay_to_script,
    push,
)
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction, TxInput
from devchain.evm.rootstock.precompiles.bridge.release_inputs import (
    pegout_hash,
    unsigned_input,
)
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS, hashed_slot_of, slot_of
from devchain.evm.rootstock.precompiles.bridge.utxos import Utxo
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.bitcoin_blocks import (
    FEDERATION_SCRIPT,
    FROM_KEY,
    FROM_SEGWIT_KEY,
    PUBLIC_KEY,
    REDEEM_SCRIPT,
    REGISTER,
    SENDER,
    SIGNATURE,
    BitcoinBlocks,
    Proof,
    instructions,
    paying,
)
from tests.evm.rootstock.precompiles.bridge.calls import (
    account,
    arguments,
    call,
    hash_twice,
    number,
    topic,
    tree_of_one,
)
from tests.evm.rootstock.precompiles.bridge.peg import FEDERATORS, private_key
from tests.evm.rootstock.precompiles.calling import Log, Machine, Outcome, dynamic

LOCAL, MINED = Machine(), Machine(local_call=False)

DATA = json.loads(Path(__file__).with_name("peg_ins.json").read_text(encoding="utf-8"))
VALUE = 10**8
PAID = (VALUE, FEDERATION_SCRIPT)
LEAST = 500_000
CHANGE = (5 * VALUE, pay_to_key(bytes(20)))
UTXOS = slot_of("newFederationBtcUTXOs")
WAITING = slot_of("releaseTransactionSetWithTxHash")

PEGGED_IN = topic("pegin_btc(address,bytes32,int256,int256)")
LOCKED = topic("lock_btc(address,bytes32,string,int256)")
REJECTED = topic("rejected_pegin(bytes32,int256)")
UNREFUNDABLE = topic("unrefundable_pegin(bytes32,int256)")
RELEASE_REQUESTED = topic("release_requested(bytes32,bytes32,uint256)")

MULTISIG = multisig_script(1, [PUBLIC_KEY])
FROM_MULTISIG = TxInput(b"\3" * 32, 0, b"\0" + push(SIGNATURE) + push(MULTISIG))
FROM_NATIVE_SEGWIT = TxInput(b"\4" * 32, 0, b"", witness=(SIGNATURE, PUBLIC_KEY))
RECEIVER = b"\7" * 20
VERSION_1 = instructions(b"RSKT\1" + RECEIVER)
REFUND_TO_KEY = instructions(b"RSKT\1" + RECEIVER + b"\1" + b"\x0a" * 20)
TOO_LONG = instructions(b"RSKT\1" + bytes(30))

TRANSACTION = b"transaction"


class TestMinimum:
    def test_minimum(self) -> None:
        """Iris halved the minimum peg-in."""
        assert number(call(LOCAL, "getMinimumLockTxValue()")) == 500_000
        assert number(call(Machine("papyrus"), "getMinimumLockTxValue()")) == 1_000_000


class TestRegister:
    @pytest.mark.parametrize("height", [0, 1, 2**31, -1, 2**255], ids=str)
    def test_unconfirmed(self, height: int) -> None:
        """On regtest no block has enough confirmations: the call succeeds and does nothing."""
        outcome = call(MINED, REGISTER, arguments(TRANSACTION, height, b"no proof"))

        assert (outcome.error, outcome.output, outcome.logs) == (None, b"", ())

    @pytest.mark.parametrize(
        ("transaction", "tree", "failure"),
        [
            (TRANSACTION, b"", "the input is cut off"),
            (b"other", tree_of_one(TRANSACTION), ""),
            (TRANSACTION, tree_of_one(TRANSACTION), "height 9 is below those that are searched"),
        ],
        ids=["malformed", "other", "proven"],
    )
    def test_old_block(self, transaction: bytes, tree: bytes, failure: str) -> None:
        """Mainnet's bridge starts at a later block: a proof for an earlier one fails."""
        outcome = call(Machine(chain_id=30), REGISTER, arguments(transaction, 9, tree))

        assert failure in str(outcome.error or "")
        assert (outcome.error is None) == (not failure)

    def test_before_iris(self) -> None:
        """Before Iris only federators register transactions."""
        outcome = call(Machine("papyrus"), REGISTER, arguments(TRANSACTION, 0, b""))

        assert "is not a member of the federation" in str(outcome.error)


def utxos(blocks: BitcoinBlocks) -> list[Utxo]:
    """The federation's outputs."""
    raw = blocks.read(UTXOS)
    return [Utxo.parse(item) for item in rlp.decode(raw)] if raw else []


def waiting(blocks: BitcoinBlocks) -> BitcoinTransaction:
    """The only release that waits for confirmations."""
    raw, _, _ = rlp.decode(blocks.read(WAITING))
    return BitcoinTransaction.parse(raw)


def processed(blocks: BitcoinBlocks, transaction: BitcoinTransaction) -> bool:
    """Whether the Bridge says that it has processed a transaction."""
    shown = dynamic(transaction.txid.hex().encode())
    height = call(blocks.machine, "getBtcTxHashProcessedHeight(string)", shown)
    is_processed = number(call(blocks.machine, "isBtcTxHashAlreadyProcessed(string)", shown))
    assert number(height) == is_processed - 1
    return bool(is_processed)


def whitelist(blocks: BitcoinBlocks, address: str, most: int) -> None:
    """Let an address peg in once."""
    method = "addOneOffLockWhitelistAddress(string,int256)"
    data = arguments(address.encode(), most)
    assert number(call(blocks.machine, method, data, sender=account("auth-lock-whitelist"))) == 1


def reasons(outcome: Outcome) -> list[tuple[str, int]]:
    """The rejections that were logged, and the refunded satoshis."""
    assert outcome.error is None
    names = {REJECTED: "rejected", UNREFUNDABLE: "unrefundable", RELEASE_REQUESTED: "refund"}
    known = [log for log in outcome.logs if log.topics[0] in names]
    return [(names[log.topics[0]], int.from_bytes(log.data)) for log in known]


class TestCredit:
    @pytest.mark.parametrize("spent", [FROM_KEY, FROM_SEGWIT_KEY], ids=["p2pkh", "p2sh-p2wpkh"])
    @pytest.mark.parametrize("upgrade", ["arrowhead", "lovell", "vetiver"])
    @pytest.mark.parametrize("height", [0, 350], ids=["by inputs", "by hash"])
    def test_sender(self, spent: TxInput, upgrade: str, height: int) -> None:
        """RBTC goes to the account of the key that sent bitcoins; the output is kept."""
        blocks = BitcoinBlocks(upgrade, height)
        transaction = paying(CHANGE, PAID, spent=spent)
        outcome = blocks.register(transaction)

        txid = int.from_bytes(transaction.txid)
        topics = (PEGGED_IN, int.from_bytes(SENDER), txid)
        assert outcome.error is None
        assert outcome.logs == (Log(topics, word(VALUE) + word(0)),)
        assert blocks.balance(SENDER) == 10**18
        assert utxos(blocks) == [Utxo(transaction.txid, 1, VALUE, FEDERATION_SCRIPT)]
        assert processed(blocks, transaction)

    def test_gas(self) -> None:
        """A registration costs 22,000 gas and 2 for each byte (BridgeMethods)."""
        blocks = BitcoinBlocks()
        proof = blocks.prove(paying(PAID))

        assert blocks.register_proof(proof).gas == 22_000 + 2 * (4 + len(proof.arguments))

    def test_again(self) -> None:
        """A transaction is processed once."""
        blocks = BitcoinBlocks()
        proof = blocks.prove(paying(PAID))
        blocks.register_proof(proof)
        again = blocks.register_proof(proof)

        assert (again.error, again.logs) == (None, ())
        assert blocks.balance(SENDER) == 10**18
        assert len(utxos(blocks)) == 1

    @pytest.mark.parametrize("upgrade", ["iris", "fingerroot", "vetiver"])
    @pytest.mark.parametrize("spent", [FROM_KEY, FROM_MULTISIG, FROM_NATIVE_SEGWIT])
    def test_version_1(self, upgrade: str, spent: TxInput) -> None:
        """Instructions name the account, whoever sent bitcoins; the whitelist does not apply."""
        blocks = BitcoinBlocks(upgrade)
        transaction = paying(PAID, PAID, VERSION_1, spent=spent)
        outcome = blocks.register(transaction)

        topics = (PEGGED_IN, int.from_bytes(RECEIVER), int.from_bytes(transaction.txid))
        assert outcome.logs == (Log(topics, word(2 * VALUE) + word(1)),)
        assert blocks.balance(RECEIVER) == 2 * 10**18
        assert [utxo.index for utxo in utxos(blocks)] == [0, 1]

    @pytest.mark.parametrize(
        ("upgrade", "logs"), [("orchid", 0), ("wasabi", 0), ("papyrus", 1), ("iris", 1)]
    )
    def test_whitelist(self, upgrade: str, logs: int) -> None:
        """Before Arrowhead the sender has to be on the whitelist, which that consumes."""
        blocks = BitcoinBlocks(upgrade)
        address = base58check(b"\x6f" + hash160(PUBLIC_KEY))
        whitelist(blocks, address, VALUE)
        transaction = paying(PAID)
        outcome = blocks.register(transaction)
        second = blocks.register(paying(PAID, PAID))

        receiver, txid = int.from_bytes(SENDER), transaction.txid
        locked = txid + word(96) + word(VALUE) + dynamic(address.encode())[32:]
        expected = [
            Log((LOCKED, receiver), locked),
            Log((PEGGED_IN, receiver, int.from_bytes(txid)), word(VALUE) + word(0)),
        ][upgrade == "iris"]
        assert outcome.logs == (expected,) * logs
        assert blocks.balance(SENDER) == 10**18
        assert processed(blocks, transaction)
        assert (RELEASE_REQUESTED in {log.topics[0] for log in second.logs}) == bool(logs)

    def test_limit_of_whitelist(self) -> None:
        """A peg-in above its limit is refunded and leaves the entry; without a limit it stays."""
        blocks = BitcoinBlocks("iris")
        address = base58check(b"\x6f" + hash160(PUBLIC_KEY))
        whitelist(blocks, address, VALUE)
        above = blocks.register(paying(PAID, (LEAST, FEDERATION_SCRIPT)))
        size = "getLockWhitelistSize()"

        assert reasons(above) == [("refund", VALUE + LEAST)]
        assert number(call(blocks.machine, size)) == 1
        blocks.register(paying(PAID))
        assert number(call(blocks.machine, size)) == 0
        method, keeper = "addUnlimitedLockWhitelistAddress(string)", account("auth-lock-whitelist")
        answer = call(blocks.machine, method, dynamic(address.encode()), sender=keeper)
        assert number(answer) == 1
        for count in (2, 3):
            blocks.register(paying(*[PAID] * count))
        assert blocks.balance(SENDER) == 6 * 10**18
        assert number(call(blocks.machine, size)) == 1

    def test_disabled_whitelist(self) -> None:
        """At a height above the one that disables it the whitelist does not apply."""
        blocks = BitcoinBlocks("iris", 5)
        authorized = account("auth-lock-whitelist")
        method = "setLockWhitelistDisableBlockDelay(int256)"
        answer = call(blocks.machine, method, word(1), sender=authorized)

        blocks.register(paying(PAID))  # at height 6, which is the last one
        assert number(answer) == 1
        assert blocks.balance(SENDER) == 0
        blocks.register(paying(PAID, PAID))
        assert blocks.balance(SENDER) == 2 * 10**18

    @pytest.mark.parametrize("upgrade", ["orchid", "wasabi", "papyrus"])
    def test_segwit_before_papyrus(self, upgrade: str) -> None:
        """Before Papyrus (RSKIP143) a transaction with witnesses fails, even if it is proven."""
        blocks = BitcoinBlocks(upgrade)
        raw = paying(PAID, spent=FROM_SEGWIT_KEY).serialize()
        height = blocks.mine(3, root=hash_twice(raw))
        outcome = blocks.register_proof(Proof(raw, height, tree_of_one(raw)))

        assert str(outcome.error or "") == (
            "" if upgrade == "papyrus" else "the bitcoin transaction has no inputs"
        )

    @pytest.mark.parametrize(
        ("upgrade", "start", "fails"),
        [
            ("wasabi", "0100000000", True),
            ("papyrus", "0100000000", False),
            ("wasabi", "01000000000100", True),
            ("papyrus", "01000000000100", True),
            ("papyrus", "01000000000101", False),
        ],
    )
    def test_no_inputs(self, upgrade: str, start: str, fails: bool) -> None:
        """No inputs fail before the block is looked at; its root does not match here."""
        blocks = BitcoinBlocks(upgrade)
        raw = bytes.fromhex(start) + bytes(10)
        height = blocks.mine(3)
        outcome = blocks.register_proof(Proof(raw, height, tree_of_one(raw)))

        assert (outcome.error is not None) == fails


MANY = b"\xfe\xff\xff\xff\x7f"
"""A number of variable length: 2**31 - 1 inputs, outputs, items of a witness or bytes of one."""


class TestProofs:
    def test_confirmations(self) -> None:
        """A block needs three confirmations on regtest."""
        blocks = BitcoinBlocks()
        proof = blocks.prove(paying(PAID), confirmations=2)
        early = blocks.register_proof(proof)
        blocks.mine()

        assert (early.error, early.logs) == (None, ())
        assert len(blocks.register_proof(proof).logs) == 1

    def test_other_block(self) -> None:
        """A proof for another block does nothing."""
        blocks = BitcoinBlocks()
        proof = blocks.prove(paying(PAID))
        blocks.mine()
        data = arguments(proof.raw, proof.height + 1, proof.tree)
        outcome = call(blocks.machine, REGISTER, data)

        assert (outcome.error, outcome.logs) == (None, ())

    @pytest.mark.parametrize(
        ("raw", "problem"),
        [
            (b"\1\0\0\0", "cut off"),
            (b"\1\0\0\0\0\1\0", "no inputs"),
            (b"\1\0\0\0\0\1\1", "cut off"),
            (b"\1\0\0\0\0\2", "unknown kind|cut off|bitcoin transaction"),
            (paying(PAID).serialize()[:-1], "cut off"),
            (paying((-1, FEDERATION_SCRIPT)).serialize(), "negative"),
            (paying(spent=(FROM_KEY, FROM_KEY)).serialize(), "inputs and outputs"),
            (b"\1\0\0\0" + MANY, "cut off"),
            (b"\1\0\0\0\1" + bytes(41) + MANY, "cut off"),
            (b"\1\0\0\0\0\1\1" + bytes(41) + b"\1" + bytes(9) + MANY, "cut off"),
            (b"\1\0\0\0\0\1\1" + bytes(41) + b"\1" + bytes(9) + b"\1" + MANY, "cut off"),
        ],
    )
    def test_malformed(self, raw: bytes, problem: str) -> None:
        """What a block cannot have fails, once it is proven."""
        blocks = BitcoinBlocks()
        height = blocks.mine(3, root=BitcoinTransaction.parse(paying(PAID).serialize()).txid)
        root = tree_of_one(raw)
        blocks = BitcoinBlocks()
        height = blocks.mine(3, root=root[5:37][::-1])
        outcome = call(blocks.machine, REGISTER, arguments(raw, height, root))

        assert outcome.error is not None
        assert any(each in str(outcome.error) for each in problem.split("|"))


class TestRejections:
    @pytest.mark.parametrize(
        ("outputs", "spent", "expected"),
        [
            ([(499_999, FEDERATION_SCRIPT)], FROM_KEY, [("rejected", 5), ("unrefundable", 3)]),
            ([PAID, (1, FEDERATION_SCRIPT)], FROM_KEY, [("rejected", 5), ("unrefundable", 3)]),
            ([CHANGE], FROM_KEY, [("rejected", 5), ("unrefundable", 3)]),
            ([PAID], FROM_NATIVE_SEGWIT, [("rejected", 3), ("unrefundable", 1)]),
            ([PAID], FROM_MULTISIG, [("rejected", 2), ("refund", VALUE)]),
            ([PAID, TOO_LONG], FROM_KEY, [("rejected", 4), ("refund", VALUE)]),
            ([PAID, TOO_LONG], FROM_NATIVE_SEGWIT, [("rejected", 4), ("unrefundable", 1)]),
        ],
        ids=[
            "small", "one small", "nothing", "unknown sender", "multisig", "malformed", "no refund"
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("upgrade", ["arrowhead", "lovell", "vetiver"])
    def test_reasons(
        self,
        upgrade: str,
        outputs: list[tuple[int, bytes]],
        spent: TxInput,
        expected: list[tuple[str, int]],
    ) -> None:
        """Reasons have rskj's numbers; what has no refund is processed from Lovell to Reed only."""
        # By inputs an amount below the minimum is no peg-in, and no amount is one.
        blocks = BitcoinBlocks(upgrade, 0 if outputs == [CHANGE] else 350)
        transaction = paying(*outputs, spent=spent)
        outcome = blocks.register(transaction)

        has_refund = expected[-1][0] == "refund"
        assert reasons(outcome) == expected
        assert processed(blocks, transaction) == (has_refund or upgrade == "lovell")
        assert utxos(blocks) == []

    def test_small_by_inputs(self) -> None:
        """Below the height from which hashes tell, an amount below the minimum is left out."""
        blocks = BitcoinBlocks()

        assert blocks.register(paying((499_999, FEDERATION_SCRIPT))).logs == ()

    def test_other_without_outputs(self) -> None:
        """A transaction that pays no federation is left out where hashes tell the own ones."""
        blocks = BitcoinBlocks(height=350)

        assert blocks.register(paying(CHANGE)).logs == ()

    def test_refund(self) -> None:
        """A refund spends the outputs, and pays its sender's address the rest after the fee."""
        blocks = BitcoinBlocks()
        transaction = paying(PAID, CHANGE, PAID, spent=FROM_MULTISIG)
        blocks.register(transaction)
        refund = waiting(blocks)

        assert [(each.txid, each.index) for each in refund.inputs] == [
            (transaction.txid, 0),
            (transaction.txid, 2),
        ]
        (output,) = refund.outputs
        assert output.script == pay_to_script(hash160(MULTISIG))
        assert 2 * VALUE - 100_000 < output.value < 2 * VALUE

    @pytest.mark.parametrize(
        ("outputs", "expected"),
        [
            ([PAID, VERSION_1, VERSION_1], [("rejected", 4), ("refund", VALUE)]),
            ([PAID, instructions(b"RSKT\2" + RECEIVER)], [("rejected", 4), ("refund", VALUE)]),
            ([PAID, (0, b"\x6a\x05RSKT")], [("rejected", 4), ("refund", VALUE)]),
            ([PAID, (0, b"\x6a\x03RSK")], []),
            ([PAID, (0, b"\x6a")], []),
        ],
        ids=["twice", "version 2", "cut off", "other data", "no data"],
    )
    def test_instructions(
        self, outputs: list[tuple[int, bytes]], expected: list[tuple[str, int]]
    ) -> None:
        """Malformed instructions are refunded to the sender; other data are no instructions."""
        blocks = BitcoinBlocks()

        assert reasons(blocks.register(paying(*outputs))) == expected

    def test_multisig_with_data(self) -> None:
        """As in rskj, a multisig's peg-in with an output that has no address fails."""
        blocks = BitcoinBlocks()
        transaction = paying(PAID, (0, b"\x6a\x03RSK"), spent=FROM_MULTISIG)

        assert "has no address" in str(blocks.register(transaction).error)

    @pytest.mark.parametrize(
        ("outputs", "spent", "expected"),
        [
            ([PAID], FROM_MULTISIG, [("rejected", 2), ("refund", VALUE)]),
            ([PAID], FROM_KEY, [("refund", VALUE)]),
            ([PAID], FROM_NATIVE_SEGWIT, [("rejected", 4), ("unrefundable", 1)]),
            ([(1001 * VALUE, FEDERATION_SCRIPT), VERSION_1], FROM_NATIVE_SEGWIT,
             [("rejected", 1), ("unrefundable", 2)]),
            ([(1001 * VALUE, FEDERATION_SCRIPT), REFUND_TO_KEY], FROM_NATIVE_SEGWIT,
             [("rejected", 1), ("refund", 1001 * VALUE)]),
            ([(499_999, FEDERATION_SCRIPT)], FROM_KEY, []),
        ],
        ids=["multisig", "whitelist", "unknown", "cap", "cap with refund", "small"],
    )  # fmt: skip
    @pytest.mark.parametrize("upgrade", ["iris", "fingerroot"])
    def test_before_arrowhead(
        self,
        upgrade: str,
        outputs: list[tuple[int, bytes]],
        spent: TxInput,
        expected: list[tuple[str, int]],
    ) -> None:
        """The whitelist and the locking cap apply; a rejected peg-in is processed."""
        blocks = BitcoinBlocks(upgrade)
        transaction = paying(*outputs, spent=spent)

        assert reasons(blocks.register(transaction)) == expected
        assert processed(blocks, transaction) == bool(expected)

    def test_refund_to_key(self) -> None:
        """Instructions may name the address that a refund goes to."""
        blocks = BitcoinBlocks("iris")
        blocks.register(paying((1001 * VALUE, FEDERATION_SCRIPT), REFUND_TO_KEY))

        assert [each.script for each in waiting(blocks).outputs] == [pay_to_key(b"\x0a" * 20)]

    def test_cap_of_version_0(self) -> None:
        """A whitelisted peg-in above the locking cap uses up its entry."""
        blocks = BitcoinBlocks("papyrus")
        whitelist(blocks, base58check(b"\x6f" + hash160(PUBLIC_KEY)), 2000 * VALUE)
        outcome = blocks.register(paying((1001 * VALUE, FEDERATION_SCRIPT)))

        assert reasons(outcome) == [("refund", 1001 * VALUE)]
        assert number(call(blocks.machine, "getLockWhitelistSize()")) == 0

    def test_before_papyrus(self) -> None:
        """Before Papyrus only P2PKH senders are refunded."""
        blocks = BitcoinBlocks("wasabi")
        key, multisig = paying(PAID), paying(PAID, spent=FROM_MULTISIG)

        assert [blocks.register(each).logs for each in (key, multisig)] == [(), ()]
        assert [processed(blocks, each) for each in (key, multisig)] == [True, False]
        assert blocks.read(slot_of("btcTxHashesAP"))

    def test_too_little_for_a_refund(self) -> None:
        """A peg-in of less than the refund's fee is processed without one."""
        blocks = BitcoinBlocks("papyrus")
        fee = word(5_000_000)
        call(blocks.machine, "voteFeePerKbChange(int256)", fee, sender=account("auth-fee-per-kb"))
        transaction = paying((1_000_000, FEDERATION_SCRIPT))

        assert blocks.register(transaction).logs == ()
        assert processed(blocks, transaction)


class TestOwnTransactions:
    """Transactions of the federation, which spend from its redeem script."""

    REDEEM = RedeemScript.parse(REDEEM_SCRIPT)
    UNSIGNED = unsigned_input(TxInput(b"\5" * 32, 0, b""), REDEEM, is_segwit=False)

    @pytest.mark.parametrize("upgrade", ["iris", "fingerroot", "vetiver"])
    def test_by_redeem_script(self, upgrade: str) -> None:
        """Change is kept since Iris if an input has the federation's redeem script (RSKIP201)."""
        blocks = BitcoinBlocks(upgrade)
        transaction = paying(CHANGE, PAID, spent=(FROM_KEY, self.UNSIGNED))
        outcome = blocks.register(transaction)

        assert (outcome.error, outcome.logs) == (None, ())
        assert [utxo.index for utxo in utxos(blocks)] == [1]
        assert processed(blocks, transaction)

    @pytest.mark.parametrize("signers", [1, 2])
    @pytest.mark.parametrize("upgrade", ["orchid", "papyrus"])
    def test_by_signatures(self, upgrade: str, signers: int) -> None:
        """Before Iris two federators have to have signed, else it may be a peg-in."""
        blocks = BitcoinBlocks(upgrade)
        unsigned = paying(CHANGE, PAID, spent=self.UNSIGNED)
        digest = unsigned.signature_hash(0, self.REDEEM.raw)
        keys = {private_key(seed).public_key.format(): private_key(seed) for seed in FEDERATORS}
        signatures = [keys[key].sign(digest, hasher=None) + b"\1" for key in self.REDEEM.keys]
        stack = (b"", *signatures[:signers], *(b"",) * (2 - signers), self.REDEEM.raw)
        transaction = paying(
            CHANGE, PAID, spent=replace(self.UNSIGNED, script=b"".join(map(push, stack)))
        )
        blocks.register(transaction)

        assert len(utxos(blocks)) == signers - 1

    def test_by_hash(self) -> None:
        """Since Arrowhead the Bridge knows the hashes of what it created (RSKIP379)."""
        blocks = BitcoinBlocks(height=350)
        known, other = (paying((value, FEDERATION_SCRIPT), spent=self.UNSIGNED) for value in (1, 2))
        slot = hashed_slot_of(f"pegoutTxSigHash-{(pegout_hash(known) or b'').hex()}")
        blocks.machine.state.set_storage(ADDRESS, slot, 1 << 248 | 2)
        answers = [reasons(blocks.register(each)) for each in (known, other)]

        assert answers == [[], [("rejected", 5), ("unrefundable", 3)]]
        assert [utxo.value for utxo in utxos(blocks)] == [1]

    @pytest.mark.parametrize(
        ("upgrade", "key", "is_credited"),
        [
            ("lovell", DATA["key_that_is_a_script"], False),
            ("lovell", PUBLIC_KEY.hex(), True),
            ("vetiver", DATA["key_that_is_a_script"], True),
        ],
    )
    def test_validation(self, upgrade: str, key: str, is_credited: bool) -> None:
        """While a federation is validated, Lovell's node fails at some keys (RSKIP305)."""
        blocks = BitcoinBlocks(upgrade, 350)
        slot = slot_of("svpSpendTxHashUnsigned")
        size = 33
        state = blocks.machine.state
        state.set_storage(ADDRESS, slot, 2 * size + 1)
        for index, word_ in enumerate((b"\xa0" + bytes(31), bytes(32))):
            place = int.from_bytes(keccak(slot.to_bytes(32))) + index
            state.set_storage(ADDRESS, place, int.from_bytes(word_))
        spent = TxInput(b"\1" * 32, 0, b"\0" + push(bytes.fromhex(key)))
        outcome = blocks.register(paying(PAID, spent=spent))

        assert (outcome.error is None) == is_credited
        assert len(outcome.logs) == is_credited

    @pytest.mark.parametrize("height", [0, 350])
    def test_malformed_input(self, height: int) -> None:
        """A script of an input that is cut off fails the call, as bitcoinj cannot read it."""
        blocks = BitcoinBlocks(height=height)
        transaction = paying(PAID, spent=(TxInput(b"\6" * 32, 0, b"\2\0"), FROM_KEY))

        assert "malformed" in str(blocks.register(transaction).error)

    def test_key_output_without_hash(self) -> None:
        """As in rskj, an output to a key whose hash is an opcode fails the call."""
        blocks = BitcoinBlocks()
        transaction = paying(PAID, (1, b"\x76\xa9\x51\x88\xac"))

        assert "without the key's hash" in str(blocks.register(transaction).error)


class TestProcessed:
    def test_slot(self) -> None:
        """The height is at a slot of its own since Papyrus (RSKIP134)."""
        blocks = BitcoinBlocks("vetiver")
        transaction = paying(PAID)
        blocks.register(transaction)

        assert blocks.read(hashed_slot_of(f"btcTxHashAP-{transaction.txid.hex()}")) == b"\x80"

    def test_order_before_papyrus(self) -> None:
        """Before Papyrus all are in one list, by their hashes compared from the end."""
        blocks = BitcoinBlocks("wasabi")
        transactions = [paying(*[PAID] * count) for count in range(1, 8)]
        for transaction in transactions:
            blocks.register(transaction)
        hashes = [transaction.txid for transaction in transactions]
        stored = rlp.decode(blocks.read(slot_of("btcTxHashesAP")))

        assert stored[::2] == sorted(hashes, key=lambda txid: txid[::-1]) != sorted(hashes)

    @pytest.mark.parametrize("text", [b"", b"00", b"0" * 63 + b"A", b"0x" + b"0" * 62])
    def test_malformed(self, text: bytes) -> None:
        """What is no hash in small hex digits fails."""
        outcome = call(LOCAL, "isBtcTxHashAlreadyProcessed(string)", dynamic(text))

        assert "not the hash of a bitcoin transaction" in str(outcome.error)
