"""Requests to the explorer: pages, their JSON, static files, the live stream, forms.

A page is made in slices, within the deadline of a JSON-RPC request, by functions that read
the node; a form becomes a JSON-RPC request. No script or style but the explorer's own files runs
in a page, no other site can frame it or read it, and a form is taken only with the token of this
process, from a page of the same origin.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlencode

import orjson
from quart import Request, Response, request

from devchain.chain.slices import QUICK, Slices
from devchain.errors import (
    DevchainError,
    ExecutionTimedOut,
    InvalidRequest,
    MethodNotFound,
    NotFound,
    UpstreamFailed,
)
from devchain.node import Node
from devchain.rpc.dispatch import error_body
from devchain.rpc.errors import INTERNAL_ERROR, code_of
from devchain.server.access_control import Refused, incident, peer_of
from devchain.server.explorer import forms, live, pages
from devchain.server.explorer.page import Page, Query, RawCall, render
from devchain.server.router import NetworkService, Router, read_body
from devchain.server.scheduler import answer_in_slices

HTML = "text/html; charset=utf-8"
JSON = "application/json"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
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
THEMES = ("light", "dark")
THEME, NOTE = "devchain-theme", "devchain-note"
"""Names of cookies."""

MAX_NOTE = 300
MAX_FORM = 2_000_000
"""Bytes of a form: a call of a contract with its arguments."""

TOKEN = secrets.token_urlsafe(32)
"""What forms of this process carry."""

STATUS = {
    NotFound: 404,
    MethodNotFound: 403,
    UpstreamFailed: 502,
    ExecutionTimedOut: 503,
}


class Visit:
    """A request to the explorer of one network, and what its answer has beside the page."""

    def __init__(self, router: Router, prefix: list[str], path: str) -> None:
        self.router = router
        self.path = path.strip("/")
        self.base = "".join(f"/{quote(part, safe='')}" for part in (*prefix, "explorer"))
        self.peer = peer_of(request.scope.get("client"))
        self.form_path = ""  # the page of the form that was sent
        self._prefix = prefix
        self.is_hosted = router.config.hosted
        self.node: Node | None = None  # of the network, once the request was let in

    def service(self) -> NetworkService:
        """The network of the path; raises `Refused`."""
        service = self.router.route("/".join(["", *self._prefix]), self.peer)
        self.node = service.node
        return service

    def networks(self) -> list[tuple[str, str]]:
        """The other networks that are served, with the paths of their explorers."""
        names = list(self.router.services)
        key = [part for part in self._prefix if part not in names]
        return [(name, "/".join(["", name, *key, "explorer"])) for name in names]

    def values(self) -> dict[str, Any]:
        """What every template may show."""
        theme = request.cookies.get(THEME, "")
        here = f"{self.base}/{self.path}".rstrip("/")
        return {
            "base": self.base,
            "path": self.path,
            "here": here,
            "json": f"{here}?{urlencode({**plain_query(request), 'format': 'json'})}",
            "theme": theme if theme in THEMES else "",
            "note": unquote(request.cookies.get(NOTE, ""))[:MAX_NOTE],
            "networks": self.networks(),
            "token": "" if self.is_hosted else TOKEN,
            "can_write": not self.is_hosted,
            "asset": asset_path,
        }


async def answer(router: Router, prefix: list[str], path: str) -> Response:
    """The answer to a request for a path below `/explorer`, behind network and key."""
    visit = Visit(router, prefix, path)
    try:
        response = await _answer(visit, request)
    except Refused as refusal:
        response = _failed(visit, refusal.status, code_of(InvalidRequest), refusal.message)
    except DevchainError as error:
        response = _failed(visit, status_of(error), code_of(type(error)), str(error))
    except Exception as error:  # noqa: BLE001  # a bug: a page with its number
        response = _failed(visit, 500, INTERNAL_ERROR, incident(error))
    response.headers.update(HEADERS)
    response.headers.setdefault("Cache-Control", "no-store")
    return response


async def _answer(visit: Visit, request: Request) -> Response:
    service = visit.service()
    if request.method == "POST":
        return await _act(visit, service, request)
    query = Query(plain_query(request))
    head, _, rest = visit.path.partition("/")
    if head == "static":
        return _static(rest)
    if visit.path == "live":
        return _live(service)
    if visit.path == "theme":
        return _theme(visit, query)
    return await _page(visit, service, query)


async def _page(visit: Visit, service: NetworkService, query: Query) -> Response:
    view, needs = pages.find(visit.path, query)
    service.dispatcher.check_enabled(needs)
    values, as_json = visit.values(), query.text("format") == "json"

    def make(node: Node) -> Slices[tuple[Page, str]]:
        made = view(node)
        page = made if isinstance(made, Page) else (yield from made)
        if page.location or as_json:
            return page, ""
        return page, render(page, {**values, **chain_values(node)})

    steps = service.dispatcher.run(make)
    page, text = await answer_in_slices(visit.router.scheduler, steps, visit.peer)
    if page.location:
        return redirect(visit.base + page.location)
    if as_json:
        return await _raw(visit, service, page)
    response = Response(text, page.status, content_type=HTML)
    if values["note"]:
        response.delete_cookie(NOTE, path=visit.base)
    return response


def parse_query(request: Request) -> dict[str, list[str]]:
    """The part of the address after the question mark."""
    return parse_qs(request.query_string.decode("latin-1"), keep_blank_values=True)


def plain_query(request: Request) -> dict[str, str]:
    """The same with the last value of each name."""
    return {name: values[-1] for name, values in parse_query(request).items()}


def chain_values(node: Node | None, *, with_height: bool = True) -> dict[str, Any]:
    """What every page shows of the chain; pages of errors without its height."""
    return {
        "network": node.config.network if node else "",
        "height": node.chain.height if node and with_height else None,
        "is_fork": node is not None and node.fork is not None,
        "is_rootstock": node is not None and node.chain.rules.has_minimum_gas_price,
        "now": node.clock.now() if node else 0,
        "live_hash": "",
    }


def status_of(error: DevchainError) -> int:
    """The HTTP status of a page that could not be made."""
    statuses = (status for kind, status in STATUS.items() if isinstance(error, kind))
    return next(statuses, 400)


def _failed(visit: Visit, status: int, code: int, message: str) -> Response:
    if parse_query(request).get("format", [""])[-1] == "json":
        return Response(error_body(code, message), status, content_type=JSON)
    titles = {403: "Not available", 404: "Not found", 500: "Internal error", 503: "Out of time"}
    values = {"message": message, "form": visit.form_path and back_to(visit, visit.form_path)}
    page = Page("error.html", titles.get(status, "Refused"), values, status=status)
    shared = chain_values(visit.node, with_height=False)
    return Response(render(page, {**visit.values(), **shared}), status, content_type=HTML)


def redirect(path: str) -> Response:
    """Go to another page of the explorer."""
    return Response("", 303, {"Location": path})


async def _raw(visit: Visit, service: NetworkService, page: Page) -> Response:
    if not page.raw:
        raise NotFound("this page has no JSON")
    batch = [
        {"jsonrpc": "2.0", "id": index, "method": name, "params": params}
        for index, (name, params) in enumerate(page.raw)
    ]
    steps = service.dispatcher.serve(orjson.dumps(batch), visit.peer)
    body = await answer_in_slices(visit.router.scheduler, steps, visit.peer)
    answered = orjson.loads(body or b"null")
    if isinstance(answered, dict):  # the batch was refused
        return Response(orjson.dumps(answered), 400, content_type=JSON)
    answers = {answer["id"]: answer for answer in answered}
    calls = [
        {"method": name, "params": params}
        | {key: answers[index][key] for key in ("result", "error") if key in answers[index]}
        for index, (name, params) in enumerate(page.raw)
    ]
    return Response(orjson.dumps({"calls": calls}, option=orjson.OPT_INDENT_2), content_type=JSON)


# Static files


@cache
def _asset(name: str) -> tuple[bytes, str] | None:
    if name not in _asset_names():
        return None
    content = files(__package__).joinpath("static", name).read_bytes()
    return content, sha256(content).hexdigest()[:12]


@cache
def _asset_names() -> frozenset[str]:
    return frozenset(file.name for file in files(__package__).joinpath("static").iterdir())


def asset_path(name: str) -> str:
    """The path of a static file below the explorer's; another content has another path."""
    asset = _asset(name)
    assert asset  # noqa: S101  # templates name files that exist
    return f"/static/{name}?v={asset[1]}"


