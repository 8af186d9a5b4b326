"""Which page a path names: `find` is the table of all pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from devchain.chain.slices import Slices
from devchain.errors import NotFound
from devchain.node import Node
from devchain.server.explorer import (
    account_pages,
    calls,
    chain_pages,
    changes,
    contract_pages,
    control_pages,
    gas_page,
    lines_page,
    rootstock_pages,
    search,
    steps_page,
    transaction_pages,
)
from devchain.server.explorer.page import Page, Query, RawCall

View = Callable[[Node], Page | Slices[Page]]


@dataclass(frozen=True, slots=True)
class Route:
    """A page: the pattern of its path, its function, and the method that must be enabled for it.

    The page shows what that method and others of its kind answer. `raw` makes the calls of its JSON
    form where the page executes something, for which the JSON need not wait.
    """

    pattern: re.Pattern[str]
    view: Callable[..., Page | Slices[Page]]
    needs: str
    raw: Callable[..., Sequence[RawCall]] | None = None


def _route(
    pattern: str,
    view: Callable[..., Page | Slices[Page]],
    needs: str,
    raw: Callable[..., Sequence[RawCall]] | None = None,
) -> Route:
    return Route(re.compile(pattern), view, needs, raw)


ROUTES = (
    _route(r"", chain_pages.home, "eth_getBlockByNumber"),
    _route(r"blocks", chain_pages.blocks, "eth_getBlockByNumber"),
    _route(r"block/([^/]+)", chain_pages.block, "eth_getBlockByNumber"),
    _route(r"txs", chain_pages.transactions, "eth_getBlockByNumber"),
    _route(r"tx/([^/]+)", transaction_pages.transaction, "eth_getTransactionByHash"),
    _route(r"tx/([^/]+)/calls", calls.calls, "debug_traceTransaction", calls.RAW),
    _route(r"tx/([^/]+)/steps", steps_page.steps, "debug_traceTransaction", steps_page.raw),
    _route(r"tx/([^/]+)/changes", changes.changes, "debug_traceTransaction", changes.RAW),
    _route(r"tx/([^/]+)/gas", gas_page.gas, "devchain_profileTransaction", gas_page.RAW),
    _route(r"tx/([^/]+)/lines", lines_page.lines, "devchain_profileTransaction", lines_page.RAW),
    _route(r"address/([^/]+)", account_pages.address, "eth_getBalance"),
    _route(r"address/([^/]+)/source", contract_pages.source, "eth_getCode"),
    _route(r"address/([^/]+)/call", contract_pages.call, "eth_call"),
    _route(r"address/([^/]+)/storage", contract_pages.storage, "debug_traceTransaction"),
    _route(r"address/([^/]+)/events", contract_pages.events, "eth_getLogs"),
    _route(r"address/([^/]+)/code", contract_pages.code, "eth_getCode"),
    _route(r"contracts", contract_pages.contracts, "eth_getCode"),
    _route(r"charts", control_pages.charts, "eth_getBlockByNumber"),
    _route(r"rootstock", rootstock_pages.rootstock, "eth_call", rootstock_pages.raw),
    _route(r"control", control_pages.control, "evm_mine"),
    _route(r"accounts", account_pages.accounts, "eth_accounts"),
    _route(r"mempool", chain_pages.mempool, "txpool_content"),
    _route(r"search", search.search, "eth_getBlockByNumber"),
)


def find(path: str, query: Query) -> tuple[View, str]:
    """The page of a path below `/explorer`, and the method it needs; raises `NotFound`."""
    for route in ROUTES:
        match = route.pattern.fullmatch(path.strip("/"))
        if match and route.raw and query.text("format") == "json":
            return partial(_raw_page, route.raw, query, match.groups()), route.needs
        if match:
            return partial(_call, route.view, query, match.groups()), route.needs
    raise NotFound("the explorer has no such page")


def _call(
    view: Callable[..., Page | Slices[Page]], query: Query, arguments: tuple[str, ...], node: Node
) -> Page | Slices[Page]:
    return view(node, query, *arguments)


def _raw_page(
    raw: Callable[..., Sequence[RawCall]], query: Query, arguments: tuple[str, ...], node: Node
) -> Page:
    return Page("", "", raw=raw(node, query, *arguments))
