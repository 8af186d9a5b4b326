"""Pages of the Bitcoin beside the chain, and both sides of a peg-in or peg-out."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from devchain.chain.block import MinedLog
from devchain.errors import NotFound
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.server.explorer.chain_pages import MAX_ROWS, PAGE_ROWS, header_facts
from devchain.server.explorer.page import Page
from devchain.server.explorer.reader import Reader, bytes_of, hex_of
from devchain.text import SATOSHIS, decimal
from devchain.types import WORD_SIZE

MAX_LOGS, MAX_BLOCKS = 500, 5_000  # of the Bridge that are read
# Beginnings of the names of events in transactions that are of one peg-in or peg-out alone.
FIRST_EVENTS = ("pegin_", "lock_", "rejected_pegin", "unrefundable_pegin", "release_request_")


def bitcoin(reader: Reader) -> Page:
    """The newest blocks of Bitcoin, and what waits in its mempool."""
    node = reader.node.bitcoin
    blocks, waiting = node.chain.active[: -PAGE_ROWS - 1 : -1], list(node.mempool.entries)
    return Page("btc.html", "Bitcoin", {"blocks": blocks, "waiting": waiting}, section="rootstock")


def block(reader: Reader, place: str) -> Page:
    """A block of Bitcoin by height or hash."""
    is_height = place.isascii() and place.isdigit() and len(place) < 10
    found = reader.node.bitcoin.block(int(place) if is_height else bytes_of(place))
    values = {"block": found, "facts": header_facts(found.header), "shown": MAX_ROWS}
    return Page("btc_block.html", f"Bitcoin block {found.height:,}", values, section="rootstock")


def transaction(reader: Reader, text: str) -> Page:
    """A transaction of Bitcoin, and its peg-in or peg-out on Rootstock."""
    from devchain.bitcoin.signing import address_of

    node, txid = reader.node.bitcoin, bytes_of(text)
    if (tx := node.find(txid)) is None:
        raise NotFound(f"Bitcoin has no transaction {text[:80]!r}")
    place = node.chain.transactions.get(txid)

    def party(out: Any) -> tuple[str, str]:  # noqa: ANN401  # btclib's, which is loaded late
        script, amount = out.script_pub_key.script, decimal(out.value, SATOSHIS)
        return address_of(script) or hex_of(script), f"{amount} BTC"

    sides = peg(reader, txid)
    same = {key for key, page in sides["hashes"].items() if page == f"/btc/tx/{txid.hex()}"}
    spent = [(each.prev_out, node.find(each.prev_out.tx_id)) for each in tx.vin[:MAX_ROWS]]
    values = {
        "txid": txid.hex(),
        "size": tx.size,
        "block": place and place[0],
        "confirmations": node.confirmations(txid),
        "inputs": [
            (at.tx_id.hex(), at.vout, *party(known.vout[at.vout])) for at, known in spent if known
        ],
        "outputs": [party(out) for out in tx.vout[:MAX_ROWS]],
        "unsigned": sorted(same - {hex_of(txid)}),
        **sides,
    }
    raw = [("devchain_btcTransaction", [txid.hex()])]
    return Page("btc_tx.html", "Bitcoin transaction", values, raw, section="rootstock")


def peg(reader: Reader, start: bytes = b"") -> dict[str, Any]:
    """The peg-ins and peg-outs that a transaction of either chain belongs to; by default all.

    `peg` are events of the Bridge with the transactions that have them, `bitcoins` ids of Bitcoin's
    transactions; `hashes` the pages of all of them.
    """
    node, logs = reader.node, reader.logs_of(BRIDGE, MAX_BLOCKS, MAX_LOGS)
    rows = [(*_keys(reader, log), log) for log in logs]
    known, size = {start} if start else {key for _, keys, _ in rows for key in keys}, 0
    known.update(key for _, keys, log in rows if log.transaction_hash == start for key in keys)
    while size != len(known):
        size = len(known)
        known.update(key for _, keys, _ in rows if known & keys for key in keys)
    events = [(name, hex_of(log.transaction_hash)) for name, keys, log in rows if known & keys]
    released = {key.hex(): keys for name, keys, _ in rows if name == "release_btc" for key in keys}
    is_used = node.bitcoin_component.checkpoint() is not None
    bitcoins = [key.hex() for key in sorted(known) if is_used and node.bitcoin.find(key)]
    hashes = {tx: f"/tx/{tx}" for _, tx in events} | {f"0x{tx}": f"/btc/tx/{tx}" for tx in bitcoins}
    pages = {key: f"/btc/tx/{tx}" for tx in bitcoins for key in released.get(tx, ())}
    for _, keys, _ in rows:  # ids before the signatures, of what was released then
        if page := next((pages[key] for key in keys if key in pages), ""):
            hashes = dict.fromkeys(map(hex_of, keys), page) | hashes
    return {"peg": list(dict.fromkeys(events)), "bitcoins": bitcoins, "hashes": hashes}


def _keys(reader: Reader, mined: MinedLog) -> tuple[str, set[bytes]]:
    # Name of an event, and the hashes that it has in common with others of its peg-in or peg-out.
    event = reader.names.decoded_event(BRIDGE, mined.log.topics, mined.log.data)
    if event is None:
        return "", set()
    name = event.entry.name
    keys: set[bytes] = {mined.transaction_hash} if name.startswith(FIRST_EVENTS) else set()
    for field, value in event.named.items():
        if field == "btcRawTransaction":
            with suppress(ValueError):  # of a mock
                keys.add(BitcoinTransaction.parse(value).txid)
        elif field.endswith(("TxHash", "TxHashes")):
            keys.update(value[at : at + WORD_SIZE] for at in range(0, len(value), WORD_SIZE))
    return name, keys
