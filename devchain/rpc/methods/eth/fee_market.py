"""`eth_` methods about gas prices and fees.

Rootstock has no base fee and its blocks have no such field; clients conclude from that that they
must send legacy transactions. The methods of EIP-1559 are available nevertheless, because some
clients (alloy, and `cast` with it) take an error for a broken node.
"""

from __future__ import annotations

from devchain.chain.fee_history import fee_history as fees_of
from devchain.errors import BlockNotFound
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject
from devchain.rpc.scalar_decoders import Loose, Percentile
from devchain.types import BlockRef, Tag


@rpc("eth_gasPrice", hosted=True)
def gas_price(node: Node) -> int:
    """A gas price that will be accepted, in wei: the minimum gas price plus 10 %, rounded up.

    Under Ethereum's rules it is the base fee of the next block plus 1 gwei.
    """
    return node.gas_price()


@rpc("eth_maxPriorityFeePerGas")
def max_priority_fee_per_gas(node: Node) -> int:
    """A priority fee per gas that will be accepted, in wei: 1 gwei.

    On Rootstock, which has no base fee, it is the whole gas price.
    """
    return node.chain.rules.suggested_priority_fee(node.chain.lowest_gas_price())


@rpc("eth_feeHistory", raises=(BlockNotFound,))
def fee_history(
    node: Node,
    count: Loose,
    newest: BlockRef = Tag.LATEST,
    percentiles: list[Percentile] | None = None,
) -> JsonObject:
    """Base fees and gas used ratios of blocks, oldest first; with percentiles also priority fees.

    `baseFeePerGas` has one entry more than there are blocks (1024 at most), that of the next block.
    On Rootstock base fees are 0, and `reward` has whole gas prices.
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
    """The base fee of the next block, in wei; 0 if blocks have none."""
    rules = node.chain.rules
    return 0 if rules.has_minimum_gas_price else node.chain.lowest_gas_price()


@rpc("eth_blobBaseFee")
def blob_base_fee(node: Node) -> int:
    """The base fee per blob gas, in wei: 1, the minimum, as no transaction uses blobs here."""
    return 1
