"""The Quart application: JSON-RPC to one or more nodes over HTTP.

`devchain start` uses it only for requests that are not plain JSON-RPC (`devchain.server.http`), and
for all of them when hypercorn serves (`devchain.server.hypercorn_server`). `create_app` is an
application for any ASGI server.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote

import orjson
from quart import Quart, Request, Response, has_websocket_context, request, websocket
from quart.wrappers.base import BaseRequestWebsocket
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException
from werkzeug.routing import MapAdapter

from devchain.chain.slices import QUICK, Slices
from devchain.config import Config
from devchain.rpc.dispatch import RefusalBytes
from devchain.rpc.json_codec import StreamedJson
from devchain.server.access_control import (
    EXPLORER,
    JSON,
    Refused,
    check_content_type,
    cors_headers,
    incident_body,
    not_found,
    peer_of,
    resolve,
    wrong_method,
)
from devchain.server.events import Observer, refused_event
from devchain.server.router import Router, mining_by_interval, read_body
from devchain.server.scheduler import Scheduler, answer_in_slices
from devchain.server.websocket import AppWebSocket

if TYPE_CHECKING:
    from devchain.node import Node

TEXT = "text/plain; charset=utf-8"


class _Application(Quart):
    """Finds routes without the host: its check refuses names that DNS cannot have, too."""

    def create_url_adapter(self, request: BaseRequestWebsocket | None) -> MapAdapter | None:
        if request is None:
            return None
        return self.url_map.bind(
            "localhost", request.root_path, "", request.scheme, request.method, request.path
        )


def create_app(nodes: Mapping[str, Node], config: Config, observe: Observer | None = None) -> Quart:
    """An application that serves nodes by network name; the first is the default.

    `observe` gets an event for every request, mined block and mined transaction.
    """
    router = Router.of(nodes, config, observe)
    app = quart_app(router)

    @app.while_serving
    async def mine() -> AsyncGenerator[None, None]:
        with mining_by_interval(router.services.values()):
            yield

    return app


def quart_app(router: Router) -> Quart:
    """An application without interval mining, which its caller does."""
    app = _Application(__name__, static_folder=None)
    app.config.update(PROVIDE_AUTOMATIC_OPTIONS=False, MAX_CONTENT_LENGTH=None)
    app.url_map.strict_slashes = app.url_map.merge_slashes = False
    _add_routes(app, router)
    _add_checks(app, router)
    _add_error_handlers(app, router)
    return app


def _add_routes(app: Quart, router: Router) -> None:
    @app.get("/health")
    async def health() -> Response:
        networks = {
            name: {
                "chainId": hex(service.node.config.effective_chain_id),
                "blockNumber": hex(service.node.chain.height),
            }
            for name, service in router.services.items()
        }
        return _response(orjson.dumps({"status": "ok", "networks": networks}))

    @app.post("/", defaults={"path": ""})
    @app.post("/<path:path>")
    async def call(path: str) -> Response:
        peer = peer_of(request.scope.get("client"))
        service = router.route(path, peer)
        check_content_type(request.headers.get("Content-Type", ""))
        body = await read_body(request, router.config.max_body)
        steps = service.dispatcher.serve(body, peer)
        answer = await answer_in_slices(router.scheduler, steps, peer)
        service.notify()
        if isinstance(answer, StreamedJson):
            response = Response(
                _in_pieces(answer.pieces, router.scheduler, peer), content_type=JSON
            )
            response.timeout = None  # the client may read as slowly as it likes
            return response
        return _response(answer)

    @app.websocket("/", defaults={"path": ""})
    @app.websocket("/<path:path>")
    async def talk(path: str) -> None:
        peer = peer_of(websocket.scope.get("client"))
        service = router.route(path, peer)
        channel = AppWebSocket(service, router.scheduler, peer)
        router.close_websockets.append(channel.shut_down)
        try:
            await channel.serve()
        finally:
            router.close_websockets.remove(channel.shut_down)


def _add_checks(app: Quart, router: Router) -> None:
    @app.before_request
    async def check() -> Response | None:
        _check_headers(router, request.headers, request.path, request.scheme)
        if request.method == "OPTIONS" and "Origin" in request.headers:
            return _preflight(request)
        if router.has_explorer_at(request.path) and request.method in {"GET", "HEAD", "POST"}:
            from devchain.server.explorer.routes import answer

            parts = request.path.strip("/").split("/")
            start = parts.index(EXPLORER)
            return await answer(router, parts[:start], "/".join(parts[start + 1 :]))
        return None

    @app.before_websocket
    async def check_websocket() -> None:
        _check_headers(router, websocket.headers, "", websocket.scheme)

    @app.after_request
    async def add_cors_headers(response: Response) -> Response:
        if not router.has_explorer_at(request.path):  # whose pages no other page may read
            response.headers.update(cors_headers(request.headers.get("Origin"), router.config))
        return response


def _check_headers(router: Router, headers: Headers, path: str, scheme: str) -> None:
    host, origins = headers.get("Host", ""), headers.getlist("Origin")
    if router.has_explorer_at(path) and origins == [f"{scheme}://{host}"]:
        origins = []  # a form of the explorer's own
    router.check_headers(host, origins)


def _add_error_handlers(app: Quart, router: Router) -> None:
    @app.errorhandler(Refused)
    async def refuse(refusal: Refused) -> Response:
        if router.observe:
            router.observe(refused_event(refusal.status, refusal.message))
        if not has_websocket_context():
            if "Connection" not in refusal.headers:
                with suppress(Refused):  # hypercorn closes when an answer comes before the body
                    await read_body(request, router.config.max_body)
            if _wants_page(request.path, router):
                headers = {"X-Content-Type-Options": "nosniff"}
                text = f"{refusal.message}\n"
                return Response(text, refusal.status, headers, content_type=TEXT)
        return Response(refusal.body, refusal.status, refusal.headers, content_type=JSON)

    @app.errorhandler(HTTPException)
    async def unrouted(error: HTTPException) -> Response:
        if has_websocket_context():
            return await refuse(not_found(router.services))
        refusal = _unrouted(error.code or 500, router)
        if refusal.status == 405 and request.method == "GET" and _wants_page(EXPLORER, router):
            where = "/".join(["", *filter(None, request.path.split("/")), EXPLORER])
            return Response("", 303, {"Location": quote(where)})
        return await refuse(refusal)

    @app.errorhandler(Exception)
    async def failed(error: Exception) -> Response:
        return Response(incident_body(error), 500, content_type=JSON)


def _wants_page(path: str, router: Router) -> bool:
    return "text/html" in request.headers.get("Accept", "") and router.has_explorer_at(path)


async def _in_pieces(
    pieces: Iterator[bytes], scheduler: Scheduler, peer: str | None
) -> AsyncGenerator[bytes, None]:
    def next_piece() -> Slices[bytes]:
        yield QUICK
        return next(pieces, b"")

    while piece := await answer_in_slices(scheduler, next_piece(), peer):
        yield piece


def _response(body: bytes | None) -> Response:
    if body is not None:
        status = body.status if isinstance(body, RefusalBytes) else 200
        return Response(body, status, content_type=JSON)
    response = Response(b"", 204)
    del response.headers["Content-Type"], response.headers["Content-Length"]
    return response


def _preflight(request: Request) -> Response:
    response = _response(None)
    response.headers["Access-Control-Allow-Methods"] = "POST"
    response.headers["Access-Control-Allow-Headers"] = "Content-Type"
    response.headers["Access-Control-Max-Age"] = "600"
    if request.headers.get("Access-Control-Request-Private-Network") == "true":
        response.headers["Access-Control-Allow-Private-Network"] = "true"
    return response


def _unrouted(status: int, router: Router) -> Refused:
    if status == 405 and resolve(request.path, router.services):
        has_explorer = router.has_explorer_at(EXPLORER)
        return wrong_method(request.method, request.path, has_explorer=has_explorer)
    if status in {404, 405}:
        return not_found(router.services)
    return Refused(status, HTTPStatus(status).phrase)
