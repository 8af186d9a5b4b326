"""Pages of tokens: their list, and of each supply, holders, transfers, and images of pieces."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from devchain.chain.slices import QUICK, SLOW, Slices
from devchain.errors import NotFound
from devchain.node.tokens import balance, image
from devchain.server.explorer.account_pages import account_page
from devchain.server.explorer.page import Page, RawCall
from devchain.server.explorer.reader import Reader, address_of, hex_of
from devchain.text import percent

MAX_HOLDERS = 100
MAX_TRANSFERS = 100
MAX_IMAGES = 24
MAX_TOKENS = 100


def tokens(reader: Reader) -> Slices[Page]:
    """Tokens, those with the most transfers first, and newest contracts that behave as such."""
    index = yield from reader.index()
    moved = index.tokens(MAX_TOKENS)
    newest = yield from reader.known_contracts(MAX_TOKENS)
    rows = []
    for address in dict.fromkeys([*moved, *newest]):
        yield QUICK
        if found := reader.token(address):
            rows.append((reader.account(address), found, moved.get(address, 0)))
    raw = [("eth_getLogs", [{"address": party.address}]) for party, *_ in rows]
    return Page("tokens.html", "Tokens", {"tokens": rows, "most": MAX_TOKENS}, raw)


def transfers(reader: Reader) -> Slices[Page]:
    """The newest transfers of the coin inside calls."""
    index = yield from reader.index()
    moved = reader.indexed(index.inner_transfers(MAX_TRANSFERS))
    values = {"transfers": moved, "coin": reader.notation.coin, "most": MAX_TRANSFERS}
    raw = [("debug_traceTransaction", [each.tx.hash]) for each in moved if each.tx]
    return Page("transfers.html", "Inner transfers", values, raw, section="transactions")


def token(reader: Reader, text: str) -> Slices[Page]:
    """What a token is, who owns it and who moved it."""
    node, account = reader.node, address_of(text)
    found = reader.token(account)
    if found is None:
        raise NotFound("this contract does not behave as a token of ERC-20, ERC-721 or ERC-1155")
    holders: list[Any] = []  # amount, account, amount as text, share, name and image of a piece
    index = yield from reader.index()
    for _, holder, token_id in index.holders(account, MAX_HOLDERS):
        yield SLOW
        if not (owned := balance(node, found, holder, token_id)):
            continue
        share = percent(owned, found.supply) if found.supply and token_id is None else ""
        name = source = ""
        if token_id is not None and len(holders) < MAX_IMAGES:
            name, source = image(node, found, token_id)
        amount = found.amount(owned, token_id)
        # An image in a page is a URI that was checked: it is neither shortened nor escaped.
        source = Markup(source) if source and not set(source) & set("\"'<>&") else ""  # noqa: S704
        holders.append((owned, reader.account(holder), amount, share, name, source))
    holders.sort(key=lambda holder: -holder[0])
    values = {
        "token": found,
        "supply": "" if found.supply is None else found.amount(found.supply),
        "holders": holders,
        "transfers": reader.indexed(index.transfers_of(account, MAX_TRANSFERS)),
    }
    raw: RawCall = ("eth_getLogs", [{"address": hex_of(account), "fromBlock": "earliest"}])
    return account_page(reader, account, "token.html", "Token of", values, raw)
