"""The page of a token: supply, holders, transfers, and the images of pieces of a collection."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from devchain.chain.slices import SLOW, Slices
from devchain.client.views import AccountView
from devchain.contracts.token_transfers import TRANSFER, TRANSFER_BATCH, TRANSFER_SINGLE
from devchain.errors import NotFound
from devchain.node.tokens import balance, image
from devchain.server.explorer.account_pages import account_page
from devchain.server.explorer.contract_pages import newest_logs
from devchain.server.explorer.page import Page, RawCall
from devchain.server.explorer.reader import Reader, address_of, hex_of
from devchain.text import percent
from devchain.types import Hash32

MAX_HOLDERS = 100
MAX_TRANSFERS = 100
MAX_IMAGES = 24
MAX_SEARCHED = 5_000  # blocks
TOPICS = frozenset(map(Hash32, (TRANSFER, TRANSFER_SINGLE, TRANSFER_BATCH)))


@dataclass(frozen=True, slots=True)
class Holder:
    """An account that owns some of a token, its share of the supply, and an image of a piece."""

    account: AccountView
    amount: str
    owned: int
    share: str = ""
    name: str = ""
    image: str = ""


def token(reader: Reader, text: str) -> Slices[Page]:
    """What a token is, who owns it and who moved it."""
    node, account = reader.node, address_of(text)
    found = reader.token(account)
    if found is None:
        raise NotFound("this contract does not behave as a token of ERC-20, ERC-721 or ERC-1155")
    holders: list[Holder] = []
    if not node.config.hosted:
        index = yield from node.address_history.update_in_slices()
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
            view = reader.account(holder)
            holders.append(Holder(view, amount, owned, share, name, source))
    holders.sort(key=lambda holder: -holder.owned)
    first = max(reader.chain.first, reader.chain.height - MAX_SEARCHED)
    logs = yield from newest_logs(reader.chain, account, first, reader.chain.height, (TOPICS,))
    values = {
        "token": found,
        "supply": "" if found.supply is None else found.amount(found.supply),
        "holders": holders,
        "transfers": [
            (transfer, mined.block.number, hex_of(mined.transaction_hash))
            for mined in logs
            for transfer in reader.transfers([mined.log])
        ],
    }
    raw: RawCall = ("eth_getLogs", [{"address": hex_of(account), "fromBlock": hex(first)}])
    return account_page(reader, account, "token.html", "Token of", values, raw)
