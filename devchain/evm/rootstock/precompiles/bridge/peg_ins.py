"""Methods of the Bridge about peg-ins: bitcoins that become RBTC.

`registerBtcTransaction` takes a Bitcoin transaction with a proof that a confirmed block has it. A
peg-in is credited, refunded or only logged; outputs to the federation are kept for peg-outs. The
federation's own transactions come in the same way, for their change.
"""

from __future__ import annotations

import re
from enum import IntEnum

from devchain.evm.rootstock.precompiles.bitcoin import double_sha256, prove_transactions
from devchain.evm.rootstock.precompiles.bitcoin_script import pay_to_key, script_hash_of
from devchain.evm.rootstock.precompiles.bitcoin_transaction import MAX_MONEY, BitcoinTransaction
from devchain.evm.rootstock.precompiles.bridge import federation, methods, releases, storage, utxos
from devchain.evm.rootstock.precompiles.bridge.bitcoin_chain import has_root
from devchain.evm.rootstock.precompiles.bridge.block_store import BlockStore
from devchain.evm.rootstock.precompiles.bridge.federation import require_federator
from devchain.evm.rootstock.precompiles.bridge.methods import local, peg_of, send, writing
from devchain.evm.rootstock.precompiles.bridge.migration import register_fund, register_spend
from devchain.evm.rootstock.precompiles.bridge.release_builder import ReleaseBuilder, ReleaseFailed
from devchain.evm.rootstock.precompiles.bridge.senders import (
    BitcoinAddress,
    PegIn,
    SenderKind,
    read_peg_in,
)
from devchain.evm.rootstock.precompiles.bridge.settings import Whitelist, locking_cap
from devchain.evm.rootstock.precompiles.bridge.transaction_kinds import (
    Kind,
    kind_of,
    minimum_peg_in,
    outputs_to,
)
from devchain.evm.rootstock.precompiles.native_contract import Call, PrecompileFailed, int32

PROCESSED = storage.slot_of("btcTxHashesAP")


class Rejection(IntEnum):
    """Why a peg-in is rejected."""

    CAP_SURPASSED = 1
    MULTISIG_SENDER = 2
    UNDETERMINED_SENDER = 3
    INVALID_INSTRUCTIONS = 4
    INVALID_AMOUNT = 5


class NoRefund(IntEnum):
    """Why a rejected peg-in is not refunded."""

    UNDETERMINED_SENDER = 1
    NO_REFUND_ADDRESS = 2
    INVALID_AMOUNT = 3
    DIFFERENT_FEDERATIONS = 4


# Proofs


def is_confirmed(call: Call, raw: bytes, height: int, tree: bytes) -> bool:
    """Whether the Bitcoin block of a height has a transaction, and enough blocks follow it.

    Raises `PrecompileFailed` for a malformed proof and a height at which the Bridge does not have
    the block.
    """
    at, store = int32(height), BlockStore(call)
    if at < 0 or store.head.height - at + 1 < peg_of(call).confirmations_needed:
        return False
    root, proven = prove_transactions(tree)
    if double_sha256(raw)[::-1] not in proven:
        return False
    # Before Papyrus (RSKIP143) the marker of SegWit is read as the number of inputs.
    if raw[4:].startswith(b"\0\1\0" if call.since("papyrus") else b"\0"):
        raise PrecompileFailed("the bitcoin transaction has no inputs")
    try:
        block = store.at_height(at)
    except LookupError as error:
        raise PrecompileFailed(str(error)) from error
    if block is None:
        raise PrecompileFailed(f"the bridge does not have the bitcoin block of height {at}")
    return has_root(call, block, root)


# Transactions that were processed


def _processed_slot(txid: bytes) -> int:
    return storage.hashed_slot_of(f"btcTxHashAP-{txid.hex()}")


def processed_height(call: Call, txid: bytes) -> int | None:
    """The number of the Rootstock block that processed a Bitcoin transaction, None if none did."""
    height = _processed_before_papyrus(call).get(txid)
    if height is not None or not call.since("papyrus"):
        return height
    return storage.load_number(call, _processed_slot(txid))


def _processed_before_papyrus(call: Call) -> dict[bytes, int]:
    pairs = storage.load_items(call, PROCESSED, 2)[0]
    return {storage.to_bytes(txid): storage.to_number(height) for txid, height in pairs}


