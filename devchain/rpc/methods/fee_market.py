"""`eth_` methods about gas prices and fees.

Rootstock has no base fee. The methods of EIP-1559 are available nevertheless, because some clients
(alloy, and `cast` with it) take an error for a broken node.
"""

from __future__ import annotations

from itertools import pairwise

from devchain.chain.fee_history import fee_history as fees_of
from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject
from devchain.rpc.scalar_decoders import Loose, Percentile
from devchain.types import BlockRef, Tag

MAX_PERCENTILES = 100


@rpc("eth_gasPrice", hosted=True)
def gas_price(node: Node) -> int:
    """A gas price that the node accepts, in wei: the minimum gas price plus 10 %.

    Under Ethereum's rules it is the base fee of the next block plus 1 gwei.
    """
    return node.gas_price()


@rpc("eth_maxPriorityFeePerGas")
def max_priority_fee_per_gas(node: Node) -> int:
    """A priority fee per gas that the node accepts, in wei: 1 gwei.

    On Rootstock, which has no base fee, it is the whole gas price.
    """
    chain = node.chain
    return chain.rules.suggested_priority_fee(chain.lowest_gas_price(), chain.priority_fee)


@rpc("eth_feeHistory", slow=True)
def fee_history(
    node: Node,
    count: Loose,
    newest: BlockRef = Tag.LATEST,
    percentiles: list[Percentile] | None = None,
) -> JsonObject:
    """Base fees and gas used ratios of up to 1024 blocks, oldest first.

    `baseFeePerGas` has one more entry, for the next block. `percentiles` add priority fees as
    `reward`. On Rootstock base fees are 0, and `reward` has whole gas prices.
    """
    if count == 0:
        raise InvalidInput("count 0 is too small: ask for at least one block")
    percentiles = percentiles or []
    if len(percentiles) > MAX_PERCENTILES:
        raise InvalidInput(f"at most {MAX_PERCENTILES} percentiles, got {len(percentiles)}")
    for one, following in pairwise(percentiles):
        if following < one:
            raise InvalidInput(
                f"percentiles must be in ascending order: {following:g} follows {one:g}"
            )
    history = fees_of(node.chain, node.chain.block(newest), count, percentiles)
    shown: JsonObject = {
        "oldestBlock": history.oldest,
        "baseFeePerGas": list(history.base_fees),
        "gasUsedRatio": list(history.used),
    }
    if percentiles:
        shown["reward"] = [list(reward) for reward in history.rewards]
    return shown


@rpc("eth_baseFee")
def base_fee(node: Node) -> int:
    """The base fee of the next block, in wei. 0 on Rootstock."""
    chain = node.chain
    return 0 if chain.rules.has_minimum_gas_price else chain.lowest_gas_price()


@rpc("eth_blobBaseFee")
def blob_base_fee(node: Node) -> int:
    """The base fee per blob gas, in wei. Always 1: no transaction uses blobs here."""
    return 1
