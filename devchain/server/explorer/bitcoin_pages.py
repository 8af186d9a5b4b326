"""Pages of the Bitcoin beside the chain, and both sides of a peg-in or peg-out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from devchain.chain.block import MinedLog
from devchain.client.views import AccountView
from devchain.contracts.abi import Decoded
from devchain.errors import NotFound
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction
from devchain.evm.rootstock.precompiles.bridge.methods import WEI_PER_SATOSHI
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.networks import is_since
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


class PegRow(NamedTuple):
    """A peg-in or peg-out in a list: whose it is, its transactions, the Bridge's last event."""

    kind: str
    party: AccountView | None
    amount: str
    tx_hash: str
    bitcoins: Sequence[str]
    event: str


@dataclass(frozen=True, slots=True)
class _Pegs:
    # Peg-ins and peg-outs that share hashes: these, the Bridge's events that have them, and ids of
    # Bitcoin's transactions among them; of these one that the federation has released.
    keys: set[bytes]
    events: list[tuple[Decoded, MinedLog]]
    bitcoins: Sequence[str] = ()
    released: str = ""


def pegs(reader: Reader) -> list[PegRow]:
    """The newest peg-ins and peg-outs that are in events of the Bridge, newest first."""
    rows = []
    is_in_wei = is_since(reader.chain.rules.hardfork, "lovell")  # what a peg-out's event has
    for group in _read_pegs(reader):
        for event, log in group.events:
            if not event.name.startswith(FIRST_EVENTS):
                continue
            kind, fields = "peg-out" if "release" in event.name else "peg-in", event.named
            party = fields.get("receiver") or fields.get("sender")
            satoshis = fields.get("amount")
            if satoshis is not None and is_in_wei and kind == "peg-out":
                satoshis //= WEI_PER_SATOSHI
            row = PegRow(
                kind,
                party and reader.account(party),
                "" if satoshis is None else f"{decimal(satoshis, SATOSHIS)} BTC",
                hex_of(log.transaction_hash),
                group.bitcoins,
                group.events[-1][0].name,
            )
            rows.append(((log.block.number, log.index), row))
    return [row for _, row in sorted(rows, reverse=True)[:MAX_ROWS]]


def peg(reader: Reader, start: bytes = b"") -> dict[str, Any]:
    """The peg-ins and peg-outs that a transaction of either chain belongs to; by default all.

    `peg` are events of the Bridge with the transactions that have them, `bitcoins` ids of Bitcoin's
    transactions; `hashes` the pages of all of them.
    """
    events, bitcoins = list[tuple[str, str]](), list[str]()
    pages, unsigned = dict[str, str](), dict[str, str]()
    for group in _read_pegs(reader):
        places = {log.transaction_hash for _, log in group.events}
        if start and start not in group.keys | places:
            continue
        events += [(event.name, hex_of(log.transaction_hash)) for event, log in group.events]
        bitcoins += group.bitcoins
        pages |= {hex_of(place): f"/tx/{hex_of(place)}" for place in places}
        pages |= {f"0x{txid}": f"/btc/tx/{txid}" for txid in group.bitcoins}
        if group.released:  # other keys are its ids before the signatures
            unsigned |= dict.fromkeys(map(hex_of, group.keys), f"/btc/tx/{group.released}")
    return {"peg": list(dict.fromkeys(events)), "bitcoins": bitcoins, "hashes": unsigned | pages}


def _read_pegs(reader: Reader) -> list[_Pegs]:
    # The oldest first.
    groups = list[_Pegs]()
    for log in reader.logs_of(BRIDGE, MAX_BLOCKS, MAX_LOGS):
        event = reader.names.decoded_event(BRIDGE, log.log.topics, log.log.data)
        if event is None or not (keys := _keys(event, log)):
            continue
        same = [group for group in groups if group.keys & keys]
        groups = [group for group in groups if group.keys.isdisjoint(keys)]
        events = [emitted for group in same for emitted in group.events]
        groups.append(_Pegs(keys.union(*(group.keys for group in same)), [*events, (event, log)]))
    if reader.node.bitcoin_component.checkpoint() is None:  # its Bitcoin node was never used
        return groups
    find = reader.node.bitcoin.find
    for number, group in enumerate(groups):
        sent = {key: key.hex() for key in sorted(group.keys) if find(key)}
        releases = (_keys(*row) for row in group.events if row[0].name == "release_btc")
        released = next((sent[key] for keys in releases for key in keys if key in sent), "")
        groups[number] = replace(group, bitcoins=list(sent.values()), released=released)
    return groups


def _keys(event: Decoded, mined: MinedLog) -> set[bytes]:
    # The hashes that an event has in common with others of its peg-in or peg-out.
    keys: set[bytes] = {mined.transaction_hash} if event.name.startswith(FIRST_EVENTS) else set()
    for field, value in event.named.items():
        if field == "btcRawTransaction":
            with suppress(ValueError):  # of a mock
                keys.add(BitcoinTransaction.parse(value).txid)
        elif field.endswith(("TxHash", "TxHashes")):
            keys.update(value[at : at + WORD_SIZE] for at in range(0, len(value), WORD_SIZE))
    return keys
