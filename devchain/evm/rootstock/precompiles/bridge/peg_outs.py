"""Methods of the Bridge about peg-outs: RBTC to be paid in bitcoins.

`releaseBtc`, the method of plain transfers, puts requests in a queue or rejects them. When a
federator calls `updateCollections`, requests become Bitcoin transactions and those that have
confirmations wait for the federators' signatures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import rlp
from eth_keys.datatypes import Signature as RecoverableSignature
from eth_keys.exceptions import BadSignature
from eth_utils.exceptions import ValidationError

from devchain.evm.rootstock.precompiles.bitcoin import HASH, base58check, hash160
from devchain.evm.rootstock.precompiles.bitcoin_script import pay_to_key
from devchain.evm.rootstock.precompiles.bitcoin_transaction import TxOutput
from devchain.evm.rootstock.precompiles.bridge import federation, methods, releases, storage, utxos
from devchain.evm.rootstock.precompiles.bridge.block_store import BlockStore
from devchain.evm.rootstock.precompiles.bridge.federation import parse_key
from devchain.evm.rootstock.precompiles.bridge.methods import local, peg_of, reading, writing
from devchain.evm.rootstock.precompiles.bridge.migration import (
    migrate,
    sign_spend,
    state_for_validation,
    update_validation,
)
from devchain.evm.rootstock.precompiles.bridge.release_builder import (
    Release,
    ReleaseBuilder,
    ReleaseFailed,
    ReleaseFailure,
)
from devchain.evm.rootstock.precompiles.bridge.release_inputs import Signature, has_all_signatures
from devchain.evm.rootstock.precompiles.bridge.settings import fee_per_kilobyte
from devchain.evm.rootstock.precompiles.native_contract import (
    Call,
    PrecompileFailed,
    PrecompileUnsupported,
)
from devchain.types import Address

RELEASE_GAS = 23_000

# Why a request is rejected.
LOW_AMOUNT = 1
CALLER_CONTRACT = 2
FEE_ABOVE_VALUE = 3

QUEUE = storage.slot_of("releaseRequestQueue")
QUEUE_WITH_HASHES = storage.slot_of("releaseRequestQueueWithTxHash")  # since Papyrus (RSKIP146)
NEXT_HEIGHT = storage.slot_of("nextPegoutHeight")  # since Hop (RSKIP271)

MOST_AT_ONCE = 30  # requests before Hop, each with a transaction of its own
BURN = Address(b"\xff" * 20)

# The receiver of a peg-out that is only simulated.
SIMULATED_RECEIVER = hash160(
    bytes.fromhex("0329f519f8d13a7e3dd35fa5c2480c6bf6c0489da40081e8311a91813492083953")
)
SIMULATED_VALUE = 10**8  # satoshis, before Vetiver (RSKIP540)


class Request(NamedTuple):
    """Satoshis to be paid to the hash of a key, and the hash of the transaction that asked."""

    key_hash: bytes
    value: int
    rsk_hash: bytes | None = None

    @property
    def output(self) -> TxOutput:
        return TxOutput(self.value, pay_to_key(self.key_hash))


# Requests


def _release(call: Call) -> None:
    if call.is_from_contract:
        if not call.since("iris"):
            raise PrecompileFailed("a contract cannot request a peg-out: it has no bitcoin address")
        _log_rejection(call, CALLER_CONTRACT)
        return
    reason = _reason_to_reject(call)
    if reason is None:
        _queue_request(call)
    elif call.since("iris"):
        rest = 0 if call.since("lovell") else call.value % methods.WEI_PER_SATOSHI
        methods.send(call, call.sender, call.value - rest)
        _log_rejection(call, reason)


def minimum(call: Call) -> int:
    """The least satoshis of a peg-out."""
    least = peg_of(call).minimum_pegout
    return max(least, _fee_with_margin(call)) if call.since("iris") else 2 * least + 1


def _fee_with_margin(call: Call) -> int:
    fee = _fee_of(call, outputs=2)
    return fee + fee * peg_of(call).pegout_margin // 100


def _reason_to_reject(call: Call) -> int | None:
    if _satoshis(call.value) >= minimum(call):
        return None
    is_for_fee = call.since("iris") and _fee_with_margin(call) >= peg_of(call).minimum_pegout
    return FEE_ABOVE_VALUE if is_for_fee else LOW_AMOUNT


def _logged_amount(call: Call) -> int:
    return call.value if call.since("lovell") else _satoshis(call.value)


def _satoshis(wei: int) -> int:
    # A Java `long`, which overflows.
    return (wei // methods.WEI_PER_SATOSHI + 2**63) % 2**64 - 2**63


def _log_rejection(call: Call, reason: int) -> None:
    methods.PEGOUT_REJECTED.emit(call, call.sender, _logged_amount(call), reason)


def _queue_request(call: Call) -> None:
    key_hash = _hash_of_key(call)
    if key_hash is None:
        return
    satoshis = _satoshis(call.value)
    rsk_hash = releases.transaction_hash(call) if call.since("papyrus") else None
    _store_queue(call, [*load_queue(call), Request(key_hash, satoshis, rsk_hash)])
    if call.since("fingerroot"):
        to = base58check(bytes([peg_of(call).key_version]) + key_hash)
        methods.PEGOUT_RECEIVED.emit(call, call.sender, to, _logged_amount(call))
    elif call.since("iris"):
        event = methods.PEGOUT_RECEIVED_BEFORE_FINGERROOT
        event.emit(call, call.sender, key_hash, satoshis)


def _hash_of_key(call: Call) -> bytes | None:
    # Raises `PrecompileUnsupported` if the sender is impersonated: its key is not known.
    transaction = call.transaction
    if call.is_local:
        return None
    try:
        parts = (transaction.y_parity, transaction.r, transaction.s)
        signature = RecoverableSignature(vrs=parts)
        key = signature.recover_public_key_from_msg(transaction.get_message_for_signing())
    except (BadSignature, ValidationError) as error:
        raise PrecompileFailed("the transaction has no valid signature") from error
    if key.to_canonical_address() != call.sender:
        raise PrecompileUnsupported(
            "a peg-out goes to the bitcoin address of the sender's key,"
            " which an impersonated account does not have"
        )
    return hash160(key.to_compressed_bytes())


# The queue


def load_queue(call: Call) -> list[Request]:
    """The requests that wait for a Bitcoin transaction."""
    return [Request(*entry) for entry in storage.load_with_hashes(call, QUEUE, QUEUE_WITH_HASHES)]


def _store_queue(call: Call, requests: Sequence[Request]) -> None:
    storage.store_with_hashes(call, QUEUE, QUEUE_WITH_HASHES, requests)


def next_height(call: Call) -> int:
    """The Rootstock block from which on they get one, since Hop (RSKIP271)."""
    return (storage.load_number(call, NEXT_HEIGHT) or 0) % 2**63


# Fees


def _fee_of(call: Call, *, outputs: int) -> int:
    size = releases.estimated_size(call, federation.active(call), 2, outputs)
    return fee_per_kilobyte(call) * size // 1000


def _next_fee(call: Call) -> int:
    if call.since("reed"):
        value = peg_of(call).minimum_pegout if call.since("vetiver") else SIMULATED_VALUE
        try:
            return _simulated_fee(call, value)
        except ReleaseFailed:  # then the fee is estimated, as before Reed (RSKIP305)
            pass
    return _fee_of(call, outputs=2 + len(load_queue(call)))


def _fee_for_amount(call: Call, wei: int) -> int:
    value, least = _satoshis(wei), peg_of(call).minimum_pegout
    if value < least:
        raise PrecompileFailed(f"a peg-out has at least {least} satoshis, not {value}")
    try:
        return _simulated_fee(call, value)
    except ReleaseFailed as error:
        raise PrecompileFailed(f"the peg-out cannot be simulated: {error}") from error


def _simulated_fee(call: Call, value: int) -> int:
    requests = [*load_queue(call), Request(SIMULATED_RECEIVER, value)]
    return releases.active_builder(call).pay([request.output for request in requests]).fee


# Work of the federation


def _update(call: Call) -> None:
    federation.require_federator(call)
    if call.since("papyrus"):
        methods.COLLECTIONS_UPDATED.emit(call, call.sender)
    else:
        releases.emit_before_papyrus(call, "update_collections_topic", call.sender)
    migrate(call)
    builder, requests = releases.active_builder(call), load_queue(call)
    pay = _pay_together if call.since("fingerroot") else _pay_singly
    _store_queue(call, pay(call, builder, requests))
    utxos.store_utxos(call, utxos.active_slot(call), builder.utxos)
    _process_confirmed(call)
    federation.update_creation_blocks(call)
    update_validation(call)


def _pay_singly(call: Call, builder: ReleaseBuilder, requests: list[Request]) -> list[Request]:
    # Returns the requests that are left: what cannot be paid goes to the end of the queue.
    again = []
    for request in requests[:MOST_AT_ONCE]:
        try:
            release = builder.pay([request.output])
        except ReleaseFailed:
            again.append(request)
            continue
        releases.record_release(call, builder.utxos, release, request.value, request.rsk_hash)
        _burn_raised_change(call, builder, release, request.value)
    return requests[MOST_AT_ONCE:] + again


def _pay_together(call: Call, builder: ReleaseBuilder, requests: list[Request]) -> list[Request]:
    # Returns the requests that are left.
    next_block, block_number = next_height(call), call.state.block_number
    storage.store_number(call, NEXT_HEIGHT, next_block)
    if block_number < next_block:
        return requests
    value = sum(request.value for request in requests)
    if value >= 2**63:
        raise PrecompileFailed("the requests are for more than a Java long can hold")
    if builder.balance < value:
        return requests
    if requests:
        paid = list(requests)
        release = _build_largest(builder, paid)
        if release is None:
            return requests
        if call.since("next"):  # RSKIP378; before, the value counts what is left, too
            value = sum(request.value for request in paid)
        releases.record_release(
            call, builder.utxos, release, value, releases.transaction_hash(call)
        )
        gone = set(paid)
        requests = [request for request in requests if request not in gone]
        hashes = [request.rsk_hash for request in paid]
        if None in hashes:
            raise PrecompileFailed("a request from before Papyrus has no hash that can be logged")
        joined = b"".join(filter(None, hashes))
        methods.BATCH_CREATED.emit(call, release.transaction.txid, joined)
        _burn_raised_change(call, builder, release, value)
    if not requests:
        storage.store_number(call, NEXT_HEIGHT, block_number + peg_of(call).pegout_interval)
    return requests


def _build_largest(builder: ReleaseBuilder, requests: list[Request]) -> Release | None:
    # Leaves as many requests in the list as fit into a transaction: all, the first half, and so on.
    while True:
        try:
            return builder.pay([request.output for request in requests])
        except ReleaseFailed as error:
            is_too_large = error.reason is ReleaseFailure.EXCEED_MAX_TRANSACTION_SIZE
            if not is_too_large or len(requests) == 1:
                return None
            del requests[len(requests) // 2 :]


def _burn_raised_change(call: Call, builder: ReleaseBuilder, release: Release, value: int) -> None:
    # Change that would be dust is raised at the expense of the first receiver: then the federation
    # spends less than was asked for, and the Bridge burns the rest.
    outputs = release.transaction.outputs
    change = sum(output.value for output in outputs if output.script == builder.change)
    spent = sum(utxo.value for utxo in release.spent) - change
    if len(outputs) > 1 and spent < value:
        methods.send(call, BURN, (value - spent) * methods.WEI_PER_SATOSHI)


def _process_confirmed(call: Call) -> None:
    waiting, ready = releases.load_waiting(call), releases.load_for_signatures(call)
    least = peg_of(call).pegout_confirmations
    confirmed = next(
        (each for each in waiting if call.state.block_number - each.block_number >= least), None
    )
    if confirmed is not None:
        rsk_hash = _hash_for_signatures(call, confirmed)
        if call.since("fingerroot") and rsk_hash in ready:
            raise PrecompileFailed("a transaction of that hash waits for signatures already")
        ready[rsk_hash] = confirmed.transaction
        waiting.remove(confirmed)
        if call.since("fingerroot"):
            txid = confirmed.transaction.txid
            methods.PEGOUT_CONFIRMED.emit(call, txid, confirmed.block_number)
    releases.store_waiting(call, waiting)
    releases.store_for_signatures(call, ready)


def _hash_for_signatures(call: Call, confirmed: releases.Waiting) -> bytes:
    if call.since("fingerroot"):  # RSKIP375
        if confirmed.rsk_hash is None:
            raise PrecompileFailed("a transaction from before Papyrus has no hash")
        return confirmed.rsk_hash
    if call.since("papyrus") and not call.since("iris"):
        return confirmed.rsk_hash or releases.transaction_hash(call)
    return releases.transaction_hash(call)


def _sign(call: Call, raw_key: bytes, raw_signatures: Sequence[bytes], rsk_hash: bytes) -> None:
    federation.require_federator(call, federation.proposed(call))
    key = parse_key(bytes(raw_key)).format()
    signatures = [Signature.parse(bytes(signature)) for signature in raw_signatures]
    if not signatures:
        raise PrecompileFailed("signatures are missing")
    if len(rsk_hash) != HASH:
        raise PrecompileFailed(f"the hash of a transaction has {HASH} bytes, not {len(rsk_hash)}")
    if sign_spend(call, key, signatures, rsk_hash):
        return
    ready = releases.load_for_signatures(call)
    transaction = ready.get(rsk_hash)
    if transaction is None or len(transaction.inputs) != len(signatures):
        return
    members = [
        member for each in federation.live(call) for member in each.members if member.btc == key
    ]
    if not members:
        return
    if not call.since("fingerroot"):
        releases.log_signature(call, members[0], rsk_hash, transaction)
    ready[rsk_hash] = releases.add_signatures(call, members[0], signatures, rsk_hash, transaction)
    if has_all_signatures(ready[rsk_hash]):
        releases.log_released(call, rsk_hash, ready.pop(rsk_hash))
    releases.store_for_signatures(call, ready)


# States


def _state_for_signers(call: Call) -> bytes:
    return bytes(rlp.encode([releases.items_for_signatures(releases.load_for_signatures(call))]))


def _debugging_state(call: Call) -> bytes:
    with_hashes = call.since("papyrus")
    parts = [
        [utxo.serialize() for utxo in utxos.load_utxos(call, utxos.new_slot(call))],
        releases.items_for_signatures(releases.load_for_signatures(call)),
        storage.items_of(load_queue(call), with_hashes=with_hashes),
        storage.items_of(releases.entries_of(releases.load_waiting(call)), with_hashes=with_hashes),
        storage.number_bytes(next_height(call)),
    ]
    height = BlockStore(call).head.height
    return bytes(rlp.encode([storage.number_bytes(height), *map(rlp.encode, parts)]))


METHODS = (
    writing("releaseBtc()", RELEASE_GAS, _release),
    local("getStateForBtcReleaseClient() -> bytes", 4_000, _state_for_signers),
    local("getStateForSvpClient() -> bytes", 4_000, state_for_validation, "lovell"),
    local("getStateForDebugging() -> bytes", 3_000_000, _debugging_state),
    reading("getNextPegoutCreationBlockNumber() -> uint256", 3_000, next_height, "fingerroot"),
    reading("getQueuedPegoutsCount() -> uint256", 3_000, lambda call: len(load_queue(call)),
            "fingerroot"),
    reading("getEstimatedFeesForNextPegOutEvent() -> uint256", 10_000, _next_fee, "fingerroot"),
    reading("getEstimatedFeesForPegOutAmount(uint256) -> uint256", 10_000, _fee_for_amount,
            "vetiver"),
    writing("addSignature(bytes,bytes[],bytes)", 70_000, _sign),
    writing("updateCollections()", 48_000, _update),
)  # fmt: skip