def _mark_processed(call: Call, transaction: BitcoinTransaction) -> None:
    height = call.state.block_number
    if call.since("papyrus"):
        storage.store_number(call, _processed_slot(transaction.txid), height)
        return
    heights = _processed_before_papyrus(call) | {transaction.txid: height}
    # The real node compares hashes from their end.
    ordered = sorted(heights, key=lambda txid: txid[::-1])
    items = [(txid, storage.number_bytes(heights[txid])) for txid in ordered]
    storage.store_rlp(call, PROCESSED, [item for pair in items for item in pair])


def _processed(call: Call, txid: str) -> int:
    if not re.fullmatch("[0-9a-f]{64}", txid):
        raise PrecompileFailed(f"not the hash of a bitcoin transaction: {txid[:64]!r}")
    height = processed_height(call, bytes.fromhex(txid))
    return methods.MISSING if height is None else height


# Registering a transaction


def _register(call: Call, raw: bytes, height: int, tree: bytes) -> None:
    # Open to everybody since Iris (RSKIP199).
    if not call.since("iris"):
        require_federator(call)
    if processed_height(call, double_sha256(raw)[::-1]) is not None:
        return
    if not is_confirmed(call, raw, height, tree):
        return
    transaction = BitcoinTransaction.parse(raw).checked()
    if processed_height(call, transaction.txid) is not None:
        return
    kind = kind_of(call, transaction, int32(height))
    if kind is Kind.PEG_IN:
        _register_peg_in(call, transaction, int32(height))
    elif kind is not Kind.OTHER:
        _register_outputs(call, transaction)
    if kind is Kind.SVP_FUND:
        register_fund(call, transaction)
    elif kind is Kind.SVP_SPEND:
        register_spend(call)


def _register_outputs(call: Call, transaction: BitcoinTransaction) -> None:
    for slot, each in utxos.live_slots(call):
        found = outputs_to(transaction, [each.output_script])
        utxos.store_utxos(call, slot, [*utxos.load_utxos(call, slot), *found])
    _mark_processed(call, transaction)


def _scripts(call: Call) -> list[bytes]:
    return [each.output_script for each in federation.live(call)]


def _register_peg_in(call: Call, transaction: BitcoinTransaction, height: int) -> None:
    values = [utxo.value for utxo in outputs_to(transaction, _scripts(call))]
    # Since Arrowhead (RSKIP379) neither the whitelist nor the locking cap applies.
    is_checked = not call.since("arrowhead")
    if not is_checked and (not values or min(values) < minimum_peg_in(call)):
        _reject(call, transaction, Rejection.INVALID_AMOUNT, NoRefund.INVALID_AMOUNT)
        return
    peg_in = read_peg_in(call, transaction)
    if peg_in.problem:
        if call.since("iris"):
            refund, reason = peg_in.refund, Rejection.INVALID_INSTRUCTIONS
            _reject(call, transaction, reason, refund or NoRefund.UNDETERMINED_SENDER)
        return
    if is_checked:
        _credit_if_allowed(call, transaction, peg_in, sum(values), height)
        return
    sender = peg_in.sender
    if peg_in.version or (sender and sender.kind.is_key):
        _credit(call, transaction, peg_in, sum(values))
    elif sender is None:
        reason = Rejection.UNDETERMINED_SENDER
        _reject(call, transaction, reason, NoRefund.UNDETERMINED_SENDER)
    else:
        is_mixed = _pays_different_federations(call, transaction)
        refund_to = NoRefund.DIFFERENT_FEDERATIONS if is_mixed else sender.address
        _reject(call, transaction, Rejection.MULTISIG_SENDER, refund_to)


def _reject(
    call: Call,
    transaction: BitcoinTransaction,
    reason: Rejection | None,
    refund_to: BitcoinAddress | NoRefund,
) -> None:
    if reason is not None and call.since("iris"):
        methods.PEG_IN_REJECTED.emit(call, transaction.txid, reason)
    if not isinstance(refund_to, NoRefund):
        _refund(call, transaction, refund_to)
    else:
        methods.PEG_IN_UNREFUNDABLE.emit(call, transaction.txid, refund_to)
        if call.since("vetiver") or (call.since("arrowhead") and not call.since("lovell")):
            return  # RSKIP379, RSKIP459, RSKIP551
    _mark_processed(call, transaction)


