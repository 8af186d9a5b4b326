"""`devchain.evm.rootstock.precompiles.bridge.peg_outs`: what federators do with requests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import rlp
from btclib.script.engine import ALL_FLAGS, verify_input
from btclib.script.script_pub_key import ScriptPubKey
from btclib.tx import Tx, TxOut
from coincurve import PublicKey
from eth_abi.abi import encode

from devchain.evm.rootstock.precompiles.bitcoin_script import parse_script, pay_to_key
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction
from devchain.evm.rootstock.precompiles.bridge import peg_outs, releases
from devchain.evm.rootstock.precompiles.bridge.federation import Format
from devchain.evm.rootstock.precompiles.bridge.methods import EVENTS
from devchain.evm.rootstock.precompiles.bridge.release_inputs import (
    pegout_hash,
    redeem_script_in,
)
from devchain.evm.rootstock.precompiles.bridge.storage import hashed_slot_of
from tests.accounts import BOB_HEX
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import account, call, hash_twice
from tests.evm.rootstock.precompiles.bridge.peg import (
    BRIDGE_HEX,
    FEDERATORS,
    SATOSHI,
    UTXOS,
    Peg,
    private_key,
    running,
)
from tests.evm.rootstock.precompiles.bridge.test_peg_outs import KEY_HASH
from tests.evm.rootstock.precompiles.calling import Machine, unpack

BITCOIN = 10**8
BURN_HEX = "0x" + "ff" * 20

NAMES = {event.topic: event.name for event in EVENTS} | {
    int.from_bytes(name.encode()): name
    for name in ("update_collections_topic", "add_signature_topic", "release_btc_topic")
}


def names(receipt: dict[str, Any]) -> list[str]:
    """The names of a receipt's events."""
    assert receipt["status"] == "0x1"
    return [NAMES[int(log["topics"][0], 16)] for log in receipt["logs"]]


def data(receipt: dict[str, Any], name: str) -> bytes:
    """The data of a receipt's event."""
    (log,) = [log for log in receipt["logs"] if NAMES[int(log["topics"][0], 16)] == name]
    return bytes.fromhex(log["data"][2:])


def sign_all(peg: Peg) -> list[dict[str, Any]]:
    """The receipts of the signatures that the waiting transaction needs."""
    ((rsk_hash, transaction),) = peg.for_signatures().items()
    return [peg.sign(seed, rsk_hash, peg.signatures(seed, transaction)) for seed in FEDERATORS[:2]]


CREATED, BATCH = "pegout_transaction_created", "batch_pegout_created"
PAID = ["update_collections", "release_requested"]


@pytest.mark.parametrize("engine", ["fast", "reference"])
@pytest.mark.parametrize(
    ("hardfork", "created", "confirmed"),
    [
        ("orchid", ["update_collections_topic"], []),
        ("papyrus", PAID, []),
        ("iris", PAID, []),
        ("fingerroot", [*PAID, BATCH], ["pegout_confirmed"]),
        ("arrowhead", [*PAID, BATCH], ["pegout_confirmed"]),
        ("lovell", [*PAID, CREATED, BATCH], ["pegout_confirmed"]),
        ("vetiver", [*PAID, CREATED, BATCH], ["pegout_confirmed"]),
    ],
)
def test_walk(engine: str, hardfork: str, created: list[str], confirmed: list[str]) -> None:
    """A request becomes a Bitcoin transaction, is confirmed, signed and logged for Bitcoin."""
    is_first = hardfork == "orchid"
    with running(hardfork, engine) as peg:
        spent, kept = peg.fund(2 * BITCOIN, 3 * BITCOIN)
        if spent.txid > kept.txid:
            spent, kept = kept, spent
        requested = peg.request(BITCOIN)
        update = peg.update()
        confirm = peg.confirm()
        ((rsk_hash, unsigned),) = peg.for_signatures().items()
        signed = sign_all(peg)
        rest = peg.utxos(), peg.for_signatures(), peg.read(peg_outs.QUEUE_WITH_HASHES)

    assert names(update) == created
    assert names(confirm) == [created[0], *confirmed]
    ending = "_topic" if is_first else ""
    added, released = f"add_signature{ending}", f"release_btc{ending}"
    assert [names(receipt) for receipt in signed] == [[added], [added, released]]
    owner = {"papyrus": requested, "orchid": confirm, "iris": confirm}.get(hardfork, update)
    assert rsk_hash.hex() == owner["transactionHash"][2:]
    assert rest == ([kept], {}, b"" if is_first else b"\xc0")

    output = data(signed[1], released)
    raw = rlp.decode(output)[1] if is_first else unpack(output)
    transaction = BitcoinTransaction.parse(raw)
    (given,) = transaction.inputs
    assert (given.txid, given.index) == (spent.txid, spent.index)
    assert transaction.version == (2 if hardfork not in {"orchid", "papyrus"} else 1)
    paid, change = transaction.outputs
    assert (paid.script, change.script) == (pay_to_key(KEY_HASH), spent.script)
    assert change.value == spent.value - BITCOIN
    signatures = [chunk.pushed or b"" for chunk in parse_script(given.script)[1:-1]]
    digest = unsigned.signature_hash(0, redeem_script_in(given) or b"")
    keys = sorted(private_key(seed).public_key.format() for seed in FEDERATORS[:2])
    for key, signature in zip(keys, signatures, strict=True):
        assert PublicKey(key).verify(signature[:-1], digest, hasher=None)


