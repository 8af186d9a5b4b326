"""`devchain inspect chain` and `devchain inspect mempool`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from devchain.cli import output
from devchain.cli.options import DEFAULT_URL, AsJson, Url, connect
from devchain.cli.output import Row
from devchain.cli.view_rows import account_row, fact_row, listed_rows, reader_of, text_row
from devchain.client.chain_reader import notation_of, pool_transactions
from devchain.client.views import (
    Notation,
    TransactionView,
    network_name,
    number,
    price_facts,
    time_fact,
)
from devchain.clock import Clock
from devchain.errors import RpcFailure
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
    results = dict(zip(CHAIN_CALLS, connect(url).batch(list(CHAIN_CALLS.values())), strict=True))
    answers = {name: it for name, it in results.items() if not isinstance(it, RpcFailure)}
    if not answers:
        raise results["chainId"]
    if as_json:
        output.write_json(answers)
        return
    chain_id = number(answers.get("chainId")) or 0
    name = network_name(chain_id)
    output.write_title(f"Chain {chain_id}", *([name] if name else []))
    output.write_fields(_chain_rows(answers, notation_of(chain_id)))


def _chain_rows(answers: dict[str, Any], notation: Notation) -> Iterator[Row]:
    yield text_row("Node", answers.get("clientVersion"))
    yield text_row("Network id", answers.get("networkVersion"))
    yield text_row("Protocol", answers.get("protocolVersion"))
    block = answers.get("block") or {}
    height = number(block.get("number"))
    yield "Newest block", None if height is None else [f"{height:,}"]
    yield text_row("", block.get("hash"))
    timestamp, now = number(block.get("timestamp")), number(answers.get("time"))
    if timestamp is not None:
        yield fact_row(time_fact(timestamp, Clock().now() if now is None else now))
    fork = answers.get("fork")
    if isinstance(fork, dict):
        yield from _fork_rows(fork)
    yield from map(fact_row, price_facts("Gas price", answers.get("gasPrice")))
    yield from map(fact_row, price_facts("Minimum price", block.get("minimumGasPrice")))
    if (coinbase := answers.get("coinbase")) is not None:
        yield account_row("Coinbase", notation.account(coinbase))
    yield _yes_no("Mining", answers.get("mining"))
    yield _yes_no("Syncing", answers.get("syncing"))
    yield text_row("Peers", number(answers.get("peers")))
    accounts = answers.get("accounts")
    yield "Accounts", [str(len(accounts))] if isinstance(accounts, list) else None
    pool = answers.get("mempool")
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
    reader = reader_of(connect(url))
    content = reader.pool()
    if as_json:
        output.write_json(content)
        return
    # Without txpool_content the pending transactions are all that is known.
    parts = content if isinstance(content, dict) else {"pending": content}
    for kind in [part for part in POOL_PARTS if part in parts]:
        transactions = reader.transactions(list(pool_transactions(parts[kind])), are_pending=True)
        output.write_title(kind.capitalize(), plural(len(transactions), "transaction"))
        senders = {tx.sender.address for tx in transactions if kind == "queued"}
        awaited = {sender: reader.pending_nonce(sender.lower()) for sender in senders}
        for tx in transactions:
            _show_transaction(tx, awaited.get(tx.sender.address))


def _show_transaction(tx: TransactionView, awaited: int | None) -> None:
    output.write_field(f"  nonce {tx.nonce:,}", tx.hash)
    if awaited is not None and awaited < tx.nonce:
        output.write_field("    waits", f"for nonce {awaited:,} of its sender")
    output.write_fields(listed_rows(tx))
    price = gas_price(tx.gas_price or 0)
    output.write_field("", f"{tx.value_text} · gas limit {tx.gas_limit:,} at {price}")
