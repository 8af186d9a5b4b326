"""Transactions of the federation on their way to Bitcoin, as the Bridge stores them.

A transaction waits for confirmations: Rootstock blocks after the one that created it. Then it waits
for signatures; when it has enough it leaves the Bridge, in a log. Peg-outs, migrations to a new
federation and refunds of peg-ins go this way.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import rlp

from devchain.evm.rootstock.precompiles.bitcoin import HASH, Reader, hash160
from devchain.evm.rootstock.precompiles.bitcoin_script import flyover_script
from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    BitcoinTransaction,
    TxInput,
    TxOutput,
    varint,
)
from devchain.evm.rootstock.precompiles.bridge import federation, methods, storage, utxos
from devchain.evm.rootstock.precompiles.bridge.federation import Federation, FederationMember
from devchain.evm.rootstock.precompiles.bridge.release_builder import Release, ReleaseBuilder
from devchain.evm.rootstock.precompiles.bridge.release_inputs import (
    Signature,
    pegout_hash,
    sign_inputs,
)
from devchain.evm.rootstock.precompiles.bridge.settings import fee_per_kilobyte
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS, hashed_slot_of
from devchain.evm.rootstock.precompiles.native_contract import Call, PrecompileFailed

WAITING = storage.slot_of("releaseTransactionSet")
WAITING_WITH_HASHES = storage.slot_of("releaseTransactionSetWithTxHash")  # since RSKIP146
FOR_SIGNATURES = storage.slot_of("rskTxsWaitingFS")
TRUE = b"\1"

# Sizes in bytes from which the size of a transaction is estimated; the latter are before RSKIP271.
SIGNATURE, SEGWIT_SCRIPT = 72, 36
PUSHED_SIGNATURE, WITNESS_REST = 73, 6  # with their lengths, since RSKIP378
EARLIER_TRANSACTION, EARLIER_INPUT, EARLIER_OUTPUT = 4, 41, 35


class Waiting(NamedTuple):
    """A transaction that waits for confirmations, and the Rootstock block that created it.

    `rsk_hash` is of the Rootstock transaction; None for what was created before Papyrus.
    """

    transaction: BitcoinTransaction
    block_number: int
    rsk_hash: bytes | None


def transaction_hash(call: Call) -> bytes:
    """The hash of the Rootstock transaction; zeros in an `eth_call`, which has none."""
    return bytes(HASH) if call.is_local else bytes(call.transaction.hash)


# Building


def active_builder(call: Call) -> ReleaseBuilder:
    """A builder for the outputs of the active federation, which gets what is left."""
    active, spendable = federation.active(call), utxos.load_utxos(call, utxos.active_slot(call))
    return builder_of(call, [active], spendable, active.output_script)


def builder_of(
    call: Call, federations: Sequence[Federation], spendable: list[utxos.Utxo], change: bytes
) -> ReleaseBuilder:
    """A builder for outputs of those federations, also of Flyover deposits to them.

    `change` is the output script for what is left. The first federation decides whether the
    inputs are SegWit's.
    """
    known = {each.script_hash: each.redeem_script for each in federations}

    def find(script_hash: bytes) -> bytes | None:
        deposits = []
        if call.since("iris"):  # RSKIP176
            deposits = storage.load_items(call, flyover_slot(script_hash), 2)[0]
        if not deposits:
            return known.get(script_hash)
        derivation, federation_hash = map(storage.to_bytes, deposits[0])
        script = known.get(federation_hash)
        return None if script is None else flyover_script(derivation, script)

    return ReleaseBuilder(
        *(spendable, find, change, fee_per_kilobyte(call)),
        version=2 if call.since("iris") else 1,
        migration_version=2 if call.since("arrowhead") else 1,
        is_segwit=federations[0].is_segwit,
        virtual_size=partial(virtual_size, federations[0]) if call.since("next") else None,
    )


def flyover_slot(script_hash: bytes) -> int:
    """The slot of a Flyover deposit: its derivation hash, and the federation's script hash."""
    return hashed_slot_of(f"fastBridgeFederationInformation-{script_hash.hex()}")


