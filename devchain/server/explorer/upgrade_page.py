"""What another hardfork changes for a contract, or for one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from devchain.chain.block import Block, Receipt
from devchain.chain.slices import Slices
from devchain.errors import InvalidInput
from devchain.networks import ETHEREUM, ROOTSTOCK, is_ethereum
from devchain.server.explorer.account_pages import account_page
from devchain.server.explorer.page import Page
from devchain.server.explorer.reader import Reader, address_of, hex_of
from devchain.server.explorer.transaction_pages import page_of
from devchain.source.upgrade_report import change_of

COUNT = 100  # of a contract's newest transactions
COMPARE = "devchain_compareHardforks"


def of_contract(reader: Reader, text: str) -> Slices[Page]:
    """What another hardfork changes in the newest transactions of a contract."""
    account, hardfork = address_of(text), reader.query.text("hardfork")
    mined = []
    if hardfork and not reader.query.is_json:
        page = yield from reader.node.address_history.page_in_slices(account, count=COUNT)
        mined = [(found.block, found.receipt) for found in page.appearances]
    values = yield from _values(reader, mined)
    raw = COMPARE, [hex_of(account), values["chosen"], hex(COUNT)]
    return account_page(reader, account, "upgrade.html", "Upgrade of", values, raw)


def of_transaction(reader: Reader, tx_hash: str) -> Slices[Page]:
    """What another hardfork changes in a transaction."""
    tx, _ = reader.find_mined(tx_hash)
    _, mined = reader.find_transaction(tx_hash)
    values = yield from _values(reader, [mined] if mined else [])
    raw = COMPARE, [tx.hash, values["chosen"]]
    return page_of("upgrade.html", "Upgrade of", tx, values, raw)


def _values(reader: Reader, mined: Sequence[tuple[Block, Receipt]]) -> Slices[dict[str, Any]]:
    own, hardfork = reader.chain.rules.hardfork, reader.query.text("hardfork")
    names = ETHEREUM if is_ethereum(own) else ROOTSTOCK
    others = [name for name in names if name != own]
    if hardfork and hardfork not in others:
        raise InvalidInput(f"hardfork: want one of {', '.join(others)}")
    following = names[names.index(own) + 1 :]
    rows: Mapping[str, Mapping[str, Any]] = {}
    if hardfork:
        rows = yield from reader.node.explainer.compare_hardforks(own, hardfork, mined)
    return {
        "own": own,
        "hardfork": hardfork,
        "chosen": hardfork or next(iter(following), others[-1]),
        "others": others,
        "compared": sum(row["calls"] for row in rows.values()),
        "rows": sorted(
            (not row["otherStatus"], name, row, change_of(row))
            for name, row in rows.items()
            if row["changed"]
        ),
    }
