"""Pages of the chain as a whole: the feed, blocks, transactions and the mempool."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from devchain.chain.block import Block
from devchain.errors import BlockNotFound
from devchain.node import Node
from devchain.server.explorer.page import Page, Query
from devchain.server.explorer.rootstock_pages import merged_mining_facts
from devchain.server.explorer.values import BlockRow, Fact, Reader, TransactionRow, hex_of
from devchain.text import gas_price, plural
from devchain.types import BlockHash, BlockRef, Hash32, Tag

FEED_BLOCKS = 12
FEED_TRANSACTIONS = 20
PAGE_ROWS = 50
MAX_ROWS = 100
MAX_SEARCHED_BLOCKS = 1_000
"""Blocks in which one page looks for transactions; empty ones are most of a long chain."""

MAX_MEMPOOL = 500


@dataclass(frozen=True, slots=True)
class Feed:
    """The newest blocks and transactions."""

    height: int
    head: str
    blocks: list[BlockRow]
    transactions: list[TransactionRow]
    pending: int


def home(node: Node, query: Query) -> Page:
    """The newest blocks and transactions; with `part=feed` only these, for the live page."""
    reader = Reader(node)
    template = "feed.html" if query.text("part") == "feed" else "home.html"
    return Page(
        template,
        "Overview",
        {"feed": feed(reader), "summary": summary(reader)},
        raw=[("eth_getBlockByNumber", ["latest", True])],
        section="home",
    )


def feed(reader: Reader) -> Feed:
    """The newest blocks and transactions; of a fork those that are its own."""
    chain = reader.chain
    first = max(chain.first, chain.height - FEED_BLOCKS + 1)
    blocks = chain.blocks_between(first, chain.height)
    transactions = islice(_newest_transactions(reader, chain.height), FEED_TRANSACTIONS)
    return Feed(
        height=chain.height,
        head=hex_of(chain.head.hash),
        blocks=[reader.block(each) for each in reversed(blocks)],
        transactions=[row for row, _ in transactions],
        pending=len(reader.node.mempool),
    )


def _newest_transactions(
    reader: Reader, height: int, before: int | None = None
) -> Iterator[tuple[TransactionRow, int]]:
    # Looks into a bounded number of blocks, and not before a fork.
    chain = reader.chain
    last = max(chain.first + (reader.node.fork is not None), height - MAX_SEARCHED_BLOCKS + 1)
    for number in range(height, last - 1, -1):
        block = chain.block(number)
        for receipt in reversed(block.receipts):
            if before is None or number < height or receipt.index < before:
                yield reader.transaction(receipt.transaction, block, receipt), number


def summary(reader: Reader) -> list[Fact]:
    """What kind of chain it is, in a few facts."""
    node = reader.node
    config, miner = node.config, node.miner
    if miner.automatic:
        mining = "a block for each transaction"
    elif miner.seconds_until_due() is not None:
        mining = "at an interval"
    else:
        mining = "on request"
    facts = [
        Fact("Network", f"{config.network}, chain id {config.effective_chain_id}"),
        Fact("Hardfork", config.hardfork),
        Fact("Mining", mining),
        Fact("Lowest gas price", gas_price(node.chain.lowest_gas_price())),
        Fact("Chain time", reader.moment(reader.now).date),
    ]
    if node.fork:
        block = node.fork.block
        facts.append(Fact("Forked at", f"block {block.number:,} of chain {block.chain_id}"))
    return facts


def blocks(node: Node, query: Query) -> Page:
    """Blocks, the newest first; `before` is a block that is not shown, nor what is above it."""
    reader = Reader(node)
    chain = node.chain
    before = query.number("before")
    newest = chain.height if before is None else min(before - 1, chain.height)
    oldest = max(newest - PAGE_ROWS + 1, 0)
    found = chain.blocks_between(oldest, newest) if newest >= 0 else []
    return Page(
        "blocks.html",
        "Blocks",
        {
            "blocks": [reader.block(each) for each in reversed(found)],
            "height": chain.height,
            "older": oldest if oldest > 0 else None,
            "newer": min(newest + PAGE_ROWS + 1, chain.height + 1)
            if newest < chain.height
            else None,
        },
        raw=[("eth_getBlockByNumber", [hex(each.number), False]) for each in reversed(found)],
        section="blocks",
    )


def transactions(node: Node, query: Query) -> Page:
    """Mined transactions, the newest first: below `index` of `block`, or below the head."""
    reader = Reader(node)
    block, index = query.number("block"), query.number("index")
    height = node.chain.height if block is None else min(block, node.chain.height)
    found = list(islice(_newest_transactions(reader, height, index), PAGE_ROWS + 1))
    rows = [row for row, _ in found[:PAGE_ROWS]]
    searched = height - MAX_SEARCHED_BLOCKS
    older: tuple[int | None, int | str] | None = None
    if len(found) > PAGE_ROWS:
        older = (rows[-1].block, rows[-1].index)
    elif searched >= max(node.chain.first, 1):
        older = (searched, "")
    return Page(
        "transactions.html",
        "Transactions",
        {
            "transactions": rows,
            "older": older,
            "is_first": block is None,
            "from_block": height,
            "to_block": max(searched + 1, node.chain.first),
        },
        raw=[("eth_getTransactionByHash", [each.hash]) for each in rows],
        section="transactions",
    )


def block(node: Node, query: Query, ref: str) -> Page:
    """A block by number, tag or hash, with its transactions."""
    reader = Reader(node)
    found = node.chain.block(_block_ref(ref))
    start = query.number("from") or 0
    shown = found.receipts[start : start + MAX_ROWS]
    rows = [reader.transaction(each.transaction, found, each) for each in shown]
    total = len(found.transactions)
    number = found.number
    title = f"Block {number:,}"
    return Page(
        "block.html",
        title,
        {
            "block": reader.block(found),
            "facts": _block_facts(reader, found),
            "roots": _roots(found),
            "rootstock": merged_mining_facts(found),
            "transactions": rows,
            "total": total,
            "start": start,
            "more": start + MAX_ROWS if start + MAX_ROWS < total else None,
            "previous": number - 1 if number else None,
            "next": number + 1 if number < node.chain.height else None,
            "is_edited": found.hash in node.chain.edited_roots(),
            "live_hash": hex_of(found.hash),
        },
        raw=[("eth_getBlockByHash", [hex_of(found.hash), True])],
        section="blocks",
    )


def _block_ref(text: str) -> BlockRef:
    if text.startswith("0x") and len(text) == 66:
        try:
            return BlockHash(Hash32(bytes.fromhex(text[2:])))
        except ValueError:
            raise BlockNotFound(f"{text} is no hash of a block") from None
    if text in {"latest", "earliest"}:
        return Tag(text)
    if text.isascii() and text.isdigit() and len(text) < 20:
        return int(text)
    raise BlockNotFound(f"{text[:80]!r} is neither the number nor the hash of a block")


def _block_facts(reader: Reader, found: Block) -> list[Fact]:
    header = found.header
    facts = [Fact("Size", plural(found.size, "byte"))]
    minimum, base_fee = (
        getattr(header, name, None) for name in ("minimum_gas_price", "base_fee_per_gas")
    )
    if minimum is not None:
        facts.append(Fact("Minimum gas price", gas_price(minimum)))
    elif base_fee is not None:
        facts.append(Fact("Base fee", gas_price(base_fee)))
    if (paid := getattr(header, "paid_fees", None)) is not None:
        facts.append(Fact("Fees paid", reader.amount(paid)))
    facts.append(Fact("Difficulty", f"{header.difficulty:,}"))
    facts.append(Fact("Total difficulty", f"{found.total_difficulty:,}"))
    if header.extra_data:
        facts.append(Fact("Extra data", hex_of(header.extra_data), is_code=True))
    return facts


def _roots(found: Block) -> list[Fact]:
    header = found.header
    return [
        Fact("State root", hex_of(header.state_root), is_code=True),
        Fact("Transactions root", hex_of(header.transaction_root), is_code=True),
        Fact("Receipts root", hex_of(header.receipt_root), is_code=True),
    ]


def mempool(node: Node, query: Query) -> Page:  # noqa: ARG001  # as every page
    """What waits: transactions that can be mined, and those that an earlier nonce holds up."""
    reader = Reader(node)
    pending, queued = node.mempool.pending(), node.mempool.queued()
    return Page(
        "mempool.html",
        "Mempool",
        {
            "pending": [reader.transaction(each) for each in pending[:MAX_MEMPOOL]],
            "queued": [reader.transaction(each) for each in queued[:MAX_MEMPOOL]],
            "hidden": max(len(pending) - MAX_MEMPOOL, 0) + max(len(queued) - MAX_MEMPOOL, 0),
        },
        raw=[("txpool_content", [])],
        section="mempool",
    )