def _static(name: str) -> Response:
    asset = _asset(name)
    if asset is None:
        raise NotFound("the explorer has no such file")
    kind = KINDS[name.rpartition(".")[2]]
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(asset[0], 200, headers, content_type=kind)


# The live stream


def _live(service: NetworkService) -> Response:
    live.check_streams()
    events = live.stream(service.node, service.subscribers)
    response = Response(events, content_type="text/event-stream")
    response.timeout = None  # it stays open
    return response


# What changes something


def _theme(visit: Visit, query: Query) -> Response:
    response = redirect(back_to(visit, query.text("to")))
    theme = query.text("theme")
    if theme in THEMES:
        response.set_cookie(THEME, theme, max_age=31_536_000, path="/", samesite="Lax")
    else:
        response.delete_cookie(THEME, path="/")
    return response


def back_to(visit: Visit, path: str) -> str:
    """The page that a form was on: one of this explorer."""
    is_own = path == visit.base or path.startswith((f"{visit.base}/", f"{visit.base}?"))
    return path if is_own and path.isprintable() and "\\" not in path else visit.base


async def _act(visit: Visit, service: NetworkService, request: Request) -> Response:
    if visit.is_hosted:
        raise Refused(403, "the explorer of the hosted service only shows")
    origin = request.headers.get("Origin")
    if origin is not None and origin != f"{request.scheme}://{request.headers.get('Host')}":
        raise Refused(403, "a form of the explorer is taken from its own pages only")
    body = await read_body(request, min(MAX_FORM, visit.router.config.max_body))
    sent = parse_qs(body.decode("latin-1"), keep_blank_values=True, encoding="utf-8")
    form = {name: values[-1] for name, values in sent.items()}
    if not hmac.compare_digest(form.get("token", "").encode(), TOKEN.encode()):
        raise Refused(403, "this form is of another run of the node: load its page again")
    action = forms.find(visit.path)
    visit.form_path = form.get("back", "")
    outcome = await _run(visit, service, action, form)
    response = redirect(back_to(visit, outcome.path or visit.form_path))
    if outcome.note:
        response.set_cookie(
            NOTE, quote(outcome.note[:MAX_NOTE]), path=visit.base, httponly=True, samesite="Strict"
        )
    return response


async def _run(
    visit: Visit, service: NetworkService, action: forms.Action, form: Mapping[str, str]
) -> forms.Outcome:
    scheduler = visit.router.scheduler

    def read(node: Node) -> Slices[Sequence[RawCall]]:
        yield QUICK
        return action.calls(node, form)

    calls = await answer_in_slices(scheduler, service.dispatcher.run(read), visit.peer)
    results = []
    for name, params in calls:
        call = {"jsonrpc": "2.0", "id": 1, "method": name, "params": params}
        steps = service.dispatcher.serve(orjson.dumps(call), visit.peer)
        answered = await answer_in_slices(scheduler, steps, visit.peer)
        reply = orjson.loads(answered or b"null")
        service.subscribers.notify()
        if "error" in reply:
            raise Refused(400, reply["error"]["message"])
        results.append(reply["result"])
    path, note = action.outcome(results)
    return forms.Outcome(visit.base + path if path else "", note)