def estimated_size(call: Call, signers: Federation, inputs: int, outputs: int) -> int:
    """The size in bytes of a signed transaction, in virtual bytes with SegWit."""
    script, signatures = signers.redeem_script, SIGNATURE * signers.threshold
    if not call.since("fingerroot"):
        signed = EARLIER_INPUT + signatures + len(script)
        return EARLIER_TRANSACTION + inputs * signed + outputs * EARLIER_OUTPUT
    paid = (TxOutput(0, signers.output_script),) * outputs
    if call.since("next"):
        unsigned = (TxInput(bytes(HASH), 0, bytes(SEGWIT_SCRIPT)),) * inputs
        return virtual_size(signers, BitcoinTransaction(1, unsigned, paid))
    spent = () if signers.is_segwit else (TxInput(bytes(HASH), 0, script),) * inputs
    base = len(BitcoinTransaction(1, spent, paid).serialize())
    if not signers.is_segwit:
        return base + inputs * signatures
    base += inputs * SEGWIT_SCRIPT
    return (base + inputs * (signatures + len(script)) + 3 * base) // 4


def virtual_size(federation: Federation, transaction: BitcoinTransaction) -> int:
    """The virtual bytes that an unsigned SegWit transaction has with all signatures (RSKIP378)."""
    base = len(transaction.serialize(with_witnesses=False))
    signatures = PUSHED_SIGNATURE * federation.threshold
    witness = signatures + len(federation.redeem_script) + WITNESS_REST
    return (4 * base + witness * len(transaction.inputs)) // 4


# Waiting for confirmations


def record_release(
    call: Call, spendable: list[utxos.Utxo], release: Release, amount: int, rsk_hash: bytes | None
) -> None:
    """Let a transaction wait for confirmations, and take what it spends from the outputs.

    `amount` is the satoshis that were requested. Raises `PrecompileFailed` if the Bridge has
    created the same transaction before.
    """
    spent = {(utxo.txid, utxo.index) for utxo in release.spent}
    spendable[:] = [utxo for utxo in spendable if (utxo.txid, utxo.index) not in spent]
    add_to_waiting(call, release.transaction, rsk_hash)
    if call.since("arrowhead"):
        _store_once(call, _created_slot(pegout_hash(release.transaction) or b""), TRUE)
    log_release(call, release, amount, rsk_hash)


def add_to_waiting(call: Call, transaction: BitcoinTransaction, rsk_hash: bytes | None) -> None:
    """Let a transaction wait for confirmations, unless it does already."""
    waiting = load_waiting(call)
    if all(each.transaction.txid != transaction.txid for each in waiting):
        rsk_hash = rsk_hash if call.since("papyrus") else None
        store_waiting(call, [*waiting, Waiting(transaction, call.state.block_number, rsk_hash)])


def load_waiting(call: Call) -> list[Waiting]:
    """The transactions that wait for confirmations, in the order in which they are confirmed."""
    waiting = [
        Waiting(parse_item(raw), number % 2**63, rsk_hash)
        for raw, number, rsk_hash in storage.load_with_hashes(call, WAITING, WAITING_WITH_HASHES)
    ]
    # As serialized since RSKIP559, which the real node's regtest has with Vetiver.
    if call.since("vetiver" if methods.peg_of(call).is_regtest else "next"):
        return sorted(waiting, key=_serialized)
    # Before, as Java's `HashSet` iterates: by the hash's place in a table, then as inserted.
    size = 16
    while size < int(len(waiting) / 0.75) + 1:
        size *= 2
    return sorted(waiting, key=lambda entry: _java_hash(entry) % size)


def _serialized(entry: Waiting) -> bytes:
    return entry.transaction.serialize()


def store_waiting(call: Call, waiting: Sequence[Waiting]) -> None:
    storage.store_with_hashes(call, WAITING, WAITING_WITH_HASHES, entries_of(waiting))


def entries_of(waiting: Sequence[Waiting]) -> list[tuple[bytes, int, bytes | None]]:
    """Waiting transactions as `storage.store_with_hashes` takes them, in their stored order."""
    ordered = sorted(waiting, key=_serialized)
    return [(_serialized(entry), entry.block_number, entry.rsk_hash) for entry in ordered]


def _java_hash(entry: Waiting) -> int:
    number = (entry.block_number ^ entry.block_number >> 32) % 2**32
    found = 31 * (31 + int.from_bytes(entry.transaction.txid[-4:])) + number
    return found % 2**32 ^ found % 2**32 >> 16


