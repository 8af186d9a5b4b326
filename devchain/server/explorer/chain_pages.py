"""Pages of the chain as a whole: the feed, blocks, transactions and the mempool."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from devchain.client.views import BlockView, Fact, TransactionView
from devchain.errors import BlockNotFound
from devchain.rpc.result_objects import block_object
from devchain.server.explorer.page import Page
from devchain.server.explorer.reader import Reader, bytes_of, hex_of
from devchain.server.explorer.rootstock_pages import merged_mining_facts
from devchain.text import gas_price, moment
from devchain.types import WORD_SIZE, BlockHash, BlockRef, Hash32, Tag

FEED_BLOCKS = 12
FEED_TRANSACTIONS = 20
PAGE_ROWS = 50
MAX_ROWS = 100
MAX_SEARCHED_BLOCKS = 1_000
"""Blocks in which one page looks for transactions; empty ones are most of a long chain."""

MAX_MEMPOOL = 500


def home(reader: Reader) -> Page:
    """The newest blocks and transactions; with `part=feed` only these, for the live page."""
    chain = reader.chain
    first = max(chain.first, chain.height - FEED_BLOCKS + 1)
    blocks = chain.blocks_between(first, chain.height)
    return Page(
        "feed.html" if reader.query.text("part") == "feed" else "home.html",
        "Overview",
        {
            "blocks": [reader.block(block) for block in reversed(blocks)],
            "transactions": list(
                islice(_newest_transactions(reader, chain.height), FEED_TRANSACTIONS)
            ),
            "pending": len(reader.node.mempool),
            "summary": list(_summary(reader)),
        },
        raw=[("eth_getBlockByNumber", ["latest", True])],
        section="home",
    )


def _newest_transactions(
    reader: Reader, height: int, before: int | None = None
) -> Iterator[TransactionView]:
    # Looks into a bounded number of blocks, and not before a fork.
    chain = reader.chain
    last = max(chain.first + (reader.node.fork is not None), height - MAX_SEARCHED_BLOCKS + 1)
    for number in range(height, last - 1, -1):
        block = chain.block(number)
        for receipt in reversed(block.receipts):
            if before is None or number < height or receipt.index < before:
                yield reader.mined(block, receipt)


def _summary(reader: Reader) -> Iterator[Fact]:
    # What kind of chain it is.
    node = reader.node
    config, miner = node.config, node.miner
    if miner.automatic:
        mining = "a block for each transaction"
    elif miner.seconds_until_due() is not None:
        mining = "at an interval"
    else:
        mining = "on request"
    yield Fact("Network", f"{config.network}, chain id {config.effective_chain_id}")
    yield Fact("Hardfork", config.hardfork)
    yield Fact("Mining", mining)
    yield Fact("Lowest gas price", gas_price(node.chain.lowest_gas_price()))
    yield Fact("Chain time", moment(reader.now))
    if node.fork:
        block = node.fork.block
        yield Fact("Forked at", f"block {block.number:,} of chain {block.chain_id}")


def blocks(reader: Reader) -> Page:
    """Blocks, the newest first; `before` is a block that is not shown, nor what is above it."""
    chain, before = reader.chain, reader.query.number("before")
    newest = chain.height if before is None else min(before - 1, chain.height)
    oldest = max(newest - PAGE_ROWS + 1, 0)
    shown = chain.blocks_between(oldest, newest) if newest >= 0 else []
    newer = min(newest + PAGE_ROWS + 1, chain.height + 1) if newest < chain.height else None
    return Page(
        "blocks.html",
        "Blocks",
        {
            "blocks": [reader.block(block) for block in reversed(shown)],
            "older": oldest if oldest > 0 else None,
            "newer": newer,
        },
        raw=[("eth_getBlockByNumber", [hex(block.number), False]) for block in reversed(shown)],
        section="blocks",
    )


def transactions(reader: Reader) -> Page:
    """Mined transactions, the newest first: below `index` of `block`, or below the head."""
    block, index = reader.query.number("block"), reader.query.number("index")
    chain = reader.chain
    height = chain.height if block is None else min(block, chain.height)
    rows = list(islice(_newest_transactions(reader, height, index), PAGE_ROWS + 1))
    searched = height - MAX_SEARCHED_BLOCKS
    older: tuple[int | None, int | str | None] | None = None
    if len(rows) > PAGE_ROWS:
        rows.pop()
        older = (rows[-1].block, rows[-1].index)
    elif searched >= max(chain.first, 1):
        older = (searched, "")
    return Page(
        "transactions.html",
        "Transactions",
        {
            "transactions": rows,
            "older": older,
            "is_first": block is None,
            "from_block": height,
            "to_block": max(searched + 1, chain.first),
        },
        raw=[("eth_getTransactionByHash", [tx.hash]) for tx in rows],
        section="transactions",
    )


def block(reader: Reader, ref: str) -> Page:
    """A block by number, tag or hash, with its transactions."""
    node, chain = reader.node, reader.chain
    block = chain.block(_block_ref(ref))
    start, number, total = reader.query.number("from") or 0, block.number, len(block.transactions)
    view = BlockView.of(block_object(block, full=False), reader.notation)
    return Page(
        "block.html",
        f"Block {number:,}",
        {
            "block": view,
            "is_upstream": reader.is_upstream(number),
            "rootstock": merged_mining_facts(block),
            "transactions": [
                reader.mined(block, receipt) for receipt in block.receipts[start : start + MAX_ROWS]
            ],
            "total": total,
            "start": start,
            "more": start + MAX_ROWS if start + MAX_ROWS < total else None,
            "previous": number - 1 if number else None,
            "next": number + 1 if number < chain.height else None,
            "is_edited": block.hash in node.chain.edited_roots(),
            "live_hash": view.hash,
        },
        raw=[("eth_getBlockByHash", [hex_of(block.hash), True])],
        section="blocks",
    )


def _block_ref(text: str) -> BlockRef:
    if len(raw := bytes_of(text)) == WORD_SIZE:
        return BlockHash(Hash32(raw))
    if text in {"latest", "earliest"}:
        return Tag(text)
    if text.isascii() and text.isdigit() and len(text) < 20:
        return int(text)
    raise BlockNotFound(f"{text[:80]!r} is neither the number nor the hash of a block")


def mempool(reader: Reader) -> Page:
    """What waits: transactions that can be mined, and those that an earlier nonce holds up."""
    pool = reader.node.mempool
    pending, queued = pool.pending(), pool.queued()
    return Page(
        "mempool.html",
        "Mempool",
        {
            "pending": [reader.pending(tx) for tx in pending[:MAX_MEMPOOL]],
            "queued": [reader.pending(tx) for tx in queued[:MAX_MEMPOOL]],
            "hidden": max(len(pending) - MAX_MEMPOOL, 0) + max(len(queued) - MAX_MEMPOOL, 0),
        },
        raw=[("txpool_content", [])],
        section="mempool",
    )
