"""`devchain inspect mempool`: what waits to be mined."""

from __future__ import annotations

from collections.abc import Iterator

from devchain.cli import output
from devchain.cli.format import Notation, gas_price, number, plural
from devchain.cli.options import DEFAULT_URL, AsJson, Url, connect
from devchain.cli.views import Json, notation
from devchain.client.http import Client
from devchain.errors import RpcFailure

KINDS = ("pending", "queued")


def mempool(url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show the transactions that wait: pending ones come next, queued ones lack an earlier nonce.

    Example:
      devchain inspect mempool
    """
    node = connect(url)
    found = _content(node)
    if as_json:
        output.show_json(found)
        return
    written = notation(node)
    for kind in KINDS if isinstance(found, dict) else KINDS[:1]:
        waiting = list(_transactions(found[kind] if isinstance(found, dict) else found))
        output.title(kind.capitalize(), plural(len(waiting), "transaction"))
        for tx in waiting:
            _show(tx, written)


def _content(node: Client) -> object:
    """What `txpool_content` gives, or the pending transactions where that is not offered."""
    try:
        return node.call("txpool_content")
    except RpcFailure:
        return node.call("eth_pendingTransactions")


def _transactions(found: object) -> Iterator[Json]:
    """The transactions in a pool's content, however deep it is nested by sender and nonce."""
    if isinstance(found, dict) and "hash" in found:
        yield found
    elif isinstance(found, (dict, list)):
        for each in found.values() if isinstance(found, dict) else found:
            yield from _transactions(each)


def _show(tx: Json, notation: Notation) -> None:
    output.field(f"  nonce {number(tx.get('nonce'))}", str(tx.get("hash")))
    output.field("    from", (notation.address(tx.get("from")), output.NAME))
    to = tx.get("to")
    shown = "a new contract" if to is None else notation.address(to)
    output.field("    to", (shown, output.NAME))
    gas, price = number(tx.get("gas")) or 0, gas_price(number(tx.get("gasPrice")) or 0)
    value = notation.amount(number(tx.get("value")) or 0)
    output.field("", f"{value} · gas limit {gas:,} at {price}")