def test_logs() -> None:
    """Logs have hashes as Bitcoin displays them, amounts in satoshis, values as Bitcoin's sizes."""
    with running() as peg:
        spent = peg.fund(50 * BITCOIN, 7 * BITCOIN)
        requests = [peg.request(each * BITCOIN)["transactionHash"] for each in (52, 2)]
        update = peg.update()
        number = int(update["blockNumber"], 16)
        next_height = peg.ask("getNextPegoutCreationBlockNumber()")
        confirm = peg.confirm()
        ((_, transaction),) = peg.for_signatures().items()

    txid = transaction.txid.hex()
    assert txid == hash_twice(transaction.serialize()).hex()
    assert [log["topics"][1:] for log in update["logs"]] == [
        [],
        [update["transactionHash"], f"0x{txid}"],
        [f"0x{txid}"],
        [f"0x{txid}"],
    ]
    assert data(update, PAID[0]) == word(int.from_bytes(account(FEDERATORS[0])))
    assert data(update, PAID[1]) == word(54 * BITCOIN)
    assert unpack(data(update, BATCH)).hex() == "".join(each[2:] for each in requests)
    values = {utxo.txid: utxo.value for utxo in spent}
    encoded = b"".join(
        b"\xff" + values[each.txid].to_bytes(8, "little")
        if values[each.txid] >= 2**32
        else b"\xfe" + values[each.txid].to_bytes(4, "little")
        for each in transaction.inputs
    )
    assert unpack(data(update, CREATED)) == encoded
    assert next_height == word(number + 50)
    assert confirm["logs"][1]["topics"][1:] == [f"0x{txid}"]
    assert data(confirm, "pegout_confirmed") == word(number)


@pytest.mark.parametrize("kind", list(Format))
def test_formats(kind: Format) -> None:
    """Bitcoin's rules accept a signed transaction for any script format, also with Flyover."""
    with running() as peg:
        peg.change_format(kind)
        active, derivation = peg.federation, b"\7" * 32
        flyover = active.output_script_of(releases.flyover_script(derivation, active.redeem_script))
        deposit = [derivation, active.output_script[2:22]]
        peg.store(releases.flyover_slot(flyover[2:22]), deposit)
        utxos = peg.fund(2 * BITCOIN, 3 * BITCOIN)
        utxos[0] = replace(utxos[0], script=flyover)
        peg.store(UTXOS, [utxo.serialize() for utxo in utxos])
        peg.request(4 * BITCOIN)
        peg.update()
        peg.confirm()
        signed = sign_all(peg)

    raw = unpack(data(signed[1], "release_btc"))
    transaction, known = Tx.parse(raw), {utxo.txid: utxo for utxo in utxos}
    outputs = [
        TxOut(known[one.prev_out.tx_id].value, ScriptPubKey(known[one.prev_out.tx_id].script))
        for one in transaction.vin
    ]
    for index in range(2):
        verify_input(outputs, transaction, index, ALL_FLAGS, None)
    assert bool(transaction.vin[0].script_witness.stack) == (kind is Format.P2SH_P2WSH_ERP)


