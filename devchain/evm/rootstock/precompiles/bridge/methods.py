"""Declaring methods and logs of the Bridge, and what several methods ask about a call."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from devchain.errors import UpstreamCallFailed
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS, is_changed
from devchain.evm.rootstock.precompiles.native_contract import (
    Call,
    Event,
    Method,
    PrecompileFailed,
    PrecompileUnsupported,
)
from devchain.evm.rootstock.precompiles.powpeg import Powpeg, powpeg_of
from devchain.networks import DEFAULT_FEDERATORS
from devchain.types import Address

if TYPE_CHECKING:
    from devchain.state.upstream_state import UpstreamState  # which imports the upstream's client

WEI_PER_SATOSHI = 10**10
MISSING = -1  # the answer about what the bridge does not have
UNAUTHORIZED = -10  # the answer to a vote of an account that has none


reading = Method  # a method that changes nothing
local = partial(Method, local_only=True)  # one that reads and answers `eth_call` only
writing = partial(Method, accepts_static=False)  # one that may change the Bridge


def peg_of(call: Call) -> Powpeg:
    """The powpeg of the network, as of its genesis block."""
    context = call.state.execution_context
    view = getattr(context, "view", None)
    return powpeg_of(context.chain_id, view.federators if view else DEFAULT_FEDERATORS)


def answer_of_upstream(call: Call, method: Method) -> bytes | None:
    """The output of a method that reads, of the Bridge of the chain that was forked.

    None where the method is to be executed here: if it writes, or if the Bridge has changed. Raises
    `PrecompileFailed`.
    """
    upstream = call.upstream if method.accepts_static else None
    if upstream is None or is_changed(call.state):
        return None
    return call_upstream(upstream, method.name, call.payload)


def call_upstream(upstream: UpstreamState, name: str, payload: bytes) -> bytes:
    """The output of the upstream's Bridge; raises `PrecompileFailed` if it rejects the call."""
    try:
        output = upstream.call(ADDRESS, payload)
    except UpstreamCallFailed as error:
        raise PrecompileFailed(f"Bridge.{name} of the forked chain: {error}") from error
    if not output:  # which is how rskj answers a call that fails without a revert
        raise PrecompileFailed(f"Bridge.{name} of the forked chain rejects the call")
    return output


def send(call: Call, receiver: Address, amount: int) -> None:
    if call.state.get_balance(ADDRESS) < amount:
        # The real node's has 21,000,000 RBTC from the start.
        raise PrecompileUnsupported(f"the Bridge has less than {amount} wei")
    computation: Any = call.computation  # a RootstockComputation, whose module imports this one
    computation.note_payment(receiver, amount)
    call.state.delta_balance(ADDRESS, -amount)
    call.state.delta_balance(receiver, amount)


# Logs

_event = partial(Event, ADDRESS)

PEGGED_IN = _event("pegin_btc(address indexed receiver,bytes32 indexed btcTxHash,int256 amount,"
                   "int256 protocolVersion)")  # fmt: skip
PEGGED_IN_BEFORE_IRIS = _event("lock_btc(address indexed receiver,bytes32 btcTxHash,"
                               "string senderBtcAddress,int256 amount)")  # fmt: skip
PEG_IN_REJECTED = _event("rejected_pegin(bytes32 indexed btcTxHash,int256 reason)")
PEG_IN_UNREFUNDABLE = _event("unrefundable_pegin(bytes32 indexed btcTxHash,int256 reason)")
PEGOUT_REJECTED = _event("release_request_rejected(address indexed sender,uint256 amount,"
                         "int256 reason)")  # fmt: skip
PEGOUT_RECEIVED = _event("release_request_received(address indexed sender,"
                         "string btcDestinationAddress,uint256 amount)")  # fmt: skip
PEGOUT_RECEIVED_BEFORE_FINGERROOT = _event("release_request_received(address indexed sender,"
                                           "bytes btcDestinationAddress,"
                                           "uint256 amount)")  # fmt: skip
COLLECTIONS_UPDATED = _event("update_collections(address sender)")
RELEASE_REQUESTED = _event("release_requested(bytes32 indexed rskTxHash,bytes32 indexed btcTxHash,"
                           "uint256 amount)")  # fmt: skip
BATCH_CREATED = _event("batch_pegout_created(bytes32 indexed btcTxHash,bytes releaseRskTxHashes)")
TRANSACTION_CREATED = _event("pegout_transaction_created(bytes32 indexed btcTxHash,"
                             "bytes utxoOutpointValues)")  # fmt: skip
PEGOUT_CONFIRMED = _event("pegout_confirmed(bytes32 indexed btcTxHash,"
                          "uint256 pegoutCreationRskBlockNumber)")  # fmt: skip
SIGNATURE_ADDED = _event("add_signature(bytes32 indexed releaseRskTxHash,"
                         "address indexed federatorRskAddress,"
                         "bytes federatorBtcPublicKey)")  # fmt: skip
RELEASED = _event("release_btc(bytes32 indexed releaseRskTxHash,bytes btcRawTransaction)")
COMMITTED = _event("commit_federation(bytes oldFederationBtcPublicKeys,"
                   "string oldFederationBtcAddress,bytes newFederationBtcPublicKeys,"
                   "string newFederationBtcAddress,int256 activationHeight)")  # fmt: skip
COMMIT_FAILED = _event("commit_federation_failed(bytes proposedFederationRedeemScript,"
                       "int256 blockNumber)")  # fmt: skip
UNION_CAP_INCREASED = _event("union_bridge_locking_cap_increased(address indexed caller,"
                             "uint256 previousLockingCap,uint256 newLockingCap)")  # fmt: skip
UNION_RBTC_REQUESTED = _event("union_rbtc_requested(address indexed requester,uint256 amount)")
UNION_RBTC_RELEASED = _event("union_rbtc_released(address indexed receiver,uint256 amount)")
UNION_PERMISSIONS_UPDATED = _event("union_bridge_transfer_permissions_updated("
                                   "address indexed caller,bool enablePowPegToUnionBridge,"
                                   "bool enableUnionBridgeToPowPeg)")  # fmt: skip

EVENTS = tuple(value for value in tuple(globals().values()) if isinstance(value, Event))
