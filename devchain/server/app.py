"""The Quart application: HTTP requests in, JSON-RPC answers of one or more nodes out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING

import orjson
from quart import Quart, Request, Response, has_websocket_context, request, websocket
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException

from devchain.config import Config
from devchain.rpc.dispatch import error_body
from devchain.server import access
from devchain.server.checks import (
    JSON,
    NO_WEBSOCKET,
    Refused,
    check_content_type,
    incident_body,
    not_found,
    peer_of,
    too_large,
    too_slow,
    wrong_verb,
)
from devchain.server.events import Observer, refused_event
from devchain.server.front import Front
from devchain.server.intervals import mining
from devchain.server.turns import answer_of

if TYPE_CHECKING:
    from devchain.node import Node

BODY_SECONDS = 30.0
"""How long a client may take to send a request."""

LINGER_SECONDS = 2.0
"""How long the rest of a refused body is read, so that its sender gets to see the answer."""

FRONT = "front"
"""Under what name an application keeps its `Front` among its extensions."""

INVALID_REQUEST = -32600


def create_app(nodes: Mapping[str, Node], config: Config, observe: Observer | None = None) -> Quart:
    """An application that serves nodes by network name; the first is the default.

    `observe` is told of every request and of what was mined.
    """
    app = app_of(Front.of(nodes, config, observe))
    _add_mining(app)
    return app


def app_of(front: Front) -> Quart:
    """An application behind that front, which leaves interval mining to somebody else."""
    app = Quart(__name__, static_folder=None)
    app.config.update(PROVIDE_AUTOMATIC_OPTIONS=False, MAX_CONTENT_LENGTH=None)
    app.url_map.strict_slashes = app.url_map.merge_slashes = False
    _add_routes(app, front)
    _add_checks(app, front)
    _add_refusals(app, front)
    app.extensions[FRONT] = front
    return app


def _add_routes(app: Quart, front: Front) -> None:
    @app.get("/health")
    async def health() -> Response:
        return _answer(orjson.dumps(_health(front)))

    @app.post("/", defaults={"path": ""})
    @app.post("/<path:path>")
    async def call(path: str) -> Response:
        peer = peer_of(request.scope)
        service = front.admitted(path, peer)
        check_content_type(request.headers.get("Content-Type", ""))
        body = await _body(request, front.config.max_body)
        answer = await answer_of(service.dispatcher.serve(body, peer))
        service.feed.drain()
        return _answer(answer)


def _add_checks(app: Quart, front: Front) -> None:
    @app.before_request
    async def check() -> Response | None:
        _check_page(front, request.headers)
        return _preflight(request)

    @app.before_websocket
    async def check_websocket() -> None:
        _check_page(front, websocket.headers)
        front.admitted(websocket.path, peer_of(websocket.scope))

    @app.after_request
    async def share(response: Response) -> Response:
        _share(request, response, front.config)
        return response


def _check_page(front: Front, headers: Headers) -> None:
    front.check_page(headers.get("Host", ""), headers.getlist("Origin"))


def _add_refusals(app: Quart, front: Front) -> None:
    def answer(refusal: Refused) -> Response:
        if front.observe:
            front.observe(refused_event(refusal.status, refusal.message))
        return _answer(error_body(INVALID_REQUEST, refusal.message), refusal)

    @app.errorhandler(Refused)
    async def refused(error: Refused) -> Response:
        return answer(error)

    @app.errorhandler(HTTPException)
    async def unrouted(error: HTTPException) -> Response:
        if has_websocket_context():
            return answer(Refused(404, NO_WEBSOCKET))
        return answer(_unrouted(request, error, front))

    @app.errorhandler(Exception)
    async def failed(error: Exception) -> Response:
        return Response(incident_body(error), 500, content_type=JSON)


def _add_mining(app: Quart) -> None:
    @app.while_serving
    async def mine() -> AsyncGenerator[None, None]:
        with mining(app.extensions[FRONT].services.values()):
            yield


def _answer(body: bytes | None, refusal: Refused | None = None) -> Response:
    if body is None:
        response = Response(b"", 204)
        del response.headers["Content-Type"], response.headers["Content-Length"]
        return response
    if refusal is None:
        return Response(body, content_type=JSON)
    return Response(body, refusal.status, refusal.headers, content_type=JSON)


def _health(front: Front) -> dict[str, object]:
    networks = {
        name: {
            "chainId": hex(service.node.config.effective_chain_id),
            "blockNumber": hex(service.node.chain.height),
        }
        for name, service in front.services.items()
    }
    return {"status": "ok", "networks": networks}


async def _body(asked: Request, limit: int) -> bytes:
    """The request's body; it is never held beyond the limit."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            if (asked.content_length or 0) <= limit:
                async for chunk in asked.body:
                    body += chunk
                    if len(body) > limit:
                        break
                else:
                    return bytes(body)
    except TimeoutError:
        raise too_slow(BODY_SECONDS) from None
    body.clear()
    await _linger(asked)
    raise too_large(limit)


async def _linger(asked: Request) -> None:
    try:
        async with asyncio.timeout(LINGER_SECONDS):
            async for _ in asked.body:
                pass
    except TimeoutError:
        pass


def _preflight(asked: Request) -> Response | None:
    """The answer to a browser that asks whether a page may call."""
    if asked.method != "OPTIONS" or "Origin" not in asked.headers:
        return None
    response = _answer(None)
    response.headers["Access-Control-Allow-Methods"] = "POST"
    response.headers["Access-Control-Allow-Headers"] = "Content-Type"
    response.headers["Access-Control-Max-Age"] = "600"
    if asked.headers.get("Access-Control-Request-Private-Network") == "true":
        response.headers["Access-Control-Allow-Private-Network"] = "true"
    return response


def _share(asked: Request, response: Response, config: Config) -> None:
    """Let pages of an allowed origin read the answer; never with credentials."""
    response.headers["Vary"] = "Origin"
    origin = asked.headers.get("Origin")
    if origin and access.origin_accepted(origin, config.allow_origin):
        response.headers["Access-Control-Allow-Origin"] = origin


def _unrouted(asked: Request, error: HTTPException, front: Front) -> Refused:
    status = error.code or 500
    if status == 405 and access.resolve(asked.path, front.services):
        return wrong_verb(asked.method, asked.path)
    if status in {404, 405}:
        return not_found(front.services)
    return Refused(status, HTTPStatus(status).phrase)
