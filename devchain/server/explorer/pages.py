"""Which page a path names: `find` is the table of all pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from devchain.chain.slices import Slices
from devchain.errors import NotFound
from devchain.node import Node
from devchain.server.explorer import (
    account_pages,
    call_page,
    chain_pages,
    changes_page,
    contract_pages,
    control_pages,
    gas_pages,
    rootstock_pages,
    search,
    steps_page,
    transaction_pages,
)
from devchain.server.explorer.page import Page, Query, RawCall
from devchain.server.explorer.reader import Reader

View = Callable[..., Page | Slices[Page]]
Raw = Callable[..., Sequence[RawCall]]

TX, ADDRESS = r"tx/([^/]+)", r"address/([^/]+)"
ROUTES: Sequence[tuple[str, View, str]] = (
    ("", chain_pages.home, "eth_getBlockByNumber"),
    ("blocks", chain_pages.blocks, "eth_getBlockByNumber"),
    ("block/([^/]+)", chain_pages.block, "eth_getBlockByNumber"),
    ("txs", chain_pages.transactions, "eth_getBlockByNumber"),
    (TX, transaction_pages.transaction, "eth_getTransactionByHash"),
    (f"{TX}/calls", call_page.calls, "debug_traceTransaction"),
    (f"{TX}/steps", steps_page.steps, "debug_traceTransaction"),
    (f"{TX}/changes", changes_page.changes, "debug_traceTransaction"),
    (f"{TX}/gas", gas_pages.gas, "devchain_profileTransaction"),
    (f"{TX}/lines", gas_pages.lines, "devchain_profileTransaction"),
    (ADDRESS, account_pages.address, "eth_getBalance"),
    (f"{ADDRESS}/source", contract_pages.source, "eth_getCode"),
    (f"{ADDRESS}/call", contract_pages.call, "eth_call"),
    (f"{ADDRESS}/storage", contract_pages.storage, "debug_traceTransaction"),
    (f"{ADDRESS}/events", contract_pages.events, "eth_getLogs"),
    (f"{ADDRESS}/code", contract_pages.code, "eth_getCode"),
    ("contracts", contract_pages.contracts, "eth_getCode"),
    ("charts", control_pages.charts, "eth_getBlockByNumber"),
    ("rootstock", rootstock_pages.rootstock, "eth_call"),
    ("control", control_pages.control, "evm_mine"),
    ("accounts", account_pages.accounts, "eth_accounts"),
    ("mempool", chain_pages.mempool, "txpool_content"),
    ("search", search.search, "eth_getBlockByNumber"),
)
"""Pattern of the path, function, and the method that must be enabled for it.

The page shows what that method and others of its kind answer.
"""

RAW: dict[View, Raw] = {
    call_page.calls: call_page.raw,
    steps_page.steps: steps_page.raw,
    changes_page.changes: changes_page.raw,
    gas_pages.gas: gas_pages.raw,
    gas_pages.lines: gas_pages.raw,
    rootstock_pages.rootstock: rootstock_pages.raw,
}
"""The calls of the JSON form of pages that execute something, for which it need not wait."""


def find(path: str, query: Query) -> tuple[Callable[[Node], Page | Slices[Page]], str]:
    """The page of a path below `/explorer`, and the method it needs; raises `NotFound`."""
    for pattern, view, needs in ROUTES:
        if match := re.fullmatch(pattern, path.strip("/")):
            return partial(_page, view, query, match.groups()), needs
    raise NotFound("the explorer has no such page")


def _page(view: View, query: Query, arguments: tuple[str, ...], node: Node) -> Page | Slices[Page]:
    reader = Reader(node, query)
    raw = RAW.get(view) if query.text("format") == "json" else None
    return Page("", "", raw=raw(reader, *arguments)) if raw else view(reader, *arguments)
