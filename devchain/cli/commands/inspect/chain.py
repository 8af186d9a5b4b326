"""`devchain inspect chain`: what the node is and how far its chain has come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from devchain.cli import output
from devchain.cli.format import Notation, network_name, number
from devchain.cli.options import DEFAULT_URL, AsJson, Url, connect, gather
from devchain.cli.views import Row, address_row, price_row, text_row, time_row

CALLS: dict[str, tuple[object, ...]] = {
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
}


def chain(url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show what the node is: its network, version, newest block, gas price and mempool.

    Example:
      devchain inspect chain
    """
    found = gather(connect(url), CALLS)
    if as_json:
        output.show_json(found)
        return
    chain_id = number(found.get("chainId")) or 0
    name = network_name(chain_id)
    output.title(f"Chain {chain_id}", *([name] if name else []))
    output.fields(_rows(found, Notation(chain_id)))


def _rows(found: dict[str, Any], notation: Notation) -> Iterator[Row]:
    yield text_row("Node", found.get("clientVersion"))
    yield text_row("Network id", found.get("networkVersion"))
    yield text_row("Protocol", found.get("protocolVersion"))
    block = found.get("block") or {}
    yield text_row("Newest block", number(block.get("number")))
    yield text_row("", block.get("hash"))
    yield time_row(block.get("timestamp"))
    yield price_row("Gas price", found.get("gasPrice"))
    yield price_row("Minimum price", block.get("minimumGasPrice"))
    yield address_row("Coinbase", found.get("coinbase"), notation)
    yield _yes_no("Mining", found.get("mining"))
    yield _yes_no("Syncing", found.get("syncing"))
    yield text_row("Peers", number(found.get("peers")))
    yield _accounts(found.get("accounts"))
    yield _mempool(found.get("mempool"))


def _yes_no(label: str, value: object) -> Row:
    return label, None if value is None else ["yes" if value else "no"]


def _accounts(value: object) -> Row:
    return "Accounts", [str(len(value))] if isinstance(value, list) else None


def _mempool(value: object) -> Row:
    if not isinstance(value, dict):
        return "Mempool", None
    counts = (f"{number(value.get(kind)) or 0} {kind}" for kind in ("pending", "queued"))
    return "Mempool", [", ".join(counts)]
