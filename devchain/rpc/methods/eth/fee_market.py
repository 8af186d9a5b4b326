"""`eth_` methods about what gas costs.

Rootstock has no base fee, and its blocks show none: that is what clients go by, so that they send
legacy transactions. The methods of EIP-1559 answer all the same, since some clients (alloy, and
`cast` with it) take an error for a broken node rather than for a chain without a fee market.
"""

from __future__ import annotations

from devchain.chain.fees import fee_history as fees_of
from devchain.errors import BlockNotFound
from devchain.node import Node
from devchain.rpc.decoders import Loose, Percentile
from devchain.rpc.method import rpc
from devchain.rpc.objects import JsonObject
from devchain.types import BlockRef, Tag


@rpc("eth_gasPrice", hosted=True)
def gas_price(node: Node) -> int:
    """A gas price that will be accepted, in wei: the minimum gas price and a tenth, rounded up.

    Under Ethereum's rules it is the next block's base fee and one gwei.
    """
    return node.gas_price()


@rpc("eth_maxPriorityFeePerGas")
def max_priority_fee_per_gas(node: Node) -> int:
    """What to offer the miner per gas on top of the base fee, in wei: one gwei.

    On Rootstock, where nothing is below it, that is the whole gas price.
    """
    return node.chain.rules.suggested_priority_fee(node.chain.lowest_gas_price())


@rpc("eth_feeHistory", raises=(BlockNotFound,))
def fee_history(
    node: Node,
    count: Loose,
    newest: BlockRef = Tag.LATEST,
    percentiles: list[Percentile] | None = None,
) -> JsonObject:
    """Base fees, how full blocks were, and with percentiles what was paid on top, oldest first.

    `baseFeePerGas` has one more than the blocks asked for (1024 at most): the next block's. On
    Rootstock base fees are 0, and `reward` has whole gas prices.
    """
    history = fees_of(node.chain, node.chain.block(newest), count, percentiles or ())
    shown: JsonObject = {
        "oldestBlock": history.oldest,
        "baseFeePerGas": list(history.base_fees),
        "gasUsedRatio": list(history.used),
    }
    return {**shown, "reward": [list(each) for each in history.rewards]} if percentiles else shown


@rpc("eth_baseFee")
def base_fee(node: Node) -> int:
    """The next block's base fee, in wei; 0 where blocks have none."""
    rules = node.chain.rules
    return 0 if rules.has_minimum_gas_price else node.chain.lowest_gas_price()


@rpc("eth_blobBaseFee")
def blob_base_fee(node: Node) -> int:
    """What a unit of blob gas costs, in wei: 1, the least there is, for nobody uses any here."""
    return 1
