"""Requests to the explorer: pages, their JSON, static files, the live stream, forms.

A page is made in slices, within the deadline of a JSON-RPC request; a form becomes a JSON-RPC
request. No script or style but the explorer's own files runs in a page, no other site can frame it
or read it, and a form is taken only with the token of this process, from a page of the same origin.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast
from urllib.parse import parse_qs, quote, urlencode

import orjson
from quart import Response, request

from devchain import errors
from devchain.chain.slices import QUICK, Slices, finish
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher, error_body
from devchain.rpc.errors import INTERNAL_ERROR, code_of
from devchain.server.access_control import JSON, Refused, incident, peer_of
from devchain.server.explorer import (
    account_pages,
    bitcoin_pages,
    chain_pages,
    contract_pages,
    control_pages,
    gas_pages,
    live,
    rootstock_pages,
    search,
    send_page,
    steps_page,
    token_pages,
    transaction_pages,
    upgrade_page,
)
from devchain.server.explorer.page import Page, Query, RawCall, asset, asset_path, render
from devchain.server.explorer.reader import Reader
from devchain.server.explorer.send_page import Form
from devchain.server.router import Router, read_body
from devchain.server.scheduler import answer_in_slices

Result = TypeVar("Result")
View = Callable[..., Page | Slices[Page]]

TX, ADDRESS = r"tx/([^/]+)", r"address/([^/]+)"
PAGES: Sequence[tuple[str, View, str]] = (
    ("", chain_pages.home, "eth_getBlockByNumber"),
    ("blocks", chain_pages.blocks, "eth_getBlockByNumber"),
    ("block/([^/]+)", chain_pages.block, "eth_getBlockByNumber"),
    ("txs", chain_pages.transactions, "eth_getBlockByNumber"),
    (TX, transaction_pages.transaction, "eth_getTransactionByHash"),
    (f"{TX}/calls", transaction_pages.calls, "debug_traceTransaction"),
    (f"{TX}/steps", steps_page.steps, "debug_traceTransaction"),
    (f"{TX}/changes", transaction_pages.changes, "debug_traceTransaction"),
    (f"{TX}/gas", gas_pages.gas, "devchain_profileTransaction"),
    (f"{TX}/lines", gas_pages.lines, "devchain_profileTransaction"),
    (f"{TX}/upgrade", upgrade_page.of_transaction, "devchain_compareHardforks"),
    (ADDRESS, account_pages.address, "eth_getBalance"),
    (f"{ADDRESS}/token", token_pages.token, "eth_call"),
    (f"{ADDRESS}/source", contract_pages.source, "eth_getCode"),
    (f"{ADDRESS}/call", contract_pages.call, "eth_call"),
    (f"{ADDRESS}/storage", contract_pages.storage, "debug_traceTransaction"),
    (f"{ADDRESS}/events", contract_pages.events, "eth_getLogs"),
    (f"{ADDRESS}/code", contract_pages.code, "eth_getCode"),
    (f"{ADDRESS}/upgrade", upgrade_page.of_contract, "devchain_compareHardforks"),
    ("contracts", contract_pages.contracts, "eth_getCode"),
    ("events", contract_pages.events, "eth_getLogs"),
    ("tokens", token_pages.tokens, "eth_call"),
    ("transfers", token_pages.transfers, "debug_traceTransaction"),
    ("charts", chain_pages.charts, "eth_getBlockByNumber"),
    ("btc", bitcoin_pages.bitcoin, "devchain_btcTransaction"),
    ("btc/block/([^/]+)", bitcoin_pages.block, "devchain_btcTransaction"),
    ("btc/tx/([^/]+)", bitcoin_pages.transaction, "devchain_btcTransaction"),
    ("rootstock", rootstock_pages.rootstock, "eth_call"),
    ("control", control_pages.control, "evm_mine"),
    ("send", send_page.send, "eth_sendTransaction"),
    ("accounts", account_pages.accounts, "eth_accounts"),
    ("mempool", chain_pages.mempool, "txpool_content"),
    ("search", search.search, "eth_getBlockByNumber"),
)
"""Pattern of the path below `/explorer`, function, and the method that must be enabled for it.

