"""`eth_feeHistory`: base fees, how full blocks were, and priority fees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

from devchain.chain.block import Block
from devchain.chain.chain import Chain
from devchain.types import ZERO_ADDRESS

MAX_BLOCKS = 1_024


@dataclass(frozen=True, slots=True)
class FeeHistory:
    """Fees by block, oldest first; amounts in wei per gas.

    `base_fees` has one more than there are blocks: that of the block after them. `rewards` are
    the priority fees, by block and percentile of its gas.
    """

    oldest: int
    base_fees: tuple[int, ...]
    used: tuple[float, ...]
    rewards: tuple[tuple[int, ...], ...]


def fee_history(
    chain: Chain, newest: Block, count: int, percentiles: Sequence[float]
) -> FeeHistory:
    first = max(newest.number - min(count, MAX_BLOCKS) + 1, 0)
    blocks = [*chain.blocks_between(first, newest.number - 1), newest]
    base_fees = [chain.rules.base_fee(block.header) for block in blocks]
    mined = chain.find_block(newest.number + 1)
    following = (
        mined.header if mined else chain.next_header(newest, newest.timestamp + 1, ZERO_ADDRESS)
    )
    return FeeHistory(
        oldest=first,
        base_fees=(*base_fees, chain.rules.base_fee(following)),
        used=tuple(block.gas_used / block.gas_limit for block in blocks),
        rewards=tuple(map(_rewards, blocks, base_fees, repeat(percentiles))),
    )


def _rewards(block: Block, base_fee: int, percentiles: Sequence[float]) -> tuple[int, ...]:
    if not percentiles:
        return ()  # without the receipts, which may have to be asked for
    tips = sorted((receipt.gas_price - base_fee, receipt.gas_used) for receipt in block.receipts)
    return tuple(_tip_at(tips, block.gas_used * percentile / 100) for percentile in percentiles)


def _tip_at(tips: Sequence[tuple[int, int]], threshold: float) -> int:
    used = 0
    for tip, gas in tips:
        used += gas
        if used >= threshold:
            return tip
    return tips[-1][0] if tips else 0
