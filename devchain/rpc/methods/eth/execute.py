"""`eth_` methods that run code without a transaction."""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.method import rpc
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
