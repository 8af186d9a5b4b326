"""Pages that act and measure: buttons for mining, time and snapshots; charts of blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from devchain.chain.block import Block
from devchain.chain.chain import Chain
from devchain.server.explorer.page import Page
from devchain.server.explorer.reader import Reader, bytes_of, hex_of
from devchain.text import moment, span
from devchain.types import Address

CHART_BLOCKS = 100
WIDTH, HEIGHT = 900, 110
MAX_SNAPSHOTS = 50
BALANCE_POINTS = 60


def control(reader: Reader) -> Page:
    """Forms that mine, move time, take and revert to snapshots, impersonate and reset."""
    node = reader.node
    taken = [(number, snapshot.chain.height) for number, snapshot in node.snapshots.all().items()]
    return Page(
        "control.html",
        "Control",
        {
            "automatic": node.miner.automatic,
            "clock": moment(reader.now),
            "head_time": moment(node.chain.head.timestamp),
            "snapshots": sorted(taken, reverse=True)[:MAX_SNAPSHOTS],
            "impersonated": [
                reader.account(account) for account in node.accounts.impersonated()[:50]
            ],
            "pending": len(node.mempool),
        },
        raw=[
            ("eth_getBlockByNumber", ["latest", False]),
            ("devchain_getTime", []),
            ("hardhat_getAutomine", []),
            ("txpool_status", []),
        ],
        section="control",
    )


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a chart: its place and size in the picture, what it shows, and its block."""

    x: float
    y: float
    width: float
    height: float
    text: str
    block: int


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of blocks, with the largest value as text for its axis."""

    title: str
    top: str
    first: int
    last: int
    bars: Sequence[Bar]


def charts(reader: Reader) -> Page:
    """Gas, block time and transactions of the newest blocks; an account's balance over them."""
    chain = reader.chain
    blocks = newest_blocks(chain)
    numbers = [block.number for block in blocks]
    before = chain.block(max(numbers[0] - 1, chain.first)).timestamp
    times = []
    for block in blocks:
        times.append(block.timestamp - before)
        before = block.timestamp
    gas = [block.gas_used for block in blocks]
    counts = [len(block.transactions) for block in blocks]
    shown = [
        chart("Gas used per block", numbers, gas, [f"{used:,} gas" for used in gas]),
        chart("Time since the block before", numbers, times, [span(seconds) for seconds in times]),
        chart("Transactions per block", numbers, counts, [f"{number:,}" for number in counts]),
    ]
    account = Address(bytes_of(reader.query.text("account")))
    if len(account) == 20:
        step = -(-len(numbers) // BALANCE_POINTS)
        picked = numbers[::step]
        balances = [chain.state_at(number).balance(account) for number in picked]
        words = [reader.amount(balance) for balance in balances]
        title = f"Balance of {reader.account(account).address}"
        shown.append(chart(title, picked, balances, words))
    return Page(
        "charts.html",
        "Charts",
        {
            "charts": shown,
            "size": (WIDTH, HEIGHT),
            "account": hex_of(account) if len(account) == 20 else "",
        },
        raw=[("eth_getBlockByNumber", [hex(number), False]) for number in numbers],
        section="charts",
    )


def newest_blocks(chain: Chain) -> list[Block]:
    """The blocks that a chart shows: without the genesis block, and of a fork its own."""
    first = max(chain.first + (chain.height > chain.first), chain.height - CHART_BLOCKS + 1)
    return list(chain.blocks_between(first, chain.height))


def chart(title: str, numbers: Sequence[int], values: Sequence[int], texts: Sequence[str]) -> Chart:
    """A chart of a value for each block."""
    top = max([*values, 0])
    width = WIDTH / max(len(values), 1)
    bars = [
        Bar(
            x=index * width,
            y=HEIGHT - (height := HEIGHT * value / top if top else 0.0),
            width=max(width - 1.5, 0.8),
            height=height,
            text=text,
            block=number,
        )
        for index, (number, value, text) in enumerate(zip(numbers, values, texts, strict=True))
    ]
    largest = texts[values.index(top)] if values and top else ""
    ends = (numbers[0], numbers[-1]) if numbers else (0, 0)
    return Chart(title, largest, *ends, bars)