The page shows what that method and others of its kind answer.
"""

HTML = "text/html; charset=utf-8"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
KINDS = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}
YEAR = 31_536_000
MAX_FORM = 2_000_000  # bytes of a form: a call of a contract with its arguments
MAX_LINK = 4_000  # bytes of a form whose fields are in a link
TOKEN = secrets.token_urlsafe(32)  # what forms of this process carry
STATUS = {
    errors.NotFound: 404,
    errors.MethodNotFound: 403,
    errors.UpstreamFailed: 502,
    errors.ExecutionTimedOut: 503,
}
TITLES = {403: "Not available", 404: "Not found", 500: "Internal error", 503: "Out of time"}


async def answer(router: Router, prefix: list[str], path: str) -> Response:
    """The answer to a request for a path below `/explorer`, behind network and key."""
    visit = _Visit(router, prefix, path)
    try:
        response = await visit.answer()
    except Refused as refusal:
        response = visit.failed(refusal.status, code_of(errors.InvalidRequest), refusal.message)
    except errors.DevchainError as error:
        status = next((STATUS[kind] for kind in STATUS if isinstance(error, kind)), 400)
        response = visit.failed(status, code_of(type(error)), str(error))
    except Exception as error:  # noqa: BLE001  # a bug: a page with its number
        response = visit.failed(500, INTERNAL_ERROR, incident(error))
    response.headers.update(HEADERS)
    response.headers.setdefault("Cache-Control", "no-store")
    return response


class _Visit:
    """A request to the explorer of one network."""

    def __init__(self, router: Router, prefix: list[str], path: str) -> None:
        self._router = router
        self._prefix = prefix
        self._path = path.strip("/")
        self._base = "".join(f"/{quote(part, safe='')}" for part in (*prefix, "explorer"))
        self._peer = peer_of(request.scope.get("client"))
        sent = parse_qs(request.query_string.decode("latin-1"), keep_blank_values=True)
        self._done = sent.pop("done", [""])[-1]
        self._query = Query({name: values[-1] for name, values in sent.items()})
        self._form_path = ""  # the page of the form that was sent
        self._node: Node | None = None  # once the request was let in

    async def answer(self) -> Response:
        self._service = self._router.route("/".join(["", *self._prefix]), self._peer)
        self._node = self._service.node
        if request.method == "POST":
            return await self._act()
        if self._path.startswith("static/"):
            return _static(self._path.removeprefix("static/"))
        if self._path == "live":
            live.check_streams()
            events = live.stream(self._service)
            response = Response(events, content_type="text/event-stream")
            response.timeout = None  # it stays open
            return response
        return await self._page()

    async def _page(self) -> Response:
        matches = (
            (view, needs, match.groups())
            for pattern, view, needs in PAGES
            if (match := re.fullmatch(pattern, self._path))
        )
        if (found := next(matches, None)) is None:
            raise errors.NotFound("the explorer has no such page")
        view, needs, arguments = found
        self._service.dispatcher.check_enabled(needs)
        values = self._shared_values()
        as_json = self._query.is_json

        def make(node: Node) -> Slices[tuple[Page, str]]:
            reader = Reader(node, self._query)
            made = view(reader, *arguments)
            page = made if isinstance(made, Page) else (yield from made)
            if page.location or as_json:
                return page, ""
            shared = {**values, **_chain_values(node), "labelled": reader.labelled}
            return page, (yield from render(page, shared))

        page, text = await self._in_slices(self._service.dispatcher.run(make))
        if page.location:
            return _redirect(self._base + page.location)
        if as_json:
            return await self._json(page.raw)
        return Response(text, page.status, content_type=HTML)

    async def _json(self, raw: Sequence[RawCall]) -> Response:
        if not raw:
            raise errors.NotFound("this page has no JSON")
        answered = await self._serve([_call(index, *call) for index, call in enumerate(raw)])
        if isinstance(answered, dict):  # the batch was refused
            return Response(orjson.dumps(answered), 400, content_type=JSON)
        answers = {answer["id"]: answer for answer in answered}
        calls = [
            {"method": name, "params": params}
            | {key: answers[index][key] for key in ("result", "error") if key in answers[index]}
            for index, (name, params) in enumerate(raw)
        ]
        text = orjson.dumps({"calls": calls}, option=orjson.OPT_INDENT_2)
        return Response(text, content_type=JSON)

    async def _serve(self, body: object) -> Any:  # noqa: ANN401  # JSON
        service = self._service
        dispatcher = Dispatcher(service.node, service.reporter.report_call, streams=False)
        text = await self._in_slices(dispatcher.serve(orjson.dumps(body), self._peer))
        return orjson.loads(cast("bytes | None", text) or b"null")

    async def _in_slices(self, steps: Slices[Result]) -> Result:
        return await answer_in_slices(self._router.scheduler, steps, self._peer)

    def failed(self, status: int, code: int, message: str) -> Response:
        if self._query.is_json:
            return Response(error_body(code, message), status, content_type=JSON)
        values = {"message": message, "form": self._form_path and self._back_to(self._form_path)}
        page = Page("error.html", TITLES.get(status, "Refused"), values, status=status)
        shared = {**self._shared_values(), **_chain_values(self._node), "height": None}
        return Response(finish(render(page, shared)), status, content_type=HTML)

    def _shared_values(self) -> dict[str, Any]:
        # What every template may show.
        here = f"{self._base}/{self._path}".rstrip("/")
        names = list(self._router.services)
        key = [part for part in self._prefix if part not in names]
        can_write = not self._router.config.hosted
        return {
            "base": self._base,
            "path": self._path,
            "done": self._done,  # the form that led to this page
            "here": here,
            "again": f"{here}?{urlencode(self._query.values)}",
            "unfolds": bool(self._query.text("unfold")),
            "unfold": f"{here}?{urlencode({**self._query.values, 'unfold': 1})}",
            "json": f"{here}?{urlencode({**self._query.values, 'format': 'json'})}",
            "networks": [(name, "/".join(["", name, *key, "explorer"])) for name in names],
            "token": TOKEN if can_write else "",
            "can_write": can_write,
            "asset": asset_path,
        }

    # What changes something

    def _back_to(self, path: str) -> str:
        # The page that a form was on: one of this explorer.
        is_own = path == self._base or path.startswith((f"{self._base}/", f"{self._base}?"))
        return path if is_own and path.isprintable() and "\\" not in path else self._base

    async def _sent_form(self) -> Form:
        # The fields of a form, which has to be one of a page of this process.
        config = self._router.config
        if config.hosted:
            raise Refused(403, "the explorer of the hosted service changes nothing")
        origin = request.headers.get("Origin")
        if origin is not None and origin != f"{request.scheme}://{request.headers.get('Host')}":
            raise Refused(403, "forms of the explorer work from its own pages only")
        body = await read_body(request, min(MAX_FORM, config.max_body))
        sent = parse_qs(body.decode("latin-1"), keep_blank_values=True, encoding="utf-8")
        form = {name: values[-1] for name, values in sent.items()}
        if not hmac.compare_digest(form.get("token", "").encode(), TOKEN.encode()):
            raise Refused(403, "this form is of another run of the node: load its page again")
        self._form_path = form.get("back", "")
        if "f" in form and len(body) <= MAX_LINK:  # of a contract's function, whose page takes them
            fields = {name: text for name, text in form.items() if name not in {"token", "back"}}
            self._form_path += f"?{urlencode(fields)}"
        return form

    async def _act(self) -> Response:
        form, service = await self._sent_form(), self._service
        if (of_function := control_pages.SIMULATING.get(self._path)) is not None:
            filled = await self._read(contract_pages.with_call_data, form) if of_function else form
            fields = send_page.simulation(filled)
            if len(link := f"/send?{urlencode(fields)}") <= MAX_LINK:
                return _redirect(self._base + link)
            self._path, self._query = "send", Query(fields)
            return await self._page()
        if (action := control_pages.ACTIONS.get(self._path)) is None:
            raise errors.NotFound("the explorer has no such form")
        result = None
        for name, params in await self._read(action, form):
            reply = await self._serve(_call(1, name, params))
            service.notify()
            if "error" in reply:
                raise Refused(400, reply["error"]["message"])
            result = reply["result"]
            if name == "evm_revert" and not result:
                raise errors.NotFound("there is no such snapshot")
        if self._path in control_pages.SENDING:
            return _redirect(f"{self._base}/tx/{result}")
        place = self._back_to(self._form_path)
        if self._path == "do/balance":
            place = f"{self._base}/address/{params[0]}"
        return _redirect(f"{place}{'&' if '?' in place else '?'}done={self._path[3:]}")

    async def _read(self, read: Callable[[Node, Form], Result], form: Form) -> Result:
        def slices(node: Node) -> Slices[Result]:
            yield QUICK
            return read(node, form)

        return await self._in_slices(self._service.dispatcher.run(slices))


def _call(number: int, name: str, params: list[Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": name, "params": params}


def _chain_values(node: Node | None) -> dict[str, Any]:
    # What every page shows of the chain.
    return {
        "network": node.config.network if node else "",
        "height": node.chain.height if node else None,
        "is_fork": node is not None and node.fork is not None,
        "is_rootstock": node is not None and node.chain.rules.has_minimum_gas_price,
        "now": node.clock.now() if node else 0,
        "live_hash": "",
    }


def _redirect(path: str) -> Response:
    return Response("", 303, {"Location": path})


def _static(name: str) -> Response:
    if (file := asset(name)) is None:
        raise errors.NotFound("the explorer has no such file")
    headers = {"Cache-Control": f"public, max-age={YEAR}, immutable"}
    return Response(file[0], 200, headers, content_type=KINDS[name.rpartition(".")[2]])
