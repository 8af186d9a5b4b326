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
from devchain.evm.rootstock.precompiles.bitcoin_script import RedeemScript
from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    BitcoinTransaction,
    TxInput,
    TxOutput,
)
from devchain.evm.rootstock.precompiles.bridge.elections import hand_over
from devchain.evm.rootstock.precompiles.bridge.federation import (
    OLD,
    PROPOSED,
    activation_age,
    active,
    age_of,
    proposed,
    retiring,
    store_federation,
)
from devchain.evm.rootstock.precompiles.bridge.federation_scripts import Federation
from devchain.evm.rootstock.precompiles.bridge.methods import COMMIT_FAILED, peg_of
from devchain.evm.rootstock.precompiles.bridge.release_builder import Release, ReleaseFailed
from devchain.evm.rootstock.precompiles.bridge.release_inputs import (
    Signature,
    has_all_signatures,
    unsigned_input,
)
from devchain.evm.rootstock.precompiles.bridge.releases import (
    active_slot,
    add_signatures,
    builder_of,
    estimated_size,
    flyover_script,
    log_release,
    log_released,
    parse_item,
    record_release,
    transaction_hash,
)
from devchain.evm.rootstock.precompiles.bridge.settings import fee_per_kilobyte
from devchain.evm.rootstock.precompiles.bridge.storage import (
    ADDRESS,
    load_items,
    load_rlp,
    slot_of,
    store,
    store_rlp,
    to_bytes,
)
from devchain.evm.rootstock.precompiles.bridge.utxos import OLD as OLD_UTXOS
from devchain.evm.rootstock.precompiles.bridge.utxos import Utxo, load_utxos, store_utxos
from devchain.evm.rootstock.precompiles.native_contract import Call, PrecompileFailed

FUND_HASH = slot_of("svpFundTxHashUnsigned")
FUND_SIGNED = slot_of("svpFundTxSigned")
SPEND_HASH = slot_of("svpSpendTxHashUnsigned")
SPEND_FOR_SIGNATURES = slot_of("svpSpendTxWaitingForSignatures")

FLYOVER_PREFIX = (1).to_bytes(HASH)  # of the second output of the fund transaction
FEE_MARGIN = 12  # tenths of the estimated size


# Migration