class TestQueue:
    def test_interval(self) -> None:
        """Since Hop a transaction pays all requests, 50 blocks after the last one."""
        with running() as peg:
            peg.fund(5 * BITCOIN, 5 * BITCOIN)
            peg.request(BITCOIN)
            peg.update()
            peg.request(BITCOIN)
            early = peg.update()
            peg.client.call("hardhat_mine", hex(50))
            late = peg.update()

        assert names(early) == ["update_collections"]
        assert BATCH in names(late)

    def test_insufficient(self) -> None:
        """Requests stay while the federation has fewer bitcoins than all of them ask for."""
        with running() as peg:
            peg.fund(BITCOIN)
            peg.request(BITCOIN // 2)
            peg.request(BITCOIN)
            update, queued = peg.update(), peg.ask("getQueuedPegoutsCount()")
            next_height = peg.ask("getNextPegoutCreationBlockNumber()")

        assert (names(update), queued, next_height) == (["update_collections"], word(2), word(0))

    def test_single(self) -> None:
        """Before Hop each request has a transaction; what cannot be paid goes to the end."""
        with running("iris") as peg:
            peg.fund(BITCOIN, 2 * BITCOIN)
            large = peg.request(5 * BITCOIN)["transactionHash"]
            small = [peg.request(BITCOIN, sender)["transactionHash"] for sender in (BOB_HEX,) * 2]
            update, waiting = peg.update(), rlp.decode(peg.read(releases.WAITING_WITH_HASHES))
            queue = rlp.decode(peg.read(peg_outs.QUEUE_WITH_HASHES))

        requested = [log["topics"][1] for log in update["logs"][1:]]
        assert requested == small
        assert sorted(each.hex() for each in waiting[2::3]) == sorted(each[2:] for each in small)
        assert queue[2].hex() == large[2:]

    def test_most_at_once(self) -> None:
        """Before Hop 30 requests are tried."""
        with running("iris") as peg:
            peg.store(peg_outs.QUEUE, [KEY_HASH, b"\x05\xf5\xe1\x00"] * 31)
            peg.fund(*[2 * BITCOIN] * 40)
            peg.update()
            queue = rlp.decode(peg.read(peg_outs.QUEUE))
            waiting = rlp.decode(peg.read(releases.WAITING))

        assert (len(queue), len(waiting)) == (2, 60)

    def test_too_many(self) -> None:
        """Where not all fit into a transaction the first half is paid, but the Bridge burns all the
        rest, too, as the real node's does.
        """
        with running() as peg:
            values = [bytes([1, index // 256, index % 256]) for index in range(3_000)]
            requests = [[KEY_HASH, b"\x0f\x42\x40", bytes(29) + value] for value in values]
            peg.store(peg_outs.QUEUE_WITH_HASHES, [item for each in requests for item in each])
            peg.fund(40 * BITCOIN)
            update, queued = peg.update(), peg.ask("getQueuedPegoutsCount()")
            burnt = peg.client.call("eth_getBalance", BURN_HEX, "latest")

        assert len(unpack(data(update, BATCH))) == 1_500 * 32
        assert data(update, PAID[1]) == word(3_000 * 10**6)
        assert queued == word(1_500)
        assert int(burnt, 16) == 1_500 * 10**6 * SATOSHI

    def test_before_papyrus(self) -> None:
        """A batch with a request that has no hash fails; as in rskj the first logs are kept."""
        with running() as peg:
            peg.store(peg_outs.QUEUE, [KEY_HASH, b"\x05\xf5\xe1\x00"])
            peg.fund(2 * BITCOIN)

            update = peg.update()

            assert names(update) == [*PAID, CREATED]
            assert peg.read(peg_outs.QUEUE) == rlp.encode([KEY_HASH, b"\x05\xf5\xe1\x00"])

    def test_raised_change(self) -> None:
        """Change that would be dust is raised; the Bridge burns what the federation keeps."""
        with running() as peg:
            peg.fund(BITCOIN + 1_000)
            peg.request(BITCOIN)
            before = int(peg.client.call("eth_getBalance", BRIDGE_HEX, "latest"), 16)
            peg.update()
            after = int(peg.client.call("eth_getBalance", BRIDGE_HEX, "latest"), 16)
            burnt = int(peg.client.call("eth_getBalance", BURN_HEX, "latest"), 16)
            peg.confirm()
            ((_, transaction),) = peg.for_signatures().items()

        assert transaction.outputs[1].value == 2_700
        assert burnt == before - after == 1_700 * SATOSHI

    @pytest.mark.parametrize("hardfork", ["fingerroot", "vetiver"])
    def test_twice(self, hardfork: str) -> None:
        """Since Arrowhead a transaction that the Bridge created before fails (RSKIP379)."""
        with running(hardfork) as peg:
            peg.fund(2 * BITCOIN)
            peg.request(BITCOIN)
            peg.update()
            peg.fund(2 * BITCOIN)
            peg.request(BITCOIN)
            peg.client.call("hardhat_mine", hex(50))
            peg.update()
            queued = peg.ask("getQueuedPegoutsCount()")

        assert queued == word(hardfork == "vetiver")


class TestConfirmations:
    def test_one_at_a_time(self) -> None:
        """A call of `updateCollections` lets one transaction wait for signatures."""
        with running("iris") as peg:
            peg.fund(BITCOIN, 2 * BITCOIN)
            for sender in (BOB_HEX, BOB_HEX):
                peg.request(BITCOIN, sender)
            peg.update()
            early = len(peg.for_signatures())
            counts = [len(peg.for_signatures()) for _ in (peg.confirm(), None)]
            peg.update()
            counts.append(len(peg.for_signatures()))

        assert (early, counts) == (0, [1, 1, 2])

    def test_pegout_hash(self) -> None:
        """The Bridge marks the hash and keeps the values of what a transaction spends."""
        with running() as peg:
            peg.fund(2 * BITCOIN)
            peg.request(BITCOIN)
            peg.update()
            peg.confirm()
            ((_, transaction),) = peg.for_signatures().items()
            name = f"pegoutTxSigHash-{(pegout_hash(transaction) or b'').hex()}"
            mark = peg.read(hashed_slot_of(name))
            values = peg.read(releases.values_slot(transaction.txid))

        assert (mark, values.hex()) == (b"\1", "fe00c2eb0b")

    def test_states(self) -> None:
        """The debugging state has the outputs, the queue and what waits."""
        with running() as peg:
            peg.fund(2 * BITCOIN, 2 * BITCOIN)
            peg.request(BITCOIN)
            peg.update()
            waiting = peg.read(releases.WAITING_WITH_HASHES)
            next_height = int.from_bytes(peg.ask("getNextPegoutCreationBlockNumber()"))
            first = rlp.decode(unpack(peg.ask("getStateForDebugging()")))
            peg.confirm()
            ready = peg.read(releases.FOR_SIGNATURES)
            second = rlp.decode(unpack(peg.ask("getStateForDebugging()")))
            utxos = rlp.encode([utxo.serialize() for utxo in peg.utxos()])

        assert first == [b"", utxos, b"\xc0", b"\xc0", waiting, bytes([next_height])]
        assert second == [b"", utxos, ready, b"\xc0", b"\xc0", bytes([next_height])]


class TestSign:
    @pytest.fixture
    def peg(self) -> Any:
        """A chain with a transaction that waits for signatures and has two inputs."""
        with running() as peg:
            peg.fund(2 * BITCOIN, 2 * BITCOIN)
            peg.request(3 * BITCOIN)
            peg.update()
            peg.confirm()
            yield peg

    @pytest.mark.parametrize(
        "change",
        [
            {"signatures": slice(1)},
            {"signatures": slice(None, None, -1)},
            {"key": private_key("auth-a").public_key.format()},
            {"rsk_hash": bytes(32)},
            {"high": True},
        ],
        ids=["one", "wrong", "other key", "hash", "high"],
    )
    def test_passed_over(self, peg: Peg, change: dict[str, Any]) -> None:
        """Signatures that are not a federator's of a transaction that waits change nothing."""
        ((rsk_hash, transaction),) = peg.for_signatures().items()
        signatures = peg.signatures(FEDERATORS[0], transaction)
        signatures = signatures[change.get("signatures", slice(None))]
        if "high" in change:
            signatures = list(map(with_high_s, signatures))
        receipt = peg.sign(
            FEDERATORS[0], change.get("rsk_hash", rsk_hash), signatures, change.get("key")
        )

        assert names(receipt) == []
        assert list(peg.for_signatures().values()) == [transaction]

    def test_twice(self, peg: Peg) -> None:
        """A federator signs once; an uncompressed key is the same."""
        ((rsk_hash, transaction),) = peg.for_signatures().items()
        seed = FEDERATORS[0]
        key = private_key(seed).public_key.format(compressed=False)
        receipts = [
            peg.sign(seed, rsk_hash, peg.signatures(seed, transaction), key) for _ in range(2)
        ]

        assert [names(receipt) for receipt in receipts] == [["add_signature"], []]

    def test_any_federator(self, peg: Peg) -> None:
        """A federator may send another's signatures; the log names their owner."""
        ((rsk_hash, transaction),) = peg.for_signatures().items()
        signatures = peg.signatures(FEDERATORS[1], transaction)
        key = private_key(FEDERATORS[1]).public_key.format()
        receipt = peg.sign(FEDERATORS[0], rsk_hash, signatures, key)

        (log,) = receipt["logs"]
        assert log["topics"][1:] == [
            f"0x{rsk_hash.hex()}",
            f"0x{account(FEDERATORS[1]).hex():0>64}",
        ]
        assert unpack(data(receipt, "add_signature")) == key

    @pytest.mark.parametrize("first", FEDERATORS)
    @pytest.mark.parametrize("second", FEDERATORS)
    def test_order(self, peg: Peg, first: str, second: str) -> None:
        """Signatures are in the order of the keys, whoever signs first."""
        if first == second:
            return
        ((rsk_hash, transaction),) = peg.for_signatures().items()
        peg.sign(first, rsk_hash, peg.signatures(first, transaction))
        receipt = peg.sign(second, rsk_hash, peg.signatures(second, transaction))

        raw = unpack(data(receipt, "release_btc"))
        ordered = sorted((first, second), key=lambda seed: private_key(seed).public_key.format())
        for index, spent in enumerate(BitcoinTransaction.parse(raw).inputs):
            pushed = [chunk.pushed for chunk in parse_script(spent.script)]
            assert pushed[1:3] == [
                peg.signatures(seed, transaction)[index] + b"\1" for seed in ordered
            ]


def with_high_s(signature: bytes) -> bytes:
    """The other signature of the same hash, with the larger s."""
    size = signature[3]
    r, s = signature[4 : 4 + size], int.from_bytes(signature[6 + size :])
    order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
    high = b"\0" + (order - s).to_bytes(32)
    content = b"\2" + bytes([size]) + r + b"\2" + bytes([len(high)]) + high
    return b"\x30" + bytes([len(content)]) + content


SIGN = "addSignature(bytes,bytes[],bytes)"
KEY = private_key(FEDERATORS[0]).public_key.format()
DER = b"\x30\6\2\1\1\2\1\1"


@pytest.mark.parametrize(
    ("key", "signatures", "rsk_hash", "failure"),
    [
        (KEY, [], bytes(32), "signatures are missing"),
        (KEY, [DER, DER[:-1]], bytes(32), "the signature is cut off"),
        (b"\5" * 33, [DER], bytes(32), "a public key is malformed"),
        (b"", [DER], bytes(32), "a public key is malformed"),
        (KEY, [DER], bytes(31), "has 32 bytes, not 31"),
    ],
    ids=["none", "signature", "key", "no key", "hash"],
)
def test_malformed(key: bytes, signatures: list[bytes], rsk_hash: bytes, failure: str) -> None:
    """Malformed signatures, keys and hashes fail, also if no transaction waits."""
    arguments = encode(["bytes", "bytes[]", "bytes"], [key, signatures, rsk_hash])
    outcome = call(Machine(), SIGN, arguments, sender=account(FEDERATORS[0]))

    assert failure in str(outcome.error)


@pytest.mark.parametrize("signature", ["updateCollections()", SIGN])
def test_others(signature: str) -> None:
    """Only federators update and sign."""
    arguments = encode(["bytes", "bytes[]", "bytes"], [KEY, [DER], bytes(32)])
    outcome = call(Machine(), signature, arguments)

    assert "is not a member of the federation" in str(outcome.error)
