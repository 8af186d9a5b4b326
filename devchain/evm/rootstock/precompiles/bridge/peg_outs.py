"""Methods of the Bridge about peg-outs: RBTC to be paid in bitcoins.

`releaseBtc`, the method of plain transfers, puts requests in a queue or rejects them. The
federation, which would pay the queue, does not run here: requests stay.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import rlp
from eth_keys.datatypes import Signature
from eth_keys.exceptions import BadSignature
from eth_utils.exceptions import ValidationError

from devchain.evm.rootstock.precompiles.bitcoin import base58check, hash160
from devchain.evm.rootstock.precompiles.bridge import methods
from devchain.evm.rootstock.precompiles.bridge.federation import require_federator
from devchain.evm.rootstock.precompiles.bridge.methods import (
    local,
    peg_of,
    reading,
    send,
    unsupported,
    writing,
)
from devchain.evm.rootstock.precompiles.bridge.settings import fee_per_kilobyte
from devchain.evm.rootstock.precompiles.bridge.storage import (
    ADDRESS,
    load_items,
    number_bytes,
    slot_of,
    store_rlp,
)
from devchain.evm.rootstock.precompiles.native_contract import (
    Call,
    Method,
    PrecompileFailed,
    PrecompileUnsupported,
)

RELEASE_GAS = 23_000
WEI_PER_SATOSHI = 10**10

# Why a request is rejected.
LOW_AMOUNT = 1
CALLER_CONTRACT = 2
FEE_ABOVE_VALUE = 3

# RLP of an empty list in a list, and of the empty parts of the debugging state.
EMPTY_STATE = rlp.encode([[]])
EMPTY_LIST = rlp.encode([])
EMPTY_NUMBER = rlp.encode(0)


class _Queue(NamedTuple):
    """A list of requests in the Bridge's storage, with that many items for each request."""

    slot: int
    width: int


QUEUE = _Queue(slot_of("releaseRequestQueue"), 2)  # before Papyrus: hash of the key, satoshis
QUEUE_WITH_HASHES = _Queue(slot_of("releaseRequestQueueWithTxHash"), 3)  # since Papyrus (RSKIP146)


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
        _refund(call)
        _log_rejection(call, reason)


def _reason_to_reject(call: Call) -> int | None:
    peg, amount = peg_of(call), call.value // WEI_PER_SATOSHI
    if not call.since("iris"):
        return LOW_AMOUNT if amount <= peg.minimum_pegout_before_iris else None
    size = peg.pegout_size() if call.since("fingerroot") else peg.pegout_size_before_hop
    fee = fee_per_kilobyte(call) * size // 1000
    for_fee = fee + fee * peg.pegout_margin // 100
    if amount >= max(peg.minimum_pegout, for_fee):
        return None
    return FEE_ABOVE_VALUE if for_fee >= peg.minimum_pegout else LOW_AMOUNT


def _refund(call: Call) -> None:
    is_exact = call.since("lovell")
    value = call.value if is_exact else call.value - call.value % WEI_PER_SATOSHI
    send(call, call.sender, value)


def _logged_amount(call: Call) -> int:
    return call.value if call.since("lovell") else call.value // WEI_PER_SATOSHI


def _log_rejection(call: Call, reason: int) -> None:
    methods.PEGOUT_REJECTED.emit(call, ADDRESS, call.sender, _logged_amount(call), reason)


def _queue_request(call: Call) -> None:
    key_hash = _hash_of_key(call)
    if key_hash is None:
        return
    satoshis = call.value // WEI_PER_SATOSHI
    request = [key_hash, number_bytes(satoshis)]
    queue = QUEUE_WITH_HASHES if call.since("papyrus") else QUEUE
    hashes = [call.transaction.hash] if queue is QUEUE_WITH_HASHES else []
    store_rlp(call, queue.slot, [*_load(call, queue), *request, *hashes])
    if call.since("fingerroot"):
        to = base58check(bytes([peg_of(call).key_version]) + key_hash)
        methods.PEGOUT_RECEIVED.emit(call, ADDRESS, call.sender, to, _logged_amount(call))
    elif call.since("iris"):
        event = methods.PEGOUT_RECEIVED_BEFORE_FINGERROOT
        event.emit(call, ADDRESS, call.sender, key_hash, satoshis)


def _hash_of_key(call: Call) -> bytes | None:
    # Raises `PrecompileUnsupported` if the sender is impersonated: its key is not known.
    transaction = call.transaction
    if call.is_local:
        return None
    is_odd = transaction.v - 27 if transaction.v < 35 else 1 - transaction.v % 2
    try:
        signature = Signature(vrs=(is_odd, transaction.r, transaction.s))
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


def _queued(call: Call) -> int:
    queues = (QUEUE, QUEUE_WITH_HASHES)
    return sum(len(_load(call, queue)) // queue.width for queue in queues)


def _load(call: Call, queue: _Queue) -> list[Any]:
    return [item for request in load_items(call, queue.slot, queue.width)[0] for item in request]


def _next_fee(call: Call) -> int:
    # The real node simulates the transaction since Reed (RSKIP305); without UTXOs it falls back to
    # this estimate.
    return fee_per_kilobyte(call) * peg_of(call).pegout_size(2 + _queued(call)) // 1000


def _fee_for_amount(*_: Any) -> int:
    raise PrecompileFailed("the federation has no bitcoins with which a peg-out can be simulated")


def _debugging_state(call: Call) -> bytes:
    queue = QUEUE_WITH_HASHES if call.since("papyrus") else QUEUE
    requests = rlp.encode(_load(call, queue))
    parts = [EMPTY_LIST, EMPTY_LIST, requests, EMPTY_LIST, EMPTY_NUMBER]
    return bytes(rlp.encode([peg_of(call).height, *parts]))


# Work of the federation


def _by_federators(declaration: str, gas: int, what: str) -> Method:
    def answer(call: Call, *_: Any) -> None:
        require_federator(call)
        raise unsupported(declaration.partition("(")[0], what)

    return writing(declaration, gas, answer)


METHODS = (
    writing("releaseBtc()", RELEASE_GAS, _release),
    local("getStateForBtcReleaseClient() -> bytes", 4_000, EMPTY_STATE),
    local("getStateForSvpClient() -> bytes", 4_000, EMPTY_STATE, "lovell"),
    local("getStateForDebugging() -> bytes", 3_000_000, _debugging_state),
    reading("getNextPegoutCreationBlockNumber() -> uint256", 3_000, 0, "fingerroot"),
    reading("getQueuedPegoutsCount() -> uint256", 3_000, _queued, "fingerroot"),
    reading("getEstimatedFeesForNextPegOutEvent() -> uint256", 10_000, _next_fee, "fingerroot"),
    reading(
        "getEstimatedFeesForPegOutAmount(uint256) -> uint256", 10_000, _fee_for_amount, "vetiver"
    ),
    _by_federators("addSignature(bytes,bytes[],bytes)", 70_000, "sign peg-outs"),
    _by_federators("updateCollections()", 48_000, "create peg-outs or migrate funds"),
)