def parse_item(raw: object) -> BitcoinTransaction:
    """The transaction in an item of the storage; raises `PrecompileFailed`."""
    return BitcoinTransaction.parse(storage.to_bytes(raw))


def _created_slot(digest: bytes) -> int:
    return hashed_slot_of(f"pegoutTxSigHash-{digest.hex()}")


def is_created(call: Call, transaction: BitcoinTransaction) -> bool:
    """Whether the Bridge has created the transaction, known by its `pegout_hash`."""
    digest = pegout_hash(transaction)
    return digest is not None and storage.load(call, _created_slot(digest)) == TRUE


def values_slot(txid: bytes) -> int:
    """The slot of the values that a transaction spends, each a number of variable length."""
    return hashed_slot_of(f"releasesOutpointsValues-{txid.hex()}")


def log_release(call: Call, release: Release, amount: int, rsk_hash: bytes | None) -> None:
    """Log a new transaction of the federation, and keep the values that it spends."""
    txid = release.transaction.txid
    if call.since("papyrus") and rsk_hash is not None:
        methods.RELEASE_REQUESTED.emit(call, rsk_hash, txid, amount)
    if call.since("lovell"):
        values = b"".join(varint(utxo.value) for utxo in release.spent)
        methods.TRANSACTION_CREATED.emit(call, txid, values)
        if call.since("reed"):
            _store_once(call, values_slot(txid), values)


def _store_once(call: Call, slot: int, value: bytes) -> None:
    if storage.load(call, slot):
        raise PrecompileFailed("the bridge has created this bitcoin transaction before")
    storage.store(call, slot, value)


# Waiting for signatures


def load_for_signatures(call: Call) -> dict[bytes, BitcoinTransaction]:
    """The transactions that wait for signatures, by the hash of a Rootstock transaction."""
    pairs = storage.load_items(call, FOR_SIGNATURES, 2)[0]
    return {storage.to_bytes(rsk_hash, HASH): parse_item(raw) for rsk_hash, raw in pairs}


def store_for_signatures(call: Call, transactions: dict[bytes, BitcoinTransaction]) -> None:
    storage.store_rlp(call, FOR_SIGNATURES, items_for_signatures(transactions))


def items_for_signatures(transactions: dict[bytes, BitcoinTransaction]) -> list[bytes]:
    # The real node compares hashes from their end.
    ordered = sorted(transactions, key=lambda rsk_hash: rsk_hash[::-1])
    return [item for each in ordered for item in (each, transactions[each].serialize())]


def add_signatures(
    call: Call,
    member: FederationMember,
    signatures: list[Signature],
    rsk_hash: bytes,
    transaction: BitcoinTransaction,
) -> BitcoinTransaction:
    """The transaction with a federator's signatures, as far as they are right; log them."""
    values = list[int]()
    if transaction.has_witnesses:
        stored = Reader(storage.load(call, values_slot(transaction.txid)))
        while stored.left:
            values.append(stored.varint())
    signed, is_logged = sign_inputs(transaction, member.btc, signatures, values)
    if is_logged and call.since("fingerroot"):
        log_signature(call, member, rsk_hash, transaction)
    return signed


def log_signature(
    call: Call, member: FederationMember, rsk_hash: bytes, transaction: BitcoinTransaction
) -> None:
    if not call.since("papyrus"):
        data = [transaction.txid.hex().encode(), hash160(member.btc), rsk_hash]
        emit_before_papyrus(call, "add_signature_topic", data)
        return
    keys = member if call.since("arrowhead") else member._replace(rsk=member.btc)
    methods.SIGNATURE_ADDED.emit(call, rsk_hash, keys.account, member.btc)


def log_released(call: Call, rsk_hash: bytes, transaction: BitcoinTransaction) -> None:
    """Log a transaction that has all signatures, for federators to send to Bitcoin."""
    raw = transaction.serialize()
    if call.since("papyrus"):
        methods.RELEASED.emit(call, rsk_hash, raw)
    else:
        emit_before_papyrus(call, "release_btc_topic", [transaction.txid.hex().encode(), raw])


def emit_before_papyrus(call: Call, topic: str, data: bytes | list[Any]) -> None:
    """Log with the Bridge's own topics and RLP."""
    call.computation.add_log_entry(ADDRESS, (int.from_bytes(topic.encode()),), rlp.encode(data))
