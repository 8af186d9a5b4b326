"""Pages of the chain as a whole: the feed, blocks, transactions, the mempool and charts."""

from __future__ import annotations

from itertools import islice

from devchain.chain.block import Block, Receipt
from devchain.chain.chain import Chain
from devchain.chain.merged_mining import read_header, verify
from devchain.chain.slices import Slices
from devchain.chain.storage.address_index import MAX_INDEX
from devchain.client.views import BlockView, Fact
from devchain.errors import BlockNotFound, InvalidInput
from devchain.rpc.result_objects import block_object
from devchain.server.explorer.page import Page, RawCall
from devchain.server.explorer.reader import Reader, bytes_of, hex_of
from devchain.text import gas_price, moment, span
from devchain.types import SELECTOR_SIZE, WORD_SIZE, ZERO_ADDRESS, BlockHash, BlockRef, Hash32, Tag

FEED_BLOCKS = 12
FEED_TRANSACTIONS = 60  # that are read: equal ones are one row, of which 20 are shown
PAGE_ROWS = 50
MAX_ROWS = 100
MAX_MEMPOOL = 500
CHART_BLOCKS = 100

Bar = tuple[int, int, str]  # A bar of a chart: its block, and the value as a number and as text


def home(reader: Reader) -> Slices[Page]:
    """The newest blocks and transactions; with `part=feed` only these, for the live page."""
    chain = reader.chain
    first = max(chain.first, chain.height - FEED_BLOCKS + 1)
    blocks = chain.blocks_between(first, chain.height)
    newest, _ = yield from reader.newest_transactions((chain.height + 1, 0), FEED_TRANSACTIONS)
    return Page(
        "feed.html" if reader.query.text("part") == "feed" else "home.html",
        "Overview",
        {
            "blocks": [reader.block(block) for block in reversed(blocks)],
            "transactions": [reader.mined(*each) for each in newest],
            "pending": len(reader.node.mempool),
            "config": reader.node.config,
            "miner": reader.node.miner,
            "fork": reader.node.fork,
            "price": gas_price(chain.lowest_gas_price()),
        },
        raw=[("eth_getBlockByNumber", ["latest", True])],
    )


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
    )


def transactions(reader: Reader) -> Slices[Page]:
    """Mined transactions, the newest first: below `index` of `block`, or below the head.

    With `selector` those that call the function, or failed with the error, that has it.
    """
    block, index = reader.query.number("block"), reader.query.number("index")
    height, text = reader.chain.height, reader.query.text("selector")
    before = (height + 1, 0) if block is None else (block, MAX_INDEX if index is None else index)
    selector, to = bytes_of(text), bytes_of(reader.query.text("to"))
    if text and len(selector) != SELECTOR_SIZE:
        raise InvalidInput("selector: a function's or an error's is 0x and 8 hex digits")

    def has_selector(receipt: Receipt) -> bool:
        tx, failure = receipt.transaction, receipt.failure
        failed = failure is not None and failure.payload.startswith(selector)
        return (failed or tx.data.startswith(selector)) and to in (b"", tx.to)

    wanted = has_selector if text or to else lambda _: True
    found, older = yield from reader.newest_transactions(before, PAGE_ROWS, wanted)
    rows = yield from reader.rows(found)
    return Page(
        "transactions.html",
        "Transactions",
        {
            "transactions": rows,
            "older": older,
            "is_first": block is None,
            "to": reader.account(to) if len(to) == len(ZERO_ADDRESS) else None,
            "selector": text and hex_of(selector),
            "signatures": reader.signatures(selector) if text else (),
        },
        raw=[("eth_getTransactionByHash", [tx.hash]) for tx in rows],
    )


def block(reader: Reader, ref: str) -> Slices[Page]:
    """A block by number, tag or hash, with its transactions."""
    node, chain = reader.node, reader.chain
    block = chain.block(_block_ref(ref))
    start, number, total = reader.query.number("from") or 0, block.number, len(block.transactions)
    shown = block.receipts[start : start + MAX_ROWS]
    logs = (log for each in shown for log in each.logs)
    view = BlockView.of(block_object(block, full=False), reader.notation)
    return Page(
        "block.html",
        f"Block {number:,}",
        {
            "block": view,
            "is_upstream": reader.is_upstream(number),
            "rootstock": merged_mining_facts(block),
            "transactions": (yield from reader.rows([(block, receipt) for receipt in shown])),
            "transfers": list(islice(reader.transfers(logs), MAX_ROWS)),
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


def merged_mining_facts(block: Block) -> list[Fact]:
    """The merged-mining proof of a Rootstock block, and whether it holds; empty for others."""
    if not block.has_merged_mining:
        return []
    merged, tagged = block.merged_mining, block.header.hash_for_merged_mining
    facts = [Fact("Hash for merged mining", hex_of(tagged), is_code=True)]
    if merged is None:
        return [*facts, Fact("Proof", "no bitcoin block commits to this block")]
    try:
        verify(tagged, block.header.difficulty, merged)
        outcome = "verified: work, commitment in the coinbase, Merkle proof"
    except InvalidInput as error:
        outcome = f"not by the rules since RSKIP92: {error!s}"
    return [
        *facts,
        Fact("Proof", outcome),
        *header_facts(merged.header),
        Fact("Bitcoin header", hex_of(merged.header), is_code=True),
        Fact("Bitcoin coinbase, compressed", hex_of(merged.coinbase), is_code=True),
        Fact("Merkle proof", hex_of(merged.merkle_proof), is_code=True),
    ]


def header_facts(raw: bytes) -> list[Fact]:
    """What is in a header of Bitcoin; empty for other bytes."""
    header = read_header(raw)
    if header is None:
        return []
    proof_of_work = f"{header.version % 2**32:#x}, 0x{header.bits.hex()}, {header.nonce:,}"
    return [
        Fact("Bitcoin block", header.hash.hex(), is_code=True),
        Fact("Bitcoin block before", header.previous_block_hash.hex(), is_code=True),
        Fact("Bitcoin Merkle root", header.merkle_root.hex(), is_code=True),
        Fact("Bitcoin time", moment(int(header.time.timestamp()))),
        Fact("Bitcoin version, bits, nonce", proof_of_work),
    ]


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
    )


# Charts


def charts(reader: Reader) -> Page:
    chain = reader.chain
    blocks = newest_blocks(chain)
    before = chain.block(max(blocks[0].number - 1, chain.first)).timestamp
    gas, times, counts = list[Bar](), list[Bar](), list[Bar]()
    for block in blocks:
        number, elapsed, count = block.number, block.timestamp - before, len(block.transactions)
        gas.append((number, block.gas_used, f"{block.gas_used:,} gas"))
        times.append((number, elapsed, span(elapsed)))
        counts.append((number, count, f"{count:,}"))
        before = block.timestamp
    shown = [
        ("Gas used per block", gas),
        ("Time since the block before", times),
        ("Transactions per block", counts),
    ]
    raw: list[RawCall] = [("eth_getBlockByNumber", [hex(block.number), False]) for block in blocks]
    return Page("charts.html", "Charts", {"charts": shown}, raw)


def newest_blocks(chain: Chain) -> list[Block]:
    """The blocks that a chart shows: without the genesis block, and of a fork its own."""
    first = max(chain.first + (chain.height > chain.first), chain.height - CHART_BLOCKS + 1)
    return list(chain.blocks_between(first, chain.height))