def _pays_different_federations(call: Call, transaction: BitcoinTransaction) -> bool:
    hashes = [hash_in_output(output.script) for output in transaction.outputs]
    live = federation.live(call)
    return len({each.format for each in live if each.output_script[2:-1] in hashes}) > 1


def hash_in_output(script: bytes) -> bytes:
    """The hash in an output script of a key or a script; raises `PrecompileFailed` for others."""
    found = script[3:23] if script == pay_to_key(script[3:23]) else script_hash_of(script)
    if found is None:
        raise PrecompileFailed("an output of the peg-in has no address")
    return found


def _credit(call: Call, transaction: BitcoinTransaction, peg_in: PegIn, amount: int) -> None:
    receiver, sender, txid = peg_in.receiver, peg_in.sender, transaction.txid
    if receiver is None:
        raise PrecompileFailed("the peg-in has no receiver")
    send(call, receiver, amount * methods.WEI_PER_SATOSHI)
    if call.since("iris"):
        methods.PEGGED_IN.emit(call, receiver, txid, amount, peg_in.version)
    elif call.since("papyrus"):
        shown = str(sender and sender.address)
        methods.PEGGED_IN_BEFORE_IRIS.emit(call, receiver, txid, shown, amount)
    _register_outputs(call, transaction)


def _refund(call: Call, transaction: BitcoinTransaction, receiver: BitcoinAddress) -> None:
    live, paid = federation.live(call), {output.script for output in transaction.outputs}
    ordered = sorted(live, key=lambda each: each.output_script not in paid)
    if ordered[0].output_script not in paid:
        raise PrecompileFailed("the peg-in does not pay to a federation")
    outputs = outputs_to(transaction, _scripts(call))
    send_back(call, releases.builder_of(call, ordered, outputs, b""), receiver)


def send_back(call: Call, builder: ReleaseBuilder, receiver: BitcoinAddress) -> None:
    """Send all outputs of a builder to an address, unless they are less than the fee."""
    try:
        release = builder.empty(receiver.output_script)
    except ReleaseFailed:
        return
    amount, rsk_hash = sum(utxo.value for utxo in builder.utxos), releases.transaction_hash(call)
    releases.add_to_waiting(call, release.transaction, rsk_hash)
    releases.log_release(call, release, amount, rsk_hash)


# Before Arrowhead


def _credit_if_allowed(
    call: Call, transaction: BitcoinTransaction, peg_in: PegIn, amount: int, height: int
) -> None:
    sender, is_whitelisted = peg_in.sender, True
    rejection: Rejection | None = None
    if peg_in.version == 0 and sender is not None:
        if not call.since("papyrus") and sender.kind is not SenderKind.P2PKH:
            return
        if not sender.kind.is_key:
            rejection = Rejection.MULTISIG_SENDER
        else:
            key = sender.address.hash
            is_whitelisted = _take_from_whitelist(call, key, amount, height)
    if rejection is None and not fits_locking_cap(call, amount):
        rejection = Rejection.CAP_SURPASSED
    if rejection is not None or not is_whitelisted:
        _reject(call, transaction, rejection, peg_in.refund or NoRefund.NO_REFUND_ADDRESS)
        return
    _credit(call, transaction, peg_in, amount)


def _take_from_whitelist(call: Call, key: bytes, amount: int, height: int) -> bool:
    whitelist = Whitelist.load(call)
    is_allowed = whitelist.allows(key, amount, height)
    if is_allowed and whitelist.entries.get(key) is not None:
        del whitelist.entries[key]
        whitelist.store(call)
    return is_allowed


def fits_locking_cap(call: Call, amount: int) -> bool:
    """Whether the federation may lock that many satoshis more; any before Papyrus (RSKIP134)."""
    in_bridge = call.state.get_balance(storage.ADDRESS) // methods.WEI_PER_SATOSHI
    return not call.since("papyrus") or MAX_MONEY - in_bridge + amount <= locking_cap(call)


METHODS = (
    local("getMinimumLockTxValue() -> int256", 2_000, minimum_peg_in),
    local("getBtcTxHashProcessedHeight(string) -> int64", 22_000, _processed),
    local("isBtcTxHashAlreadyProcessed(string) -> bool", 23_000,
          lambda call, txid: _processed(call, txid) != methods.MISSING),
    writing("registerBtcTransaction(bytes,int256,bytes)", 22_000, _register),
)  # fmt: skip
