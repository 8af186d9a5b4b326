"""How the bitcoins of a federation get to the next one: validation and migration.

Since Lovell (RSKIP419) an elected federation has to show that it can sign. The active one sends it
a fund transaction; the elected one signs a spend transaction that sends the bitcoins back. When
that is in a Bitcoin block, the elected federation comes into force. If the time is over before, it
is dropped.

Once it is active, the outputs of the one before are sent to it: transactions of `updateCollections`
during the migration age, and what is left at its end.
"""

from __future__ import annotations

from contextlib import suppress

import rlp

from devchain.evm.rootstock.precompiles.bitcoin import HASH
from devchain.evm.rootstock.precompiles.bitcoin_script import RedeemScript, flyover_script
from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    BitcoinTransaction,
    TxInput,
    TxOutput,
)
from devchain.evm.rootstock.precompiles.bridge import federation, releases, storage, utxos
from devchain.evm.rootstock.precompiles.bridge.elections import hand_over
from devchain.evm.rootstock.precompiles.bridge.federation import Federation
from devchain.evm.rootstock.precompiles.bridge.methods import COMMIT_FAILED, peg_of
from devchain.evm.rootstock.precompiles.bridge.release_builder import Release, ReleaseFailed
from devchain.evm.rootstock.precompiles.bridge.release_inputs import (
    Signature,
    has_all_signatures,
    unsigned_input,
)
from devchain.evm.rootstock.precompiles.bridge.settings import fee_per_kilobyte
from devchain.evm.rootstock.precompiles.native_contract import Call, PrecompileFailed

FUND_HASH = storage.slot_of("svpFundTxHashUnsigned")
FUND_SIGNED = storage.slot_of("svpFundTxSigned")
SPEND_HASH = storage.slot_of("svpSpendTxHashUnsigned")
SPEND_FOR_SIGNATURES = storage.slot_of("svpSpendTxWaitingForSignatures")

FLYOVER_PREFIX = (1).to_bytes(HASH)  # of the second output of the fund transaction
MOST_MIGRATED = 150  # outputs at once, since RSKIP455
FEE_MARGIN = 12  # tenths of the estimated size


# Migration


def migrate(call: Call) -> None:
    """Part of `updateCollections`: send outputs of the retiring federation to the active one."""
    before = federation.retiring(call)
    if before is None:
        return
    current = federation.active(call)
    age = federation.age_of(call, current) - federation.activation_age(call)
    begin, end = peg_of(call).migration_ages
    in_parts = call.since("next")  # RSKIP455
    if begin < age < end:
        least = 0 if in_parts else fee_per_kilobyte(call) // 2
        try:
            _migrate(call, before, current, least)
        except ReleaseFailed as error:
            if not in_parts:
                raise PrecompileFailed(f"the retiring federation's funds: {error}") from error
    elif age >= end:
        with suppress(ReleaseFailed, PrecompileFailed):
            if _migrate(call, before, current, least=0) and in_parts:
                return  # until nothing is left that can be sent
        federation.store_federation(call, federation.OLD, None)


def _migrate(call: Call, before: Federation, current: Federation, least: int) -> bool:
    # Whether there was enough to send.
    owned = utxos.load_utxos(call, utxos.OLD)
    # Since Hop (RSKIP294) a transaction has a limited number of inputs.
    most, in_parts = len(owned), call.since("next")
    if call.since("fingerroot"):
        most = MOST_MIGRATED if in_parts else peg_of(call).most_migrated
    builder = releases.builder_of(call, [before], owned[:most], current.output_script)
    if builder.balance <= least:
        return False
    release = builder.migrate(in_parts=in_parts)
    amount = sum(utxo.value for utxo in release.spent)
    releases.record_release(call, owned, release, amount, releases.transaction_hash(call))
    utxos.store_utxos(call, utxos.OLD, owned)
    return True


# Validation


def is_validating(call: Call) -> bool:
    """Whether an elected federation still has time to show that it can sign."""
    elected = federation.proposed(call)
    return elected is not None and federation.age_of(call, elected) < peg_of(call).validation_blocks


def update_validation(call: Call) -> None:
    """Part of `updateCollections`: create the fund transaction, or the spend transaction."""
    elected = federation.proposed(call)
    if elected is None:
        return
    if not is_validating(call):
        COMMIT_FAILED.emit(call, elected.redeem_script, call.state.block_number)
        federation.store_federation(call, federation.PROPOSED, None)
        for slot in (FUND_HASH, FUND_SIGNED, SPEND_HASH, SPEND_FOR_SIGNATURES):
            storage.store(call, slot, b"")
        return
    if all(storage.load_rlp(call, slot) is None for slot in (FUND_HASH, FUND_SIGNED, SPEND_HASH)):
        _fund(call, elected)
    fund = storage.load_rlp(call, FUND_SIGNED)
    if fund is not None:
        _spend(call, elected, releases.parse_item(fund))


