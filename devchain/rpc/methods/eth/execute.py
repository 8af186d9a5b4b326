"""`eth_` methods that run code without a transaction."""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.objects import JsonObject
from devchain.types import BlockOverride, BlockRef, StateOverrides, Tag, TransactionRequest


@rpc("eth_call", hosted=True)
def call(
    node: Node,
    request: TransactionRequest,
    block: BlockRef = Tag.LATEST,
    overrides: StateOverrides | None = None,
    block_overrides: BlockOverride | None = None,
) -> bytes:
    """What a call returns, run on the state a block left; nothing of it stays.

    The block may be made to look different: `number`, `time`, `gasLimit`, `feeRecipient` (or
    `coinbase`), `prevRandao` (or `random`), `baseFeePerGas` (or `baseFee`; Rootstock's minimum gas
    price), `difficulty`, and `blockHash`, an object of numbers and hashes. Without a gas price the
    base fee is 0.

    Balance, nonce and fee are not checked unless `gasPrice` is given. Gas defaults to, and is
    capped at, `--call-gas-cap`. Error -32015 when it reverts (`data` is the payload) or fails.
    The specification requires the block; it defaults to the latest here.
    """
    return node.call(request, block, overrides, block_overrides)


@rpc("eth_estimateGas", hosted=True)
def estimate_gas(
    node: Node,
    request: TransactionRequest,
    block: BlockRef = Tag.PENDING,
    overrides: StateOverrides | None = None,
    block_overrides: BlockOverride | None = None,
) -> int:
    """The least gas limit with which the transaction would succeed; one less would not do.

    Without a block it runs in the block that would be mined next. Error -32000 when the sender
    cannot pay or no gas limit is enough, -32015 when it reverts or fails.
    """
    return node.estimate(request, block, overrides, block_overrides)


@rpc("eth_createAccessList")
def create_access_list(
    node: Node,
    request: TransactionRequest,
    block: BlockRef = Tag.LATEST,
    overrides: StateOverrides | None = None,
) -> JsonObject:
    """The access list (EIP-2930) that a call makes use of, and the gas it uses with it.

    Sender, receiver, coinbase and precompiled contracts are listed for their slots alone. A call
    that fails answers `error` beside its list. Rootstock's rules have no transaction to put such a
    list in, and no gas to save with it.
    """
    access = node.access_list(request, block, overrides)
    shown: JsonObject = {
        "accessList": [
            {"address": address, "storageKeys": [slot.to_bytes(32, "big") for slot in slots]}
            for address, slots in access.listed
        ],
        "gasUsed": access.gas_used,
    }
    return {**shown, "error": access.error} if access.error else shown
