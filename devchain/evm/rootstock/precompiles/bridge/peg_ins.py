"""Methods of the Bridge about peg-ins: bitcoins that become RBTC.

A peg-in needs confirmations in Bitcoin blocks that the bridge does not have here, so that every one
gets the answer that the real node gives to an unconfirmed one.
"""

from __future__ import annotations

from devchain.evm.rootstock.precompiles.bitcoin import PartialMerkleTree, double_sha256
from devchain.evm.rootstock.precompiles.bridge.federation import require_federator
from devchain.evm.rootstock.precompiles.bridge.methods import (
    local,
    peg_of,
    writing,
)
from devchain.evm.rootstock.precompiles.native_contract import Call, PrecompileFailed, int32
from devchain.types import Address

# Answers of registerFastBridgeBtcTransaction.
CALLER_NOT_CONTRACT = -300
SENDER_INVALID = -301
TRANSACTION_INVALID = -303
FAST_BRIDGE_ERROR = -900

ADDRESS_SIZE = 21  # version and hash of a Bitcoin address


def _register(call: Call, transaction: bytes, height: int, tree: bytes) -> None:
    # Register a Bitcoin transaction; open to everybody since Iris (RSKIP199).
    if not call.since("iris"):
        require_federator(call)
    _check_block(call, transaction, height, tree)


def _check_block(call: Call, transaction: bytes, height: int, tree: bytes) -> None:
    # Raises `PrecompileFailed` for a malformed proof, and for any other block: a block with enough
    # confirmations is older than those that the bridge has.
    peg, at = peg_of(call), int32(height)
    if at < 0 or peg.height - at + 1 < peg.confirmations_needed:
        return
    try:
        proven = PartialMerkleTree(tree).prove()[1]
    except ValueError as error:
        raise PrecompileFailed(f"the proof that a bitcoin block has it: {error}") from error
    if double_sha256(transaction)[::-1] in proven:
        raise PrecompileFailed(f"the bridge does not have the bitcoin block of height {at}")


def _register_fast(  # noqa: PLR0913, PLR0917  # as the method's ABI
    call: Call,
    transaction: bytes,
    height: int,
    tree: bytes,
    _derivation: bytes,
    refund_address: bytes,
    liquidity_bridge: Address,
    provider_address: bytes,
    *_: bool,
) -> int:
    if not all(_is_address(call, each) for each in (refund_address, provider_address)):
        return FAST_BRIDGE_ERROR
    if not call.is_from_contract:
        return CALLER_NOT_CONTRACT
    if call.sender != liquidity_bridge:
        return SENDER_INVALID
    try:
        _check_block(call, transaction, height, tree)
    except PrecompileFailed:
        return FAST_BRIDGE_ERROR
    return TRANSACTION_INVALID


def _is_address(call: Call, raw: bytes) -> bool:
    if len(raw) < ADDRESS_SIZE or (call.since("fingerroot") and len(raw) > ADDRESS_SIZE):
        return False
    # The version was a signed byte before Hop.
    is_readable = call.since("fingerroot") or raw[0] < 0x80
    return is_readable and peg_of(call).accepts_version(raw[0])


METHODS = (
    local(
        "getMinimumLockTxValue() -> int256",
        2_000,
        lambda call: 500_000 if call.since("iris") else 1_000_000,
    ),
    writing("registerBtcTransaction(bytes,int256,bytes)", 22_000, _register),
    writing(
        "registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)"
        " -> int256",
        25_000,
        _register_fast,
        "iris",
    ),
)