def _fund(call: Call, elected: Federation) -> None:
    builder, value = releases.active_builder(call), 2 * peg_of(call).minimum_pegout
    outputs = [TxOutput(value, elected.output_script_of(each)) for each in _scripts(elected)]
    try:
        release = builder.pay(outputs, receivers_pay=False)
    except ReleaseFailed:
        return
    storage.store_rlp(call, FUND_HASH, release.transaction.txid)
    rsk_hash = releases.transaction_hash(call)
    releases.record_release(call, builder.utxos, release, 2 * value, rsk_hash)
    utxos.store_utxos(call, utxos.active_slot(call), builder.utxos)


def _scripts(elected: Federation) -> tuple[bytes, bytes]:
    # That of the federation, and of a Flyover deposit to it.
    return elected.redeem_script, flyover_script(FLYOVER_PREFIX, elected.redeem_script)


def _spend(call: Call, elected: Federation, fund: BitcoinTransaction) -> None:
    inputs, spent = [], []
    for script in _scripts(elected):
        output_script = elected.output_script_of(script)
        places = [at for at, each in enumerate(fund.outputs) if each.script == output_script]
        if not places:
            return
        value = fund.outputs[places[0]].value
        spent.append(utxos.Utxo(fund.txid, places[0], value, output_script))
        bare, redeem = TxInput(fund.txid, places[0], b""), RedeemScript.parse(script)
        inputs.append(unsigned_input(bare, redeem, is_segwit=elected.is_segwit))
    size = releases.estimated_size(call, elected, 2, 1) * FEE_MARGIN // 10
    value = sum(utxo.value for utxo in spent) - fee_per_kilobyte(call) * size // 1000
    if value < 0:
        raise PrecompileFailed("the spend transaction cannot pay its fee")
    output = TxOutput(value, federation.active(call).output_script)
    transaction = BitcoinTransaction(2, tuple(inputs), (output,))
    rsk_hash = releases.transaction_hash(call)
    storage.store_rlp(call, SPEND_HASH, transaction.txid)
    storage.store_rlp(call, SPEND_FOR_SIGNATURES, [rsk_hash, transaction.serialize()])
    storage.store(call, FUND_SIGNED, b"")
    releases.log_release(call, Release(transaction, tuple(spent)), value, rsk_hash)


def register_fund(call: Call, transaction: BitcoinTransaction) -> None:
    """The fund transaction is in a Bitcoin block: the spend transaction can be created."""
    if is_validating(call):
        storage.store_rlp(call, FUND_SIGNED, transaction.serialize())
        storage.store(call, FUND_HASH, b"")


def register_spend(call: Call) -> None:
    """The spend transaction is in a Bitcoin block: the elected federation comes into force."""
    elected = federation.proposed(call)
    if elected is None:
        raise PrecompileFailed("there is no proposed federation")
    storage.store(call, SPEND_HASH, b"")
    hand_over(call, elected)
    federation.store_federation(call, federation.PROPOSED, None)


def sign_spend(call: Call, key: bytes, signatures: list[Signature], rsk_hash: bytes) -> bool:
    """Part of `addSignature`: whether the signatures are for the spend transaction; add them."""
    elected, transaction = federation.proposed(call), load_spend(call).get(rsk_hash)
    if elected is None or transaction is None:
        return False
    member = next((each for each in elected.members if each.btc == key), None)
    if member is None:
        raise PrecompileFailed("the key is not of a member of the proposed federation")
    if len(transaction.inputs) != len(signatures):
        return True
    signed = releases.add_signatures(call, member, signatures, rsk_hash, transaction)
    storage.store_rlp(call, SPEND_FOR_SIGNATURES, [rsk_hash, signed.serialize()])
    if has_all_signatures(signed):
        releases.log_released(call, rsk_hash, signed)
        storage.store(call, SPEND_FOR_SIGNATURES, b"")
    return True


def load_spend(call: Call) -> dict[bytes, BitcoinTransaction]:
    """The spend transaction that waits for signatures, by the hash of a Rootstock transaction."""
    entries = storage.load_items(call, SPEND_FOR_SIGNATURES, 2)[0] if is_validating(call) else []
    return {storage.to_bytes(rsk_hash): releases.parse_item(raw) for rsk_hash, raw in entries}


def state_for_validation(call: Call) -> bytes:
    """The spend transaction that waits for signatures, as RLP for the elected federators."""
    entry = storage.load_rlp(call, SPEND_FOR_SIGNATURES)
    return bytes(rlp.encode([entry or []]))
