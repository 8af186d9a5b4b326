"""`devchain inspect chain` and `devchain inspect mempool`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from devchain.cli import output
from devchain.cli.chain_views import (
    Json,
    address_row,
    chain_notation,
    describe_calls,
    notation_of,
    pending_nonce,
    pool_content,
    pool_transactions,
    price_row,
    text_row,
    time_row,
)
from devchain.cli.format import Notation, network_name, number
from devchain.cli.options import DEFAULT_URL, AsJson, Url, call_available, connect
from devchain.cli.output import Row
from devchain.clock import Clock
from devchain.text import gas_price, plural

CHAIN_CALLS: dict[str, tuple[object, ...]] = {
    "chainId": ("eth_chainId",),
    "networkVersion": ("net_version",),
    "clientVersion": ("web3_clientVersion",),
    "protocolVersion": ("eth_protocolVersion",),
    "block": ("eth_getBlockByNumber", "latest", False),
    "gasPrice": ("eth_gasPrice",),
    "coinbase": ("eth_coinbase",),
    "mining": ("eth_mining",),
    "syncing": ("eth_syncing",),
    "peers": ("net_peerCount",),
    "accounts": ("eth_accounts",),
    "mempool": ("txpool_status",),
    "fork": ("devchain_getFork",),
    "time": ("devchain_getTime",),
}
POOL_PARTS = ("pending", "queued")


def chain(url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show the node and its chain: network, version, latest block, gas price and mempool.

    Example:
      devchain inspect chain
    """
    found = call_available(connect(url), CHAIN_CALLS)
    if as_json:
        output.write_json(found)
        return
    chain_id = number(found.get("chainId")) or 0
    name = network_name(chain_id)
    output.write_title(f"Chain {chain_id}", *([name] if name else []))
    output.write_fields(_chain_rows(found, notation_of(chain_id)))


def _chain_rows(found: dict[str, Any], notation: Notation) -> Iterator[Row]:
    yield text_row("Node", found.get("clientVersion"))
    yield text_row("Network id", found.get("networkVersion"))
    yield text_row("Protocol", found.get("protocolVersion"))
    block = found.get("block") or {}
    height = number(block.get("number"))
    yield "Newest block", None if height is None else [f"{height:,}"]
    yield text_row("", block.get("hash"))
    now = number(found.get("time"))
    yield time_row(block.get("timestamp"), Clock().now() if now is None else now)
    fork = found.get("fork")
    if isinstance(fork, dict):
        yield from _fork_rows(fork)
    yield price_row("Gas price", found.get("gasPrice"))
    yield price_row("Minimum price", block.get("minimumGasPrice"))
    yield address_row("Coinbase", found.get("coinbase"), notation)
    yield _yes_no("Mining", found.get("mining"))
    yield _yes_no("Syncing", found.get("syncing"))
    yield text_row("Peers", number(found.get("peers")))
    accounts = found.get("accounts")
    yield "Accounts", [str(len(accounts))] if isinstance(accounts, list) else None
    pool = found.get("mempool")
    if isinstance(pool, dict):
        counts = (f"{number(pool.get(kind)) or 0:,} {kind}" for kind in POOL_PARTS)
        yield "Mempool", [", ".join(counts)]


def _fork_rows(fork: dict[str, Any]) -> Iterator[Row]:
    block, newest = number(fork.get("blockNumber")) or 0, number(fork.get("newestBlock"))
    behind = "" if newest is None else f", {newest - block:,} behind the newest at start"
    yield "Fork block", [f"{block:,} of chain {number(fork.get('chainId')) or 0}{behind}"]
    yield text_row("", fork.get("blockHash"))
    yield text_row("Hardfork", fork.get("hardfork"))
    yield text_row("Upstream", fork.get("url") or "none: offline")
    requests, trips = (
        number(fork.get(name)) or 0 for name in ("upstreamRequests", "upstreamRoundTrips")
    )
    yield "Asked so far", [f"{plural(requests, 'request')} in {plural(trips, 'round trip')}"]
    yield text_row("Fork cache", fork.get("cacheFile"))
    yield "Cache hits", [f"{number(fork.get('cacheHits')) or 0:,}"]


def _yes_no(label: str, value: object) -> Row:
    return label, None if value is None else ["yes" if value else "no"]


def mempool(url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show the transactions in the mempool: pending ones, and queued ones with a nonce gap.

    Example:
      devchain inspect mempool
    """
    node = connect(url)
    content = pool_content(node)
    if as_json:
        output.write_json(content)
        return
    notation = chain_notation(node, content)
    # Without txpool_content the pending transactions are all that is known.
    parts = content if isinstance(content, dict) else {"pending": content}
    for kind in [each for each in POOL_PARTS if each in parts]:
        transactions = list(pool_transactions(parts[kind]))
        output.write_title(kind.capitalize(), plural(len(transactions), "transaction"))
        senders = {str(tx.get("from")) for tx in transactions} if kind == "queued" else ()
        awaited = {each: pending_nonce(node, each) for each in senders}
        for tx, called in zip(transactions, describe_calls(node, transactions), strict=True):
            _show_transaction(tx, notation, called, awaited.get(str(tx.get("from"))))


def _show_transaction(
    tx: Json, notation: Notation, called: str | None, awaited: int | None
) -> None:
    nonce = number(tx.get("nonce")) or 0
    output.write_field(f"  nonce {nonce:,}", str(tx.get("hash")))
    if awaited is not None and awaited < nonce:
        output.write_field("    waits", f"for nonce {awaited:,} of its sender")
    output.write_field("    from", (notation.named(tx.get("from")), output.NAME))
    to = tx.get("to")
    recipient = "a new contract" if to is None else notation.named(to)
    output.write_field("    to", (recipient, output.NAME))
    if called is not None:
        output.write_field("    call", called)
    gas, price = number(tx.get("gas")) or 0, gas_price(number(tx.get("gasPrice")) or 0)
    value = notation.amount(number(tx.get("value")) or 0)
    output.write_field("", f"{value} · gas limit {gas:,} at {price}")