def migrate(call: Call) -> None:
    """Part of `updateCollections`: send outputs of the retiring federation to the active one."""
    before = retiring(call)
    if before is None:
        return
    current = active(call)
    age = age_of(call, current) - activation_age(call)
    begin, end = peg_of(call).migration_ages
    if begin < age < end:
        try:
            _migrate(call, before, current, least=fee_per_kilobyte(call) // 2)
        except ReleaseFailed as error:
            raise PrecompileFailed(f"the retiring federation's funds: {error}") from error
    elif age >= end:
        with suppress(ReleaseFailed, PrecompileFailed):
            _migrate(call, before, current, least=0)
        store_federation(call, OLD, None)


def _migrate(call: Call, before: Federation, current: Federation, least: int) -> None:
    utxos = load_utxos(call, OLD_UTXOS)
    # Since Hop (RSKIP294) a transaction has a limited number of inputs.
    most = peg_of(call).most_migrated if call.since("fingerroot") else len(utxos)
    builder = builder_of(call, [before], utxos[:most], current.output_script)
    if builder.balance <= least:
        return
    release = builder.migrate()
    amount = sum(utxo.value for utxo in release.spent)
    record_release(call, utxos, release, amount, transaction_hash(call))
    store_utxos(call, OLD_UTXOS, utxos)


# Validation


def is_validating(call: Call) -> bool:
    """Whether an elected federation still has time to show that it can sign."""
    elected = proposed(call)
    return elected is not None and age_of(call, elected) < peg_of(call).validation_blocks


def update_validation(call: Call) -> None:
    """Part of `updateCollections`: create the fund transaction, or the spend transaction."""
    elected = proposed(call)
    if elected is None:
        return
    if not is_validating(call):
        COMMIT_FAILED.emit(call, ADDRESS, elected.redeem_script, call.state.block_number)
        store_federation(call, PROPOSED, None)
        for slot in (FUND_HASH, FUND_SIGNED, SPEND_HASH, SPEND_FOR_SIGNATURES):
            store(call, slot, b"")
        return
    if all(load_rlp(call, slot) is None for slot in (FUND_HASH, FUND_SIGNED, SPEND_HASH)):
        _fund(call, elected)
    fund = load_rlp(call, FUND_SIGNED)
    if fund is not None:
        _spend(call, elected, parse_item(fund))


def _fund(call: Call, elected: Federation) -> None:
    current, value = active(call), 2 * peg_of(call).minimum_pegout
    utxos = load_utxos(call, active_slot(call))
    builder = builder_of(call, [current], utxos, current.output_script)
    outputs = [TxOutput(value, elected.output_script_of(each)) for each in _scripts(elected)]
    try:
        release = builder.pay(outputs, receivers_pay=False)
    except ReleaseFailed:
        return
    store_rlp(call, FUND_HASH, release.transaction.txid)
    record_release(call, utxos, release, 2 * value, transaction_hash(call))
    store_utxos(call, active_slot(call), utxos)


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
        spent.append(Utxo(fund.txid, places[0], value, output_script))
        bare, redeem = TxInput(fund.txid, places[0], b""), RedeemScript.parse(script)
        inputs.append(unsigned_input(bare, redeem, is_segwit=elected.is_segwit))
    size = estimated_size(call, elected, 2, 1) * FEE_MARGIN // 10
    value = sum(utxo.value for utxo in spent) - fee_per_kilobyte(call) * size // 1000
    output = TxOutput(value, active(call).output_script)
    transaction, rsk_hash = BitcoinTransaction(2, tuple(inputs), (output,)), transaction_hash(call)
    store_rlp(call, SPEND_HASH, transaction.txid)
    store_rlp(call, SPEND_FOR_SIGNATURES, [rsk_hash, transaction.serialize()])
    store(call, FUND_SIGNED, b"")
    log_release(call, Release(transaction, tuple(spent)), value, rsk_hash)


def register_fund(call: Call, transaction: BitcoinTransaction) -> None:
    """The fund transaction is in a Bitcoin block: the spend transaction can be created."""
    if is_validating(call):
        store_rlp(call, FUND_SIGNED, transaction.serialize())
        store(call, FUND_HASH, b"")


def register_spend(call: Call) -> None:
    """The spend transaction is in a Bitcoin block: the elected federation comes into force."""
    elected = proposed(call)
    if elected is None:
        raise PrecompileFailed("there is no proposed federation")
    store(call, SPEND_HASH, b"")
    hand_over(call, elected)
    store_federation(call, PROPOSED, None)


def sign_spend(call: Call, key: bytes, signatures: list[Signature], rsk_hash: bytes) -> bool:
    """Part of `addSignature`: whether the signatures are for the spend transaction; add them."""
    elected, entries = proposed(call), load_items(call, SPEND_FOR_SIGNATURES, 2)[0]
    if elected is None or not is_validating(call) or not entries:
        return False
    ((created_by, raw),) = entries
    if to_bytes(created_by) != rsk_hash:
        return False
    member = next((each for each in elected.members if each.btc == key), None)
    if member is None:
        raise PrecompileFailed("the key is not of a member of the proposed federation")
    transaction = parse_item(raw)
    if len(transaction.inputs) != len(signatures):
        return True
    signed = add_signatures(call, member, signatures, rsk_hash, transaction)
    store_rlp(call, SPEND_FOR_SIGNATURES, [rsk_hash, signed.serialize()])
    if has_all_signatures(signed):
        log_released(call, rsk_hash, signed)
        store(call, SPEND_FOR_SIGNATURES, b"")
    return True


def state_for_validation(call: Call) -> bytes:
    """The spend transaction that waits for signatures, as RLP for the elected federators."""
    entry = load_rlp(call, SPEND_FOR_SIGNATURES)
    return bytes(rlp.encode([entry or []]))
